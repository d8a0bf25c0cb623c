/* What a crawl says while it runs: on a terminal a line that is drawn again in place, elsewhere and in a log a line
 * with its time once in a while, as text or as JSON. */
#ifndef CW_PROGRAM_PROGRESS_H
#define CW_PROGRAM_PROGRESS_H

#include <crawl/engine.h>

typedef struct cw_program_progress {
    crawl_progress form; /* not AUTO; NONE until it is opened */
    int64_t interval_ms;
    int64_t next_us; /* a line is due, by cw_now_us */
    unsigned draws;
    crawl_engine_stats before;      /* a while ago, for the pace that is drawn */
    crawl_engine_stats before_line; /* for that of the next line */
    crawl_buf text;
} cw_program_progress;

void cw_program_progress_open(cw_program_progress *progress, const crawl_config *config);
/* Erases a line in place, and frees. */
void cw_program_progress_close(cw_program_progress *progress);

/* Draws or prints what is due. Called several times a second, from one thread. */
void cw_program_progress_tick(cw_program_progress *progress, crawl_engine *engine);

#endif
