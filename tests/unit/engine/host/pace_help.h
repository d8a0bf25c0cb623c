/* The pace of one host by its rules, some of which a test may change. Times are milliseconds. */
#pragma once

#include "config/config_values.h"
#include "crawler/engine/host/pace.h"

#include <criterion/criterion.h>

#define MS 1000

static cw_host_pace_rules rules;
static cw_host_pace pace;

static inline void setup(void)
{
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    rules = cw_host_pace_rules_of(&config);
    cw_config_clear(&config);
    cw_host_pace_init(&pace, 7);
}

static inline int64_t pause_of(cw_host_pace_by expected)
{
    cw_host_pace_by by;
    int64_t pause = cw_host_pace_pause(&pace, &rules, &by);
    cr_expect_eq(by, expected, "%s", cw_host_pace_by_name(by));
    return pause / MS;
}

static inline int64_t pause_now(void)
{
    cw_host_pace_by by;
    return cw_host_pace_pause(&pace, &rules, &by) / MS;
}

static inline void answer_to(bool is_retry, int status, crawl_fetch_error error, int64_t started, int64_t now)
{
    crawl_response response = {.size = sizeof response, .status = status, .error = error, .error_text = "", .ip = ""};
    cw_host_pace_answer(&pace, &rules, &response, false, is_retry, started * MS, now * MS);
}

static inline void answer(int status, crawl_fetch_error error, int64_t started, int64_t now)
{
    answer_to(false, status, error, started, now);
}

/* Reports a response that took this long. */
static inline void took(int status, int64_t ms)
{
    static int64_t now;
    answer(status, CRAWL_FETCH_OK, now, now + ms);
    now += ms;
}

static inline cw_host_admission admit(int64_t now, int64_t *at)
{
    int64_t at_us = 0;
    cw_host_admission admission = cw_host_pace_admit(&pace, &rules, now * MS, &at_us);
    *at = at_us / MS;
    return admission;
}
