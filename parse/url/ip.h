/* IP addresses as hosts of URLs: IPv4 in the forms that the URL standard accepts (3.5), 1 to 4 parts, decimal, octal or
 * hexadecimal; IPv6 by its parser, written by RFC 5952. */
#pragma once

#include <crawl/base.h>

/* Returns true if host ends in a number, so that it is an IPv4 address or invalid. host must be in lower case. */
bool cw_url_ends_in_number(crawl_slice host);

/* CRAWL_EPARSE: not an address. */
crawl_err cw_url_ipv4_parse(crawl_slice host, uint32_t *address);

enum { CW_URL_IPV4_MAX_TEXT = 15 };

/* Writes "a.b.c.d" (no NUL) and returns its size, at most CW_URL_IPV4_MAX_TEXT. */
size_t cw_url_ipv4_write(uint32_t address, char *to);

/* Parses text without the brackets. CRAWL_EPARSE: not an address; pieces is then undefined. */
crawl_err cw_url_ipv6_parse(crawl_slice text, uint16_t pieces[8]);

enum { CW_URL_IPV6_MAX_TEXT = 39 };

/* Writes the shortest text (no brackets, no NUL) and returns its size, at most CW_URL_IPV6_MAX_TEXT. */
size_t cw_url_ipv6_write(const uint16_t pieces[8], char *to);
