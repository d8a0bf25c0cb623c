/* From the lines of --requests to requests for the audit: departures find their ends, runs their requests, and each
 * line the one before it.
 *
 * A run without "run-end" was killed (or is still going, or the log was cut off there): its departures without an end
 * were in flight. A departure is numbered a moment before it is written, and leaves after; so at a kill each worker may
 * have numbered one that never left.
 *
 * A log from before there were events has a line for each request, when it had ended; it is read as ever. In memory:
 * what is in flight. */
#ifndef CW_AUDIT_LOG_H
#define CW_AUDIT_LOG_H

#include "crawler/program/tools/audit/audit_read.h"

typedef struct cw_audit_log cw_audit_log;

typedef struct cw_audit_log_options {
    cw_audit *audit; /* borrowed */
    bool per_ip;     /* see cw_audit_reader */
    /* Of each request, before it is checked, so that more can be demanded. */
    void (*on_request)(void *user, cw_audit_request *request);
    /* The line's URL is of origin, and not of the host that the line names. */
    void (*on_foreign)(void *user, const cw_audit_request *request, crawl_slice origin);
    void *user;
} cw_audit_log_options;

typedef struct cw_audit_runs {
    uint64_t runs;
    uint64_t killed;    /* without an end */
    uint64_t in_flight; /* at the ends of these */
    bool torn;          /* the last line is not whole: it was being written */
} cw_audit_runs;

/* NULL: no memory. */
cw_audit_log *cw_audit_log_create(const cw_audit_log_options *options);
void cw_audit_log_free(cw_audit_log *log);

/* number: of the line, from 1. is_whole: it ends with a newline. CRAWL_EPARSE: error says why; others are those of
 * cw_audit_add. */
crawl_err cw_audit_log_line(cw_audit_log *log, crawl_slice line, uint64_t number, bool is_whole, crawl_error *error);
/* No more lines: checks what is left. As cw_audit_end. */
crawl_err cw_audit_log_end(cw_audit_log *log);

cw_audit_runs cw_audit_log_runs(const cw_audit_log *log);

#endif
