/* The outputs of a crawl of the program: the files that <crawl/output.h> writes for any spider, and what the program
 * alone has: the report, sitemaps, records to Redis and to commands, webhooks. A failure is told on standard error with
 * the name of its option. */
#pragma once

#include "config/config_values.h"
#include "crawler/program/exec/exec_output.h"
#include "crawler/program/output/site_map.h"
#include "crawler/program/output/site_report.h"
#include "crawler/program/output/site_upload.h"
#include "crawler/program/redis/remote_output.h"
#include "crawler/program/webhook/webhooks.h"

#include <crawl/output.h>

typedef struct cw_outputs {
    const crawl_config *config;
    crawl_config of_library; /* config without what is written here; nothing in it is to be freed */
    crawl_output *library;   /* writes the files of the library */
    crawl_engine *engine;
    void (*notice)(void *of, const char *words); /* tells the user something; called from any thread */
    crawl_mirror_progress on_mirror;             /* NULL: nobody is told how far the end of an offline copy is */
    void *of;
    cw_remote_output *remote; /* where records go in place of a file; NULL: nowhere */
    cw_exec_output *exec;     /* likewise */
    cw_site_report *report;   /* kept until cw_outputs_drop, because its page is made after the crawl */
    cw_site_map *site_map;    /* likewise, because of its files */
    cw_site_upload *upload;   /* likewise; NULL: nothing is brought anywhere */
    cw_webhooks *webhooks;    /* likewise, because it tells of the end; NULL: nobody is told */
} cw_outputs;

/* Do records go to Redis? And to a command? That of a database is one of ours. */
bool cw_outputs_is_remote(const crawl_config *config);
bool cw_outputs_is_exec(const crawl_config *config);
/* Are links wanted here: by the report, or by a database? */
bool cw_outputs_wants_edges(const crawl_config *config);
/* And requests: by a database? */
bool cw_outputs_wants_exchanges(const crawl_config *config);

/* Checks the outputs before anything is made. Refused are: one file for two outputs; anything but records to Redis or a
 * command; a file that has something, unless output.existing says what to do with it; an offline copy in a folder with
 * other files. config is borrowed until cw_outputs_drop, which must be called whatever this returns. The exit status.
 */
int cw_outputs_create(cw_outputs *outputs, const crawl_config *config);
/* Makes the engine of this crawl, with these hooks beside those of the outputs. Errors as those of
 * crawl_engine_create. */
crawl_err cw_outputs_engine(cw_outputs *outputs, const crawl_engine_hooks *hooks, crawl_engine **out,
                            crawl_error *error);
/* Opens all files. resumed: their contents are kept, unless config->existing says otherwise. The exit status. */
int cw_outputs_open(cw_outputs *outputs, bool resumed);
/* Opens the files of records, links and the log of requests anew under their names, because they may have been moved
 * away. A file that cannot be opened is told, and the one that was open stays in use. */
void cw_outputs_reopen(cw_outputs *outputs);
/* Waits after the crawl until the records that are on their way are kept; if the crawl was stopped, for some seconds at
 * most. */
void cw_outputs_settle(cw_outputs *outputs, bool stopped);
/* Closes all files. run_err and error: how the crawl ended. Returns status, or the exit status of what failed here. */
int cw_outputs_close(cw_outputs *outputs, crawl_err run_err, const crawl_error *error, int status);
/* Frees what is left; failures are not told. */
void cw_outputs_drop(cw_outputs *outputs);

/* To be called from the hooks of the program, for the report, the sitemaps and a database; the library has hooks of its
 * own.
 * CRAWL_EIO: a file cannot be written. CRAWL_ENOMEM. */
crawl_err cw_outputs_record(cw_outputs *outputs, const crawl_record *record);
crawl_err cw_outputs_edge(cw_outputs *outputs, const crawl_edge *edge);
crawl_err cw_outputs_exchange(cw_outputs *outputs, const crawl_exchange *exchange);
/* Have the outputs failed meanwhile? CRAWL_EIO: records to Redis or a command have. */
crawl_err cw_outputs_failed(cw_outputs *outputs);

/* Makes what is made when a crawl has ended and its engine is closed, the WACZ, the sitemaps, the report, however the
 * crawl ended, unless this machine has failed, brings what there is into a bucket, tells who is to be told, and prints
 * a line for each. status: so far. The exit status. */
int cw_outputs_at_end(cw_outputs *outputs, const crawl_engine_stats *stats, int status);
