/* See warc_file.h. One call writes a member: however the program ends, all earlier records can be read. */
#include "crawler/output/warc/warc_file.h"

#include "base/array.h"
#include "base/files/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static crawl_err warc_file_fail(cw_warc_file *file, const char *path, const char *what)
{
    if (!file->failure.code)
        crawl_error_set(&file->failure, CRAWL_EIO, "%s: %s%s", path, what, strerror(errno));
    return CRAWL_EIO;
}

static char *warc_file_join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s", a, b);
    return text;
}

/* Finds an unused name, which no file of an earlier run in the same second has either. */
static crawl_err warc_name_file(cw_warc_file *file, int64_t wall_ms)
{
    char tail[64];
    struct tm parts;
    time_t seconds = (time_t)(wall_ms / 1000);
    gmtime_r(&seconds, &parts);
    size_t size = strftime(tail, sizeof tail, "-%Y%m%d%H%M%S", &parts);
    do {
        snprintf(tail + size, sizeof tail - size, "-%05u%s", file->serial++, file->suffix);
        free(file->path);
        file->path = warc_file_join(file->prefix, tail);
    } while (file->path && access(file->path, F_OK) == 0);
    return file->path ? CRAWL_OK : CRAWL_ENOMEM;
}

crawl_err cw_warc_file_open(cw_warc_file *file, int64_t wall_ms)
{
    crawl_err err = CRAWL_OK;
    bool taken = true;
    file->bytes = 0;
    while (!err && taken) {
        err = warc_name_file(file, wall_ms);
        char *open_path = err ? NULL : warc_file_join(file->path, ".open");
        if (!open_path)
            return CRAWL_ENOMEM;
        file->fd = open(open_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        taken = file->fd < 0 && errno == EEXIST;
        err = file->fd < 0 && !taken ? warc_file_fail(file, open_path, "") : CRAWL_OK;
        if (file->fd >= 0)
            (void)flock(file->fd, LOCK_EX | LOCK_NB); /* no other process may finish the file meanwhile */
        free(open_path);
    }
    return err;
}

const char *cw_warc_file_name(const cw_warc_file *file)
{
    const char *slash = strrchr(file->path, '/');
    return slash ? slash + 1 : file->path;
}

static crawl_err warc_file_write_all(cw_warc_file *file, int fd, const char *path, crawl_slice bytes)
{
    return cw_write_all(fd, bytes).size ? warc_file_fail(file, path, "") : CRAWL_OK;
}

/* After a failed write, cuts off the partly written member, so that the file ends with a whole one. */
crawl_err cw_warc_file_append(cw_warc_file *file, crawl_slice members)
{
    crawl_err err = warc_file_write_all(file, file->fd, file->path, members);
    if (err) {
        if (ftruncate(file->fd, (off_t)file->bytes))
            warc_file_fail(file, file->path, "");
        return err;
    }
    file->bytes += members.size;
    return CRAWL_OK;
}

crawl_err cw_warc_index_add(cw_warc_index *index, crawl_slice line)
{
    if (CW_ARRAY_RESERVE(index->at, index->capacity, index->count + 1, 1024))
        return CRAWL_ENOMEM;
    size_t begin = index->text.size;
    crawl_err err = crawl_buf_append(&index->text, line.data, line.size);
    if (!err)
        err = crawl_buf_append_char(&index->text, '\0');
    if (!err)
        index->at[index->count++] = begin;
    return err;
}

static int by_text(const void *a, const void *b, void *text)
{
    return strcmp((const char *)text + *(const size_t *)a, (const char *)text + *(const size_t *)b);
}

void cw_warc_index_free(cw_warc_index *index)
{
    crawl_buf_free(&index->text);
    free(index->at);
    *index = (cw_warc_index){0};
}

crawl_err cw_warc_index_sort(cw_warc_index *index, crawl_buf *sorted)
{
    crawl_err err = crawl_buf_reserve(sorted, index->text.size);
    if (index->count)
        qsort_r(index->at, index->count, sizeof *index->at, by_text, index->text.data);
    for (size_t i = 0; i < index->count && !err; i++) {
        err = crawl_buf_append_text(sorted, index->text.data + index->at[i]);
        if (!err)
            err = crawl_buf_append_char(sorted, '\n');
    }
    return err;
}

static crawl_err warc_file_write_index(cw_warc_file *file, const char *path)
{
    crawl_buf sorted = {0};
    crawl_error error = {0};
    crawl_err err = cw_warc_index_sort(&file->index, &sorted);
    if (!err)
        err = cw_replace_file(path, crawl_buf_slice(&sorted), 0666, &error);
    if (err == CRAWL_EIO && !file->failure.code)
        file->failure = error;
    cw_warc_index_free(&file->index);
    crawl_buf_free(&sorted);
    return err;
}

void cw_warc_file_drop(cw_warc_file *file)
{
    char *open_path = warc_file_join(file->path, ".open");
    if (open_path)
        unlink(open_path);
    free(open_path);
    close(file->fd);
    file->fd = -1;
}

static crawl_err warc_file_give_name(cw_warc_file *file)
{
    char *open_path = warc_file_join(file->path, ".open");
    if (!open_path)
        return CRAWL_ENOMEM;
    crawl_err err = rename(open_path, file->path) ? warc_file_fail(file, open_path, "cannot be renamed: ") : CRAWL_OK;
    free(open_path);
    return err;
}

/* Writes the index. Syncing the folder makes the names of the file and the index durable: the index is renamed last. */
static crawl_err write_index_beside(cw_warc_file *file)
{
    size_t stem = strlen(file->path) - strlen(file->suffix);
    char *path = malloc(stem + sizeof ".cdxj");
    if (!path)
        return CRAWL_ENOMEM;
    memcpy(path, file->path, stem);
    memcpy(path + stem, ".cdxj", sizeof ".cdxj");
    crawl_err err = warc_file_write_index(file, path);
    free(path);
    return err;
}

crawl_err cw_warc_file_finish(cw_warc_file *file)
{
    if (file->fd < 0)
        return CRAWL_OK;
    crawl_err err = fsync(file->fd) ? warc_file_fail(file, file->path, "") : CRAWL_OK;
    if (close(file->fd) && !err)
        err = warc_file_fail(file, file->path, "");
    file->fd = -1;
    if (!err)
        err = warc_file_give_name(file);
    if (err)
        return err;
    return file->has_index ? write_index_beside(file) : cw_sync_folder(file->path, &file->failure);
}

void cw_warc_file_free(cw_warc_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    cw_warc_index_free(&file->index);
}
