#include "crawler/output/record_file.h"

#include "base/error.h"
#include "base/files/file_read.h"
#include "base/json/json_read.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longer lines are not our records. */
#define LINE_MAX_BYTES ((off_t)64 << 20)

/* The beginnings of lines of --output, --links and --requests. */
static const char *const beginnings[] = {"{\"url\":", "{\"from\":", "{\"event\":"};

/* Returns the start of the last line, after the last newline within LINE_MAX_BYTES. -1: the file cannot be read. */
static off_t last_line(int fd, off_t size)
{
    char block[65536];
    off_t end = size;
    while (end > 0 && size - end <= LINE_MAX_BYTES) {
        size_t count = end < (off_t)sizeof block ? (size_t)end : sizeof block;
        if (pread(fd, block, count, end - (off_t)count) != (ssize_t)count)
            return -1;
        const char *newline = memrchr(block, '\n', count);
        if (newline)
            return end - (off_t)count + (newline - block) + 1;
        end -= (off_t)count;
    }
    return end;
}

static bool is_whole(crawl_slice line)
{
    json_error_t why;
    json_t *object = cw_json_read(line, &why);
    bool whole = json_is_object(object);
    json_decref(object);
    return whole;
}

static bool begins_record(crawl_slice line)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        size_t size = strlen(beginnings[i]);
        if (memcmp(line.data, beginnings[i], line.size < size ? line.size : size) == 0)
            return true;
    }
    return false;
}

static crawl_err record_file_mend(int fd, const char *path, off_t size, bool is_csv, crawl_error *error)
{
    crawl_buf line = {0};
    off_t begin = last_line(fd, size);
    if (begin == size)
        return CRAWL_OK;
    crawl_err err = begin < 0 ? cw_error_of_file(error, path) : CRAWL_OK;
    bool is_long = size - begin > LINE_MAX_BYTES;
    if (!err && !is_long && crawl_buf_reserve(&line, (size_t)(size - begin)))
        err = crawl_error_set(error, CRAWL_ENOMEM, "%s: %s", path, crawl_strerror(CRAWL_ENOMEM));
    if (!err && !is_long) {
        ssize_t count = pread(fd, line.data, (size_t)(size - begin), begin);
        line.size = count > 0 ? (size_t)count : 0;
        if (count != size - begin)
            err = cw_error_of_file(error, path);
    }
    crawl_slice text = crawl_buf_slice(&line);
    bool torn = !err && (is_csv || (!is_long && begins_record(text) && !is_whole(text)));
    if (!err && (torn ? ftruncate(fd, begin) != 0 : pwrite(fd, "\n", 1, size) != 1))
        err = cw_error_of_file(error, path);
    crawl_buf_free(&line);
    return err;
}

crawl_err cw_output_record_file_mend(const char *path, bool is_csv, crawl_error *error)
{
    struct stat status;
    if (stat(path, &status))
        return errno == ENOENT ? CRAWL_OK : cw_error_of_file(error, path);
    if (!S_ISREG(status.st_mode))
        return CRAWL_OK;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return cw_error_of_file(error, path);
    crawl_err err = record_file_mend(fd, path, status.st_size, is_csv, error);
    close(fd);
    return err;
}

static crawl_err read_last(int fd, const char *path, off_t size, crawl_buf *out, crawl_error *error)
{
    off_t end = size - 1; /* without the newline of the last line */
    off_t begin = last_line(fd, end);
    if (begin < 0)
        return cw_error_of_file(error, path);
    if (end - begin > LINE_MAX_BYTES)
        return CRAWL_OK;
    if (crawl_buf_reserve(out, (size_t)(end - begin)))
        return crawl_error_set(error, CRAWL_ENOMEM, "%s: %s", path, crawl_strerror(CRAWL_ENOMEM));
    ssize_t count = pread(fd, out->data, (size_t)(end - begin), begin);
    if (count != end - begin)
        return cw_error_of_file(error, path);
    out->size = (size_t)count;
    return CRAWL_OK;
}

crawl_err cw_output_record_file_last(const char *path, crawl_buf *out, crawl_error *error)
{
    struct stat status;
    crawl_buf_clear(out);
    if (stat(path, &status))
        return errno == ENOENT ? CRAWL_OK : cw_error_of_file(error, path);
    if (!S_ISREG(status.st_mode) || status.st_size == 0)
        return CRAWL_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cw_error_of_file(error, path);
    crawl_err err = read_last(fd, path, status.st_size, out, error);
    close(fd);
    return err;
}

crawl_err cw_output_record_file_check_head(const char *path, crawl_slice head, crawl_error *error)
{
    crawl_buf there = {0};
    crawl_err err = cw_read_file(path, head.size, &there, error);
    bool is_same = there.size >= head.size && memcmp(there.data, head.data, head.size) == 0;
    crawl_buf_free(&there);
    if (err && err != CRAWL_FULL) /* there are rows after the head */
        return err;
    return is_same ? CRAWL_OK
                   : crawl_error_set(error, CRAWL_EINVAL, "%s: its columns differ from those to be appended", path);
}
