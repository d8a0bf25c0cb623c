/* A host's requests in order. The schedule sees only the head's key, the time when the next delayed request is due, and
 * keep / put / delay / take.
 *
 * In memory: one array with two heaps, ready requests by order from the left end and delayed ones by date from the
 * right end; between them at least as much room as requests were taken out and may come back:
 *
 *   [ ready ... -> | kept, and spare | <- ... delayed ]
 *
 * With a tail, all requests are in a store (see store.h), and the array is a window on the first of each heap. */
#pragma once

#include "frontier/hosts/order.h"

#define CW_FRONTIER_NEVER INT64_MIN /* a time before all others */

/* Requests of a queue by the key that sorts them: ready ones, or delayed ones. */
enum { CW_LANE_READY, CW_LANE_DELAYED, CW_KIND_LANES };

/* The requests of a lane that are only in the store. */
typedef struct cw_frontier_lane {
    cw_heap_key edge; /* the lowest of them; undefined if there is none */
    uint64_t count;
} cw_frontier_lane;

/* The part of a queue that is only in its store. A store's own data about it follows the struct. */
typedef struct cw_frontier_tail {
    cw_frontier_lane lanes[CW_KIND_LANES];
    const struct cw_frontier_tails *calls; /* of its store */
} cw_frontier_tail;

typedef struct cw_frontier_queue {
    cw_heap_entry *entries;
    cw_frontier_tail *tail; /* NULL: all requests are in entries */
    uint32_t capacity;
    uint32_t ready;
    uint32_t delayed;
    uint32_t kept; /* reserved room: leases out, and requests about to be put */
} cw_frontier_queue;

/* Returns how many are only in the store. */
static inline uint64_t cw_frontier_queue_beyond(const cw_frontier_queue *queue, int lane)
{
    return queue->tail ? queue->tail->lanes[lane].count : 0;
}

static inline uint64_t cw_frontier_queue_count(const cw_frontier_queue *queue)
{
    uint64_t count = (uint64_t)queue->ready + queue->delayed;
    if (queue->tail)
        count += queue->tail->lanes[CW_LANE_READY].count + queue->tail->lanes[CW_LANE_DELAYED].count;
    return count;
}

static inline bool cw_frontier_queue_has_ready(const cw_frontier_queue *queue)
{
    return queue->ready || cw_frontier_queue_beyond(queue, CW_LANE_READY);
}

/* Returns the heap of a lane. */
static inline cw_heap cw_frontier_queue_heap(const cw_frontier_queue *queue, int lane)
{
    if (lane == CW_LANE_READY || !queue->entries)
        return (cw_heap){.root = queue->entries, .step = 1};
    return (cw_heap){.root = queue->entries + queue->capacity - 1, .step = -1};
}

static inline uint32_t cw_frontier_queue_in_memory(const cw_frontier_queue *queue, int lane)
{
    return lane == CW_LANE_READY ? queue->ready : queue->delayed;
}

/* Returns a lane as it would be with nothing in memory. */
cw_frontier_lane cw_frontier_queue_whole(const cw_frontier_queue *queue, int lane);

/* Makes room for `more` entries beside all that are in and kept. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_queue_reserve(cw_frontier_queue *queue, cw_frontier_memory *memory, uint32_t more);
/* Keeps room for one more request. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_queue_keep(cw_frontier_queue *queue, cw_frontier_memory *memory);
/* Gives up kept room. */
void cw_frontier_queue_unkeep(cw_frontier_queue *queue);

/* Prefetches what cw_frontier_queue_put of a ready request, and the next look at the head, will read. */
void cw_frontier_queue_expect_put(const cw_frontier_queue *queue);
/* Put an item into kept room; cannot fail. With a tail the request must be in the store already, and the item may be
 * freed. */
void cw_frontier_queue_put(cw_frontier_queue *queue, cw_heap_key key, cw_frontier_item *item);
void cw_frontier_queue_delay(cw_frontier_queue *queue, int64_t until, uint64_t sequence, cw_frontier_item *item);

/* Makes the due delayed requests ready. Fails only with a tail, with its store's error. */
crawl_err cw_frontier_queue_ripen(cw_frontier_queue *queue, crawl_order order, int64_t now);

/* Returns true if this key is before all of a lane that are only in the store. */
static inline bool cw_frontier_queue_is_before_edge(const cw_frontier_queue *queue, int lane, cw_heap_key key)
{
    return !cw_frontier_queue_beyond(queue, lane) || cw_heap_key_less(key, queue->tail->lanes[lane].edge);
}

/* Returns the best ready request if it is in memory. NULL: it is only in the store, or there is none. */
static inline const cw_heap_entry *cw_frontier_queue_head(const cw_frontier_queue *queue)
{
    bool has = queue->ready && cw_frontier_queue_is_before_edge(queue, CW_LANE_READY, queue->entries[0].key);
    return has ? queue->entries : NULL;
}

/* Returns the key of the best ready request; there must be one. */
static inline cw_heap_key cw_frontier_queue_head_key(const cw_frontier_queue *queue)
{
    const cw_heap_entry *head = cw_frontier_queue_head(queue);
    return head ? head->key : queue->tail->lanes[CW_LANE_READY].edge;
}

/* Returns when the next delayed request is due. CRAWL_FOREVER: none is delayed. */
static inline int64_t cw_frontier_queue_due(const cw_frontier_queue *queue)
{
    if (queue->delayed)
        return cw_heap_time_of_key(queue->entries[queue->capacity - 1].key.high);
    if (cw_frontier_queue_beyond(queue, CW_LANE_DELAYED))
        return cw_heap_time_of_key(queue->tail->lanes[CW_LANE_DELAYED].edge.high);
    return CRAWL_FOREVER;
}

/* Returns when the queue has something ready. CW_FRONTIER_NEVER: now. CRAWL_FOREVER: it is empty. */
static inline int64_t cw_frontier_queue_next(const cw_frontier_queue *queue)
{
    return cw_frontier_queue_has_ready(queue) ? CW_FRONTIER_NEVER : cw_frontier_queue_due(queue);
}

/* Takes the head, which must be in memory; its room stays kept. */
cw_heap_entry cw_frontier_queue_take(cw_frontier_queue *queue);
/* The same for the delayed request that is due first. */
cw_heap_entry cw_frontier_queue_take_delayed(cw_frontier_queue *queue);

/* Gives back unused room; all of it when nothing is left. */
void cw_frontier_queue_trim(cw_frontier_queue *queue, cw_frontier_memory *memory);
