/* The part of a queue that is on disk only. Of a durable frontier every queued request has its record on disk; a queue
 * that has requests holds a tail, which says how many of each lane are not in memory and where on disk the first of
 * them stands. The part in memory is a window on the first ones, filled a batch at a time when it is empty and the host
 * is asked.
 *
 *   disk     | leased | in memory ... | edge ...                 |
 *
 * Requests in the stage (see stage.h) are in memory as well, and may lie behind the edge; they are no part of the
 * window.
 *
 * All windows together have a budget in bytes. A refill takes no more than the host's share of it; when it is exceeded,
 * the windows filled longest ago are let go of, which costs nothing but reading them again. */
#pragma once

#include "frontier/disk/stage/stage.h"
#include "frontier/state.h"

#define CW_DISK_REFILL_MAX 64u /* the most requests that a window is filled with at once */

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

/* Lets go of the delayed requests that are in memory, or of all but those in the stage: they are on disk as well. */
void cw_disk_tail_leave_delayed(cw_frontier_queue *queue);
void cw_disk_tail_leave(cw_frontier_queue *queue);

/* The requests of this stage in memory stand in the queue on disk now: those without room are let go of. */
void cw_disk_tail_settled(cw_frontier_queue *queue, uint8_t stage);

/* ---- for refill.c ---- */

/* Are there more hosts than can take turns lease by lease? See schedule.h. */
bool cw_disk_windows_are_crowded(const cw_disk_windows *windows);
/* A host's share: how many requests its window is filled with, from 1, without which nothing could be leased, to
 * CW_DISK_REFILL_MAX. Where hosts have sessions, only the hosts in a session have a share. */
uint32_t cw_disk_windows_share(const cw_disk_windows *windows);
/* Lets go of the oldest windows until the budget is kept, but never of this one. */
void cw_disk_windows_keep_budget(cw_disk_windows *windows, const cw_disk_window *window);

/* The bytes that an item is counted with, the same for all its life: a parent is counted for each item that has it. */
uint64_t cw_disk_tail_weight(cw_frontier_item *item);
/* How many requests of a lane are in memory and not in the stage. */
uint32_t cw_disk_tail_in_window(const cw_frontier_queue *queue, int lane);
/* Adds an entry to those of a lane in memory, where there is room for it. */
void cw_disk_tail_add(cw_frontier_queue *queue, int lane, cw_heap_entry entry);
/* Makes the window the newest in the list of windows. */
void cw_disk_tail_relist(cw_disk_window *window);

/* The store's part of crawl_frontier_hasten. CRAWL_ENOMEM, CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_disk_tail_hasten(crawl_frontier *frontier, cw_frontier_queue *queue,
                              struct cw_frontier_hastening *hastening);

/* Reads requests of a lane whose first one is on disk only. CRAWL_ENOMEM: unchanged. CRAWL_EIO, CRAWL_ECORRUPT:
 * noted as the failure of the store. */
crawl_err cw_disk_tail_refill(cw_frontier_queue *queue, int lane);

/* Makes the delayed requests ready that are due, on disk and in memory. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM: some
 * are still delayed; noted as the failure of the store. */
crawl_err cw_disk_tail_ripen(cw_frontier_queue *queue, crawl_order order, int64_t now);
