/* The members of crawl_output (<crawl/output.h>): its configuration, and the files that are open. */
#ifndef CW_OUTPUT_H
#define CW_OUTPUT_H

#include <crawl/mirror.h>
#include <crawl/output.h>
#include <crawl/warc.h>

/* Those of lines come first. */
#define CW_OUTPUT_LINES (CRAWL_OUTPUT_FIELDS + 1)

struct crawl_output {
    const crawl_config *config;
    crawl_config of_engine; /* a view of config without the settings that are carried out here; nothing in it is to be
                               freed */
    crawl_output_options options;
    crawl_engine_hooks own; /* the spider's */
    crawl_engine *engine;   /* stopped when a reader goes away; NULL: there is none of ours */
    bool is_open;
    bool outlives;                       /* the crawl goes on after the end of this process, with state.directory */
    crawl_lines *lines[CW_OUTPUT_LINES]; /* NULL: not wanted */
    bool is_csv[CW_OUTPUT_LINES];
    crawl_request_log *requests; /* what is written to its lines */
    crawl_fields *fields;        /* NULL: there are no rules; there until the output is freed, for the summary */
    crawl_bodies *bodies;
    crawl_mirror *mirror;
    crawl_warc *warc;
};

/* Each of these takes what a hook of the engine is given. CRAWL_EIO: a file cannot be written. CRAWL_ENOMEM. A reader
 * that went away needs no more lines: the crawl is stopped, and that is no failure. */
crawl_err cw_output_record(crawl_output *output, const crawl_record *record);
crawl_err cw_output_edge(crawl_output *output, const crawl_edge *edge);
crawl_err cw_output_depart(crawl_output *output, const crawl_exchange *exchange);
crawl_err cw_output_exchange(crawl_output *output, const crawl_exchange *exchange);

#endif
