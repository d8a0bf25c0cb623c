/* Memory of large arrays: zeroed, aligned, refused beyond a limit. */
#include "bloom/bloom_memory.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <unistd.h>

static void check(uint64_t bytes, size_t alignment)
{
    cw_bloom_pages pages = {0};
    cr_assert_eq(cw_bloom_pages_get(bytes, UINT64_MAX, &pages), CRAWL_OK);
    cr_assert_geq(pages.bytes, bytes);
    cr_assert_eq((uintptr_t)pages.data % alignment, 0);
    unsigned char *p = pages.data;
    for (size_t i = 0; i < pages.bytes; i += 61)
        cr_assert_eq(p[i], 0);
    p[0] = p[pages.bytes - 1] = 1;
    cw_bloom_pages_free(&pages);
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
    cw_bloom_pages pages = {.bytes = 7};
    cr_assert_eq(cw_bloom_pages_get(4097, 4096, &pages), CRAWL_ENOMEM);
    cr_assert_eq(cw_bloom_pages_get(UINT64_MAX, UINT64_MAX, &pages), CRAWL_ENOMEM);
    cr_assert_eq(cw_bloom_pages_get((uint64_t)1 << 62, UINT64_MAX, &pages), CRAWL_ENOMEM);
    cr_assert_eq(pages.bytes, 7);
    cr_assert_null(pages.data);
}

Test(bloom_memory, nothing_to_free)
{
    cw_bloom_pages pages = {0};
    cw_bloom_pages_free(&pages);
    cr_assert_gt(cw_bloom_pages_most(), 1 << 20);
}

/* Each growth keeps the content, adds zeroes, and can be repeated: from the heap to mapped pages, moved twice. */
Test(bloom_memory, grows_again_and_again)
{
    cw_bloom_pages pages;
    cr_assert_eq(cw_bloom_pages_get(1000, UINT64_MAX, &pages), CRAWL_OK);
    const size_t sizes[] = {100000, 3 << 20, 9 << 20, 40 << 20};
    size_t before = pages.bytes;
    memset(pages.data, 7, before);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        cr_assert_eq(cw_bloom_pages_grow(&pages, sizes[s], UINT64_MAX), CRAWL_OK);
        cr_assert_geq(pages.bytes, sizes[s]);
        unsigned char *p = pages.data;
        for (size_t i = 0; i < pages.bytes; i++)
            cr_assert_eq(p[i], i < before ? 7 : 0);
        cw_bloom_pages_touch(&pages, 0, SIZE_MAX);
        memset(p, 7, pages.bytes);
        before = pages.bytes;
    }
    cr_assert_eq(cw_bloom_pages_grow(&pages, before + 1, before), CRAWL_ENOMEM);
    cr_assert_eq(pages.bytes, before);
    cw_bloom_pages_free(&pages);
}

Test(bloom_memory, touching_changes_nothing)
{
    cw_bloom_pages pages;
    cr_assert_eq(cw_bloom_pages_get(5 << 20, UINT64_MAX, &pages), CRAWL_OK);
    unsigned char *p = pages.data;
    p[12345] = 9;
    cw_bloom_pages_touch(&pages, 777, 3 << 20);
    cw_bloom_pages_touch(&pages, 4 << 20, SIZE_MAX);
    cw_bloom_pages_touch(&pages, SIZE_MAX, 1);
    cr_assert_eq(p[12345], 9);
    cr_assert_eq(p[4 << 20], 0);
    cw_bloom_pages_drop(&pages, 1 << 20, 1 << 20);
    cr_assert_eq(p[12345], 9);
    cw_bloom_pages_free(&pages);
}

/* Written pages are private to the process; growing keeps them. */
Test(bloom_memory, of_a_file)
{
    char name[] = "/tmp/crawl-test-memory-XXXXXX";
    int file = mkstemp(name);
    cr_assert_geq(file, 0);
    unlink(name);
    cr_assert_eq(ftruncate(file, 3 << 20), 0);
    cr_assert_eq(pwrite(file, "abc", 3, 1 << 16), 3);
    cw_bloom_pages pages;
    cr_assert_eq(cw_bloom_pages_of_file(file, 1 << 16, 2 << 20, &pages), CRAWL_OK);
    char *p = pages.data;
    cr_assert_eq(memcmp(p, "abc", 3), 0);
    p[0] = 'x';
    char back[3];
    cr_assert_eq(pread(file, back, 3, 1 << 16), 3);
    cr_assert_eq(memcmp(back, "abc", 3), 0);
    cr_assert_eq(cw_bloom_pages_grow(&pages, 8 << 20, UINT64_MAX), CRAWL_OK);
    p = pages.data;
    cr_assert_eq(memcmp(p, "xbc", 3), 0);
    cr_assert_eq(p[(8 << 20) - 1], 0);
    cw_bloom_pages_free(&pages);
    cr_assert_eq(cw_bloom_pages_of_file(file, 0, 0, &pages), CRAWL_ENOMEM);
    cr_assert_eq(cw_bloom_pages_of_file(-1, 0, 1, &pages), CRAWL_ENOMEM);
    close(file);
}
