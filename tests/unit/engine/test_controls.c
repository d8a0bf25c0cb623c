/* A crawl that is changed while it runs: it is paused and resumed, and its connections and limits change. One worker
 * requests one page of each of many hosts, so that it begins as many requests as it may before one of them leaves. */
#include "config/config_values.h"
#include "tests/support/script_server.h"

#include <crawl/engine.h>
#include <criterion/criterion.h>
#include <stdio.h>

enum { HOSTS = 24 };

static const script_answer site[] = {
    {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\npage", .end = SCRIPT_CLOSE},
    {0},
};

typedef struct crawler {
    void (*on_depart)(struct crawler *c, unsigned running);
    void (*on_record)(struct crawler *c, unsigned running);
    void (*on_tick)(struct crawler *c);
    unsigned port;
    unsigned departed;
    unsigned departed_at_pause;
    unsigned ticks;
    unsigned most_running;
    crawl_engine *engine;
    crawl_engine_stats stats;
    crawl_err result;
} crawler;

static crawl_err on_depart(void *user, crawl_engine *engine, const crawl_exchange *exchange)
{
    crawler *c = user;
    crawl_engine_stats stats;
    (void)exchange;
    crawl_engine_stats_get(engine, &stats);
    c->departed++;
    c->on_depart(c, (unsigned)stats.running);
    return CRAWL_OK;
}

/* The page that ends first is still counted as in flight. */
static crawl_err on_record(void *user, const crawl_record *record)
{
    crawler *c = user;
    crawl_engine_stats stats;
    (void)record;
    crawl_engine_stats_get(c->engine, &stats);
    if (c->on_record)
        c->on_record(c, (unsigned)stats.running);
    return CRAWL_OK;
}

static crawl_err on_tick(void *user, crawl_engine *engine)
{
    crawler *c = user;
    (void)engine;
    c->ticks++;
    if (c->on_tick)
        c->on_tick(c);
    return CRAWL_OK;
}

static void seed_hosts(crawler *c)
{
    for (unsigned i = 0; i < HOSTS; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://h%u.localhost:%u/", i, c->port);
        const crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(url)};
        cr_assert_eq(crawl_engine_seed(c->engine, &seed, NULL), CRAWL_OK);
    }
}

static void *run(void *user)
{
    crawler *c = user;
    crawl_config config;
    crawl_error error = {0};
    crawl_engine_hooks hooks = {
        .size = sizeof hooks, .on_depart = on_depart, .on_record = on_record, .on_tick = on_tick, .user = c};
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    crawl_config_set(&config, "politeness.robots", "off", NULL);
    crawl_config_set(&config, "politeness.delay", "0s", NULL);
    crawl_config_set(&config, "crawl.workers", "1", NULL);
    crawl_config_set(&config, "fetch.connections", "8", NULL);
    cr_assert_eq(crawl_engine_create(&config, &hooks, &c->engine, &error), CRAWL_OK, "%s", error.message);
    seed_hosts(c);
    c->result = crawl_engine_run(c->engine, NULL);
    crawl_engine_stats_get(c->engine, &c->stats);
    crawl_engine_free(c->engine);
    cw_config_clear(&config);
    return NULL;
}

static void crawl_hosts(crawler *c)
{
    cr_assert(script_server_serve(site, &c->port, run, c));
    cr_expect_eq(c->result, CRAWL_OK);
}

static void crawl_all_hosts(crawler *c)
{
    crawl_hosts(c);
    cr_expect_eq(c->stats.end, CRAWL_END_DRAINED);
    cr_expect_eq(c->stats.pages, HOSTS);
}

/* ---- pause ---- */

static void pause_at_the_first(crawler *c, unsigned running)
{
    if (c->departed > 1)
        return;
    cr_expect_gt(running, 1, "others are about to leave");
    crawl_engine_pause(c->engine);
    crawl_engine_pause(c->engine);
    c->departed_at_pause = c->departed;
}

static void resume_after_some_ticks(crawler *c)
{
    crawl_engine_stats stats;
    crawl_engine_stats_get(c->engine, &stats);
    if (!c->departed_at_pause || !stats.paused)
        return;
    cr_expect_eq(c->departed, c->departed_at_pause, "no request leaves while it is paused");
    if (c->ticks < 4)
        return;
    cr_expect_eq(stats.running, 0);
    cr_expect_eq(stats.bound.bound, CRAWL_BOUND_PAUSED);
    crawl_engine_resume(c->engine);
}

Test(controls, no_request_leaves_while_it_is_paused)
{
    crawler c = {.on_depart = pause_at_the_first, .on_tick = resume_after_some_ticks};
    crawl_all_hosts(&c);
    cr_expect_geq(c.ticks, 4);
    cr_expect_not(c.stats.paused);
}

/* The receiver of records and the observer of the crawl do not undo each other's actions. */
static void pause_and_hold(crawler *c, unsigned)
{
    if (c->departed > 1)
        return;
    crawl_engine_hold(c->engine, true);
    crawl_engine_pause(c->engine);
    crawl_engine_hold(c->engine, false);
    c->departed_at_pause = c->departed;
}

Test(controls, a_pause_stays_whoever_holds_it_besides)
{
    crawler c = {.on_depart = pause_and_hold, .on_tick = resume_after_some_ticks};
    crawl_all_hosts(&c);
    cr_expect_geq(c.ticks, 4);
}

/* ---- connections ---- */

static void fewer_then_more(crawler *c, unsigned running)
{
    if (c->departed == 1)
        cr_expect_eq(crawl_engine_set_connections(c->engine, 2), 2);
    if (c->departed > 8 && c->departed <= 12) /* the earlier ones are done */
        cr_expect_leq(running, 2);
    if (c->departed == 12)
        cr_expect_eq(crawl_engine_set_connections(c->engine, 6), 6);
}

static void count_more(crawler *c, unsigned running)
{
    if (c->departed >= 12 && running > c->most_running)
        c->most_running = running;
}

Test(controls, connections_become_fewer_and_more)
{
    crawler c = {.on_depart = fewer_then_more, .on_record = count_more};
    crawl_all_hosts(&c);
    cr_expect_eq(c.most_running, 6);
    cr_expect_eq(c.stats.connections, 6);
}

static void out_of_range(crawler *c, unsigned)
{
    if (c->departed > 1)
        return;
    cr_expect_eq(crawl_engine_set_connections(c->engine, 0), 1, "there is always one");
    cr_expect_lt(crawl_engine_set_connections(c->engine, UINT32_MAX), UINT32_MAX, "descriptors have an end");
}

Test(controls, connections_stay_within_what_there_is)
{
    crawler c = {.on_depart = out_of_range};
    crawl_all_hosts(&c);
}

/* ---- limits ---- */

/* More than can have begun when the fourth request leaves: three may be done, and eight connections taken again. */
enum { PAGES = 12 };

static void limit_at_the_fourth(crawler *c, unsigned)
{
    if (c->departed == 4)
        crawl_engine_set_limits(c->engine, &(crawl_engine_limits){.pages = PAGES});
}

Test(controls, a_limit_that_comes_later_counts_the_pages_of_before)
{
    crawler c = {.on_depart = limit_at_the_fourth};
    crawl_hosts(&c);
    cr_expect_eq(c.stats.end, CRAWL_END_MAX_PAGES);
    cr_expect_eq(c.stats.pages, PAGES, "%llu", (unsigned long long)c.stats.pages);
}

static void limit_below_at_the_last(crawler *c, unsigned)
{
    if (c->departed == HOSTS)
        crawl_engine_set_limits(c->engine, &(crawl_engine_limits){.bytes = 1});
}

Test(controls, a_limit_that_is_passed_already_ends_it)
{
    crawler c = {.on_depart = limit_below_at_the_last};
    crawl_hosts(&c);
    cr_expect_eq(c.stats.end, CRAWL_END_MAX_BYTES);
}
