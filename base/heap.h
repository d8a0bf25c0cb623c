/* 4-ary heaps of (key, pointer) entries, the least key on top. The key is part of the entry, so that sifting touches
 * only the heap's array. Entries added in key order need no sifting. */
#pragma once

#include <crawl/base.h>

/* 128 bits, high first. */
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

/* Converts a signed time to a key in the same order. */
static inline uint64_t cw_heap_key_of_time(int64_t time)
{
    return (uint64_t)time ^ (uint64_t)1 << 63;
}

static inline int64_t cw_heap_time_of_key(uint64_t high)
{
    return (int64_t)(high ^ (uint64_t)1 << 63);
}

/* The memory of a heap: entry i is root[i * step]. Two heaps can share an array from its two ends (steps 1 and -1). */
typedef struct cw_heap {
    cw_heap_entry *root;
    ptrdiff_t step;
    size_t place; /* offset in the values of a uint32_t that holds index + 1; 0: none */
} cw_heap;

/* Returns the address of a value's index + 1, which is 0 while it is in no heap. */
static inline uint32_t *cw_heap_place(size_t offset, void *value)
{
    return (uint32_t *)(void *)((char *)value + offset);
}

/* Prefetches the memory that cw_heap_add and a following look at the top will read. */
void cw_heap_expect_add(const cw_heap *heap, size_t count);
/* Adds an entry to a heap of count entries, which has room for one more. */
void cw_heap_add(const cw_heap *heap, size_t count, cw_heap_entry entry);
/* Replaces entry index of a heap of count entries. */
void cw_heap_replace(const cw_heap *heap, size_t count, size_t index, cw_heap_entry entry);
/* Removes entry index from a heap of count entries. */
cw_heap_entry cw_heap_remove(const cw_heap *heap, size_t count, size_t index);
