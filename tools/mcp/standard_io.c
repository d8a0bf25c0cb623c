#include "tools/common/status.h"
#include "tools/common/tool_output.h"
#include "tools/mcp/jobs.h"
#include "tools/mcp/protocol.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Bytes of standard input that are not yet a whole line. */
typedef struct standard_io_input {
    crawl_buf bytes;
    bool is_too_long; /* drop the rest of the line */
} standard_io_input;

static void standard_io_take_lines(cw_mcp_server *server, standard_io_input *input)
{
    char *at = input->bytes.data, *end = at + input->bytes.size, *line_end;
    for (; at < end && (line_end = memchr(at, '\n', (size_t)(end - at))); at = line_end + 1) {
        if (!input->is_too_long)
            cw_mcp_take(server, crawl_slice_of(at, (size_t)(line_end - at)));
        input->is_too_long = false;
    }
    input->bytes.size = (size_t)(end - at);
    memmove(input->bytes.data, at, input->bytes.size);
    if (input->bytes.size <= CW_MCP_LINE_MAX)
        return;
    if (!input->is_too_long)
        cw_mcp_take_none();
    input->is_too_long = true;
    input->bytes.size = 0;
}

/* Returns false at the end of input. */
static bool standard_io_read(cw_mcp_server *server, standard_io_input *input)
{
    enum { ROOM = 65536 };
    cw_tool_memory_must(crawl_buf_reserve(&input->bytes, ROOM));
    ssize_t got = read(STDIN_FILENO, input->bytes.data + input->bytes.size, ROOM);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (got > 0)
        input->bytes.size += (size_t)got;
    else if (input->bytes.size) /* a last line without an end */
        cw_tool_memory_must(crawl_buf_append_char(&input->bytes, '\n'));
    standard_io_take_lines(server, input);
    return got > 0;
}

/* Returns true if a signal asks the process to end. */
static bool standard_io_take_signal(int signals)
{
    struct signalfd_siginfo one;
    return read(signals, &one, sizeof one) == sizeof one && one.ssi_signo != SIGCHLD;
}

int cw_mcp_serve(cw_mcp_server *server)
{
    sigset_t set;
    standard_io_input input = {0};
    int status = CW_EXIT_OK;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGCHLD, SIG_DFL); /* the parent may have ignored it, and then no child could be waited for */
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    struct pollfd ready[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    for (bool goes = true; goes && !cw_tool_output_failed();) {
        if (poll(ready, 2, cw_mcp_jobs_turn(server)) < 0 && errno != EINTR)
            break;
        if (ready[1].revents && standard_io_take_signal(signals)) {
            status = CW_EXIT_STOPPED;
            break;
        }
        if (ready[0].revents)
            goes = standard_io_read(server, &input);
    }
    cw_mcp_jobs_stop(server);
    crawl_buf_free(&input.bytes);
    close(signals);
    return status;
}
