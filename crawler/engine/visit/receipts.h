/* Pages whose records were handed over but are not kept yet. A receiver of records, such as one that sends them to a
 * server, may confirm later that a record is kept, by its receipt. Until the receipt comes the lease stays out, so that
 * the page is asked for again if the process is killed, and no record is lost. The visit itself is over meanwhile:
 * others use its connection, and its host is asked for others. Thread-safe. */
#pragma once

#include "crawler/engine/host/host_table.h"
#include "crawler/engine/visit/answer/dedupe.h"

#include <crawl/frontier.h>

/* How a lease ends, independently of its visit. */
typedef struct cw_visit_ending {
    uint64_t lease;
    crawl_outcome outcome;
    bool again;                  /* the page is queued for its next visit, with the memo; outcome is unused */
    bool is_further;             /* the lease is for a second or later visit */
    bool is_counted;             /* counted by the trap guard, as a page of the host */
    uint64_t path;               /* and of this path (cw_scope_trap_path) */
    int64_t at_ms;               /* see crawl_frontier_done */
    cw_host_record *host;        /* released by whoever ends the lease */
    cw_visit_original *original; /* settled when the lease ends; NULL: the page is none */
    crawl_slice memo;
} cw_visit_ending;

typedef struct cw_visit_receipts cw_visit_receipts;

/* NULL: out of memory. */
cw_visit_receipts *cw_visit_receipts_create(void);
/* Leases whose receipts have not come stay out: their pages are asked for again when the crawl continues. */
void cw_visit_receipts_free(cw_visit_receipts *receipts);

/* Notes that the record of this lease was taken: its receipt will come, or has come already. CRAWL_ENOMEM. */
crawl_err cw_visit_receipts_await(cw_visit_receipts *receipts, uint64_t lease);
/* Keeps a copy of how the lease is to end, until its receipt comes. CRAWL_EXISTS: the receipt is there, and nothing was
 * kept. CRAWL_ENOMEM. */
crawl_err cw_visit_receipts_hold(cw_visit_receipts *receipts, const cw_visit_ending *ending);
/* Forgets a lease whose receipt is no longer awaited. Does nothing if the lease is unknown. */
void cw_visit_receipts_drop(cw_visit_receipts *receipts, uint64_t lease);

/* Accepts a receipt. Returns how the lease is to end now, which the caller frees; NULL: the visit is not over yet, or
 * out of memory. */
cw_visit_ending *cw_visit_receipts_take(cw_visit_receipts *receipts, uint64_t lease);
