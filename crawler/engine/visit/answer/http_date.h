/* Dates of HTTP headers. */
#ifndef CW_VISIT_HTTP_DATE_H
#define CW_VISIT_HTTP_DATE_H

#include <crawl/base.h>

/* The three forms of RFC 9110, 5.6.7: IMF-fixdate, RFC 850, asctime; in milliseconds since 1970, and so is now_ms, near
 * which a year of two digits is looked for. False: none of them. */
bool cw_visit_http_date(crawl_slice text, int64_t now_ms, int64_t *ms);

#endif
