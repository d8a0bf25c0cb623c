#include "crawler/engine/visit/again/retry.h"

#include "base/bytes.h"
#include "config/config_values.h"
#include "crawler/engine/visit/answer/headers.h"

/* The longest Retry-After that is told, a year: a longer one is as good as never, and sums stay far from overflow. */
enum { MAX_SECONDS = 366 * 24 * 3600 };

/* Rounds up: some servers send decimals, though RFC 9110, 10.2.3, has none. */
static int64_t parse_seconds(crawl_slice value)
{
    crawl_slice decimals = value, whole = cw_cut(&decimals, '.');
    int64_t seconds = 0;
    bool is_more = false;
    for (size_t i = 0; i < whole.size; i++) {
        if (!cw_is_digit((unsigned char)whole.data[i]))
            return -1;
        if (seconds < MAX_SECONDS)
            seconds = seconds * 10 + (whole.data[i] - '0');
    }
    for (size_t i = 0; i < decimals.size; i++) {
        if (!cw_is_digit((unsigned char)decimals.data[i]))
            return -1;
        is_more = is_more || decimals.data[i] != '0';
    }
    seconds += is_more;
    return (seconds < MAX_SECONDS ? seconds : MAX_SECONDS) * 1000;
}

static int64_t parse_date(crawl_slice value, int64_t wall_ms)
{
    int64_t date_ms;
    if (!cw_visit_http_date(value, wall_ms, &date_ms))
        return -1;
    return date_ms > wall_ms ? date_ms - wall_ms : 0;
}

int64_t cw_visit_retry_after(crawl_slice value, int64_t wall_ms)
{
    value = cw_trim(value);
    if (value.size == 0)
        return -1;
    return cw_is_digit((unsigned char)value.data[0]) ? parse_seconds(value) : parse_date(value, wall_ms);
}

/* May a request with this method be repeated without knowing whether it was carried out (RFC 9110, 9.2.2)? */
static bool is_idempotent(crawl_slice method)
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
    case 503: /* these three say that the request was not carried out */
        return true;
    case 501:
    case 505: /* these two will be the same next time */
        return false;
    default:
        return status >= 500 && status < 600 && idempotent;
    }
}

/* A request that may have reached the server is repeated only where that does no harm. */
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

cw_visit_retry_verdict cw_visit_retry_decide(const crawl_config *config, const crawl_response *response,
                                             crawl_slice method, bool sent, uint32_t attempt, int64_t wall_ms,
                                             uint8_t salt)
{
    cw_visit_retry_verdict verdict = {.what = CW_VISIT_RETRY_NO, .retry_after_ms = -1};
    if (!is_temporary(response, sent, is_idempotent(method)))
        return verdict;
    if (response->error == CRAWL_FETCH_OK)
        verdict.retry_after_ms = cw_visit_retry_after(crawl_response_header(response, "Retry-After"), wall_ms);
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
