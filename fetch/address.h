/* Which addresses belong to the internet, and which to a machine or to a network of somebody's own. */
#ifndef CW_FETCH_ADDRESS_H
#define CW_FETCH_ADDRESS_H

#include <crawl/base.h>

struct sockaddr;

typedef enum cw_fetch_address_kind {
    CW_ADDRESS_PUBLIC,    /* anybody on the internet could be there */
    CW_ADDRESS_PRIVATE,   /* loopback, private, shared (CGNAT), multicast, reserved, for documentation; and what is no
                             address */
    CW_ADDRESS_LINK_LOCAL /* of this link alone (RFC 3927; RFC 4291, 2.5.6), or of a cloud's metadata service elsewhere:
                             whoever asks there is answered as the machine itself, with its keys. No name of the
                             internet stands for it in good faith */
} cw_fetch_address_kind;

/* By the special-purpose address registries of IANA (RFC 6890). IPv6 addresses that stand for an IPv4 address (mapped,
 * translated by NAT64, 6to4) are of its kind. The second takes an address in text, as libcurl tells it. */
cw_fetch_address_kind cw_fetch_address_kind_of(const struct sockaddr *address);
cw_fetch_address_kind cw_fetch_address_text_kind(const char *text);

bool cw_fetch_address_is_public(const struct sockaddr *address);
bool cw_fetch_address_text_is_public(const char *text);

/* Is the host of an http(s) URL, as crawl_url_parse writes it, a private address or localhost by its very name? */
bool cw_fetch_url_is_private(crawl_slice url);

/* Is its host an address, and no name? */
bool cw_fetch_url_has_address(crawl_slice url);

/* Is text an IPv4 or IPv6 address at all? */
bool cw_fetch_address_is_text(const char *text);

/* Adds an address in text to a list as CURLOPT_RESOLVE takes it: commas in between, IPv6 in brackets. */
crawl_err cw_fetch_address_list_add(crawl_buf *list, const char *text);

#endif
