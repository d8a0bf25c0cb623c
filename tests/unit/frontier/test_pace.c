/* When a host may be asked: pause, parallel leases, confirmed starts, blocks, delayed requests; and the wait that pop
 * returns. */
#include "tests/unit/frontier/help.h"

#define A crawl_slice_from("http://a")

static crawl_frontier *create_paced(int64_t pause, unsigned per_host, bool confirm_start)
{
    crawl_frontier_options options = test_options();
    options.pause_ms = pause;
    options.per_host = per_host;
    options.confirm_start = confirm_start;
    return create(&options);
}

/* Creates a frontier with a/1 to a/3 queued. */
static crawl_frontier *create_with_three(int64_t pause, unsigned per_host, bool confirm_start)
{
    crawl_frontier *f = create_paced(pause, per_host, confirm_start);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    push_new(f, "http://a/3", 0, 0, 0);
    return f;
}

static void start(crawl_frontier *f, crawl_lease lease, int64_t now)
{
    cr_assert_eq(crawl_frontier_start(f, lease.id, now), CRAWL_OK);
    check(f);
}

static void visit_started(crawl_frontier *f, const char *url, int64_t now)
{
    crawl_lease lease = pop(f, url, now);
    start(f, lease, now);
    finish(f, lease, now);
}

Test(pace, pause_runs_from_pop_to_pop)
{
    crawl_frontier *f = create_with_three(100, 5, false);
    crawl_lease first = pop(f, "http://a/1", 1000);
    pop_again(f, 1000, 100);
    pop_again(f, 1099, 1);
    crawl_lease second = pop(f, "http://a/2", 1100);
    finish(f, first, 1150);
    finish(f, second, 1150);
    pop_again(f, 1150, 50);
    visit(f, "http://a/3", 1200);
    pop_drained(f, 1200);
    crawl_frontier_free(f);
}

Test(pace, hosts_pause_apart)
{
    crawl_frontier *f = create_with_three(100, 1, false);
    push_new(f, "http://b/1", 0, 0, 0);
    visit(f, "http://a/1", 0);
    visit(f, "http://b/1", 30);
    pop_again(f, 30, 70);
    push_new(f, "http://b/2", 0, 0, 0);
    visit(f, "http://a/2", 100);
    pop_again(f, 100, 30);
    visit(f, "http://b/2", 130);
    crawl_frontier_free(f);
}

Test(pace, ports_and_schemes_are_hosts_apart)
{
    crawl_frontier *f = create_paced(1000, 1, false);
    push_new(f, "http://a/", 0, 0, 0);
    push_new(f, "https://a/", 0, 0, 0);
    push_new(f, "http://a:81/", 0, 0, 0);
    visit(f, "http://a/", 0);
    visit(f, "https://a/", 0);
    visit(f, "http://a:81/", 0);
    cr_assert_eq(stats_of(f, 0).hosts, 3);
    crawl_frontier_free(f);
}

Test(pace, at_most_per_host_leases_at_once)
{
    crawl_frontier *f = create_with_three(0, 2, false);
    crawl_lease first = pop(f, "http://a/1", 0);
    crawl_lease second = pop(f, "http://a/2", 0);
    pop_again(f, 0, CRAWL_FOREVER);
    finish(f, first, 0);
    crawl_lease third = pop(f, "http://a/3", 0);
    pop_again(f, 0, CRAWL_FOREVER);
    finish(f, second, 0);
    pop_again(f, 0, CRAWL_FOREVER);
    finish(f, third, 0);
    pop_drained(f, 0);
    crawl_frontier_free(f);
}

Test(pace, a_full_host_waits_for_its_pause_once_a_slot_is_free)
{
    crawl_frontier *f = create_with_three(100, 1, false);
    crawl_lease lease = pop(f, "http://a/1", 0);
    pop_again(f, 20, CRAWL_FOREVER);
    finish(f, lease, 30);
    pop_again(f, 30, 70);
    visit(f, "http://a/2", 100);
    crawl_frontier_free(f);
}

Test(pace, an_unstarted_lease_holds_the_host_and_the_pause_runs_from_its_start)
{
    crawl_frontier *f = create_with_three(100, 5, true);
    crawl_lease first = pop(f, "http://a/1", 0);
    pop_again(f, 500, CRAWL_FOREVER);
    push_urgent(f, "http://a/robots.txt", 500);
    pop_again(f, 500, CRAWL_FOREVER);
    start(f, first, 600);
    pop_again(f, 600, 100);
    cr_assert_eq(crawl_frontier_start(f, first.id, 610), CRAWL_ESTATE, "started before");
    pop_again(f, 610, 90);
    crawl_lease second = pop(f, "http://a/robots.txt", 700);
    start(f, second, 700);
    finish(f, first, 750);
    visit(f, "http://a/2", 800);
    crawl_frontier_free(f);
}

Test(pace, a_lease_that_was_never_started_leaves_the_pause_alone)
{
    crawl_frontier *f = create_with_three(100, 1, true);
    crawl_lease lease = pop(f, "http://a/1", 0);
    done(f, lease, CRAWL_DONE_RETURN, 0, 50);
    lease = pop(f, "http://a/1", 50);
    start(f, lease, 60);
    finish(f, lease, 70);
    visit(f, "http://a/2", 160); /* refused by a rule: not started */
    visit(f, "http://a/3", 160);
    crawl_frontier_free(f);
}

Test(pace, start_is_for_leases_that_are_out_and_to_be_confirmed)
{
    crawl_frontier *f = create_with_three(0, 1, false);
    crawl_lease lease = pop(f, "http://a/1", 0);
    cr_assert_eq(crawl_frontier_start(f, lease.id, 0), CRAWL_ESTATE, "starts with pop");
    cr_assert_eq(crawl_frontier_start(f, lease.id + 1, 0), CRAWL_ESTATE);
    crawl_frontier_free(f);
    f = create_with_three(0, 1, true);
    lease = pop(f, "http://a/1", 0);
    finish(f, lease, 0);
    cr_assert_eq(crawl_frontier_start(f, lease.id, 0), CRAWL_ESTATE, "over");
    crawl_frontier_free(f);
}

Test(pace, a_host_can_have_its_own_pause)
{
    crawl_frontier *f = create_with_three(100, 1, false);
    cr_assert_eq(crawl_frontier_set_pause(f, A, 1000, 0), CRAWL_OK);
    visit(f, "http://a/1", 0);
    pop_again(f, 100, 900);
    cr_assert_eq(crawl_frontier_set_pause(f, A, 200, 100), CRAWL_OK);
    pop_again(f, 100, 100);
    visit(f, "http://a/2", 200);
    cr_assert_eq(crawl_frontier_set_pause(f, A, -1, 200), CRAWL_OK);
    pop_again(f, 200, 100);
    cr_assert_eq(crawl_frontier_set_pause(f, A, CRAWL_FOREVER, 200), CRAWL_OK);
    pop_again(f, 200, CRAWL_FOREVER);
    cr_assert_eq(crawl_frontier_set_pause(f, A, 0, 200), CRAWL_OK);
    check(f);
    visit(f, "http://a/3", 200);
    crawl_frontier_free(f);
}

Test(pace, pause_and_block_may_come_before_the_first_request)
{
    crawl_frontier *f = create_paced(0, 1, false);
    cr_assert_eq(crawl_frontier_set_pause(f, A, 70, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_block(f, crawl_slice_from("http://b"), 40, 0), CRAWL_OK);
    cr_assert_eq(stats_of(f, 0).hosts, 2);
    cr_assert_eq(stats_of(f, 0).hosts_blocked, 0, "nothing queued");
    pop_drained(f, 0);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    push_new(f, "http://b/1", 0, 0, 0);
    cr_assert_eq(stats_of(f, 0).hosts_blocked, 1);
    visit(f, "http://a/1", 0);
    pop_again(f, 0, 40);
    visit(f, "http://b/1", 40);
    pop_again(f, 40, 30);
    crawl_frontier_free(f);
}

Test(pace, what_is_no_origin_is_refused)
{
    crawl_frontier *f = create_paced(0, 1, false);
    const char *const texts[] = {"",
                                 "a",
                                 "http://",
                                 "ftp://a",
                                 "http://a/",
                                 "http://a?b",
                                 "https://u@a",
                                 "http://a#",
                                 "http://A.test",
                                 "http://a.test:80",
                                 "https://a:443",
                                 "http://a:",
                                 "http://a:080",
                                 "http://a:65536",
                                 "http://a b",
                                 "http://a:x",
                                 "http://a%20",
                                 "http://::1",
                                 "http://[]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_assert_eq(crawl_frontier_block(f, crawl_slice_from(texts[i]), 5, 0), CRAWL_EINVAL, "%s", texts[i]);
        cr_assert_eq(crawl_frontier_set_pause(f, crawl_slice_from(texts[i]), 5, 0), CRAWL_EINVAL, "%s", texts[i]);
    }
    const char *const origins[] = {"https://[::1]:8080", "http://[::1]", "http://a_b.test:443", "http://a:0"};
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
        cr_assert_eq(crawl_frontier_block(f, crawl_slice_from(origins[i]), 5, 0), CRAWL_OK, "%s", origins[i]);
    cr_assert_eq(stats_of(f, 0).hosts, 4);
    crawl_frontier_free(f);
}

Test(pace, a_blocked_host_gives_urgent_requests_alone)
{
    crawl_frontier *f = create_with_three(100, 1, false);
    cr_assert_eq(crawl_frontier_block(f, A, 1000, 0), CRAWL_OK);
    pop_again(f, 0, 1000);
    cr_assert_eq(stats_of(f, 0).hosts_blocked, 1);
    push_urgent(f, "http://a/robots.txt", 0);
    push_urgent(f, "http://a/again", 0);
    visit(f, "http://a/robots.txt", 0);
    pop_again(f, 0, 100); /* the pause applies to urgent ones too */
    visit(f, "http://a/again", 100);
    pop_again(f, 200, 800);
    cr_assert_eq(stats_of(f, 999).hosts_blocked, 1);
    cr_assert_eq(stats_of(f, 1000).hosts_blocked, 0);
    visit(f, "http://a/1", 1000);
    crawl_frontier_free(f);
}

Test(pace, a_block_is_lifted_by_0_or_a_past_date_and_for_ever_is_for_ever)
{
    crawl_frontier *f = create_with_three(0, 1, false);
    crawl_frontier_block(f, A, CRAWL_FOREVER, 5);
    pop_again(f, 5, CRAWL_FOREVER);
    crawl_frontier_block(f, A, 0, 5);
    check(f);
    visit(f, "http://a/1", 5);
    crawl_frontier_block(f, A, 50, 5);
    crawl_frontier_block(f, A, 100, 5);
    pop_again(f, 5, 95);
    crawl_frontier_block(f, A, 20, 5);
    pop_again(f, 5, 15);
    crawl_frontier_block(f, A, 5, 5);
    check(f);
    visit(f, "http://a/2", 5);
    crawl_frontier_free(f);
}

Test(pace, requests_of_a_blocked_host_keep_the_crawl_from_being_drained)
{
    crawl_frontier *f = create_paced(0, 1, false);
    push_new(f, "http://a/1", 0, 0, 0);
    crawl_frontier_block(f, A, CRAWL_FOREVER, 0);
    pop_again(f, 0, CRAWL_FOREVER);
    crawl_frontier_block(f, A, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    pop_again(f, 0, CRAWL_FOREVER);
    finish(f, lease, 0);
    pop_drained(f, 0);
    crawl_frontier_free(f);
}

Test(pace, a_delayed_request_waits_alone)
{
    crawl_frontier *f = create_with_three(0, 1, false);
    crawl_lease lease = pop(f, "http://a/1", 0);
    done(f, lease, CRAWL_DONE_RETRY, 500, 0);
    visit(f, "http://a/2", 0);
    visit(f, "http://a/3", 0);
    pop_again(f, 0, 500);
    pop_again(f, 499, 1);
    lease = pop(f, "http://a/1", 500);
    cr_assert_eq(lease.attempt, 2);
    done(f, lease, CRAWL_DONE_RETURN, 600, 500);
    pop_again(f, 500, 100);
    lease = pop(f, "http://a/1", 600);
    cr_assert_eq(lease.attempt, 2, "a return does not count");
    done(f, lease, CRAWL_DONE_RETRY, 0, 600);
    lease = pop(f, "http://a/1", 600);
    cr_assert_eq(lease.attempt, 3);
    finish(f, lease, 600);
    pop_drained(f, 600);
    crawl_frontier_free(f);
}

Test(pace, a_delayed_request_that_is_due_displaces_the_head_of_a_ready_host)
{
    crawl_frontier *f = create_with_three(0, 1, false);
    push_new(f, "http://b/1", 1, 0, 0);
    push_new(f, "http://b/2", 1, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    done(f, lease, CRAWL_DONE_RETRY, 10, 0);
    crawl_lease second = pop(f, "http://a/2", 0);
    finish(f, second, 0);
    visit(f, "http://a/3", 0);
    visit(f, "http://b/1", 9);
    visit(f, "http://a/1", 10); /* depth 0 before b/2 */
    visit(f, "http://b/2", 10);
    crawl_frontier_free(f);
}

Test(pace, the_wait_takes_pause_block_and_date_together)
{
    crawl_frontier *f = create_paced(100, 1, false);
    push_new(f, "http://a/1", 0, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    done(f, lease, CRAWL_DONE_RETRY, 50, 0);
    pop_again(f, 0, 100);
    crawl_frontier_block(f, A, 70, 0);
    pop_again(f, 0, 100);
    crawl_frontier_block(f, A, 130, 0);
    pop_again(f, 0, 130);
    push_urgent(f, "http://a/u", 0);
    pop_again(f, 0, 100);
    lease = pop(f, "http://a/u", 100);
    done(f, lease, CRAWL_DONE_RETRY, 210, 100);
    pop_again(f, 100, 100); /* the end of the pause, before the urgent one's date */
    visit(f, "http://a/1", 200);
    pop_again(f, 200, 100);
    visit(f, "http://a/u", 300);
    crawl_frontier_free(f);
}

Test(pace, a_delayed_urgent_request_waits_for_its_date_and_passes_the_block)
{
    crawl_frontier *f = create_paced(0, 1, false);
    push_new(f, "http://a/1", 0, 0, 0);
    push_urgent(f, "http://a/u", 0);
    crawl_frontier_block(f, A, 1000, 0);
    crawl_lease lease = pop(f, "http://a/u", 0);
    done(f, lease, CRAWL_DONE_RETRY, 30, 0);
    pop_again(f, 0, 30);
    lease = pop(f, "http://a/u", 30);
    cr_assert(lease.urgent);
    cr_assert_eq(lease.attempt, 2);
    finish(f, lease, 30);
    pop_again(f, 30, 970);
    crawl_frontier_free(f);
}

Test(pace, a_clock_that_goes_back_is_taken_as_standing_still)
{
    crawl_frontier *f = create_with_three(100, 1, false);
    visit(f, "http://a/1", 1000);
    pop_again(f, 900, 200);
    visit(f, "http://a/2", 1100);
    crawl_frontier_free(f);
}

Test(pace, ends_of_the_clock)
{
    crawl_frontier *f = create_paced(100, 1, false);
    push_new(f, "http://a/1", 0, 0, INT64_MIN);
    push_new(f, "http://a/2", 0, 0, INT64_MIN);
    push_new(f, "http://a/3", 0, 0, INT64_MIN);
    visit(f, "http://a/1", INT64_MIN);
    visit(f, "http://a/2", -1000);
    pop_again(f, -950, 50);
    crawl_frontier_block(f, A, CRAWL_FOREVER - 1, -950);
    pop_again(f, -950, CRAWL_FOREVER); /* more than a wait can say */
    visit(f, "http://a/3", CRAWL_FOREVER);
    pop_drained(f, CRAWL_FOREVER);
    crawl_frontier_free(f);
}

/* Pops a request of this host and expects an answer. */
static crawl_lease pop_of(crawl_frontier *f, const char *origin, int64_t now, crawl_err expected, int64_t wait)
{
    crawl_lease lease = {0};
    int64_t found = -1;
    crawl_err err = crawl_frontier_pop_host(f, crawl_slice_from(origin), now, &lease, &found);
    cr_assert_eq(err, expected, "%s at %lld: %s", origin, (long long)now, crawl_strerror(err));
    cr_assert_eq(found, wait, "waits %lld, expected %lld", (long long)found, (long long)wait);
    check(f);
    return lease;
}

Test(pace, a_host_can_be_named_whose_turn_it_is_not)
{
    crawl_frontier *f = create_with_three(100, 5, false);
    push_new(f, "http://b/1", 0, 0, 0);
    push_new(f, "http://b/2", 0, 0, 0);
    crawl_lease lease = pop_of(f, "http://b", 0, CRAWL_OK, -1);
    cr_assert(crawl_slice_equal(lease.url, crawl_slice_from("http://b/1")));
    pop_of(f, "http://b", 40, CRAWL_AGAIN, 60);
    visit(f, "http://a/1", 40);
    finish(f, lease, 50);
    finish(f, pop_of(f, "http://b", 100, CRAWL_OK, -1), 100);
    pop_of(f, "http://b", 300, CRAWL_DRAINED, -1);
    pop_of(f, "http://c", 300, CRAWL_DRAINED, -1);
    visit(f, "http://a/2", 300);
    crawl_frontier_free(f);
}

Test(pace, a_named_host_keeps_its_limit_and_its_block)
{
    crawl_frontier *f = create_with_three(0, 2, false);
    crawl_lease first = pop(f, "http://a/1", 0);
    crawl_lease second = pop_of(f, "http://a", 0, CRAWL_OK, -1);
    cr_assert(crawl_slice_equal(second.url, crawl_slice_from("http://a/2")));
    pop_of(f, "http://a", 0, CRAWL_AGAIN, CRAWL_FOREVER);
    finish(f, first, 0);
    cr_assert_eq(crawl_frontier_block(f, A, 70, 0), CRAWL_OK);
    pop_of(f, "http://a", 20, CRAWL_AGAIN, 50);
    finish(f, second, 20);
    finish(f, pop_of(f, "http://a", 70, CRAWL_OK, -1), 70);
    pop_of(f, "http://a", 70, CRAWL_DRAINED, -1);
    crawl_frontier_free(f);
}

Test(pace, a_parked_lease_leaves_its_host_open)
{
    crawl_frontier *f = create_with_three(100, 1, true);
    crawl_lease page = pop(f, "http://a/1", 0);
    cr_assert_eq(crawl_frontier_park(f, page.id, 0), CRAWL_ESTATE);
    start(f, page, 10);
    pop_again(f, 10, CRAWL_FOREVER);
    cr_assert_eq(crawl_frontier_park(f, page.id, 20), CRAWL_OK);
    check(f);
    cr_assert_eq(crawl_frontier_park(f, page.id, 20), CRAWL_ESTATE);
    pop_again(f, 20, 90);
    crawl_lease second = pop(f, "http://a/2", 110);
    start(f, second, 110);
    pop_again(f, 300, CRAWL_FOREVER);
    finish(f, page, 300);
    pop_again(f, 300, CRAWL_FOREVER);
    finish(f, second, 300);
    crawl_lease last = pop(f, "http://a/3", 300);
    start(f, last, 300);
    cr_assert_eq(crawl_frontier_park(f, last.id, 300), CRAWL_OK);
    crawl_lease none;
    int64_t wait = 0;
    cr_assert_eq(crawl_frontier_pop_host(f, A, 900, &none, &wait), CRAWL_AGAIN);
    cr_assert_eq(crawl_frontier_done(f, last.id, CRAWL_DONE_RETURN, 0, 900), CRAWL_OK);
    last = pop(f, "http://a/3", 900);
    start(f, last, 900);
    finish(f, last, 900);
    pop_drained(f, 900);
    crawl_frontier_free(f);
}

/* A page that waits for its host's robots.txt must not wait for the turns of all other hosts besides: with enough of
 * them, the robots.txt would be too old by then. */
Test(pace, a_lease_that_did_not_start_and_an_urgent_one_are_no_turns)
{
    crawl_frontier *f = create_paced(100, 1, true);
    push_new(f, "http://a/1", 1, 0, 0);
    push_new(f, "http://b/1", 1, 0, 0);
    push_new(f, "http://c/1", 1, 0, 0);
    crawl_lease a = pop(f, "http://a/1", 0);
    push_urgent(f, "http://a/robots.txt", 0);
    done(f, a, CRAWL_DONE_RETURN, 0, 0);
    visit_started(f, "http://a/robots.txt", 0);
    visit_started(f, "http://b/1", 0);
    visit_started(f, "http://a/1", 100);
    visit_started(f, "http://c/1", 100);
    crawl_frontier_free(f);
}

/* Else a host of which robots.txt allows nothing would be asked for nothing until its queue is empty, before all
 * others. */
Test(pace, a_lease_that_ends_unstarted_is_a_turn)
{
    crawl_frontier *f = create_paced(100, 1, true);
    for (int i = 1; i <= 4; i++) {
        char url[16];
        snprintf(url, sizeof url, "http://a/%d", i);
        push_new(f, url, 1, 0, 0);
    }
    push_new(f, "http://b/1", 1, 0, 0);
    push_new(f, "http://b/2", 1, 0, 0);
    finish(f, pop(f, "http://a/1", 0), 0);
    finish(f, pop(f, "http://b/1", 0), 0);
    done(f, pop(f, "http://a/2", 0), CRAWL_DONE_RETURN, 50, 0);
    finish(f, pop(f, "http://b/2", 0), 0);
    finish(f, pop(f, "http://a/3", 0), 0);
    crawl_frontier_free(f);
}
