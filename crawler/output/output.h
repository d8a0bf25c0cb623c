/* The members of crawl_output (<crawl/output.h>): its configuration, and the files that are open. */
#pragma once

#include "base/writer.h"
#include "config/config_values.h"
#include "crawler/output/record_fields.h"

#include <crawl/output.h>
#include <crawl/sys/mirror.h>
#include <crawl/sys/request_log.h>
#include <crawl/sys/warc.h>

/* The kinds that are files of lines come first in crawl_output_kind. */
#define CW_OUTPUT_LINES (CRAWL_OUTPUT_FIELDS + 1)

/* The columns of records in CSV. */
typedef struct cw_output_columns {
    const cw_output_field *fields[CW_OUTPUT_FIELDS_MAX];
    const char *names[CW_OUTPUT_FIELDS_MAX + 1]; /* up to a NULL */
    size_t count;
} cw_output_columns;

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
    cw_output_columns columns;   /* of records */
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

/* csv.c: the columns of that list, names with spaces or commas between them, in its order. CRAWL_EINVAL: a name is no
 * field of records, or stands there twice. */
crawl_err cw_output_columns_choose(cw_output_columns *columns, const char *names, crawl_error *error);
/* Those of crawl_record_columns. */
void cw_output_columns_default(cw_output_columns *columns);
/* crawl_record_csv with these columns. */
crawl_err cw_output_record_csv(const cw_output_columns *columns, const crawl_record *record, const char *body,
                               crawl_buf *out);

/* Puts the names of the columns, up to a NULL, without the newline that ends the row. */
void cw_output_put_csv_head(cw_writer *row, const char *const *columns);
