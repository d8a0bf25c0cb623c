/* Checks whether a crawl asked its hosts not sooner, and with no more requests at once, than allowed: the checks of
 * `crawl audit`, for requests of any log. Pure: no clock, no file. Requests are sorted by start within a window of
 * CW_AUDIT_WINDOW requests, so that a log in the order of answers needs no sorting. Memory: 130 bytes per request of
 * the window, some 300 per host and address. */
#pragma once

#include <crawl/base.h>

/* At a thousand requests per second this is more than a quarter of an hour; no transfer takes so long. */
#define CW_AUDIT_WINDOW ((size_t)1 << 20)
/* Maximum number of requests at once to a host. politeness.per_host is at most 1,000; a log with far more is not from a
 * crawl. */
#define CW_AUDIT_AT_ONCE_MAX 8192u

typedef struct cw_audit_request {
    uint64_t line;
    uint64_t end_line; /* of its end, if on a line of its own; 0: the same line */
    uint64_t run; /* of the log, from 1; each counts requests of hosts from 1; 0: the log does not name runs, and seq 1
                   * begins one */
    crawl_slice host;
    crawl_slice ip; /* empty: unknown, or not to be checked */
    int64_t start_us;
    int64_t end_us;
    int64_t pause_us;
    const char *pause_by;     /* static; what decided the pause */
    uint32_t limit;           /* at once; 0: unlimited */
    uint32_t address_limit;   /* the address's own limit; 0: the host's */
    int64_t address_pause_us; /* likewise */
    uint64_t seq;             /* among the host's requests, from 1; 0: not counted */
    bool comes_back;          /* another process may have had its host meanwhile, which then counts from 1 again */
    bool sent;                /* false: it counts at its end, from which the next pause runs */
    int64_t hold_until_us;    /* no request to the host earlier, because of its answer; 0: none */
    const char *hold_by;      /* static */
    uint32_t log;             /* index of its log */
    int64_t ahead_us;         /* with several logs: add it to times for the common clock */
    int64_t within_us;        /* the result may be too late by this much */
} cw_audit_request;

typedef enum cw_audit_kind {
    CW_AUDIT_TOO_SOON,
    CW_AUDIT_HELD,    /* during a hold */
    CW_AUDIT_AT_ONCE, /* too many */
    CW_AUDIT_MISSING, /* earlier requests of a counting host are missing */
    CW_AUDIT_FOREIGN, /* this request or the one before belongs to another host: their numbers repeat or go back */
    /* Faults of the log itself, found by its reader (audit_log.h): */
    CW_AUDIT_CHAIN,    /* this line does not follow the one before: one of them was changed or moved, or others were
                        * between them */
    CW_AUDIT_UNPAIRED, /* a departure without end, or an end without departure */
    CW_AUDIT_DIFFERS,  /* departure and end of a request disagree */
    CW_AUDIT_LOST,     /* requests of a run are missing */
    CW_AUDIT_KINDS
} cw_audit_kind;

const char *cw_audit_kind_name(cw_audit_kind kind);

typedef struct cw_audit_violation {
    cw_audit_kind kind;
    uint64_t line;
    crawl_slice host;    /* or address */
    uint64_t other_line; /* TOO_SOON, FOREIGN: the earlier request; HELD: the answer that caused the hold; DIFFERS: the
                          * departure; otherwise 0 */
    int64_t by_us;       /* TOO_SOON, HELD: how much too soon */
    int64_t allowed; /* TOO_SOON: pause, us; AT_ONCE: requests; MISSING, FOREIGN: expected number; LOST: total number */
    int64_t got; /* TOO_SOON: distance, us; AT_ONCE: requests; MISSING, FOREIGN, UNPAIRED, DIFFERS: number; LOST: number
                  * present */
    const char *reason; /* TOO_SOON, HELD: cause of the pause or hold */
} cw_audit_violation;

/* Results for a host or an address, at the end. */
typedef struct cw_audit_host {
    crawl_slice name;
    bool is_address;
    uint64_t requests;
    int64_t gap_us;   /* distance of two requests that came nearest to its pause; INT64_MAX: no two requests */
    int64_t pause_us; /* pause at that place */
    uint32_t at_once; /* maximum */
    uint32_t limit;   /* minimum; 0: unlimited */
    uint64_t violations;
} cw_audit_host;

typedef struct cw_audit cw_audit;

typedef struct cw_audit_options {
    int64_t tolerance_us; /* allowed shortfall of distances: the error of the log's clock */
    size_t window;        /* 0: CW_AUDIT_WINDOW */
    bool between_logs;    /* check only rules between requests of different logs, on a common clock; distances may be
                           * shorter by its error */
    void (*on_violation)(void *user, const cw_audit_violation *violation);
    void *user;
} cw_audit_options;

/* NULL: out of memory. */
cw_audit *cw_audit_create(const cw_audit_options *options);
void cw_audit_free(cw_audit *audit);

/* Adds a request. CRAWL_ESTATE: it counts before one that has left the window. CRAWL_FULL: more than
 * CW_AUDIT_AT_ONCE_MAX at once. CRAWL_ENOMEM. */
crawl_err cw_audit_add(cw_audit *audit, const cw_audit_request *request);
/* Checks the requests that are still in the window. */
crawl_err cw_audit_end(cw_audit *audit);
/* Does the same at the end of a run; requests of the next run may have earlier times. absent: number of counted
 * requests that did not leave because the run was killed; they are not MISSING. */
crawl_err cw_audit_end_run(cw_audit *audit, uint64_t absent);
/* Call before a run whose clock is behind that of the last run, by at least by_us. Moves earlier times back by as much,
 * which makes them as late as they can have been. */
void cw_audit_set_back(cw_audit *audit, int64_t by_us);

/* Adds a violation found in the log itself. host may be empty. */
void cw_audit_violate(cw_audit *audit, const cw_audit_violation *violation);

uint64_t cw_audit_violations(const cw_audit *audit);
uint64_t cw_audit_requests(const cw_audit *audit);
/* Returns the hosts, then the addresses, each sorted by how near they came to their pause; borrowed. NULL: none, or out
 * of memory. */
const cw_audit_host *cw_audit_hosts(cw_audit *audit, size_t *count);
