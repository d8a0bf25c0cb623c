/* The part of a queue that is on disk only. Of a durable frontier every queued request has its record on disk; a queue
 * that has requests holds a tail, which says how many of each lane are not in memory and where on disk the first of
 * them stands. What is in memory is a window on the first ones, filled a batch at a time when it is empty and the host
 * is asked.
 *
 *   disk     | leased | in memory ... | edge ...                 |
 *
 * Requests in the stage (see stage.h) are in memory as well, and may lie behind the edge; they are no part of the
 * window.
 *
 * All windows together have a budget in bytes. A refill takes no more than the host's share of it; when it is exceeded,
 * the windows filled longest ago are let go of, which costs nothing but reading them again. */
#ifndef CW_FRONTIER_TAIL_H
#define CW_FRONTIER_TAIL_H

#include "frontier/disk/stage.h"
#include "frontier/state.h"

struct cw_disk;

/* A queue's tail as this store has it. */
typedef struct cw_window {
    cw_tail tail;
    struct cw_windows *windows;
    cw_host *host;
    struct cw_window *older; /* among those with something in memory */
    struct cw_window *newer;
    uint32_t staged; /* in memory and in the stage; see stage.h */
    bool listed;
} cw_window;

static inline cw_window *cw_window_of(const cw_queue *queue)
{
    return (cw_window *)(void *)queue->tail;
}

typedef struct cw_windows {
    struct cw_disk *disk;
    cw_memory *memory;
    const cw_hosts *hosts;
    const cw_leases *leases;
    const cw_schedule *schedule;
    crawl_order order;
    cw_window *oldest; /* of those with something in memory */
    cw_window *newest;
    uint64_t bytes;
    uint64_t budget;
    cw_stage stage;
} cw_windows;

/* Hosts that can take turns lease by lease with windows of this budget; 0: any number, for the order leaves no
 * choice. */
uint64_t cw_windows_sessions(crawl_order order, uint64_t budget);

/* For a queue that has none. CRAWL_ENOMEM. */
crawl_err cw_tail_create(crawl_frontier *frontier, cw_host *host, cw_queue *queue);
/* With nothing in it or in memory. */
void cw_tail_free(cw_queue *queue, cw_memory *memory);

/* For queue.c. Is this request to stay on disk alone? Then the item is freed. */
bool cw_tail_takes(cw_queue *queue, int lane, cw_key key, cw_item *item);
/* An item was put into the window, or taken out. */
void cw_tail_grew(cw_queue *queue, int lane, cw_item *item);
void cw_tail_shrank(cw_queue *queue, cw_item *item);

/* Reads requests of a lane whose first one is on disk only. CRAWL_ENOMEM: unchanged. CRAWL_EIO, CRAWL_ECORRUPT:
 * noted as the failure of the store. */
crawl_err cw_tail_refill(cw_queue *queue, int lane);

/* What is in memory stands in the queue on disk now, and no longer in the stage: what there is no room for is let go
 * of. */
void cw_tail_settled(cw_queue *queue);

/* Makes the delayed requests ready that are due, on disk and in memory. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM: some
 * are still delayed; noted as the failure of the store. */
crawl_err cw_tail_ripen(cw_queue *queue, crawl_order order, int64_t now);

#endif
