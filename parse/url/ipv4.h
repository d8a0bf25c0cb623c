/* IPv4 addresses in the forms that the URL standard takes (3.5): 1 to 4 parts, decimal, octal or hexadecimal. */
#ifndef CW_IPV4_H
#define CW_IPV4_H

#include <crawl/base.h>

/* Does host end in a number, so that it is an IPv4 address or nothing? host is in lower case. */
bool cw_ipv4_ends_in_number(crawl_slice host);

/* CRAWL_EPARSE: no address. */
crawl_err cw_ipv4_parse(crawl_slice host, uint32_t *address);

enum { CW_IPV4_MAX_TEXT = 15 };

/* Writes "a.b.c.d" (no NUL) and returns its size, at most CW_IPV4_MAX_TEXT. */
size_t cw_ipv4_write(uint32_t address, char *to);

#endif
