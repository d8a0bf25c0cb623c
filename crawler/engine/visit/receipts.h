/* Pages whose records were handed over and are not kept yet. The receiver of the records may say so later (a server
 * that acknowledges them, say): until its receipt comes the lease stays out, so that a process which is killed in
 * between asks for the page again, and no record is lost. The visit itself is over meanwhile, and its connection is
 * used by others. Thread-safe. */
#ifndef CW_VISIT_RECEIPTS_H
#define CW_VISIT_RECEIPTS_H

#include "crawler/engine/host/host_table.h"

#include <crawl/frontier.h>

/* How a lease ends, apart from its visit. */
typedef struct cw_visit_ending {
    uint64_t lease;
    crawl_outcome outcome;
    bool again;           /* in place of the outcome: it is queued for its next visit, with the memo */
    bool is_further;      /* the lease is of a further visit */
    bool is_counted;      /* by the trap guard, as a page of the host */
    int64_t at_ms;        /* as crawl_frontier_done */
    cw_host_record *host; /* to be released by whoever does what is to be done */
    crawl_slice memo;
} cw_visit_ending;

typedef struct cw_visit_receipts cw_visit_receipts;

/* NULL: no memory. */
cw_visit_receipts *cw_visit_receipts_create(void);
/* Leases whose receipts have not come stay out: they are asked for again when the crawl goes on. */
void cw_visit_receipts_free(cw_visit_receipts *receipts);

/* The record of this lease was taken, and its receipt will come, or has come already. CRAWL_ENOMEM. */
crawl_err cw_visit_receipts_await(cw_visit_receipts *receipts, uint64_t lease);
/* The lease is to end in this way, which is copied, once its receipt is there. CRAWL_EXISTS: it is, and nothing was
 * copied. CRAWL_ENOMEM. */
crawl_err cw_visit_receipts_hold(cw_visit_receipts *receipts, const cw_visit_ending *ending);
/* Nobody waits for the receipt of this lease any more; where there is none nothing happens. */
void cw_visit_receipts_drop(cw_visit_receipts *receipts, uint64_t lease);

/* The receipt comes. Returns the ending that is to be done now, for the caller to free; NULL: the visit is not over, or
 * was never held. */
cw_visit_ending *cw_visit_receipts_take(cw_visit_receipts *receipts, uint64_t lease);

#endif
