/* A process that takes lines and answers them. It starts without a shell, as the leader of its own process group, so
 * that keys of the terminal reach only the crawl. */
#pragma once

#include <crawl/base.h>
#include <sys/types.h>

/* Our ends of its streams, which never block; -1: closed. */
typedef struct cw_exec_child {
    pid_t pid; /* 0: not running */
    int input, output, errors;
    int exit; /* readable once it has ended */
} cw_exec_child;

/* Starts a process; argv[0] is looked up in PATH. It gets our environment, without our CRAWL_ variables, which may be
 * secrets. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_exec_child_start(char *const *argv, cw_exec_child *out, crawl_error *error);

/* Closes its input, waits up to grace_ms for its end, sends SIGTERM to its group, waits as long again, and kills it.
 * grace_ms 0: kills it at once. Returns its status as waitpid does. Its last output can be read until
 * cw_exec_child_close. */
int cw_exec_child_end(cw_exec_child *child, int grace_ms);
void cw_exec_child_close(cw_exec_child *child);

/* Splits a command by cw_process_words, with escapes. CRAWL_EINVAL: no word, or an unclosed quote; error says so.
 * CRAWL_ENOMEM. */
crawl_err cw_exec_words_split(const char *command, char ***words, crawl_error *error);
