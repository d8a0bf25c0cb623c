/* frontier/memory/arena.c: blocks that do not overlap, and their count. */
#include "base/huge_page.h"
#include "tests/support/frontier_check.h"

#include <criterion/criterion.h>

static cw_frontier_arena arena;
static cw_frontier_memory memory;

static void setup(void)
{
    arena = (cw_frontier_arena){0};
    memory = (cw_frontier_memory){0};
}

static void teardown(void)
{
    cw_frontier_arena_free(&arena);
}

TestSuite(arena, .init = setup, .fini = teardown);

Test(arena, blocks_keep_what_is_written_to_them)
{
    enum { COUNT = 30000 };
    static unsigned char *blocks[COUNT];
    size_t total = 0;
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = 1 + i % 300;
        blocks[i] = cw_frontier_arena_get(&arena, &memory, size);
        cr_assert_not_null(blocks[i]);
        cr_assert_eq((uintptr_t)blocks[i] % CW_FRONTIER_ARENA_ALIGN, 0);
        memset(blocks[i], (int)(i % 251), size);
        total += size;
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t at = 0; at < 1 + i % 300; at++)
            cr_assert_eq(blocks[i][at], i % 251);
    cr_expect_geq(memory.bytes, total);
    cr_expect_leq(memory.bytes, total + COUNT * (size_t)CW_FRONTIER_ARENA_ALIGN + 2 * CW_HUGE_PAGE);
}

Test(arena, few_blocks_take_little)
{
    cr_assert_not_null(cw_frontier_arena_get(&arena, &memory, 100));
    cr_expect_leq(memory.bytes, 4096);
}

Test(arena, a_block_larger_than_a_chunk)
{
    char *small = cw_frontier_arena_get(&arena, &memory, 10);
    char *large = cw_frontier_arena_get(&arena, &memory, 3 * CW_HUGE_PAGE);
    char *next = cw_frontier_arena_get(&arena, &memory, 10);
    cr_assert(small && large && next);
    memset(large, 1, 3 * CW_HUGE_PAGE);
    memset(next, 2, 10);
    cr_expect_eq(large[3 * CW_HUGE_PAGE - 1], 1);
    cr_expect_leq(memory.bytes, 5 * CW_HUGE_PAGE);
}

Test(arena, what_is_given_back_is_given_again)
{
    (void)cw_frontier_arena_get(&arena, &memory, 50);
    void *first = cw_frontier_arena_get(&arena, &memory, 70);
    uint64_t bytes = memory.bytes;
    for (int i = 0; i < 1000; i++) {
        cw_frontier_arena_unget(&arena, 70);
        cr_assert_eq(cw_frontier_arena_get(&arena, &memory, 70), first);
    }
    cr_expect_eq(memory.bytes, bytes);
    cr_expect_eq(bytes_of_arena(&arena), bytes);
}
