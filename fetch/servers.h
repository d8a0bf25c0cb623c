/* The name servers that are asked, and an evdns that asks them. */
#ifndef CW_FETCH_SERVERS_H
#define CW_FETCH_SERVERS_H

#include <crawl/base.h>

struct event_base;
struct evdns_base;

typedef struct cw_servers {
    crawl_buf list; /* addresses, each ended by NUL; empty: those of /etc/resolv.conf */
} cw_servers;

/* Silences evdns, of the whole process: it would print on standard error that a name server does not answer. text:
 * addresses between commas or spaces, each with ":port" if it is not 53, IPv6 with a port in brackets; NULL or empty:
 * those of /etc/resolv.conf. CRAWL_EINVAL: something else stands there; CRAWL_ENOMEM. */
crawl_err cw_servers_init(cw_servers *servers, const char *text, crawl_error *error);
void cw_servers_free(cw_servers *servers);

/* NULL: no name server is known, or no memory. timeout_ms: of a question with its repetitions. */
struct evdns_base *cw_servers_open(const cw_servers *servers, struct event_base *base, int64_t timeout_ms);

#endif
