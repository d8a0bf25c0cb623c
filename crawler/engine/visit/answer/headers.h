/* Facts about a page in the headers of its answer: directives for robots, the canonical link, the date of its last
 * change. A header may occur several times, with its name in any case. */
#pragma once

#include <crawl/base.h>
#include <crawl/fetch.h>
#include <crawl/links.h>
#include <crawl/url.h>

/* Gets the next header of this name from *at on, and moves *at past it. False: none. */
bool cw_visit_headers_next(const crawl_response *response, const char *name, size_t *at, crawl_slice *value);

/* Returns the value of Content-Type. Of several lines it is the last that names a media type, or the one before that
 * names an encoding for the same type. Data NULL: none. */
crawl_slice cw_visit_headers_content_type(const crawl_response *response);

/* Returns the directives that X-Robots-Tag gives our agent: CRAWL_ROBOTS_ flags. */
unsigned cw_visit_headers_robots(const crawl_response *response, const char *agent);

/* Gets the first link of the Link headers that has rel=canonical and belongs to this document, unresolved; its base is
 * the URL of the answer. False: none. */
bool cw_visit_headers_canonical(const crawl_response *response, crawl_slice *href);

/* Adds the translations of this document that the Link headers name to the data of its page. base is the URL of the
 * answer; url holds each meanwhile. CRAWL_ENOMEM. */
crawl_err cw_visit_headers_add_translations(const crawl_response *response, const crawl_url *base, crawl_url *url,
                                            crawl_page *page);

/* Returns Last-Modified in seconds since 1970, UTC; CRAWL_SITEMAP_NO_DATE: no valid date. now_ms: see cw_http_date. */
int64_t cw_visit_headers_last_modified(const crawl_response *response, int64_t now_ms);

/* Returns true if the link of a header starts from this document. A link of another document (RFC 8288, 3.2) is not
 * followed. */
bool cw_visit_headers_is_of_this_document(const crawl_header_link *found);
