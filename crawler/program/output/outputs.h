/* What a crawl of the program writes: what <crawl/output.h> writes for any spider, and what the program has beyond: the
 * report, sitemaps, records to Redis. What fails is told on standard error by the name of its option. */
#ifndef CW_OUTPUTS_H
#define CW_OUTPUTS_H

#include "crawler/program/output/site_map.h"
#include "crawler/program/output/site_report.h"
#include "crawler/program/redis/remote_output.h"

#include <crawl/output.h>

typedef struct cw_outputs {
    const crawl_config *config;
    crawl_config of_library; /* a view of config without what is served here; nothing in it is to be freed */
    crawl_output *library;   /* what it writes */
    crawl_engine *engine;
    void (*notice)(void *of, const char *words); /* tells a person, from any thread */
    crawl_mirror_progress on_mirror;             /* NULL: nobody is told how far the end of an offline copy is */
    void *of;
    cw_remote_output *remote; /* where records go in place of a file; NULL: nowhere */
    cw_site_report *report;   /* there until cw_outputs_drop, for its page to be made */
    cw_site_map *site_map;    /* likewise, for its files */
} cw_outputs;

/* Do records go to Redis? */
bool cw_outputs_is_remote(const crawl_config *config);

/* Before anything is made: two files in one would write over each other; records alone can go to Redis; a file that is
 * there is left alone, unless it is said what becomes of it; and an offline copy is not made between files of others.
 * config is borrowed until cw_outputs_drop, which is to be called whatever this answers. The exit status. */
int cw_outputs_create(cw_outputs *outputs, const crawl_config *config);
/* Makes the engine of this crawl, with these hooks beside those of the outputs. As crawl_engine_create. */
crawl_err cw_outputs_engine(cw_outputs *outputs, const crawl_engine_hooks *hooks, crawl_engine **out,
                            crawl_error *error);
/* Opens all files. resumed: what is in them is kept, unless config->existing says otherwise. Returns the exit status.
 */
int cw_outputs_open(cw_outputs *outputs, bool resumed);
/* Records, links and the log of requests go on in the files of their names, where others have moved these away. What
 * cannot be opened is said, and stays as it is. */
void cw_outputs_reopen(cw_outputs *outputs);
/* Waits after the crawl for the records that are on their way; where the crawl was stopped, for some seconds at most.
 */
void cw_outputs_settle(cw_outputs *outputs, bool stopped);
/* Closes all; run_err and error are what the crawl ended with. status, or what is wrong with the outputs. */
int cw_outputs_close(cw_outputs *outputs, crawl_err run_err, const crawl_error *error, int status);
/* Frees what is left, without a word about failures. */
void cw_outputs_drop(cw_outputs *outputs);

/* What the hooks of the program show to report and sitemaps; the library has hooks of its own. CRAWL_EIO: a file cannot
 * be written. CRAWL_ENOMEM. */
crawl_err cw_outputs_record(cw_outputs *outputs, const crawl_record *record);
crawl_err cw_outputs_edge(cw_outputs *outputs, const crawl_edge *edge);
/* CRAWL_EIO: records to Redis have failed. */
crawl_err cw_outputs_failed(cw_outputs *outputs);

#endif
