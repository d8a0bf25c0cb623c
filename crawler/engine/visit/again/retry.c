#include "crawler/engine/visit/again/retry.h"

#include "base/bytes.h"
#include "base/text/http_date.h"
#include "config/config_values.h"
#include "crawler/engine/visit/answer/headers.h"

bool cw_visit_retry_is_idempotent(crawl_slice method)
{
    static const char *const names[] = {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (crawl_slice_equal(method, crawl_slice_from(names[i])))
            return true;
    return false;
}

static bool status_is_temporary(int status, bool idempotent)
{
    switch (status) {
    case 408:
    case 429:
    case 503: /* these three mean that the request was not carried out */
        return true;
    case 501:
    case 505: /* these two would be the same next time */
        return false;
    default:
        return status >= 500 && status < 600 && idempotent;
    }
}

/* A request that may have reached the server is repeated only if that does no harm. */
static bool is_temporary(const crawl_response *response, bool sent, bool idempotent)
{
    switch (response->error) {
    case CRAWL_FETCH_OK:
        return status_is_temporary(response->status, idempotent);
    case CRAWL_FETCH_DNS:
    case CRAWL_FETCH_CONNECT:
    case CRAWL_FETCH_LOCAL:
    case CRAWL_FETCH_TIMEOUT:
    case CRAWL_FETCH_RESET:
        return idempotent || !sent;
    default:
        return false;
    }
}

static int64_t retry_backoff(const crawl_config *config, uint32_t attempt, uint8_t salt)
{
    int64_t delay = config->retry_delay_ms;
    for (uint32_t i = 1; i < attempt && delay < config->max_retry_delay_ms; i++)
        delay *= 2;
    delay += delay / 4 * salt / 255;
    return delay < config->max_retry_delay_ms ? delay : config->max_retry_delay_ms;
}

/* Returns the time of the answer by the clock of its server, unless that clock is off by more than a day. */
static int64_t retry_date_of(const crawl_response *response, int64_t wall_ms)
{
    const int64_t day_ms = (int64_t)24 * 3600 * 1000;
    int64_t date_ms;
    bool is_date = cw_http_date(crawl_response_header(response, "Date"), wall_ms, &date_ms);
    return is_date && date_ms > wall_ms - day_ms && date_ms < wall_ms + day_ms ? date_ms : wall_ms;
}

/* Returns the longest Retry-After of the answer in milliseconds; negative: none. */
static int64_t retry_after(const crawl_response *response, int64_t wall_ms)
{
    int64_t longest_ms = -1;
    crawl_slice value;
    for (size_t at = 0; cw_visit_headers_next(response, "Retry-After", &at, &value);)
        longest_ms = cw_most(longest_ms, cw_http_retry_after(value, retry_date_of(response, wall_ms)));
    return longest_ms;
}

cw_visit_retry_verdict cw_visit_retry_decide(const crawl_config *config, const crawl_response *response,
                                             crawl_slice method, bool sent, uint32_t attempt, int64_t wall_ms,
                                             uint8_t salt)
{
    enum { FORBIDDEN = 403 };
    cw_visit_retry_verdict verdict = {.what = CW_VISIT_RETRY_NO, .retry_after_ms = -1};
    int64_t asked_ms = response->error ? -1 : retry_after(response, wall_ms);
    /* Some services answer so to too many requests. */
    bool is_limit = response->status == FORBIDDEN && asked_ms > 0;
    if (!is_limit && !is_temporary(response, sent, cw_visit_retry_is_idempotent(method)))
        return verdict;
    verdict.retry_after_ms = asked_ms;
    if (verdict.retry_after_ms > config->max_retry_delay_ms) {
        verdict.what = CW_VISIT_RETRY_STAY_AWAY;
        verdict.delay_ms = verdict.retry_after_ms;
    } else if (attempt > config->retries) {
        verdict.what = CW_VISIT_RETRY_GIVE_UP;
    } else {
        verdict.what = CW_VISIT_RETRY_AT;
        int64_t wait = retry_backoff(config, attempt, salt);
        verdict.delay_ms = wait > verdict.retry_after_ms ? wait : verdict.retry_after_ms;
    }
    return verdict;
}
