/* The headers of an answer, as far as they speak of its page: directives for robots, the canonical link, the date of
 * its last change. Each may stand there several times, in any case. */
#ifndef CW_VISIT_HEADERS_H
#define CW_VISIT_HEADERS_H

#include <crawl/fetch.h>
#include <crawl/links.h>

/* The next header of that name, from *at on; false: there is none left. */
bool cw_visit_headers_next(const crawl_response *response, const char *name, size_t *at, crawl_slice *value);

/* The directives for robots that X-Robots-Tag gives to our agent: CRAWL_ROBOTS_ flags. */
unsigned cw_visit_headers_robots(const crawl_response *response, const char *agent);

/* The first link of the Link headers that has rel=canonical and is one of this document, as it stands, to be resolved
 * against the URL of the answer. False: none. */
bool cw_visit_headers_canonical(const crawl_response *response, crawl_slice *href);

/* Last-Modified in seconds since 1970, UTC; CRAWL_SITEMAP_NO_DATE: none that is a date. now_ms: as cw_visit_http_date
 * has it. */
int64_t cw_visit_headers_last_modified(const crawl_response *response, int64_t now_ms);

/* A link that has another document than this one for its origin is not ours to follow (RFC 8288, 3.2). */
bool cw_visit_headers_is_of_this_document(const crawl_header_link *found);

#endif
