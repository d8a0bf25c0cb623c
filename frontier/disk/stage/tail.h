/* The part of a queue that is only on disk. In a durable frontier every queued request has a record on disk; a queue
 * with requests holds a tail, which says how many of each lane are not in memory and where on disk the first of them
 * stands. The part in memory is a window on the first ones, filled a batch at a time when it is empty and the host is
 * asked.
 *
 *   disk     | leased | in memory ... | edge ...                 |
 *
 * Requests in the stage (see stage.h) are in memory as well and may lie behind the edge; they are not part of the
 * window.
 *
 * All windows share a budget in bytes. A refill takes at most the host's share of it; when the budget is exceeded, the
 * windows filled longest ago are dropped, which costs only reading them again. */
#pragma once

#include "frontier/disk/stage/stage.h"
#include "frontier/state.h"

#define CW_DISK_REFILL_MAX 64u /* requests that a window is filled with at once, at most */

struct cw_disk;

/* A queue's tail in this store. */
typedef struct cw_disk_window {
    cw_frontier_tail tail;
    struct cw_disk_windows *windows;
    cw_frontier_host *host;
    struct cw_disk_window *older; /* among windows with something in memory */
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
    cw_disk_window *oldest; /* of windows with something in memory */
    cw_disk_window *newest;
    uint64_t bytes;
    uint64_t budget;
    cw_disk_stage stage;
} cw_disk_windows;

/* Returns how many hosts can take turns lease by lease with windows of this budget. 0: any number, since the order
 * leaves no choice. */
uint64_t cw_disk_windows_sessions(crawl_order order, uint64_t budget);

/* Creates a tail for a queue without one. CRAWL_ENOMEM. */
crawl_err cw_disk_tail_create(crawl_frontier *frontier, cw_frontier_host *host, cw_frontier_queue *queue);
/* Frees the tail, which must have no requests in memory or on disk. */
void cw_disk_tail_free(cw_frontier_queue *queue, cw_frontier_memory *memory);

/* For queue.c. Returns true if this request is to stay on disk only, and then frees the item. */
bool cw_disk_tail_takes(cw_frontier_queue *queue, int lane, cw_heap_key key, cw_frontier_item *item);
/* An item was added to the window, or removed. */
void cw_disk_tail_grew(cw_frontier_queue *queue, int lane, cw_frontier_item *item);
void cw_disk_tail_shrank(cw_frontier_queue *queue, cw_frontier_item *item);

/* Drop from memory the delayed requests, or all requests not in the stage: they are on disk as well. */
void cw_disk_tail_leave_delayed(cw_frontier_queue *queue);
void cw_disk_tail_leave(cw_frontier_queue *queue);

/* Turns the requests of this stage in memory into those of the queue on disk; drops those without room. */
void cw_disk_tail_settled(cw_frontier_queue *queue, uint8_t stage);

/* ---- for refill.c ---- */

/* Returns true if there are more hosts than can take turns lease by lease. See schedule.h. */
bool cw_disk_windows_are_crowded(const cw_disk_windows *windows);
/* Returns a host's share: how many requests its window is filled with, from 1, without which nothing could be leased,
 * to CW_DISK_REFILL_MAX. If hosts have sessions, only hosts in a session have a share. */
uint32_t cw_disk_windows_share(const cw_disk_windows *windows);
/* Drops the oldest windows until the budget is kept, but never this one. */
void cw_disk_windows_keep_budget(cw_disk_windows *windows, const cw_disk_window *window);

/* Returns the bytes an item is counted with, constant for its lifetime: a parent is counted for each item that has
 * it. */
uint64_t cw_disk_tail_weight(cw_frontier_item *item);
/* Returns how many requests of a lane are in memory and not in the stage. */
uint32_t cw_disk_tail_in_window(const cw_frontier_queue *queue, int lane);
/* Adds an entry to those of a lane in memory, which must have room. */
void cw_disk_tail_add(cw_frontier_queue *queue, int lane, cw_heap_entry entry);
/* Makes the window the newest in the list. */
void cw_disk_tail_relist(cw_disk_window *window);

/* The store's part of crawl_frontier_hasten. CRAWL_ENOMEM, CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_disk_tail_hasten(crawl_frontier *frontier, cw_frontier_queue *queue,
                              struct cw_frontier_hastening *hastening);

/* Reads requests of a lane whose first one is only on disk. CRAWL_ENOMEM: unchanged. CRAWL_EIO, CRAWL_ECORRUPT:
 * recorded as the failure of the store. */
crawl_err cw_disk_tail_refill(cw_frontier_queue *queue, int lane);

/* Makes the due delayed requests ready, on disk and in memory. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM: some are still
 * delayed; recorded as the failure of the store. */
crawl_err cw_disk_tail_ripen(cw_frontier_queue *queue, crawl_order order, int64_t now);
