/* The frontier with every kind of filter: accepting, leasing, forgetting, and the effect of time. */
#include "tests/unit/frontier/help.h"

static crawl_frontier *create_with(crawl_bloom_kind kind, uint64_t window_ms)
{
    crawl_frontier_options options = test_options();
    options.seen.kind = kind;
    options.seen.capacity = 2000;
    options.seen.window_ms = window_ms;
    return create(&options);
}

static bool can_forget(crawl_bloom_kind kind)
{
    return kind == CRAWL_BLOOM_EXACT || kind == CRAWL_BLOOM_DIGEST || kind == CRAWL_BLOOM_TABLE ||
           kind == CRAWL_BLOOM_COUNTING;
}

/* Pushes http://a/0 to http://a/(count - 1) in one batch. Returns how many were accepted. */
static size_t push_numbers(crawl_frontier *f, unsigned count)
{
    static char urls[1000][32];
    static crawl_request requests[1000];
    size_t accepted = 0;
    for (unsigned i = 0; i < count; i++) {
        snprintf(urls[i], sizeof urls[i], "http://a/%u", i);
        requests[i] = request_for(urls[i], 0, 0);
    }
    cr_assert_eq(crawl_frontier_push(f, requests, count, (crawl_slice){0}, NULL, &accepted, 0), CRAWL_OK);
    check(f);
    return accepted;
}

static void finish_all(crawl_frontier *f, size_t count, crawl_outcome outcome)
{
    crawl_lease lease;
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        cr_assert_eq(crawl_frontier_done(f, lease.id, outcome, 0, 0), CRAWL_OK);
    }
    check(f);
}

Test(kinds, every_request_is_new_once_and_after_it_was_forgotten)
{
    for (int kind = 0; kind < CRAWL_BLOOM_KINDS; kind++) {
        crawl_frontier *f = create_with((crawl_bloom_kind)kind, 0);
        size_t accepted = push_numbers(f, 1000);
        cr_assert_geq(accepted, 995, "%s", crawl_bloom_kind_name((crawl_bloom_kind)kind));
        cr_assert_eq(stats_of(f, 0).filter.count, accepted);
        cr_assert_eq(push_numbers(f, 1000), 0);
        finish_all(f, accepted, CRAWL_DONE_FORGET);
        size_t again = push_numbers(f, 1000);
        if (can_forget((crawl_bloom_kind)kind))
            cr_assert_geq(again, 995, "%s", crawl_bloom_kind_name((crawl_bloom_kind)kind));
        else
            cr_assert_eq(again, 0, "%s", crawl_bloom_kind_name((crawl_bloom_kind)kind));
        cr_assert_eq(stats_of(f, 0).filter.refused, 0);
        crawl_frontier_free(f);
    }
}

Test(kinds, a_revisit_of_what_is_in_for_sure_can_be_forgotten)
{
    crawl_frontier *f = create_with(CRAWL_BLOOM_DIGEST, 0);
    crawl_request request = request_for("http://a/1", 0, 0);
    push_request(f, request, 0);
    visit(f, "http://a/1", 0);
    request.revisit = true;
    push_request(f, request, 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 0, 0);
    cr_assert_eq(crawl_frontier_seen(f, &request.fingerprint), CRAWL_ABSENT);
    crawl_frontier_free(f);
}

Test(kinds, a_window_follows_the_time_of_the_calls)
{
    enum { WINDOW = 10000 };
    crawl_frontier *f = create_with(CRAWL_BLOOM_ROTATING, WINDOW);
    crawl_request request = request_for("http://a/1", 0, 0);
    cr_assert_eq(push_request(f, request, 1000), CRAWL_PUSHED_NEW);
    visit(f, "http://a/1", 1000);
    cr_assert_eq(push_request(f, request, 1000 + WINDOW / 2), CRAWL_PUSHED_SEEN,
                 "three quarters of the window are sure");
    cr_assert_eq(push_request(f, request, 1001 + WINDOW), CRAWL_PUSHED_NEW);
    crawl_frontier_free(f);
}
