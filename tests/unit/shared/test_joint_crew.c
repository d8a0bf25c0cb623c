/* What the processes of a shared crawl tell of themselves, by their frontiers: each sees all, also one whose row was
 * added to the others' while it was silent, and the last word of one that ends. */
#include "tests/unit/shared/protocol_help.h"

#include <crawl/shared.h>

static void wait_a_moment(void)
{
    const struct timespec moment = {.tv_nsec = 2000000};
    nanosleep(&moment, NULL);
}

/* A process, as its report has it. */
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

static void join(process *p, const server *s, const char *name)
{
    char text[80];
    crawl_redis_url url;
    crawl_error error = {0};
    crawl_shared_options shared;
    crawl_frontier_options options;
    crawl_shared_options_init(&shared, sizeof shared);
    crawl_frontier_options_init(&options, sizeof options);
    snprintf(text, sizeof text, "unix:%s", s->socket);
    cr_assert_eq(crawl_redis_url_parse(crawl_slice_from(text), (const char *const[]){NULL}, &url, &error), CRAWL_OK);
    options.fingerprints = "sha1";
    shared.url = &url;
    shared.name = "test";
    shared.worker = name;
    shared.on_report = on_report;
    shared.user = p;
    cr_assert_eq(crawl_frontier_join(&shared, &options, &p->frontier, NULL, &error), CRAWL_OK, "%s", error.message);
    cr_expect(crawl_slice_equal(crawl_frontier_shared_name(p->frontier), crawl_slice_from(name)));
    crawl_redis_url_free(&url);
}

/* Asks until so many processes are there and all have so many pages. */
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
    server s = {0};
    process a = {.pages = 30};
    process b = {.pages = 4};
    start_server(&s);
    join(&a, &s, "a");
    join(&b, &s, "b");
    expect_sum(&a, 2, 34);
    b.pages = 6;
    crawl_shared_crew crew = crew_with(&b, 2, 36);
    cr_expect_str_eq(crew.processes[1].name.data, "b");
    cr_expect_eq(crew.processes[1].report.pages, 6);
    cr_expect_str_eq(crew.processes[1].report.version, crawl_version());
    cr_expect_eq(crew.total.running, 2);
    cr_expect_eq(crew.total.bytes, 360);
    crawl_shared_crew_free(&crew);
    b.pages = 7; /* what is told last */
    cr_expect_eq(crawl_frontier_close(b.frontier, NULL), CRAWL_OK);
    crew = crew_with(&a, 2, 37);
    cr_expect(crew.processes[1].has_ended);
    cr_expect_leq(crew.processes[1].until_ms, crew.now_ms);
    cr_expect_eq(crew.total.running, 1);
    crawl_shared_crew_free(&crew);
    cr_expect_eq(crawl_frontier_close(a.frontier, NULL), CRAWL_OK);
    stop_server(&s);
}

/* As the script does with one that is gone. */
static void add_up(const server *s, const char *name, const char *pages)
{
    worker w;
    struct event_base *base = event_base_new();
    start_worker(&w, base, s, worker_options("other"));
    cr_assert_eq(crawl_redis_send_texts(w.redis, NULL, NULL, "HDEL", "{test}:reports", name, NULL), CRAWL_OK);
    cr_assert_eq(
        crawl_redis_send_texts(w.redis, NULL, NULL, "HSET", "{test}:gone", "workers", "1", "pages", pages, NULL),
        CRAWL_OK);
    (void)look_at(&w); /* its answer is behind theirs */
    stop_worker(&w);
    stop_loop(base);
}

Test(shared_crew, one_that_was_added_up_tells_the_rest)
{
    server s = {0};
    process a = {.pages = 30};
    process b = {.pages = 4};
    start_server(&s);
    join(&a, &s, "a");
    join(&b, &s, "b");
    expect_sum(&a, 2, 34);
    add_up(&s, "b", "4");
    b.pages = 9;
    expect_sum(&a, 2, 39);
    cr_expect_eq(crawl_frontier_close(b.frontier, NULL), CRAWL_OK);
    expect_sum(&a, 2, 39);
    cr_expect_eq(crawl_frontier_close(a.frontier, NULL), CRAWL_OK);
    stop_server(&s);
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
