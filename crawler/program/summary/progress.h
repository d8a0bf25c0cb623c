/* The progress of a running crawl: on a terminal by lines that are drawn in place, elsewhere and in a log by
 * a line with its time once in a while, as text or as JSON. */
#pragma once

#include "config/config_values.h"
#include "crawler/program/terminal/terminal.h"

#include <crawl/engine.h>

typedef struct cw_program_progress {
    crawl_progress form; /* not AUTO; NONE until it is opened */
    int64_t interval_ms;
    int64_t next_us;           /* when the next line is due, by cw_now_us */
    crawl_engine_stats before; /* the figures of the last line, for the pace */
    cw_terminal *terminal;     /* NULL: nothing is drawn */
    crawl_buf text;
} cw_program_progress;

/* The form of progress for these settings and this standard error; not AUTO. */
crawl_progress cw_program_progress_form(const crawl_config *config);
/* Puts a line into the log and, where the form is of lines, on standard error: words with the time before them, or the
 * figures, an object of JSON, with the time in it. */
void cw_program_progress_say(crawl_progress form, crawl_slice words, crawl_slice figures);

/* engine is borrowed until it is closed. */
void cw_program_progress_open(cw_program_progress *progress, const crawl_config *config, crawl_engine *engine);
/* Takes away what is drawn, and frees the memory. */
void cw_program_progress_close(cw_program_progress *progress);

/* Prints what is due. To be called several times a second, from one thread. */
void cw_program_progress_tick(cw_program_progress *progress, crawl_engine *engine);
