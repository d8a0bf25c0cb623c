/* The buffers kept for future bodies: which one is given out, and how many are kept. */
#include "fetch/answer/bodies.h"

#include <criterion/criterion.h>

static cw_fetch_bodies bodies;

static void setup(void)
{
    cw_fetch_bodies_init(&bodies, 0, 0);
}

static void teardown(void)
{
    cw_fetch_bodies_free(&bodies);
    cr_expect_eq(bodies.kept_count, 0);
    cr_expect_eq(bodies.kept_bytes, 0);
}

TestSuite(bodies, .init = setup, .fini = teardown);

Test(bodies, one_of_its_size_and_of_those_the_last)
{
    enum { SMALL, LARGE, SMALL_TOO, COUNT };
    static const size_t sizes[COUNT] = {10000, 100000, 10000};
    crawl_buf bufs[COUNT];
    char *memory[COUNT];
    for (int i = 0; i < COUNT; i++) {
        bufs[i] = cw_fetch_bodies_take(&bodies, sizes[i]);
        cr_assert_gt(bufs[i].capacity, sizes[i]);
        cr_expect_eq(crawl_buf_append(&bufs[i], "page", 4), CRAWL_OK);
        memory[i] = bufs[i].data;
    }
    for (int i = 0; i < COUNT; i++) {
        cw_fetch_bodies_give_back(&bodies, &bufs[i]);
        cr_expect_null(bufs[i].data, "it is not the caller's any more");
    }
    static const int order[COUNT] = {SMALL_TOO, SMALL, LARGE};
    for (int i = 0; i < COUNT; i++) {
        bufs[i] = cw_fetch_bodies_take(&bodies, 10000);
        cr_expect_eq(bufs[i].data, memory[order[i]], "the smallest that will do, and the last of them: %d", i);
        cr_expect_eq(bufs[i].size, 0);
    }
    for (int i = 0; i < COUNT; i++)
        cw_fetch_bodies_give_back(&bodies, &bufs[i]);
    crawl_buf larger = cw_fetch_bodies_take(&bodies, 200000);
    cr_expect_gt(larger.capacity, 200000, "none of them will do");
    cr_expect_eq(bodies.kept_count, COUNT);
    crawl_buf_free(&larger);
}

Test(bodies, those_that_came_back_longest_ago_make_room)
{
    enum { COUNT = CW_FETCH_BODIES_KEPT + 10 };
    crawl_buf bufs[COUNT];
    for (int i = 0; i < COUNT; i++)
        bufs[i] = cw_fetch_bodies_take(&bodies, 1000);
    char *last = bufs[COUNT - 1].data;
    for (int i = 0; i < COUNT; i++)
        cw_fetch_bodies_give_back(&bodies, &bufs[i]);
    cr_expect_eq(bodies.kept_count, CW_FETCH_BODIES_KEPT);
    for (int i = 0; i < 20; i++) {
        crawl_buf large = {0};
        cr_assert_eq(crawl_buf_reserve(&large, CW_FETCH_BODY_KEPT - 1), CRAWL_OK);
        cw_fetch_bodies_give_back(&bodies, &large);
        cr_expect_leq(bodies.kept_bytes, CW_FETCH_BODIES_KEPT_BYTES);
    }
    cr_expect_eq(bodies.kept_count, CW_FETCH_BODIES_KEPT_BYTES / CW_FETCH_BODY_KEPT);
    crawl_buf small = cw_fetch_bodies_take(&bodies, 1000);
    cr_expect_neq(small.data, last);
    cw_fetch_bodies_give_back(&bodies, &small);
}

Test(bodies, one_that_is_too_large_or_empty_is_not_kept)
{
    crawl_buf none = {0}, large = {0};
    cr_assert_eq(crawl_buf_reserve(&large, CW_FETCH_BODY_KEPT), CRAWL_OK);
    cw_fetch_bodies_give_back(&bodies, &none);
    cw_fetch_bodies_give_back(&bodies, &large);
    cr_expect_null(large.data);
    cr_expect_eq(bodies.kept_count, 0);
}
