/* 4-ary heaps of (key, pointer) entries, the least key on top. The key stands in the entry, so that sifting touches
 * nothing but the heap's own array. Entries put in the order of their keys cost no sifting. */
#ifndef CW_FRONTIER_HEAP_H
#define CW_FRONTIER_HEAP_H

#include "frontier/memory/memory.h"

/* 128 bits, the lesser first. */
typedef struct cw_frontier_key {
    uint64_t high;
    uint64_t low;
} cw_frontier_key;

typedef struct cw_frontier_entry {
    cw_frontier_key key;
    void *value;
} cw_frontier_entry;

static inline bool cw_frontier_key_less(cw_frontier_key a, cw_frontier_key b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* Times are signed; in a key they keep their order. */
static inline uint64_t cw_frontier_key_of_time(int64_t time)
{
    return (uint64_t)time ^ (uint64_t)1 << 63;
}

static inline int64_t cw_frontier_time_of_key(uint64_t high)
{
    return (int64_t)(high ^ (uint64_t)1 << 63);
}

/* Where a heap lies: entry i is root[i * step]. Two heaps can share an array from its two ends (steps 1 and -1). */
typedef struct cw_frontier_heap {
    cw_frontier_entry *root;
    ptrdiff_t step;
    size_t place; /* offset in the values of a uint32_t that is kept at index + 1; 0: none is kept */
} cw_frontier_heap;

/* Asks the memory for what cw_frontier_heap_add, and whoever looks at the top then, will read. */
void cw_frontier_heap_expect_add(const cw_frontier_heap *heap, size_t count);
/* Adds to a heap of count entries; there is room for one more. */
void cw_frontier_heap_add(const cw_frontier_heap *heap, size_t count, cw_frontier_entry entry);
/* Takes entry index out of a heap of count entries. */
cw_frontier_entry cw_frontier_heap_remove(const cw_frontier_heap *heap, size_t count, size_t index);

/* A heap with an array of its own and values that know their place in it: 0 means not in it. */
typedef struct cw_frontier_index {
    cw_frontier_entry *entries;
    uint32_t count;
    uint32_t capacity;
    size_t place; /* offset in the values of the uint32_t place */
} cw_frontier_index;

/* Makes room for `room` entries in all. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_index_reserve(cw_frontier_index *index, cw_frontier_memory *memory, size_t room);
/* Puts value in, or moves it to where key wants it. There is room. */
void cw_frontier_index_put(cw_frontier_index *index, void *value, cw_frontier_key key);
/* Asks the memory for where value is. */
void cw_frontier_index_expect(const cw_frontier_index *index, const void *value);
/* Takes value out if it is in. */
void cw_frontier_index_drop(cw_frontier_index *index, void *value);

#endif
