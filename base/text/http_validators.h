/* The validators of an answer (RFC 9110, 8.8): its entity tag and its Last-Modified. */
#pragma once

#include "base/bytes.h"

/* Longer ones are not taken, to limit the bytes sent back and kept. */
#define CW_HTTP_MAX_ETAG 512u
#define CW_HTTP_MAX_LAST_MODIFIED 64u

/* Returns the entity tag if it is one (RFC 9110, 8.8.3), even without its quotes, and not too long; otherwise empty. */
crawl_slice cw_http_etag(crawl_slice value);

/* Returns true if both tags mean the same content (RFC 9110, 8.8.3.2, weak comparison), even if a server has added to
 * one of them how it compresses. */
bool cw_http_etag_is_same(crawl_slice a, crawl_slice b);

/* Returns the Last-Modified if it is a date and not too long; otherwise empty. wall_ms is now; *date_ms (both since
 * 1970) is set for a date. */
crawl_slice cw_http_last_modified(crawl_slice value, int64_t wall_ms, int64_t *date_ms);
