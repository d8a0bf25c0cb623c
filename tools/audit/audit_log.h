/* Turns the lines of --requests into requests for the audit: it finds the end of each departure, the run of each
 * request, and checks that each line follows the one before.
 *
 * A run without "run-end" was killed (or is still going, or the log was cut off there): its departures without an end
 * were in flight. A departure is numbered a moment before it is written, and leaves after; so when a run is killed,
 * each worker may have numbered one request that never left.
 *
 * A log from before there were events has a line for each request that had ended; it is still read. Memory: the
 * requests in flight. */
#pragma once

#include "tools/audit/audit_read.h"

typedef struct cw_audit_log cw_audit_log;

typedef struct cw_audit_log_options {
    cw_audit *audit;   /* borrowed */
    bool per_ip;       /* see cw_audit_reader */
    cw_audit *between; /* of several logs, the one that checks what their requests owe each other; borrowed. NULL: there
                          is this log alone */
    uint32_t number;   /* of this log: lines are told to `between` as cw_audit_log_place */
    /* Called for each request before it is checked, so that more can be demanded of it. */
    void (*on_request)(void *user, cw_audit_request *request);
    /* Called if the line's URL belongs to origin, and not to the host that the line names. */
    void (*on_foreign)(void *user, const cw_audit_request *request, crawl_slice origin);
    /* Called for each line that was taken, in the order of the file. Any answer but CRAWL_OK ends the reading. May
     * be NULL. */
    crawl_err (*on_row)(void *user, cw_audit_event event, const json_t *row, uint64_t line);
    void *user;
} cw_audit_log_options;

typedef struct cw_audit_runs {
    uint64_t runs;
    uint64_t killed;    /* without an end */
    uint64_t in_flight; /* at the ends of these */
    bool torn;          /* the last line is not whole: it was being written */
} cw_audit_runs;

/* A line of one of several logs. */
static inline uint64_t cw_audit_log_place(uint32_t number, uint64_t line)
{
    return line ? (uint64_t)number << 40 | line : 0;
}

/* NULL: no memory. */
cw_audit_log *cw_audit_log_create(const cw_audit_log_options *options);
void cw_audit_log_free(cw_audit_log *log);

/* Takes a line. number counts lines from 1. is_whole: it ends with a newline. CRAWL_EPARSE: error says why; other
 * errors are those of cw_audit_add; CRAWL_ABSENT: it is one of several, and has not said by now what time it was for
 * all of them. */
crawl_err cw_audit_log_line(cw_audit_log *log, crawl_slice line, uint64_t number, bool is_whole, crawl_error *error);
/* There are no more lines: checks what is left. Errors as cw_audit_end. */
crawl_err cw_audit_log_end(cw_audit_log *log);

/* The latest time that was read, of the clock that several logs have in common where this one has said it. */
int64_t cw_audit_log_time(const cw_audit_log *log);

cw_audit_runs cw_audit_log_runs(const cw_audit_log *log);
