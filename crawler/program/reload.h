/* The effect of SIGHUP on a crawl with a log: files of lines are reopened, and crawler.conf is read again for
 * settings that can change while the crawl runs. */
#pragma once

#include "crawler/program/output/outputs.h"
#include "crawler/program/program_config.h"
#include "crawler/program/summary/progress.h"

/* Arguments of a reload; all borrowed. */
typedef struct cw_program_reload {
    crawl_config *config; /* of the run; receives the changes */
    crawl_engine *engine;
    cw_outputs *outputs;
    cw_program_progress *progress;
    cw_program_arguments *arguments; /* their options override the file */
} cw_program_reload;

/* Call on the thread of the ticks. Tells the user which settings have changed, and which cannot change. An unreadable
 * file changes nothing. */
void cw_program_reload_all(const cw_program_reload *reload);
