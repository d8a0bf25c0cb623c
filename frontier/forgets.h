/* Requests that are finished and shall be forgotten at a date: a heap by date. In memory it holds all of them; room is kept for
 * one more per lease, so that ending a lease never allocates. Of a durable frontier they stand on disk, and the heap is a window on
 * the first ones:
 *
 *   disk     | in memory, due before edge | edge ... |
 *
 * Invariants:
 *   W1  in memory: count + leases out <= capacity, where the seen-set can forget.
 *   W2  those on disk only are due at edge or later, those in the window at edge or before. Where none are on disk only, edge
 *       is CRAWL_FOREVER. */
#ifndef CW_FRONTIER_FORGETS_H
#define CW_FRONTIER_FORGETS_H

#include "frontier/memory.h"

#include <crawl/frontier.h>

typedef struct cw_forget {
    int64_t at;
    uint64_t sequence; /* the request's place in the order: with `at`, its key on disk */
    crawl_fingerprint fingerprint;
    uint32_t where; /* in the seen-set */
} cw_forget;

typedef struct cw_forgets {
    cw_forget *entries;
    size_t count;
    size_t capacity;
    uint64_t beyond; /* on disk only */
    int64_t edge;
} cw_forgets;

#define CW_FORGETS_WINDOW 512u /* entries that are read from the disk at once; twice as many are in memory at most */

static inline cw_forgets cw_forgets_start(void)
{
    return (cw_forgets){.edge = CRAWL_FOREVER};
}

/* When the next one is due; CRAWL_FOREVER: there is none. */
static inline int64_t cw_forgets_next(const cw_forgets *forgets)
{
    return forgets->count ? forgets->entries[0].at : forgets->edge;
}

static inline uint64_t cw_forgets_count(const cw_forgets *forgets)
{
    return forgets->count + forgets->beyond;
}

/* Room for so many more than there are. CRAWL_ENOMEM: unchanged. */
crawl_err cw_forgets_reserve(cw_forgets *forgets, cw_memory *memory, size_t more);
/* Gives back room beyond that for so many more, where most of it is not used. */
void cw_forgets_trim(cw_forgets *forgets, cw_memory *memory, size_t more);

/* There is room. */
void cw_forgets_add(cw_forgets *forgets, cw_forget entry);
/* The one that is due first; there is one in memory. */
cw_forget cw_forgets_take(cw_forgets *forgets);

/* One that has just been written to the disk. Keeps W2. Where the window has no room it is let go of, to be read again. */
void cw_forgets_add_stored(cw_forgets *forgets, cw_memory *memory, cw_forget entry);

#endif
