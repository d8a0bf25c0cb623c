/* How frontiers divide hosts: one with several leaves some to a later one that has none, while pauses are kept and each
 * page is visited once; hosts that a frontier takes itself are not announced, and those that it leaves behind are. */
#include "tests/unit/shared/joint_help.h"

enum { SPREAD_HOSTS = 8, SPREAD_PAGES = 60 /* of each host, at once */, PAUSE_MS = 50 };

TestSuite(shared_spread, .init = open_scene, .fini = close_scene);

/* Makes another report each time, so that it is sent. */
static void on_report(void *, crawl_shared_report *report)
{
    report->pages = (uint64_t)now();
}

static uint64_t hosts_held(crawl_frontier *frontier)
{
    crawl_shared_figures figures;
    cr_assert_eq(crawl_frontier_shared_figures(frontier, &figures), CRAWL_OK);
    return figures.hosts;
}

typedef struct seen {
    int64_t started[SPREAD_HOSTS];
    unsigned visits;
} seen;

static void ask_one(crawl_frontier *frontier, seen *s)
{
    crawl_lease lease;
    if (crawl_frontier_pop(frontier, now(), &lease, NULL))
        return;
    int64_t start = now();
    cr_assert_eq(crawl_frontier_start(frontier, lease.id, start), CRAWL_OK);
    int64_t *before = &s->started[lease.origin.data[strlen("http://host")] - '0'];
    cr_expect_geq(start - *before, PAUSE_MS, "after %lld ms", (long long)(start - *before));
    *before = start;
    s->visits++;
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
}

/* Pushes new pages of all hosts. Returns how many were pushed so far. */
static unsigned push_more(crawl_frontier *frontier, unsigned pushed)
{
    unsigned until = pushed + SPREAD_HOSTS * SPREAD_PAGES;
    for (; pushed < until; pushed++) {
        char text[80];
        snprintf(text, sizeof text, "http://host%u.test/%u", pushed % SPREAD_HOSTS, pushed);
        push(frontier, text, false);
    }
    return pushed;
}

Test(shared_spread, who_comes_later_gets_its_share)
{
    seen s = {0};
    crawl_lease lease;
    uint64_t most = 0;
    scene.options.pause_ms = PAUSE_MS;
    scene.shared.on_report = on_report;
    crawl_frontier *first = join();
    unsigned pushed = push_more(first, 0);
    for (int64_t until = now() + 20000; hosts_held(first) < SPREAD_HOSTS && now() < until; wait_a_moment())
        ask_one(first, &s);
    cr_assert_eq(hosts_held(first), SPREAD_HOSTS);
    crawl_frontier *second = join();
    for (int64_t until = now() + 60000; s.visits < pushed && now() < until; wait_a_moment()) {
        ask_one(first, &s);
        ask_one(second, &s);
        uint64_t held = hosts_held(second);
        most = held > most ? held : most;
        if (most < SPREAD_HOSTS / 2 && pushed - s.visits < SPREAD_HOSTS * SPREAD_PAGES / 2)
            pushed = push_more(first, pushed); /* a busy machine needs longer to share them */
    }
    cr_expect_geq(most, SPREAD_HOSTS / 2, "it had %lu", (unsigned long)most);
    wait_for(first, CRAWL_DRAINED, &lease);
    wait_for(second, CRAWL_DRAINED, &lease);
    cr_expect_eq(crawl_frontier_close(first, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(second, NULL), CRAWL_OK);
    expect_done(pushed);
}

/* ---- announcements ---- */

static void on_stirs(void *user, const crawl_redis_answer *said)
{
    uint64_t *told = user;
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    crawl_slice text = said->reply->type == CRAWL_REDIS_TEXT ? said->reply->text : (crawl_slice){0};
    for (size_t i = 0; i < text.size && i < CW_SHARED_PARTITIONS * CW_SHARED_STIR_SIZE; i++)
        *told += (uint8_t)text.data[i]; /* the upper byte of each is 0 */
}

static uint64_t words_told(void)
{
    worker w;
    uint64_t told = 0;
    struct event_base *base = event_base_new();
    start_worker(&w, base, &scene.server, worker_options("reader"));
    cr_assert_eq(cw_shared_read_stirs(w.shared, on_stirs, &told), CRAWL_OK);
    (void)look_at(&w); /* answered after that one */
    stop_worker(&w);
    stop_loop(base);
    return told;
}

/* Each page is on another host, and becomes known when the page before it was visited. */
Test(shared_spread, nobody_is_told_of_what_is_taken_at_once)
{
    enum { STEPS = 20, STEP_MS = 120 /* news is sent ten times per second */ };
    crawl_lease lease;
    int64_t since = now();
    crawl_frontier *frontier = join();
    for (unsigned page = 0; page < STEPS; page++) {
        char text[80];
        snprintf(text, sizeof text, "http://host%u.test/%u", page % SPREAD_HOSTS, page);
        while (now() < since + page * STEP_MS)
            wait_a_moment();
        cr_assert_neq(crawl_frontier_pop(frontier, now(), &lease, NULL), CRAWL_OK); /* hosts are wanted */
        push(frontier, text, false);
        wait_for(frontier, CRAWL_OK, &lease);
        cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_OK);
        cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    }
    uint64_t told = words_told();
    cr_expect_lt(told, STEPS / 2, "%lu words", (unsigned long)told);
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    expect_done(STEPS);
}

/* The word would be due once the pause is over, and be lost if the frontier ended before. */
Test(shared_spread, who_leaves_tells_of_its_hosts_first)
{
    crawl_lease lease;
    scene.options.pause_ms = 20000;
    crawl_frontier *frontier = join();
    push(frontier, "http://host.test/1", false);
    push(frontier, "http://host.test/2", false);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    uint64_t told = words_told();
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    cr_expect_gt(words_told(), told);
}
