/* The progress of finishing an offline copy, which takes minutes with many pages. It has the form of the crawl's
 * progress: a line drawn in place on a terminal; elsewhere and in a log, a line with its time once in a while. */
#pragma once

#include "config/config_values.h"

/* A line drawn in place below the messages. */
typedef struct cw_program_line {
    unsigned width; /* columns of the drawing; 0: nothing is drawn */
} cw_program_line;

typedef struct cw_program_copying {
    crawl_progress form;
    int64_t interval_ms;
    int64_t begun_us; /* by cw_now_us; 0: not yet called */
    int64_t next_us;  /* when a line is due */
    int64_t drawn_us; /* last drawing */
    cw_program_line line;
} cw_program_copying;

/* Reports what is due. Only the thread that finishes the copy may call it. The first call begins. */
void cw_program_copying_tell(cw_program_copying *copying, const crawl_config *config, uint64_t finished, uint64_t all);
/* Erases the drawing. */
void cw_program_copying_end(cw_program_copying *copying);
