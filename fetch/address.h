/* Classifies addresses as public, or as belonging to one machine or a private network. The guard of a crawl uses this,
 * so that a link on a stranger's page cannot make the crawler contact neighbouring machines. Follows IANA's
 * special-purpose address registries (RFC 6890). */
#pragma once

#include <crawl/base.h>

struct sockaddr;

typedef enum cw_fetch_address_kind {
    CW_ADDRESS_PUBLIC,  /* any host on the internet could have it */
    CW_ADDRESS_PRIVATE, /* loopback, private, shared (CGNAT), multicast, reserved, for documentation; also anything that
                           is not an address */
    CW_ADDRESS_LINK_LOCAL /* valid on this link only (RFC 3927; RFC 4291, 2.5.6), or the metadata service of a cloud at
                             another address: such a service takes each client for the machine itself and hands out its
                             keys. No public name points there in good faith */
} cw_fetch_address_kind;

/* Return the kind of an address by IANA's registries (RFC 6890). An IPv6 address that stands for an IPv4 address
 * (mapped, translated by NAT64, 6to4) has the kind of that IPv4 address. The second function takes an address as text,
 * as libcurl reports it. */
cw_fetch_address_kind cw_fetch_address_kind_of(const struct sockaddr *address);
cw_fetch_address_kind cw_fetch_address_text_kind(const char *text);

bool cw_fetch_address_is_public(const struct sockaddr *address);

/* Returns true if the host of an http(s) URL, as written by crawl_url_parse, is this machine: localhost, a name below
 * it, 127.0.0.0/8 or ::1. */
bool cw_fetch_url_is_loopback(crawl_slice url);

/* Returns true if the host of the URL is an address rather than a name. */
bool cw_fetch_url_has_address(crawl_slice url);

/* Appends an address as text to a list for CURLOPT_RESOLVE: separated by commas, IPv6 in brackets. */
crawl_err cw_fetch_address_list_add(crawl_buf *list, const char *text);
