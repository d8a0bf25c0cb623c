/* Memory that the frontier holds, counted as it is taken and given back, so that crawl_frontier_stats.bytes needs no
 * walk. A block counts with the memory that the allocator set aside for it: the usable size and the allocator's word in
 * front. */
#pragma once

#include <crawl/base.h>

#include <malloc.h>
#include <stdlib.h>

typedef struct cw_frontier_memory {
    uint64_t bytes;
} cw_frontier_memory;

/* Returns the bytes set aside for a malloc block; 0 for NULL. */
static inline size_t cw_frontier_held(void *block)
{
    return block ? malloc_usable_size(block) + sizeof(size_t) : 0;
}

/* Counts a block that was allocated outside the lock. */
static inline void cw_frontier_memory_adopt(cw_frontier_memory *memory, void *block)
{
    memory->bytes += cw_frontier_held(block);
}

/* Stops counting a block; the caller frees it, outside the lock if it likes. */
static inline void cw_frontier_memory_disown(cw_frontier_memory *memory, void *block)
{
    memory->bytes -= cw_frontier_held(block);
}

/* Like realloc. NULL: out of memory, block is unchanged. size must not be 0. */
static inline void *cw_frontier_memory_resize(cw_frontier_memory *memory, void *block, size_t size)
{
    size_t before = cw_frontier_held(block);
    void *moved = realloc(block, size);
    if (moved)
        memory->bytes += cw_frontier_held(moved) - before;
    return moved;
}

static inline void cw_frontier_memory_free(cw_frontier_memory *memory, void *block)
{
    cw_frontier_memory_disown(memory, block);
    free(block);
}
