/* A crawl that resumes after the wall clock was set back by an hour: its dates are as far away as before. */
#include "config/config_values.h"
#include "crawler/engine/engine_state.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/parts.h"
#include "tests/support/folder.h"

enum { HOUR_MS = 3600 * 1000, HOLD_MS = 300 };

static crawl_config config;
static unsigned records;

static crawl_err on_record(void *, const crawl_record *)
{
    records++;
    return CRAWL_OK;
}

static crawl_engine *open_engine(void)
{
    static const crawl_engine_hooks hooks = {.size = sizeof hooks, .on_record = on_record};
    crawl_engine *engine = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_engine_create(&config, &hooks, &engine, &error), CRAWL_OK, "%s", error.message);
    return engine;
}

static void setup(void)
{
    char state[64];
    make_folder();
    snprintf(state, sizeof state, "%s/st", folder);
    cw_config_init(&config);
    config.state = strdup(state);
    config.robots = false;
    config.retries = 0;
    config.delay_ms = 0;
    config.max_time_ms = 20000;
}

static void teardown(void)
{
    cw_config_clear(&config);
    remove_folder();
}

TestSuite(state_clock, .init = setup, .fini = teardown, .timeout = 60);

static crawl_slice origin(void)
{
    return crawl_slice_from("http://127.0.0.1:1");
}

Test(state_clock, dates_do_not_grow_when_it_is_set_back)
{
    crawl_error error = {0};
    crawl_engine *engine = open_engine();
    engine->clock.offset_us += (int64_t)HOUR_MS * 1000; /* as the wall clock was then */
    crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from("http://127.0.0.1:1/")};
    cr_assert_eq(crawl_engine_seed(engine, &seed, &error), CRAWL_OK, "%s", error.message);
    int64_t now = cw_engine_now(engine);
    cr_assert_eq(crawl_frontier_block(engine->frontier, origin(), now + HOLD_MS, now), CRAWL_OK);
    cr_assert_eq(cw_host_sites_hold(engine->sites, cw_host_table_get(engine->host_table, origin()), now + HOLD_MS),
                 CRAWL_OK);
    cr_assert_eq(cw_engine_state_keep_clock(engine, false), CRAWL_OK);
    cr_assert_eq(crawl_engine_close(engine, &error), CRAWL_OK, "%s", error.message);

    engine = open_engine();
    crawl_engine_stats stats;
    crawl_engine_stats_get(engine, &stats);
    cr_expect_gt(stats.set_back_ms, HOUR_MS - 10000);
    cr_assert_eq(crawl_engine_run(engine, &error), CRAWL_OK, "%s", error.message);
    crawl_engine_stats_get(engine, &stats);
    cr_expect_eq(stats.end, CRAWL_END_DRAINED);
    cr_expect_eq(records, 1, "it was asked, when the hold was over and not an hour later");
    cr_assert_eq(crawl_engine_close(engine, &error), CRAWL_OK);
}

Test(state_clock, otherwise_it_is_that_of_the_wall)
{
    crawl_error error = {0};
    crawl_engine *engine = open_engine();
    cr_assert_eq(cw_engine_state_keep_clock(engine, true), CRAWL_OK);
    cr_assert_eq(crawl_engine_close(engine, &error), CRAWL_OK);
    engine = open_engine();
    crawl_engine_stats stats;
    crawl_engine_stats_get(engine, &stats);
    cr_expect_eq(stats.set_back_ms, 0);
    crawl_engine_free(engine);
}
