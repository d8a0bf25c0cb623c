#include "base/process.h"

#include "base/bytes.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns 0, or an errno. */
static int process_add_descriptors(const cw_process_plan *plan, posix_spawn_file_actions_t *actions)
{
    int why = 0;
    for (int i = 0; i < 3 && !why; i++)
        if (plan->streams[i] >= 0)
            why = posix_spawn_file_actions_adddup2(actions, plan->streams[i], i);
    for (const int *one = plan->inherited; one && *one >= 0 && !why; one++)
        why = posix_spawn_file_actions_adddup2(actions, *one, *one); /* clears FD_CLOEXEC */
    return why || !plan->is_bare ? why : posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

/* Unblocks all signals and resets their handling. Returns 0, or an errno. */
static int process_set_apart(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int why =
        posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    why = why ? why : posix_spawnattr_setpgroup(attributes, 0);
    why = why ? why : posix_spawnattr_setsigmask(attributes, &none);
    return why ? why : posix_spawnattr_setsigdefault(attributes, &all);
}

int cw_process_start(const cw_process_plan *plan, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int why = posix_spawn_file_actions_init(&actions);
    if (why)
        return why;
    why = posix_spawnattr_init(&attributes);
    if (!why) {
        why = process_add_descriptors(plan, &actions);
        if (!why && plan->is_apart)
            why = process_set_apart(&attributes);
        if (!why)
            why = posix_spawnp(pid, plan->program, &actions, &attributes, plan->argv,
                               plan->environment ? plan->environment : environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

int cw_process_wait(pid_t pid)
{
    int how = 0;
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
        continue;
    return how;
}

int cw_process_kill(pid_t pid)
{
    kill(-pid, SIGKILL);
    return cw_process_wait(pid);
}

void cw_close(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

int cw_process_path(const char *tool, crawl_buf *path)
{
    char own[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", own, sizeof own);
    if (size < 0 || size == sizeof own)
        return size < 0 ? errno : ENAMETOOLONG;
    while (size > 0 && own[size - 1] != '/')
        size--;
    return crawl_buf_printf(path, "%.*s" CW_EXECUTABLES "/crawl-%s", (int)size, own, tool) ? ENOMEM : 0;
}

/* Removes the next word from *rest and writes it to *to with a NUL. False: there is none, or a quote is open. */
static bool process_take_word(crawl_slice *rest, bool escapes, char **to, bool *is_open)
{
    char quote = '\0';
    size_t i = 0;
    *rest = cw_trim_start(*rest);
    bool is_there = rest->size > 0;
    for (; i < rest->size && (quote || !cw_is_space((unsigned char)rest->data[i])); i++) {
        char c = rest->data[i];
        if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? '\0' : c;
        else
            *(*to)++ = c == '\\' && escapes && quote != '\'' && i + 1 < rest->size ? rest->data[++i] : c;
    }
    *rest = cw_drop(*rest, i);
    *(*to)++ = '\0';
    *is_open = quote != '\0';
    return is_there && !quote;
}

crawl_err cw_process_words(crawl_slice command, bool escapes, char ***words)
{
    size_t most = command.size / 2 + 2, count = 0; /* words, and the NULL */
    char **all = malloc(most * sizeof *all + command.size + 2);
    if (!all)
        return CRAWL_ENOMEM;
    char *to = (char *)(all + most), *word = to;
    bool is_open = false;
    while (process_take_word(&command, escapes, &to, &is_open)) {
        all[count++] = word;
        word = to;
    }
    all[count] = NULL;
    if (count && !is_open) {
        *words = all;
        return CRAWL_OK;
    }
    free(all);
    return CRAWL_EPARSE;
}
