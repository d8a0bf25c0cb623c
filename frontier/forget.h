/* Taking requests out of the seen-set, when their leases end or at a date. */
#ifndef CW_FRONTIER_FORGET_H
#define CW_FRONTIER_FORGET_H

#include "frontier/disk/persist.h"

/* Keeps room for one more lease that may end in a date to forget at. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_keep_forget(crawl_frontier *frontier);

/* The request of this lease, which is over, is forgotten now or at a date, where it can be. */
void cw_frontier_forget(crawl_frontier *frontier, const cw_lease *lease, int64_t at, int64_t now);
/* The durable frontier's, before it, into the batch under way. true: the log of the seen-set is one batch longer. */
bool cw_persist_forget(crawl_frontier *frontier, const cw_lease *lease, int64_t at, int64_t now);

#endif
