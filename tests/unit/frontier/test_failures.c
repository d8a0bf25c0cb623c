/* Every single allocation of a small crawl fails once, in turn: each call then returns CRAWL_ENOMEM or copes, the
 * invariants hold, only queued requests are marked as seen, and the crawl still completes with every request.
 *
 * The sources are included here, so that their allocations can fail. */
#include "tests/unit/frontier/disk/failing.h"

#include <crawl/frontier.h>

/* The filter may run out of memory in the middle of a batch. */
static crawl_err failing_add_many(crawl_bloom *bloom, const void *keys, size_t key_size, size_t count, uint8_t *fresh,
                                  uint32_t *where)
{
    if (!fails())
        return crawl_bloom_add_many(bloom, keys, key_size, count, fresh, where);
    memset(fresh, 0, count);
    (void)crawl_bloom_add_many(bloom, keys, key_size, count / 2, fresh, where);
    return CRAWL_ENOMEM;
}

static crawl_err failing_add(crawl_bloom *bloom, const void *key, size_t size, uint32_t *where)
{
    return fails() ? CRAWL_ENOMEM : crawl_bloom_add(bloom, key, size, where);
}

#define malloc failing_malloc
#define calloc failing_calloc
#define realloc failing_realloc
#define aligned_alloc failing_aligned_alloc
#define crawl_bloom_add_many failing_add_many
#define crawl_bloom_add failing_add

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* names that are static in one file are parameters in another */

#include "base/buf.c"
#include "base/heap.c"
#include "base/map.c"
#include "frontier/create.c"
#include "frontier/done.c"
#include "frontier/forget.c"
#include "frontier/forgets.c"
#include "frontier/frontier.c"
#include "frontier/hosts/host_calls.c"
#include "frontier/hosts/hosts.c"
#include "frontier/hosts/item.c"
#include "frontier/hosts/queue.c"
#include "frontier/hosts/schedule.c"
#include "frontier/lease.c"
#include "frontier/memory/arena.c"
#include "frontier/memory_store.c"
#include "frontier/push/push.c"
#include "frontier/push/push_urls.c"
#include "tests/support/frontier_check.c"

#pragma GCC diagnostic pop

#undef malloc
#undef calloc
#undef realloc
#undef aligned_alloc
#undef crawl_bloom_add_many
#undef crawl_bloom_add

#define finish test_finish /* done.c has one of its own */
#include "tests/unit/frontier/help.h"

enum { HOSTS = 40, PER_BATCH = 40, BATCHES = 6, REQUESTS = PER_BATCH / 2 * (BATCHES + 1) };

static void check_now(crawl_frontier *f)
{
    const char *failed = check_frontier(f, NULL);
    cr_assert_null(failed, "allocation %lu: %s", failing, failed);
}

static crawl_request make_request(char url[64], unsigned number)
{
    snprintf(url, 64, number % 9 ? "http://host%u/%u" : "http://me@host%u/%u", number % HOSTS, number);
    crawl_request request = request_for(url, number % 3, 0);
    if (number % 4 == 0)
        request.memo = crawl_slice_from("memo");
    return request;
}

/* Pushes a batch again until nothing of it is refused. Returns how many were accepted in all. */
static size_t push_all(crawl_frontier *f, unsigned first)
{
    crawl_request requests[PER_BATCH];
    char urls[PER_BATCH][64];
    uint8_t results[PER_BATCH];
    crawl_err before[PER_BATCH];
    size_t total = 0;
    size_t accepted = 0;
    for (unsigned i = 0; i < PER_BATCH; i++) {
        requests[i] = make_request(urls[i], first + i);
        before[i] = crawl_frontier_seen(f, &requests[i].fingerprint);
    }
    while (refused(
        crawl_frontier_push(f, requests, PER_BATCH, crawl_slice_from("http://parent/"), results, &accepted, 0))) {
        check_now(f);
        size_t new_ones = 0;
        for (unsigned i = 0; i < PER_BATCH; i++) {
            new_ones += results[i] == CRAWL_PUSHED_NEW;
            if (results[i] == CRAWL_PUSHED_SEEN)
                cr_assert_eq(before[i], CRAWL_EXISTS, "called seen, but is not");
            if (results[i] == CRAWL_PUSHED_NEW)
                before[i] = CRAWL_EXISTS;
            cr_assert_eq(crawl_frontier_seen(f, &requests[i].fingerprint), before[i], "marked, not queued");
        }
        cr_assert_eq(new_ones, accepted);
        total += accepted;
    }
    check_now(f);
    return total + accepted;
}

static void push_robots(crawl_frontier *f)
{
    for (unsigned host = 0; host < HOSTS; host += 4) {
        char url[64];
        snprintf(url, sizeof url, host % 8 ? "http://host%u/robots.txt" : "http://me@host%u/robots.txt", host);
        crawl_request request = request_for(url, 0, 0);
        while (refused(crawl_frontier_push_urgent(f, &request, 0)))
            check_now(f);
    }
}

static void block_hosts(crawl_frontier *f)
{
    for (unsigned host = 0; host < 2 * HOSTS; host += 3) {
        char origin[64];
        snprintf(origin, sizeof origin, "http://host%u", host);
        while (refused(crawl_frontier_block(f, crawl_slice_from(origin), 50, 0)))
            check_now(f);
        while (refused(crawl_frontier_set_pause(f, crawl_slice_from(origin), 7, 0)))
            check_now(f);
    }
}

/* Ends a lease, which never fails, whatever the memory, except for a further visit: that lease stays open. */
static void end(crawl_frontier *f, const crawl_lease *lease, unsigned turn, int64_t now)
{
    crawl_outcome outcome = lease->attempt == 1 && turn % 3 == 0 ? CRAWL_DONE_RETRY
                            : turn % 2                           ? CRAWL_DONE_FORGET
                                                                 : CRAWL_DONE_FINISHED;
    if (!lease->urgent && lease->visit == 1 && turn % 5 == 0) {
        while (refused(crawl_frontier_done_again(f, lease->id, now + turn % 40, crawl_slice_from("another"), now)))
            check_now(f);
        return;
    }
    cr_assert_eq(crawl_frontier_done(f, lease->id, outcome, now + turn % 40, now), CRAWL_OK);
}

static void drain(crawl_frontier *f)
{
    crawl_lease held[5];
    unsigned count = 0;
    int64_t now = 0;
    for (unsigned turn = 0;; turn++) {
        crawl_lease lease;
        int64_t wait = 0;
        crawl_err err = crawl_frontier_pop(f, now, &lease, &wait);
        if (err == CRAWL_DRAINED)
            return;
        check_now(f);
        if (err == CRAWL_OK)
            held[count++] = lease;
        while (count && (err == CRAWL_AGAIN || count == 5))
            end(f, &held[--count], turn, now);
        if (err == CRAWL_AGAIN)
            now += wait < 10 ? wait : 10;
        else
            cr_assert(err == CRAWL_OK || refused(err), "%s", crawl_strerror(err));
    }
}

/* Returns false if there were fewer allocations. */
static bool crawl_with_failure(unsigned long number, size_t max_queued)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = NULL;
    size_t accepted = 0;
    options.per_host = 3;
    options.max_queued = max_queued;
    allocations = 0;
    failing = number;
    while (refused(crawl_frontier_create(&options, &f, NULL)))
        cr_assert_null(f);
    for (unsigned i = 0; i < BATCHES; i++)
        accepted += push_all(f, i * PER_BATCH / 2);
    cr_assert_eq(accepted, max_queued, "allocation %lu: %zu", number, accepted);
    push_robots(f);
    block_hosts(f);
    drain(f);
    crawl_frontier_stats stats = stats_of(f, 0);
    cr_assert_gt(stats.again, 0);
    cr_assert_eq(stats.finished, accepted + stats.again);
    check_now(f);
    crawl_frontier_free(f);
    return allocations >= number;
}

Test(failures, each_allocation_in_turn)
{
    unsigned long number = 1;
    while (crawl_with_failure(number, REQUESTS))
        number++;
    cr_assert_gt(number, 300);
    cr_assert_gt(refusals, 200);
}

/* Near the limit requests are marked one at a time, by another code path. */
Test(failures, each_allocation_in_turn_near_the_limit)
{
    unsigned long number = 1;
    while (crawl_with_failure(number, REQUESTS - 5))
        number++;
    cr_assert_gt(number, 300);
    cr_assert_gt(refusals, 200);
}
