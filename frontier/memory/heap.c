/* See heap.h. Sifting moves a hole and writes the entry once, at its end. */
#include "frontier/memory/heap.h"

enum { ARITY = 4 };

#define INDEX_MAX (UINT32_MAX / 2) /* entries; the place is index + 1 in 32 bits */

static cw_frontier_entry *at(const cw_frontier_heap *heap, size_t i)
{
    return heap->root + (ptrdiff_t)i * heap->step;
}

static uint32_t *place_of(size_t offset, void *value)
{
    return (uint32_t *)(void *)((char *)value + offset);
}

static void settle(const cw_frontier_heap *heap, size_t i, cw_frontier_entry entry)
{
    *at(heap, i) = entry;
    if (heap->place)
        *place_of(heap->place, entry.value) = (uint32_t)i + 1;
}

static void sift_up(const cw_frontier_heap *heap, size_t hole, cw_frontier_entry entry)
{
    while (hole > 0) {
        size_t parent = (hole - 1) / ARITY;
        if (!cw_frontier_key_less(entry.key, at(heap, parent)->key))
            break;
        settle(heap, hole, *at(heap, parent));
        hole = parent;
    }
    settle(heap, hole, entry);
}

static size_t least_child(const cw_frontier_heap *heap, size_t count, size_t first)
{
    size_t end = count - first < ARITY ? count : first + ARITY;
    size_t least = first;
    for (size_t i = first + 1; i < end; i++)
        if (cw_frontier_key_less(at(heap, i)->key, at(heap, least)->key))
            least = i;
    return least;
}

static void sift_down(const cw_frontier_heap *heap, size_t count, size_t hole, cw_frontier_entry entry)
{
    for (size_t first = hole * ARITY + 1; first < count; first = hole * ARITY + 1) {
        size_t child = least_child(heap, count, first);
        if (!cw_frontier_key_less(at(heap, child)->key, entry.key))
            break;
        settle(heap, hole, *at(heap, child));
        hole = child;
    }
    settle(heap, hole, entry);
}

/* Puts entry where entry i of count is now. */
static void replace(const cw_frontier_heap *heap, size_t count, size_t i, cw_frontier_entry entry)
{
    if (i > 0 && cw_frontier_key_less(entry.key, at(heap, (i - 1) / ARITY)->key))
        sift_up(heap, i, entry);
    else
        sift_down(heap, count, i, entry);
}

void cw_frontier_heap_expect_add(const cw_frontier_heap *heap, size_t count)
{
    __builtin_prefetch(at(heap, 0));
    __builtin_prefetch(at(heap, count ? (count - 1) / ARITY : 0));
    __builtin_prefetch(at(heap, count), 1);
}

void cw_frontier_heap_add(const cw_frontier_heap *heap, size_t count, cw_frontier_entry entry)
{
    sift_up(heap, count, entry);
}

cw_frontier_entry cw_frontier_heap_remove(const cw_frontier_heap *heap, size_t count, size_t index)
{
    cw_frontier_entry removed = *at(heap, index);
    cw_frontier_entry last = *at(heap, count - 1);
    if (index < count - 1)
        replace(heap, count - 1, index, last);
    if (heap->place)
        *place_of(heap->place, removed.value) = 0;
    return removed;
}

crawl_err cw_frontier_index_reserve(cw_frontier_index *index, cw_frontier_memory *memory, size_t room)
{
    if (room <= index->capacity)
        return CRAWL_OK;
    if (room > INDEX_MAX)
        return CRAWL_ENOMEM;
    size_t capacity = index->capacity + index->capacity / 2 + 4;
    if (capacity < room)
        capacity = room;
    cw_frontier_entry *entries = cw_frontier_memory_resize(memory, index->entries, capacity * sizeof *entries);
    if (!entries)
        return CRAWL_ENOMEM;
    index->entries = entries;
    index->capacity = (uint32_t)capacity;
    return CRAWL_OK;
}

static cw_frontier_heap heap_of(const cw_frontier_index *index)
{
    return (cw_frontier_heap){.root = index->entries, .step = 1, .place = index->place};
}

static bool is_same(cw_frontier_key a, cw_frontier_key b)
{
    return a.high == b.high && a.low == b.low;
}

void cw_frontier_index_put(cw_frontier_index *index, void *value, cw_frontier_key key)
{
    cw_frontier_heap heap = heap_of(index);
    uint32_t place = *place_of(index->place, value);
    cw_frontier_entry entry = {.key = key, .value = value};
    if (!place)
        cw_frontier_heap_add(&heap, index->count++, entry);
    else if (!is_same(index->entries[place - 1].key, key)) /* parent and children, all elsewhere in memory, need no look
                                                            */
        replace(&heap, index->count, place - 1, entry);
}

void cw_frontier_index_expect(const cw_frontier_index *index, const void *value)
{
    uint32_t place = *(const uint32_t *)(const void *)((const char *)value + index->place);
    if (place)
        __builtin_prefetch(&index->entries[place - 1]);
}

void cw_frontier_index_drop(cw_frontier_index *index, void *value)
{
    cw_frontier_heap heap = heap_of(index);
    uint32_t place = *place_of(index->place, value);
    if (place)
        cw_frontier_heap_remove(&heap, index->count--, place - 1);
}
