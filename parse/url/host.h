/* The URL standard's host parser (3.5): domains, IPv4 and IPv6 addresses, opaque hosts. */
#pragma once

#include <crawl/base.h>

/* Appends the serialization of a host that is not empty, well-formed UTF-8: a domain or address where special is true,
 * an opaque host or IPv6 address otherwise. scratch is a buffer to work in. CRAWL_EPARSE: no host; out is then
 * undefined beyond its size before. CRAWL_ENOMEM. */
crawl_err cw_url_parse_host(crawl_slice host, bool special, crawl_buf *out, crawl_buf *scratch);

/* The last step for a domain that is ASCII, in lower case and free of forbidden code points, as appended to out from
 * byte start on: one that ends in a number becomes the IPv4 address or is none. */
crawl_err cw_url_finish_domain(crawl_buf *out, size_t start);
