#include "config/config_values.h"
#include "crawler/engine/visit/again/retry.h"

#include <criterion/criterion.h>

static crawl_config config;
static crawl_header header;

static void setup(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    config.retries = 2;
    config.retry_delay_ms = 1000;
    config.max_retry_delay_ms = 300000;
}

static void teardown(void)
{
    cw_config_clear(&config);
}

TestSuite(retry, .init = setup, .fini = teardown);

static crawl_response answer(int status, const char *retry_after)
{
    crawl_response response = {.size = sizeof response, .status = status, .error_text = "", .ip = ""};
    if (retry_after) {
        header = (crawl_header){.name = crawl_slice_from("Retry-After"), .value = crawl_slice_from(retry_after)};
        response.headers = &header;
        response.header_count = 1;
    }
    return response;
}

static cw_visit_retry_verdict decide(const crawl_response *response, const char *method, uint32_t attempt)
{
    return cw_visit_retry_decide(&config, response, crawl_slice_from(method), true, attempt, 1700000000000, 0);
}

Test(retry, statuses)
{
    static const struct {
        int status;
        const char *method;
        cw_visit_retry what;
    } rows[] = {
        {200, "GET", CW_VISIT_RETRY_NO},  {301, "GET", CW_VISIT_RETRY_NO},  {404, "GET", CW_VISIT_RETRY_NO},
        {408, "GET", CW_VISIT_RETRY_AT},  {429, "GET", CW_VISIT_RETRY_AT},  {500, "GET", CW_VISIT_RETRY_AT},
        {501, "GET", CW_VISIT_RETRY_NO},  {502, "GET", CW_VISIT_RETRY_AT},  {503, "GET", CW_VISIT_RETRY_AT},
        {505, "GET", CW_VISIT_RETRY_NO},  {500, "POST", CW_VISIT_RETRY_NO}, {503, "POST", CW_VISIT_RETRY_AT},
        {429, "POST", CW_VISIT_RETRY_AT}, {600, "GET", CW_VISIT_RETRY_NO},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_response response = answer(rows[i].status, NULL);
        cr_expect_eq(decide(&response, rows[i].method, 1).what, rows[i].what, "%s %d", rows[i].method, rows[i].status);
    }
}

Test(retry, network_errors)
{
    static const struct {
        crawl_fetch_error error;
        const char *method;
        bool sent;
        cw_visit_retry what;
    } rows[] = {
        {CRAWL_FETCH_DNS, "POST", false, CW_VISIT_RETRY_AT},
        {CRAWL_FETCH_CONNECT, "POST", false, CW_VISIT_RETRY_AT},
        {CRAWL_FETCH_LOCAL, "POST", false, CW_VISIT_RETRY_AT},
        {CRAWL_FETCH_TIMEOUT, "POST", false, CW_VISIT_RETRY_AT},
        {CRAWL_FETCH_RESET, "POST", false, CW_VISIT_RETRY_AT},
        {CRAWL_FETCH_TIMEOUT, "GET", true, CW_VISIT_RETRY_AT},
        {CRAWL_FETCH_RESET, "GET", true, CW_VISIT_RETRY_AT},
        {CRAWL_FETCH_LOCAL, "GET", true, CW_VISIT_RETRY_AT},
        {CRAWL_FETCH_LOCAL, "PUT", true, CW_VISIT_RETRY_AT},
        {CRAWL_FETCH_LOCAL, "POST", true, CW_VISIT_RETRY_NO},
        {CRAWL_FETCH_CONNECT, "POST", true, CW_VISIT_RETRY_NO},
        {CRAWL_FETCH_TIMEOUT, "POST", true, CW_VISIT_RETRY_NO},
        {CRAWL_FETCH_RESET, "POST", true, CW_VISIT_RETRY_NO},
        {CRAWL_FETCH_LOCAL, "PATCH", true, CW_VISIT_RETRY_NO},
        {CRAWL_FETCH_TLS, "GET", false, CW_VISIT_RETRY_NO},
        {CRAWL_FETCH_PROTOCOL, "GET", true, CW_VISIT_RETRY_NO},
        {CRAWL_FETCH_TOO_LARGE, "GET", true, CW_VISIT_RETRY_NO},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_response response = answer(0, NULL);
        response.error = rows[i].error;
        cw_visit_retry_verdict verdict =
            cw_visit_retry_decide(&config, &response, crawl_slice_from(rows[i].method), rows[i].sent, 1, 0, 0);
        cr_expect_eq(verdict.what, rows[i].what, "row %zu", i);
    }
}

Test(retry, backs_off_and_gives_up)
{
    crawl_response response = answer(500, NULL);
    cr_expect_eq(decide(&response, "GET", 1).delay_ms, 1000);
    cr_expect_eq(decide(&response, "GET", 2).delay_ms, 2000);
    cr_expect_eq(decide(&response, "GET", 3).what, CW_VISIT_RETRY_GIVE_UP);
    config.retries = 100;
    cr_expect_eq(decide(&response, "GET", 60).delay_ms, config.max_retry_delay_ms);
}

Test(retry, jitter_stays_within_a_quarter)
{
    crawl_response response = answer(500, NULL);
    cw_visit_retry_verdict verdict =
        cw_visit_retry_decide(&config, &response, crawl_slice_from("GET"), true, 1, 0, 255);
    cr_expect_eq(verdict.delay_ms, 1250);
}

Test(retry, obeys_retry_after)
{
    crawl_response response = answer(429, "7");
    cw_visit_retry_verdict verdict = decide(&response, "GET", 1);
    cr_expect_eq(verdict.what, CW_VISIT_RETRY_AT);
    cr_expect_eq(verdict.delay_ms, 7000);
    cr_expect_eq(verdict.retry_after_ms, 7000);
    response = answer(503, "301");
    cr_expect_eq(decide(&response, "GET", 1).what, CW_VISIT_RETRY_STAY_AWAY);
    static const int others[] = {200, 403, 404, 501};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        response = answer(others[i], others[i] == 403 ? "0" : "7");
        verdict = decide(&response, "GET", 1);
        cr_expect_eq(verdict.what, CW_VISIT_RETRY_NO, "%d", others[i]);
        cr_expect_eq(verdict.retry_after_ms, -1, "%d", others[i]);
    }
}

Test(retry, a_forbidden_page_that_names_a_time_is_rate_limited)
{
    crawl_response response = answer(403, "7");
    cw_visit_retry_verdict verdict = decide(&response, "POST", 1);
    cr_expect_eq(verdict.what, CW_VISIT_RETRY_AT);
    cr_expect_eq(verdict.delay_ms, 7000);
    cr_expect_eq(verdict.retry_after_ms, 7000);
    response = answer(403, "301");
    cr_expect_eq(decide(&response, "GET", 1).what, CW_VISIT_RETRY_STAY_AWAY);
    response = answer(403, "tomorrow");
    cr_expect_eq(decide(&response, "GET", 1).what, CW_VISIT_RETRY_NO);
}

Test(retry, the_longest_retry_after_counts_by_the_clock_of_its_server)
{
    static const struct {
        const char *date, *first, *second;
        int64_t ms;
    } rows[] = {
        {NULL, "7", "20", 20000},
        {NULL, "20", "7", 20000},
        {NULL, "soon", "7", 7000},
        {"Tue, 14 Nov 2023 23:13:20 GMT", "Tue, 14 Nov 2023 23:13:30 GMT", "", 10000}, /* an hour ahead */
        {"Tue, 14 Nov 2023 21:13:20 GMT", "Tue, 14 Nov 2023 21:13:30 GMT", "", 10000},
        {"Thu, 01 Jan 1970 00:00:00 GMT", "Tue, 14 Nov 2023 22:13:30 GMT", "", 10000}, /* it has no clock */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const crawl_header headers[] = {
            {crawl_slice_from("Date"), crawl_slice_from(rows[i].date ? rows[i].date : "")},
            {crawl_slice_from("Retry-After"), crawl_slice_from(rows[i].first)},
            {crawl_slice_from("Retry-After"), crawl_slice_from(rows[i].second)},
        };
        crawl_response response = answer(503, NULL);
        response.headers = headers;
        response.header_count = sizeof headers / sizeof *headers;
        cr_expect_eq(decide(&response, "GET", 1).retry_after_ms, rows[i].ms, "row %zu", i);
    }
}

Test(retry, retry_after_is_told_even_when_attempts_are_used_up)
{
    crawl_response response = answer(429, "7");
    cw_visit_retry_verdict verdict = decide(&response, "GET", 3);
    cr_expect_eq(verdict.what, CW_VISIT_RETRY_GIVE_UP);
    cr_expect_eq(verdict.retry_after_ms, 7000);
}
