/* Defaults, and one key by its name. */
#include "config/config.h"

#include <crawl/links.h>
#include <criterion/criterion.h>

static crawl_config config;
static crawl_error error;

static void set_up(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
}

static void tear_down(void)
{
    cw_config_clear(&config);
}

TestSuite(config, .init = set_up, .fini = tear_down);

Test(config, defaults)
{
    cr_expect_null(config.program.seeds);
    cr_expect_null(config.output);
    cr_expect_eq(config.depth, 3);
    cr_expect_eq(config.order, CRAWL_ORDER_BFS);
    cr_expect_eq(config.scope, CRAWL_SCOPE_DOMAIN);
    cr_expect_eq(config.rule_count, 0);
    cr_expect_eq(config.seen.kind, CRAWL_BLOOM_SCALABLE);
    cr_expect_eq(config.seen.capacity, 1000000);
    cr_expect(config.seen.fpr == 1e-4 && config.seen.growth == 2 && config.seen.tightening == 0.85);
    cr_expect_eq(config.seen.max_bytes, 0);
    cr_expect_eq(config.seen.window_ms, 0);
    cr_expect_eq(config.seen.generations, 4);
    cr_expect_eq(config.delay_ms, 250);
    cr_expect_eq(config.per_host, 2);
    cr_expect(config.robots && config.obey_nofollow && config.http2);
    cr_expect(!config.cookies && !config.insecure);
    cr_expect_str_eq(config.robots_agent, "crawl");
    cr_expect_eq(config.max_crawl_delay_ms, 30000);
    cr_expect_eq(config.max_retry_delay_ms, 300000);
    cr_expect_eq(config.timeout_ms, 60000);
    cr_expect_eq(config.max_header_bytes, 256 * 1024);
    cr_expect_eq(config.max_body_bytes, 16 * 1024 * 1024);
    cr_expect_eq(config.low_speed_bytes, 100);
    cr_expect_eq(config.html, CRAWL_EXTRACTOR_SCAN);
    cr_expect_eq(config.follow, CRAWL_LINK_PAGES);
    cr_expect_eq(config.program.verbosity, 0);
    crawl_buf agent = {0};
    cr_assert_eq(crawl_buf_printf(&agent, "crawl/%s", crawl_version()), CRAWL_OK);
    cr_expect_str_eq(config.user_agent, agent.data);
    crawl_buf_free(&agent);
}

Test(config, one_key_of_each_type)
{
    cr_expect_eq(crawl_config_set(&config, "crawl.depth", "7", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "crawl.max_pages", "10k", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "fetch.max_body", "1.5MiB", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "politeness.delay", "1.5s", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "seen.fpr", "0.001", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "seen.kind", "exact", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "parse.follow", "a, frame refresh", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "fetch.user_agent", "me/1 (+http://example.org/)", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "politeness.robots_agent", "me-bot", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "output.output", "-", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "output.verbosity", "quiet", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "politeness.robots", "no", &error), CRAWL_OK);
    cr_expect_eq(config.depth, 7);
    cr_expect_eq(config.max_pages, 10000);
    cr_expect_eq(config.max_body_bytes, 1536 * 1024);
    cr_expect_eq(config.delay_ms, 1500);
    cr_expect(config.seen.fpr == 0.001);
    cr_expect_eq(config.seen.kind, CRAWL_BLOOM_EXACT);
    cr_expect_eq(config.follow, CRAWL_LINK_A | CRAWL_LINK_FRAME | CRAWL_LINK_REFRESH);
    cr_expect_str_eq(config.user_agent, "me/1 (+http://example.org/)");
    cr_expect_str_eq(config.robots_agent, "me-bot");
    cr_expect_str_eq(config.output, "-");
    cr_expect_eq(config.program.verbosity, -1);
    cr_expect_not(config.robots);
}

Test(config, another_key_leaves_the_name_for_robots_txt_where_it_is)
{
    cr_assert_eq(crawl_config_set(&config, "fetch.user_agent", "mybot/1.0", &error), CRAWL_OK);
    const char *before = config.robots_agent;
    cr_assert_eq(crawl_config_set(&config, "politeness.delay", "2s", &error), CRAWL_OK);
    cr_expect_eq(config.robots_agent, before);
    cr_expect_str_eq(before, "mybot");
}

Test(config, the_user_agent_names_the_bot_for_robots_txt)
{
    static const char *const rows[][2] = {
        {"mybot/1.0 (+https://example.com/bot)", "mybot"},
        {"My_Bot", "My_Bot"},
        {"Mozilla/5.0 (compatible; Their-Bot/2.1; +https://example.com/bot)", "Their-Bot"},
        {"Mozilla/5.0 (KHTML, like Gecko; compatible;Other/1) Chrome/150.0", "Other"},
        {"Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", "crawl"},
        {"Mozilla/5.0 (compatible;)", "crawl"},
        {"360 spider", "crawl"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(crawl_config_set(&config, "fetch.user_agent", rows[i][0], &error), CRAWL_OK);
        cr_expect_str_eq(config.robots_agent, rows[i][1]);
    }
    cr_assert_eq(crawl_config_set(&config, "fetch.header", "user-agent: Header/1", &error), CRAWL_OK);
    cr_expect_str_eq(config.robots_agent, "Header");
    cr_assert_eq(crawl_config_set(&config, "politeness.robots_agent", "own", &error), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "fetch.header", "user-agent: Last/1", &error), CRAWL_OK);
    cr_expect_str_eq(config.robots_agent, "own");
    crawl_config copy;
    cr_assert_eq(cw_config_copy(&config, &copy), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&copy, "politeness.robots_agent", "", &error), CRAWL_OK);
    cr_expect_str_eq(copy.robots_agent, "Last");
    cr_expect_str_eq(config.robots_agent, "own");
    cw_config_clear(&copy);
}

Test(config, lists_add_in_order)
{
    cr_expect_eq(crawl_config_set(&config, "crawl.exclude", "a", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "crawl.include", "b ; c", &error), CRAWL_OK);
    cr_assert_eq(config.rule_count, 2);
    cr_expect(!config.rules[0].include && config.rules[1].include);
    cr_expect_str_eq(config.rules[0].pattern, "a");
    cr_expect_str_eq(config.rules[1].pattern, "b ; c");
}

Test(config, an_empty_text_unsets_what_is_unset_by_default)
{
    cr_expect_eq(crawl_config_set(&config, "output.output", "x", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "output.output", "", &error), CRAWL_OK);
    cr_expect_null(config.output);
    cr_expect_eq(crawl_config_set(&config, "fetch.user_agent", "", &error), CRAWL_EPARSE);
    cr_expect_not_null(config.user_agent);
}

static const struct {
    const char *key;
    const char *value;
    const char *message;
} bad[] = {
    {"politeness.dealy", "1s", "unknown key \"politeness.dealy\"; did you mean \"politeness.delay\"?"},
    {"politeness.delay", "5x", "politeness.delay = 5x: expected a duration from 0ms to 1d, as 250ms or 5s"},
    {"politeness.delay", "2d", "politeness.delay = 2d: expected a duration from 0ms to 1d, as 250ms or 5s"},
    {"crawl.depth", "-1", "crawl.depth = -1: expected a whole number from 0 to 1000000"},
    {"crawl.depth", "4294967296", "crawl.depth = 4294967296: expected a whole number from 0 to 1000000"},
    {"crawl.max_pages", "many", "crawl.max_pages = many: expected a count from 0 to 1000000T, as 500, 10k or 5M"},
    {"fetch.max_body", "1Mb", "fetch.max_body = 1Mb: expected a size from 0 to 1TiB, as 64KiB or 1MiB"},
    {"seen.fpr", "0.9", "seen.fpr = 0.9: expected a number from 1e-9 to 0.5"},
    {"seen.fpr", "0", "seen.fpr = 0: expected a number from 1e-9 to 0.5"},
    {"seen.kind", "blom",
     "seen.kind = blom: expected one of scalable, counting, exact, bloom, table, rotating, digest"},
    {"seen.generations", "1", "seen.generations = 1: expected a whole number from 2 to 16"},
    {"seen.window", "7y", "seen.window = 7y: expected a duration from 0 to 36500d, as 250ms or 5s"},
    {"politeness.robots", "maybe", "politeness.robots = maybe: expected true or false"},
    {"parse.follow", "a imgs",
     "parse.follow = a imgs: expected none or any of a, area, link, frame, iframe, refresh, "
     "img, source, script, form, video, audio, track, embed, object, input, body, "
     "script-data, script-text, data-href, elements, scripts"},
    {"parse.follow", "",
     "parse.follow = : expected none or any of a, area, link, frame, iframe, refresh, "
     "img, source, script, form, video, audio, track, embed, object, input, body, "
     "script-data, script-text, data-href, elements, scripts"},
    {"fetch.user_agent", "a\r\nCookie: b",
     "fetch.user_agent = a\\x0d\\x0aCookie: b: expected text without control characters"},
    {"fetch.user_agent", "\xff\x1b[2J", "fetch.user_agent = \\xff\\x1b[2J: expected text without control characters"},
    {"politeness.robots_agent", "me/1", "politeness.robots_agent = me/1: expected a product token: letters, - and _"},
    {"crawl.include", "", "crawl.include = : expected a regular expression (PCRE)"},
    {"", "x", "unknown key \"\""},
};

Test(config, refusals_say_what_was_expected_and_change_nothing)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        crawl_config before = config;
        cr_expect_eq(crawl_config_set(&config, bad[i].key, bad[i].value, &error), CRAWL_EPARSE, "%s", bad[i].key);
        cr_expect_str_eq(error.message, bad[i].message);
        cr_expect(memcmp(&before, &config, sizeof config) == 0, "%s", bad[i].key);
        cr_expect_eq(crawl_config_set(&config, bad[i].key, bad[i].value, NULL), CRAWL_EPARSE);
    }
}

Test(config, every_kind_of_filter_is_known_by_its_name)
{
    for (int kind = 0; kind < CRAWL_BLOOM_KINDS; kind++) {
        const char *name = crawl_bloom_kind_name((crawl_bloom_kind)kind);
        cr_expect_eq(crawl_config_set(&config, "seen.kind", name, &error), CRAWL_OK, "%s", name);
        cr_expect_eq((int)config.seen.kind, kind);
    }
    cr_expect_eq(crawl_config_set(&config, "seen.window", "7d", &error), CRAWL_OK);
    cr_expect_eq(config.seen.window_ms, 7 * 86400000ull);
}

/* A filter takes the schema's defaults and limits. */
Test(config, the_defaults_are_those_of_the_filter)
{
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    cr_expect_eq(config.seen.kind, options.kind);
    cr_expect_eq(config.seen.capacity, options.capacity);
    cr_expect(config.seen.fpr == options.fpr && config.seen.growth == options.growth);
    cr_expect(config.seen.tightening == options.tightening);
    cr_expect_eq(config.seen.max_bytes, options.max_bytes);
    cr_expect_eq(config.seen.window_ms, options.window_ms);
    cr_expect_eq(config.seen.generations, options.generations);
    cr_expect_eq(config.seen.shards, options.shards);
}

Test(config, long_values_are_cut_in_messages_at_a_character)
{
    char value[300] = "";
    for (int i = 0; i < 100; i++)
        strcat(value, "\xc3\xa9");
    cr_expect_eq(crawl_config_set(&config, "crawl.depth", value, &error), CRAWL_EPARSE);
    cr_expect_not_null(strstr(error.message, "\xc3\xa9...: expected a whole number"));
    cr_expect_lt(strlen(error.message), 140);
}

Test(config, a_copy_is_its_own)
{
    cr_assert_eq(crawl_config_set(&config, "crawl.include", "x", &error), CRAWL_OK);
    crawl_config copy;
    cr_assert_eq(cw_config_copy(&config, &copy), CRAWL_OK);
    cr_expect_str_eq(copy.user_agent, config.user_agent);
    cr_expect_neq(copy.user_agent, config.user_agent);
    cr_expect_neq(copy.rules, config.rules);
    cr_expect_str_eq(copy.rules[0].pattern, "x");
    cw_config_clear(&copy);
    cr_expect_null(copy.user_agent);
    cw_config_clear(NULL);
}
