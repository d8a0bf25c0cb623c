/* Checks whether a crawl asked its hosts no sooner, and with no more requests at once, than allowed: the checks of
 * `crawl audit`, over requests from any log. Pure: no clock, no file. Requests are sorted by their starts within a
 * window of CW_AUDIT_WINDOW requests, so that a log in the order of answers needs no sorting. Memory: 130 bytes for
 * each request of the window, some 300 for each host and address. */
#pragma once

#include <crawl/base.h>

/* With a thousand requests a second this is over a quarter of an hour: no transfer takes so long. */
#define CW_AUDIT_WINDOW ((size_t)1 << 20)
/* The most requests at once to one host: politeness.per_host is 1,000 at most; a log with far more is not one of a
 * crawl. */
#define CW_AUDIT_AT_ONCE_MAX 8192u

typedef struct cw_audit_request {
    uint64_t line;
    uint64_t end_line; /* of its end, where that has a line of its own; 0: the same */
    uint64_t run; /* of the log, from 1: its hosts' requests are counted anew; 0: of a log that does not name its runs,
                     and whoever is 1 begins one */
    crawl_slice host;
    crawl_slice ip; /* empty: not known, or not to be checked */
    int64_t start_us;
    int64_t end_us;
    int64_t pause_us;
    const char *pause_by;     /* static; what decided it */
    uint32_t limit;           /* at once; 0: any */
    uint32_t address_limit;   /* of the address, where it has one of its own; 0: as the host's */
    int64_t address_pause_us; /* likewise */
    uint64_t seq;             /* among the host's requests, from 1; 0: not counted */
    bool comes_back;          /* its host may have been another process's meanwhile, and is counted from 1 again then */
    bool sent;                /* false: it counts with its end, from which the pause of the next one runs */
    int64_t hold_until_us;    /* after its answer, no request to the host before; 0: none */
    const char *hold_by;      /* static */
    uint32_t log;             /* which of several */
    int64_t ahead_us;         /* of several logs: to be added to its times for those of a clock that all have, */
    int64_t within_us;        /* which may be too late by so much */
} cw_audit_request;

typedef enum cw_audit_kind {
    CW_AUDIT_TOO_SOON,
    CW_AUDIT_HELD,    /* within a hold */
    CW_AUDIT_AT_ONCE, /* too many */
    CW_AUDIT_MISSING, /* the host's requests are counted, and one or more before this are not there */
    CW_AUDIT_FOREIGN, /* this request, or the one before it, is of another host: their numbers are the same, or go back
                       */
    /* Faults of the log itself, which its reader finds (audit_log.h): */
    CW_AUDIT_CHAIN, /* this line does not follow the one before: one of them is not as it was, or not where it was, or
                       others stood between */
    CW_AUDIT_UNPAIRED, /* a departure without its end, or an end without its departure */
    CW_AUDIT_DIFFERS,  /* departure and end of a request disagree */
    CW_AUDIT_LOST,     /* requests of a run are not there */
    CW_AUDIT_KINDS
} cw_audit_kind;

const char *cw_audit_kind_name(cw_audit_kind kind);

typedef struct cw_audit_violation {
    cw_audit_kind kind;
    uint64_t line;
    crawl_slice host;    /* or the address */
    uint64_t other_line; /* TOO_SOON, FOREIGN: the request before; HELD: the answer that brought the hold; DIFFERS: the
                            departure; else 0 */
    int64_t by_us;       /* TOO_SOON, HELD: how much too soon */
    int64_t allowed; /* TOO_SOON: pause, us; AT_ONCE: requests; MISSING, FOREIGN: number that was due; LOST: how many
                        there were */
    int64_t got; /* TOO_SOON: distance, us; AT_ONCE: requests; MISSING, FOREIGN, UNPAIRED, DIFFERS: number; LOST: how
                    many there are */
    const char *reason; /* TOO_SOON, HELD: what set pause or hold */
} cw_audit_violation;

/* The findings about a host, or about an address, at the end. */
typedef struct cw_audit_host {
    crawl_slice name;
    bool is_address;
    uint64_t requests;
    int64_t gap_us; /* where the distance between two was nearest to its pause, or least above it; INT64_MAX: there were
                       no two */
    int64_t pause_us; /* the pause there */
    uint32_t at_once; /* most */
    uint32_t limit;   /* least; 0: any */
    uint64_t violations;
} cw_audit_host;

typedef struct cw_audit cw_audit;

typedef struct cw_audit_options {
    int64_t tolerance_us; /* distances may be so much shorter: what the log's clock is off by */
    size_t window;        /* 0: CW_AUDIT_WINDOW */
    bool between_logs;    /* only what requests of different logs owe each other is checked, by a clock that all have:
                             distances may be shorter by what that may be off */
    void (*on_violation)(void *user, const cw_audit_violation *violation);
    void *user;
} cw_audit_options;

/* NULL: no memory. */
cw_audit *cw_audit_create(const cw_audit_options *options);
void cw_audit_free(cw_audit *audit);

/* Adds a request. CRAWL_ESTATE: it counts before one that has left the window. CRAWL_FULL: there are more than
 * CW_AUDIT_AT_ONCE_MAX at once. CRAWL_ENOMEM. */
crawl_err cw_audit_add(cw_audit *audit, const cw_audit_request *request);
/* Checks the requests that are still in the window. */
crawl_err cw_audit_end(cw_audit *audit);
/* The same at the end of a run; requests of the next run may have earlier times. absent: how many of the run's requests
 * were counted but did not leave, since it was killed: they are not MISSING. */
crawl_err cw_audit_end_run(cw_audit *audit, uint64_t absent);
/* To be called before a run whose clock is behind that of the run before, by by_us at least: earlier times are moved
 * back by as much, which makes them as late as they can have been. */
void cw_audit_set_back(cw_audit *audit, int64_t by_us);

/* Adds a violation that was found in the log itself. host may be empty. */
void cw_audit_violate(cw_audit *audit, const cw_audit_violation *violation);

uint64_t cw_audit_violations(const cw_audit *audit);
uint64_t cw_audit_requests(const cw_audit *audit);
/* The hosts, then the addresses, each in the order of how near they came to their pause; borrowed. NULL: there are
 * none, or there is no memory. */
const cw_audit_host *cw_audit_hosts(cw_audit *audit, size_t *count);
