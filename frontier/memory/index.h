/* A heap whose memory is counted, and whose values know their place in it. */
#pragma once

#include "base/heap.h"
#include "frontier/memory/memory.h"

/* A heap with an array of its own. Its values store their place in it; 0: not in it. */
typedef struct cw_frontier_index {
    cw_heap_entry *entries;
    uint32_t count;
    uint32_t capacity;
    size_t place; /* offset in the values of the uint32_t place */
} cw_frontier_index;

/* Makes room for `room` entries in all. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_index_reserve(cw_frontier_index *index, cw_frontier_memory *memory, size_t room);
/* Adds value, or moves it to where key belongs. There must be room. */
void cw_frontier_index_put(cw_frontier_index *index, void *value, cw_heap_key key);
/* Prefetches the entry of value. */
void cw_frontier_index_expect(const cw_frontier_index *index, const void *value);
/* Removes value if it is in. */
void cw_frontier_index_drop(cw_frontier_index *index, void *value);
