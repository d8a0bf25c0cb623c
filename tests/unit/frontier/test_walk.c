/* All hosts of a frontier with their state, a few at a time; and the first of its further visits. */
#include "tests/unit/frontier/help.h"

typedef struct told {
    unsigned count;
    unsigned idle;
    uint64_t queued;
    unsigned least; /* stops after this many */
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

static crawl_err next_visit(crawl_frontier *frontier, int64_t now, int64_t *due)
{
    *due = -1;
    return crawl_frontier_next_visit(frontier, now, due);
}

Test(walk, the_next_visit_is_told_beside_new_requests_and_retries)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *frontier = create(&options);
    int64_t due;
    push_new(frontier, "http://a/1", 0, 0, 0);
    cr_expect_eq(next_visit(frontier, 0, &due), CRAWL_ABSENT);
    crawl_lease lease = pop(frontier, "http://a/1", 0);
    cr_assert_eq(crawl_frontier_done_again(frontier, lease.id, 9000, lease.memo, 0), CRAWL_OK);
    push_new(frontier, "http://b/1", 0, 0, 0);
    lease = pop(frontier, "http://b/1", 0);
    cr_assert_eq(crawl_frontier_done_again(frontier, lease.id, 7000, lease.memo, 0), CRAWL_OK);
    push_new(frontier, "http://a/2", 0, 0, 0);
    lease = pop(frontier, "http://a/2", 0);
    done(frontier, lease, CRAWL_DONE_RETRY, 500, 0);
    push_new(frontier, "http://a/3", 0, 0, 0);
    cr_expect_eq(next_visit(frontier, 0, &due), CRAWL_OK);
    cr_expect_eq(due, 7000, "neither the retry nor what is new counts, nor a later one");
    cr_expect_eq(next_visit(frontier, 8000, &due), CRAWL_OK);
    cr_expect_eq(due, 8000, "it is due");
    lease = pop(frontier, "http://b/1", 8000);
    cr_expect_eq(next_visit(frontier, 8000, &due), CRAWL_OK);
    cr_expect_eq(due, 9000, "what is under way does not wait");
    finish(frontier, lease, 8000);
    crawl_frontier_free(frontier);
}

Test(walk, among_too_many_requests_no_next_visit_is_sought)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *frontier = create(&options);
    int64_t due;
    push_new(frontier, "http://a/", 0, 0, 0);
    crawl_lease lease = pop(frontier, "http://a/", 0);
    cr_assert_eq(crawl_frontier_done_again(frontier, lease.id, 9000, lease.memo, 0), CRAWL_OK);
    cr_expect_eq(next_visit(frontier, 0, &due), CRAWL_OK);
    frontier->queued += CRAWL_NEXT_VISIT_MAX;
    cr_expect_eq(next_visit(frontier, 0, &due), CRAWL_FULL);
    frontier->queued -= CRAWL_NEXT_VISIT_MAX;
    crawl_frontier_free(frontier);
}
