/* What the two answers for one name, its IPv4 and its IPv6 addresses, say together. Pure. */
#ifndef CW_DNS_REPLY_H
#define CW_DNS_REPLY_H

#include "fetch/names/names.h"

/* To one question. {0}: none came yet. */
typedef struct cw_dns_reply {
    bool there;
    int code;            /* DNS_ERR_... of evdns */
    uint32_t ttl_s;      /* of NONE, and of NOTEXIST and NODATA (RFC 2308, 5) */
    crawl_buf addresses; /* of NONE, a list as cw_fetch_address_list_add makes it */
} cw_dns_reply;

/* addresses: count of them, of 4 or 16 bytes each by family, AF_INET or AF_INET6. CRAWL_ENOMEM. */
crawl_err cw_dns_reply_set(cw_dns_reply *reply, int code, int family, const void *addresses, int count, int ttl_s);

/* libcurl tries the addresses in their order, the other family 200 ms later: v6_first where there is a route for it
 * (RFC 6724, 6, rule 1). A reply that did not come counts as too late. Of failures, "no such name" is more than "the
 * servers failed", and that more than "too late". An answer that was cut leaves the name to libcurl's own resolver,
 * which asks again over TCP. */
void cw_dns_reply_combine(const cw_dns_reply *v6, const cw_dns_reply *v4, bool v6_first, cw_names_answer *out);

#endif
