#include "frontier/memory/arena.h"

#include "base/huge_page.h"

#define FIRST_CHUNK ((size_t)4 << 10) /* each further one is twice as large, up to a huge page */

static size_t arena_round_up(size_t size)
{
    return (size + CW_FRONTIER_ARENA_ALIGN - 1) / CW_FRONTIER_ARENA_ALIGN * CW_FRONTIER_ARENA_ALIGN;
}

/* Abandons the rest of the previous chunk: less than half of it, unless the block is larger than a chunk. */
static crawl_err arena_add_chunk(cw_frontier_arena *arena, cw_frontier_memory *memory, size_t size)
{
    size_t head = arena_round_up(sizeof(cw_frontier_chunk));
    size_t whole = arena->chunks ? arena->chunks->size : FIRST_CHUNK / 2;
    whole = whole < CW_HUGE_PAGE / 2 ? whole * 2 : CW_HUGE_PAGE;
    if (whole < head + size)
        whole = head + size;
    cw_frontier_chunk *chunk = aligned_alloc(whole == CW_HUGE_PAGE ? CW_HUGE_PAGE : CW_FRONTIER_ARENA_ALIGN, whole);
    if (!chunk)
        return CRAWL_ENOMEM;
    cw_ask_for_huge_pages(chunk, whole);
    memory->bytes += whole; /* the allocator sets more aside for alignment, which is never touched */
    *chunk = (cw_frontier_chunk){.before = arena->chunks, .size = whole};
    *arena = (cw_frontier_arena){.chunks = chunk, .next = (char *)chunk + head, .left = whole - head};
    return CRAWL_OK;
}

void *cw_frontier_arena_get(cw_frontier_arena *arena, cw_frontier_memory *memory, size_t size)
{
    size = arena_round_up(size);
    if (size > arena->left && arena_add_chunk(arena, memory, size))
        return NULL;
    void *block = arena->next;
    arena->next += size;
    arena->left -= size;
    return block;
}

void cw_frontier_arena_unget(cw_frontier_arena *arena, size_t size)
{
    arena->next -= arena_round_up(size);
    arena->left += arena_round_up(size);
}

void cw_frontier_arena_free(cw_frontier_arena *arena)
{
    while (arena->chunks) {
        cw_frontier_chunk *chunk = arena->chunks;
        arena->chunks = chunk->before;
        free(chunk);
    }
    *arena = (cw_frontier_arena){0};
}
