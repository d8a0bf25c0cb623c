/* Workers in reserve: how many workers have connections, and that nothing is left with the others. */
#include "config/config_values.h"
#include "crawler/engine/reserve.h"

#include "crawler/engine/parts.h"
#include "crawler/engine/visit/home.h"
#include "crawler/engine/worker.h"
#include "tests/support/script_server.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { WORKERS = 8, CONNECTIONS = 24, HOSTS = 24, PAGES = 6 };

Test(reserve, as_many_compute_as_there_are_processors)
{
    cr_expect_eq(cw_engine_reserve_active(8, 8, 4, 2000), 4);
    cr_expect_eq(cw_engine_reserve_active(8, 8, 4, 1999), 8, "not busy enough");
    cr_expect_eq(cw_engine_reserve_active(4, 8, 4, 1000), 4, "still");
    cr_expect_eq(cw_engine_reserve_active(4, 8, 4, 999), 8, "they wait for something else");
    cr_expect_eq(cw_engine_reserve_active(8, 8, 1, 1000), 2, "one of them may stand in a hook");
    cr_expect_eq(cw_engine_reserve_active(1, 1, 1, 1000), 1);
    cr_expect_eq(cw_engine_reserve_active(4, 4, 4, 4000), 4);
    cr_expect_eq(cw_engine_reserve_active(2, 2, 16, 2000), 2);
}

Test(reserve, the_parts_of_all_are_the_whole)
{
    for (unsigned count = 1; count <= WORKERS; count++) {
        unsigned sum = 0;
        for (unsigned i = 0; i < WORKERS; i++) {
            unsigned part = cw_engine_part_of(CONNECTIONS, i, count);
            cr_expect(i < count ? part >= CONNECTIONS / count : part == 0, "worker %u of %u", i, count);
            sum += part;
        }
        cr_expect_eq(sum, CONNECTIONS);
    }
}

/* ---- while a crawl runs ---- */

static const script_answer site[] = {
    {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
              "<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a><a href=/5>5</a>",
     .end = SCRIPT_CLOSE},
    {0},
};

typedef struct crawler {
    unsigned port;
    bool sends; /* leases to the last worker, which stays in reserve for the whole crawl */
    atomic_uint departed;
    atomic_uint few; /* number of looks after which some were in reserve */
    crawl_engine_stats stats;
    crawl_err result;
} crawler;

/* Returns the workers with connections: bit i for worker i. */
static unsigned with_connections(const crawl_engine *engine)
{
    unsigned workers = 0;
    for (unsigned i = 0; i < engine->worker_count; i++)
        if (atomic_load(&engine->workers[i]->maker.capacity))
            workers |= 1u << i;
    return workers;
}

/* The workers compute at each third request, and wait at the one after it. */
static crawl_err on_depart(void *user, crawl_engine *engine, const crawl_exchange *exchange)
{
    crawler *c = user;
    unsigned departed = atomic_fetch_add(&c->departed, 1);
    (void)exchange;
    if (c->sends)
        return CRAWL_OK;
    if (departed % 3 == 0) {
        cw_engine_reserve_look(engine, 1000 * engine->processors);
        atomic_fetch_add(&c->few, 1);
    } else if (departed % 3 == 1) {
        cw_engine_reserve_look(engine, 0);
    }
    return CRAWL_OK;
}

static crawl_engine *create(crawler *c, crawl_config *config)
{
    crawl_engine *engine;
    crawl_error error = {0};
    crawl_engine_hooks hooks = {.size = sizeof hooks, .on_depart = on_depart, .user = c};
    cr_assert_eq(cw_config_init(config), CRAWL_OK);
    crawl_config_set(config, "politeness.robots", "off", NULL);
    crawl_config_set(config, "politeness.delay", "0s", NULL);
    crawl_config_set(config, "politeness.per_host", "4", NULL);
    config->workers = WORKERS;
    config->connections = CONNECTIONS;
    cr_assert_eq(crawl_engine_create(config, &hooks, &engine, &error), CRAWL_OK, "%s", error.message);
    engine->processors = 3;
    return engine;
}

Test(reserve, those_in_reserve_have_no_connections)
{
    crawl_config config;
    crawler c = {0};
    crawl_engine *engine = create(&c, &config);
    cr_expect_eq(with_connections(engine), 0xff);
    cw_engine_reserve_look(engine, 3000);
    cr_expect_eq(with_connections(engine), 0x7);
    cr_expect_eq(crawl_engine_set_connections(engine, 5), 5);
    cr_expect_eq(with_connections(engine), 0x7, "they stay in reserve when there are fewer connections");
    cw_engine_reserve_look(engine, 0);
    cr_expect_eq(with_connections(engine), 0x1f, "of 5, three have none");
    crawl_engine_free(engine);
    cw_config_clear(&config);
}

static void send_to_last(crawl_engine *engine)
{
    unsigned last = engine->worker_count - 1;
    int64_t wait_ms;
    cw_visit *visit = cw_visit_maker_take(&engine->workers[0]->maker);
    cr_assert_eq(crawl_frontier_pop(engine->frontier, cw_engine_now(engine), &visit->lease, &wait_ms), CRAWL_OK);
    visit->host = cw_host_table_get(engine->host_table, visit->lease.origin);
    atomic_store(&visit->host->home, last + 1);
    cw_visit_home_open(&engine->workers[last]->maker);
    cr_assert(cw_visit_home_send(visit));
    engine->processors = 0;
    cw_engine_reserve_look(engine, 0);
    cr_assert_eq(with_connections(engine), 3, "no load is too little for them to be in reserve");
}

static void *run(void *user)
{
    crawler *c = user;
    crawl_config config;
    crawl_engine *engine = create(c, &config);
    for (unsigned i = 0; i < HOSTS; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://h%u.localhost:%u/", i, c->port);
        const crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(url)};
        cr_assert_eq(crawl_engine_seed(engine, &seed, NULL), CRAWL_OK);
    }
    if (c->sends)
        send_to_last(engine);
    c->result = crawl_engine_run(engine, NULL);
    crawl_engine_stats_get(engine, &c->stats);
    crawl_engine_free(engine);
    cw_config_clear(&config);
    return NULL;
}

static void crawl_all(crawler *c)
{
    cr_assert(script_server_serve(site, &c->port, run, c));
    cr_expect_eq(c->result, CRAWL_OK);
    cr_expect_eq(c->stats.end, CRAWL_END_DRAINED);
    cr_expect_eq(c->stats.pages, HOSTS * PAGES);
}

Test(reserve, all_is_fetched_while_they_come_and_go)
{
    crawler c = {0};
    crawl_all(&c);
    cr_expect_geq(atomic_load(&c.few), HOSTS * PAGES / 3);
}

Test(reserve, a_lease_that_was_sent_to_one_of_them_goes_back, .timeout = 30)
{
    crawler c = {.sends = true};
    crawl_all(&c);
}
