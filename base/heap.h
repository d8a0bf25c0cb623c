/* 4-ary heaps of (key, pointer) entries, the least key on top. The key stands in the entry, so that sifting touches
 * nothing but the heap's own array. Entries put in the order of their keys cost no sifting. */
#pragma once

#include <crawl/base.h>

/* 128 bits, the lesser first. */
typedef struct cw_heap_key {
    uint64_t high;
    uint64_t low;
} cw_heap_key;

typedef struct cw_heap_entry {
    cw_heap_key key;
    void *value;
} cw_heap_entry;

static inline bool cw_heap_key_less(cw_heap_key a, cw_heap_key b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* Times are signed; in a key they keep their order. */
static inline uint64_t cw_heap_key_of_time(int64_t time)
{
    return (uint64_t)time ^ (uint64_t)1 << 63;
}

static inline int64_t cw_heap_time_of_key(uint64_t high)
{
    return (int64_t)(high ^ (uint64_t)1 << 63);
}

/* Where a heap lies: entry i is root[i * step]. Two heaps can share an array from its two ends (steps 1 and -1). */
typedef struct cw_heap {
    cw_heap_entry *root;
    ptrdiff_t step;
    size_t place; /* offset in the values of a uint32_t that is kept at index + 1; 0: none is kept */
} cw_heap;

/* The place of a value, index + 1; 0: it is in no heap. */
static inline uint32_t *cw_heap_place(size_t offset, void *value)
{
    return (uint32_t *)(void *)((char *)value + offset);
}

/* Asks the memory for what cw_heap_add, and whoever looks at the top then, will read. */
void cw_heap_expect_add(const cw_heap *heap, size_t count);
/* Adds to a heap of count entries; there is room for one more. */
void cw_heap_add(const cw_heap *heap, size_t count, cw_heap_entry entry);
/* Puts entry in the place of entry index of a heap of count entries. */
void cw_heap_replace(const cw_heap *heap, size_t count, size_t index, cw_heap_entry entry);
/* Takes entry index out of a heap of count entries. */
cw_heap_entry cw_heap_remove(const cw_heap *heap, size_t count, size_t index);
