/* A process that takes lines and answers them: started without a shell, as the leader of a group of its own, so that a
 * key of the terminal reaches the crawl alone. */
#pragma once

#include <crawl/base.h>
#include <sys/types.h>

/* Our ends of its streams, none of which ever blocks; -1: closed. */
typedef struct cw_exec_child {
    pid_t pid; /* 0: there is none */
    int input, output, errors;
    int exit; /* readable when it has ended */
} cw_exec_child;

/* argv[0] is looked up in PATH. It gets our environment, but for variables of our own, CRAWL_..., which may be secrets.
 * CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_exec_child_start(char *const *argv, cw_exec_child *out, crawl_error *error);

/* Closes its input, and waits so long for its end; then asks its group to end (SIGTERM), waits as long again, and kills
 * it. Returns how it ended, as waitpid has it. grace_ms 0: it is killed at once. Its last output can still be
 * read, until cw_exec_child_close. */
int cw_exec_child_end(cw_exec_child *child, int grace_ms);
void cw_exec_child_close(cw_exec_child *child);

/* Splits a command by cw_process_words, with escapes. CRAWL_EINVAL: there is no word, or a quote has no end; error says
 * so. CRAWL_ENOMEM. */
crawl_err cw_exec_words_split(const char *command, char ***words, crawl_error *error);
