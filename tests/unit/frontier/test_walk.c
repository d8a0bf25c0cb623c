/* All hosts of a frontier as they stand, a few at a time. */
#include "tests/unit/frontier/help.h"

typedef struct told {
    unsigned count;
    unsigned idle;
    uint64_t queued;
    unsigned least; /* from which on no more are wanted */
    crawl_held_host last;
} told;

static bool take(const crawl_held_host *host, void *user)
{
    told *all = user;
    all->count++;
    all->idle += host->standing == CRAWL_STANDING_COUNT;
    all->queued += host->queued;
    all->last = *host;
    return all->count < all->least;
}

static void push_hosts(crawl_frontier *frontier, unsigned count)
{
    char url[64];
    for (unsigned i = 0; i < count; i++) {
        snprintf(url, sizeof url, "http://h%u/", i);
        push_new(frontier, url, 0, 0, 0);
    }
}

Test(walk, tells_of_every_host_once)
{
    enum { HOSTS = 1100 };
    crawl_frontier_options options = test_options();
    crawl_frontier *frontier = create(&options);
    told all = {.least = UINT32_MAX};
    size_t cursor = 0;
    unsigned calls = 1;
    push_hosts(frontier, HOSTS);
    while (crawl_frontier_hosts(frontier, 0, &cursor, take, &all) == CRAWL_OK)
        calls++;
    cr_expect_eq(all.count, HOSTS);
    cr_expect_eq(all.queued, HOSTS);
    cr_expect_eq(all.idle, 0);
    cr_expect_eq(calls, 2, "nobody is kept from the lock for all of it");
    crawl_frontier_free(frontier);
}

Test(walk, ends_when_it_is_told_to)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *frontier = create(&options);
    told all = {.least = 3};
    size_t cursor = 0;
    push_hosts(frontier, 10);
    cr_expect_eq(crawl_frontier_hosts(frontier, 0, &cursor, take, &all), CRAWL_DRAINED);
    cr_expect_eq(all.count, 3);
    crawl_frontier_free(frontier);
}

Test(walk, a_host_stands_as_it_was_placed)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *frontier = create(&options);
    crawl_held_host host;
    crawl_slice origin = crawl_slice_from("http://h0");
    cr_expect_eq(crawl_frontier_host_get(frontier, origin, 0, &host), CRAWL_ABSENT);
    push_hosts(frontier, 1);
    cr_assert_eq(crawl_frontier_host_get(frontier, origin, 0, &host), CRAWL_OK);
    cr_expect_eq(host.standing, CRAWL_STANDING_READY);
    cr_expect_eq(host.queued, 1);
    cr_expect_str_eq(host.origin, "http://h0");
    cr_assert_eq(crawl_frontier_block(frontier, origin, 5000, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_host_get(frontier, origin, 0, &host), CRAWL_OK);
    cr_expect_eq(host.standing, CRAWL_STANDING_BLOCKED);
    cr_expect_eq(host.opens_ms, 5000);
    told all = {.least = UINT32_MAX};
    size_t cursor = 0;
    cr_assert_eq(crawl_frontier_block(frontier, origin, 0, 0), CRAWL_OK);
    visit(frontier, "http://h0/", 0);
    cr_expect_eq(crawl_frontier_hosts(frontier, 0, &cursor, take, &all), CRAWL_DRAINED);
    cr_expect_eq(all.idle, 1, "nothing is queued any more");
    crawl_frontier_free(frontier);
}
