/* A robots.txt for an agent: groups, precedence, delay, sitemaps, limits. */
#include "parse/robots/robots_private.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static crawl_robots *parse(crawl_slice body, const char *agent)
{
    crawl_robots *robots = NULL;
    cr_assert_eq(crawl_robots_parse(body, crawl_slice_from(agent), &robots), CRAWL_OK);
    cr_assert(robots);
    return robots;
}

static crawl_robots *parse_text(const char *body, const char *agent)
{
    return parse(crawl_slice_from(body), agent);
}

static crawl_robots_verdict check(const crawl_robots *robots, const char *input)
{
    crawl_url *url = crawl_url_create();
    cr_assert(url);
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(input), NULL, NULL), CRAWL_OK, "%s", input);
    crawl_robots_verdict verdict = crawl_robots_check(robots, url);
    crawl_url_free(url);
    return verdict;
}

static void assert_verdict(const char *body, const char *agent, const char *path, bool allowed, unsigned line)
{
    crawl_buf url = {0};
    crawl_robots *robots = parse_text(body, agent);
    cr_assert_eq(crawl_buf_printf(&url, "http://h%s", path), CRAWL_OK);
    crawl_robots_verdict verdict = check(robots, url.data);
    cr_assert_eq(verdict.allowed, allowed, "%s for %s by\n%s", path, agent, body);
    cr_assert_eq(verdict.line, line, "%s for %s: line %u of\n%s", path, agent, verdict.line, body);
    crawl_robots_free(robots);
    crawl_buf_free(&url);
}

Test(robots, agent_must_be_a_product_token)
{
    static const char *const bad[] = {"bot/1", "b t", "*", "bot2", "b\xc3\xb6t"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        crawl_robots *robots = NULL;
        cr_assert_eq(crawl_robots_parse(crawl_slice_from("x"), crawl_slice_from(bad[i]), &robots), CRAWL_EINVAL);
        cr_assert_null(robots);
        cr_assert_not(crawl_robots_agent_valid(crawl_slice_from(bad[i])));
    }
    cr_assert(crawl_robots_agent_valid(crawl_slice_from("Crawl-Bot_x")));
    cr_assert_not(crawl_robots_agent_valid(crawl_slice_from("")));
}

Test(robots, utf_16)
{
    static const char little[] =
        "\xff\xfeU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\r\0\n\0D\0i\0s\0a\0l\0l\0o\0w\0:\0/\0x\0";
    static const char big[] = "\xfe\xff\0U\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\r\0\n\0D\0i\0s\0a\0l\0l\0o\0w\0:\0/\0x";
    const crawl_slice bodies[] = {crawl_slice_of(little, sizeof little - 1), crawl_slice_of(big, sizeof big - 1)};
    for (size_t i = 0; i < 2; i++) {
        crawl_robots *robots = parse(bodies[i], "bot");
        cr_expect_not(check(robots, "http://h/x").allowed);
        cr_expect(check(robots, "http://h/y").allowed);
        crawl_robots_free(robots);
    }
}

/* Typical mistakes. */
Test(robots, slips_of_the_pen)
{
    static const char *const agents[] = {"Useragent", "User agent", "USERAGENT"};
    static const char *const rules[] = {"Dissallow", "Dissalow", "disalow", "Diasllow", "Disallaw"};
    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
        for (size_t j = 0; j < sizeof rules / sizeof *rules; j++) {
            char body[100];
            snprintf(body, sizeof body, "%s: *\n%s: /a\nSite-map: http://h/s\n", agents[i], rules[j]);
            assert_verdict(body, "bot", "/a", false, 2);
            crawl_robots *robots = parse_text(body, "bot");
            cr_expect_eq(crawl_robots_sitemap_count(robots), 1);
            crawl_robots_free(robots);
        }
    assert_verdict("User-agent: *\nDisallowed: /a\n", "bot", "/a", true, 0);
}

/* A group with only a delay does not get the rules of the next one. */
Test(robots, a_delay_ends_the_lines_of_agents)
{
    const char *body = "User-agent: bot\nCrawl-delay: 10\n\nUser-agent: other\nDisallow: /\n";
    assert_verdict(body, "bot", "/", true, 0);
    assert_verdict(body, "other", "/", false, 5);
    assert_verdict("User-agent: bot\nUser-agent: other\nDisallow: /\n", "bot", "/", false, 3);
}

Test(robots, nothing_allows_everything)
{
    assert_verdict("", "bot", "/", true, 0);
    assert_verdict("User-agent: *\nDisallow:\n", "bot", "/", true, 0);
    crawl_robots *robots = parse((crawl_slice){0}, "bot");
    cr_assert_eq(crawl_robots_sitemap_count(robots), 0);
    cr_assert_lt(crawl_robots_delay(robots), 0);
    cr_assert_lt(crawl_robots_bytes(robots), 128);
    crawl_robots_free(robots);
    crawl_robots_free(NULL);
}

Test(robots, groups)
{
    static const char *const body = "Disallow: /before\n"    /* 1: in no group */
                                    "User-agent: *\n"        /* 2 */
                                    "Disallow: /all\n"       /* 3 */
                                    "User-agent: One\n"      /* 4 */
                                    "Sitemap: http://h/s\n"  /* 5: ends no group */
                                    "Host: h\n"              /* 6: nor does this */
                                    "Unknown: x\n"           /* 7 */
                                    "USER-AGENT: two/2.0\n"  /* 8 */
                                    "Disallow: /both\n"      /* 9 */
                                    "\n"                     /* 10: nor an empty line */
                                    "Disallow: /more\n"      /* 11 */
                                    "user-agent: three\n"    /* 12: no rules */
                                    "user-agent : one x\n"   /* 13 */
                                    "Disallow: /again\n"     /* 14 */
                                    "User-agent: * (rest)\n" /* 15 */
                                    "Disallow: /rest\n";     /* 16 */
    assert_verdict(body, "one", "/both", false, 9);
    assert_verdict(body, "ONE", "/more", false, 11);
    assert_verdict(body, "one", "/again", false, 14);
    assert_verdict(body, "one", "/all", true, 0);
    assert_verdict(body, "one", "/before", true, 0);
    assert_verdict(body, "two", "/both", false, 9);
    assert_verdict(body, "two", "/again", true, 0);
    assert_verdict(body, "three", "/again", false, 14);
    assert_verdict(body, "three", "/all", true, 0);
    assert_verdict(body, "other", "/all", false, 3);
    assert_verdict(body, "other", "/rest", false, 16);
    assert_verdict(body, "", "/rest", false, 16);
    assert_verdict("User-agent: *x\nDisallow: /\n", "other", "/", true, 0);
    assert_verdict(body, "on", "/both", true, 0);
    assert_verdict(body, "on", "/all", false, 3);
}

/* An agent that is named, even without rules, is not subject to "*". */
Test(robots, an_empty_group_is_a_group)
{
    assert_verdict("User-agent: *\nDisallow: /\n\nUser-agent: bot\n", "bot", "/a", true, 0);
    assert_verdict("User-agent: *\nDisallow: /\n\nUser-agent: bot\nDisallow:\n", "bot", "/a", true, 0);
}

Test(robots, most_specific_rule)
{
    static const char *const body =
        "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b$\nAllow: /%61/%62/c\nDisallow: /a/b/c\n";
    assert_verdict(body, "bot", "/", true, 0);
    assert_verdict(body, "bot", "/a", false, 2);
    assert_verdict(body, "bot", "/a/b", false, 4);
    assert_verdict(body, "bot", "/a/b/", true, 3);
    assert_verdict(body, "bot", "/a/b/c", true, 5);
    assert_verdict("User-agent: *\nDisallow: /p\nDisallow: /p\nAllow: /p\n", "bot", "/p", true, 4);
    assert_verdict("User-agent: *\nDisallow: /p\nDisallow: /p\n", "bot", "/p", false, 2);
    assert_verdict("User-agent: *\nDisallow: /p$\nAllow: /p\n", "bot", "/p", false, 2);
    assert_verdict("User-agent: *\nAllow: /p\nDisallow: /p$\n", "bot", "/p", false, 3);
    assert_verdict("User-agent: *\nAllow: /p\nDisallow: /p*\n", "bot", "/p", false, 3);
}

Test(robots, robots_txt_itself_is_allowed)
{
    static const char *const body = "User-agent: *\nDisallow: /\n";
    assert_verdict(body, "bot", "/robots.txt", true, 0);
    assert_verdict(body, "bot", "/robots.txt#f", true, 0);
    assert_verdict(body, "bot", "/robots.txt?q", false, 2);
    assert_verdict(body, "bot", "/robots.txtx", false, 2);
    assert_verdict(body, "bot", "/a/robots.txt", false, 2);
}

Test(robots, path_and_query)
{
    static const char *const body = "User-agent: *\nDisallow: /a?b\nDisallow: /c$\nDisallow: /*?$\n";
    assert_verdict(body, "bot", "/a?bc", false, 2);
    assert_verdict(body, "bot", "/a#?b", true, 0);
    assert_verdict(body, "bot", "/c#x", false, 3);
    assert_verdict(body, "bot", "/c?", false, 4);
    assert_verdict(body, "bot", "/c?x", true, 0);
    assert_verdict("User-agent: *\nDisallow: /$\n", "bot", "", false, 2);
}

/* A URL without a parsed text has no path: it counts as "/". */
Test(robots, empty_url)
{
    crawl_url *url = crawl_url_create();
    crawl_robots *robots = parse_text("User-agent: *\nDisallow: /$\n", "bot");
    cr_assert_not(crawl_robots_check(robots, url).allowed);
    crawl_robots_free(robots);
    crawl_url_free(url);
}

Test(robots, rules_that_match_no_path)
{
    assert_verdict("User-agent: *\nDisallow: a\nDisallow: $\nDisallow: http://h/a\nDisallow: %2Fa\n", "bot", "/a", true,
                   0);
}

Test(robots, the_rule_as_it_stands)
{
    crawl_robots *robots = parse_text("User-agent: *\r\n  DISALLOW :  /caf\xc3\xa9*x$  # why\r\n", "bot");
    crawl_robots_verdict verdict = check(robots, "http://h/caf\xc3\xa9/x");
    cr_assert_not(verdict.allowed);
    cr_assert_eq(verdict.line, 2);
    cr_assert(crawl_slice_equal(verdict.rule, crawl_slice_from("DISALLOW :  /caf\xc3\xa9*x$")));
    cr_assert_eq(check(robots, "http://h/caf\xc3\xa9/xy").rule.size, 0);
    crawl_robots_free(robots);
}

static double delay_of(const char *lines, const char *agent)
{
    crawl_buf body = {0};
    cr_assert_eq(crawl_buf_printf(&body, "User-agent: *\n%s", lines), CRAWL_OK);
    crawl_robots *robots = parse(crawl_buf_slice(&body), agent);
    double delay = crawl_robots_delay(robots);
    crawl_robots_free(robots);
    crawl_buf_free(&body);
    return delay;
}

Test(robots, crawl_delay)
{
    static const struct {
        const char *lines;
        double delay;
    } rows[] = {
        {"", -1},
        {"Crawl-delay: 10", 10},
        {"crawl-DELAY:0", 0},
        {"Crawl-delay: 0.3 # s", 0.3},
        {"Crawl-delay: .5", 0.5},
        {"Crawl-delay: 2.", 2},
        {"Crawl-delay: 1.25\nCrawl-delay: 1", 1.25},
        {"Crawl-delay: 1\nCrawl-delay: 1.25", 1.25},
        {"Crawl-delay: 0.0000001234567891234", 0},
        {"Crawl-delay: 123456789.123456789", 123456789.123456},
        {"Crawl-delay: 99999999999999999999999999999999", 1e9},
        {"Crawl-delay: 1000000000.5", 1e9},
        {"Crawl-delay:", -1},
        {"Crawl-delay: .", -1},
        {"Crawl-delay: -1", -1},
        {"Crawl-delay: +1", -1},
        {"Crawl-delay: 1e3", -1},
        {"Crawl-delay: 0x10", -1},
        {"Crawl-delay: 1.2.3", -1},
        {"Crawl-delay: 1,5", 1.5},
        {"Crawl-delay: 10s", 10},
        {"Crawl-delay: 10 seconds", 10},
        {"Crawl-delay: 500ms", 0.5},
        {"Crawl-delay: 1500 Milliseconds", 1.5},
        {"Crawl-delay: \"500\" ms", 0.5},
        {"Crawl-delay: 10 minimum", 10},
        {"Crawl-delay: 10;", 10},
        {"Crawl-delay: \"10\"", 10},
        {"Crawl-delay: '2.5' sec 3", 2.5},
        {"Crawl-delay: s10", -1},
        {"Crawl-delay: \"", -1},
        {"Crawl-delay: 1,2,3", -1},
        {"Crawl-delay: nan", -1},
        {"Crawl-delay: inf", -1},
        {"User-agent: bot\nDisallow: /x\nCrawl-delay: 3", 3},
        {"Crawl-delay: 7\nDisallow: /x\nUser-agent: bot\nDisallow: /x", -1},
        {"Crawl-delay: 7\nDisallow: /x\nUser-agent: other\nCrawl-delay: 9", 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(delay_of(rows[i].lines, "bot"), rows[i].delay, "%s", rows[i].lines);
}

Test(robots, sitemaps_in_brackets_or_quotes)
{
    static const char *const body =
        "Sitemap: <http://h/1>\nSitemap: \"http://h/2\"\nSitemap: '/3'\nSitemap: \"\nSitemap: <>\nSitemap: <4\n";
    static const char *const expected[] = {"http://h/1", "http://h/2", "/3", "\"", "<4"};
    crawl_robots *robots = parse_text(body, "bot");
    cr_assert_eq(crawl_robots_sitemap_count(robots), 5);
    for (size_t i = 0; i < 5; i++)
        cr_expect(crawl_slice_equal(crawl_robots_sitemap(robots, i), crawl_slice_from(expected[i])), "%zu", i);
    crawl_robots_free(robots);
}

Test(robots, sitemaps_of_any_group)
{
    static const char *const body =
        "Sitemap: http://h/1\nUser-agent: other\nSITEMAP:http://h/2 # x\nDisallow: /\nSitemap:\nsitemap: /3\n";
    static const char *const expected[] = {"http://h/1", "http://h/2", "/3"};
    crawl_robots *robots = parse_text(body, "bot");
    cr_assert_eq(crawl_robots_sitemap_count(robots), 3);
    for (size_t i = 0; i < 3; i++)
        cr_assert(crawl_slice_equal(crawl_robots_sitemap(robots, i), crawl_slice_from(expected[i])));
    cr_assert_null(crawl_robots_sitemap(robots, 3).data);
    crawl_robots_free(robots);
}

Test(robots, sitemaps_are_bounded)
{
    crawl_buf body = {0};
    crawl_buf_printf(&body, "Sitemap: %0*d\n", CRAWL_ROBOTS_MAX_SITEMAP_SIZE + 1, 1);
    crawl_buf_printf(&body, "Sitemap: %0*d\n", CRAWL_ROBOTS_MAX_SITEMAP_SIZE, 2);
    for (int i = 0; i < CRAWL_ROBOTS_MAX_SITEMAPS + 10; i++)
        crawl_buf_printf(&body, "Sitemap: http://h/%d\n", i);
    crawl_robots *robots = parse(crawl_buf_slice(&body), "bot");
    cr_assert_eq(crawl_robots_sitemap_count(robots), CRAWL_ROBOTS_MAX_SITEMAPS);
    cr_assert_eq(crawl_robots_sitemap(robots, 0).size, CRAWL_ROBOTS_MAX_SITEMAP_SIZE);
    cr_assert(crawl_slice_equal(crawl_robots_sitemap(robots, 1), crawl_slice_from("http://h/0")));
    crawl_robots_free(robots);
    crawl_buf_free(&body);
}

/* A Sitemap line above the limit for lines would be another URL if truncated, so it is ignored, even if the rest is
 * short. */
Test(robots, cut_sitemap_is_none)
{
    crawl_buf body = {0};
    crawl_buf_printf(&body, "Sitemap: %*shttp://h/cut", CW_ROBOTS_MAX_LINE - 15, "");
    crawl_robots *robots = parse(crawl_buf_slice(&body), "bot");
    cr_assert_eq(crawl_robots_sitemap_count(robots), 0);
    crawl_robots_free(robots);
    crawl_buf_free(&body);
}

static void fill(crawl_buf *body, size_t size)
{
    while (body->size < size)
        crawl_buf_append_char(body, body->size % 100 ? '#' : '\n');
}

/* Everything within the limit is read to its last byte; a line that continues beyond it is not read as a shorter one.
 */
Test(robots, size_limit)
{
    static const char rules[] = "\nUser-agent: *\nDisallow: /a\nDisallow: /bc";
    static const struct {
        size_t over;
        const char *rest;
        bool read;
    } rows[] = {{0, "", true},   {0, "\n", true}, {0, "\r\nAllow: /bc", true},
                {0, "d", false}, {1, "", false},  {11, "\n", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf body = {0};
        fill(&body, CRAWL_ROBOTS_MAX_SIZE - strlen(rules) + rows[i].over);
        crawl_buf_printf(&body, "%s%s", rules, rows[i].rest);
        crawl_robots *robots = parse(crawl_buf_slice(&body), "bot");
        cr_assert_not(check(robots, "http://h/a").allowed);
        cr_assert(check(robots, "http://h/b").allowed);
        cr_assert_eq(check(robots, "http://h/bc").allowed, !rows[i].read, "row %zu", i);
        crawl_robots_free(robots);
        crawl_buf_free(&body);
    }
}

/* A line that the limit cuts is dropped, even if it is the first. */
Test(robots, one_endless_line)
{
    static const char *const starts[] = {"User-agent: *\rDisallow: /", "Sitemap: "};
    for (size_t i = 0; i < 2; i++) {
        crawl_buf body = {0};
        crawl_buf_append_text(&body, starts[i]);
        while (body.size <= CRAWL_ROBOTS_MAX_SIZE)
            crawl_buf_append_char(&body, 'a');
        crawl_robots *robots = parse(crawl_buf_slice(&body), "bot");
        cr_assert(check(robots, "http://h/aaaa").allowed);
        cr_assert_eq(crawl_robots_sitemap_count(robots), 0);
        crawl_robots_free(robots);
        crawl_buf_free(&body);
    }
}

Test(robots, only_the_rules_of_the_agent_are_kept)
{
    crawl_buf body = {0};
    crawl_buf_append_text(&body, "User-agent: bot\nDisallow: /a\n");
    for (int i = 0; i < 5000; i++)
        crawl_buf_printf(&body, "User-agent: other-%d\nDisallow: /some/folder/%d\n", i, i);
    crawl_robots *robots = parse(crawl_buf_slice(&body), "bot");
    cr_assert_lt(crawl_robots_bytes(robots), 160);
    crawl_robots_free(robots);
    crawl_buf_free(&body);
}

/* A rule is stored once, and a second time only if its normal form differs from the line. */
Test(robots, a_rule_is_kept_once)
{
    crawl_buf plain = {0};
    crawl_buf escaped = {0};
    crawl_buf_printf(&plain, "User-agent: *\nDisallow: /%01000d", 1);
    crawl_buf_printf(&escaped, "%s%%61", plain.data);
    crawl_robots *one = parse(crawl_buf_slice(&plain), "bot");
    crawl_robots *two = parse(crawl_buf_slice(&escaped), "bot");
    cr_assert_lt(crawl_robots_bytes(one), 1200);
    cr_assert_gt(crawl_robots_bytes(two), 2000);
    cr_assert_lt(crawl_robots_bytes(two), 2200);
    crawl_robots_free(one);
    crawl_robots_free(two);
    crawl_buf_free(&plain);
    crawl_buf_free(&escaped);
}

Test(robots, effect_of_a_status)
{
    cr_assert_eq(crawl_robots_effect_of(204), CRAWL_ROBOTS_PARSE);
    cr_assert_eq(crawl_robots_effect_of(399), CRAWL_ROBOTS_REDIRECT);
    cr_assert_eq(crawl_robots_effect_of(499), CRAWL_ROBOTS_ALLOW_ALL);
    static const int unreachable[] = {0, -1, 100, 199, 500, 599, 600, 999, 2000};
    for (size_t i = 0; i < sizeof unreachable / sizeof *unreachable; i++)
        cr_assert_eq(crawl_robots_effect_of(unreachable[i]), CRAWL_ROBOTS_DISALLOW_ALL, "%d", unreachable[i]);
}

Test(robots, the_rules_that_are_kept_can_be_read)
{
    static const char body[] = "User-agent: crawl\nDisallow: /a # why\nUser-agent: other\nDisallow: /b\n"
                               "User-agent: crawl\nAllow: /a/b\n";
    crawl_robots *robots = NULL;
    crawl_buf text = {0};
    cr_assert_eq(crawl_robots_parse(crawl_slice_from(body), crawl_slice_from("crawl"), &robots), CRAWL_OK);
    cr_assert_eq(crawl_robots_rules(robots, &text), CRAWL_OK);
    cr_expect_str_eq(text.data, "6: Allow: /a/b\n2: Disallow: /a\n");
    crawl_buf_free(&text);
    crawl_robots_free(robots);
}
