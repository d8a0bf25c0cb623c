#include "crawler/engine/visit/answer/http_date.h"

#include "base/text/date_scan.h"

/* The date in seconds since 1970. A year of two digits stands for the last year with these digits that is no more than
 * 50 years ahead. */
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

bool cw_visit_http_date(crawl_slice value, int64_t now_ms, int64_t *ms)
{
    static const char *const forms[] = {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
                                        "%a %b %d %H:%M:%S %Y"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        cw_date_parts parts;
        if (!cw_date_scan(value, forms[i], &parts))
            continue;
        *ms = http_date_seconds_of(&parts, now_ms / 1000) * 1000;
        return true;
    }
    return false;
}
