/* The members of crawl_output (<crawl/output.h>): its configuration and its open files. */
#pragma once

#include "base/writer.h"
#include "config/config_values.h"
#include "crawler/output/record_fields.h"

#include <crawl/output.h>
#include <crawl/sys/mirror.h>
#include <crawl/sys/request_log.h>
#include <crawl/sys/warc.h>

/* Kinds that are files of lines come first in crawl_output_kind. */
#define CW_OUTPUT_LINES (CRAWL_OUTPUT_FIELDS + 1)

/* The CSV columns of records. */
typedef struct cw_output_columns {
    const cw_output_field *fields[CW_OUTPUT_FIELDS_MAX];
    const char *names[CW_OUTPUT_FIELDS_MAX + 1]; /* terminated by NULL */
    size_t count;
} cw_output_columns;

struct crawl_output {
    const crawl_config *config;
    crawl_config of_engine; /* config without the outputs, which are written here; borrows everything */
    crawl_output_options options;
    crawl_engine_hooks own; /* of the spider */
    crawl_engine *engine;   /* made by crawl_output_engine_create; NULL: none */
    bool is_open;
    bool outlives;                       /* the crawl may outlive this process */
    crawl_lines *lines[CW_OUTPUT_LINES]; /* NULL: not wanted */
    bool is_csv[CW_OUTPUT_LINES];
    cw_output_columns columns;   /* of records */
    crawl_request_log *requests; /* writes to the lines of CRAWL_OUTPUT_REQUESTS */
    crawl_fields *fields;        /* NULL: no rules; kept for the summary until the output is freed */
    crawl_bodies *bodies, *screenshots;
    crawl_mirror *mirror;
    crawl_warc *warc;
};

/* Write the arguments of an engine's hook. CRAWL_EIO: a file cannot be written. CRAWL_ENOMEM. If the reader of a pipe
 * has gone, they stop the engine, which is no failure. */
crawl_err cw_output_record(crawl_output *output, const crawl_record *record);
crawl_err cw_output_edge(crawl_output *output, const crawl_edge *edge);
crawl_err cw_output_depart(crawl_output *output, const crawl_exchange *exchange);
crawl_err cw_output_exchange(crawl_output *output, const crawl_exchange *exchange);

/* record.c: appends an object with the URL, and the record's members about the use of its page. CRAWL_ENOMEM. */
crawl_err cw_output_preferences_json(const crawl_record *record, crawl_buf *out);

/* csv.c: chooses the columns of a list, names separated by spaces or commas, in its order. CRAWL_EINVAL: a name is no
 * field of records, or appears twice. */
crawl_err cw_output_columns_choose(cw_output_columns *columns, const char *names, crawl_error *error);
/* Chooses the columns of crawl_record_columns. */
void cw_output_columns_default(cw_output_columns *columns);
/* Does the same as crawl_record_csv with these columns. */
crawl_err cw_output_record_csv(const cw_output_columns *columns, const crawl_record *record, const char *body,
                               crawl_buf *out);

/* Puts the names of the columns, terminated by NULL, without the newline that ends the row. */
void cw_output_put_csv_head(cw_writer *row, const char *const *columns);
