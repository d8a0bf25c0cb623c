/* crawl_frontier_done_again: a request queued for its next visit, and its contents. */
#include "tests/unit/frontier/help.h"

static void again(crawl_frontier *f, crawl_lease lease, int64_t at, const char *memo, int64_t now)
{
    cr_assert_eq(crawl_frontier_done_again(f, lease.id, at, crawl_slice_from(memo), now), CRAWL_OK);
    check(f);
}

#define ASSERT_MEMO(lease, text)                                                                       \
    cr_assert(crawl_slice_equal((lease).memo, crawl_slice_from(text)), "%.*s", (int)(lease).memo.size, \
              (lease).memo.data)

static crawl_frontier *create_of(crawl_bloom_kind kind, crawl_order order)
{
    crawl_frontier_options options = test_options();
    options.seen.kind = kind;
    options.order = order;
    return create(&options);
}

Test(again, a_memo_travels_with_the_request_and_visits_are_counted)
{
    crawl_frontier *f = create_of(CRAWL_BLOOM_EXACT, CRAWL_ORDER_BFS);
    crawl_request request = request_for("http://a/1", 3, -2);
    request.method = crawl_slice_from("POST");
    request.headers = crawl_slice_from("A: b\n");
    request.body = crawl_slice_of("\0b", 2);
    request.tag = 7;
    request.memo = crawl_slice_of("one\0", 4);
    cr_assert_eq(crawl_frontier_push(f, &request, 1, crawl_slice_from("http://p/"), NULL, NULL, 0), CRAWL_OK);
    crawl_lease lease = pop(f, "http://a/1", 0);
    cr_assert(crawl_slice_equal(lease.memo, request.memo));
    cr_assert_eq(lease.visit, 1);
    done(f, lease, CRAWL_DONE_RETRY, 0, 0);
    lease = pop(f, "http://a/1", 0);
    cr_assert(crawl_slice_equal(lease.memo, request.memo), "a retry keeps it");
    cr_assert_eq(lease.attempt, 2);
    again(f, lease, 100, "two", 0);
    pop_again(f, 99, 1);
    lease = pop(f, "http://a/1", 100);
    ASSERT_MEMO(lease, "two");
    cr_assert_eq(lease.visit, 2);
    cr_assert_eq(lease.attempt, 1, "attempts begin anew");
    cr_assert(crawl_slice_equal(lease.method, request.method));
    cr_assert(crawl_slice_equal(lease.headers, request.headers));
    cr_assert(crawl_slice_equal(lease.body, request.body));
    cr_assert(crawl_slice_equal(lease.parent, crawl_slice_from("http://p/")));
    cr_assert_eq(lease.tag, 7);
    cr_assert_eq(lease.depth, 3);
    cr_assert_eq(lease.priority, -2);
    cr_assert_eq(crawl_frontier_done_again(f, lease.id, 0, lease.memo, 100), CRAWL_OK, "its own memo");
    lease = pop(f, "http://a/1", 100);
    ASSERT_MEMO(lease, "two");
    again(f, lease, 0, "", 100);
    lease = pop(f, "http://a/1", 100);
    cr_assert_eq(lease.memo.size, 0);
    cr_assert_eq(lease.visit, 4);
    finish(f, lease, 100);
    pop_drained(f, 100);
    crawl_frontier_free(f);
}

Test(again, links_to_it_are_seen_whatever_the_time)
{
    static const crawl_bloom_kind kinds[] = {CRAWL_BLOOM_EXACT, CRAWL_BLOOM_COUNTING, CRAWL_BLOOM_TABLE,
                                             CRAWL_BLOOM_SCALABLE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        crawl_frontier *f = create_of(kinds[i], CRAWL_ORDER_BFS);
        crawl_request request = request_for("http://a/1", 0, 0);
        push_request(f, request, 0);
        again(f, pop(f, "http://a/1", 0), 1000, "", 0);
        cr_assert_eq(push_request(f, request, 500), CRAWL_PUSHED_SEEN);
        cr_assert_eq(push_request(f, request, 1500), CRAWL_PUSHED_SEEN);
        cr_assert_eq(stats_of(f, 1500).queued, 1);
        crawl_frontier_free(f);
    }
}

Test(again, keeps_its_place_in_the_seen_set_so_that_it_can_be_forgotten)
{
    static const crawl_bloom_kind kinds[] = {CRAWL_BLOOM_COUNTING, CRAWL_BLOOM_TABLE, CRAWL_BLOOM_DIGEST,
                                             CRAWL_BLOOM_EXACT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        crawl_frontier *f = create_of(kinds[i], CRAWL_ORDER_BFS);
        crawl_request request = request_for("http://a/1", 0, 0);
        push_request(f, request, 0);
        again(f, pop(f, "http://a/1", 0), 0, "", 0);
        again(f, pop(f, "http://a/1", 0), 0, "", 0);
        done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 0, 0);
        cr_assert_eq(crawl_frontier_seen(f, &request.fingerprint), CRAWL_ABSENT);
        cr_assert_eq(stats_of(f, 0).filter.count, 0);
        crawl_frontier_free(f);
    }
}

Test(again, figures_tell_when_nothing_but_further_visits_is_left)
{
    crawl_frontier *f = create_of(CRAWL_BLOOM_EXACT, CRAWL_ORDER_BFS);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    again(f, pop(f, "http://a/1", 0), 100, "x", 0);
    crawl_frontier_stats stats = stats_of(f, 0);
    cr_assert_eq(stats.finished, 1);
    cr_assert_eq(stats.again, 1);
    cr_assert_eq(stats.revisits, 1);
    cr_assert_eq(stats.queued, 2);
    again(f, pop(f, "http://a/2", 0), 200, "x", 0);
    stats = stats_of(f, 0);
    cr_assert_eq(stats.revisits, 2);
    cr_assert_eq(stats.queued, 2);
    crawl_lease lease = pop(f, "http://a/1", 100);
    cr_assert_eq(stats_of(f, 100).revisits, 1, "the other is leased");
    done(f, lease, CRAWL_DONE_RETRY, 300, 100);
    cr_assert_eq(stats_of(f, 100).revisits, 2);
    finish(f, pop(f, "http://a/2", 200), 200);
    finish(f, pop(f, "http://a/1", 300), 300);
    stats = stats_of(f, 300);
    cr_assert_eq(stats.revisits, 0);
    cr_assert_eq(stats.finished, 4);
    cr_assert_eq(stats.again, 2);
    crawl_frontier_free(f);
}

Test(again, goes_behind_what_was_pushed_before_of_its_priority_and_depth)
{
    static const crawl_order orders[] = {CRAWL_ORDER_BFS, CRAWL_ORDER_BEST};
    for (size_t i = 0; i < 2; i++) {
        crawl_frontier *f = create_of(CRAWL_BLOOM_EXACT, orders[i]);
        push_new(f, "http://a/1", 1, 0, 0);
        push_new(f, "http://a/2", 1, 0, 0);
        again(f, pop(f, "http://a/1", 0), 0, "", 0);
        push_new(f, "http://a/3", 1, 0, 0);
        push_new(f, "http://a/4", 1, 1, 0);
        again(f, pop(f, "http://a/4", 0), 0, "", 0);
        visit(f, "http://a/4", 0);
        visit(f, "http://a/2", 0);
        visit(f, "http://a/1", 0);
        visit(f, "http://a/3", 0);
        crawl_frontier_free(f);
    }
}

Test(again, keeps_its_place_where_the_youngest_goes_first)
{
    crawl_frontier *f = create_of(CRAWL_BLOOM_EXACT, CRAWL_ORDER_DFS);
    push_new(f, "http://a/1", 0, 0, 0);
    again(f, pop(f, "http://a/1", 0), 0, "", 0);
    push_new(f, "http://a/2", 1, 0, 0);
    visit(f, "http://a/2", 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    again(f, lease, 50, "", 0);
    lease = pop(f, "http://a/1", 50);
    again(f, lease, 0, "", 50);
    visit(f, "http://a/1", 50);
    pop_drained(f, 50);
    crawl_frontier_free(f);
}

Test(again, a_full_queue_does_not_refuse_it)
{
    crawl_frontier_options options = test_options();
    options.max_queued = 1;
    crawl_frontier *f = create(&options);
    push_new(f, "http://a/1", 0, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    push_new(f, "http://a/2", 0, 0, 0);
    again(f, lease, 10, "", 0);
    cr_assert_eq(stats_of(f, 0).queued, 2);
    crawl_frontier_free(f);
}

Test(again, refuses_what_it_cannot_and_leaves_the_lease_out)
{
    static const char zeros[CRAWL_MEMO_MAX + 1];
    crawl_frontier *f = create_of(CRAWL_BLOOM_EXACT, CRAWL_ORDER_BFS);
    crawl_request request = request_for("http://a/1", 0, 0);
    request.memo = crawl_slice_of(zeros, sizeof zeros);
    cr_assert_eq(push_request(f, request, 0), CRAWL_PUSHED_INVALID);
    cr_assert_eq(crawl_frontier_push_urgent(f, &request, 0), CRAWL_EINVAL);
    request.memo.size = CRAWL_MEMO_MAX;
    cr_assert_eq(push_request(f, request, 0), CRAWL_PUSHED_NEW);
    crawl_lease lease = pop(f, "http://a/1", 0);
    cr_assert_eq(lease.memo.size, CRAWL_MEMO_MAX);
    cr_assert_eq(crawl_frontier_done_again(f, lease.id, 0, crawl_slice_of(zeros, sizeof zeros), 0), CRAWL_EINVAL);
    cr_assert_eq(crawl_frontier_done_again(f, lease.id + 1, 0, lease.memo, 0), CRAWL_ESTATE);
    cr_assert_eq(stats_of(f, 0).leased, 1);
    finish(f, lease, 0);
    cr_assert_eq(crawl_frontier_done_again(f, lease.id, 0, (crawl_slice){0}, 0), CRAWL_ESTATE);
    push_urgent(f, "http://a/robots.txt", 0);
    lease = pop(f, "http://a/robots.txt", 0);
    cr_assert_eq(crawl_frontier_done_again(f, lease.id, 0, (crawl_slice){0}, 0), CRAWL_EINVAL);
    finish(f, lease, 0);
    pop_drained(f, 0);
    crawl_frontier_free(f);
}
