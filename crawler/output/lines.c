/* Files of lines. See <crawl/output.h>. */
#include "base/error.h"
#include "base/writer.h"
#include "crawler/output/output.h"
#include "crawler/output/record_file.h"

#include <crawl/output.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_SIZE = 256 * 1024,
    /* A fuller buffer is written, so that most further lines fit. */
    MANY_BYTES = BUFFER_SIZE - 16 * 1024,
};

struct crawl_lines {
    pthread_mutex_t lock; /* protects the rest */
    FILE *file;           /* unbuffered */
    char *path;
    bool at_once;
    bool is_csv;
    bool appends;   /* other writers may too */
    crawl_buf head; /* of a table, with its newline; empty: unknown */
    crawl_buf text; /* whole lines not yet written, and the present line */
    size_t whole;   /* bytes of whole lines */
    int failure;    /* errno of the first failure; 0: none */
};

static void free_lines(crawl_lines *lines)
{
    crawl_buf_free(&lines->text);
    crawl_buf_free(&lines->head);
    free(lines->path);
    free(lines);
}

/* Writes the head into an empty file, or checks the head of a file with content. */
static crawl_err lines_put_head(crawl_lines *lines, crawl_error *error)
{
    struct stat status;
    crawl_slice head = crawl_buf_slice(&lines->head);
    if (fstat(fileno(lines->file), &status))
        return cw_error_of_file(error, lines->path);
    if (status.st_size) /* a pipe has no size */
        return cw_output_record_file_check_head(lines->path, head, error);
    crawl_err err = crawl_buf_append(&lines->text, head.data, head.size);
    lines->whole = lines->text.size;
    return err ? cw_error(error, err) : CRAWL_OK;
}

crawl_err cw_output_lines_head(crawl_lines *lines, crawl_buf *head, crawl_error *error)
{
    lines->head = *head;
    *head = (crawl_buf){0};
    crawl_err err = crawl_buf_append_char(&lines->head, '\n');
    return err ? cw_error(error, err) : lines_put_head(lines, error);
}

static crawl_err put_columns(crawl_lines *lines, const char *const *columns, crawl_error *error)
{
    crawl_buf head = {0};
    cw_writer names = {.out = &head};
    cw_output_put_csv_head(&names, columns);
    crawl_err err = names.err ? cw_error(error, names.err) : cw_output_lines_head(lines, &head, error);
    crawl_buf_free(&head);
    return err;
}

/* Empties the file unless the caller appends. Locks it against other writers unless all append. A file system without
 * locks is trusted. */
static crawl_err lines_begin_file(int file, const char *path, bool appends, crawl_error *error)
{
    struct stat status;
    if (fstat(file, &status) || !S_ISREG(status.st_mode))
        return CRAWL_OK;
    if (flock(file, (appends ? LOCK_SH : LOCK_EX) | LOCK_NB) && errno == EWOULDBLOCK)
        return crawl_error_set(error, CRAWL_ESTATE, "%s: in use by another process", path);
    return !appends && ftruncate(file, 0) ? cw_error_of_file(error, path) : CRAWL_OK;
}

/* Lines are always appended: they stay whole beside those of another process. */
static crawl_err lines_open_named(const char *path, bool appends, FILE **out, crawl_error *error)
{
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return cw_error_of_file(error, path);
    crawl_err err = lines_begin_file(file, path, appends, error);
    *out = err ? NULL : fdopen(file, "a");
    if (!err && !*out)
        err = cw_error_of_file(error, path);
    if (err)
        close(file);
    else
        setvbuf(*out, NULL, _IONBF, 0);
    return err;
}

static crawl_err lines_open_file(crawl_lines *lines, const char *path, bool appends, crawl_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    lines->appends = appends;
    lines->path = strdup(standard ? "standard output" : path);
    if (!lines->path || crawl_buf_reserve(&lines->text, BUFFER_SIZE - 1))
        return cw_error(error, CRAWL_ENOMEM);
    if (standard) {
        lines->file = stdout;
        setvbuf(stdout, NULL, _IONBF, 0);
        return CRAWL_OK;
    }
    crawl_err err = lines_open_named(path, appends, &lines->file, error);
    return !err && appends ? cw_output_record_file_mend(path, lines->is_csv, error) : err;
}

crawl_err crawl_lines_open(const char *path, unsigned flags, const char *const *columns, crawl_lines **out,
                           crawl_error *error)
{
    crawl_lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return cw_error(error, CRAWL_ENOMEM);
    lines->at_once = flags & CRAWL_LINES_AT_ONCE;
    lines->is_csv = columns || crawl_output_is_csv(path);
    crawl_err err = lines_open_file(lines, path, flags & CRAWL_LINES_APPEND, error);
    if (!err && columns)
        err = put_columns(lines, columns, error);
    if (err) {
        if (lines->file && lines->file != stdout)
            fclose(lines->file);
        free_lines(lines);
        return err;
    }
    pthread_mutex_init(&lines->lock, NULL);
    *out = lines;
    return CRAWL_OK;
}

static crawl_err lines_note_failure(crawl_lines *lines)
{
    if (!lines->failure)
        lines->failure = errno ? errno : EIO;
    return CRAWL_EIO;
}

/* Writes the whole lines. Frees the memory of a very long line. */
static crawl_err lines_leave(crawl_lines *lines)
{
    size_t size = lines->whole;
    lines->whole = 0;
    errno = 0;
    crawl_err err =
        size && fwrite(lines->text.data, 1, size, lines->file) != size ? lines_note_failure(lines) : CRAWL_OK;
    if (lines->text.capacity > BUFFER_SIZE)
        crawl_buf_free(&lines->text);
    crawl_buf_clear(&lines->text);
    return err;
}

crawl_buf *crawl_lines_begin(crawl_lines *lines)
{
    pthread_mutex_lock(&lines->lock);
    return &lines->text;
}

static crawl_err output_end_line(crawl_lines *lines, crawl_err err)
{
    if (lines->failure)
        err = CRAWL_EIO;
    if (!err)
        err = crawl_buf_append_char(&lines->text, '\n');
    if (err) {
        lines->text.size = lines->whole;
        return err;
    }
    lines->whole = lines->text.size;
    return lines->at_once || lines->whole >= MANY_BYTES ? lines_leave(lines) : CRAWL_OK;
}

crawl_err crawl_lines_end(crawl_lines *lines, crawl_err err)
{
    err = output_end_line(lines, err);
    pthread_mutex_unlock(&lines->lock);
    return err;
}

crawl_err crawl_lines_flush(crawl_lines *lines)
{
    pthread_mutex_lock(&lines->lock);
    crawl_err err = lines->failure ? CRAWL_EIO : lines_leave(lines);
    pthread_mutex_unlock(&lines->lock);
    return err;
}

/* Opens the file of the same name, and continues there. All whole lines were written before. */
static crawl_err change_file(crawl_lines *lines, crawl_error *error)
{
    FILE *before = lines->file;
    FILE *now = NULL;
    (void)flock(fileno(before), LOCK_SH); /* it may be the same file */
    crawl_err err = lines_open_named(lines->path, true, &now, error);
    if (!err) {
        lines->file = now;
        err = cw_output_record_file_mend(lines->path, lines->is_csv, error);
    }
    if (!err && lines->head.size)
        err = lines_put_head(lines, error);
    lines->file = err ? before : now;
    if (now)
        fclose(err ? now : before);
    if (!lines->appends)
        (void)flock(fileno(lines->file), LOCK_EX | LOCK_NB);
    return err;
}

crawl_err crawl_lines_reopen(crawl_lines *lines, crawl_error *error)
{
    struct stat status;
    pthread_mutex_lock(&lines->lock);
    bool is_file = lines->file != stdout && fstat(fileno(lines->file), &status) == 0 && S_ISREG(status.st_mode);
    crawl_err err = is_file && !lines->failure ? lines_leave(lines) : CRAWL_OK;
    if (is_file && !lines->failure)
        err = change_file(lines, error);
    pthread_mutex_unlock(&lines->lock);
    return err; /* a file that failed before reports that with its next line */
}

bool crawl_lines_abandoned(crawl_lines *lines)
{
    pthread_mutex_lock(&lines->lock);
    bool abandoned = lines->failure == EPIPE;
    pthread_mutex_unlock(&lines->lock);
    return abandoned;
}

crawl_err crawl_lines_close(crawl_lines *lines, crawl_error *error)
{
    if (!lines)
        return CRAWL_OK;
    crawl_err err = crawl_lines_flush(lines);
    errno = 0;
    if (lines->file != stdout) {
        if (fclose(lines->file) && !err)
            err = lines_note_failure(lines);
        if (err)
            cw_output_record_file_mend(lines->path, lines->is_csv, NULL);
    }
    if (err)
        crawl_error_set(error, CRAWL_EIO, "%s: %s", lines->path, strerror(lines->failure));
    pthread_mutex_destroy(&lines->lock);
    free_lines(lines);
    return err;
}
