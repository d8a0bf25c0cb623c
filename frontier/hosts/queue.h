/* A host's requests in order. The schedule sees of it the head's key, the time when the next delayed request is due,
 * and keep / put / delay / take.
 *
 * In memory: one array, two heaps: ready requests by their order from the left end, delayed ones by their date from the
 * right end, and between them at least as much room as requests were taken out and may come back:
 *
 *   [ ready ... -> | kept, and spare | <- ... delayed ]
 *
 * With a tail, all of them stand in a store (see store.h), and the array is a window on the first of each of the two.
 */
#pragma once

#include "frontier/hosts/order.h"

#define CW_FRONTIER_NEVER INT64_MIN /* a time before all others */

/* Requests of a queue by the key that sorts them: ready ones, or delayed ones. */
enum { CW_LANE_READY, CW_LANE_DELAYED, CW_KIND_LANES };

/* The requests of a lane that are in the store only. */
typedef struct cw_frontier_lane {
    cw_heap_key edge; /* the least of them; of no meaning if there is none */
    uint64_t count;
} cw_frontier_lane;

/* The part of a queue that is in its store only. A store's own data about it stands behind it. */
typedef struct cw_frontier_tail {
    cw_frontier_lane lanes[CW_KIND_LANES];
    const struct cw_frontier_tails *calls; /* of its store */
} cw_frontier_tail;

typedef struct cw_frontier_queue {
    cw_heap_entry *entries;
    cw_frontier_tail *tail; /* NULL: all there is stands in entries */
    uint32_t capacity;
    uint32_t ready;
    uint32_t delayed;
    uint32_t kept; /* room that is spoken for: leases out, and requests about to be put */
} cw_frontier_queue;

/* In the store only. */
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

/* The heap of a lane and how many are in it. */
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

/* A lane as it is where nothing is in memory. */
cw_frontier_lane cw_frontier_queue_whole(const cw_frontier_queue *queue, int lane);

/* Makes room for so many more entries beside all that are in and kept. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_queue_reserve(cw_frontier_queue *queue, cw_frontier_memory *memory, uint32_t more);
/* Keeps room for one more request. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_queue_keep(cw_frontier_queue *queue, cw_frontier_memory *memory);
/* Gives up room that was kept. */
void cw_frontier_queue_unkeep(cw_frontier_queue *queue);

/* Asks the memory for what cw_frontier_queue_put of a ready request, and whoever looks at the head then, will read. */
void cw_frontier_queue_expect_put(const cw_frontier_queue *queue);
/* Put an item into room that was kept; they cannot fail. With a tail the request is in the store already, and the item
 * may be freed. */
void cw_frontier_queue_put(cw_frontier_queue *queue, cw_heap_key key, cw_frontier_item *item);
void cw_frontier_queue_delay(cw_frontier_queue *queue, int64_t until, uint64_t sequence, cw_frontier_item *item);

/* Makes the delayed requests ready that are due. Fails only with a tail, as its store does. */
crawl_err cw_frontier_queue_ripen(cw_frontier_queue *queue, crawl_order order, int64_t now);

/* Is this key before all of a lane that is in the store only? */
static inline bool cw_frontier_queue_is_before_edge(const cw_frontier_queue *queue, int lane, cw_heap_key key)
{
    return !cw_frontier_queue_beyond(queue, lane) || cw_heap_key_less(key, queue->tail->lanes[lane].edge);
}

/* The best ready one if it is in memory; NULL: it is in the store only, or there is none. */
static inline const cw_heap_entry *cw_frontier_queue_head(const cw_frontier_queue *queue)
{
    bool has = queue->ready && cw_frontier_queue_is_before_edge(queue, CW_LANE_READY, queue->entries[0].key);
    return has ? queue->entries : NULL;
}

/* The key of the best ready one; there is one. */
static inline cw_heap_key cw_frontier_queue_head_key(const cw_frontier_queue *queue)
{
    const cw_heap_entry *head = cw_frontier_queue_head(queue);
    return head ? head->key : queue->tail->lanes[CW_LANE_READY].edge;
}

/* When the next delayed one is due; CRAWL_FOREVER: none is delayed. */
static inline int64_t cw_frontier_queue_due(const cw_frontier_queue *queue)
{
    if (queue->delayed)
        return cw_heap_time_of_key(queue->entries[queue->capacity - 1].key.high);
    if (cw_frontier_queue_beyond(queue, CW_LANE_DELAYED))
        return cw_heap_time_of_key(queue->tail->lanes[CW_LANE_DELAYED].edge.high);
    return CRAWL_FOREVER;
}

/* When the queue has something ready: CW_FRONTIER_NEVER: it has now; CRAWL_FOREVER: it is empty. */
static inline int64_t cw_frontier_queue_next(const cw_frontier_queue *queue)
{
    return cw_frontier_queue_has_ready(queue) ? CW_FRONTIER_NEVER : cw_frontier_queue_due(queue);
}

/* Takes the head, which is in memory; its room stays kept. */
cw_heap_entry cw_frontier_queue_take(cw_frontier_queue *queue);
/* The same of the delayed one that is due first. */
cw_heap_entry cw_frontier_queue_take_delayed(cw_frontier_queue *queue);

/* Gives room back that is no longer used; all of it when nothing is left. */
void cw_frontier_queue_trim(cw_frontier_queue *queue, cw_frontier_memory *memory);
