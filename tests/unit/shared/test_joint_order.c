/* The order in which joint frontiers lease requests: urgent ones first, of any host, and depth first follows a branch
 * to its end. */
#include "tests/unit/shared/joint_help.h"

TestSuite(shared_order, .init = open_scene, .fini = close_scene);

static void push_urgent(crawl_frontier *frontier, const char *url)
{
    const crawl_request request = {.url = crawl_slice_from(url)};
    cr_assert_eq(crawl_frontier_push_urgent(frontier, &request, now()), CRAWL_OK);
}

/* The host was lost, and another process has finished all its requests, so urgent ones here no longer matter. */
Test(shared_order, what_is_urgent_of_a_lost_host_does_not_keep_from_the_end)
{
    crawl_lease lease;
    crawl_frontier_stats stats;
    scene.shared.lease_ms = SHORT_LEASE_MS;
    crawl_frontier *frontier = join();
    push(frontier, "http://host0.test/0", false);
    wait_for(frontier, CRAWL_OK, &lease);
    push_urgent(frontier, "http://host0.test/robots.txt");
    cr_assert_eq(crawl_frontier_block(frontier, lease.origin, CRAWL_FOREVER, now()), CRAWL_OK);
    cr_assert_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_RETURN, 0, now()), CRAWL_OK);
    kill(scene.server.process, SIGSTOP);
    do { /* it asks for no lease, and so takes no host */
        wait_a_moment();
        crawl_frontier_stats_get(frontier, now(), &stats);
    } while (stats.queued);
    cr_expect_null(check_frontier(frontier, check_joint));
    kill(scene.server.process, SIGCONT);
    crawl_frontier *other = join();
    wait_for(other, CRAWL_OK, &lease);
    cr_expect_eq(crawl_frontier_done(other, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    wait_for(other, CRAWL_DRAINED, &lease);
    wait_for(frontier, CRAWL_DRAINED, &lease);
    cr_expect_null(check_frontier(frontier, check_joint));
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(other, NULL), CRAWL_OK);
    expect_done(1);
}

/* For example, the robots.txt of a host redirects to another host, which may belong to another process for a while. */
Test(shared_order, what_is_urgent_of_any_host_is_asked)
{
    crawl_lease lease;
    crawl_frontier *frontier = join();
    crawl_frontier *other = join();
    push(other, "http://host1.test/1", false);
    crawl_lease of_other;
    wait_for(other, CRAWL_OK, &of_other);
    push_urgent(frontier, "http://host1.test/robots.txt");
    push_urgent(frontier, "http://host2.test/robots.txt");
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect(crawl_slice_equal(lease.origin, crawl_slice_from("http://host2.test")));
    cr_expect_null(check_frontier(frontier, check_joint));
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(other, of_other.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect(crawl_slice_equal(lease.origin, crawl_slice_from("http://host1.test")));
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    wait_for(frontier, CRAWL_DRAINED, &lease);
    wait_for(other, CRAWL_DRAINED, &lease);
    cr_expect_null(check_frontier(frontier, check_joint));
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(other, NULL), CRAWL_OK);
    expect_done(1);
}

typedef struct counted {
    struct event_base *base;
    int64_t number;
} counted;

static void on_counted(void *user, const crawl_redis_answer *said)
{
    counted *c = user;
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    c->number = said->reply->number;
    event_base_loopbreak(c->base);
}

/* Waits until a process has seeds for at least so long, in the server's time. */
static void wait_for_feeder(int64_t until_ms)
{
    worker w;
    char least[24];
    counted c = {.base = event_base_new()};
    start_worker(&w, c.base, &scene.server, worker_options("other"));
    snprintf(least, sizeof least, "%lld", (long long)until_ms);
    for (unsigned turn = 0; turn < 3000 && !c.number; turn++) {
        cr_assert_eq(crawl_redis_send_texts(w.redis, on_counted, &c, "ZCOUNT", "{test}:feeders", least, "+inf", NULL),
                     CRAWL_OK);
        event_base_dispatch(c.base);
        wait_a_moment();
    }
    cr_assert_eq(c.number, 1, "the others would take it for dead");
    stop_worker(&w);
    stop_loop(c.base);
}

Test(shared_order, a_process_that_seeks_a_host_tells_still_that_it_has_seeds)
{
    crawl_lease lease;
    scene.shared.lease_ms = 4500; /* a third is more than the time between two heartbeats of a process that seeks */
    crawl_frontier *other = join();
    push(other, "http://host1.test/1", false);
    wait_for(other, CRAWL_OK, &lease);
    scene.shared.feeding = true;
    crawl_frontier *feeder = join();
    push_urgent(feeder, "http://host1.test/robots.txt");
    wait_for_feeder(cw_wall_ms() + scene.shared.lease_ms + 500);
    cr_expect_eq(crawl_frontier_done(other, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(feeder, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(other, NULL), CRAWL_OK);
}

enum { TREE = 63 };

/* Visits the pages of a tree below one, as one process goes depth first. */
static void walk(unsigned page, unsigned *order, size_t *count)
{
    if (page >= TREE)
        return;
    order[(*count)++] = page;
    walk(2 * page + 1, order, count);
    walk(2 * page + 2, order, count);
}

/* Pushes the links of a page as one batch, all to the same host. */
static void push_branch(crawl_frontier *frontier, unsigned page)
{
    char urls[2][80];
    crawl_request requests[2];
    size_t count = 0;
    for (unsigned link = 2 * page + 1; link <= 2 * page + 2 && link < TREE; link++) {
        snprintf(urls[count], sizeof urls[count], "http://host.test/%u", link);
        requests[count] = (crawl_request){.url = crawl_slice_from(urls[count])};
        print_of(urls[count], requests[count].fingerprint.bytes);
        count++;
    }
    if (count)
        cr_assert_eq(crawl_frontier_push(frontier, requests, count, (crawl_slice){0}, NULL, NULL, now()), CRAWL_OK);
}

static bool visit_branch(crawl_frontier *frontier, unsigned *visited, size_t *count)
{
    crawl_lease lease;
    if (crawl_frontier_pop(frontier, now(), &lease, NULL) ||
        crawl_frontier_start(frontier, lease.id, now()) == CRAWL_AGAIN)
        return false;
    unsigned page = page_of(&lease);
    cr_assert_lt(*count, TREE);
    visited[(*count)++] = page;
    push_branch(frontier, page);
    cr_assert_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    return true;
}

/* The order holds whichever process has the host, though each might take 4 of its requests at once. */
Test(shared_order, depth_first_follows_a_branch_to_its_end)
{
    unsigned expected[TREE];
    unsigned visited[TREE];
    size_t count = 0;
    size_t asked = 0;
    scene.options.order = CRAWL_ORDER_DFS;
    scene.options.per_host = 1;
    crawl_frontier *both[] = {join(), join()};
    push(both[0], "http://host.test/0", false);
    walk(0, expected, &count);
    for (unsigned turn = 0; turn < 60000 && asked < TREE; turn++)
        if (!visit_branch(both[turn % 2], visited, &asked))
            wait_a_moment();
    cr_assert_eq(asked, TREE);
    for (size_t i = 0; i < TREE; i++)
        cr_expect_eq(visited[i], expected[i], "the page %zu", i);
    for (size_t i = 0; i < 2; i++)
        cr_expect_eq(crawl_frontier_close(both[i], NULL), CRAWL_OK);
}
