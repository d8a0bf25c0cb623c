#include "tools/common/messages/log_file.h"

#include "base/error.h"
#include "base/files/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct cw_message_log {
    char *path;
    int fd;
};

static int log_open_file(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
}

crawl_err cw_message_log_open(const char *path, cw_message_log **out, crawl_error *error)
{
    cw_message_log *log = calloc(1, sizeof *log);
    if (!log)
        return cw_error(error, CRAWL_ENOMEM);
    log->path = strdup(path);
    log->fd = log_open_file(path);
    if (log->path && log->fd >= 0) {
        *out = log;
        return CRAWL_OK;
    }
    crawl_err err = log->fd < 0 ? cw_error_of_file(error, path) : cw_error(error, CRAWL_ENOMEM);
    cw_message_log_close(log);
    return err;
}

crawl_err cw_message_log_reopen(cw_message_log *log, crawl_error *error)
{
    int fd = log_open_file(log->path);
    if (fd < 0)
        return cw_error_of_file(error, log->path);
    close(log->fd);
    log->fd = fd;
    return CRAWL_OK;
}

void cw_message_log_close(cw_message_log *log)
{
    if (!log)
        return;
    if (log->fd >= 0)
        close(log->fd);
    free(log->path);
    free(log);
}

/* Cuts off the beginning of a line that a full disk has taken. In a pipe it stays. */
static void log_file_take_back(int fd, size_t count)
{
    struct stat status;
    if (count && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        int cut = ftruncate(fd, status.st_size - (off_t)count);
        (void)cut; /* on failure the beginning stays: there is nobody left to tell */
    }
}

int cw_message_log_write(cw_message_log *log, crawl_slice line)
{
    crawl_slice rest = cw_write_all(log->fd, line);
    if (!rest.size)
        return 0;
    int why = errno;
    log_file_take_back(log->fd, line.size - rest.size);
    return why;
}

const char *cw_message_log_path(const cw_message_log *log)
{
    return log->path;
}
