/* CRAWL_DONE_FORGET with a date: finished now, accepted again from that date on. */
#include "tests/unit/frontier/help.h"

static const crawl_bloom_kind kinds[] = {CRAWL_BLOOM_COUNTING, CRAWL_BLOOM_TABLE, CRAWL_BLOOM_EXACT,
                                         CRAWL_BLOOM_DIGEST};
enum { KINDS = sizeof kinds / sizeof *kinds };

static crawl_frontier *create_of(crawl_bloom_kind kind)
{
    crawl_frontier_options options = test_options();
    options.seen.kind = kind;
    options.seen.capacity = 20000;
    return create(&options);
}

Test(forget, at_a_date_a_link_brings_it_back_and_not_before)
{
    for (size_t i = 0; i < KINDS; i++) {
        crawl_frontier *f = create_of(kinds[i]);
        crawl_request request = request_for("http://a/1", 0, 0);
        push_request(f, request, 0);
        done(f, pop(f, "http://a/1", 10), CRAWL_DONE_FORGET, 1000, 10);
        pop_drained(f, 10);
        cr_assert_eq(stats_of(f, 10).finished, 1);
        cr_assert_eq(stats_of(f, 10).forgetting, 1);
        cr_assert_eq(push_request(f, request, 999), CRAWL_PUSHED_SEEN);
        cr_assert_eq(push_request(f, request, 1000), CRAWL_PUSHED_NEW);
        cr_assert_eq(stats_of(f, 1000).forgetting, 0);
        cr_assert_eq(push_request(f, request, 1000), CRAWL_PUSHED_SEEN);
        crawl_frontier_free(f);
    }
}

Test(forget, any_call_forgets_what_is_due)
{
    crawl_frontier *f = create_of(CRAWL_BLOOM_COUNTING);
    crawl_request request = request_for("http://a/1", 0, 0);
    push_request(f, request, 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 1000, 0);
    cr_assert_eq(crawl_frontier_seen(f, &request.fingerprint), CRAWL_EXISTS);
    pop_drained(f, 1000);
    cr_assert_eq(crawl_frontier_seen(f, &request.fingerprint), CRAWL_ABSENT);
    crawl_frontier_free(f);
}

Test(forget, a_date_in_the_past_is_now_and_that_for_ever_is_never)
{
    crawl_frontier *f = create_of(CRAWL_BLOOM_COUNTING);
    crawl_request request = request_for("http://a/1", 0, 0);
    push_request(f, request, 100);
    done(f, pop(f, "http://a/1", 100), CRAWL_DONE_FORGET, 100, 100);
    cr_assert_eq(push_request(f, request, 100), CRAWL_PUSHED_NEW);
    done(f, pop(f, "http://a/1", 100), CRAWL_DONE_FORGET, CRAWL_FOREVER, 100);
    cr_assert_eq(stats_of(f, 100).forgetting, 0);
    cr_assert_eq(push_request(f, request, INT64_MAX), CRAWL_PUSHED_SEEN);
    crawl_frontier_free(f);
}

Test(forget, kinds_that_cannot_take_it_for_finished)
{
    static const crawl_bloom_kind others[] = {CRAWL_BLOOM_SCALABLE, CRAWL_BLOOM_CLASSIC, CRAWL_BLOOM_ROTATING};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        crawl_frontier *f = create_of(others[i]);
        crawl_request request = request_for("http://a/1", 0, 0);
        push_request(f, request, 0);
        done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 1000, 0);
        cr_assert_eq(stats_of(f, 0).forgetting, 0);
        cr_assert_eq(push_request(f, request, 2000), CRAWL_PUSHED_SEEN);
        cr_assert_eq(stats_of(f, 2000).filter.refused, 0);
        crawl_frontier_free(f);
    }
}

/* Visits pages [0, count) of one host, each to be forgotten at its own date. */
static void visit_all(crawl_frontier *f, unsigned count, int64_t (*date)(unsigned page))
{
    static char url[32];
    for (unsigned i = 0; i < count; i++) {
        crawl_lease lease;
        snprintf(url, sizeof url, "http://a/%u", i);
        crawl_request request = request_for(url, 0, 0);
        cr_assert_eq(crawl_frontier_push(f, &request, 1, (crawl_slice){0}, NULL, NULL, 0), CRAWL_OK);
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FORGET, date(i), 0), CRAWL_OK);
    }
    check(f);
}

static bool is_seen(crawl_frontier *f, unsigned page)
{
    char url[32];
    snprintf(url, sizeof url, "http://a/%u", page);
    crawl_fingerprint print = print_of(crawl_slice_from(url));
    return crawl_frontier_seen(f, &print) == CRAWL_EXISTS;
}

static int64_t scattered(unsigned page)
{
    return 1 + page * 2654435761u % 5000;
}

Test(forget, dates_in_any_order_are_each_kept)
{
    enum { PAGES = 3000 };
    crawl_frontier *f = create_of(CRAWL_BLOOM_EXACT);
    visit_all(f, PAGES, scattered);
    for (int64_t now = 0; now <= 5000; now += 250) {
        uint64_t waiting = 0;
        for (unsigned i = 0; i < PAGES; i++)
            waiting += scattered(i) > now;
        push_request(f, request_for("http://b/", 0, 0), now);
        for (unsigned i = 0; i < PAGES; i++)
            cr_assert_eq(is_seen(f, i), scattered(i) > now, "page %u at %d", i, (int)now);
        cr_assert_eq(stats_of(f, now).forgetting, waiting);
        check(f);
    }
    crawl_frontier_free(f);
}

static int64_t at_once(unsigned)
{
    return 1000;
}

Test(forget, a_call_does_a_part_of_many_and_a_push_all)
{
    enum { PAGES = 2500, PART = 256 };
    crawl_frontier *f = create_of(CRAWL_BLOOM_EXACT);
    visit_all(f, PAGES, at_once);
    cr_assert_eq(stats_of(f, 999).forgetting, PAGES);
    pop_drained(f, 1000);
    check(f);
    uint64_t left = stats_of(f, 1000).forgetting;
    cr_assert_eq(left, PAGES - 2 * PART);
    cr_assert_eq(push_request(f, request_for("http://a/2499", 0, 0), 1000), CRAWL_PUSHED_NEW);
    cr_assert_eq(stats_of(f, 1000).forgetting, 0);
    crawl_frontier_free(f);
}

Test(forget, a_further_visit_can_end_in_it)
{
    crawl_frontier *f = create_of(CRAWL_BLOOM_COUNTING);
    crawl_request request = request_for("http://a/1", 0, 0);
    push_request(f, request, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    cr_assert_eq(crawl_frontier_done_again(f, lease.id, 500, crawl_slice_from("m"), 0), CRAWL_OK);
    done(f, pop(f, "http://a/1", 500), CRAWL_DONE_FORGET, 700, 500);
    cr_assert_eq(push_request(f, request, 699), CRAWL_PUSHED_SEEN);
    cr_assert_eq(push_request(f, request, 700), CRAWL_PUSHED_NEW);
    crawl_frontier_free(f);
}

Test(forget, a_urgent_request_and_a_revisit_of_what_may_not_be_in_are_not_forgotten)
{
    crawl_frontier *f = create_of(CRAWL_BLOOM_COUNTING);
    crawl_request request = request_for("http://a/1", 0, 0);
    push_request(f, request, 0);
    visit(f, "http://a/1", 0);
    request.revisit = true;
    push_request(f, request, 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 100, 0);
    push_urgent(f, "http://a/1", 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 100, 0);
    cr_assert_eq(stats_of(f, 0).forgetting, 0);
    pop_drained(f, 200);
    cr_assert_eq(crawl_frontier_seen(f, &request.fingerprint), CRAWL_EXISTS);
    crawl_frontier_free(f);
}
