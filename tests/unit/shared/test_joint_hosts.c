/* Hosts of joint frontiers: pause, block, share and note go from one frontier to the next, and a frontier forgets hosts
 * that it has given back. */
#include "tests/unit/shared/joint_help.h"

#include "shared/store/hold.h"
#include "shared/store/joint_bytes.h"

TestSuite(shared_hosts, .init = open_scene, .fini = close_scene);

/* Times are those that callers give, so a slow process makes no difference. */
Test(shared_hosts, pauses_hold_from_one_to_the_next)
{
    enum { PAUSE_MS = 50, REQUESTS = 9 };
    crawl_frontier *frontiers[FRONTIERS];
    unsigned by[FRONTIERS] = {0};
    int64_t last = 0;
    scene.shared.window = 1;
    scene.options.pause_ms = PAUSE_MS;
    for (size_t i = 0; i < FRONTIERS; i++)
        frontiers[i] = join();
    for (unsigned i = 0; i < REQUESTS; i++) {
        char text[80];
        snprintf(text, sizeof text, "http://host.test/%u", i);
        push(frontiers[0], text, false);
    }
    for (unsigned done = 0; done < REQUESTS;) {
        for (size_t i = 0; i < FRONTIERS; i++) {
            crawl_lease lease;
            if (crawl_frontier_pop(frontiers[i], now(), &lease, NULL))
                continue;
            int64_t start = now();
            cr_assert_eq(crawl_frontier_start(frontiers[i], lease.id, start), CRAWL_OK);
            cr_expect_geq(start - last, PAUSE_MS, "after %lld ms", (long long)(start - last));
            last = start;
            by[i]++;
            done++;
            crawl_frontier_done(frontiers[i], lease.id, CRAWL_DONE_FINISHED, 0, now());
        }
        wait_a_moment();
    }
    for (size_t i = 0; i < FRONTIERS; i++)
        cr_expect_eq(crawl_frontier_close(frontiers[i], NULL), CRAWL_OK);
    expect_done(REQUESTS);
}

/* A pause longer than the rest of the lease when the last request may leave: if Redis did not know it before the first
 * request, the next process after the death of this one would send a request too soon. */
Test(shared_hosts, a_long_pause_is_known_before_the_first_request)
{
    crawl_lease lease;
    scene.options.pause_ms = 20000;
    crawl_frontier *frontier = join();
    push(frontier, "http://host.test/1", false);
    push(frontier, "http://other.test/1", false);
    wait_for(frontier, CRAWL_OK, &lease);
    const cw_frontier_host *host = cw_frontier_hosts_find(&frontier->hosts, lease.origin);
    cr_expect_eq(cw_joint_hold_of(cw_joint_of(frontier), host)->pause_ms, 20000, "Redis has not acknowledged it");
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_RETURN, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
}

/* The fate of a request, and the record of its host, are known to the next process. */
Test(shared_hosts, what_is_known_goes_along)
{
    crawl_lease lease;
    crawl_buf note = {0};
    crawl_frontier *first = join();
    push(first, "http://host.test:8080/1", false);
    push(first, "http://host.test:8080/2", false);
    wait_for(first, CRAWL_OK, &lease);
    cr_expect_eq(lease.attempt, 1);
    cr_expect_eq(crawl_frontier_note_set(first, lease.origin, crawl_slice_from("of the host")), CRAWL_OK);
    cr_expect_eq(crawl_frontier_note_set(first, crawl_slice_from("#x"), crawl_slice_from("of the crawl")), CRAWL_OK);
    cr_expect_eq(crawl_frontier_set_pause(first, lease.origin, 70, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(first, lease.id, CRAWL_DONE_RETRY, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(first, NULL), CRAWL_OK);
    crawl_frontier *second = join();
    cr_expect_eq(crawl_frontier_note_get(second, crawl_slice_from("#x"), &note), CRAWL_OK);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&note), crawl_slice_from("of the crawl")));
    unsigned attempts = 0;
    for (unsigned i = 0; i < 2; i++) {
        wait_for(second, CRAWL_OK, &lease);
        attempts += lease.attempt;
        crawl_buf_clear(&note);
        cr_expect_eq(crawl_frontier_note_get(second, lease.origin, &note), CRAWL_OK);
        cr_expect(crawl_slice_equal(crawl_buf_slice(&note), crawl_slice_from("of the host")));
        cr_expect_eq(cw_frontier_hosts_find(&second->hosts, lease.origin)->pause, 70);
        crawl_frontier_start(second, lease.id, now());
        crawl_frontier_done(second, lease.id, CRAWL_DONE_FINISHED, 0, now());
    }
    cr_expect_eq(attempts, 3);
    cr_expect_eq(crawl_frontier_close(second, NULL), CRAWL_OK);
    expect_done(2);
    crawl_buf_free(&note);
}

static uint64_t hosts_known(crawl_frontier *frontier)
{
    crawl_frontier_stats stats;
    crawl_frontier_stats_get(frontier, now(), &stats);
    return stats.hosts;
}

/* A host is removed a moment after its session has ended. */
static void wait_for_hosts(crawl_frontier *frontier, uint64_t count)
{
    int64_t until = now() + 20000;
    while (hosts_known(frontier) != count && now() < until)
        wait_a_moment();
    cr_expect_eq(hosts_known(frontier), count);
}

static void expect_no_hosts(crawl_frontier *frontier)
{
    wait_for_hosts(frontier, 0);
    cr_expect_null(check_frontier(frontier, check_joint));
}

/* Any later call about such a host makes it known for a moment only. */
Test(shared_hosts, hosts_that_were_given_back_are_forgotten)
{
    enum { MANY = 300, ROUNDS = 3 };
    crawl_lease lease;
    scene.shared.hosts = 20;
    crawl_frontier *frontier = join();
    for (unsigned i = 0; i < MANY * ROUNDS; i++) {
        char text[80];
        snprintf(text, sizeof text, "http://host%u.test/%u", i % MANY, i);
        push(frontier, text, false);
    }
    for (unsigned done = 0; done < MANY * ROUNDS; done++) {
        wait_for(frontier, CRAWL_OK, &lease);
        cr_expect_leq(hosts_known(frontier), 10 * scene.shared.hosts);
        cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_OK);
        cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    }
    wait_for(frontier, CRAWL_DRAINED, &lease);
    expect_no_hosts(frontier);
    /* The list of numbers has room for 1.5 times the hosts known at once, and 64. */
    cr_expect_leq(cw_joint_of(frontier)->holds->numbers, 15 * scene.shared.hosts + 64, "numbers are given anew");
    cr_expect_eq(crawl_frontier_set_pause(frontier, crawl_slice_from("http://host1.test"), 70, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_block(frontier, crawl_slice_from("http://host2.test"), now() + 60000, now()), CRAWL_OK);
    expect_no_hosts(frontier);
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    expect_done(MANY * ROUNDS);
}

/* Its place among the sessions is free again. */
Test(shared_hosts, a_host_that_is_forgotten_leaves_its_session)
{
    char origin[80];
    crawl_lease lease;
    scene.options.sessions = 1;
    crawl_frontier *frontier = join();
    for (unsigned i = 0; i < 9; i++) {
        char text[80];
        snprintf(text, sizeof text, "http://host%u.test/%u", i % 3, i);
        push(frontier, text, false);
    }
    wait_for(frontier, CRAWL_OK, &lease);
    while (!frontier->schedule.in_session) { /* it has one host so far */
        cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
        wait_for(frontier, CRAWL_OK, &lease);
    }
    snprintf(origin, sizeof origin, "%.*s", (int)lease.origin.size, lease.origin.data);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_block(frontier, crawl_slice_from(origin), now() + 60000, now()), CRAWL_OK);
    wait_for_hosts(frontier, 2);
    cr_expect_eq(frontier->schedule.in_session, 0);
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
}

/* A process that had forgotten the host gets it with its pause, from the last request on, its share and its note; a
 * block that ends is kept too. */
Test(shared_hosts, a_host_that_comes_back_is_as_it_was)
{
    enum { PAUSE_MS = 150, BLOCK_MS = 300 };
    crawl_lease lease;
    crawl_buf note = {0};
    crawl_frontier *frontier = join();
    push(frontier, "http://host.test/1", false);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_eq(crawl_frontier_note_set(frontier, lease.origin, crawl_slice_from("of the host")), CRAWL_OK);
    cr_expect_eq(crawl_frontier_set_pause(frontier, lease.origin, PAUSE_MS, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_set_share(frontier, lease.origin, 3, now()), CRAWL_OK);
    int64_t start = now();
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, start), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    expect_no_hosts(frontier);
    push(frontier, "http://host.test/2", false);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_geq(now() - start, PAUSE_MS);
    cr_expect_eq(crawl_frontier_note_get(frontier, lease.origin, &note), CRAWL_OK);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&note), crawl_slice_from("of the host")));
    const cw_frontier_host *host = cw_frontier_hosts_find(&frontier->hosts, lease.origin);
    cr_expect_eq(host->pause, PAUSE_MS);
    cr_expect_eq(host->share, 3);
    start = now();
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, start), CRAWL_OK);
    cr_expect_eq(crawl_frontier_block(frontier, lease.origin, start + BLOCK_MS, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    expect_no_hosts(frontier);
    push(frontier, "http://host.test/3", false);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_geq(now() - start, BLOCK_MS);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    expect_done(3);
    crawl_buf_free(&note);
}

/* Pushes a page like a process that dies before it has told the others. */
static void push_untold(const char *origin, const char *url)
{
    worker w;
    answered a = {0};
    crawl_buf bytes = {0};
    uint8_t fate = CW_SHARED_OWED;
    bool has_news = false;
    crawl_request of_page = {.url = crawl_slice_from(url)};
    print_of(url, of_page.fingerprint.bytes);
    cw_frontier_item *item = cw_frontier_item_create(&of_page, crawl_slice_from(origin), 0);
    cr_assert_eq(cw_joint_request_write(item, crawl_slice_from("http://from.test/"), 0, &bytes), CRAWL_OK);
    const cw_shared_request request = {
        .origin = crawl_slice_from(origin), .print = of_page.fingerprint.bytes, .bytes = crawl_buf_slice(&bytes)};
    a.base = event_base_new();
    start_worker(&w, a.base, &scene.server, worker_options("untold"));
    cr_assert_eq(cw_shared_push(w.shared, &request, 1, &fate, &has_news, on_answered, &a), CRAWL_OK);
    event_base_dispatch(a.base);
    cr_expect(has_news);
    stop_worker(&w);
    stop_loop(a.base);
    crawl_buf_free(&bytes);
    free(item);
}

Test(shared_hosts, what_nobody_told_of_is_found_in_a_lease)
{
    enum { LEASE = 1000, BUSY_MS = 5000 };
    crawl_lease leases[2];
    scene.shared.lease_ms = LEASE;
    crawl_frontier *frontier = join();
    push(frontier, "http://host.test/1", false);
    wait_for(frontier, CRAWL_OK, &leases[0]);
    push_untold("http://other.test", "http://other.test/1");
    int64_t since = now();
    wait_for(frontier, CRAWL_OK, &leases[1]);
    cr_expect_leq(now() - since, LEASE + BUSY_MS);
    for (size_t i = 0; i < 2; i++)
        crawl_frontier_done(frontier, leases[i].id, CRAWL_DONE_FINISHED, 0, now());
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    expect_done(2);
}

static void take_turn(crawl_frontier *frontier, crawl_slice place, int64_t pause_us)
{
    int64_t wait_us;
    crawl_err err;
    while ((err = crawl_frontier_shared_turn(frontier, place, pause_us, true, &wait_us)) == CRAWL_AGAIN)
        wait_a_moment();
    cr_assert_eq(err, CRAWL_OK, "%s", crawl_strerror(err));
}

/* A request is held up by a log on a slow disk, after it was permitted and before it leaves. */
Test(shared_hosts, the_pause_of_a_place_runs_from_when_a_request_has_left)
{
    enum { HELD_UP_MS = 800, PAUSE_MS = 1000 };
    crawl_slice place = crawl_slice_from("192.0.2.1");
    crawl_frontier *first = join();
    crawl_frontier *second = join();
    take_turn(first, place, PAUSE_MS * 1000);
    for (int64_t until = now() + HELD_UP_MS; now() < until;)
        wait_a_moment();
    int64_t left = now();
    cr_expect_eq(crawl_frontier_shared_turn_left(first, place), CRAWL_OK);
    crawl_frontier_shared_turn_over(first, place);
    take_turn(second, place, PAUSE_MS * 1000);
    cr_expect_geq(now() - left, PAUSE_MS, "after %lld ms", (long long)(now() - left));
    cr_expect_eq(crawl_frontier_shared_turn_left(first, place), CRAWL_AGAIN, "its turn is over");
    crawl_frontier_shared_turn_over(second, place);
    cr_expect_eq(crawl_frontier_close(first, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(second, NULL), CRAWL_OK);
}

/* Before any other step, the sender of a request asks whether it still has the host. */
Test(shared_hosts, a_host_is_had_for_a_session)
{
    crawl_lease lease;
    crawl_frontier *first = join();
    crawl_frontier *second = join();
    push(first, "http://host.test/1", false);
    wait_for(first, CRAWL_OK, &lease);
    cr_expect(crawl_frontier_shared_has(first, lease.id));
    cr_expect_not(crawl_frontier_shared_has(second, lease.id));
    cr_expect_eq(crawl_frontier_done(first, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(first, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(second, NULL), CRAWL_OK);
}
