/* See sink.h. */
#include "crawler/output/sink.h"

#include "base/error.h"
#include "base/read.h"
#include "crawler/output/csv.h"
#include "crawler/output/record_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    BUFFER_SIZE = 256 * 1024,
    /* A buffer this full is written, so that most lines that follow find room. */
    MANY_BYTES = BUFFER_SIZE - 16 * 1024,
};

struct cw_output_sink {
    pthread_mutex_t lock; /* over all that follows */
    FILE *file;           /* without a buffer of its own */
    char *path;
    bool at_once;
    const char *const *columns; /* of CSV; NULL: JSON Lines */
    crawl_buf lines;            /* whole ones that have not left yet, and the one that is being written */
    size_t whole;               /* bytes of the whole ones */
    cw_writer writer;           /* to lines */
    int failure;                /* errno of the first one; 0: none */
};

static void free_sink(cw_output_sink *sink)
{
    crawl_buf_free(&sink->lines);
    free(sink->path);
    free(sink);
}

/* A file of CSV that is empty gets the names of its columns as the first of its lines; another one has them. */
static crawl_err put_head(cw_output_sink *sink, crawl_error *error)
{
    struct stat status;
    crawl_buf there = {0};
    cw_output_put_csv_head(&sink->writer, sink->columns);
    cw_put_char(&sink->writer, '\n');
    if (sink->writer.err)
        return cw_error(error, sink->writer.err);
    if (fstat(fileno(sink->file), &status))
        return cw_error_of_file(error, sink->path);
    sink->whole = sink->lines.size;
    if (status.st_size == 0) /* as of a pipe */
        return CRAWL_OK;
    crawl_err err = cw_read_file(sink->path, sink->whole, &there, error);
    bool is_same = there.size >= sink->whole && memcmp(there.data, sink->lines.data, sink->whole) == 0;
    crawl_buf_free(&there);
    sink->whole = sink->lines.size = 0;
    if (err == CRAWL_EIO || err == CRAWL_ENOMEM) /* CRAWL_FULL: there is more behind its columns */
        return err;
    return is_same
               ? CRAWL_OK
               : crawl_error_set(error, CRAWL_EINVAL, "%s: has other columns than what would be appended", sink->path);
}

static crawl_err open_file(cw_output_sink *sink, const char *path, bool appends, crawl_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    crawl_err err = appends && !standard ? cw_output_record_file_mend(path, sink->columns, error) : CRAWL_OK;
    if (err)
        return err;
    sink->path = strdup(standard ? "standard output" : path);
    if (!sink->path || crawl_buf_reserve(&sink->lines, BUFFER_SIZE - 1))
        return cw_error(error, CRAWL_ENOMEM);
    sink->file = standard ? stdout : fopen(path, appends ? "ae" : "we");
    if (!sink->file)
        return cw_error_of_file(error, path);
    setvbuf(sink->file, NULL, _IONBF, 0);
    return CRAWL_OK;
}

crawl_err cw_output_sink_open(const char *path, unsigned flags, const char *const *columns, cw_output_sink **out,
                              crawl_error *error)
{
    cw_output_sink *sink = calloc(1, sizeof *sink);
    if (!sink)
        return cw_error(error, CRAWL_ENOMEM);
    sink->at_once = flags & CW_SINK_AT_ONCE;
    sink->columns = columns;
    sink->writer.out = &sink->lines;
    crawl_err err = open_file(sink, path, flags & CW_SINK_APPENDS, error);
    if (!err && columns)
        err = put_head(sink, error);
    if (err) {
        if (sink->file && sink->file != stdout)
            fclose(sink->file);
        free_sink(sink);
        return err;
    }
    pthread_mutex_init(&sink->lock, NULL);
    *out = sink;
    return CRAWL_OK;
}

static crawl_err note_failure(cw_output_sink *sink)
{
    if (!sink->failure)
        sink->failure = errno ? errno : EIO;
    return CRAWL_EIO;
}

/* The whole lines leave. The memory of a very long one is given back. */
static crawl_err leave(cw_output_sink *sink)
{
    size_t size = sink->whole;
    sink->whole = 0;
    errno = 0;
    crawl_err err = size && fwrite(sink->lines.data, 1, size, sink->file) != size ? note_failure(sink) : CRAWL_OK;
    if (sink->lines.capacity > BUFFER_SIZE)
        crawl_buf_free(&sink->lines);
    crawl_buf_clear(&sink->lines);
    return err;
}

cw_writer *cw_output_sink_begin(cw_output_sink *sink)
{
    pthread_mutex_lock(&sink->lock);
    sink->writer.err = sink->failure ? CRAWL_EIO : CRAWL_OK;
    return &sink->writer;
}

static crawl_err end_line(cw_output_sink *sink)
{
    cw_put_char(&sink->writer, '\n');
    if (sink->writer.err) {
        sink->lines.size = sink->whole;
        return sink->writer.err;
    }
    sink->whole = sink->lines.size;
    return sink->at_once || sink->whole >= MANY_BYTES ? leave(sink) : CRAWL_OK;
}

crawl_err cw_output_sink_end(cw_output_sink *sink)
{
    crawl_err err = end_line(sink);
    pthread_mutex_unlock(&sink->lock);
    return err;
}

crawl_err cw_output_sink_flush(cw_output_sink *sink)
{
    pthread_mutex_lock(&sink->lock);
    crawl_err err = sink->failure ? CRAWL_EIO : leave(sink);
    pthread_mutex_unlock(&sink->lock);
    return err;
}

/* The buffer is empty: all whole lines have left. */
static crawl_err change_file(cw_output_sink *sink, crawl_error *error)
{
    FILE *before = sink->file;
    crawl_err err = cw_output_record_file_mend(sink->path, sink->columns, error);
    if (err)
        return err;
    sink->file = fopen(sink->path, "ae");
    if (sink->file)
        setvbuf(sink->file, NULL, _IONBF, 0);
    err = !sink->file ? cw_error_of_file(error, sink->path) : sink->columns ? put_head(sink, error) : CRAWL_OK;
    if (!err) {
        fclose(before);
        return CRAWL_OK;
    }
    if (sink->file)
        fclose(sink->file);
    sink->file = before;
    return err;
}

crawl_err cw_output_sink_reopen(cw_output_sink *sink, crawl_error *error)
{
    struct stat status;
    pthread_mutex_lock(&sink->lock);
    bool is_file = sink->file != stdout && fstat(fileno(sink->file), &status) == 0 && S_ISREG(status.st_mode);
    crawl_err err = is_file && !sink->failure ? leave(sink) : CRAWL_OK;
    if (is_file && !sink->failure)
        err = change_file(sink, error);
    pthread_mutex_unlock(&sink->lock);
    return err; /* of a file that has failed the next line tells */
}

bool cw_output_sink_abandoned(cw_output_sink *sink)
{
    pthread_mutex_lock(&sink->lock);
    bool abandoned = sink->failure == EPIPE;
    pthread_mutex_unlock(&sink->lock);
    return abandoned;
}

crawl_err cw_output_sink_close(cw_output_sink *sink, crawl_error *error)
{
    if (!sink)
        return CRAWL_OK;
    crawl_err err = cw_output_sink_flush(sink);
    errno = 0;
    if (sink->file != stdout) {
        if (fclose(sink->file) && !err)
            err = note_failure(sink);
        if (err)
            cw_output_record_file_mend(sink->path, sink->columns, NULL);
    }
    if (err)
        crawl_error_set(error, CRAWL_EIO, "%s: %s", sink->path, strerror(sink->failure));
    pthread_mutex_destroy(&sink->lock);
    free_sink(sink);
    return err;
}
