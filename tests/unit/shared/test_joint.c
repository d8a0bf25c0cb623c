/* Joint frontiers: each request is given once, whichever process pushed it; requests of a dead process come back; a
 * silent or killed server costs nothing; others are refused; and all find the end by themselves. */
#include "tests/unit/shared/joint_help.h"

#include "shared/store/places.h"

TestSuite(shared, .init = open_scene, .fini = close_scene);

Test(shared, many_hands)
{
    visits v = {0};
    crawl_frontier *frontiers[FRONTIERS];
    for (size_t i = 0; i < FRONTIERS; i++)
        frontiers[i] = join();
    push(frontiers[0], "http://host0.test/0", false);
    push(frontiers[1], "http://host0.test/0", false);
    visit_all(frontiers, FRONTIERS, &v);
    for (size_t i = 0; i < FRONTIERS; i++) {
        crawl_frontier_stats stats;
        cr_expect_null(check_frontier(frontiers[i], check_joint));
        crawl_frontier_stats_get(frontiers[i], now(), &stats);
        cr_expect_eq(stats.queued + stats.leased, 0);
        crawl_error error = {0};
        cr_expect_eq(crawl_frontier_close(frontiers[i], &error), CRAWL_OK, "%s", error.message);
    }
    for (unsigned i = 0; i < PAGES; i++)
        cr_expect_eq(v.of[i], 1, "page %u was visited %u times", i, v.of[i]);
    expect_done(PAGES);
}

/* A frontier dies with open leases, with unreported ends of leases, and with unsent links. */
Test(shared, one_dies)
{
    enum { ITS_LEASES = 3 };
    visits v = {0};
    visits of_dead = {0};
    crawl_lease leases[ITS_LEASES];
    scene.shared.lease_ms = SHORT_LEASE_MS;
    crawl_frontier *dies = join();
    crawl_frontier *lives = join();
    push(dies, "http://host0.test/0", false);
    for (unsigned visited = 0; visited < 30;)
        visited += visit_one(dies, &of_dead) == CRAWL_OK;
    for (size_t i = 0; i < ITS_LEASES;)
        i += crawl_frontier_pop(dies, now(), &leases[i], NULL) == CRAWL_OK;
    push_links(dies, page_of(&leases[0]));
    cr_expect_null(check_frontier(dies, check_joint));
    cw_frontier_abandon(dies);
    visit_all(&lives, 1, &v);
    for (unsigned i = 0; i < PAGES; i++)
        cr_expect_geq(v.of[i] + of_dead.of[i], 1, "page %u is lost", i);
    crawl_shared_figures figures;
    cr_expect_eq(crawl_frontier_shared_figures(lives, &figures), CRAWL_OK);
    cr_expect_gt(figures.lost, 0);
    cr_expect_eq(crawl_frontier_close(lives, NULL), CRAWL_OK);
    expect_done(PAGES);
}

/* The server is silent for longer than a lease: open requests must not leave, and all are done when it is back. */
Test(shared, the_server_is_silent)
{
    visits v = {0};
    crawl_lease lease;
    scene.shared.lease_ms = SHORT_LEASE_MS;
    crawl_frontier *frontier = join();
    push(frontier, "http://host0.test/0", false);
    wait_for(frontier, CRAWL_OK, &lease);
    kill(scene.server.process, SIGSTOP);
    for (int64_t until = now() + SHORT_LEASE_MS; now() < until;)
        wait_a_moment();
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_AGAIN);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_RETURN, 0, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_pop(frontier, now(), &lease, NULL), CRAWL_AGAIN);
    kill(scene.server.process, SIGCONT);
    visit_all(&frontier, 1, &v);
    for (unsigned i = 0; i < PAGES; i++)
        cr_expect_geq(v.of[i], 1);
    cr_expect_null(check_frontier(frontier, check_joint));
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    expect_done(PAGES);
}

/* Its request is given again with the host, and must neither leave nor return twice. */
Test(shared, a_lease_of_a_lost_host_does_not_leave_once_the_host_is_back)
{
    crawl_lease lost, lease;
    crawl_frontier_stats stats;
    scene.shared.lease_ms = 1000;
    crawl_frontier *frontier = join();
    push(frontier, "http://host0.test/0", false);
    wait_for(frontier, CRAWL_OK, &lost);
    kill(scene.server.process, SIGSTOP);
    for (int64_t until = now() + scene.shared.lease_ms; now() < until;)
        wait_a_moment();
    kill(scene.server.process, SIGCONT);
    do {
        wait_a_moment();
        cr_assert_eq(crawl_frontier_pop(frontier, now(), &lease, NULL), CRAWL_AGAIN);
        crawl_frontier_stats_get(frontier, now(), &stats);
    } while (!stats.queued);
    cr_expect_not(crawl_frontier_shared_has(frontier, lost.id));
    cr_expect_eq(crawl_frontier_start(frontier, lost.id, now()), CRAWL_AGAIN);
    cr_expect_eq(crawl_frontier_done(frontier, lost.id, CRAWL_DONE_RETURN, 0, now()), CRAWL_OK);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect(crawl_frontier_shared_has(frontier, lease.id));
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
    wait_for(frontier, CRAWL_DRAINED, &lease);
    cr_expect_null(check_frontier(frontier, check_joint));
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    expect_done(1);
}

static void open_durable_scene(void)
{
    scene.server.is_durable = true;
    open_scene();
}

TestSuite(shared_durable, .init = open_durable_scene, .fini = close_scene);

/* The server is killed while bytes are being written, in a process that does not change SIGPIPE. */
Test(shared_durable, a_server_that_is_killed_kills_nobody)
{
    enum { MANY = 4000 };
    scene.shared.lease_ms = 60000;
    crawl_frontier *frontier = join();
    crawl_shared_figures figures = {0};
    kill(scene.server.process, SIGSTOP);
    for (unsigned i = 0; i < MANY; i++) {
        char text[200];
        snprintf(text, sizeof text, "http://host%u.test/%0100u", i % HOSTS, i);
        push(frontier, text, false);
    }
    for (unsigned i = 0; i < 100; i++)
        wait_a_moment(); /* until the socket accepts no more */
    kill_server(&scene.server);
    run_server(&scene.server);
    while (figures.accepted < MANY) {
        wait_a_moment();
        cr_assert_eq(crawl_frontier_shared_figures(frontier, &figures), CRAWL_OK);
    }
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
}

/* Asks for a page until Redis has answered. */
static crawl_err take_page(crawl_frontier *frontier, const char *place, uint64_t limit)
{
    crawl_err err = CRAWL_AGAIN;
    for (unsigned turn = 0; turn < 60000 && err == CRAWL_AGAIN; turn++) {
        err = crawl_frontier_shared_page(frontier, crawl_slice_from(place), limit);
        if (err == CRAWL_AGAIN)
            wait_a_moment();
    }
    return err;
}

static uint64_t take_all_pages(crawl_frontier **both, const char *place, uint64_t limit)
{
    uint64_t pages = 0;
    for (bool is_full[2] = {false, false}; !is_full[0] || !is_full[1];)
        for (size_t i = 0; i < 2; i++) {
            crawl_err err = take_page(both[i], place, limit);
            cr_assert(err == CRAWL_OK || err == CRAWL_FULL, "%s", crawl_strerror(err));
            pages += !err;
            is_full[i] = err == CRAWL_FULL;
        }
    return pages;
}

/* Two frontiers take exactly as many pages as there are. Each place has its own limit, and a page that is given back
 * goes to another frontier. */
Test(shared, pages_of_a_place_are_never_more_than_there_are)
{
    crawl_frontier *both[] = {join(), join()};
    crawl_frontier *alone = NULL;
    cr_expect_eq(take_all_pages(both, "host a", 37), 37);
    cr_expect_eq(take_all_pages(both, "host b", 1), 1);
    cr_assert_eq(take_page(both[0], "host c", 2), CRAWL_OK);
    cr_assert_eq(take_page(both[1], "host c", 2), CRAWL_OK);
    crawl_frontier_shared_page_back(both[0], crawl_slice_from("host c"));
    cr_expect_eq(take_page(both[1], "host c", 2), CRAWL_OK, "nobody took it, and so it came back");
    cr_expect_eq(take_page(both[0], "host c", 2), CRAWL_FULL);
    for (size_t i = 0; i < 2; i++)
        cr_expect_eq(crawl_frontier_close(both[i], NULL), CRAWL_OK);
    crawl_frontier *later = join();
    cr_expect_eq(take_page(later, "host a", 37), CRAWL_FULL);
    cr_expect_eq(take_page(later, "host a", 38), CRAWL_OK);
    cr_expect_eq(take_page(later, "host b", 2), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(later, NULL), CRAWL_OK);
    cr_assert_eq(crawl_frontier_create(&scene.options, &alone, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_shared_page(alone, crawl_slice_from("host a"), 1), CRAWL_ESTATE);
    crawl_frontier_free(alone);
}

/* The server no longer knows of the pages of one process, and gives all of them to another one. */
Test(shared, more_pages_were_taken_than_an_older_server_knows)
{
    enum { LIMIT = 3 };
    crawl_frontier *first = join();
    save_scene();
    for (unsigned i = 0; i < LIMIT; i++)
        cr_assert_eq(take_page(first, "place", LIMIT), CRAWL_OK);
    while (!cw_joint_places_are_told(cw_joint_of(first)))
        wait_a_moment();
    kill_server(&scene.server);
    run_server(&scene.server);
    crawl_frontier *second = join();
    for (unsigned i = 0; i < LIMIT; i++)
        cr_assert_eq(take_page(second, "place", LIMIT), CRAWL_OK);
    cr_expect_eq(take_page(first, "place", LIMIT), CRAWL_FULL);
    cr_expect_eq(crawl_frontier_close(first, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_close(second, NULL), CRAWL_OK);
}

static void note(crawl_frontier *frontier, const char *name, const char *text)
{
    cr_assert_eq(crawl_frontier_note_set(frontier, crawl_slice_from(name), crawl_slice_from(text)), CRAWL_OK);
}

/* Waits until the note is this one; "": until there is none. */
static void wait_for_note(crawl_frontier *frontier, const char *name, const char *wanted)
{
    crawl_buf text = {0};
    for (unsigned turn = 0; turn < 20000; turn++) {
        crawl_buf_clear(&text);
        crawl_err err = crawl_frontier_note_get(frontier, crawl_slice_from(name), &text);
        if (err == (*wanted ? CRAWL_OK : CRAWL_ABSENT) &&
            crawl_slice_equal(crawl_buf_slice(&text), crawl_slice_from(wanted)))
            break;
        wait_a_moment();
    }
    cr_expect(crawl_slice_equal(crawl_buf_slice(&text), crawl_slice_from(wanted)), "%s", name);
    crawl_buf_free(&text);
}

/* Another process has written a note, of which no copy tells yet. */
static void note_elsewhere(const char *name, const char *text)
{
    worker w;
    struct event_base *base = event_base_new();
    start_worker(&w, base, &scene.server, worker_options("other"));
    cr_assert_eq(crawl_redis_send_texts(w.redis, NULL, NULL, "HSET", "{test}:notes", name, text, NULL), CRAWL_OK);
    (void)look_at(&w); /* answered after it */
    stop_worker(&w);
    stop_loop(base);
}

Test(shared, an_older_server_gets_the_notes_that_it_lacks)
{
    crawl_frontier *first = join();
    note(first, "#changed", "old");
    while (!cw_joint_notes_are_sent(cw_joint_of(first)))
        wait_a_moment();
    note_elsewhere("#changed", "new");
    save_scene();
    note(first, "#lost", "1");
    note(first, "#cookies 0123", "1");
    while (!cw_joint_notes_are_sent(cw_joint_of(first)))
        wait_a_moment();
    kill_server(&scene.server);
    run_server(&scene.server);
    wait_for_note(first, "#changed", "new");
    wait_for_note(first, "#cookies 0123", "");
    while (!cw_joint_notes_are_sent(cw_joint_of(first)))
        wait_a_moment();
    crawl_frontier *second = join();
    wait_for_note(second, "#changed", "new");
    wait_for_note(second, "#lost", "1");
    wait_for_note(second, "#cookies 0123", "");
    wait_for_note(first, "#lost", "1");
    for (size_t i = 0; i < 2; i++)
        cr_expect_eq(crawl_frontier_close(i ? second : first, NULL), CRAWL_OK);
}

/* A shared crawl forgets nothing at a date, since the seen-set is not the frontier's. */
Test(shared, a_date_to_forget_at_ends_a_lease_alone)
{
    crawl_lease lease;
    crawl_frontier *frontier = join();
    push(frontier, "http://host.test/1", false);
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FORGET, now() + 50000, now()), CRAWL_OK);
    cr_expect_null(check_frontier(frontier, check_joint));
    wait_for(frontier, CRAWL_DRAINED, &lease);
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
    expect_done(1);
}

static void expect_refused(const char *words)
{
    crawl_error error = {0};
    crawl_frontier *frontier = NULL;
    cr_expect_neq(crawl_frontier_join(&scene.shared, &scene.options, &frontier, NULL, &error), CRAWL_OK);
    cr_expect_not_null(strstr(error.message, words), "%s", error.message);
}

Test(shared, others_are_refused)
{
    const crawl_shared_choice depth = {crawl_slice_from("depth"), crawl_slice_from("3")};
    const crawl_shared_choice other = {crawl_slice_from("depth"), crawl_slice_from("4")};
    scene.shared.choices = &depth;
    scene.shared.choice_count = 1;
    crawl_frontier *frontier = join();
    scene.shared.choices = &other;
    expect_refused("depth = \"3\", not \"4\"");
    scene.shared.choices = &depth;
    scene.options.order = CRAWL_ORDER_BEST;
    expect_refused("order = \"bfs\", not \"best\"");
    scene.options.order = CRAWL_ORDER_DFS;
    expect_refused("order = \"bfs\", not \"dfs\"");
    scene.options = frontier_options();
    scene.options.fingerprints = "other";
    expect_refused("fingerprints = \"sha1\", not \"other\"");
    scene.options.fingerprints = "sha1";
    scene.options.seen.kind = CRAWL_BLOOM_COUNTING;
    expect_refused("counting");
    scene.options.seen.kind = CRAWL_BLOOM_SCALABLE;
    scene.options.seen.fpr = 1e-3;
    expect_refused("rate");
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
}
