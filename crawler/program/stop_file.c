#include "crawler/program/stop_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct source {
    int fd;
    int stop;
} source;

bool cw_program_stop_told(int stop)
{
    struct pollfd one = {.fd = stop, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

static ssize_t stopped(void)
{
    errno = EINTR;
    return -1;
}

static ssize_t read_source(void *cookie, char *out, size_t capacity)
{
    const source *from = cookie;
    ssize_t size = -1;
    do {
        struct pollfd either[] = {{.fd = from->fd, .events = POLLIN}, {.fd = from->stop, .events = POLLIN}};
        if (poll(either, 2, -1) < 0)
            continue; /* a signal: stop may be readable now */
        if (either[1].revents)
            return stopped();
        size = read(from->fd, out, capacity);
    } while (size < 0 && (errno == EINTR || errno == EAGAIN));
    return size == 0 && cw_program_stop_told(from->stop) ? stopped() : size;
}

static int close_source(void *cookie)
{
    source *from = cookie;
    int result = from->fd == STDIN_FILENO ? 0 : close(from->fd);
    free(from);
    return result;
}

FILE *cw_program_stop_file_open(const char *path, int stop)
{
    const cookie_io_functions_t functions = {.read = read_source, .close = close_source};
    source *from = malloc(sizeof *from);
    if (!from)
        return NULL;
    /* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *from = (source){.fd = fd, .stop = stop};
    FILE *file = fd < 0 ? NULL : fopencookie(from, "r", functions);
    if (file)
        return file;
    int why = errno;
    if (fd > STDIN_FILENO)
        close(fd);
    free(from);
    errno = why;
    return NULL;
}
