/* The processes of a shared crawl report about themselves, through their frontiers: each sees all, even one whose row
 * was added to the others' while it was silent, and the last report of one that ends. */
#include "tests/unit/shared/joint_help.h"

TestSuite(shared_crew, .init = open_scene, .fini = close_scene);

/* A process as in its report. */
typedef struct process {
    crawl_frontier *frontier;
    _Atomic uint64_t pages;
} process;

static void on_report(void *user, crawl_shared_report *report)
{
    process *p = user;
    report->pages = p->pages;
    report->bytes = 10 * p->pages;
    report->running = 1;
}

static void join_as_process(process *p, const char *name)
{
    scene.shared.worker = name;
    scene.shared.on_report = on_report;
    scene.shared.user = p;
    p->frontier = join();
    cr_expect(crawl_slice_equal(crawl_frontier_shared_name(p->frontier), crawl_slice_from(name)));
}

/* Asks until this many processes are there and all together have this many pages. */
static crawl_shared_crew crew_with(const process *p, size_t processes, uint64_t pages)
{
    crawl_shared_crew crew = {0};
    for (unsigned turn = 0; turn < 30000; turn++) {
        crawl_err err = crawl_frontier_shared_crew(p->frontier, &crew);
        cr_assert(!err || err == CRAWL_AGAIN, "%s", crawl_strerror(err));
        if (!err && crew.process_count == processes && crew.total.pages == pages)
            return crew;
        crawl_shared_crew_free(&crew);
        wait_a_moment();
    }
    cr_assert_fail("the sum is never %llu", (unsigned long long)pages);
    return crew;
}

static void expect_sum(const process *p, size_t processes, uint64_t pages)
{
    crawl_shared_crew crew = crew_with(p, processes, pages);
    crawl_shared_crew_free(&crew);
}

Test(shared_crew, each_process_sees_all)
{
    process a = {.pages = 30};
    process b = {.pages = 4};
    join_as_process(&a, "a");
    join_as_process(&b, "b");
    expect_sum(&a, 2, 34);
    b.pages = 6;
    crawl_shared_crew crew = crew_with(&b, 2, 36);
    cr_expect_str_eq(crew.processes[1].name.data, "b");
    cr_expect_eq(crew.processes[1].report.pages, 6);
    cr_expect_str_eq(crew.processes[1].report.version, crawl_version());
    cr_expect_eq(crew.total.running, 2);
    cr_expect_eq(crew.total.bytes, 360);
    crawl_shared_crew_free(&crew);
    b.pages = 7; /* last report */
    cr_expect_eq(crawl_frontier_close(b.frontier, NULL), CRAWL_OK);
    crew = crew_with(&a, 2, 37);
    cr_expect(crew.processes[1].has_ended);
    cr_expect_leq(crew.processes[1].until_ms, crew.now_ms);
    cr_expect_eq(crew.total.running, 1);
    crawl_shared_crew_free(&crew);
    cr_expect_eq(crawl_frontier_close(a.frontier, NULL), CRAWL_OK);
}

static void push_three(crawl_frontier *frontier)
{
    push(frontier, "http://h.test/0", false);
    push(frontier, "http://h.test/1", false);
    push(frontier, "http://h.test/2", false);
}

static void finish_one(crawl_frontier *frontier)
{
    crawl_lease lease;
    wait_for(frontier, CRAWL_OK, &lease);
    cr_expect_eq(crawl_frontier_start(frontier, lease.id, now()), CRAWL_OK);
    cr_expect_eq(crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
}

/* Otherwise the figures at the end would lack what was told last. */
Test(shared_crew, all_is_told_for_a_look)
{
    crawl_frontier_stats stats;
    crawl_frontier *frontier = join();
    push_three(frontier);
    finish_one(frontier);
    for (unsigned turn = 0; turn < 100; turn++)
        wait_a_moment();
    finish_one(frontier);
    cr_expect_eq(crawl_frontier_shared_look(frontier, 1500), CRAWL_OK);
    crawl_frontier_stats_get(frontier, now(), &stats);
    cr_expect_eq(stats.finished, 2);
    cr_expect_eq(crawl_frontier_close(frontier, NULL), CRAWL_OK);
}

/* A look says that its process is alive. Here it begins when the host was given back: the second page was not told
 * before, because the first one had been told just then. */
Test(shared_crew, one_that_ends_while_it_looks_has_ended)
{
    process a = {.pages = 30};
    process b = {.pages = 4};
    join_as_process(&a, "a");
    join_as_process(&b, "b");
    expect_sum(&a, 2, 34);
    push_three(b.frontier);
    finish_one(b.frontier);
    for (unsigned turn = 0; turn < 100; turn++)
        wait_a_moment();
    finish_one(b.frontier);
    b.pages = 5;
    cr_expect_eq(crawl_frontier_shared_look(b.frontier, 0), CRAWL_AGAIN);
    cr_expect_eq(crawl_frontier_close(b.frontier, NULL), CRAWL_OK);
    crawl_shared_crew crew = crew_with(&a, 2, 35);
    cr_expect(crew.processes[1].has_ended);
    crawl_shared_crew_free(&crew);
    cr_expect_eq(crawl_frontier_close(a.frontier, NULL), CRAWL_OK);
}

/* Does what the script does with a worker that is gone. */
static void add_up(const char *name, const char *pages)
{
    worker w;
    struct event_base *base = event_base_new();
    start_worker(&w, base, &scene.server, worker_options("other"));
    cr_assert_eq(crawl_redis_send_texts(w.redis, NULL, NULL, "HDEL", "{test}:reports", name, NULL), CRAWL_OK);
    cr_assert_eq(
        crawl_redis_send_texts(w.redis, NULL, NULL, "HSET", "{test}:gone", "workers", "1", "pages", pages, NULL),
        CRAWL_OK);
    (void)look_at(&w); /* answered after theirs */
    stop_worker(&w);
    stop_loop(base);
}

Test(shared_crew, one_that_was_added_up_tells_the_rest)
{
    process a = {.pages = 30};
    process b = {.pages = 4};
    join_as_process(&a, "a");
    join_as_process(&b, "b");
    expect_sum(&a, 2, 34);
    add_up("b", "4");
    b.pages = 9;
    expect_sum(&a, 2, 39);
    cr_expect_eq(crawl_frontier_close(b.frontier, NULL), CRAWL_OK);
    expect_sum(&a, 2, 39);
    cr_expect_eq(crawl_frontier_close(a.frontier, NULL), CRAWL_OK);
}

Test(shared_crew, one_that_an_older_server_does_not_know_tells_all)
{
    process a = {.pages = 30};
    process b = {.pages = 4};
    join_as_process(&a, "a");
    expect_sum(&a, 1, 30);
    save_scene();
    join_as_process(&b, "b");
    expect_sum(&a, 2, 34);
    kill_server(&scene.server);
    run_server(&scene.server);
    a.pages = 31;
    expect_sum(&a, 2, 35);
    cr_expect_eq(crawl_frontier_close(b.frontier, NULL), CRAWL_OK);
    expect_sum(&a, 2, 35);
    cr_expect_eq(crawl_frontier_close(a.frontier, NULL), CRAWL_OK);
}

Test(shared_crew, a_frontier_of_its_own_has_none)
{
    crawl_frontier *frontier = NULL;
    crawl_frontier_options options;
    crawl_shared_crew crew;
    crawl_frontier_options_init(&options, sizeof options);
    cr_assert_eq(crawl_frontier_create(&options, &frontier, NULL), CRAWL_OK);
    cr_expect_eq(crawl_frontier_shared_crew(frontier, &crew), CRAWL_ESTATE);
    cr_expect_eq(crawl_frontier_shared_name(frontier).size, 0);
    crawl_frontier_free(frontier);
}
