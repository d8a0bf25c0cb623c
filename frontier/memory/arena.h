/* Blocks of memory that live as long as the arena: side by side on huge pages, without an allocator's word in front of
 * each. */
#pragma once

#include "frontier/memory/memory.h"

typedef struct cw_frontier_chunk {
    struct cw_frontier_chunk *before;
    size_t size;
} cw_frontier_chunk;

typedef struct cw_frontier_arena {
    cw_frontier_chunk *chunks; /* newest first */
    char *next;                /* in the newest */
    size_t left;
} cw_frontier_arena;

/* The size and the address of a block are rounded up to this. */
#define CW_FRONTIER_ARENA_ALIGN 16u

/* Returns a block, not zeroed. NULL: out of memory. An arena that is all zero is empty. */
void *cw_frontier_arena_get(cw_frontier_arena *arena, cw_frontier_memory *memory, size_t size);
/* Gives back the block that the last cw_frontier_arena_get returned. */
void cw_frontier_arena_unget(cw_frontier_arena *arena, size_t size);
/* Frees all blocks. */
void cw_frontier_arena_free(cw_frontier_arena *arena);
