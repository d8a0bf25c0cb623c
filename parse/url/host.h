/* The URL standard's host parser (3.5): domains, IPv4 and IPv6 addresses, opaque hosts. */
#pragma once

#include <crawl/base.h>

/* Appends the serialization of a non-empty host, well-formed UTF-8: a domain or address if special, otherwise an opaque
 * host or IPv6 address. scratch is a working buffer. CRAWL_EPARSE: not a host; out is then undefined beyond its
 * previous size. CRAWL_ENOMEM. */
crawl_err cw_url_parse_host(crawl_slice host, bool special, crawl_buf *out, crawl_buf *scratch);

/* Finishes a domain that is ASCII, in lower case and free of forbidden code points, appended to out from byte start on:
 * one that ends in a number becomes the IPv4 address or is invalid. */
crawl_err cw_url_finish_domain(crawl_buf *out, size_t start);
