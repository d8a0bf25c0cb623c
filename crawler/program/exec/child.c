#include "crawler/program/exec/child.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STREAMS = 3 };

/* Returns an environment without our CRAWL_ variables. The caller frees the array, not its strings. NULL: out of
 * memory. */
static char **child_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **own = malloc((count + 1) * sizeof *own);
    for (size_t i = 0; own && i < count; i++)
        if (strncmp(environ[i], "CRAWL_", strlen("CRAWL_")) != 0)
            own[kept++] = environ[i];
    if (own)
        own[kept] = NULL;
    return own;
}

/* Opens a pipe for each stream: its read end and its write end. Returns 0, or an errno. */
static int child_open_pipes(int pipes[STREAMS][2])
{
    for (int i = 0; i < STREAMS; i++) {
        int ours = i == 0 ? 1 : 0;
        if (pipe2(pipes[i], O_CLOEXEC) || fcntl(pipes[i][ours], F_SETFL, O_NONBLOCK))
            return errno;
    }
    return 0;
}

crawl_err cw_exec_child_start(char *const *argv, cw_exec_child *out, crawl_error *error)
{
    int pipes[STREAMS][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    *out = (cw_exec_child){.input = -1, .output = -1, .errors = -1, .exit = -1};
    char **environment = child_environment();
    if (!environment)
        return cw_error(error, CRAWL_ENOMEM);
    int why = child_open_pipes(pipes);
    const cw_process_plan plan = {.program = argv[0],
                                  .argv = argv,
                                  .environment = environment,
                                  .streams = {pipes[0][0], pipes[1][1], pipes[2][1]},
                                  .is_apart = true};
    why = why ? why : cw_process_start(&plan, &out->pid);
    free(environment);
    for (int i = 0; i < STREAMS; i++)
        cw_close(&pipes[i][i == 0 ? 0 : 1]);
    out->input = pipes[0][1];
    out->output = pipes[1][0];
    out->errors = pipes[2][0];
    out->exit = why ? -1 : (int)syscall(SYS_pidfd_open, out->pid, 0);
    if (!why && out->exit < 0)
        why = errno;
    if (!why)
        return CRAWL_OK;
    cw_exec_child_end(out, 0);
    cw_exec_child_close(out);
    return crawl_error_set(error, CRAWL_EIO, "%s cannot be started: %s", argv[0], strerror(why));
}

static bool child_has_ended(const cw_exec_child *child, int within_ms)
{
    struct pollfd ended = {.fd = child->exit, .events = POLLIN};
    int got;
    do
        got = poll(&ended, 1, within_ms);
    while (got < 0 && errno == EINTR);
    return got > 0;
}

int cw_exec_child_end(cw_exec_child *child, int grace_ms)
{
    int how = 0;
    cw_close(&child->input);
    if (child->pid > 0) {
        if (grace_ms && !child_has_ended(child, grace_ms)) {
            kill(-child->pid, SIGTERM);
            (void)child_has_ended(child, grace_ms);
        }
        how = cw_process_kill(child->pid);
    }
    cw_close(&child->exit);
    child->pid = 0;
    return how;
}

void cw_exec_child_close(cw_exec_child *child)
{
    cw_close(&child->output);
    cw_close(&child->errors);
}

crawl_err cw_exec_words_split(const char *command, char ***words, crawl_error *error)
{
    crawl_slice text = crawl_slice_from(command);
    crawl_err err = cw_process_words(text, true, words);
    if (err != CRAWL_EPARSE)
        return err ? cw_error(error, err) : CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL,
                           cw_trim(text).size ? "exec: unterminated quote in the command" : "exec: no command");
}
