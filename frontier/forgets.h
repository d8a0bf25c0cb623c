/* Finished requests to forget at a date: a heap by date. A frontier in memory holds all of them here and keeps room for
 * one more per lease, so that ending a lease never allocates. A durable frontier keeps them on disk; the heap is a
 * window on the first ones:
 *
 *   disk     | in memory, due before edge | edge ... |
 *
 * Invariants:
 *   W1  in memory: count + leases out <= capacity, if the seen-set can forget.
 *   W2  entries only on disk have a key of at least edge, entries in the window a lower one. If there are none only
 *       on disk, edge is beyond all keys. A read that starts at edge, and not at its date, meets no deleted entry. */
#pragma once

#include "frontier/memory/index.h"

#include <crawl/frontier.h>

typedef struct cw_frontier_forget {
    int64_t at;
    uint64_t sequence; /* the request's place in the order; with `at`, its key on disk */
    crawl_fingerprint fingerprint;
    uint32_t where; /* place in the seen-set */
} cw_frontier_forget;

typedef struct cw_frontier_forgets {
    cw_frontier_forget *entries;
    size_t count;
    size_t capacity;
    uint64_t beyond; /* entries only on disk */
    cw_heap_key edge;
} cw_frontier_forgets;

#define CW_FRONTIER_FORGETS_WINDOW 512u /* entries read from disk at once; at most twice as many are in memory */

#define CW_FRONTIER_FORGETS_END \
    ((cw_heap_key){.high = UINT64_MAX, .low = UINT64_MAX}) /* an edge with nothing after it */

static inline cw_frontier_forgets cw_frontier_forgets_start(void)
{
    return (cw_frontier_forgets){.edge = CW_FRONTIER_FORGETS_END};
}

static inline cw_heap_key cw_frontier_forget_order(const cw_frontier_forget *entry)
{
    return (cw_heap_key){.high = cw_heap_key_of_time(entry->at), .low = entry->sequence};
}

/* Returns when the next entry is due. CRAWL_FOREVER: there is none. */
static inline int64_t cw_frontier_forgets_next(const cw_frontier_forgets *forgets)
{
    return forgets->count ? forgets->entries[0].at : cw_heap_time_of_key(forgets->edge.high);
}

static inline uint64_t cw_frontier_forgets_count(const cw_frontier_forgets *forgets)
{
    return forgets->count + forgets->beyond;
}

/* Makes room for `more` entries beyond the present ones. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_forgets_reserve(cw_frontier_forgets *forgets, cw_frontier_memory *memory, size_t more);
/* Shrinks the array to room for `more` further entries, if most of it is unused. */
void cw_frontier_forgets_trim(cw_frontier_forgets *forgets, cw_frontier_memory *memory, size_t more);

/* Adds an entry, for which there must be room. */
void cw_frontier_forgets_add(cw_frontier_forgets *forgets, cw_frontier_forget entry);
/* Removes and returns the entry that is due first; at least one must be in memory. */
cw_frontier_forget cw_frontier_forgets_take(cw_frontier_forgets *forgets);

/* Adds an entry that was just written to disk. Keeps W2. If the window has no room, drops the window, to be read
 * again. */
void cw_frontier_forgets_add_stored(cw_frontier_forgets *forgets, cw_frontier_memory *memory, cw_frontier_forget entry);
