/* The durable frontier writes many requests at once, through the stage and the donelog, and reads many at once, through
 * sessions. */
#include "frontier/disk/stage/settle.h"
#include "tests/unit/frontier/pages.h"

enum { CROWD = 40, CROWD_PAGES = 20, AT_ONCE = 4 };

static unsigned host_of_lease(const crawl_lease *lease)
{
    unsigned host = CROWD;
    cr_assert_eq(sscanf(lease->url.data, "http://h%u/", &host), 1);
    cr_assert_lt(host, CROWD);
    return host;
}

/* With more hosts than can take turns lease by lease, they take turns in sessions. Depth precedes sessions, hosts with
 * work differ by at most one session, and no more hosts than permitted are in one. */
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
    cr_assert_eq(cw_disk_settle(f), CRAWL_OK);
    for (unsigned i = 0; i < 2 * CROWD * CROWD_PAGES; i++) {
        crawl_lease lease;
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        unsigned host = host_of_lease(&lease);
        cr_assert_eq(lease.depth, i / (CROWD * CROWD_PAGES), "depth goes before sessions");
        unsigned count = ++served[lease.depth][host];
        for (unsigned other = 0; other < CROWD; other++) {
            unsigned least = served[lease.depth][other];
            cr_assert(least == CROWD_PAGES || count <= least + CW_FRONTIER_SESSION, "%u of %u, %u of %u", count, host,
                      least, other);
        }
        in_a_row = host == last ? in_a_row + 1 : 1;
        cr_assert(in_a_row == 1 || i % (CROWD * CROWD_PAGES) > CROWD * CROWD_PAGES - AT_ONCE * CW_FRONTIER_SESSION,
                  "in a row: %u", host);
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

/* Ends are in a log, pushes in the stage: a crash keeps both, and a cut within the log's last record loses only that
 * one. */
Test(stage, a_torn_log_of_what_is_done_loses_its_end_alone)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    char path[sizeof dir.path + 32];
    crawl_frontier *f = open_in(dir.path, &options, 0);
    push_pages(f, 1, 0, 10, 0);
    cr_assert_eq(cw_disk_settle(f), CRAWL_OK);
    push_pages(f, 1, 10, 10, 0);
    for (unsigned i = 0; i < 12; i++) {
        crawl_lease lease;
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    }
    snprintf(path, sizeof path, "%s/done-%llu", dir.path, (unsigned long long)cw_disk_of(f)->donelog.generation);
    cw_frontier_abandon(f);
    check_directory(dir.path);
    cr_assert_eq(truncate(path, 12 * 40 - 1), 0);
    start_machine_anew(dir.path);
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

/* Makes random pushes for many hosts, leases that end or come back now or later, and settlings in between. */
static void push_by_lot(crawl_frontier *f, unsigned round)
{
    char urls[CROWD][64];
    crawl_request requests[CROWD];
    size_t accepted;
    for (unsigned i = 0; i < CROWD; i++) {
        uint32_t lot = (round * CROWD + i) * 2654435761u;
        snprintf(urls[i], sizeof urls[i], "http://h%u/%u-%u", lot >> 8 & 31, round, i);
        requests[i] = request_for(urls[i], lot >> 16 & 1, (int32_t)(lot >> 20 & 1));
    }
    cr_assert_eq(crawl_frontier_push(f, requests, CROWD, (crawl_slice){0}, NULL, &accepted, round), CRAWL_OK);
    cr_assert_eq(accepted, CROWD);
}

static void end_by_lot(crawl_frontier *f, const crawl_lease *lease, unsigned lot, int64_t now)
{
    bool again = lease->attempt == 1 && lot % 7 == 0;
    crawl_err err =
        crawl_frontier_done(f, lease->id, again ? CRAWL_DONE_RETRY : CRAWL_DONE_FINISHED, now + lot % 5, now);
    cr_assert_eq(err, CRAWL_OK);
}

static unsigned windows_of(const crawl_frontier *f)
{
    unsigned count = 0;
    for (const cw_disk_window *one = cw_disk_of(f)->windows.oldest; one; one = one->newer)
        count++;
    return count;
}

/* A refill also reads other hosts' requests. The order is that of a frontier in memory with as many sessions. */
Test(stage, reading_ahead_changes_no_order)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    crawl_frontier *memory = NULL;
    cr_assert_eq(crawl_frontier_create(&options, &memory, NULL), CRAWL_OK);
    for (unsigned round = 0; round < 10; round++) {
        push_by_lot(f, round);
        push_by_lot(memory, round);
    }
    cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
    f = open_in(dir.path, &options, 10);
    f->schedule.sessions_max = memory->schedule.sessions_max = AT_ONCE;
    unsigned most = 0;
    for (unsigned turn = 0;; turn++) {
        crawl_lease lease, expected;
        int64_t now = 10 + turn / 4;
        crawl_err err = crawl_frontier_pop(memory, now, &expected, NULL);
        cr_assert_eq(crawl_frontier_pop(f, now, &lease, NULL), err, "turn %u", turn);
        check(f);
        if (err == CRAWL_DRAINED)
            break;
        if (err == CRAWL_AGAIN)
            continue;
        cr_assert(crawl_slice_equal(lease.url, expected.url), "turn %u: %.*s, not %.*s", turn, (int)lease.url.size,
                  lease.url.data, (int)expected.url.size, expected.url.data);
        most = windows_of(f) > most ? windows_of(f) : most;
        end_by_lot(f, &lease, turn, now);
        end_by_lot(memory, &expected, turn, now);
        if (turn % 50 == 20 && turn < 400) {
            push_by_lot(f, turn);
            push_by_lot(memory, turn);
        }
        if (turn % 60 == 30)
            cr_assert_eq(cw_disk_settle(f), CRAWL_OK);
        check(f);
    }
    cr_assert_gt(most, AT_ONCE, "nothing was read by the way");
    crawl_frontier_free(memory);
    crawl_frontier_free(f);
    check_directory(dir.path);
    remove_directory(dir.path);
}

/* Sessions consist of turns: a host's share applies to them too. */
Test(stage, shares_hold_within_sessions)
{
    enum { TURNS = CW_FRONTIER_SESSION, SHARE = 3 };
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    unsigned served[CROWD] = {0};
    f->schedule.sessions_max = 2;
    cr_assert_eq(crawl_frontier_set_share(f, crawl_slice_from("http://h0"), SHARE, 0), CRAWL_OK);
    for (unsigned host = 0; host < 4; host++)
        for (unsigned page = 0; page < 2 * TURNS * SHARE; page++) {
            char url[64];
            snprintf(url, sizeof url, "http://h%u/%u", host, page);
            push_new(f, url, 0, 0, 0);
        }
    for (unsigned i = 0; i < 2 * TURNS * (SHARE + 3); i++) {
        crawl_lease lease;
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        served[host_of_lease(&lease)]++;
        check(f);
        cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    }
    cr_assert_eq(served[0], 2 * TURNS * SHARE, "%u", served[0]);
    for (unsigned host = 1; host < 4; host++)
        cr_assert(served[host] + 1 >= 2 * TURNS && served[host] <= 2 * TURNS + 1, "host %u: %u", host, served[host]);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

typedef struct seen_pages {
    const char *prefix;
    unsigned count;
} seen_pages;

static bool count_page(const crawl_lease *request, int64_t due_ms, void *user)
{
    seen_pages *pages = user;
    (void)due_ms;
    cr_expect_eq(strncmp(request->url.data, pages->prefix, strlen(pages->prefix)), 0, "%.*s", (int)request->url.size,
                 request->url.data);
    pages->count++;
    return true;
}

/* Some requests are in the queue, some in the stage, and some of both are done. The first, the middle and the last host
 * are viewed separately. */
Test(stage, the_view_of_one_host_sees_both_and_no_other_host)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    for (unsigned host = 0; host < 3; host++)
        push_pages(f, host, 0, 4, 0);
    cr_assert_eq(cw_disk_settle(f), CRAWL_OK);
    for (unsigned host = 0; host < 3; host++)
        push_pages(f, host, 4, 3, 0);
    for (unsigned i = 0; i < 15; i++) { /* hosts take turns: five of each */
        crawl_lease lease;
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    }
    crawl_frontier_view *view = NULL;
    cr_assert_eq(crawl_frontier_view_open(dir.path, &view, NULL), CRAWL_OK);
    for (unsigned host = 0; host < 3; host++) {
        char origin[64];
        snprintf(origin, sizeof origin, "http://host%u", host);
        seen_pages pages = {.prefix = origin};
        cr_assert_eq(crawl_frontier_view_requests(view, crawl_slice_from(origin), count_page, &pages, NULL), CRAWL_OK);
        cr_expect_eq(pages.count, 2, "%s: %u", origin, pages.count);
    }
    crawl_frontier_view_free(view);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}
