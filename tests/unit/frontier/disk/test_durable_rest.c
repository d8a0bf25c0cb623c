/* Hosts that rest on disk: they are known as if they had stayed in memory. */
#include "tests/unit/frontier/pages.h"

enum { HOSTS = 3000, PAUSE = 1000 };

static crawl_frontier_options rest_options(void)
{
    crawl_frontier_options options = test_options();
    options.seen.capacity = HOSTS;
    options.host_bytes = 0;
    options.pause_ms = PAUSE;
    return options;
}

/* Visits the first page of each host, so that nothing of it is queued. */
static void visit_all(crawl_frontier *f, unsigned count, int64_t now)
{
    char url[64];
    crawl_lease lease;
    for (unsigned host = 0; host < count; host++) {
        url_of(url, host, 0);
        cr_assert_eq(push_pages(f, host, 0, 1, now), 1);
        cr_assert_eq(crawl_frontier_pop(f, now, &lease, NULL), CRAWL_OK);
        cr_assert(crawl_slice_equal(lease.url, crawl_slice_from(url)), "%s", url);
        cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, now), CRAWL_OK);
    }
}

static size_t in_memory(const crawl_frontier *f)
{
    return cw_map_count(f->hosts.map);
}

static bool is_known(crawl_frontier *f, unsigned host, crawl_held_host *out)
{
    char origin[64];
    snprintf(origin, sizeof origin, "http://host%u", host);
    return crawl_frontier_host_get(f, crawl_slice_from(origin), 0, out) == CRAWL_OK;
}

Test(durable_rest, hosts_with_nothing_queued_leave_memory)
{
    crawl_frontier_options options = rest_options();
    directory dir = make_directory();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    crawl_held_host held;
    visit_all(f, HOSTS, 0);
    check(f);
    cr_assert_leq(in_memory(f), 16, "%zu", in_memory(f));
    cr_assert_eq(stats_of(f, 0).hosts, HOSTS);
    cr_assert_leq(stats_of(f, 0).bytes, (uint64_t)HOSTS * 40 + 65536, "%llu", (unsigned long long)stats_of(f, 0).bytes);
    for (unsigned host = 0; host < HOSTS; host += 7)
        cr_assert(is_known(f, host, &held), "%u", host);
    cr_assert_not(is_known(f, HOSTS, &held));
    cr_assert_eq(stats_of(f, 0).hosts, HOSTS);
    check(f);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

/* The pause, the share and the last start of a host are kept, however the process ended. */
Test(durable_rest, a_host_comes_back_as_it_was)
{
    static const crawl_slice origin = {.data = "http://host3", .size = sizeof "http://host3" - 1};
    for (int is_killed = 0; is_killed < 2; is_killed++) {
        crawl_frontier_options options = rest_options();
        directory dir = make_directory();
        crawl_frontier *f = open_in(dir.path, &options, 0);
        cr_assert_eq(crawl_frontier_set_pause(f, origin, 5000, 0), CRAWL_OK);
        cr_assert_eq(crawl_frontier_set_share(f, origin, 2, 0), CRAWL_OK);
        visit_all(f, 100, 0);
        cr_assert_leq(in_memory(f), 2);
        cr_assert_eq(push_pages(f, 3, 1, 2, 100), 2);
        pop_again(f, 100, 4900);
        visit(f, "http://host3/1", 5000);
        check(f);
        if (is_killed)
            cw_frontier_abandon(f);
        else
            cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
        check_directory(dir.path);
        f = open_in(dir.path, &options, 6000);
        check(f);
        cr_assert_leq(in_memory(f), 1, "%zu", in_memory(f));
        cr_assert_eq(stats_of(f, 6000).hosts, 100);
        pop_again(f, 6000, is_killed ? 5000 : 4000); /* after a kill, all count as asked at the opening */
        cr_assert_eq(push_pages(f, 4, 1, 1, 6000), 1);
        if (is_killed)
            pop_again(f, 6000, PAUSE);
        visit(f, "http://host4/1", 6000 + (is_killed ? PAUSE : 0));
        visit(f, "http://host3/2", 11000);
        crawl_frontier_free(f);
    }
}

/* A host that was not read since an unclean shutdown counts as asked at the next opening, even after a later clean
 * shutdown. */
Test(durable_rest, an_end_that_was_no_clean_one_is_remembered)
{
    crawl_frontier_options options = rest_options();
    directory dir = make_directory();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    visit_all(f, 20, 0);
    cw_frontier_abandon(f);
    f = open_in(dir.path, &options, 5000);
    cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
    f = open_in(dir.path, &options, 5100);
    cr_assert_eq(push_pages(f, 3, 1, 1, 5100), 1);
    pop_again(f, 5100, PAUSE - 100);
    visit(f, "http://host3/1", 6000);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

/* The least recently asked hosts come first, even if they have rested meanwhile. */
Test(durable_rest, turns_are_kept)
{
    crawl_frontier_options options = rest_options();
    options.pause_ms = 0;
    directory dir = make_directory();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    visit_all(f, 10, 0);
    for (unsigned host = 9; host > 5; host--)
        cr_assert_eq(push_pages(f, host, 1, 1, 0), 1);
    for (unsigned host = 6; host < 10; host++) {
        char url[64];
        url_of(url, host, 1);
        visit(f, url, 0);
    }
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

Test(durable_rest, resting_hosts_count_where_hosts_are_limited)
{
    crawl_frontier_options options = rest_options();
    options.max_hosts = 50;
    directory dir = make_directory();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    visit_all(f, 50, 0);
    cr_assert_leq(in_memory(f), 2);
    cr_assert_eq(push_request(f, request_for("http://one.more/", 0, 0), 0), CRAWL_PUSHED_FULL);
    cr_assert_eq(push_pages(f, 0, 1, 1, 0), 1);
    check(f);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

/* The record of a host that had requests at a clean shutdown, and has none after a kill, is rewritten. */
Test(durable_rest, requests_that_a_kill_has_outlived_do_not_come_back)
{
    crawl_frontier_options options = rest_options();
    directory dir = make_directory();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    for (unsigned host = 0; host < 5; host++)
        cr_assert_eq(push_pages(f, host, 0, 1, 0), 1);
    cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
    f = open_in(dir.path, &options, 0);
    for (unsigned host = 0; host < 5; host++) {
        char url[64];
        url_of(url, host, 0);
        visit(f, url, 0);
    }
    cw_frontier_abandon(f);
    f = open_in(dir.path, &options, 0);
    check(f);
    cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
    check_directory(dir.path);
    f = open_in(dir.path, &options, 0);
    pop_drained(f, 0);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

/* Blocked hosts stay in memory, since blocks end by themselves. */
Test(durable_rest, a_blocked_host_does_not_rest)
{
    crawl_frontier_options options = rest_options();
    directory dir = make_directory();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    visit_all(f, 3, 0);
    cr_assert_eq(crawl_frontier_block(f, crawl_slice_from("http://host1"), 9000, 0), CRAWL_OK);
    for (unsigned page = 1; page < 5; page++)
        cr_assert_eq(push_pages(f, 2, page, 1, 0), 1);
    cr_assert_not_null(cw_frontier_hosts_find(&f->hosts, crawl_slice_from("http://host1")));
    cr_assert_null(cw_frontier_hosts_find(&f->hosts, crawl_slice_from("http://host0")));
    check(f);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

Test(durable_rest, a_record_that_is_gone_or_damaged_is_a_failure)
{
    for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
        crawl_frontier_options options = rest_options();
        directory dir = make_directory();
        crawl_error error = {0};
        crawl_frontier *f = open_in(dir.path, &options, 0);
        visit_all(f, 20, 0);
        cw_disk *disk = cw_disk_of(f);
        cw_disk_host_key name = cw_disk_host_key_make(5);
        cw_disk_begin(disk);
        if (is_damaged)
            cw_disk_put(disk, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(name), crawl_slice_from("x"));
        else
            cw_disk_database_delete(&disk->database, disk->batch, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(name));
        cr_assert_eq(cw_disk_commit(disk), CRAWL_OK);
        cr_assert_eq(push_pages(f, 4, 1, 1, 0), 1);
        cr_assert_eq(push_pages(f, 5, 1, 1, 0), 0);
        cr_assert_eq(crawl_frontier_failure(f, &error), CRAWL_ECORRUPT);
        cr_assert_str_eq(error.message,
                         is_damaged ? "a record of a host cannot be read" : "the record of host 5 is missing");
        cw_frontier_abandon(f);
        remove_directory(dir.path);
    }
}
