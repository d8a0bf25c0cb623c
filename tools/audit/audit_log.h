/* Turns the lines of --requests into requests for the audit: finds the end of each departure and the run of each
 * request, and checks that each line follows the one before.
 *
 * A run without "run-end" was killed, is still going, or was cut off there; its departures without an end were in
 * flight. A departure is numbered a moment before it is written, and leaves afterwards, so when a run is killed, each
 * worker may have numbered one request that never left.
 *
 * Memory: the requests in flight. */
#pragma once

#include "tools/audit/audit_read.h"

typedef struct cw_audit_log cw_audit_log;

typedef struct cw_audit_log_options {
    cw_audit *audit;   /* borrowed */
    bool per_ip;       /* see cw_audit_reader */
    cw_audit *between; /* with several logs: checks rules between their requests; borrowed. NULL: a single log */
    uint32_t number;   /* of this log; `between` gets lines as cw_audit_log_place */
    /* Called for each request before it is checked, to demand more of it. */
    void (*on_request)(void *user, cw_audit_request *request);
    /* Called if the line's URL belongs to origin instead of the host on the line. */
    void (*on_foreign)(void *user, const cw_audit_request *request, crawl_slice origin);
    /* Called for each line taken, in file order. Any result but CRAWL_OK ends reading. May be NULL. */
    crawl_err (*on_row)(void *user, cw_audit_event event, const json_t *row, uint64_t line);
    void *user;
} cw_audit_log_options;

typedef struct cw_audit_runs {
    uint64_t runs;
    uint64_t killed;    /* without an end */
    uint64_t in_flight; /* at the ends of killed runs */
    bool torn;          /* the last line is incomplete: it was being written */
} cw_audit_runs;

/* Encodes a line of one of several logs. */
static inline uint64_t cw_audit_log_place(uint32_t number, uint64_t line)
{
    return line ? (uint64_t)number << 40 | line : 0;
}

/* NULL: out of memory. */
cw_audit_log *cw_audit_log_create(const cw_audit_log_options *options);
void cw_audit_log_free(cw_audit_log *log);

/* Takes a line. number counts lines from 1. is_whole: it ends with a newline. CRAWL_EPARSE: error says why.
 * CRAWL_ABSENT: it is one of several logs, and has not yet reported the common time. Other errors are those of
 * cw_audit_add. */
crawl_err cw_audit_log_line(cw_audit_log *log, crawl_slice line, uint64_t number, bool is_whole, crawl_error *error);
/* Checks what is left. Call after the last line. Errors as those of cw_audit_end. */
crawl_err cw_audit_log_end(cw_audit_log *log);

/* Returns the latest time read, on the common clock of several logs if this one has reported it. */
int64_t cw_audit_log_time(const cw_audit_log *log);

cw_audit_runs cw_audit_log_runs(const cw_audit_log *log);
