/* The progress of a running crawl: lines drawn in place on a terminal; elsewhere and in a log, a line with its time
 * once in a while, as text or JSON. */
#pragma once

#include "config/config_values.h"
#include "crawler/program/terminal/terminal.h"

#include <crawl/engine.h>

typedef struct cw_program_progress {
    crawl_progress form; /* not AUTO; NONE until opened */
    int64_t interval_ms;
    int64_t next_us;           /* when the next line is due, by cw_now_us */
    crawl_engine_stats before; /* figures of the last line, for the pace */
    cw_terminal *terminal;     /* NULL: nothing is drawn */
    crawl_buf text;
} cw_program_progress;

/* Returns the form of progress for these settings and this standard error; not AUTO. */
crawl_progress cw_program_progress_form(const crawl_config *config);
/* Puts a line into the log and, if the form has lines, on standard error: the time and the words, or the figures, a
 * JSON object, with the time added. */
void cw_program_progress_say(crawl_progress form, crawl_slice words, crawl_slice figures);

/* Opens the progress. engine is borrowed until cw_program_progress_close. */
void cw_program_progress_open(cw_program_progress *progress, const crawl_config *config, crawl_engine *engine);
/* Erases the drawing, and frees. */
void cw_program_progress_close(cw_program_progress *progress);

/* Prints what is due. Call several times per second, from one thread. */
void cw_program_progress_tick(cw_program_progress *progress, crawl_engine *engine);
