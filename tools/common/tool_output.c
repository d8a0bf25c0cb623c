/* See tool_output.h. stdio remembers that a stream has failed, but not why, and forgets what it could not write. So
 * stdout is replaced by a stream over the same descriptor with our own write function. */
#include "tools/common/tool_output.h"

#include "base/files/replace.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* errno of the first failed write to stdout; 0: none. As global as stdout. */
static int failure;

/* Opens substitutes for closed descriptors, in the wrong direction, so that every use fails. */
static bool hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

/* Writes all of data, or returns 0, as stdio expects from a stream. */
static ssize_t tool_output_write_out(void *, const char *data, size_t size)
{
    if (!cw_write_all(STDOUT_FILENO, crawl_slice_of(data, size)).size)
        return (ssize_t)size;
    failure = failure ? failure : errno;
    return 0;
}

static bool watch_output(void)
{
    FILE *watched = fopencookie(NULL, "w", (cookie_io_functions_t){.write = tool_output_write_out});
    if (!watched)
        return false;
    setvbuf(watched, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = watched;
    return true;
}

static bool begin_output(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    return hold_standard_descriptors() && sigaction(SIGPIPE, &ignore, NULL) == 0 && watch_output();
}

bool cw_tool_output_failed(void)
{
    return failure != 0;
}

int cw_tool_output_text(const char *text)
{
    fputs(text, stdout);
    return CW_EXIT_OK;
}

static int end_output(int status)
{
    fflush(stdout);
    if (!failure || failure == EPIPE)
        return status;
    cw_tool_say(NULL, "standard output: %s", strerror(failure));
    return CW_EXIT_LOCAL;
}

/* Makes malloc map blocks of at least this size singly, so that freeing them returns memory to the system. glibc starts
 * like this, but raises the size to that of each such block that is freed: buffers that have grown then lie between
 * small blocks that stay, and the heap of a crawl takes 15 MiB more. The price is a page fault per page. */
static void keep_heap_small(void)
{
    enum { MAPPED_BYTES = 128 * 1024 };
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
}

int cw_tool_main(int argc, char **argv, int (*run)(int argc, char **argv))
{
    keep_heap_small();
    cw_tool_memory_begin();
    signal(SIGXFSZ, SIG_IGN);
    if (begin_output())
        return end_output(run(argc, argv));
    cw_tool_say(NULL, "standard output: %s", strerror(errno));
    return CW_EXIT_LOCAL;
}
