/* The waiting queue: the number of hosts in each standing, the soonest date, and the hosts with most queued. */
#include "tests/unit/frontier/help.h"

static crawl_frontier_binding binding_of(crawl_frontier *frontier, int64_t now)
{
    crawl_frontier_binding binding;
    check(frontier);
    crawl_frontier_binding_get(frontier, now, &binding);
    return binding;
}

static void expect_hosts(const crawl_frontier_binding *binding, const char *expected)
{
    char text[64];
    const uint64_t *hosts = binding->hosts;
    snprintf(text, sizeof text, "%d ready %d paused %d busy %d blocked %d dated", (int)hosts[CRAWL_STANDING_READY],
             (int)hosts[CRAWL_STANDING_PAUSED], (int)hosts[CRAWL_STANDING_BUSY], (int)hosts[CRAWL_STANDING_BLOCKED],
             (int)hosts[CRAWL_STANDING_DATED]);
    cr_expect_str_eq(text, expected);
}

static crawl_frontier *with_pause(int64_t pause, unsigned per_host)
{
    crawl_frontier_options options = test_options();
    options.pause_ms = pause;
    options.per_host = per_host;
    return create(&options);
}

Test(binding, an_empty_frontier_waits_for_nothing)
{
    crawl_frontier *frontier = with_pause(0, 1);
    crawl_frontier_binding binding = binding_of(frontier, 0);
    expect_hosts(&binding, "0 ready 0 paused 0 busy 0 blocked 0 dated");
    cr_expect_eq(binding.due_ms, CRAWL_FOREVER);
    cr_expect_eq(binding.most_queued_count, 0);
    crawl_frontier_free(frontier);
}

Test(binding, each_standing)
{
    crawl_frontier *frontier = with_pause(100, 2);
    for (int i = 0; i < 3; i++) {
        char url[32];
        snprintf(url, sizeof url, "http://a/%d", i);
        push_new(frontier, url, 0, 0, 0);
    }
    crawl_frontier_binding binding = binding_of(frontier, 0);
    expect_hosts(&binding, "1 ready 0 paused 0 busy 0 blocked 0 dated");

    crawl_lease first = pop(frontier, "http://a/0", 10);
    binding = binding_of(frontier, 10);
    expect_hosts(&binding, "0 ready 1 paused 0 busy 0 blocked 0 dated");
    cr_expect_eq(binding.due_ms, 110);
    cr_expect_str_eq(binding.due.origin, "http://a");
    cr_expect_eq(binding.due.standing, CRAWL_STANDING_PAUSED);

    crawl_lease second = pop(frontier, "http://a/1", 110);
    binding = binding_of(frontier, 110);
    expect_hosts(&binding, "0 ready 0 paused 1 busy 0 blocked 0 dated");
    cr_expect_eq(binding.due_ms, CRAWL_FOREVER);
    cr_expect_eq(binding.leased, 2);
    cr_expect_eq(binding.most_queued[0].opens_ms, CRAWL_FOREVER);

    finish(frontier, first, 120);
    cr_assert_eq(crawl_frontier_block(frontier, crawl_slice_from("http://a"), 5000, 120), CRAWL_OK);
    binding = binding_of(frontier, 120);
    expect_hosts(&binding, "0 ready 0 paused 0 busy 1 blocked 0 dated");
    cr_expect_eq(binding.due_ms, 5000);
    cr_expect_eq(binding.due.opens_ms, 5000);
    cr_expect_eq(binding.due.queued, 1);

    cr_assert_eq(crawl_frontier_block(frontier, crawl_slice_from("http://a"), CRAWL_FOREVER, 120), CRAWL_OK);
    binding = binding_of(frontier, 120);
    expect_hosts(&binding, "0 ready 0 paused 1 busy 0 blocked 0 dated"); /* the open lease may lift it */
    finish(frontier, second, 130);
    binding = binding_of(frontier, 130);
    expect_hosts(&binding, "0 ready 0 paused 0 busy 1 blocked 0 dated");

    cr_assert_eq(crawl_frontier_block(frontier, crawl_slice_from("http://a"), 0, 130), CRAWL_OK);
    done(frontier, pop(frontier, "http://a/2", 210), CRAWL_DONE_RETRY, 9000, 220);
    binding = binding_of(frontier, 220);
    expect_hosts(&binding, "0 ready 0 paused 0 busy 0 blocked 1 dated");
    cr_expect_eq(binding.due_ms, 9000);
    cr_expect_eq(binding.most_queued_count, 0);
    visit(frontier, "http://a/2", 9000);
    binding = binding_of(frontier, 9000);
    expect_hosts(&binding, "0 ready 0 paused 0 busy 0 blocked 0 dated");
    crawl_frontier_free(frontier);
}

/* Hosts 0 to 39, each with one request more than the one before, all asked once. */
Test(binding, the_longest_queues_of_many)
{
    enum { HOSTS = 40 };
    char url[32];
    crawl_lease lease;
    crawl_frontier *frontier = with_pause(1000, 1);
    for (int host = 0; host < HOSTS; host++)
        for (int page = 0; page < host + 2; page++) {
            snprintf(url, sizeof url, "http://h%d/%d", host, page);
            push_new(frontier, url, 0, 0, 0);
        }
    for (int host = 0; host < HOSTS; host++) {
        cr_assert_eq(crawl_frontier_pop(frontier, 10, &lease, NULL), CRAWL_OK);
        finish(frontier, lease, 10);
    }
    crawl_frontier_binding binding = binding_of(frontier, 10);
    cr_expect_eq(binding.hosts[CRAWL_STANDING_PAUSED], HOSTS);
    cr_assert_eq(binding.most_queued_count, CRAWL_HELD_HOSTS);
    cr_expect_str_eq(binding.most_queued[0].origin, "http://h39");
    cr_expect_eq(binding.most_queued[0].queued, 40);
    cr_expect_str_eq(binding.most_queued[1].origin, "http://h38");
    cr_expect_str_eq(binding.most_queued[2].origin, "http://h37");
    cr_expect_eq(binding.most_queued[2].opens_ms, 1010);
    crawl_frontier_free(frontier);
}

Test(binding, a_long_name_is_cut)
{
    char url[512] = "http://";
    memset(url + 7, 'a', 400);
    strcpy(url + 407, "/x");
    crawl_frontier *frontier = with_pause(1000, 1);
    push_new(frontier, url, 0, 0, 0);
    url[408] = 'y';
    push_new(frontier, url, 0, 0, 0);
    url[408] = 'x';
    visit(frontier, url, 0);
    crawl_frontier_binding binding = binding_of(frontier, 1);
    cr_expect_eq(strlen(binding.most_queued[0].origin), sizeof binding.most_queued[0].origin - 1);
    crawl_frontier_free(frontier);
}
