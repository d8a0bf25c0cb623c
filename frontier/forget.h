/* Removing requests from the seen-set, when their leases end or at a date. */
#pragma once

#include "frontier/state.h"

/* Fills *out with the key to forget at `at` when this lease ends. false: its request cannot be forgotten, or never
 * should be. */
bool cw_frontier_date_of(const crawl_frontier *frontier, const cw_frontier_lease *lease, int64_t at,
                         cw_frontier_forget *out);

/* Forgets the request of an ended lease, now or at a date, if it can be forgotten. */
void cw_frontier_forget_lease(crawl_frontier *frontier, const cw_frontier_lease *lease, int64_t at, int64_t now);

/* Forgets some of the entries due at cw_frontier_forgets_next. false: nothing could be done now. */
bool cw_frontier_forget_due(crawl_frontier *frontier);
