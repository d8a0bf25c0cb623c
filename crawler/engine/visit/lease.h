/* How a visit ends its lease. The page of one that is over counts for its host in the runs to come; what the crawl has
 * failed upon is asked for once more. Where the record of a visit is not kept yet, its lease ends when that is so, by
 * crawl_engine_kept; the visit is over all the same. */
#ifndef CW_VISIT_LEASE_H
#define CW_VISIT_LEASE_H

#include "crawler/engine/visit/maker.h"

/* Ends the lease, and with it the visit. at_ms: as crawl_frontier_done. */
void cw_visit_end(cw_visit *visit, crawl_outcome outcome, int64_t at_ms);
/* Ends the lease as finished; the page is visited again at that date. */
void cw_visit_end_again(cw_visit *visit, int64_t at_ms, crawl_slice memo);

#endif
