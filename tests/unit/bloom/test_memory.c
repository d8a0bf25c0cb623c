/* Memory of large arrays: zeroed, aligned, refused beyond a bound. */
#include "bloom/memory.h"

#include <criterion/criterion.h>

static void check(uint64_t bytes, size_t alignment)
{
    cw_pages pages = {0};
    cr_assert_eq(cw_pages_get(bytes, UINT64_MAX, &pages), CRAWL_OK);
    cr_assert_geq(pages.bytes, bytes);
    cr_assert_eq((uintptr_t)pages.data % alignment, 0);
    unsigned char *p = pages.data;
    for (size_t i = 0; i < pages.bytes; i += 61)
        cr_assert_eq(p[i], 0);
    p[0] = p[pages.bytes - 1] = 1;
    cw_pages_free(&pages);
    cr_assert_null(pages.data);
    cr_assert_eq(pages.bytes, 0);
}

Test(bloom_memory, small_and_large_are_zeroed_and_aligned)
{
    check(1, 64);
    check(64000, 64);
    check((2 << 20) - 1, 64);
    check(2 << 20, 2 << 20);
    check((5 << 20) + 123, 2 << 20);
}

Test(bloom_memory, refused_without_a_trace)
{
    cw_pages pages = {.bytes = 7};
    cr_assert_eq(cw_pages_get(4097, 4096, &pages), CRAWL_ENOMEM);
    cr_assert_eq(cw_pages_get(UINT64_MAX, UINT64_MAX, &pages), CRAWL_ENOMEM);
    cr_assert_eq(cw_pages_get((uint64_t)1 << 62, UINT64_MAX, &pages), CRAWL_ENOMEM);
    cr_assert_eq(pages.bytes, 7);
    cr_assert_null(pages.data);
}

Test(bloom_memory, nothing_to_free)
{
    cw_pages pages = {0};
    cw_pages_free(&pages);
    cr_assert_gt(cw_pages_most(), 1 << 20);
}
