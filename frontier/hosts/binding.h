/* What the hosts with something queued wait for: how many of each standing, and which of those that are held have most
 * queued. Kept up with each placing of a host, so that to tell it is no work, however many there are. */
#ifndef CW_FRONTIER_BINDING_H
#define CW_FRONTIER_BINDING_H

#include "frontier/hosts/hosts.h"

/* Held hosts that are watched for having most queued. A host comes in when it is placed with more than the least of
 * them. One that was not placed since others shrank may be missing: it comes in with its next turn. */
#define CW_FRONTIER_WATCHED 16u

typedef struct cw_frontier_binding {
    uint64_t hosts[CRAWL_STANDING_COUNT];
    cw_frontier_host *watched[CW_FRONTIER_WATCHED]; /* in no order */
    unsigned watched_count;
} cw_frontier_binding;

/* Notes where the host stands after it was placed; CRAWL_STANDING_COUNT: nothing of it is queued. */
void cw_frontier_binding_note(cw_frontier_binding *binding, cw_frontier_host *host, crawl_standing standing);

static inline bool cw_frontier_standing_is_held(unsigned standing)
{
    return standing == CRAWL_STANDING_PAUSED || standing == CRAWL_STANDING_BUSY || standing == CRAWL_STANDING_BLOCKED;
}

#endif
