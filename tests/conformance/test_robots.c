/* Tests RFC 9309: its own examples and rules, and those cases of Google's parser that concern the RFC. */
#include "parse/robots/robots_private.h"
#include "tests/support/jsonl.h"

#include "base/bytes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
    unsigned rows;
    unsigned woven; /* rows judged again with lines about use */
} tally;

/* An agent that is not a product token is refused. Only the groups for "*" apply then, as the rows expect. */
static crawl_robots *parse_row(crawl_slice body, crawl_slice agent)
{
    crawl_robots *robots = NULL;
    crawl_err err = crawl_robots_parse(body, agent, &robots);
    if (agent.size && !crawl_robots_agent_valid(agent)) {
        cr_assert_eq(err, CRAWL_EINVAL);
        err = crawl_robots_parse(body, (crawl_slice){0}, &robots);
    }
    cr_assert_eq(err, CRAWL_OK);
    return robots;
}

/* Returns "allowed", "disallowed", or why there is no verdict. */
static const char *judge(jsonl *file, const json_t *row, crawl_url *url)
{
    crawl_robots *robots = parse_row(jsonl_bytes(file, row, "robots"), jsonl_bytes(file, row, "agent"));
    const char *verdict = "no URL";
    if (!crawl_url_parse(url, jsonl_bytes(file, row, "url"), NULL, NULL))
        verdict = crawl_robots_check(robots, url).allowed ? "allowed" : "disallowed";
    crawl_robots_free(robots);
    return verdict;
}

/* Returns the file with lines about use and licences before and after each line. */
static crawl_buf with_sayings(crawl_slice body)
{
    static const char sayings[] = "Content-Usage: train-ai=n\ncontent-usage : /a$ search=y\nContent-Usage: /\n"
                                  "content-signal: / ai-train=no\nContent-Signal: *\n\n"
                                  "License: https://a.example/l.xml\n";
    static const char mark[] = "\xef\xbb\xbf";
    crawl_buf out = {0};
    bool has_mark = cw_take_text(&body, mark);
    cr_assert_eq(crawl_buf_printf(&out, "%s%s", has_mark ? mark : "", sayings), CRAWL_OK);
    while (body.size) {
        crawl_slice line = cw_take(&body, cw_find_char(body, '\n'));
        body = cw_drop(body, body.size > 0);
        cr_assert_eq(crawl_buf_append(&out, line.data, line.size), CRAWL_OK);
        cr_assert_eq(crawl_buf_printf(&out, "\n%s", sayings), CRAWL_OK);
    }
    return out;
}

/* Returns true if such lines do not change the result. A file near the size limit is skipped, as its end would be
 * cut. */
static bool is_unmoved(tally *t, jsonl *file, const json_t *row, const crawl_url *url)
{
    crawl_slice body = jsonl_bytes(file, row, "robots");
    crawl_slice agent = jsonl_bytes(file, row, "agent");
    crawl_buf more = with_sayings(body);
    crawl_robots *plain = parse_row(body, agent);
    crawl_robots *woven = parse_row(crawl_buf_slice(&more), agent);
    crawl_robots_verdict before = crawl_robots_check(plain, url);
    crawl_robots_verdict after = crawl_robots_check(woven, url);
    bool is_cut = more.size > CRAWL_ROBOTS_MAX_SIZE;
    bool same = before.allowed == after.allowed && crawl_slice_equal(before.rule, after.rule) &&
                crawl_robots_delay(plain) == crawl_robots_delay(woven) &&
                crawl_robots_sitemap_count(plain) == crawl_robots_sitemap_count(woven);
    t->woven += !is_cut;
    crawl_robots_free(plain);
    crawl_robots_free(woven);
    crawl_buf_free(&more);
    return same || is_cut;
}

static bool agrees(const char *verdict, const json_t *row)
{
    return strcmp(verdict, json_is_true(json_object_get(row, "allowed")) ? "allowed" : "disallowed") == 0;
}

/* Judges the rows of a scope. NULL: all rows. */
static tally judge_rows(const char *name, const char *scope)
{
    tally t = {0};
    jsonl *file = jsonl_open(name);
    crawl_url *url = crawl_url_create();
    for (const json_t *row; (row = jsonl_next(file));) {
        if (scope && strcmp(jsonl_text(row, "scope"), scope) != 0)
            continue;
        const char *verdict = judge(file, row, url);
        t.rows++;
        if (!agrees(verdict, row))
            jsonl_fail(row, "verdict", crawl_slice_from(verdict));
        bool is_asked = strcmp(verdict, "no URL") != 0;
        cr_expect(!is_asked || is_unmoved(&t, file, row, url), "%s: another verdict with lines about use",
                  jsonl_text(row, "id"));
    }
    crawl_url_free(url);
    cr_expect_gt(t.woven, t.rows / 2);
    return t;
}

Test(robots, examples_and_rules_of_the_rfc)
{
    tally t = judge_rows("robots/rfc9309.jsonl", NULL);
    jsonl_expect_rows(t.rows, 45);
}

Test(robots, google_within_the_rfc)
{
    tally t = judge_rows("robots/google.jsonl", "rfc9309");
    jsonl_expect_rows(t.rows, 131);
}

/* Counts where Google's program goes beyond or against the RFC; nothing is asserted about these rows. */
Test(robots, google_alone)
{
    tally t = judge_rows("robots/google.jsonl", "google-only");
    fprintf(stderr, "google-only: %u of %u rows agree\n", t.rows - jsonl_failures(), t.rows);
    cr_assert(jsonl_has_rows(t.rows, 14));
}

static const char *effect_name(int status)
{
    static const char *const names[] = {
        [CRAWL_ROBOTS_PARSE] = "parse",
        [CRAWL_ROBOTS_REDIRECT] = "follow-redirect",
        [CRAWL_ROBOTS_ALLOW_ALL] = "allow-all",
        [CRAWL_ROBOTS_DISALLOW_ALL] = "disallow-all",
    };
    return names[crawl_robots_effect_of(status)];
}

/* "allow-all-or-defer": the RFC answers 429 with allow-all; the crawler decides whether to ask again later. */
Test(robots, effect_of_a_status)
{
    unsigned rows = 0;
    jsonl *file = jsonl_open("robots/rfc9309-status.jsonl");
    for (const json_t *row; (row = jsonl_next(file));) {
        const char *limit = jsonl_text(row, "limit");
        if (limit && strcmp(limit, "size") == 0)
            cr_assert_geq(CRAWL_ROBOTS_MAX_SIZE, (unsigned)json_integer_value(json_object_get(row, "at_least_bytes")));
        const char *expected = jsonl_text(row, "effect");
        if (!expected)
            continue;
        const char *got = effect_name((int)json_integer_value(json_object_get(row, "status")));
        rows++;
        if (strncmp(got, expected, strlen(got)) != 0)
            jsonl_fail(row, "verdict", crawl_slice_from(got));
    }
    jsonl_expect_rows(rows, 16);
}

static bool as_expected(const json_t *row, const char *field, unsigned got)
{
    const json_t *expected = json_object_get(row, field);
    return !expected || json_integer_value(expected) == got;
}

Test(robots, lines_and_their_numbers)
{
    jsonl *file = jsonl_open("robots/google-lines.jsonl");
    for (const json_t *row; (row = jsonl_next(file));) {
        unsigned known = 0, unknown = 0, last = 0;
        cw_robots_reader reader = cw_robots_read(jsonl_bytes(file, row, "robots"));
        for (cw_robots_line line; cw_robots_next(&reader, &line);) {
            known += line.directive > CW_ROBOTS_UNKNOWN;
            unknown += line.directive == CW_ROBOTS_UNKNOWN;
            last = line.directive ? line.number : last;
        }
        char got[64];
        snprintf(got, sizeof got, "%u known, %u unknown, last line %u", known, unknown, last);
        if (!as_expected(row, "valid_directives", known) || !as_expected(row, "unknown_directives", unknown) ||
            !as_expected(row, "last_line_seen", last))
            jsonl_fail(row, "verdict", crawl_slice_from(got));
    }
    jsonl_expect(10);
}

Test(robots, product_tokens)
{
    jsonl *file = jsonl_open("robots/agent-tokens.jsonl");
    for (const json_t *row; (row = jsonl_next(file));) {
        bool valid = crawl_robots_agent_valid(jsonl_bytes(file, row, "agent"));
        if (valid != json_is_true(json_object_get(row, "valid")))
            jsonl_fail(row, "verdict", crawl_slice_from(valid ? "valid" : "not valid"));
    }
    jsonl_expect(9);
}

Test(robots, escapes_of_a_pattern)
{
    jsonl *file = jsonl_open("robots/pattern-escape.jsonl");
    for (const json_t *row; (row = jsonl_next(file));) {
        char got[128];
        crawl_slice pattern = jsonl_bytes(file, row, "pattern");
        cr_assert_lt(pattern.size * 3, sizeof got);
        got[cw_robots_normalize(pattern, true, got)] = '\0';
        if (strcmp(got, jsonl_text(row, "escaped")) != 0)
            jsonl_fail(row, "verdict", crawl_slice_from(got));
    }
    jsonl_expect(4);
}

/* Tests the six rows with an http URL. The others have no scheme ("example.com/a", "a/", "//a/b/c", ""); Google's
 * program finds a path in them, but by the URL standard they are not URLs without a base, which is asserted. */
Test(robots, path_and_query_of_a_url)
{
    unsigned rows = 0;
    unsigned without_scheme = 0;
    jsonl *file = jsonl_open("robots/url-to-path.jsonl");
    crawl_url *url = crawl_url_create();
    for (const json_t *row; (row = jsonl_next(file));) {
        crawl_slice input = jsonl_bytes(file, row, "url");
        crawl_err err = crawl_url_parse(url, input, NULL, NULL);
        if (input.size < 7 || memcmp(input.data, "http://", 7) != 0) {
            cr_assert_eq(err, CRAWL_EPARSE);
            without_scheme++;
            continue;
        }
        crawl_buf subject = {0};
        cr_assert_eq(err, CRAWL_OK);
        cr_assert_eq(cw_robots_subject(url, &subject), CRAWL_OK);
        rows++;
        if (strcmp(subject.data, jsonl_text(row, "path")) != 0)
            jsonl_fail(row, "verdict", crawl_slice_from(subject.data));
        crawl_buf_free(&subject);
    }
    crawl_url_free(url);
    jsonl_expect_rows(rows, 6);
    cr_assert_eq(without_scheme, 13);
}
