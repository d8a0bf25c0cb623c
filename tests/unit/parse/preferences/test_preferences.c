/* Statements on the use of pages: their limits, and their JSON forms. tests/conformance/test_preferences.c tests the
 * meaning of each source. */
#include "base/bytes.h"

#include <crawl/preferences.h>

#include <criterion/criterion.h>
#include <stdio.h>

static crawl_preferences *preferences;
static crawl_url *url;
static crawl_buf text;

static void open_preferences(void)
{
    preferences = crawl_preferences_create("crawl");
    url = crawl_url_create();
    cr_assert(preferences && url);
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("https://h.example/a/b"), NULL, NULL), CRAWL_OK);
}

static void close_preferences(void)
{
    crawl_preferences_free(preferences);
    crawl_url_free(url);
    crawl_buf_free(&text);
}

TestSuite(preferences, .init = open_preferences, .fini = close_preferences);

static void add_robots_text(crawl_slice body)
{
    crawl_robots *robots = NULL;
    cr_assert_eq(crawl_robots_parse(body, crawl_slice_from("crawl"), &robots), CRAWL_OK);
    cr_assert_eq(crawl_preferences_add_robots(preferences, robots, url), CRAWL_OK);
    crawl_robots_free(robots);
}

static void add_header_line(const char *name, const char *value)
{
    cr_assert_eq(crawl_preferences_add_header(preferences, crawl_slice_from(name), crawl_slice_from(value), url),
                 CRAWL_OK);
}

static crawl_err put_may(void)
{
    return crawl_may_json(crawl_preferences_refused(preferences), crawl_preferences_granted(preferences), &text);
}

Test(preferences, are_written_as_json)
{
    add_robots_text(crawl_slice_from("License: https://a.example/l\nUser-agent: *\nContent-Usage: /a/ train-ai=n\n"));
    add_header_line("X-Robots-Tag", "gptbot: noai");
    add_header_line("Content-Signal", "search=yes, ai-input=\"x\"");
    cr_assert_eq(crawl_preferences_finish(preferences), CRAWL_OK);
    cr_assert_eq(crawl_preferences_json(preferences, &text), CRAWL_OK);
    cr_expect_str_eq(
        text.data, "[{\"source\":\"robots\",\"label\":\"train-ai\",\"value\":\"n\",\"line\":3,\"pattern\":"
                   "\"/a/\",\"refuses\":[\"train\"]},{\"source\":\"rsl\",\"label\":\"license\",\"value\":"
                   "\"https://a.example/l\",\"line\":1},{\"source\":\"xrt\",\"label\":\"noai\",\"agent\":"
                   "\"gptbot\",\"ignored\":\"agent\"},{\"source\":\"signal\",\"label\":\"search\","
                   "\"value\":\"yes\",\"grants\":[\"search\"]},{\"source\":\"signal\",\"label\":\"ai-input\",\"value\":"
                   "\"\\\"x\\\"\",\"ignored\":\"value\"}]");
    crawl_buf_clear(&text);
    cr_assert_eq(put_may(), CRAWL_OK);
    cr_expect_str_eq(text.data, "{\"train\":\"n\",\"input\":null,\"search\":\"y\"}");
    cr_expect_str_eq(crawl_preferences_refused_by(preferences, CRAWL_USE_TRAIN), "robots");
    cr_expect_null(crawl_preferences_refused_by(preferences, CRAWL_USE_INPUT));
}

Test(preferences, without_a_statement_there_is_no_json)
{
    add_header_line("Content-Type", "text/html");
    add_header_line("Content-Usage", "");
    cr_assert_eq(crawl_preferences_finish(preferences), CRAWL_OK);
    cr_assert_eq(crawl_preferences_json(preferences, &text), CRAWL_OK);
    cr_assert_eq(put_may(), CRAWL_OK);
    cr_expect_eq(text.size, 0);
    cr_expect_eq(crawl_preferences_statement(preferences, 0).label.size, 0);
}

Test(preferences, are_forgotten)
{
    add_header_line("tdm-reservation", "1");
    cr_assert_eq(crawl_preferences_finish(preferences), CRAWL_OK);
    cr_expect(crawl_preferences_refused(preferences) & 1 << CRAWL_USE_TRAIN);
    crawl_preferences_clear(preferences);
    cr_assert_eq(crawl_preferences_finish(preferences), CRAWL_OK);
    cr_expect_eq(crawl_preferences_refused(preferences) | crawl_preferences_granted(preferences), 0);
    cr_expect_eq(crawl_preferences_count(preferences), 0);
}

Test(preferences, beyond_the_maximum_a_refusal_counts)
{
    for (unsigned i = 0; i < CRAWL_PREFERENCES_MAX; i++)
        add_header_line("Content-Signal", "ai-train=yes");
    add_header_line("Content-Signal", "ai-train=no");
    cr_assert_eq(crawl_preferences_finish(preferences), CRAWL_OK);
    cr_expect_eq(crawl_preferences_count(preferences), CRAWL_PREFERENCES_MAX);
    cr_expect(crawl_preferences_refused(preferences) & 1 << CRAWL_USE_TRAIN);
}

/* Lines beyond the maximum of a robots.txt are ignored, its rules are not. */
Test(preferences, of_a_robots_txt_without_end)
{
    crawl_robots *robots = NULL;
    crawl_buf body = {0};
    cr_assert_eq(crawl_buf_append_text(&body, "User-agent: *\n"), CRAWL_OK);
    for (unsigned i = 0; i < 20000; i++)
        cr_assert_eq(crawl_buf_append_text(&body, "Content-Usage: /*a\n"), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&body, "Disallow: /a/b\n"), CRAWL_OK);
    cr_assert_eq(crawl_robots_parse(crawl_buf_slice(&body), crawl_slice_from("crawl"), &robots), CRAWL_OK);
    cr_expect(crawl_robots_speaks_of_use(robots));
    cr_expect_not(crawl_robots_check(robots, url).allowed);
    cr_expect_leq(crawl_robots_bytes(robots), 100000);
    crawl_robots_free(robots);
    crawl_buf_free(&body);
}

Test(preferences, a_robots_txt_without_such_lines_says_nothing)
{
    crawl_robots *robots = NULL;
    cr_assert_eq(crawl_robots_parse(crawl_slice_from("User-agent: *\nDisallow: /x\nUser-agent: gptbot\n"
                                                     "Content-Usage: train-ai=n\n"),
                                    crawl_slice_from("crawl"), &robots),
                 CRAWL_OK);
    cr_expect_not(crawl_robots_speaks_of_use(robots));
    crawl_robots_free(robots);
}

Test(preferences, of_a_tdmrep_that_is_too_large_are_none)
{
    crawl_tdmrep *tdmrep = NULL;
    crawl_buf body = {0};
    cr_assert_eq(crawl_buf_append_text(&body, "["), CRAWL_OK);
    while (body.size < CRAWL_TDMREP_MAX_SIZE - 1)
        cr_assert_eq(crawl_buf_append_char(&body, ' '), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&body, "]"), CRAWL_OK);
    cr_expect_eq(crawl_tdmrep_parse(crawl_buf_slice(&body), &tdmrep), CRAWL_OK);
    crawl_tdmrep_free(tdmrep);
    cr_assert_eq(crawl_buf_append_text(&body, " "), CRAWL_OK);
    cr_expect_eq(crawl_tdmrep_parse(crawl_buf_slice(&body), &tdmrep), CRAWL_EPARSE);
    crawl_buf_free(&body);
}
