/* A host's requests in order: the storage side of the frontier. The schedule sees of it the head's key, the time when the
 * next delayed request is due, and keep / put / delay / take; a durable backend replaces what is behind these calls.
 *
 * One array, two heaps: ready requests by their order from the left end, delayed ones by their date from the right end, and
 * between them at least as much room as requests were taken out and may come back:
 *
 *   [ ready ... -> | kept, and spare | <- ... delayed ] */
#ifndef CW_FRONTIER_QUEUE_H
#define CW_FRONTIER_QUEUE_H

#include "frontier/order.h"

#define CW_NEVER INT64_MIN /* a time before all others */

typedef struct cw_queue {
    cw_entry *entries;
    uint32_t capacity;
    uint32_t ready;
    uint32_t delayed;
    uint32_t kept; /* room that is spoken for: leases out, and requests about to be put */
} cw_queue;

static inline uint32_t cw_queue_count(const cw_queue *queue)
{
    return queue->ready + queue->delayed;
}

/* Keeps room for one more request. CRAWL_ENOMEM: unchanged. */
crawl_err cw_queue_keep(cw_queue *queue, cw_memory *memory);
/* Gives up room that was kept. */
void cw_queue_unkeep(cw_queue *queue);

/* Put an item into room that was kept; they cannot fail. */
void cw_queue_put(cw_queue *queue, cw_key key, cw_item *item);
void cw_queue_delay(cw_queue *queue, int64_t until, uint64_t sequence, cw_item *item);

/* Makes the delayed requests ready that are due. */
void cw_queue_ripen(cw_queue *queue, crawl_order order, int64_t now);

/* The best ready one; NULL: none. */
static inline const cw_entry *cw_queue_head(const cw_queue *queue)
{
    return queue->ready ? queue->entries : NULL;
}

/* When the next delayed one is due; CRAWL_FOREVER: none is delayed. */
static inline int64_t cw_queue_due(const cw_queue *queue)
{
    return queue->delayed ? cw_time_of_key(queue->entries[queue->capacity - 1].key.high) : CRAWL_FOREVER;
}

/* When the queue has something ready: CW_NEVER: it has now; CRAWL_FOREVER: it is empty. */
static inline int64_t cw_queue_next(const cw_queue *queue)
{
    return queue->ready ? CW_NEVER : cw_queue_due(queue);
}

/* Takes the head; its room stays kept. */
cw_entry cw_queue_take(cw_queue *queue);

/* Gives room back that is no longer used; all of it when nothing is left. */
void cw_queue_trim(cw_queue *queue, cw_memory *memory);

#endif
