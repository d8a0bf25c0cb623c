/* Push, the seen-set, forgetting, limits, and the figures. */
#define HOSTS_STAY
#include "tests/unit/frontier/help.h"

#define ASSERT_TEXT(slice, text) \
    cr_assert(crawl_slice_equal(slice, crawl_slice_from(text)), "%.*s", (int)(slice).size, (slice).data)

static crawl_frontier *create_with(crawl_bloom_kind kind, uint64_t max_queued)
{
    crawl_frontier_options options = test_options();
    options.seen.kind = kind;
    options.max_queued = max_queued;
    return create(&options);
}

Test(push, options_have_the_defaults_of_the_manual)
{
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    cr_assert_eq(options.order, CRAWL_ORDER_BFS);
    cr_assert_eq(options.seen.kind, CRAWL_BLOOM_SCALABLE);
    cr_assert_eq(options.pause_ms, 250);
    cr_assert_eq(options.per_host, 2);
    cr_assert_eq(options.confirm_start, false);
    cr_assert_eq(options.max_queued, 0);
    cr_assert_null(options.on_ready);
    crawl_frontier_free(NULL);
}

Test(push, options_out_of_range_are_refused_with_their_name)
{
    crawl_frontier *f = NULL;
    crawl_error error = {0};
    crawl_frontier_options options = test_options();
    options.pause_ms = -1;
    cr_assert_eq(crawl_frontier_create(&options, &f, &error), CRAWL_EINVAL);
    cr_assert_not_null(strstr(error.message, "pause_ms"));
    options = test_options();
    options.per_host = 0;
    cr_assert_eq(crawl_frontier_create(&options, &f, &error), CRAWL_EINVAL);
    cr_assert_not_null(strstr(error.message, "per_host"));
    options = test_options();
    options.order = (crawl_order)7;
    cr_assert_eq(crawl_frontier_create(&options, &f, &error), CRAWL_EINVAL);
    cr_assert_not_null(strstr(error.message, "order"));
    options = test_options();
    options.seen.fpr = 7;
    options.seen.kind = CRAWL_BLOOM_SCALABLE;
    cr_assert_eq(crawl_frontier_create(&options, &f, NULL), CRAWL_EINVAL);
    cr_assert_null(f);
}

Test(push, answers_stand_in_the_order_of_the_requests)
{
    crawl_frontier *f = create_with(CRAWL_BLOOM_SCALABLE, 0);
    crawl_request requests[] = {
        request_for("http://a/1", 0, 0), request_for("ftp://a/1", 0, 0),  request_for("http://b/1", 0, 0),
        request_for("http://a/1", 0, 0), request_for("no url", 0, 0),     request_for("http://a/2", 0, 0),
        request_for("", 0, 0),           request_for("http://b/1", 0, 0),
    };
    const uint8_t expected[] = {CRAWL_PUSHED_NEW,     CRAWL_PUSHED_INVALID, CRAWL_PUSHED_NEW,     CRAWL_PUSHED_SEEN,
                                CRAWL_PUSHED_INVALID, CRAWL_PUSHED_NEW,     CRAWL_PUSHED_INVALID, CRAWL_PUSHED_SEEN};
    uint8_t results[8];
    size_t accepted = 0;
    cr_assert_eq(crawl_frontier_push(f, requests, 8, (crawl_slice){0}, results, &accepted, 0), CRAWL_OK);
    cr_assert_arr_eq(results, expected, 8);
    cr_assert_eq(accepted, 3);
    check(f);
    cr_assert_eq(crawl_frontier_push(f, requests, 8, (crawl_slice){0}, results, &accepted, 0), CRAWL_OK);
    cr_assert_eq(accepted, 0);
    cr_assert_eq(results[0], CRAWL_PUSHED_SEEN);
    cr_assert_eq(results[1], CRAWL_PUSHED_INVALID);
    cr_assert_eq(crawl_frontier_push(f, NULL, 0, (crawl_slice){0}, NULL, &accepted, 0), CRAWL_OK);
    crawl_frontier_stats stats = stats_of(f, 0);
    cr_assert_eq(stats.pushed, 16);
    cr_assert_eq(stats.accepted, 3);
    cr_assert_eq(stats.seen, 2 + 5);
    cr_assert_eq(stats.filter.count, 3);
    check(f);
    crawl_frontier_free(f);
}

Test(push, what_the_caller_knows_to_be_seen_is_counted)
{
    crawl_frontier *f = create_with(CRAWL_BLOOM_SCALABLE, 0);
    crawl_frontier_push_seen(f, 7);
    crawl_frontier_stats stats;
    crawl_frontier_stats_get(f, 0, &stats);
    cr_expect_eq(stats.pushed, 7);
    cr_expect_eq(stats.seen, 7);
    cr_expect_eq(stats.accepted, 0);
    crawl_frontier_free(f);
}

Test(push, a_lease_carries_all_that_was_pushed)
{
    crawl_frontier *f = create_with(CRAWL_BLOOM_EXACT, 0);
    crawl_request request = request_for("https://a:8443/x?y=z", 4, -3);
    request.method = crawl_slice_from("POST");
    request.headers = crawl_slice_from("A: b\nC: d\n");
    request.body = crawl_slice_of("\0body", 5);
    request.tag = 77;
    size_t accepted = 0;
    cr_assert_eq(crawl_frontier_push(f, &request, 1, crawl_slice_from("https://p/"), NULL, &accepted, 0), CRAWL_OK);
    cr_assert_eq(accepted, 1);
    crawl_lease lease = pop(f, "https://a:8443/x?y=z", 0);
    ASSERT_TEXT(lease.origin, "https://a:8443");
    ASSERT_TEXT(lease.method, "POST");
    ASSERT_TEXT(lease.headers, "A: b\nC: d\n");
    cr_assert(crawl_slice_equal(lease.body, request.body));
    ASSERT_TEXT(lease.parent, "https://p/");
    cr_assert_eq(memcmp(&lease.fingerprint, &request.fingerprint, 20), 0);
    cr_assert_eq(lease.priority, -3);
    cr_assert_eq(lease.depth, 4);
    cr_assert_eq(lease.tag, 77);
    cr_assert_eq(lease.attempt, 1);
    finish(f, lease, 0);
    crawl_frontier_free(f);
}

Test(push, urls_with_a_user_name_belong_to_the_host_without)
{
    crawl_frontier *f = create_with(CRAWL_BLOOM_EXACT, 0);
    crawl_request requests[] = {request_for("http://me:pw@a/1", 0, 0), request_for("http://you@b:81/", 0, 0),
                                request_for("http://a/2", 0, 0), request_for("http://you@a/3", 0, 0)};
    size_t accepted = 0;
    cr_assert_eq(crawl_frontier_push(f, requests, 4, (crawl_slice){0}, NULL, &accepted, 0), CRAWL_OK);
    cr_assert_eq(accepted, 4);
    check(f);
    cr_assert_eq(stats_of(f, 0).hosts, 2);
    crawl_lease lease = pop(f, "http://me:pw@a/1", 0);
    ASSERT_TEXT(lease.origin, "http://a");
    finish(f, lease, 0);
    lease = pop(f, "http://you@b:81/", 0);
    ASSERT_TEXT(lease.origin, "http://b:81");
    finish(f, lease, 0);
    visit(f, "http://a/2", 0);
    visit(f, "http://you@a/3", 0);
    crawl_frontier_free(f);
}

Test(push, revisit_is_queued_though_seen_and_marks_as_seen)
{
    crawl_frontier *f = create_with(CRAWL_BLOOM_SCALABLE, 0);
    crawl_request request = request_for("http://a/1", 0, 0);
    request.revisit = true;
    cr_assert_eq(push_request(f, request, 0), CRAWL_PUSHED_NEW);
    cr_assert_eq(crawl_frontier_seen(f, &request.fingerprint), CRAWL_EXISTS);
    cr_assert_eq(push_request(f, request, 0), CRAWL_PUSHED_NEW);
    request.revisit = false;
    cr_assert_eq(push_request(f, request, 0), CRAWL_PUSHED_SEEN);
    visit(f, "http://a/1", 0);
    visit(f, "http://a/1", 0);
    pop_drained(f, 0);
    crawl_frontier_free(f);
}

Test(push, full_is_answered_without_marking_as_seen)
{
    crawl_frontier *f = create_with(CRAWL_BLOOM_SCALABLE, 2);
    crawl_request requests[] = {request_for("http://a/1", 0, 0), request_for("http://a/1", 0, 0),
                                request_for("http://a/2", 0, 0), request_for("http://a/3", 0, 0),
                                request_for("http://a/2", 0, 0), request_for("http://b/4", 0, 0)};
    const uint8_t expected[] = {CRAWL_PUSHED_NEW,  CRAWL_PUSHED_SEEN, CRAWL_PUSHED_NEW,
                                CRAWL_PUSHED_FULL, CRAWL_PUSHED_SEEN, CRAWL_PUSHED_FULL};
    uint8_t results[6];
    size_t accepted = 0;
    requests[5].revisit = true;
    cr_assert_eq(crawl_frontier_push(f, requests, 6, (crawl_slice){0}, results, &accepted, 0), CRAWL_FULL);
    cr_assert_arr_eq(results, expected, 6);
    cr_assert_eq(accepted, 2);
    check(f);
    cr_assert_eq(crawl_frontier_seen(f, &requests[3].fingerprint), CRAWL_ABSENT);
    cr_assert_eq(crawl_frontier_seen(f, &requests[5].fingerprint), CRAWL_ABSENT);
    push_urgent(f, "http://a/robots.txt", 0); /* never full for these */
    visit(f, "http://a/robots.txt", 0);
    visit(f, "http://a/1", 0);
    cr_assert_eq(push_request(f, requests[3], 0), CRAWL_PUSHED_NEW);
    cr_assert_eq(push_request(f, requests[5], 0), CRAWL_PUSHED_FULL);
    crawl_frontier_free(f);
}

static void forget_and_push_again(crawl_bloom_kind kind, uint8_t expected)
{
    crawl_frontier *f = create_with(kind, 0);
    crawl_request request = request_for("http://a/1", 0, 0);
    push_new(f, "http://a/0", 0, 0, 0);
    push_request(f, request, 0);
    visit(f, "http://a/0", 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 0, 0);
    cr_assert_eq(stats_of(f, 0).finished, 2);
    cr_assert_eq(push_request(f, request, 0), expected);
    cr_assert_eq(push_request(f, request_for("http://a/0", 0, 0), 0), CRAWL_PUSHED_SEEN);
    crawl_frontier_free(f);
}

Test(push, a_forgotten_request_is_new_again_where_the_kind_can_forget)
{
    forget_and_push_again(CRAWL_BLOOM_COUNTING, CRAWL_PUSHED_NEW);
    forget_and_push_again(CRAWL_BLOOM_EXACT, CRAWL_PUSHED_NEW);
    forget_and_push_again(CRAWL_BLOOM_SCALABLE, CRAWL_PUSHED_SEEN);
}

/* After the first filter of a chain, only the `where` of each request lets the right filter forget. */
Test(push, forgetting_works_over_a_whole_chain)
{
    crawl_frontier *f = create_with(CRAWL_BLOOM_COUNTING, 0);
    crawl_frontier_stats stats;
    char url[64];
    size_t accepted = 0;
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(url, sizeof url, "http://a/%u", i);
        crawl_request request = request_for(url, 0, 0);
        crawl_frontier_push(f, &request, 1, (crawl_slice){0}, NULL, &accepted, 0);
    }
    stats = stats_of(f, 0);
    cr_assert_gt(stats.filter.filters, 1);
    uint64_t in = stats.accepted;
    cr_assert_eq(stats.filter.count, in);
    for (uint64_t i = 0; i < in; i++) {
        crawl_lease lease;
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        crawl_frontier_done(f, lease.id, CRAWL_DONE_FORGET, 0, 0);
    }
    stats = stats_of(f, 0);
    cr_assert_eq(stats.filter.count, 0);
    cr_assert_eq(stats.filter.refused, 0);
    check(f);
    crawl_frontier_free(f);
}

Test(push, a_revisit_of_what_was_seen_before_cannot_be_forgotten_in_a_chain)
{
    crawl_frontier *f = create_with(CRAWL_BLOOM_COUNTING, 0);
    crawl_request request = request_for("http://a/1", 0, 0);
    push_request(f, request, 0);
    visit(f, "http://a/1", 0);
    request.revisit = true;
    push_request(f, request, 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 0, 0);
    cr_assert_eq(crawl_frontier_seen(f, &request.fingerprint), CRAWL_EXISTS);
    crawl_frontier_free(f);
    f = create_with(CRAWL_BLOOM_EXACT, 0);
    push_request(f, request, 0);
    push_request(f, request, 0);
    visit(f, "http://a/1", 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 0, 0);
    cr_assert_eq(crawl_frontier_seen(f, &request.fingerprint), CRAWL_ABSENT);
    crawl_frontier_free(f);
}

Test(push, by_depth_what_comes_nearer_is_queued_again)
{
    static const crawl_bloom_kind kinds[] = {CRAWL_BLOOM_SCALABLE, CRAWL_BLOOM_EXACT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        crawl_frontier_options options = test_options();
        options.seen.kind = kinds[i];
        options.order = CRAWL_ORDER_DFS;
        options.by_depth = true;
        crawl_frontier *f = create(&options);
        crawl_request part = request_for("http://a/part", 2, 0);
        part.any_depth = true;
        push_new(f, "http://a/1", 3, 0, 0);
        cr_expect_eq(push_request(f, request_for("http://a/1", 3, 0), 0), CRAWL_PUSHED_SEEN);
        cr_expect_eq(push_request(f, request_for("http://a/1", 4, 0), 0), CRAWL_PUSHED_SEEN);
        push_new(f, "http://a/1", 1, 0, 0);
        cr_expect_eq(push_request(f, request_for("http://a/1", 2, 0), 0), CRAWL_PUSHED_SEEN);
        push_new(f, "http://a/far", CRAWL_DEPTHS_MAX + 9, 0, 0);
        cr_expect_eq(push_request(f, request_for("http://a/far", CRAWL_DEPTHS_MAX, 0), 0), CRAWL_PUSHED_SEEN);
        push_new(f, "http://a/far", CRAWL_DEPTHS_MAX - 1, 0, 0);
        cr_expect_eq(push_request(f, part, 0), CRAWL_PUSHED_NEW);
        part.depth = 0;
        cr_expect_eq(push_request(f, part, 0), CRAWL_PUSHED_SEEN, "the depth of a part does not count");
        part.any_depth = false;
        cr_expect_eq(push_request(f, part, 0), CRAWL_PUSHED_SEEN);
        part.fingerprint = print_of(crawl_slice_from("http://a/far"));
        cr_expect_eq(crawl_frontier_seen(f, &part.fingerprint), CRAWL_EXISTS);
        part.fingerprint = print_of(crawl_slice_from("http://a/other"));
        cr_expect_eq(crawl_frontier_seen(f, &part.fingerprint), CRAWL_ABSENT);
        crawl_frontier_free(f);
    }
}

/* Of two waiting requests for one page the deeper one need not be fetched, whatever becomes of the other. */
Test(push, by_depth_what_waits_deeper_is_told)
{
    crawl_frontier_options options = test_options();
    options.by_depth = true;
    options.per_host = 9;
    options.pause_ms = 0;
    crawl_frontier *f = create(&options);
    push_new(f, "http://a/1", 3, 0, 0);
    push_new(f, "http://a/2", 3, 0, 0);
    push_new(f, "http://a/1", 1, 0, 0);
    crawl_lease nearest, deeper, other;
    cr_assert_eq(crawl_frontier_pop(f, 0, &nearest, NULL), CRAWL_OK);
    done(f, nearest, CRAWL_DONE_FINISHED, 0, 0);
    cr_assert_eq(crawl_frontier_pop(f, 0, &deeper, NULL), CRAWL_OK);
    cr_assert_eq(crawl_frontier_pop(f, 0, &other, NULL), CRAWL_OK);
    cr_expect_eq(nearest.depth, 1);
    cr_expect_not(nearest.nearer);
    cr_expect_eq(deeper.depth, 3);
    cr_expect(deeper.nearer);
    cr_expect_eq(other.depth, 3);
    cr_expect_not(other.nearer);
    crawl_frontier_free(f);
}

/* In a full filter most requests have a key of some lesser depth by mistake. */
Test(push, by_depth_a_full_filter_names_no_nearer_request)
{
    enum { CAPACITY = 1000 };
    crawl_frontier_options options = test_options();
    unsigned popped = 0, nearer = 0;
    crawl_lease lease;
    options.by_depth = true;
    options.per_host = 1;
    options.pause_ms = 0;
    options.seen.kind = CRAWL_BLOOM_CLASSIC;
    options.seen.capacity = CAPACITY;
    options.seen.fpr = 0.05;
    crawl_frontier *f = create(&options);
    for (unsigned i = 0; popped < CAPACITY; i++) {
        char url[32];
        snprintf(url, sizeof url, "http://a/%u", i);
        popped += push_request(f, request_for(url, 20, 0), 0) == CRAWL_PUSHED_NEW;
    }
    for (unsigned i = 0; i < popped; i++) {
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        nearer += lease.nearer;
        done(f, lease, CRAWL_DONE_FINISHED, 0, 0);
    }
    cr_expect_eq(nearer, 0);
    crawl_frontier_free(f);
}

Test(push, by_depth_a_revisit_is_made_though_the_page_was_found_nearer)
{
    crawl_frontier_options options = test_options();
    crawl_request again = request_for("http://a/1", 2, 0);
    crawl_lease lease;
    options.by_depth = true;
    options.pause_ms = 0;
    crawl_frontier *f = create(&options);
    push_new(f, "http://a/1", 3, 0, 0);
    push_new(f, "http://a/1", 1, 0, 0);
    again.revisit = true;
    cr_expect_eq(push_request(f, again, 0), CRAWL_PUSHED_NEW);
    for (uint32_t depth = 1; depth <= 3; depth++) {
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        cr_expect_eq(lease.depth, depth);
        cr_expect_eq(lease.nearer, depth == 3, "depth %u", depth);
        done(f, lease, CRAWL_DONE_FINISHED, 0, 0);
    }
    crawl_frontier_free(f);
}

/* An image that is also linked, in either order of the page. */
Test(push, by_depth_one_batch_finds_both_depths)
{
    crawl_frontier_options options = test_options();
    options.by_depth = true;
    options.pause_ms = 0;
    for (int is_link_first = 0; is_link_first < 2; is_link_first++) {
        crawl_frontier *f = create(&options);
        crawl_request batch[] = {request_for("http://a/1", 4, 0), request_for("http://a/1", 4, 0)};
        crawl_lease lease;
        batch[is_link_first].any_depth = true;
        cr_expect_eq(crawl_frontier_push(f, batch, 2, (crawl_slice){0}, NULL, NULL, 0), CRAWL_OK);
        unsigned nearer = 0;
        for (int i = 0; i < 2; i++) {
            cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
            nearer += lease.nearer;
            done(f, lease, CRAWL_DONE_FINISHED, 0, 0);
        }
        cr_expect_eq(nearer, 1);
        crawl_frontier_free(f);
    }
}

/* The nearer request decides how long a page is seen. */
Test(push, by_depth_a_page_is_forgotten_at_all_depths)
{
    crawl_frontier_options options = test_options();
    crawl_lease lease;
    options.by_depth = true;
    options.pause_ms = 0;
    options.seen.kind = CRAWL_BLOOM_TABLE;
    crawl_frontier *f = create(&options);
    push_new(f, "http://a/1", 2, 0, 0);
    push_new(f, "http://a/1", 1, 0, 0);
    cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
    done(f, lease, CRAWL_DONE_FORGET, 50, 0);
    cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
    cr_assert(lease.nearer);
    done(f, lease, CRAWL_DONE_FORGET, 0, 0);
    cr_expect_eq(push_request(f, request_for("http://a/1", 2, 0), 49), CRAWL_PUSHED_SEEN);
    push_new(f, "http://a/1", 2, 0, 50);
    cr_assert_eq(crawl_frontier_pop(f, 50, &lease, NULL), CRAWL_OK);
    cr_expect_not(lease.nearer);
    done(f, lease, CRAWL_DONE_FINISHED, 0, 50);
    crawl_frontier_free(f);
}

Test(push, requests_without_room_make_no_host_known)
{
    crawl_frontier_options options = test_options();
    options.max_queued = 2;
    options.max_hosts = 3;
    crawl_frontier *f = create(&options);
    crawl_request batch[] = {request_for("http://a/1", 0, 0), request_for("http://a/1", 0, 0),
                             request_for("http://b/1", 0, 0), request_for("http://c/1", 0, 0),
                             request_for("http://d/1", 0, 0)};
    static const uint8_t expected[] = {CRAWL_PUSHED_NEW, CRAWL_PUSHED_SEEN, CRAWL_PUSHED_NEW, CRAWL_PUSHED_FULL,
                                       CRAWL_PUSHED_FULL};
    uint8_t results[5];
    cr_expect_eq(crawl_frontier_push(f, batch, 5, (crawl_slice){0}, results, NULL, 0), CRAWL_FULL);
    cr_expect_arr_eq(results, expected, sizeof expected);
    cr_expect_eq(push_request(f, request_for("http://e/1", 0, 0), 0), CRAWL_PUSHED_FULL);
    cr_expect_eq(stats_of(f, 0).hosts, 2);
    cr_expect_eq(stats_of(f, 0).full, 3);
    cr_expect_eq(stats_of(f, 0).seen, 1);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FINISHED, 0, 0);
    push_new(f, "http://c/1", 0, 0, 0);
    check(f);
    crawl_frontier_free(f);
}

Test(push, by_depth_a_request_is_forgotten_as_it_was_found)
{
    crawl_frontier_options options = test_options();
    options.order = CRAWL_ORDER_DFS;
    options.by_depth = true;
    crawl_frontier *f = create(&options);
    crawl_request request = request_for("http://a/1", 3, 0);
    push_request(f, request, 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 0, 0);
    cr_expect_eq(crawl_frontier_seen(f, &request.fingerprint), CRAWL_ABSENT);
    cr_expect_eq(push_request(f, request, 0), CRAWL_PUSHED_NEW);
    crawl_frontier_free(f);
}

static void push_urgent_and_forget(crawl_bloom_kind kind)
{
    crawl_frontier *f = create_with(kind, 0);
    crawl_request request = request_for("http://a/robots.txt", 0, 0);
    push_urgent(f, "http://a/robots.txt", 0);
    push_urgent(f, "http://a/robots.txt", 0);
    cr_assert_eq(crawl_frontier_seen(f, &request.fingerprint), CRAWL_ABSENT);
    push_request(f, request, 0);
    done(f, pop(f, "http://a/robots.txt", 0), CRAWL_DONE_FORGET, 0, 0);
    cr_assert_eq(crawl_frontier_seen(f, &request.fingerprint), CRAWL_EXISTS, "the other one's");
    crawl_frontier_stats stats = stats_of(f, 0);
    cr_assert_eq(stats.queued, 2);
    cr_assert_eq(stats.pushed, 1);
    cr_assert_eq(stats.accepted, 1);
    cr_assert_eq(stats.finished, 0);
    crawl_request wrong = request_for("ftp://a/", 0, 0);
    cr_assert_eq(crawl_frontier_push_urgent(f, &wrong, 0), CRAWL_EINVAL);
    wrong = request_for("http://u:p@a/x", 0, 0);
    cr_assert_eq(crawl_frontier_push_urgent(f, &wrong, 0), CRAWL_OK);
    check(f);
    crawl_frontier_free(f);
}

Test(push, urgent_requests_leave_the_seen_set_alone)
{
    push_urgent_and_forget(CRAWL_BLOOM_COUNTING);
    push_urgent_and_forget(CRAWL_BLOOM_EXACT);
}

Test(push, figures_follow_every_step)
{
    crawl_frontier *f = create_with(CRAWL_BLOOM_EXACT, 0);
    uint64_t empty = stats_of(f, 0).bytes;
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    push_new(f, "http://b/1", 0, 0, 0);
    crawl_frontier_stats stats = stats_of(f, 0);
    cr_assert_eq(stats.queued, 3);
    cr_assert_eq(stats.leased, 0);
    cr_assert_eq(stats.hosts, 2);
    cr_assert_eq(stats.hosts_queued, 2);
    cr_assert_gt(stats.bytes, empty + 3 * sizeof(cw_frontier_item) + 2 * sizeof(cw_frontier_host));
    crawl_lease a = pop(f, "http://a/1", 0);
    crawl_lease b = pop(f, "http://b/1", 0);
    stats = stats_of(f, 0);
    cr_assert_eq(stats.queued, 1);
    cr_assert_eq(stats.leased, 2);
    cr_assert_eq(stats.hosts_queued, 1);
    done(f, b, CRAWL_DONE_RETRY, 100, 0);
    cr_assert_eq(stats_of(f, 0).hosts_queued, 2);
    finish(f, a, 0);
    stats = stats_of(f, 0);
    cr_assert_eq(stats.finished, 1);
    cr_assert_eq(stats.leased, 0);
    cr_assert_eq(stats.queued, 2);
    crawl_frontier_free(f);
}

Test(push, memory_of_a_long_crawl_goes_back_to_that_of_its_hosts)
{
    crawl_frontier *f = create_with(CRAWL_BLOOM_SCALABLE, 0);
    push_new(f, "http://a/", 0, 0, 0);
    visit(f, "http://a/", 0);
    uint64_t before = stats_of(f, 0).bytes;
    char url[64];
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(url, sizeof url, "http://a/%u", i);
        crawl_request request = request_for(url, i % 7, 0);
        crawl_frontier_push(f, &request, 1, crawl_slice_from("http://a/parent"), NULL, NULL, 0);
    }
#ifdef DURABLE /* they are on disk */
    cr_assert_lt(stats_of(f, 0).bytes, before + 3000 * sizeof(cw_frontier_item));
#else
    cr_assert_gt(stats_of(f, 0).bytes, before + 3000 * sizeof(cw_frontier_item));
#endif
    crawl_lease lease;
    while (crawl_frontier_pop(f, 0, &lease, NULL) == CRAWL_OK)
        crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0);
    check(f);
    cr_assert_eq(stats_of(f, 0).bytes, before);
    crawl_frontier_free(f);
}

Test(push, unfinished_leases_and_queues_are_freed_with_the_frontier)
{
    crawl_frontier_options options = test_options();
    options.per_host = 3;
    crawl_frontier *f = create(&options);
    crawl_request requests[4] = {request_for("http://a/1", 0, 0), request_for("http://a/2", 0, 0),
                                 request_for("http://a/3", 0, 0), request_for("http://u@a/4", 0, 0)};
    crawl_frontier_push(f, requests, 4, crawl_slice_from("http://p/"), NULL, NULL, 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_RETRY, 100, 0);
    pop(f, "http://a/2", 0);
    push_urgent(f, "http://a/u", 0);
    crawl_frontier_free(f);
}

enum { HOSTS = 17000, AGAIN = 2500, BATCH = 250 };

/* Returns request i of a round, for a host by its number. */
static crawl_request request_in(char url[64], unsigned host, char round, unsigned i)
{
    snprintf(url, 64, "http://h%u.example/%c%u", host, round, i);
    return request_for(url, 0, 0);
}

static void push_round(crawl_frontier *f, char round, unsigned count, unsigned (*host_of)(unsigned i))
{
    static char urls[BATCH][64];
    crawl_request requests[BATCH];
    for (unsigned i = 0; i < count; i += BATCH) {
        size_t accepted = 0;
        for (unsigned j = 0; j < BATCH; j++)
            requests[j] = request_in(urls[j], host_of(i + j), round, i + j);
        cr_assert_eq(crawl_frontier_push(f, requests, BATCH, (crawl_slice){0}, NULL, &accepted, 0), CRAWL_OK);
        cr_assert_eq(accepted, BATCH);
    }
}

static unsigned each_in_turn(unsigned i)
{
    return i;
}

/* Gives each host two consecutive links; the hosts are far apart. */
static unsigned two_in_a_row(unsigned i)
{
    return i / 2 * 7919 % HOSTS;
}

/* More hosts than are looked up one by one. */
Test(push, each_of_many_hosts_gets_its_own)
{
    static unsigned expected[HOSTS];
    crawl_frontier *f = create_with(CRAWL_BLOOM_EXACT, 0);
    push_round(f, 'a', HOSTS, each_in_turn);
    push_round(f, 'b', AGAIN, two_in_a_row);
    for (unsigned i = 0; i < AGAIN; i++)
        expected[two_in_a_row(i)]++;
    for (unsigned i = 0; i < HOSTS; i++) {
        char origin[64];
        snprintf(origin, sizeof origin, "http://h%u.example", i);
        const cw_frontier_host *host = cw_frontier_hosts_find(&f->hosts, crawl_slice_from(origin));
        cr_assert_not_null(host, "%s", origin);
        cr_assert_eq(cw_frontier_host_queued(host), 1 + expected[i], "%s", origin);
    }
    cr_assert_eq(stats_of(f, 0).hosts, HOSTS);
    check(f);
    crawl_frontier_free(f);
}

Test(push, hosts_beyond_max_hosts_are_left_out_and_not_marked)
{
    crawl_frontier_options options = test_options();
    options.max_hosts = 2;
    crawl_frontier *f = create(&options);
    const crawl_request requests[] = {
        request_for("http://a/1", 0, 0), request_for("http://c/1", 0, 0) /* the second host */,
        request_for("http://b/1", 0, 0), request_for("http://a/2", 0, 0),
        request_for("http://b/2", 0, 0), request_for("http://c/2", 0, 0),
    };
    static const uint8_t expected[] = {CRAWL_PUSHED_NEW, CRAWL_PUSHED_NEW,  CRAWL_PUSHED_FULL,
                                       CRAWL_PUSHED_NEW, CRAWL_PUSHED_FULL, CRAWL_PUSHED_NEW};
    uint8_t results[6];
    size_t accepted;
    cr_assert_eq(crawl_frontier_push(f, requests, 6, crawl_slice_from("http://a/"), results, &accepted, 0), CRAWL_FULL);
    check(f);
    cr_assert_eq(accepted, 4);
    cr_assert_arr_eq(results, expected, sizeof expected);
    cr_assert_eq(crawl_frontier_seen(f, &requests[2].fingerprint), CRAWL_ABSENT);
    crawl_frontier_stats stats;
    crawl_frontier_stats_get(f, 0, &stats);
    cr_assert_eq(stats.hosts, 2);
    cr_assert_eq(stats.full, 2);
    cr_assert_eq(stats.queued, 4);
    cr_assert_eq(push_request(f, request_for("http://b/1", 0, 0), 0), CRAWL_PUSHED_FULL);
    cr_assert_eq(push_request(f, request_for("http://c/3", 0, 0), 0), CRAWL_PUSHED_NEW);
    crawl_frontier_free(f);
}
