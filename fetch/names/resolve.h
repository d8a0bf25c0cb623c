/* Names on an event loop: evdns asks, the cache remembers, and everybody who wants the same name waits for one lookup.
 *
 * A lookup asks for IPv4 and IPv6 addresses at once. It is over when both answers are there; or RESOLUTION_DELAY after
 * the IPv4 addresses, since some servers do not answer the other question (RFC 8305, 3); or when its time is over. */
#ifndef CW_DNS_RESOLVE_H
#define CW_DNS_RESOLVE_H

#include "fetch/names/names.h"

#include <stdatomic.h>
#include <sys/queue.h>

struct event_base;
typedef struct cw_dns_resolver cw_dns_resolver;
typedef struct cw_dns_lookup cw_dns_lookup;

/* Somebody who waits for a name. {0}: does not. */
typedef struct cw_dns_wait {
    TAILQ_ENTRY(cw_dns_wait) link;
    cw_dns_lookup *lookup; /* NULL: does not wait */
    int64_t since_ms;
} cw_dns_wait;

/* The name's answer is there; nobody waits any more. waited_ms: since it was asked for. */
typedef void (*cw_dns_ready)(void *user, cw_dns_wait *wait, const cw_names_answer *answer, int64_t waited_ms);

typedef struct cw_dns_resolver_stats {
    atomic_uint waiting; /* those who wait now */
    atomic_uint_fast64_t asked;
    atomic_uint_fast64_t cached;
    atomic_uint_fast64_t failed;
} cw_dns_resolver_stats;

/* By options->resolver, dns_servers, dns_timeout_ms and names. *out is NULL if names are left to libcurl: by the
 * options, or since no name server is known. CRAWL_EINVAL: dns_servers; CRAWL_ENOMEM. */
crawl_err cw_dns_resolver_create(struct event_base *base, const crawl_fetch_options *options,
                                 cw_dns_resolver_stats *stats, cw_dns_ready ready, void *user, cw_dns_resolver **out,
                                 crawl_error *error);
/* Those who wait are forgotten. evdns gives the memory of questions under way back when the loop runs again. */
void cw_dns_resolver_free(cw_dns_resolver *resolver);

/* True: answer is filled. False: ready is told, later, from the loop. name: in lower case, without a dot at its end. */
bool cw_dns_resolver_ask(cw_dns_resolver *resolver, crawl_slice name, cw_dns_wait *wait, cw_names_answer *answer);

/* Waits no more. */
void cw_dns_resolver_leave(cw_dns_resolver *resolver, cw_dns_wait *wait);

#endif
