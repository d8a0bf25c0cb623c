/* What a crawl writes: records, edges and requests as JSON Lines, bodies, WARC files. Thread-safe but for opening and
 * closing. What fails is told on standard error by the name of its option. */
#ifndef CW_OUTPUTS_H
#define CW_OUTPUTS_H

#include "crawler/program/output/bodies.h"
#include "crawler/program/output/record.h"
#include "crawler/program/output/request_log.h"
#include "crawler/program/output/warc.h"

#include <crawl/engine.h>

/* What is written as JSON Lines. */
typedef enum cw_sink_id { CW_SINK_OUTPUT, CW_SINK_LINKS, CW_SINK_REQUESTS, CW_SINK_COUNT } cw_sink_id;

typedef struct cw_outputs {
    crawl_engine *engine;                 /* stopped when a reader goes away */
    cw_record_sink *sinks[CW_SINK_COUNT]; /* NULL: not wanted */
    cw_request_log *requests;             /* what is written to its sink */
    cw_bodies *bodies;
    cw_warc *warc;
} cw_outputs;

/* Two sinks in one file would write over each other. The exit status. */
int cw_outputs_check(const crawl_config *config);
/* resumed: what is there is kept. The exit status; *outputs is to be closed whatever it is. */
int cw_outputs_open(cw_outputs *outputs, const crawl_config *config, bool resumed);
/* Closes all; run_err and error are what the crawl ended with. status, or what is wrong with the outputs. */
int cw_outputs_close(cw_outputs *outputs, const crawl_config *config, crawl_err run_err, const crawl_error *error,
                     int status);
/* Without a word, after a failure that was told. */
void cw_outputs_drop(cw_outputs *outputs);

/* What the hooks of the engine are shown. CRAWL_EIO: a file cannot be written. CRAWL_ENOMEM. A reader that went away
 * has all it wanted: the crawl is stopped, and nothing has failed. */
crawl_err cw_outputs_record(cw_outputs *outputs, const crawl_record *record);
crawl_err cw_outputs_edge(cw_outputs *outputs, const crawl_edge *edge);
crawl_err cw_outputs_depart(cw_outputs *outputs, const crawl_exchange *exchange);
crawl_err cw_outputs_exchange(cw_outputs *outputs, const crawl_exchange *exchange);
crawl_err cw_outputs_flush(cw_outputs *outputs);

#endif
