#include "base/text/http_date.h"

#include "base/bytes.h"
#include "base/text/date_scan.h"

/* Returns the date in seconds since 1970. A year of two digits stands for the last such year that is at most 50 years
 * ahead. */
static int64_t http_date_seconds_of(cw_date_parts *parts, int64_t now_s)
{
    enum { FAR = 50, CENTURY = 100 };
    if (!parts->two_digit)
        return cw_date_seconds(parts);
    struct tm horizon;
    time_t at = (time_t)now_s;
    gmtime_r(&at, &horizon);
    horizon.tm_year += FAR;
    int64_t latest_s = (int64_t)timegm(&horizon);
    parts->tm.tm_year += horizon.tm_year - horizon.tm_year % CENTURY;
    if (cw_date_seconds(parts) > latest_s)
        parts->tm.tm_year -= CENTURY;
    return cw_date_seconds(parts);
}

bool cw_http_date(crawl_slice text, int64_t now_ms, int64_t *ms)
{
    static const char *const forms[] = {
        "%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y",
        "%a, %d %b %Y %H:%M:%S %z",  "%a, %d %b %Y %H:%M:%S UTC", "%Y-%m-%dT%H:%M:%S%f%z",
        "%Y-%m-%d %H:%M:%S%f%z",     "%Y-%m-%d %H:%M:%S%f %z",    "%Y-%m-%d %H:%M:%S UTC",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        cw_date_parts parts;
        if (!cw_date_scan(text, forms[i], &parts))
            continue;
        *ms = http_date_seconds_of(&parts, now_ms / 1000) * 1000 + parts.ms;
        return true;
    }
    return false;
}

/* ---- Retry-After ---- */

/* The longest wait returned, a year: a longer one is as good as never, and sums stay far from overflow. */
enum { HTTP_DATE_MOST_S = 366 * 24 * 3600 };

/* Rounds up: some servers send decimals, which RFC 9110, 10.2.3, does not allow. */
static int64_t http_date_parse_seconds(crawl_slice value)
{
    crawl_slice decimals = value, whole = cw_cut(&decimals, '.');
    int64_t seconds = 0;
    bool is_more = false;
    for (size_t i = 0; i < whole.size; i++) {
        if (!cw_is_digit((unsigned char)whole.data[i]))
            return -1;
        if (seconds < INT64_MAX / 10000)
            seconds = seconds * 10 + (whole.data[i] - '0');
    }
    for (size_t i = 0; i < decimals.size; i++) {
        if (!cw_is_digit((unsigned char)decimals.data[i]))
            return -1;
        is_more = is_more || decimals.data[i] != '0';
    }
    return seconds + is_more;
}

/* Some servers send a unit, or the time itself, in seconds since 1970. */
static int64_t http_date_number_wait(crawl_slice value, int64_t now_ms)
{
    static const char *const units[] = {"s", "sec", "second", "seconds"};
    crawl_slice number = cw_take(&value, cw_find_any(value, " sS"));
    value = cw_trim_start(value);
    if (value.size && !cw_is_among(value, units, sizeof units / sizeof *units))
        return -1;
    int64_t seconds = http_date_parse_seconds(number), ahead = seconds - now_ms / 1000;
    bool is_time = seconds > HTTP_DATE_MOST_S && ahead > -HTTP_DATE_MOST_S && ahead < HTTP_DATE_MOST_S;
    seconds = is_time ? cw_most(ahead, 0) : cw_least(seconds, HTTP_DATE_MOST_S);
    return seconds < 0 ? -1 : seconds * 1000;
}

static int64_t http_date_parse_wait(crawl_slice value, int64_t now_ms)
{
    int64_t date_ms;
    if (!cw_http_date(value, now_ms, &date_ms))
        return -1;
    return cw_most(date_ms - now_ms, 0);
}

int64_t cw_http_retry_after(crawl_slice value, int64_t now_ms)
{
    const int64_t most_ms = HTTP_DATE_MOST_S * INT64_C(1000);
    value = cw_trim(value);
    if (value.size > 1 && cw_starts_with(value, "\"") && cw_ends_with(value, "\""))
        value = crawl_slice_of(value.data + 1, value.size - 2);
    bool is_number = value.size && cw_is_digit((unsigned char)value.data[0]);
    int64_t wait_ms = is_number ? http_date_number_wait(value, now_ms) : -1;
    return cw_least(wait_ms < 0 ? http_date_parse_wait(value, now_ms) : wait_ms, most_ms);
}
