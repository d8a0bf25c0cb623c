/* Dates in HTTP headers, and Retry-After, which may contain one. */
#pragma once

#include <crawl/base.h>

/* Parses a date in one of the three forms of RFC 9110, 5.6.7 (IMF-fixdate, RFC 850, asctime), or in one of RFC 5322 or
 * ISO 8601 with its zone, which some servers send. *ms and now_ms are milliseconds since 1970; a year of two digits is
 * taken near now_ms. False: not a date. */
bool cw_http_date(crawl_slice text, int64_t now_ms, int64_t *ms);

/* Parses a Retry-After (RFC 9110, 10.2.3), seconds or a date, and returns milliseconds from now_ms: 0 to 366 days;
 * negative: invalid. The number may be in quotes, or followed by "s" or "seconds". A number of seconds that is longer,
 * and as a time since 1970 is near now_ms, is such a time. */
int64_t cw_http_retry_after(crawl_slice value, int64_t now_ms);
