/* The effect of SIGHUP on a crawl with a log: files of lines are opened anew, and crawler.conf is read again for what
 * can change while the crawl runs. */
#pragma once

#include "crawler/program/output/outputs.h"
#include "crawler/program/program_config.h"
#include "crawler/program/summary/progress.h"

/* Everything that a reload takes; all is borrowed. */
typedef struct cw_program_reload {
    crawl_config *config; /* of the run; gets what has changed */
    crawl_engine *engine;
    cw_outputs *outputs;
    cw_program_progress *progress;
    cw_program_arguments *arguments; /* whose options go before the file */
} cw_program_reload;

/* To be called on the thread of the ticks. Tells the user what has changed, and what cannot change; a file that cannot
 * be read changes nothing. */
void cw_program_reload_all(const cw_program_reload *reload);
