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

#include "frontier/disk/stage/stage.h"
#include "frontier/state.h"

struct cw_disk;

/* A queue's tail as this store has it. */
typedef struct cw_disk_window {
    cw_frontier_tail tail;
    struct cw_disk_windows *windows;
    cw_frontier_host *host;
    struct cw_disk_window *older; /* among those with something in memory */
    struct cw_disk_window *newer;
    uint32_t staged; /* in memory and in the stage; see stage.h */
    bool listed;
} cw_disk_window;

static inline cw_disk_window *cw_disk_window_of(const cw_frontier_queue *queue)
{
    return (cw_disk_window *)(void *)queue->tail;
}

typedef struct cw_disk_windows {
    struct cw_disk *disk;
    cw_frontier_memory *memory;
    const cw_frontier_hosts *hosts;
    const cw_frontier_leases *leases;
    const cw_frontier_schedule *schedule;
    crawl_order order;
    cw_disk_window *oldest; /* of those with something in memory */
    cw_disk_window *newest;
    uint64_t bytes;
    uint64_t budget;
    cw_disk_stage stage;
} cw_disk_windows;

/* Hosts that can take turns lease by lease with windows of this budget; 0: any number, for the order leaves no
 * choice. */
uint64_t cw_disk_windows_sessions(crawl_order order, uint64_t budget);

/* For a queue that has none. CRAWL_ENOMEM. */
crawl_err cw_disk_tail_create(crawl_frontier *frontier, cw_frontier_host *host, cw_frontier_queue *queue);
/* With nothing in it or in memory. */
void cw_disk_tail_free(cw_frontier_queue *queue, cw_frontier_memory *memory);

/* For queue.c. Is this request to stay on disk alone? Then the item is freed. */
bool cw_disk_tail_takes(cw_frontier_queue *queue, int lane, cw_heap_key key, cw_frontier_item *item);
/* An item was put into the window, or taken out. */
void cw_disk_tail_grew(cw_frontier_queue *queue, int lane, cw_frontier_item *item);
void cw_disk_tail_shrank(cw_frontier_queue *queue, cw_frontier_item *item);

/* Reads requests of a lane whose first one is on disk only. CRAWL_ENOMEM: unchanged. CRAWL_EIO, CRAWL_ECORRUPT:
 * noted as the failure of the store. */
crawl_err cw_disk_tail_refill(cw_frontier_queue *queue, int lane);

/* What of this stage is in memory stands in the queue on disk now: what there is no room for is let go of. */
void cw_disk_tail_settled(cw_frontier_queue *queue, uint8_t stage);

/* Makes the delayed requests ready that are due, on disk and in memory. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM: some
 * are still delayed; noted as the failure of the store. */
crawl_err cw_disk_tail_ripen(cw_frontier_queue *queue, crawl_order order, int64_t now);

#endif
