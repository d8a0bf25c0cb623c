/* Small rules of the network: addresses as texts, hosts that are asked without the proxy, ports that nobody asks. */
#pragma once

#include <crawl/base.h>

/* Reads an address as inet_pton does. family: AF_INET, of 4 bytes, or AF_INET6, of 16, without brackets. False: it is
 * none. */
bool cw_address_read(int family, crawl_slice text, void *bytes);
/* Is text one of either family, likewise? */
bool cw_address_is(const char *text);

/* A host without the dot that may stand at its end. */
crawl_slice cw_without_end_dot(crawl_slice host);

/* Is host, as a URL has it, named by list (NULL: nothing is)? Its entries stand apart by commas or white space: a name
 * stands for itself and all below it, also with a dot or "*." before; an address for itself, of IPv6 with brackets or
 * without; "*" for all. */
bool cw_no_proxy_names(const char *list, crawl_slice host);

/* Is it one of the bad ports of the Fetch standard (2.9, "Port blocking")? A server of another protocol than HTTP
 * listens there, and takes the lines of a request for commands: a page that can make a crawler ask there can make it
 * send mail, or talk in a chat. */
bool cw_bad_port(unsigned port);
