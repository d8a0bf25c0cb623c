/* Taking requests out of the seen-set, when their leases end or at a date. */
#pragma once

#include "frontier/state.h"

/* Finds the key to forget at `at` when this lease ends. false: its request cannot be forgotten, or never is to be. */
bool cw_frontier_date_of(const crawl_frontier *frontier, const cw_frontier_lease *lease, int64_t at,
                         cw_frontier_forget *out);

/* The request of this lease, which is over, is forgotten now or at a date, where it can be. */
void cw_frontier_forget_lease(crawl_frontier *frontier, const cw_frontier_lease *lease, int64_t at, int64_t now);

/* Forgets some of what has come due, which cw_frontier_forgets_next says. false: nothing could be done now. */
bool cw_frontier_forget_due(crawl_frontier *frontier);
