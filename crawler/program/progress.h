/* What a crawl says while it runs: on a terminal a line that is drawn again in place, elsewhere a line with its time
 * once in a while, as text or as JSON; and the lines of others, which do not mix with it. */
#ifndef CW_PROGRAM_PROGRESS_H
#define CW_PROGRAM_PROGRESS_H

#include <crawl/engine.h>
#include <pthread.h>

typedef struct cw_program_progress {
    crawl_progress form; /* not AUTO; NONE until it is opened */
    int64_t interval_ms;
    int64_t next_us; /* a line is due, by cw_now_us */
    unsigned draws;
    crawl_engine_stats before; /* a while ago, for the pace */
    crawl_buf text;
    pthread_mutex_t terminal; /* standard error, and is_drawn */
    bool is_drawn;            /* a line in place, which the next print erases */
} cw_program_progress;

/* Nothing is drawn before it is opened; lines of others can be said at any time. */
#define CW_PROGRAM_PROGRESS_INIT                                           \
    {                                                                      \
        .form = CRAWL_PROGRESS_NONE, .terminal = PTHREAD_MUTEX_INITIALIZER \
    }

void cw_program_progress_open(cw_program_progress *progress, const crawl_config *config);
/* Erases a line in place, and frees. */
void cw_program_progress_close(cw_program_progress *progress);

/* Draws or prints what is due. Called several times a second, from one thread. */
void cw_program_progress_tick(cw_program_progress *progress, crawl_engine *engine);

/* Whole lines of others, from any thread; NULL: nothing. */
void cw_program_progress_say(cw_program_progress *progress, const char *lines);

#endif
