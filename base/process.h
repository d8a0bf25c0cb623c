/* Starts other programs, and ends them. By posix_spawn, which costs a process of much memory less than fork. */
#pragma once

#include <crawl/base.h>
#include <sys/types.h>

typedef struct cw_process_plan {
    const char *program;      /* looked up in $PATH if it has no slash */
    char *const *argv;        /* ended by NULL */
    char *const *environment; /* likewise; NULL: ours */
    int streams[3];           /* descriptors that it has as 0, 1 and 2; -1: ours */
    const int *inherited;     /* descriptors that it has too, under their numbers; -1 ends them; NULL: none */
    bool is_apart; /* it leads a group of its own, which a key of the terminal does not reach, and has the usual
                    * signals */
    bool is_bare;  /* it has no descriptors but its streams, not even those without FD_CLOEXEC */
} cw_process_plan;

/* Returns 0, or an errno. */
int cw_process_start(const cw_process_plan *plan, pid_t *pid);
/* Waits for its end. Returns how it ended, as waitpid has it. */
int cw_process_wait(pid_t pid);
/* Kills the group that it leads, what it has left behind too, and waits likewise. */
int cw_process_kill(pid_t pid);

/* Splits a command, as a person writes it, at white space but for that within '...' or "...". No shell has part in it.
 * escapes: but within '...', a backslash makes the next character one of the word. *words ends with NULL and is freed
 * by free(). CRAWL_EPARSE: it has no word, or a quote is not closed. CRAWL_ENOMEM. */
crawl_err cw_process_words(crawl_slice command, bool escapes, char ***words);

/* Appends the path of the executable crawl-TOOL, `crawl-report` for `crawl report`: in "../libexec/crawl" from the
 * folder of the program that runs, so that both are found wherever they were installed. It need not be there. Returns
 * 0, or an errno: a path that does not begin with the program's folder would be one of wherever it runs. */
int cw_process_path(const char *tool, crawl_buf *path);
