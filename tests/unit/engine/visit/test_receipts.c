/* Receipts of records that come later than the records are taken, and an engine that is held or told to expect more,
 * with a server on the test's own loop. */
#include "config/config_values.h"
#include "tests/support/script_server.h"

#include <crawl/engine.h>
#include <criterion/criterion.h>
#include <event2/event.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGE(body) "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" body

static const script_answer site[] = {
    {.path = "/robots.txt",
     .bytes = "HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
     .end = SCRIPT_CLOSE},
    {.path = "/", .bytes = PAGE("<a href=a>a</a><a href=b>b</a>"), .end = SCRIPT_CLOSE},
    {.path = "/a", .bytes = PAGE("a"), .end = SCRIPT_CLOSE},
    {.path = "/b", .bytes = PAGE("b"), .end = SCRIPT_CLOSE},
    {0},
};

typedef enum mood {
    AT_ONCE,  /* the receipt comes before on_record returns */
    BY_TICK,  /* all owed ones come at a tick */
    TOGETHER, /* the same, once those of all pages are owed, or after some seconds */
    NEVER,    /* none comes, and the crawl is stopped once there are records */
    HELD,     /* the engine is held at first, for some ticks */
    EXPECTING /* the engine is told to expect more, which comes at a tick */
} mood;

typedef struct crawler {
    mood mood;
    const char *state; /* NULL: in memory */
    unsigned port;
    unsigned records;
    unsigned ticks;
    uint64_t owed[8];
    size_t owed_count, most_owed;
    uint64_t most_leased;
    char asked[128];
    crawl_err result;
    crawl_engine_stats stats;
    crawl_engine *engine;
} crawler;

static crawl_err on_record(void *user, const crawl_record *record)
{
    crawler *c = user;
    const char *path = memchr(record->url.data + 8, '/', record->url.size - 8);
    size_t used = strlen(c->asked);
    snprintf(c->asked + used, sizeof c->asked - used, "%.*s ", (int)(record->url.data + record->url.size - path), path);
    c->records++;
    if (c->mood == HELD || c->mood == EXPECTING)
        return CRAWL_OK;
    if (c->mood == AT_ONCE)
        crawl_engine_kept(c->engine, record->receipt);
    else
        c->owed[c->owed_count++] = record->receipt;
    return CRAWL_AGAIN;
}

static void seed(crawler *c, const char *path)
{
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", c->port, path);
    const crawl_seed one = {.size = sizeof one, .url = crawl_slice_from(url)};
    cr_assert_leq(crawl_engine_seed(c->engine, &one, NULL), CRAWL_EXISTS);
}

static crawl_err on_tick(void *user, crawl_engine *engine)
{
    crawler *c = user;
    crawl_engine_stats stats;
    crawl_engine_stats_get(engine, &stats);
    c->most_leased = stats.frontier.leased > c->most_leased ? stats.frontier.leased : c->most_leased;
    c->ticks++;
    c->most_owed = c->owed_count > c->most_owed ? c->owed_count : c->most_owed;
    if (c->mood == BY_TICK || (c->mood == TOGETHER && (c->records == 3 || c->ticks > 20))) {
        for (size_t i = 0; i < c->owed_count; i++)
            crawl_engine_kept(engine, c->owed[i]);
        c->owed_count = 0;
    }
    if (c->mood == NEVER && c->records)
        crawl_engine_stop(engine);
    if (c->mood == HELD && c->ticks == 3) {
        cr_expect_eq(c->records, 0, "nothing begins while it is held");
        crawl_engine_hold(engine, false);
    }
    if (c->mood == EXPECTING && c->ticks == 3) {
        cr_expect_eq(stats.frontier.queued + stats.frontier.leased, 0);
        seed(c, "/?more");
        crawl_engine_expect(engine, false);
    }
    return CRAWL_OK;
}

static void *run(void *user)
{
    crawler *c = user;
    crawl_config config;
    crawl_engine_hooks hooks = {.size = sizeof hooks, .on_record = on_record, .on_tick = on_tick, .user = c};
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    crawl_config_set(&config, "politeness.delay", "0s", NULL);
    crawl_config_set(&config, "politeness.per_host", c->mood == TOGETHER ? "1" : "4", NULL);
    crawl_config_set(&config, "crawl.workers", "2", NULL);
    if (c->state)
        crawl_config_set(&config, "state.directory", c->state, NULL);
    crawl_error error = {0};
    cr_assert_eq(crawl_engine_create(&config, &hooks, &c->engine, &error), CRAWL_OK, "%s", error.message);
    seed(c, c->mood == EXPECTING ? "/a" : "/");
    crawl_engine_hold(c->engine, c->mood == HELD);
    crawl_engine_expect(c->engine, c->mood == EXPECTING);
    c->result = crawl_engine_run(c->engine, NULL);
    crawl_engine_stats_get(c->engine, &c->stats);
    crawl_engine_free(c->engine);
    cw_config_clear(&config);
    return NULL;
}

static void crawl_with(crawler *c, struct event_base *base, script_server *server)
{
    c->port = script_server_port(server);
    cr_assert(script_server_while(base, run, c));
    cr_expect_eq(c->result, CRAWL_OK);
}

static void crawl_site(crawler *c)
{
    struct event_base *base = event_base_new();
    script_server *server = script_server_start(base, site);
    crawl_with(c, base, server);
    script_server_stop(server);
    event_base_free(base);
}

Test(receipts, a_page_is_done_when_its_record_is_kept)
{
    crawler c = {.mood = BY_TICK};
    crawl_site(&c);
    cr_assert_eq(c.stats.end, CRAWL_END_DRAINED);
    cr_assert_eq(c.records, 3, "%s", c.asked);
    cr_assert_eq(c.stats.frontier.finished, 3);
    cr_assert_geq(c.most_leased, 1, "what is not kept is out");
}

Test(receipts, a_host_is_asked_on_while_records_are_not_kept)
{
    crawler c = {.mood = TOGETHER};
    crawl_site(&c);
    cr_assert_eq(c.stats.end, CRAWL_END_DRAINED);
    cr_assert_eq(c.most_owed, 3, "%s", c.asked);
    cr_assert_eq(c.stats.frontier.finished, 3);
}

Test(receipts, a_receipt_may_come_first)
{
    crawler c = {.mood = AT_ONCE};
    crawl_site(&c);
    cr_assert_eq(c.stats.end, CRAWL_END_DRAINED);
    cr_assert_eq(c.records, 3, "%s", c.asked);
    cr_assert_eq(c.stats.frontier.finished, 3);
}

static int remove_entry(const char *path, const struct stat *, int, struct FTW *)
{
    return remove(path);
}

Test(receipts, what_was_never_kept_is_asked_for_again)
{
    char state[] = "/tmp/crawl-receipts-XXXXXX";
    struct event_base *base = event_base_new();
    script_server *server = script_server_start(base, site); /* the same port for both */
    cr_assert_not_null(mkdtemp(state));
    crawler first = {.mood = NEVER, .state = state};
    crawl_with(&first, base, server);
    cr_assert_eq(first.stats.end, CRAWL_END_STOPPED);
    cr_assert_eq(first.stats.frontier.finished, 0);
    crawler second = {.mood = AT_ONCE, .state = state};
    crawl_with(&second, base, server);
    cr_assert_eq(second.records, 3, "%s", second.asked);
    cr_assert_eq(second.stats.end, CRAWL_END_DRAINED);
    script_server_stop(server);
    event_base_free(base);
    nftw(state, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

Test(receipts, an_engine_that_is_held_asks_nothing_and_says_what_binds_it)
{
    crawler c = {.mood = HELD};
    crawl_site(&c);
    cr_assert_eq(c.records, 3, "%s", c.asked);
    cr_assert_geq(c.ticks, 3);
    cr_assert_gt(c.stats.bound.bound_ms[CRAWL_BOUND_RECORDS], 0);
}

Test(receipts, an_engine_that_expects_more_does_not_end)
{
    crawler c = {.mood = EXPECTING};
    crawl_site(&c);
    cr_assert_eq(c.stats.end, CRAWL_END_DRAINED);
    cr_assert_geq(c.ticks, 3);
    cr_assert(strstr(c.asked, "/a "), "%s", c.asked);
    cr_assert(strstr(c.asked, "/?more "), "%s", c.asked);
}
