/* What the durable frontier writes many at once: the stage, the log of what is done; and sessions, by which it reads many at once. */
#include "frontier/settle.h"
#include "pages.h"

enum { CROWD = 40, CROWD_PAGES = 20, AT_ONCE = 4 };

static unsigned host_of_lease(const crawl_lease *lease)
{
    unsigned host = CROWD;
    cr_assert_eq(sscanf(lease->url.data, "http://h%u/", &host), 1);
    cr_assert_lt(host, CROWD);
    return host;
}

/* More hosts than can take turns lease by lease: sessions. Depth goes before them, hosts that have work differ by one session at most, and
 * no more than there may be are in one. */
Test(stage, hosts_in_excess_take_turns_in_sessions)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    unsigned served[2][CROWD] = {0};
    unsigned last = CROWD;
    unsigned in_a_row = 0;
    f->schedule.sessions_max = AT_ONCE;
    for (unsigned host = 0; host < CROWD; host++)
        for (uint32_t depth = 0; depth < 2; depth++)
            for (unsigned page = 0; page < CROWD_PAGES; page++) {
                char url[64];
                snprintf(url, sizeof url, "http://h%u/%u-%u", host, (unsigned)depth, page);
                push_new(f, url, depth, 0, 0);
            }
    cr_assert_eq(cw_settle(f), CRAWL_OK);
    for (unsigned i = 0; i < 2 * CROWD * CROWD_PAGES; i++) {
        crawl_lease lease;
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        unsigned host = host_of_lease(&lease);
        cr_assert_eq(lease.depth, i / (CROWD * CROWD_PAGES), "depth goes before sessions");
        unsigned count = ++served[lease.depth][host];
        for (unsigned other = 0; other < CROWD; other++) {
            unsigned least = served[lease.depth][other];
            cr_assert(least == CROWD_PAGES || count <= least + CW_SESSION, "%u of %u, %u of %u", count, host, least, other);
        }
        in_a_row = host == last ? in_a_row + 1 : 1;
        cr_assert(in_a_row == 1 || i % (CROWD * CROWD_PAGES) > CROWD * CROWD_PAGES - AT_ONCE * CW_SESSION, "in a row: %u", host);
        last = host;
        cr_assert_leq(f->schedule.in_session, AT_ONCE);
        check(f);
        cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    }
    pop_drained(f, 0);
    crawl_frontier_free(f);
    check_directory(dir.path);
    remove_directory(dir.path);
}

/* What ended is in a log, what came in the stage: a crash finds both, and a cut within the log's last record loses just that one. */
Test(stage, a_torn_log_of_what_is_done_loses_its_end_alone)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    char path[sizeof dir.path + 32];
    crawl_frontier *f = open_in(dir.path, &options, 0);
    push_pages(f, 1, 0, 10, 0);
    cr_assert_eq(cw_settle(f), CRAWL_OK);
    push_pages(f, 1, 10, 10, 0);
    for (unsigned i = 0; i < 12; i++) {
        crawl_lease lease;
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    }
    snprintf(path, sizeof path, "%s/done-%llu", dir.path, (unsigned long long)f->store->donelog.generation);
    cw_frontier_abandon(f);
    check_directory(dir.path);
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(truncate(path, status.st_size - 1), 0);
    f = open_in(dir.path, &options, 0);
    cr_assert_eq(stats_of(f, 0).queued, 9);
    cr_assert_eq(stats_of(f, 0).finished, 11);
    char url[64];
    url_of(url, 1, 11);
    visit(f, url, 0);
    crawl_frontier_free(f);
    check_directory(dir.path);
    remove_directory(dir.path);
}
