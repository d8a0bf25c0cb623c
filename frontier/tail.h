/* The part of a queue that is on disk only. Of a durable frontier every queued request has its record on disk; a queue that has
 * requests holds a tail, which says how many of each lane are not in memory and where on disk the first of them stands.
 * What is in memory is a window on the first ones, filled a batch at a time when it is empty and the host is asked.
 *
 *   disk     | leased | in memory ... | edge ...                 |
 *
 * All windows together have a budget in bytes. A refill takes no more than the host's share of it; when it is exceeded, the
 * windows filled longest ago are let go of, which costs nothing but reading them again. */
#ifndef CW_FRONTIER_TAIL_H
#define CW_FRONTIER_TAIL_H

#include "frontier/lease.h"

struct cw_store;

typedef struct cw_windows {
    struct cw_store *store;
    cw_memory *memory;
    const cw_hosts *hosts;
    const cw_leases *leases;
    crawl_order order;
    cw_tail *oldest; /* of those with something in memory */
    cw_tail *newest;
    uint64_t bytes;
    uint64_t budget;
} cw_windows;

/* For a queue that has none. NULL: no memory. */
cw_tail *cw_tail_create(cw_windows *windows, cw_host *host);
/* With nothing in it or in memory. */
void cw_tail_free(cw_queue *queue, cw_memory *memory);

/* For queue.c. Is this request to stay on disk alone? Then the item is freed. */
bool cw_tail_takes(cw_queue *queue, int lane, cw_key key, cw_item *item);
/* An item was put into the window, or taken out. */
void cw_tail_grew(cw_queue *queue, int lane, cw_item *item);
void cw_tail_shrank(cw_queue *queue, cw_item *item);

/* Reads requests of a lane that has some on disk only and none in memory. CRAWL_ENOMEM: unchanged. CRAWL_EIO, CRAWL_ECORRUPT:
 * noted as the failure of the store. */
crawl_err cw_tail_refill(cw_queue *queue, int lane);

/* Makes the delayed requests ready that are due, on disk and in memory. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM: some are still
 * delayed; noted as the failure of the store. */
crawl_err cw_tail_ripen(cw_queue *queue, crawl_order order, int64_t now);

#endif
