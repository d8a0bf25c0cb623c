/* How a visit ends its lease. When the visit of a page is over, the page counts for its host in the runs to come. When
 * the crawl has failed, the request is made once more. While the record of a visit is not kept yet (receipts.h) its
 * lease stays out, and crawl_engine_kept ends it; the visit itself is over all the same. */
#ifndef CW_VISIT_LEASE_H
#define CW_VISIT_LEASE_H

#include "crawler/engine/visit/maker.h"

/* Ends the lease, and with it the visit. at_ms: as crawl_frontier_done. */
void cw_visit_end(cw_visit *visit, crawl_outcome outcome, int64_t at_ms);
/* Ends the lease, and queues the page for its next visit at this date, with this memo. */
void cw_visit_end_again(cw_visit *visit, int64_t at_ms, crawl_slice memo);

#endif
