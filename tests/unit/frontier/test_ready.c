/* on_ready: called exactly when something may be poppable sooner than the last pop said. */
#include "tests/unit/frontier/help.h"

#define A crawl_slice_from("http://a")

static int calls;

static void count_call(void *user)
{
    crawl_frontier_stats stats;
    crawl_frontier **frontier = user;
    calls++;
    crawl_frontier_stats_get(*frontier, 0, &stats); /* no lock is held: otherwise this would never return */
}

/* Expects this many calls since the last check. */
static void expect_calls(int expected)
{
    cr_assert_eq(calls, expected, "%d calls, expected %d", calls, expected);
    calls = 0;
}

static crawl_frontier *create_calling(crawl_frontier **self, int64_t pause, unsigned per_host, bool confirm_start)
{
    crawl_frontier_options options = test_options();
    options.pause_ms = pause;
    options.per_host = per_host;
    options.confirm_start = confirm_start;
    options.on_ready = count_call;
    options.user = self;
    calls = 0;
    return *self = create(&options);
}

Test(ready, nobody_is_called_who_was_told_nothing)
{
    crawl_frontier *f;
    create_calling(&f, 0, 1, false);
    push_new(f, "http://a/1", 0, 0, 0);
    expect_calls(0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    push_new(f, "http://a/2", 0, 0, 0);
    finish(f, lease, 0);
    expect_calls(0);
    crawl_frontier_free(f);
}

Test(ready, a_push_calls_once_until_the_next_pop)
{
    crawl_frontier *f;
    create_calling(&f, 0, 1, false);
    pop_drained(f, 0);
    push_new(f, "http://a/1", 0, 0, 0);
    expect_calls(1);
    push_new(f, "http://a/2", 0, 0, 5);
    push_new(f, "http://b/1", 0, 0, 9);
    expect_calls(0);
    crawl_lease lease = pop(f, "http://a/1", 9);
    crawl_lease other = pop(f, "http://b/1", 9);
    pop_again(f, 9, CRAWL_FOREVER);
    push_new(f, "http://a/3", 0, 0, 9); /* its host is busy */
    expect_calls(0);
    finish(f, other, 9);
    expect_calls(0);
    finish(f, lease, 9);
    expect_calls(1);
    crawl_frontier_free(f);
}

Test(ready, done_calls_when_it_frees_a_slot_sooner_than_promised)
{
    crawl_frontier *f;
    create_calling(&f, 100, 1, false);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    pop_again(f, 10, CRAWL_FOREVER);
    finish(f, lease, 20); /* not now, but at 100 */
    expect_calls(1);
    pop_again(f, 20, 80);
    push_new(f, "http://a/3", 0, 0, 20);
    expect_calls(0);
    visit(f, "http://a/2", 100);
    expect_calls(0);
    crawl_frontier_free(f);
}

Test(ready, a_start_calls_when_it_sets_a_date_where_there_was_none)
{
    crawl_frontier *f;
    create_calling(&f, 100, 2, true);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    pop_again(f, 0, CRAWL_FOREVER);
    cr_assert_eq(crawl_frontier_start(f, lease.id, 10), CRAWL_OK);
    expect_calls(1);
    pop_again(f, 10, 100);
    crawl_frontier_free(f);
}

Test(ready, blocks_and_pauses_call_when_they_bring_something_nearer)
{
    crawl_frontier *f;
    create_calling(&f, 100, 1, false);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    visit(f, "http://a/1", 0);
    pop_again(f, 0, 100);
    crawl_frontier_block(f, A, 500, 0);
    crawl_frontier_set_pause(f, A, 300, 0);
    expect_calls(0);
    pop_again(f, 0, 500);
    crawl_frontier_block(f, A, 400, 0);
    expect_calls(1);
    crawl_frontier_block(f, A, 0, 0);
    expect_calls(1);
    crawl_frontier_set_pause(f, A, 0, 0);
    expect_calls(1);
    crawl_frontier_set_pause(f, A, -1, 0);
    crawl_frontier_set_pause(f, A, 0, 0);
    expect_calls(0);
    visit(f, "http://a/2", 0);
    crawl_frontier_free(f);
}

Test(ready, an_urgent_request_calls_past_a_block)
{
    crawl_frontier *f;
    create_calling(&f, 0, 1, false);
    push_new(f, "http://a/1", 0, 0, 0);
    crawl_frontier_block(f, A, CRAWL_FOREVER, 0);
    pop_again(f, 0, CRAWL_FOREVER);
    push_new(f, "http://a/2", 0, 0, 0);
    expect_calls(0);
    push_urgent(f, "http://a/u", 0);
    expect_calls(1);
    visit(f, "http://a/u", 0);
    crawl_frontier_free(f);
}

Test(ready, the_end_of_the_crawl_is_called_to_those_who_wait)
{
    crawl_frontier *f;
    create_calling(&f, 0, 1, false);
    push_new(f, "http://a/1", 0, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    pop_again(f, 0, CRAWL_FOREVER);
    finish(f, lease, 0);
    expect_calls(1);
    pop_drained(f, 0);
    crawl_request seen = request_for("http://a/1", 0, 0);
    push_request(f, seen, 0);
    expect_calls(0);
    push_new(f, "http://a/2", 0, 0, 0);
    expect_calls(1);
    crawl_frontier_free(f);
}

Test(ready, a_retry_later_calls_for_its_date)
{
    crawl_frontier *f;
    create_calling(&f, 0, 1, false);
    push_new(f, "http://a/1", 0, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    pop_again(f, 0, CRAWL_FOREVER);
    done(f, lease, CRAWL_DONE_RETRY, 50, 0);
    expect_calls(1);
    pop_again(f, 0, 50);
    crawl_frontier_free(f);
}

Test(ready, the_end_is_not_called_to_the_one_who_brings_it)
{
    crawl_frontier *f;
    create_calling(&f, 100, 1, false);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    visit(f, "http://a/1", 0);
    pop_again(f, 0, 100);
    visit(f, "http://a/2", 100); /* the last pop gave a lease: no caller was told to wait since */
    expect_calls(0);
    crawl_frontier_free(f);
}

Test(ready, a_lease_of_a_named_host_takes_nothing_from_who_waits)
{
    crawl_frontier *f;
    crawl_lease lease;
    create_calling(&f, 100, 1, false);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    visit(f, "http://a/1", 0);
    pop_again(f, 0, 100);
    cr_assert_eq(crawl_frontier_pop_host(f, A, 100, &lease, NULL), CRAWL_OK);
    expect_calls(0);
    push_new(f, "http://b/1", 0, 0, 50); /* the time is 100 by now, as promised */
    expect_calls(0);
    finish(f, lease, 100);
    visit(f, "http://b/1", 100);
    push_new(f, "http://a/3", 0, 0, 100);
    pop_again(f, 100, 100);
    push_new(f, "http://c/1", 0, 0, 100);
    expect_calls(1);
    cr_assert_eq(crawl_frontier_pop_host(f, crawl_slice_from("http://c"), 100, &lease, NULL), CRAWL_OK);
    push_new(f, "http://d/1", 0, 0, 100);
    expect_calls(0); /* the waiting caller was told, and has not come yet */
    finish(f, lease, 100);
    crawl_frontier_free(f);
}
