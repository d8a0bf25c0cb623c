/* Combines the two replies for one name, of its IPv4 and of its IPv6 addresses, into one answer. Pure: no clock, no
 * socket, no global data. */
#ifndef CW_DNS_REPLY_H
#define CW_DNS_REPLY_H

#include "fetch/names/names.h"

/* The reply to one question. {0}: it has not come yet. */
typedef struct cw_dns_reply {
    bool there;
    int code;            /* DNS_ERR_... of evdns */
    uint32_t ttl_s;      /* for NONE, and for NOTEXIST and NODATA (RFC 2308, 5) */
    crawl_buf addresses; /* for NONE, a list as cw_fetch_address_list_add makes it */
} cw_dns_reply;

/* Fills reply. addresses: an array of count addresses, of 4 bytes each for the family AF_INET and 16 for AF_INET6.
 * CRAWL_ENOMEM. */
crawl_err cw_dns_reply_set(cw_dns_reply *reply, int code, int family, const void *addresses, int count, int ttl_s);

/* Fills out with both replies. libcurl tries the addresses in their order, the other family 200 ms later. v6_first is
 * true where there is a route for IPv6 (RFC 6724, 6, rule 1). A reply that did not come counts as too late. If both
 * failed, "no such name" goes before "the servers failed", and that before "too late". A reply that was cut leaves the
 * name to libcurl's own resolver, which asks again over TCP. */
void cw_dns_reply_combine(const cw_dns_reply *v6, const cw_dns_reply *v4, bool v6_first, cw_names_answer *out);

#endif
