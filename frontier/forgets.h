/* Requests that are finished and shall be forgotten at a date: a heap by date. In memory it holds all of them; room is
 * kept for one more per lease, so that ending a lease never allocates. Of a durable frontier they stand on disk, and
 * the heap is a window on the first ones:
 *
 *   disk     | in memory, due before edge | edge ... |
 *
 * Invariants:
 *   W1  in memory: count + leases out <= capacity, where the seen-set can forget.
 *   W2  those on disk only have a key of at least edge, those in the window one below. Where none are on disk only,
 *       edge is beyond all keys. Reading from edge on, and not from its date, meets nothing that was deleted. */
#pragma once

#include "frontier/memory/index.h"

#include <crawl/frontier.h>

typedef struct cw_frontier_forget {
    int64_t at;
    uint64_t sequence; /* the request's place in the order: with `at`, its key on disk */
    crawl_fingerprint fingerprint;
    uint32_t where; /* in the seen-set */
} cw_frontier_forget;

typedef struct cw_frontier_forgets {
    cw_frontier_forget *entries;
    size_t count;
    size_t capacity;
    uint64_t beyond; /* on disk only */
    cw_heap_key edge;
} cw_frontier_forgets;

#define CW_FRONTIER_FORGETS_WINDOW \
    512u /* entries that are read from the disk at once; twice as many are in memory at most */

#define CW_FRONTIER_FORGETS_END \
    ((cw_heap_key){.high = UINT64_MAX, .low = UINT64_MAX}) /* an edge with nothing behind it */

static inline cw_frontier_forgets cw_frontier_forgets_start(void)
{
    return (cw_frontier_forgets){.edge = CW_FRONTIER_FORGETS_END};
}

static inline cw_heap_key cw_frontier_forget_order(const cw_frontier_forget *entry)
{
    return (cw_heap_key){.high = cw_heap_key_of_time(entry->at), .low = entry->sequence};
}

/* When the next one is due; CRAWL_FOREVER: there is none. */
static inline int64_t cw_frontier_forgets_next(const cw_frontier_forgets *forgets)
{
    return forgets->count ? forgets->entries[0].at : cw_heap_time_of_key(forgets->edge.high);
}

static inline uint64_t cw_frontier_forgets_count(const cw_frontier_forgets *forgets)
{
    return forgets->count + forgets->beyond;
}

/* Room for so many more than there are. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_forgets_reserve(cw_frontier_forgets *forgets, cw_frontier_memory *memory, size_t more);
/* Gives back room beyond that for so many more, where most of it is not used. */
void cw_frontier_forgets_trim(cw_frontier_forgets *forgets, cw_frontier_memory *memory, size_t more);

/* There is room. */
void cw_frontier_forgets_add(cw_frontier_forgets *forgets, cw_frontier_forget entry);
/* The one that is due first; there is one in memory. */
cw_frontier_forget cw_frontier_forgets_take(cw_frontier_forgets *forgets);

/* One that has just been written to the disk. Keeps W2. Where the window has no room it is let go of, to be read
 * again. */
void cw_frontier_forgets_add_stored(cw_frontier_forgets *forgets, cw_frontier_memory *memory, cw_frontier_forget entry);
