/* Settling in parallel with calls, step by step: a settling is stopped after each of its steps, requests in it end in
 * every possible way, others are pushed, and the process is killed, a write fails, or everything is closed. After
 * reopening, exactly the unfinished requests are there, once each, with their attempts and visits. */
#include "frontier/disk/stage/settle.h"
#include "tests/unit/frontier/pages.h"

#include <signal.h>
#include <sys/resource.h>

enum { HOSTS = 3, BATCHES = 3, PAGES = 130, MORE = 2, LEASES = 9 }; /* two writes for the whole stage */

enum { AT_DATE = 1000, LATER = 2000 };

typedef struct expected {
    bool queued;
    uint32_t attempt;
    uint32_t visit;
} expected;

typedef struct world {
    directory dir;
    crawl_frontier *f;
    expected pages[HOSTS][BATCHES * PAGES + MORE];
    crawl_lease leases[LEASES];
} world;

static expected *page_of(world *w, crawl_slice url)
{
    unsigned host, page;
    cr_assert_eq(sscanf(url.data, "http://host%u/%u", &host, &page), 2);
    cr_assert(host < HOSTS && page < BATCHES * PAGES + MORE);
    return &w->pages[host][page];
}

static void push_into(world *w, unsigned host, unsigned first, unsigned count)
{
    cr_assert_eq(push_pages(w->f, host, first, count, 0), count);
    for (unsigned i = 0; i < count; i++)
        w->pages[host][first + i] = (expected){.queued = true, .attempt = 1, .visit = 1};
}

static crawl_frontier_options world_options(void)
{
    crawl_frontier_options options = test_options();
    options.per_host = LEASES;
    options.seen.kind = CRAWL_BLOOM_EXACT;
    return options;
}

/* Makes requests in the stage of three hosts, some of which are leased, and a few that were settled and are done. */
static void make_world(world *w)
{
    crawl_frontier_options options = world_options();
    *w = (world){.dir = make_directory()};
    w->f = open_in(w->dir.path, &options, 0);
    for (unsigned host = 0; host < HOSTS; host++)
        push_into(w, host, 0, PAGES);
    cr_assert_eq(cw_disk_settle(w->f), CRAWL_OK);
    for (unsigned i = 0; i < 5; i++) {
        crawl_lease lease;
        cr_assert_eq(crawl_frontier_pop(w->f, 0, &lease, NULL), CRAWL_OK);
        page_of(w, lease.url)->queued = false;
        cr_assert_eq(crawl_frontier_done(w->f, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    }
    for (unsigned batch = 1; batch < BATCHES; batch++)
        for (unsigned host = 0; host < HOSTS; host++)
            push_into(w, host, batch * PAGES, PAGES);
}

/* Leases requests of the stage; settled ones, which come first, are finished. */
static void lease_staged(world *w)
{
    for (unsigned i = 0; i < LEASES;) {
        crawl_lease *lease = &w->leases[i];
        unsigned host, page;
        cr_assert_eq(crawl_frontier_pop(w->f, 0, lease, NULL), CRAWL_OK);
        cr_assert_eq(sscanf(lease->url.data, "http://host%u/%u", &host, &page), 2);
        if (page >= PAGES) {
            i++;
            continue;
        }
        page_of(w, lease->url)->queued = false;
        cr_assert_eq(crawl_frontier_done(w->f, lease->id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    }
}

/* Ends each lease in another way; the last one stays out. */
static void end_leases(world *w)
{
    static const struct {
        crawl_outcome outcome;
        int64_t at;
    } ends[LEASES - 3] = {{CRAWL_DONE_FINISHED, 0},     {CRAWL_DONE_RETRY, 0},  {CRAWL_DONE_RETRY, AT_DATE},
                          {CRAWL_DONE_RETURN, AT_DATE}, {CRAWL_DONE_RETURN, 0}, {CRAWL_DONE_FORGET, 0}};
    for (unsigned i = 0; i < LEASES - 3; i++) {
        expected *page = page_of(w, w->leases[i].url);
        page->queued = ends[i].outcome == CRAWL_DONE_RETRY || ends[i].outcome == CRAWL_DONE_RETURN;
        page->attempt += ends[i].outcome == CRAWL_DONE_RETRY;
        cr_assert_eq(crawl_frontier_done(w->f, w->leases[i].id, ends[i].outcome, ends[i].at, 0), CRAWL_OK);
        check(w->f);
    }
    for (unsigned i = LEASES - 3; i < LEASES - 1; i++) {
        page_of(w, w->leases[i].url)->visit++;
        cr_assert_eq(crawl_frontier_done_again(w->f, w->leases[i].id, i % 2 * AT_DATE, (crawl_slice){0}, 0), CRAWL_OK);
        check(w->f);
    }
}

/* Pushes to the other stage: a request that is finished there, and one that stays. */
static void push_more(world *w)
{
    push_into(w, 1, BATCHES * PAGES, MORE);
    crawl_request urgent = request_for("http://host2/urgent", 0, 0);
    cr_assert_eq(crawl_frontier_push_urgent(w->f, &urgent, 0), CRAWL_OK);
    crawl_lease lease;
    cr_assert_eq(crawl_frontier_pop(w->f, 0, &lease, NULL), CRAWL_OK);
    cr_assert_eq(crawl_frontier_done(w->f, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    check(w->f);
}

/* Expects exactly the expected requests, once each, in their proper state. */
static void expect_world(world *w)
{
    crawl_lease lease;
    check(w->f);
    while (crawl_frontier_pop(w->f, LATER, &lease, NULL) == CRAWL_OK) {
        expected *page = page_of(w, lease.url);
        cr_assert(page->queued, "%.*s: it was finished", (int)lease.url.size, lease.url.data);
        cr_assert_eq(lease.attempt, page->attempt, "%.*s: attempt %u", (int)lease.url.size, lease.url.data,
                     (unsigned)lease.attempt);
        cr_assert_eq(lease.visit, page->visit, "%.*s: visit %u", (int)lease.url.size, lease.url.data,
                     (unsigned)lease.visit);
        page->queued = false;
        cr_assert_eq(crawl_frontier_done(w->f, lease.id, CRAWL_DONE_FINISHED, 0, LATER), CRAWL_OK);
    }
    check(w->f);
    for (unsigned host = 0; host < HOSTS; host++)
        for (unsigned page = 0; page < BATCHES * PAGES + MORE; page++)
            cr_assert_not(w->pages[host][page].queued, "http://host%u/%u is lost", host, page);
}

static void reopen(world *w)
{
    crawl_frontier_options options = world_options();
    check_directory(w->dir.path);
    w->f = open_in(w->dir.path, &options, 0);
}

static void stop_here(void *user)
{
    atomic_store((_Atomic bool *)user, true);
}

/* Takes `count` steps of the running settling, in this thread. Returns false at its end. */
static bool take_steps(crawl_frontier *f, unsigned count, crawl_err wanted)
{
    cw_disk_settling *settling = &cw_disk_of(f)->settling;
    for (unsigned i = 0; i < count && cw_disk_settling_is_under_way(settling); i++) {
        _Atomic bool stop = false;
        crawl_err err = cw_disk_settle_on(f, &stop, stop_here, &stop);
        cr_assert_eq(err, wanted, "step %u: %s", i, crawl_strerror(err));
        check(f);
    }
    return cw_disk_settling_is_under_way(settling);
}

/* Begins a settling that only the test continues. */
static void begin(crawl_frontier *f)
{
    atomic_store(&cw_disk_of(f)->settler.working, true);
    pthread_mutex_lock(&f->lock);
    cr_assert_eq(cw_disk_settle_begin(f), CRAWL_OK);
    pthread_mutex_unlock(&f->lock);
}

/* Runs until all is written and nothing reported. */
static void write_all(crawl_frontier *f)
{
    while (atomic_load(&cw_disk_of(f)->settling.phase) != CW_SETTLING_WRITTEN)
        cr_assert(take_steps(f, 1, CRAWL_OK));
}

/* Makes requests come back to their written places, `in` ms later. With the one of the second host there is no room in
 * memory for the one of the first. */
static void come_back_when_written(crawl_outcome outcome, int64_t in)
{
    enum { COUNT = 4 };
    world w = {.dir = make_directory()};
    crawl_frontier_options options = world_options();
    crawl_lease leases[COUNT];
    w.f = open_in(w.dir.path, &options, 0);
    cw_disk_of(w.f)->windows.budget = 0;
    push_into(&w, 0, 0, COUNT - 1);
    push_into(&w, 1, 0, 1);
    crawl_lease first = pop(w.f, "http://host0/0", 0);
    crawl_lease second = pop(w.f, "http://host1/0", 0);
    begin(w.f);
    write_all(w.f);
    cr_assert_eq(crawl_frontier_done(w.f, first.id, outcome, in, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_done(w.f, second.id, outcome, in, 0), CRAWL_OK);
    for (unsigned i = 0; i < COUNT; i++) {
        cr_assert_eq(crawl_frontier_pop(w.f, in, &leases[i], NULL), CRAWL_OK, "pop %u", i);
        expected *page = page_of(&w, leases[i].url);
        cr_assert(page->queued, "%.*s", (int)leases[i].url.size, leases[i].url.data);
        page->queued = false;
        check(w.f);
    }
    while (take_steps(w.f, 1, CRAWL_OK)) {
    }
    cr_assert_eq(crawl_frontier_close(w.f, NULL), CRAWL_OK);
    check_directory(w.dir.path);
    remove_directory(w.dir.path);
}

Test(settling, what_comes_back_when_it_is_written_is_found_there)
{
    come_back_when_written(CRAWL_DONE_RETRY, 0);
    come_back_when_written(CRAWL_DONE_RETRY, LATER);
    come_back_when_written(CRAWL_DONE_RETURN, 0);
    come_back_when_written(CRAWL_DONE_RETURN, LATER);
}

/* Returns false if the settling had fewer steps. */
static bool live_through(unsigned steps, unsigned more, bool killed)
{
    world w;
    make_world(&w);
    lease_staged(&w);
    begin(w.f);
    bool under_way = take_steps(w.f, steps, CRAWL_OK);
    end_leases(&w);
    push_more(&w);
    take_steps(w.f, more, CRAWL_OK);
    check_directory(w.dir.path); /* as a view sees it meanwhile */
    if (killed)
        cw_frontier_abandon(w.f);
    else
        cr_assert_eq(crawl_frontier_close(w.f, NULL), CRAWL_OK);
    reopen(&w);
    expect_world(&w);
    crawl_frontier_free(w.f);
    check_directory(w.dir.path);
    remove_directory(w.dir.path);
    return under_way;
}

Test(settling, killed_after_each_step)
{
    unsigned steps = 0;
    while (live_through(steps, 0, true))
        steps++;
    cr_assert_gt(steps, 4, "%u", steps);
}

Test(settling, killed_some_steps_after_requests_ended)
{
    for (unsigned steps = 0; steps < 5; steps++)
        live_through(steps, 2, true);
}

Test(settling, closed_after_each_step)
{
    for (unsigned steps = 0; live_through(steps, 1, false); steps++)
        ;
}

/* Files are at their limit, so the write of a step fails. The next call returns the error, and nothing is lost. */
static bool fail_at(unsigned steps)
{
    world w;
    crawl_error error = {0};
    make_world(&w);
    lease_staged(&w);
    begin(w.f);
    bool under_way = take_steps(w.f, steps, CRAWL_OK);
    struct rlimit before;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit limit = {.rlim_cur = 1, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    crawl_err err = CRAWL_OK;
    while (!err && cw_disk_settling_is_under_way(&cw_disk_of(w.f)->settling))
        err = cw_disk_settle_on(w.f, NULL, NULL, NULL);
    size_t accepted;
    crawl_request request = request_for("http://host1/later", 0, 0);
    crawl_err told = crawl_frontier_push(w.f, &request, 1, (crawl_slice){0}, NULL, &accepted, 0);
    setrlimit(RLIMIT_FSIZE, &before);
    cr_assert_eq(told, CRAWL_EIO, "%s", crawl_strerror(told));
    cr_assert_eq(crawl_frontier_failure(w.f, &error), CRAWL_EIO);
    check(w.f);
    cr_assert_eq(crawl_frontier_close(w.f, NULL), CRAWL_EIO);
    reopen(&w);
    expect_world(&w);
    crawl_frontier_free(w.f);
    remove_directory(w.dir.path);
    return under_way;
}

Test(settling, each_write_fails_in_turn)
{
    for (unsigned steps = 0; fail_at(steps); steps++)
        ;
}

/* The stage being filled stays within its limit, however slow the settling is: pushes wait. */
Test(settling, who_pushes_faster_than_it_settles_waits)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    cw_disk_stage *stage = &cw_disk_of(f)->windows.stage;
    uint64_t most = 0;
    stage->limit = 30000;
    for (unsigned batch = 0; batch < 300; batch++) {
        cr_assert_eq(push_pages(f, batch % 7, batch / 7 * 50, 50, 0), 50);
        pthread_mutex_lock(&f->lock);
        uint64_t bytes = stage->bytes[0] + stage->bytes[1];
        pthread_mutex_unlock(&f->lock);
        most = bytes > most ? bytes : most;
    }
    cr_assert_leq(most, 2 * (stage->limit + 50 * 400), "%llu", (unsigned long long)most);
    cr_assert_eq(cw_disk_settle(f), CRAWL_OK);
    cr_assert_eq(stage->count, 0);
    check(f);
    crawl_frontier_free(f);
    check_directory(dir.path);
    remove_directory(dir.path);
}
