/* The order of requests as 128-bit keys, lower first. This is the whole difference between the orders of a crawl: queue
 * and schedule compare keys and know nothing else of them. A durable queue can store its records under the same keys,
 * written big-endian.
 *
 *   bit 127        0: urgent, 1: not
 *   bits 126..95   INT32_MAX - priority
 *   bits 94..64    depth, at most 2^31 - 1 (BFS; 0 otherwise and for urgent requests)
 *   bits 63..0     sequence: up by one per request; under DFS down by a batch, up within it */
#pragma once

#include "frontier/hosts/item.h"
#include "frontier/memory/index.h"

#define CW_FRONTIER_KEY_DEPTH_MAX ((1u << 31) - 1)

static inline cw_heap_key cw_frontier_order_key(crawl_order order, const cw_frontier_item *item, uint64_t sequence)
{
    uint64_t rank = (uint64_t)((int64_t)INT32_MAX - item->priority);
    bool urgent = (item->flags & CW_ITEM_URGENT) != 0;
    cw_heap_key key = {.high = rank << 31, .low = sequence};
    if (!urgent)
        key.high |= (uint64_t)1 << 63;
    if (!urgent && order == CRAWL_ORDER_BFS)
        key.high |= item->depth < CW_FRONTIER_KEY_DEPTH_MAX ? item->depth : CW_FRONTIER_KEY_DEPTH_MAX;
    return key;
}

static inline bool cw_frontier_key_is_urgent(cw_heap_key key)
{
    return !(key.high >> 63);
}

/* Gives out sequences. */
typedef struct cw_frontier_sequence {
    uint64_t up;   /* next one for requests in order of arrival */
    uint64_t down; /* first one of the youngest batch */
} cw_frontier_sequence;

static inline cw_frontier_sequence cw_frontier_sequence_start(void)
{
    return (cw_frontier_sequence){.up = 0, .down = UINT64_MAX};
}

/* Returns the first of `count` consecutive sequences for one batch. */
static inline uint64_t cw_frontier_sequence_batch(cw_frontier_sequence *sequence, crawl_order order, size_t count)
{
    if (order == CRAWL_ORDER_DFS)
        return sequence->down -= count;
    uint64_t first = sequence->up;
    sequence->up += count;
    return first;
}

/* Returns the sequence of a request that is queued again after it ended: the last of all, but under DFS its own, since
 * the last place there belongs to the oldest batch. */
static inline uint64_t cw_frontier_sequence_again(cw_frontier_sequence *sequence, crawl_order order, uint64_t present)
{
    return order == CRAWL_ORDER_DFS ? present : sequence->up++;
}
