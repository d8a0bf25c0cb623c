/* What a crawl writes: records, edges and requests as JSON Lines, bodies, WARC files. Thread-safe but for opening and
 * closing. What fails is told on standard error by the name of its option. */
#ifndef CW_OUTPUTS_H
#define CW_OUTPUTS_H

#include "crawler/output/mirror/mirror.h"
#include "crawler/output/bodies.h"
#include "crawler/output/fields.h"
#include "crawler/output/record.h"
#include "crawler/output/request_log.h"
#include "crawler/output/sink.h"
#include "crawler/program/output/site_map.h"
#include "crawler/program/output/site_report.h"
#include "crawler/output/warc/warc.h"
#include "crawler/program/redis/remote_output.h"

#include <crawl/engine.h>

/* What is written line by line. */
typedef enum cw_outputs_sink_id {
    CW_SINK_OUTPUT,
    CW_SINK_LINKS,
    CW_SINK_REQUESTS,
    CW_SINK_FIELDS,
    CW_SINK_COUNT
} cw_outputs_sink_id;

typedef struct cw_outputs {
    crawl_engine *engine;                        /* stopped when a reader goes away */
    void (*notice)(void *of, const char *words); /* tells a person, from any thread */
    void *of;
    cw_output_sink *sinks[CW_SINK_COUNT];      /* NULL: not wanted */
    const char *const *columns[CW_SINK_COUNT]; /* of those that are CSV */
    cw_remote_output *remote;                  /* where records go in place of their sink; NULL: nowhere */
    bool outlives;                             /* the crawl goes on after the end of this process, with --state */
    cw_output_request_log *requests;           /* what is written to its sink */
    cw_output_fields *fields; /* NULL: there are no rules; there until cw_outputs_drop, for the summary */
    cw_output_bodies *bodies;
    cw_mirror *mirror;
    cw_site_report *report; /* there until cw_outputs_drop, for its page to be made */
    cw_site_map *site_map;  /* likewise, for its files */
    cw_warc *warc;
} cw_outputs;

/* The option that names a sink's file, and what it says; NULL: nothing. */
const char *cw_outputs_name_of(cw_outputs_sink_id id);
const char *cw_outputs_path_of(const crawl_config *config, cw_outputs_sink_id id);
/* Do records go to Redis? */
bool cw_outputs_is_remote(const crawl_config *config);

/* Before anything is made: two sinks in one file would write over each other; records alone can go to Redis; a file
 * that is there is left alone, unless it is said what becomes of it; and an offline copy is not made between files of
 * others. The exit status. */
int cw_outputs_check(const crawl_config *config);
/* resumed: what is there is kept, unless config->existing says otherwise. The exit status; *outputs is to be closed
 * whatever it is. */
int cw_outputs_open(cw_outputs *outputs, const crawl_config *config, bool resumed);
/* Records, links and the log of requests go on in the files of their names, where others have moved these away. What
 * cannot be opened is said, and stays as it is. */
void cw_outputs_reopen(cw_outputs *outputs);
/* After the crawl: waits for what is on its way, for seconds where it was stopped. */
void cw_outputs_settle(cw_outputs *outputs, bool stopped);
/* Closes all; run_err and error are what the crawl ended with. status, or what is wrong with the outputs. */
int cw_outputs_close(cw_outputs *outputs, const crawl_config *config, crawl_err run_err, const crawl_error *error,
                    int status);
/* Frees what is left, without a word about failures. */
void cw_outputs_drop(cw_outputs *outputs);

/* What the hooks of the engine are shown. CRAWL_EIO: a file cannot be written. CRAWL_ENOMEM. A reader that went away
 * has all it wanted: the crawl is stopped, and nothing has failed. CRAWL_AGAIN of a record: crawl_engine_kept tells. */
crawl_err cw_outputs_record(cw_outputs *outputs, const crawl_record *record);
crawl_err cw_outputs_edge(cw_outputs *outputs, const crawl_edge *edge);
crawl_err cw_outputs_depart(cw_outputs *outputs, const crawl_exchange *exchange);
crawl_err cw_outputs_exchange(cw_outputs *outputs, const crawl_exchange *exchange);
crawl_err cw_outputs_flush(cw_outputs *outputs);

#endif
