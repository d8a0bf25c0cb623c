/* Reads one line of a log for the audit: of --requests, or of nginx's access log. */
#pragma once

#include "tools/audit/audit.h"

#include <crawl/url.h>
#include <jansson.h>

/* How nginx must write its log. */
#define CW_AUDIT_LOG_FORMAT "log_format pace '$msec $request_time $host $request_method $request_uri $status';"

/* Memory reused for all lines. Initialise with {0}, free with cw_audit_reader_free. */
typedef struct cw_audit_reader {
    bool per_ip; /* check addresses even if the records do not ask for it */
    json_t *row;
    crawl_url *url;
    crawl_buf text;
} cw_audit_reader;

void cw_audit_reader_free(cw_audit_reader *reader);

/* A line of --requests: see docs/politeness.md. */
typedef enum cw_audit_event {
    CW_AUDIT_RUN,
    CW_AUDIT_DEPART,
    CW_AUDIT_END,
    CW_AUDIT_RUN_END,
    CW_AUDIT_CLOCK,
    CW_AUDIT_EVENTS
} cw_audit_event;

/* Parses a line for the functions below. CRAWL_EPARSE: error says why. CRAWL_ENOMEM. */
crawl_err cw_audit_read_event(cw_audit_reader *reader, crawl_slice line, cw_audit_event *event, crawl_error *error);

/* Reads DEPART or END; a departure counts as ending at its start. Slices are valid until the next line. *number counts
 * the requests of a run. *foreign: the URL belongs to another host than the line says.
 * CRAWL_EPARSE, CRAWL_ENOMEM. */
crawl_err cw_audit_read_record(cw_audit_reader *reader, cw_audit_event event, cw_audit_request *out, uint64_t *number,
                               bool *foreign, crawl_error *error);

typedef struct cw_audit_run {
    int64_t at_us;       /* RUN: its beginning; RUN_END: its end */
    uint64_t count;      /* RUN: number of workers; RUN_END: number of requests */
    int64_t set_back_us; /* RUN: by how much the clock was set back since the last run, as far as the crawl knew */
    bool is_shared;      /* RUN: others took part in the crawl */
} cw_audit_run;

/* Reads RUN or RUN_END. CRAWL_EPARSE. */
crawl_err cw_audit_read_run(const cw_audit_reader *reader, cw_audit_event event, cw_audit_run *out, crawl_error *error);

/* The clock of the Redis server, from a log. */
typedef struct cw_audit_clock {
    int64_t at_us;     /* on the log's own clock */
    int64_t ahead_us;  /* add it to at_us for the server's clock */
    int64_t within_us; /* the server's time may be earlier by this much */
} cw_audit_clock;

/* Reads CLOCK. CRAWL_EPARSE. */
crawl_err cw_audit_read_clock(const cw_audit_reader *reader, cw_audit_clock *out, crawl_error *error);

/* Reads a line of nginx, with fields separated by tabs or blanks: $msec or [$time_local], $request_time, $host, then
 * anything. start = end - $request_time. */
crawl_err cw_audit_read_nginx(crawl_slice line, cw_audit_request *out, bool *whole_seconds, crawl_error *error);
