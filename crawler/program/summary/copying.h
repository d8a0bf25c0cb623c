/* The progress of a crawl that finishes its offline copy, which takes minutes where there are many pages: in the form
 * that its progress had, on a terminal a line drawn in place, elsewhere and in a log a line with its time once in a
 * while. */
#pragma once

#include "config/config_values.h"

/* A line that is drawn in place below the messages. */
typedef struct cw_program_line {
    unsigned width; /* columns of what is drawn; 0: nothing is */
} cw_program_line;

typedef struct cw_program_copying {
    crawl_progress form;
    int64_t interval_ms;
    int64_t begun_us; /* by cw_now_us; 0: nothing was told yet */
    int64_t next_us;  /* a line is due */
    int64_t drawn_us; /* when it was drawn last */
    cw_program_line line;
} cw_program_copying;

/* Says what is due; by that thread alone which finishes the copy. The first call begins. */
void cw_program_copying_tell(cw_program_copying *copying, const crawl_config *config, uint64_t finished, uint64_t all);
/* Takes away what is drawn. */
void cw_program_copying_end(cw_program_copying *copying);
