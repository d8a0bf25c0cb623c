#include "crawler/program/exec/child.h"

#include "base/bytes.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STREAMS = 3 };

static void child_close(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* The caller frees it, and not what it names. NULL: there is no memory. */
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

/* Returns 0, or an errno. */
static int child_set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    int why =
        posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    why = why ? why : posix_spawnattr_setpgroup(attributes, 0);
    why = why ? why : posix_spawnattr_setsigmask(attributes, &none);
    return why ? why : posix_spawnattr_setsigdefault(attributes, &usual);
}

/* its: the streams that it has as 0, 1 and 2. Returns 0, or an errno. */
static int child_spawn(char *const *argv, char *const *environment, const int its[STREAMS], pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int why = posix_spawn_file_actions_init(&actions);
    if (why)
        return why;
    why = posix_spawnattr_init(&attributes);
    if (!why) {
        for (int i = 0; i < STREAMS && !why; i++)
            why = posix_spawn_file_actions_adddup2(&actions, its[i], i);
        why = why ? why : child_set_attributes(&attributes);
        why = why ? why : posix_spawnp(pid, argv[0], &actions, &attributes, argv, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

/* pipes: of each stream the end to read and the end to write. Returns 0, or an errno. */
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
    const int its[STREAMS] = {pipes[0][0], pipes[1][1], pipes[2][1]};
    why = why ? why : child_spawn(argv, environment, its, &out->pid);
    free(environment);
    for (int i = 0; i < STREAMS; i++)
        child_close(&pipes[i][i == 0 ? 0 : 1]);
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
    child_close(&child->input);
    if (child->pid > 0) {
        if (grace_ms && !child_has_ended(child, grace_ms)) {
            kill(-child->pid, SIGTERM);
            (void)child_has_ended(child, grace_ms);
        }
        kill(-child->pid, SIGKILL); /* also what it has left behind */
        while (waitpid(child->pid, &how, 0) < 0 && errno == EINTR)
            continue;
    }
    child_close(&child->exit);
    child->pid = 0;
    return how;
}

void cw_exec_child_close(cw_exec_child *child)
{
    child_close(&child->output);
    child_close(&child->errors);
}

/* Copies the word that begins at *at to `to`, and goes behind it. NULL: a quote has no end. */
static char *words_take(const char **at, char *to)
{
    char quote = '\0';
    const char *from = *at;
    for (; *from && (quote || !cw_is_space((unsigned char)*from)); from++) {
        bool opens = !quote && (*from == '\'' || *from == '"');
        if (opens || *from == quote)
            quote = opens ? *from : '\0';
        else
            *to++ = *from == '\\' && quote != '\'' && from[1] ? *++from : *from;
    }
    *at = from;
    *to++ = '\0';
    return quote ? NULL : to;
}

crawl_err cw_exec_words_split(const char *command, cw_exec_words *out, crawl_error *error)
{
    size_t size = strlen(command), count = 0;
    *out = (cw_exec_words){.argv = malloc((size / 2 + 2) * sizeof *out->argv), .bytes = malloc(size + 1)};
    char *to = out->bytes;
    if (!out->argv || !to) {
        cw_exec_words_free(out);
        return cw_error(error, CRAWL_ENOMEM);
    }
    for (const char *at = command; to;) {
        while (cw_is_space((unsigned char)*at))
            at++;
        if (!*at)
            break;
        out->argv[count++] = to;
        to = words_take(&at, to);
    }
    out->argv[count] = NULL;
    if (to && count)
        return CRAWL_OK;
    cw_exec_words_free(out);
    return crawl_error_set(error, CRAWL_EINVAL,
                           to ? "exec: names no command" : "exec: a quote in the command has no end");
}

void cw_exec_words_free(cw_exec_words *words)
{
    free(words->argv);
    free(words->bytes);
    *words = (cw_exec_words){0};
}
