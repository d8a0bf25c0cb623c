/* The outputs of a crawl of the program: the files that <crawl/output.h> writes for any spider, and those that only the
 * program has: the report, sitemaps, records to Redis and to commands, webhooks. A failure is reported on standard
 * error with the name of its option. */
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
    crawl_config of_library; /* config without the outputs written here; borrows everything */
    crawl_output *library;   /* writes the files of the library */
    crawl_engine *engine;
    void (*notice)(void *of, const char *words); /* tells the user something; called from any thread */
    crawl_mirror_progress on_mirror;             /* NULL: the progress of finishing an offline copy is not reported */
    void *of;
    cw_remote_output *remote; /* takes the records in place of a file; NULL: none */
    cw_exec_output *exec;     /* likewise */
    cw_site_report *report;   /* kept until cw_outputs_drop, because its page is made after the crawl */
    cw_site_map *site_map;    /* likewise, for its files */
    cw_site_upload *upload;   /* likewise; NULL: no upload */
    cw_webhooks *webhooks;    /* likewise, because it reports the end; NULL: none */
} cw_outputs;

/* Return true if records go to Redis, or to a command. A database counts as a command: it is one of ours. */
bool cw_outputs_is_remote(const crawl_config *config);
bool cw_outputs_is_exec(const crawl_config *config);
/* Returns true if the report or a database needs the links. */
bool cw_outputs_wants_edges(const crawl_config *config);
/* Returns true if a database needs the requests. */
bool cw_outputs_wants_exchanges(const crawl_config *config);

/* Checks the outputs before anything is created. Refuses one file for two outputs; anything but records to Redis or a
 * command; a file that is not empty, unless output.existing says what to do with it; an offline copy in a folder with
 * other files. config is borrowed until cw_outputs_drop, which must be called whatever this returns. Returns the exit
 * status. */
int cw_outputs_create(cw_outputs *outputs, const crawl_config *config);
/* Creates the engine of this crawl, with these hooks beside those of the outputs. Errors as those of
 * crawl_engine_create. */
crawl_err cw_outputs_engine(cw_outputs *outputs, const crawl_engine_hooks *hooks, crawl_engine **out,
                            crawl_error *error);
/* Opens all files. resumed: keeps their contents, unless config->existing says otherwise. Returns the exit status. */
int cw_outputs_open(cw_outputs *outputs, bool resumed);
/* Reopens the files of records, links and the log of requests under their names, because they may have been moved.
 * Reports a file that cannot be opened, and keeps using the old one. */
void cw_outputs_reopen(cw_outputs *outputs);
/* Call after the crawl. Waits until the records on their way are kept; for some seconds at most if the crawl was
 * stopped. */
void cw_outputs_settle(cw_outputs *outputs, bool stopped);
/* Closes all files. run_err and error: how the crawl ended. Returns status, or the exit status of what failed here. */
int cw_outputs_close(cw_outputs *outputs, crawl_err run_err, const crawl_error *error, int status);
/* Closes whatever is open and uses the engine, without reporting failures. Call before the engine is freed. */
void cw_outputs_let_go(cw_outputs *outputs);
/* Frees what is left. Call after the engine is freed, because its hooks are called until then. */
void cw_outputs_drop(cw_outputs *outputs);

/* Take events from the program's hooks, for the report, the sitemaps and a database; the library has its own hooks.
 * CRAWL_EIO: a file cannot be written. CRAWL_ENOMEM. */
crawl_err cw_outputs_record(cw_outputs *outputs, const crawl_record *record);
crawl_err cw_outputs_edge(cw_outputs *outputs, const crawl_edge *edge);
crawl_err cw_outputs_exchange(cw_outputs *outputs, const crawl_exchange *exchange);
/* CRAWL_EIO: records to Redis or a command have failed. */
crawl_err cw_outputs_failed(cw_outputs *outputs);

/* Makes the WACZ, the sitemaps and the report once the crawl has ended and its engine is closed, unless this machine
 * has failed. Then uploads files, sends the last webhook, and prints a line for each. status: so far. Returns the exit
 * status. */
int cw_outputs_at_end(cw_outputs *outputs, const crawl_engine_stats *stats, int status);
