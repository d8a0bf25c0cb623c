/* Which addresses belong to the public internet, and which to one machine or to somebody's private network. The guard
 * of a crawl asks this, so that a link on a stranger's page cannot make the crawler ask the machines beside it. The
 * answer follows the special-purpose address registries of IANA (RFC 6890). */
#pragma once

#include <crawl/base.h>

struct sockaddr;

typedef enum cw_fetch_address_kind {
    CW_ADDRESS_PUBLIC,    /* anybody on the internet could be there */
    CW_ADDRESS_PRIVATE,   /* loopback, private, shared (CGNAT), multicast, reserved, for documentation; also what is not
                             an address at all */
    CW_ADDRESS_LINK_LOCAL /* of this link alone (RFC 3927; RFC 4291, 2.5.6), or the metadata service of a cloud at
                           * another address: such a service takes each client for the machine itself and hands out its
                           * keys. No public name points there in good faith */
} cw_fetch_address_kind;

/* The kind of an address by IANA's registries (RFC 6890). An IPv6 address that stands for an IPv4 address (mapped,
 * translated by NAT64, 6to4) has the kind of that IPv4 address. The second function takes an address in text, as
 * libcurl reports it. */
cw_fetch_address_kind cw_fetch_address_kind_of(const struct sockaddr *address);
cw_fetch_address_kind cw_fetch_address_text_kind(const char *text);

bool cw_fetch_address_is_public(const struct sockaddr *address);
bool cw_fetch_address_text_is_public(const char *text);

/* Is the host of an http(s) URL, written as crawl_url_parse writes it, this machine itself: localhost, a name below it,
 * 127.0.0.0/8 or ::1? */
bool cw_fetch_url_is_loopback(crawl_slice url);

/* Is the host of the URL an address, and not a name? */
bool cw_fetch_url_has_address(crawl_slice url);

/* Adds an address in text to a list as CURLOPT_RESOLVE takes it: commas in between, IPv6 in brackets. */
crawl_err cw_fetch_address_list_add(crawl_buf *list, const char *text);
