#include "crawler/program/executable.h"

#include "base/process.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static int executable_failed(const char *tool, const crawl_buf *path, int why)
{
    cw_tool_say(tool, "%s: %s", path->size ? path->data : "the program's folder", strerror(why));
    return CW_EXIT_LOCAL;
}

int cw_program_executable_become(const char *tool, char **argv)
{
    crawl_buf path = {0};
    int why = cw_process_path(tool, &path);
    if (!why) {
        execv(path.data, argv);
        why = errno;
    }
    int status = executable_failed(tool, &path, why);
    crawl_buf_free(&path);
    return status;
}

/* Reads until the end of the pipe. Returns 0, or an errno. */
static int executable_read(int from, crawl_buf *out)
{
    enum { ROOM = 4096 };
    for (;;) {
        if (crawl_buf_reserve(out, ROOM))
            return ENOMEM;
        ssize_t got = read(from, out->data + out->size, ROOM - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : 0;
        out->size += (size_t)got;
        out->data[out->size] = '\0';
    }
}

static int executable_wait(const char *tool, pid_t child)
{
    int how = cw_process_wait(child);
    if (WIFEXITED(how))
        return WEXITSTATUS(how);
    cw_tool_say(tool, "ended by a signal: %s", strsignal(WTERMSIG(how)));
    return CW_EXIT_LOCAL;
}

int cw_program_executable_run(const char *tool, char **argv, const int *inherited, crawl_buf *out)
{
    crawl_buf path = {0};
    int pipe[2] = {-1, -1};
    pid_t child = -1;
    int why = cw_process_path(tool, &path);
    if (!why && pipe2(pipe, O_CLOEXEC))
        why = errno;
    const cw_process_plan plan = {
        .program = path.data, .argv = argv, .streams = {-1, pipe[1], -1}, .inherited = inherited};
    if (!why)
        why = cw_process_start(&plan, &child);
    if (pipe[1] >= 0)
        close(pipe[1]);
    if (!why)
        why = executable_read(pipe[0], out);
    if (pipe[0] >= 0)
        close(pipe[0]);
    int status = child > 0 ? executable_wait(tool, child) : CW_EXIT_LOCAL;
    if (why)
        status = executable_failed(tool, &path, why);
    crawl_buf_free(&path);
    return status;
}
