#include "frontier/memory/index.h"

#define INDEX_MAX (UINT32_MAX / 2) /* entries; the place is index + 1 in 32 bits */

crawl_err cw_frontier_index_reserve(cw_frontier_index *index, cw_frontier_memory *memory, size_t room)
{
    if (room <= index->capacity)
        return CRAWL_OK;
    if (room > INDEX_MAX)
        return CRAWL_ENOMEM;
    size_t capacity = index->capacity + index->capacity / 2 + 4;
    if (capacity < room)
        capacity = room;
    cw_heap_entry *entries = cw_frontier_memory_resize(memory, index->entries, capacity * sizeof *entries);
    if (!entries)
        return CRAWL_ENOMEM;
    index->entries = entries;
    index->capacity = (uint32_t)capacity;
    return CRAWL_OK;
}

static cw_heap index_heap_of(const cw_frontier_index *index)
{
    return (cw_heap){.root = index->entries, .step = 1, .place = index->place};
}

static bool index_is_same(cw_heap_key a, cw_heap_key b)
{
    return a.high == b.high && a.low == b.low;
}

void cw_frontier_index_put(cw_frontier_index *index, void *value, cw_heap_key key)
{
    cw_heap heap = index_heap_of(index);
    uint32_t place = *cw_heap_place(index->place, value);
    cw_heap_entry entry = {.key = key, .value = value};
    if (!place)
        cw_heap_add(&heap, index->count++, entry);
    else if (!index_is_same(index->entries[place - 1].key, key)) /* else parent and children, scattered in memory, need
                                                                    not be read */
        cw_heap_replace(&heap, index->count, place - 1, entry);
}

void cw_frontier_index_expect(const cw_frontier_index *index, const void *value)
{
    uint32_t place = *(const uint32_t *)(const void *)((const char *)value + index->place);
    if (place)
        __builtin_prefetch(&index->entries[place - 1]);
}

void cw_frontier_index_drop(cw_frontier_index *index, void *value)
{
    cw_heap heap = index_heap_of(index);
    uint32_t place = *cw_heap_place(index->place, value);
    if (place)
        cw_heap_remove(&heap, index->count--, place - 1);
}
