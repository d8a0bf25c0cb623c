/* Small network rules: addresses as text, the host of a URL, hosts that bypass the proxy, ports that are never
 * contacted. */
#pragma once

#include <crawl/base.h>

/* Parses an address as inet_pton does. family: AF_INET, 4 bytes, or AF_INET6, 16 bytes, without brackets. False: not an
 * address. */
bool cw_address_read(int family, crawl_slice text, void *bytes);
/* Returns true if text is such an address of either family. */
bool cw_address_is(const char *text);

/* Returns true if the host of a parsed URL is an address: in brackets, or of digits and dots, which the URL standard
 * leaves to no name. An empty host counts as one. */
bool cw_address_is_host(crawl_slice host);

/* The parts of "http://user@host:port/path". */
typedef struct cw_authority {
    crawl_slice whole; /* "user@host:port" */
    crawl_slice host;  /* without user, port, brackets and a dot at its end */
    crawl_slice rest;  /* from the first "/", "?" or "#" on */
} cw_authority;

/* Cuts a URL as it stands; its scheme may be absent. */
cw_authority cw_authority_of(crawl_slice url);

/* Returns a host without a trailing dot. */
crawl_slice cw_without_end_dot(crawl_slice host);

/* Returns true if list (NULL: empty) names host, written as in a URL. Entries are separated by commas or white space: a
 * name stands for itself and everything below it, also with a dot or "*." in front; an address for itself, IPv6 with or
 * without brackets; "*" for all. */
bool cw_no_proxy_names(const char *list, crawl_slice host);

/* Returns true for the bad ports of the Fetch standard (2.9, "Port blocking"). Servers there speak other protocols than
 * HTTP and take the lines of a request for commands: a page that makes a crawler connect could make it send mail, or
 * talk in a chat. */
bool cw_bad_port(unsigned port);
