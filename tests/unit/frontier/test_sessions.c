/* Hosts that take turns in sessions, if more have requests than the caller keeps open. */
#include "frontier/state.h"
#include "tests/unit/frontier/help.h"

enum { HOSTS = 6, PAGES = 20, AT_ONCE = 2 };

static crawl_frontier *open_with(crawl_order order, uint32_t sessions, uint32_t kept_open)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f;
    options.order = order;
    options.sessions = sessions;
    options.kept_open = kept_open;
    cr_assert_eq(crawl_frontier_create(&options, &f, NULL), CRAWL_OK);
    for (unsigned host = 0; host < HOSTS; host++)
        for (unsigned page = 0; page < PAGES; page++) {
            char url[64];
            snprintf(url, sizeof url, "http://h%u/%u", host, page);
            push_new(f, url, 0, 0, 0);
        }
    return f;
}

/* Leases and ends a request. Returns the number of its host. */
static unsigned serve(crawl_frontier *f, bool *session_ends)
{
    crawl_lease lease;
    unsigned host = HOSTS;
    cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
    cr_assert_eq(sscanf(lease.url.data, "http://h%u/", &host), 1);
    *session_ends = lease.session_ends;
    cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    return host;
}

Test(sessions, so_many_hosts_take_turns_at_once)
{
    crawl_frontier *f = open_with(CRAWL_ORDER_BFS, AT_ONCE, 0);
    unsigned served[HOSTS] = {0};
    bool ends;
    for (unsigned i = 0; i < AT_ONCE * CW_FRONTIER_SESSION - 1; i++) {
        unsigned host = serve(f, &ends);
        served[host]++;
        cr_expect_lt(host, AT_ONCE, "lease %u", i);
        cr_expect_eq(ends, served[host] == CW_FRONTIER_SESSION, "lease %u", i);
    }
    cr_expect_geq(serve(f, &ends), AT_ONCE, "one session is over, and another begins");
    crawl_frontier_free(f);
}

/* The last request of a host also ends its session, however many turns are left. */
Test(sessions, each_is_told_when_it_ends)
{
    crawl_frontier *f = open_with(CRAWL_ORDER_BFS, AT_ONCE, 1);
    unsigned sessions[HOSTS] = {0};
    unsigned served[HOSTS] = {0};
    for (unsigned i = 0; i < HOSTS * PAGES; i++) {
        bool ends;
        unsigned host = serve(f, &ends);
        served[host]++;
        sessions[host] += ends;
    }
    for (unsigned host = 0; host < HOSTS; host++) {
        cr_expect_eq(served[host], PAGES);
        cr_expect_geq(sessions[host], 1);
        cr_expect_leq(sessions[host], PAGES / CW_FRONTIER_SESSION + 1);
    }
    crawl_frontier_free(f);
}

/* The hosts still take turns in sessions. */
Test(sessions, none_is_told_of_as_long_as_all_can_be_kept_open)
{
    for (uint32_t kept = HOSTS - 2; kept <= HOSTS; kept++) {
        crawl_frontier *f = open_with(CRAWL_ORDER_BFS, AT_ONCE, kept);
        bool ends, told = false, served_last = false;
        for (unsigned i = 0; i < AT_ONCE * CW_FRONTIER_SESSION; i++) {
            served_last |= serve(f, &ends) == HOSTS - 1;
            told |= ends;
        }
        cr_expect_not(served_last);
        cr_expect_eq(told, kept < HOSTS, "kept %u", kept);
        crawl_frontier_free(f);
    }
}

static void expect_no_sessions(crawl_order order, uint32_t sessions)
{
    crawl_frontier *f = open_with(order, sessions, 0);
    for (unsigned i = 0; i < HOSTS * PAGES; i++) {
        bool ends = true;
        unsigned host = serve(f, &ends);
        cr_expect_not(ends);
        cr_expect(order != CRAWL_ORDER_BFS || host == i % HOSTS, "lease %u", i);
    }
    crawl_frontier_free(f);
}

Test(sessions, there_are_none_where_all_hosts_may_take_turns)
{
    expect_no_sessions(CRAWL_ORDER_BFS, 0);
    expect_no_sessions(CRAWL_ORDER_BFS, HOSTS);
    expect_no_sessions(CRAWL_ORDER_DFS, AT_ONCE);
    expect_no_sessions(CRAWL_ORDER_BEST, AT_ONCE);
}
