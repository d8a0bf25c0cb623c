/* Quotas in responses, in each form that is read; and, as rows, the way from a response to the pause and the hold of
 * its host. */
#include "config/config_values.h"
#include "crawler/engine/visit/again/rate_headers.h"

#include "base/bytes.h"
#include "crawler/engine/visit/again/retry.h"

#include <criterion/criterion.h>

#define NOW_MS 1795694400000 /* 2026-11-26 12:00:00 GMT */
#define S 1000000            /* microseconds */

typedef struct answer {
    crawl_header headers[8];
    crawl_response response;
} answer;

/* lines: "Name: value" lines, each except the last ended by \n. */
static void fill(answer *out, int status, const char *lines)
{
    crawl_slice rest = crawl_slice_from(lines);
    *out = (answer){.response = {.size = sizeof out->response, .status = status, .error_text = "", .ip = ""}};
    while (rest.size) {
        crawl_slice value = cw_cut_line(&rest);
        crawl_slice name = cw_cut(&value, ':');
        out->headers[out->response.header_count++] = (crawl_header){.name = name, .value = cw_trim(value)};
    }
    out->response.headers = out->headers;
}

static cw_host_quota read_lines(const char *lines)
{
    answer one;
    fill(&one, 200, lines);
    return cw_visit_rate_is_told(&one.response) ? cw_visit_rate_read(&one.response, NOW_MS) : (cw_host_quota){0};
}

/* --- rows --- */

typedef struct row {
    int status;
    const char *lines;
    int64_t hold_ms;  /* of the host */
    int64_t pause_ms; /* least pause; 0: the delay */
    bool retry_after; /* the hold is by Retry-After */
} row;

static void expect_row(const row *r)
{
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    const cw_host_pace_rules rules = cw_host_pace_rules_of(&config);
    answer one;
    cw_host_pace pace;
    cw_host_pace_by by;
    fill(&one, r->status, r->lines);
    cw_host_pace_init(&pace, 1);
    cw_visit_retry_verdict verdict =
        cw_visit_retry_decide(&config, &one.response, crawl_slice_from("GET"), true, 1, NOW_MS, 0);
    if (verdict.retry_after_ms >= 0) {
        cr_expect_eq(verdict.retry_after_ms, r->hold_ms, "%s", r->lines);
    } else {
        const cw_host_quota quota = cw_visit_rate_read(&one.response, NOW_MS);
        cw_host_pace_quota(&pace, &rules, &quota, 0, 0);
        cr_expect_eq(cw_host_pace_held(&pace, 0), r->hold_ms * 1000, "%s: held for %lld", r->lines,
                     (long long)cw_host_pace_held(&pace, 0));
    }
    cr_expect_eq(verdict.retry_after_ms >= 0, r->retry_after, "%s", r->lines);
    int64_t pause = cw_host_pace_pause(&pace, &rules, &by);
    cr_expect_eq(pause, r->pause_ms ? r->pause_ms * 1000 : rules.delay_us, "%s: %lld", r->lines, (long long)pause);
    cr_expect_eq(by, r->pause_ms ? CW_PACE_QUOTA : CW_PACE_DELAY, "%s", r->lines);
    cw_config_clear(&config);
}

Test(rate_headers, from_the_answer_to_the_hold)
{
    static const row rows[] = {
        {429, "Retry-After: 120", 120000, 0, true},
        {429, "Retry-After: Thu, 26 Nov 2026 12:01:00 GMT", 60000, 0, true},
        {200, "RateLimit: \"d\";r=0;t=30", 30000, 0, false},
        {301, "RateLimit: \"d\";r=0;t=30", 30000, 0, false},
        {200, "RateLimit: \"d\";r=9;t=10", 0, 1000, false},
        {200, "RateLimit: \"a\";r=5;t=60, \"b\";r=0;t=8", 8000, 10000, false},
        {429, "Retry-After: 5\nRateLimit: \"d\";r=0;t=60", 5000, 0, true},
        {429, "Retry-After: 0\nRateLimit: \"d\";r=0;t=60", 0, 0, true},
        {429, "RateLimit: \"d\";r=0;t=60, \"e\";r=0;t=7", 60000, 0, false},
        {200, "X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1795694430", 30000, 0, false},
        {200, "X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 30", 30000, 0, false},
        {200, "RateLimit: default;r=0;t=9", 0, 0, false},
        {200, "Age: 4\nRateLimit: \"d\";r=0;t=9", 0, 0, false},
        {200, "Age: 0\nRateLimit: \"d\";r=0;t=9", 9000, 0, false},
        {503, "Retry-After: soon", 0, 0, false},
        {503, "Retry-After: soon\nRateLimit: \"d\";r=0;t=9", 9000, 0, false},
        {200, "X-RateLimit-Remaining: 3\nX-RateLimit-Reset: 1795694430", 0, 0, false},
        {200, "RateLimit: \"day\";r=0;t=40000", 300000, 0, false}, /* max_retry_delay */
        {200, "RateLimit: \"day\";r=1;t=3600", 0, 300000, false},  /* likewise */
        {200, "RateLimit: \"day\";r=999;t=86400", 0, 3600, false}, /* t counts for at most an hour */
        {200, "RateLimit: \"quick\";r=999;t=10", 0, 0, false},     /* never less than the delay */
        {200, "RateLimit: \"d\";r=0;t=0", 0, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_row(&rows[i]);
}

/* --- forms --- */

typedef struct form {
    const char *lines;
    int64_t spent_us;
    int64_t window_us;
    int64_t left;
} form;

static void expect_forms(const form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cw_host_quota quota = read_lines(forms[i].lines);
        cr_expect_eq(quota.spent_us, forms[i].spent_us, "%s: spent for %lld", forms[i].lines,
                     (long long)quota.spent_us);
        cr_expect_eq(quota.window_us, forms[i].window_us, "%s: window %lld", forms[i].lines,
                     (long long)quota.window_us);
        cr_expect_eq(quota.left, forms[i].left, "%s: left %lld", forms[i].lines, (long long)quota.left);
    }
}

#define EXPECT_FORMS(forms) expect_forms(forms, sizeof(forms) / sizeof *(forms))

Test(rate_headers, lists)
{
    static const form forms[] = {
        {"rATELIMIT: \"d\";r=9;t=10;pk=:QUJD:;x=(", 0, 0, 0},
        {"ratelimit: \"d\";r=9;t=10;pk=:QUJD:;x=y", 0, 10 * S, 9},
        {"RateLimit: \"a\";r=9;t=10, \"b\";r=1;t=10", 0, 10 * S, 1},
        {"RateLimit: \"a\";r=1;t=10, \"b\";r=9;t=10", 0, 10 * S, 1},
        {"RateLimit: \"a\";r=9;t=10\nRateLimit: \"b\";r=0;t=3\nRateLimit: \"c\";r=0;t=2", 3 * S, 10 * S, 9},
        {"RateLimit: \"a\";r=9;t=10\nRateLimit: b;r=0;t=3", 0, 0, 0},
        {"RateLimit: \"a\";r=9;t=10, ", 0, 0, 0},
        {"RateLimit: \"a\";t=10", 0, 0, 0},
        {"RateLimit: \"a\";r=-1;t=10", 0, 0, 0},
        {"RateLimit: \"a\";r=1.0;t=10", 0, 0, 0},
        {"RateLimit: \"a\";r=0;t=10.5", 0, 0, 0},
        {"RateLimit: \"a\";r=0;t=-10", 0, 0, 0},
        {"RateLimit: \"a\";r=0;t=Thu", 0, 0, 0},
        {"RateLimit: (\"a\");r=0;t=10", 0, 0, 0},
        {"RateLimit: \"a\";r=5;t=9, \"b\";t=1", 0, 0, 0},
        {"RateLimit: \"a\";r=0;t=999999999999999", (int64_t)366 * 86400 * S, 0, 0},
        {"RateLimit: \"a\";r=999999999999999;t=999999999999999", 0, 0, 0},
        {"RateLimit:", 0, 0, 0},
    };
    EXPECT_FORMS(forms);
}

Test(rate_headers, without_a_time_that_of_the_policy_holds)
{
    static const form forms[] = {
        {"RateLimit: \"a\";r=0", 0, 0, 0},
        {"RateLimit: \"a\";r=0\nRateLimit-Policy: \"b\";q=9;w=5, \"a\";q=9;w=60", 60 * S, 0, 0},
        {"RateLimit: \"a\";r=0;t=7\nRateLimit-Policy: \"a\";q=9;w=60", 7 * S, 0, 0},
        {"RateLimit: \"a\";r=3\nRateLimit-Policy: \"a\";q=9;w=60", 0, 0, 0},
        {"RateLimit: \"a\";r=0\nRateLimit-Policy: a;q=9;w=60", 0, 0, 0},
        {"RateLimit: \"a\";r=0\nRateLimit-Policy: \"a\";q=9;w=60, ", 0, 0, 0},
        {"RateLimit: \"a\";r=0\nRateLimit-Policy: \"a\";w=60", 0, 0, 0},
        {"RateLimit: \"a\";r=0\nRateLimit-Policy: \"a\";q=9;w=60, \"b\";q=-1", 0, 0, 0},
        {"RateLimit: \"a\\\"\";r=0\nRateLimit-Policy: \"a\\\"\";q=9;w=60", 60 * S, 0, 0},
        {"RateLimit-Policy: \"a\";q=0;w=60", 0, 0, 0},
    };
    EXPECT_FORMS(forms);
}

Test(rate_headers, the_policy_of_the_partition_holds)
{
#define TWO "\nRateLimit-Policy: \"a\";q=9;w=60;pk=:WA==:, \"a\";q=9;w=5;pk=:WQ==:"
    static const form forms[] = {
        {"RateLimit: \"a\";r=0;pk=:WA==:" TWO, 60 * S, 0, 0},
        {"RateLimit: \"a\";r=0;pk=:WQ==:" TWO, 5 * S, 0, 0},
        {"RateLimit: \"a\";r=0;pk=:Wg==:" TWO, 0, 0, 0},
        {"RateLimit: \"a\";r=0" TWO, 5 * S, 0, 0},
        {"RateLimit: \"a\";r=0;pk=:WA==:\nRateLimit-Policy: \"a\";q=9;w=60", 60 * S, 0, 0},
        {"RateLimit: \"a\";r=9;t=10;pk=:WA==:, \"a\";r=1;t=10;pk=:WQ==:", 0, 10 * S, 1},
        {"RateLimit: \"a\";r=9;t=10;pk=:WA==:, \"a\";r=0;t=2;pk=:WQ==:", 2 * S, 10 * S, 9},
        {"RateLimit: \"a\";r=0;t=9;pk=\"x\"", 0, 0, 0},
    };
    EXPECT_FORMS(forms);
}

/* Returns the pause after these responses, each a second after the one before. */
static int64_t pause_after(const char *const *answers, size_t count)
{
    crawl_config config;
    cw_host_pace pace;
    cw_host_pace_by by;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    const cw_host_pace_rules rules = cw_host_pace_rules_of(&config);
    cw_host_pace_init(&pace, 1);
    for (size_t i = 0; i < count; i++) {
        const cw_host_quota quota = read_lines(answers[i]);
        cw_host_pace_quota(&pace, &rules, &quota, 0, (int64_t)i * S);
    }
    int64_t pause = cw_host_pace_pause(&pace, &rules, &by);
    cw_config_clear(&config);
    return pause;
}

/* Responses about one partition say nothing about another. */
Test(rate_headers, partitions_count_apart)
{
    static const struct {
        const char *answers[4];
        size_t count;
        int64_t pause_us;
    } rows[] = {
        {{"RateLimit: \"a\";r=1;t=60;pk=:WA==:", "RateLimit: \"a\";r=9;t=10;pk=:WQ==:"}, 2, 30 * S},
        {{"RateLimit: \"a\";r=9;t=10;pk=:WQ==:", "RateLimit: \"a\";r=1;t=60;pk=:WA==:"}, 2, 30 * S},
        {{"RateLimit: \"a\";r=1;t=60;pk=:WA==:", "RateLimit: \"a\";r=9;t=10;pk=:WA==:"}, 2, 1 * S},
        {{"RateLimit: \"a\";r=1;t=60", "RateLimit: \"b\";r=9;t=10"}, 2, 30 * S},
        {{"RateLimit: \"a\";r=1;t=60", "RateLimit: \"b\";r=9;t=10, \"a\";r=29;t=60"}, 2, 2 * S},
        {{"RateLimit: \"a\";r=1;t=60", "RateLimit: \"b\";r=0;t=1"}, 2, 30 * S},
        {{"RateLimit: \"a\";r=1;t=60", "RateLimit: \"a\";r=0;t=1"}, 2, 250000},
        {{"RateLimit: \"a\";r=0;t=1;pk=:WA==:", "RateLimit: \"a\";r=9;t=10;pk=:WQ==:"}, 2, 1 * S},
        {{"RateLimit: \"a\";r=1;t=2", "RateLimit: \"b\";r=9;t=4", "RateLimit: \"b\";r=8;t=3"}, 3, S / 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t pause = pause_after(rows[i].answers, rows[i].count);
        cr_expect_eq(pause, rows[i].pause_us, "row %zu: %lld", i, (long long)pause);
    }
}

Test(rate_headers, units)
{
    static const form forms[] = {
        {"RateLimit: \"a\";r=5;t=9\nRateLimit-Policy: \"a\";q=9;qu=\"requests\"", 0, 9 * S, 5},
        {"RateLimit: \"a\";r=5;t=9\nRateLimit-Policy: \"a\";q=9;qu=\"content-bytes\"", 0, 0, 0},
        {"RateLimit: \"a\";r=0;t=9\nRateLimit-Policy: \"a\";q=9;qu=\"content-bytes\"", 9 * S, 0, 0},
        {"RateLimit: \"a\";r=0;t=9\nRateLimit-Policy: \"a\";q=9;qu=\"apples\"", 0, 0, 0},
        {"RateLimit: \"a\";r=0;t=9\nRateLimit-Policy: \"a\";q=9;qu=requests", 0, 0, 0},
        {"RateLimit: \"a\";r=0;t=9\nRateLimit-Policy: \"a\";q=9;qu=\"concurrent-requests\"", 0, 0, 0},
    };
    EXPECT_FORMS(forms);
    cw_host_quota quota = read_lines("RateLimit: \"a\";r=4, \"b\";r=2, \"c\";r=1\n"
                                     "RateLimit-Policy: \"a\";q=9;qu=\"concurrent-requests\"\n"
                                     "RateLimit-Policy: \"b\";q=9;qu=\"concurrent-requests\"");
    cr_expect(quota.tells_at_once);
    cr_expect_eq(quota.spare, 2);
}

Test(rate_headers, earlier_drafts)
{
    static const form forms[] = {
        {"RateLimit: limit=100, remaining=50, reset=5", 0, 5 * S, 50},
        {"RateLimit: limit=100, remaining=0, reset=5\nRateLimit-Policy: 100;w=60", 5 * S, 0, 0},
        {"RateLimit: limit=100, remaining=0", 0, 0, 0},
        {"RateLimit: limit=100, remaining=x, reset=5", 0, 0, 0},
        {"RateLimit: limit=100, remaining=0, reset=5,", 0, 0, 0},
        {"RateLimit-Limit: 100, 100;w=60\nRateLimit-Remaining: 5\nRateLimit-Reset: 30", 0, 30 * S, 5},
        {"RateLimit-Remaining: 0\nRateLimit-Reset: 30", 30 * S, 0, 0},
        {"RateLimit-Remaining: 5", 0, 0, 0},
        {"RateLimit-Remaining: -1\nRateLimit-Reset: 30", 0, 0, 0},
    };
    EXPECT_FORMS(forms);
}

Test(rate_headers, without_a_standard)
{
    static const form forms[] = {
        {"x-ratelimit-remaining: 0\nx-ratelimit-reset: 1795694430000", 30 * S, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1795694430.5", 30500000, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1.25", 1250000, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: Thu, 26 Nov 2026 12:01:00 GMT", 60 * S, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1795694399", 0, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 2026-11-26T12:01:00Z", 60 * S, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 2026-11-26T14:00:30.25+02:00", 30250000, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 2026-11-26 12:00:09 UTC", 9 * S, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 2026-11-26 07:00:09 -0500", 9 * S, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 2026-11-26T11:59:59Z", 0, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 2026-11-26T12:01:00", 0, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 2026-11-26", 0, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1\nX-RateLimit-Reset-After: 2.5", 2500000, 0, 0},
        {"X-Rate-Limit-Remaining: 0\nX-Rate-Limit-Reset: 9", 9 * S, 0, 0},
        {"X-RateLimit-Requests-Remaining: 0\nX-RateLimit-Requests-Reset: 9", 9 * S, 0, 0},
        {"X-RateLimit-Remaining: 0", 0, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: soon", 0, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 5.", 0, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: -5", 0, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 9999999999999999", 0, 0, 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 999999999999999", (int64_t)366 * 86400 * S, 0, 0},
        {"X-RateLimit-Remaining: 0x\nX-RateLimit-Reset: 5", 0, 0, 0},
        {"X-RateLimit-Remaining: 1\nX-RateLimit-Reset: 5", 0, 0, 0},
        {"Server: x\nX-Rat: 0", 0, 0, 0},
    };
    EXPECT_FORMS(forms);
}

/* --- problem details --- */

#define TYPE "https://iana.org/assignments/http-problem-types#"
#define POLICIES "RateLimit-Policy: \"a\";q=9;w=60, \"b\";q=9;w=5, \"c\";q=9;qu=\"concurrent-requests\";w=7\n"
#define PROBLEM "Content-Type: application/problem+json"

Test(rate_headers, problems_name_the_policies_that_are_spent)
{
    static const struct {
        int status;
        const char *lines;
        const char *body;
        int64_t spent_us;
    } rows[] = {
        {429, POLICIES PROBLEM, "{\"type\":\"" TYPE "quota-exceeded\",\"violated-policies\":[\"a\"]}", 60 * S},
        {429, POLICIES PROBLEM, "{\"type\":\"" TYPE "quota-exceeded\",\"violated-policies\":[\"b\",\"x\",1]}", 5 * S},
        {429, POLICIES PROBLEM, "{\"type\":\"" TYPE "abnormal-usage-detected\",\"violated-policies\":[\"b\",\"a\"]}",
         60 * S},
        {503, POLICIES PROBLEM "; charset=utf-8",
         "{\"type\":\"" TYPE "temporary-reduced-capacity\",\"violated-policies\":[\"b\"]}", 5 * S},
        {429, POLICIES PROBLEM, "{\"type\":\"" TYPE "quota-exceeded\",\"violated-policies\":[\"c\"]}", 0},
        {429, POLICIES PROBLEM, "{\"type\":\"" TYPE "quota-exceeded\",\"violated-policies\":\"a\"}", 0},
        {429, POLICIES PROBLEM, "{\"type\":\"" TYPE "quota-exceeded\"}", 0},
        {429, POLICIES PROBLEM, "{\"type\":\"" TYPE "other\",\"violated-policies\":[\"a\"]}", 0},
        {429, POLICIES PROBLEM, "{\"violated-policies\":[\"a\"]}", 0},
        {429, POLICIES PROBLEM, "{\"type\":\"" TYPE "quota-exceeded\",\"violated-policies\":[\"a\"]", 0},
        {429, POLICIES PROBLEM, "{\"type\":\"" TYPE "quota-exceeded\",\"violated-policies\":[\"a\"],\"x\":\"\xff\"}",
         0},
        {429, POLICIES "Content-Type: application/json",
         "{\"type\":\"" TYPE "quota-exceeded\",\"violated-policies\":[\"a\"]}", 0},
        {200, POLICIES PROBLEM, "{\"type\":\"" TYPE "quota-exceeded\",\"violated-policies\":[\"a\"]}", 0},
        {429, POLICIES "RateLimit: \"a\";r=0;t=3\n" PROBLEM,
         "{\"type\":\"" TYPE "quota-exceeded\",\"violated-policies\":[\"a\"]}", 3 * S},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        answer one;
        fill(&one, rows[i].status, rows[i].lines);
        one.response.body = crawl_slice_from(rows[i].body);
        cr_expect(cw_visit_rate_is_told(&one.response));
        int64_t spent_us = cw_visit_rate_read(&one.response, NOW_MS).spent_us;
        cr_expect_eq(spent_us, rows[i].spent_us, "row %zu: %lld", i, (long long)spent_us);
    }
}

Test(rate_headers, without_a_standard_what_is_left_is_not_spread)
{
    static const struct {
        const char *lines;
        int64_t allowed;
    } rows[] = {
        {"X-RateLimit-Remaining: 3\nX-RateLimit-Reset: 1795694430", 3},
        {"X-RateLimit-Remaining: 3\nX-RateLimit-Reset: 9\nX-Rate-Limit-Remaining: 2\nX-Rate-Limit-Reset: 9", 2},
        {"X-RateLimit-Remaining: 3\nX-RateLimit-Reset: 0", 0},
        {"X-RateLimit-Remaining: 3", 0},
        {"X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 9", 0},
        {"RateLimit-Remaining: 3\nRateLimit-Reset: 9", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(read_lines(rows[i].lines).allowed, rows[i].allowed, "%s", rows[i].lines);
}

Test(rate_headers, a_field_that_is_too_long_says_nothing)
{
    crawl_buf line = {0};
    for (int spaces = 1900; spaces <= 2100; spaces += 200) {
        crawl_buf_clear(&line);
        cr_assert_eq(
            crawl_buf_printf(&line, "RateLimit: \"a\";r=0;t=9,%*s\"b\";r=0;t=8\nRateLimit: \"c\";r=0;t=7", spaces, ""),
            CRAWL_OK);
        cr_expect_eq(read_lines(line.data).spent_us, spaces < 2000 ? 9 * S : 0, "%d", spaces);
    }
    crawl_buf_free(&line);
}
