/* See replace_file.h. */
#include "crawler/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static crawl_err failed(const char *path, crawl_error *error)
{
    return crawl_error_set(error, CRAWL_EIO, "%s: %s", path, strerror(errno));
}

static crawl_err write_all(const char *path, crawl_slice text, mode_t mode, crawl_error *error)
{
    unlink(path); /* of a run that was killed: its mode is not ours to trust */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        crawl_err err = failed(path, error);
        if (fd >= 0)
            close(fd);
        return err;
    }
    bool written = fwrite(text.data, 1, text.size, file) == text.size && fflush(file) == 0 && fdatasync(fd) == 0;
    crawl_err err = written ? CRAWL_OK : failed(path, error);
    if (fclose(file) && !err)
        err = failed(path, error);
    return err;
}

crawl_err cw_file_replace(const char *path, crawl_slice text, mode_t mode, crawl_error *error)
{
    crawl_buf made = {0};
    crawl_err err = crawl_buf_printf(&made, "%s.new", path);
    if (err)
        return crawl_error_set(error, err, "%s", crawl_strerror(err));
    err = write_all(made.data, text, mode, error);
    if (!err && rename(made.data, path))
        err = failed(path, error);
    if (err)
        unlink(made.data);
    crawl_buf_free(&made);
    return err;
}
