/* IPv6 addresses: the URL standard's parser (3.5) and the text of RFC 5952. */
#ifndef CW_IPV6_H
#define CW_IPV6_H

#include <crawl/base.h>

/* text without the brackets. CRAWL_EPARSE: no address; pieces is then undefined. */
crawl_err cw_ipv6_parse(crawl_slice text, uint16_t pieces[8]);

enum { CW_IPV6_MAX_TEXT = 39 };

/* Writes the shortest text (no brackets, no NUL) and returns its size, at most CW_IPV6_MAX_TEXT. */
size_t cw_ipv6_write(const uint16_t pieces[8], char *to);

#endif
