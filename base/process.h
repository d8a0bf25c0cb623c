/* Starts other programs and ends them. Uses posix_spawn, which is cheaper than fork in a process with much memory. */
#pragma once

#include <crawl/base.h>
#include <sys/types.h>

typedef struct cw_process_plan {
    const char *program;      /* looked up in $PATH if it has no slash */
    char *const *argv;        /* ended by NULL */
    char *const *environment; /* ended by NULL; NULL: ours */
    int streams[3];           /* its descriptors 0, 1 and 2; -1: ours */
    const int *inherited;     /* further descriptors, with the same numbers, ended by -1; NULL: none */
    bool is_apart; /* leads its own process group, out of reach of the terminal's keys, with default signal handling */
    bool is_bare;  /* closes all descriptors but its streams, even those without FD_CLOEXEC */
} cw_process_plan;

/* Returns 0, or an errno. */
int cw_process_start(const cw_process_plan *plan, pid_t *pid);
/* Waits for the process to end. Returns its status, as from waitpid. */
int cw_process_wait(pid_t pid);
/* Kills its process group, including what it left behind, and waits for it. */
int cw_process_kill(pid_t pid);

/* Closes an end of a pipe unless it is -1, and makes it -1. */
void cw_close(int *descriptor);

/* Splits a command, as written by a person, at white space outside '...' and "...". No shell is involved. escapes: a
 * backslash outside '...' makes the next character part of the word. *words ends with NULL; free it with free().
 * CRAWL_EPARSE: there is no word, or a quote is not closed. CRAWL_ENOMEM. */
crawl_err cw_process_words(crawl_slice command, bool escapes, char ***words);

/* Appends the path of the executable crawl-TOOL, such as `crawl-report` for `crawl report`: in "../libexec/crawl"
 * relative to the folder of the running program, so that it is found wherever both are installed. It need not exist.
 * Returns 0, or an errno: without that folder the path would depend on the working directory. */
int cw_process_path(const char *tool, crawl_buf *path);
