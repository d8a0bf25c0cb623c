/* How evenly hosts are served, measured over the order of pops; the test sets the time. */
#include "frontier/state.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static crawl_frontier *create_for(crawl_order order, int64_t pause, unsigned per_host)
{
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    options.order = order;
    options.pause_ms = pause;
    options.per_host = per_host;
    options.seen.kind = CRAWL_BLOOM_DIGEST;
    options.seen.capacity = 1000;
    crawl_frontier *frontier = NULL;
    cr_assert_eq(crawl_frontier_create(&options, &frontier, NULL), CRAWL_OK);
    return frontier;
}

/* Pushes pages of a host in batches, as pages yield links; the number is the fingerprint. */
static void push_pages(crawl_frontier *frontier, unsigned host, uint64_t count, int32_t priority)
{
    enum { BATCH = 500 };
    static char urls[BATCH][48];
    static crawl_request requests[BATCH];
    for (uint64_t done = 0; done < count;) {
        size_t size = 0;
        for (; size < BATCH && done < count; size++, done++) {
            uint64_t print[3] = {((uint64_t)host << 32 | done) * 0x9e3779b97f4a7c15u, done, host};
            int length = snprintf(urls[size], sizeof urls[size], "http://h%u/%llu", host, (unsigned long long)done);
            requests[size] =
                (crawl_request){.url = crawl_slice_of(urls[size], (size_t)length), .depth = 1, .priority = priority};
            memcpy(requests[size].fingerprint.bytes, print, sizeof requests[size].fingerprint.bytes);
        }
        cr_assert_eq(crawl_frontier_push(frontier, requests, size, (crawl_slice){0}, NULL, NULL, 0), CRAWL_OK);
    }
}

static unsigned host_of(const crawl_lease *lease)
{
    return (unsigned)strtoul(lease->url.data + strlen("http://h"), NULL, 10);
}

/* Pops and ends leases, as one worker without delay, until the first host has nothing left. counts: pages per host by
 * then. */
static void serve_until_one_is_empty(crawl_frontier *frontier, const uint64_t *sizes, uint64_t *counts)
{
    crawl_lease lease;
    for (int64_t now = 0; crawl_frontier_pop(frontier, now, &lease, NULL) == CRAWL_OK; now++) {
        unsigned host = host_of(&lease);
        cr_assert_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now), CRAWL_OK);
        if (++counts[host] == sizes[host])
            return;
    }
    cr_assert_fail("a host has work, and pop gives none");
}

static void least_and_most(const uint64_t *counts, unsigned from, unsigned to, uint64_t *least, uint64_t *most)
{
    *least = UINT64_MAX;
    *most = 0;
    for (unsigned i = from; i < to; i++) {
        *least = counts[i] < *least ? counts[i] : *least;
        *most = counts[i] > *most ? counts[i] : *most;
    }
}

enum { HOSTS = 1000, LEAST = 40 };

/* Pushes hosts of 40 to some 40,000 pages, most of them small, as on the web. The large ones come first, so that first
 * come first served would favour them. */
static void push_hosts(crawl_frontier *frontier, uint64_t *sizes)
{
    for (unsigned i = 0; i < HOSTS; i++) {
        sizes[i] = LEAST + 40000 / (i + 1);
        push_pages(frontier, i, sizes[i], 0);
    }
}

Test(fairness, a_thousand_hosts_of_all_sizes_get_the_same)
{
    static uint64_t sizes[HOSTS];
    static uint64_t counts[HOSTS];
    uint64_t least;
    uint64_t most;
    crawl_frontier *frontier = create_for(CRAWL_ORDER_BFS, 0, 1);
    push_hosts(frontier, sizes);
    serve_until_one_is_empty(frontier, sizes, counts);
    least_and_most(counts, 0, HOSTS, &least, &most);
    cr_expect_geq(least, LEAST);
    cr_expect((most - least) * 10 <= most, "%llu to %llu pages", (unsigned long long)least, (unsigned long long)most);
    crawl_frontier_free(frontier);
}

Test(fairness, hosts_that_come_later_are_not_favoured_for_long)
{
    static uint64_t sizes[2 * HOSTS];
    static uint64_t counts[2 * HOSTS];
    uint64_t least;
    uint64_t most;
    crawl_frontier *frontier = create_for(CRAWL_ORDER_BFS, 0, 1);
    push_hosts(frontier, sizes);
    serve_until_one_is_empty(frontier, sizes, counts);
    for (unsigned i = HOSTS; i < HOSTS + 100; i++) {
        sizes[i] = LEAST;
        push_pages(frontier, i, sizes[i], 0);
    }
    memset(counts, 0, sizeof counts);
    for (unsigned i = 0; i < HOSTS; i++)
        sizes[i] = UINT64_MAX;
    serve_until_one_is_empty(frontier, sizes, counts);
    least_and_most(counts, HOSTS, HOSTS + 100, &least, &most);
    cr_expect((most - least) * 10 <= most, "%llu to %llu pages", (unsigned long long)least, (unsigned long long)most);
    least_and_most(counts, 0, 100, &least, &most);
    cr_expect((LEAST - least) * 10 <= LEAST && most <= LEAST + 1, "%llu to %llu pages of those before",
              (unsigned long long)least, (unsigned long long)most);
    crawl_frontier_free(frontier);
}

/* ---- shares ---- */

enum { SHARED = 100 };

static uint32_t share_of(unsigned host)
{
    return (uint32_t)1 << host % 3; /* 1, 2, 4 */
}

static void set_share(crawl_frontier *frontier, unsigned host, uint32_t share)
{
    char origin[32];
    snprintf(origin, sizeof origin, "http://h%u", host);
    cr_assert_eq(crawl_frontier_set_share(frontier, crawl_slice_from(origin), share, 0), CRAWL_OK);
}

static void expect_shares(const uint64_t *counts, const char *when)
{
    uint64_t unit = 0;
    for (unsigned i = 0; i < SHARED; i += 3)
        unit += counts[i];
    double one = (double)unit / ((SHARED + 2) / 3);
    for (unsigned i = 0; i < SHARED; i++) {
        double expected = one * share_of(i);
        double difference = (double)counts[i] - expected;
        cr_expect(difference * difference <= expected * expected * 0.01, "%s: host %u of share %u: %llu, expected %.0f",
                  when, i, share_of(i), (unsigned long long)counts[i], expected);
    }
}

Test(fairness, shares_are_the_ratio_of_pages)
{
    static uint64_t sizes[SHARED];
    static uint64_t counts[SHARED];
    crawl_frontier *frontier = create_for(CRAWL_ORDER_BFS, 0, 1);
    for (unsigned i = 0; i < SHARED; i++) {
        sizes[i] = 400;
        push_pages(frontier, i, sizes[i], 0);
        set_share(frontier, i, share_of(i));
    }
    serve_until_one_is_empty(frontier, sizes, counts);
    expect_shares(counts, "all alike");
    crawl_frontier_free(frontier);
}

/* A host that was held by its pause, or had nothing, does not catch up on missed turns. */
Test(fairness, shares_are_of_turns_and_not_of_time)
{
    static uint64_t sizes[2];
    static uint64_t counts[2];
    crawl_frontier *frontier = create_for(CRAWL_ORDER_BFS, 0, 1);
    sizes[0] = 300;
    sizes[1] = UINT64_MAX;
    push_pages(frontier, 1, 600, 0);
    crawl_lease lease;
    for (unsigned i = 0; i < 200; i++) {
        cr_assert_eq(crawl_frontier_pop(frontier, 0, &lease, NULL), CRAWL_OK);
        cr_assert_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    }
    push_pages(frontier, 0, sizes[0], 0);
    set_share(frontier, 0, 3);
    serve_until_one_is_empty(frontier, sizes, counts);
    cr_expect_eq(counts[0], 300);
    cr_expect(counts[1] >= 99 && counts[1] <= 100, "%llu", (unsigned long long)counts[1]);
    crawl_frontier_free(frontier);
}

Test(fairness, shares_have_a_range)
{
    crawl_frontier *frontier = create_for(CRAWL_ORDER_BFS, 0, 1);
    crawl_slice origin = crawl_slice_from("http://h1");
    cr_expect_eq(crawl_frontier_set_share(frontier, origin, 0, 0), CRAWL_EINVAL);
    cr_expect_eq(crawl_frontier_set_share(frontier, origin, CRAWL_SHARE_MAX + 1, 0), CRAWL_EINVAL);
    cr_expect_eq(crawl_frontier_set_share(frontier, crawl_slice_from("h1"), 1, 0), CRAWL_EINVAL);
    cr_expect_eq(crawl_frontier_set_share(frontier, origin, CRAWL_SHARE_MAX, 0), CRAWL_OK);
    crawl_frontier_free(frontier);
}

/* ---- quick hosts with a slow one and a huge one ---- */

enum { QUICK = 500, SLOW = QUICK, HUGE_HOST = QUICK + 1, ALL = QUICK + 2, CONNECTIONS = 44 };
enum { QUICK_MS = 20, SLOW_MS = 30000, PAUSE_MS = 250, LASTS_MS = 120000 };

typedef struct transfer {
    bool busy;
    int64_t ends;
    uint64_t lease;
} transfer;

static void end_transfers(crawl_frontier *frontier, transfer *transfers, int64_t now)
{
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        if (!transfers[i].busy || transfers[i].ends > now)
            continue;
        cr_assert_eq(crawl_frontier_done(frontier, transfers[i].lease, CRAWL_DONE_FINISHED, 0, now), CRAWL_OK);
        transfers[i].busy = false;
    }
}

static void begin_transfers(crawl_frontier *frontier, transfer *transfers, uint64_t *counts, int64_t now)
{
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        crawl_lease lease;
        if (transfers[i].busy)
            continue;
        if (crawl_frontier_pop(frontier, now, &lease, NULL) != CRAWL_OK)
            return;
        unsigned host = host_of(&lease);
        counts[host]++;
        transfers[i] = (transfer){.busy = true, .ends = now + (host == SLOW ? SLOW_MS : QUICK_MS), .lease = lease.id};
    }
}

/* Returns the pages of quick hosts in two minutes of a crawl with few more connections than those hosts keep busy. */
static uint64_t pages_of_quick_hosts(bool with_others)
{
    static uint64_t counts[ALL];
    transfer transfers[CONNECTIONS] = {0};
    crawl_frontier *frontier = create_for(CRAWL_ORDER_BFS, PAUSE_MS, 2);
    memset(counts, 0, sizeof counts);
    if (with_others) {
        push_pages(frontier, HUGE_HOST, 1000000, 0);
        push_pages(frontier, SLOW, 10000, 0);
    }
    for (unsigned i = 0; i < QUICK; i++)
        push_pages(frontier, i, LASTS_MS / PAUSE_MS + 10, 0);
    for (int64_t now = 0; now < LASTS_MS; now++) {
        end_transfers(frontier, transfers, now);
        begin_transfers(frontier, transfers, counts, now);
    }
    uint64_t sum = 0;
    for (unsigned i = 0; i < QUICK; i++)
        sum += counts[i];
    cr_expect(!with_others || (counts[SLOW] >= 8 && counts[HUGE_HOST] >= LASTS_MS / PAUSE_MS - 10),
              "they are served too: %llu, %llu", (unsigned long long)counts[SLOW],
              (unsigned long long)counts[HUGE_HOST]);
    crawl_frontier_free(frontier);
    return sum;
}

Test(fairness, a_slow_host_and_a_huge_one_cost_quick_ones_little)
{
    uint64_t alone = pages_of_quick_hosts(false);
    uint64_t beside = pages_of_quick_hosts(true);
    cr_expect_geq(alone, (uint64_t)QUICK * (LASTS_MS / PAUSE_MS) * 9 / 10, "%llu: the connections suffice",
                  (unsigned long long)alone);
    cr_expect_geq(beside * 100, alone * 95, "%llu of %llu pages", (unsigned long long)beside,
                  (unsigned long long)alone);
}

/* With priorities, the host with the highest gets everything, and equal ones share evenly. */
Test(fairness, by_priority_first_and_evenly_within_one)
{
    enum { COUNT = 20 };
    uint64_t sizes[COUNT];
    uint64_t counts[COUNT] = {0};
    uint64_t least;
    uint64_t most;
    crawl_frontier *frontier = create_for(CRAWL_ORDER_BFS, 0, 1);
    for (unsigned i = 0; i < COUNT; i++) {
        sizes[i] = 100 + i;
        push_pages(frontier, i, sizes[i], i < 10 ? 0 : 1);
    }
    serve_until_one_is_empty(frontier, sizes, counts);
    least_and_most(counts, 10, COUNT, &least, &most);
    cr_expect((most - least) * 10 <= most, "%llu to %llu", (unsigned long long)least, (unsigned long long)most);
    least_and_most(counts, 0, 10, &least, &most);
    cr_expect_eq(most, 0);
    crawl_frontier_free(frontier);
}
