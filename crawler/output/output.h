/* The members of crawl_output (<crawl/output.h>): its configuration, and the files that are open. */
#ifndef CW_OUTPUT_H
#define CW_OUTPUT_H

#include <crawl/mirror.h>
#include <crawl/output.h>
#include <crawl/warc.h>

/* The kinds that are files of lines come first in crawl_output_kind. */
#define CW_OUTPUT_LINES (CRAWL_OUTPUT_FIELDS + 1)

struct crawl_output {
    const crawl_config *config;
    crawl_config of_engine; /* config without the outputs, which are written here; nothing in it is to be freed */
    crawl_output_options options;
    crawl_engine_hooks own; /* the hooks of the spider */
    crawl_engine *engine;   /* made by crawl_output_engine_create; NULL: none was */
    bool is_open;
    bool outlives;                       /* the crawl may go on after the end of this process */
    crawl_lines *lines[CW_OUTPUT_LINES]; /* NULL: not wanted */
    bool is_csv[CW_OUTPUT_LINES];
    crawl_request_log *requests; /* writes to the lines of CRAWL_OUTPUT_REQUESTS */
    crawl_fields *fields;        /* NULL: there are no rules; kept for the summary until the output is freed */
    crawl_bodies *bodies, *screenshots;
    crawl_mirror *mirror;
    crawl_warc *warc;
};

/* Each of these writes what a hook of the engine is given. CRAWL_EIO: a file cannot be written. CRAWL_ENOMEM. When the
 * reader of a pipe has gone away, the engine is stopped, and that is no failure. */
crawl_err cw_output_record(crawl_output *output, const crawl_record *record);
crawl_err cw_output_edge(crawl_output *output, const crawl_edge *edge);
crawl_err cw_output_depart(crawl_output *output, const crawl_exchange *exchange);
crawl_err cw_output_exchange(crawl_output *output, const crawl_exchange *exchange);

/* record.c: if the answer has one of these headers, appends a member of JSON to *members, behind a comma if that is not
 * empty: "headers":{"server":["nginx"]}. names: with spaces or commas between them; upper and lower case are the same.
 * CRAWL_ENOMEM. */
crawl_err cw_output_answer_headers(const crawl_record *record, const char *names, crawl_buf *members);

/* record.c: appends an object with the URL, and the members of the record about the use of its page. CRAWL_ENOMEM. */
crawl_err cw_output_preferences_json(const crawl_record *record, crawl_buf *out);

#endif
