/* Dates of HTTP headers. */
#ifndef CW_VISIT_HTTP_DATE_H
#define CW_VISIT_HTTP_DATE_H

#include <crawl/base.h>

/* Reads a date in one of the three forms of RFC 9110, 5.6.7: IMF-fixdate, RFC 850, asctime. *ms and now_ms are
 * milliseconds since 1970; a year of two digits is taken near now_ms. False: the text is no such date. */
bool cw_visit_http_date(crawl_slice text, int64_t now_ms, int64_t *ms);

#endif
