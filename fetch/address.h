/* Which addresses belong to the internet, and which to a machine or to a network of somebody's own. */
#ifndef CW_FETCH_ADDRESS_H
#define CW_FETCH_ADDRESS_H

#include <crawl/base.h>

struct sockaddr;

/* Is it an IPv4 or IPv6 address that anybody on the internet could be at? Not: loopback, private, link-local (metadata services of
 * clouds are there), shared (CGNAT), multicast, reserved, for documentation; and IPv6 addresses that stand for such an
 * IPv4 address: mapped, translated (NAT64), 6to4. By the special-purpose address registries of IANA (RFC 6890). */
bool cw_address_is_public(const struct sockaddr *address);

/* The same of an address in text, as libcurl tells it. False for what is none. */
bool cw_address_text_is_public(const char *text);

/* Is the host of an http(s) URL, as crawl_url_parse writes it, a private address or localhost by its very name? */
bool cw_url_is_private(crawl_slice url);

/* Is text an IPv4 or IPv6 address at all? */
bool cw_address_is_text(const char *text);

/* Adds an address in text to a list as CURLOPT_RESOLVE takes it: commas in between, IPv6 in brackets. */
crawl_err cw_address_list_add(crawl_buf *list, const char *text);

#endif
