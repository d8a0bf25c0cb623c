/* Facts about a page in the headers of its answer: directives for robots, the canonical link, the date of its last
 * change. A header may stand there several times, with its name in upper or lower case. */
#pragma once

#include <crawl/base.h>
#include <crawl/fetch.h>
#include <crawl/links.h>

/* Gets the next header of this name, from *at on, and moves *at behind it. False: there is none. */
bool cw_visit_headers_next(const crawl_response *response, const char *name, size_t *at, crawl_slice *value);

/* The value of Content-Type: of several lines the last that names a media type, or the one before that names an
 * encoding for the same. Data NULL: there is none. */
crawl_slice cw_visit_headers_content_type(const crawl_response *response);

/* The directives for robots that X-Robots-Tag gives to our agent: CRAWL_ROBOTS_ flags. */
unsigned cw_visit_headers_robots(const crawl_response *response, const char *agent);

/* The first link of the Link headers that has rel=canonical and is one of this document, as it stands, to be resolved
 * against the URL of the answer. False: none. */
bool cw_visit_headers_canonical(const crawl_response *response, crawl_slice *href);

/* Last-Modified in seconds since 1970, UTC; CRAWL_SITEMAP_NO_DATE: none that is a date. now_ms: as cw_http_date has
 * it. */
int64_t cw_visit_headers_last_modified(const crawl_response *response, int64_t now_ms);

/* Does the link of a header go out from this document? A link of another document (RFC 8288, 3.2) is not followed. */
bool cw_visit_headers_is_of_this_document(const crawl_header_link *found);
