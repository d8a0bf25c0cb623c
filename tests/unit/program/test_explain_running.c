/* What the live page says about robots.txt. */
#include "base/clock.h"
#include "config/config_values.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/parts.h"
#include "crawler/program/commands/explain/command_explain.h"

#include <criterion/criterion.h>

static crawl_config config;
static crawl_engine *engine;
static cw_explain_url url;

static void setup(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cr_assert_eq(crawl_engine_create(&config, NULL, &engine, NULL), CRAWL_OK);
    url.url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url.url, crawl_slice_from("http://a.example/no"), NULL, NULL), CRAWL_OK);
}

static void teardown(void)
{
    crawl_url_free(url.url);
    crawl_engine_free(engine);
    cw_config_clear(&config);
}

TestSuite(explain_running, .init = setup, .fini = teardown);

/* Gives the host a robots.txt that came at now_ms. text: NULL: there is none. */
static void settle(const char *text, int64_t now_ms)
{
    crawl_robots *robots = NULL;
    if (text)
        cr_assert_eq(crawl_robots_parse(crawl_slice_from(text), crawl_slice_from("crawl"), &robots), CRAWL_OK);
    cr_assert_eq(cw_host_sites_settle(engine->sites,
                                      cw_host_table_get(engine->host_table, crawl_slice_from("http://a.example")),
                                      &(cw_host_site_settlement){.robots = robots}, now_ms),
                 CRAWL_OK);
}

static void expect(cw_explain_verdict verdict, const char *begin)
{
    crawl_buf text = {0};
    cw_writer rule = {.out = &text};
    const cw_explain_world world = {.config = &config, .engine = engine, .now_ms = cw_wall_ms()};
    cr_expect_eq(cw_explain_running_robots(&world, &url, &rule), verdict);
    cr_expect_eq(strncmp(text.data, begin, strlen(begin)), 0, "%s", text.data);
    crawl_buf_free(&text);
}

Test(explain_running, rules_hold_until_they_expire)
{
    static const char rules[] = "User-agent: *\nDisallow: /no\n";
    int64_t now_ms = cw_wall_ms();
    expect(CW_EXPLAIN_UNKNOWN, "robots.txt was not fetched yet");
    settle(rules, now_ms);
    expect(CW_EXPLAIN_REFUSE, "robots.txt line 2");
    settle(rules, now_ms - CW_HOST_ROBOTS_MAX_AGE_MS);
    expect(CW_EXPLAIN_UNKNOWN, "robots.txt will be fetched again: its rules were valid until ");
    settle(NULL, now_ms);
    expect(CW_EXPLAIN_PASS, "there is no robots.txt");
    settle(NULL, now_ms - CW_HOST_ROBOTS_MAX_AGE_MS);
    expect(CW_EXPLAIN_UNKNOWN, "robots.txt will be fetched again: its rules were valid until ");
}
