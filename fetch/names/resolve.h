/* Resolves names on an event loop: evdns asks the name servers, the cache stores their answers, and all waiters for the
 * same name share one lookup.
 *
 * A lookup asks for IPv4 and IPv6 addresses at once. It ends when both replies have arrived; or RESOLUTION_DELAY_MS
 * after the IPv4 addresses, since some servers do not answer the other question (RFC 8305, 3); or when its time is
 * over. */
#pragma once

#include "fetch/names/names.h"

#include <stdatomic.h>
#include <sys/queue.h>

struct event_base;
typedef struct cw_dns_resolver cw_dns_resolver;
typedef struct cw_dns_lookup cw_dns_lookup;

/* The entry of a waiter for a name. {0}: not waiting. */
typedef struct cw_dns_wait {
    TAILQ_ENTRY(cw_dns_wait) link;
    cw_dns_lookup *lookup; /* NULL: not waiting */
    int64_t since_ms;
} cw_dns_wait;

/* Called for each waiter when the answer has arrived; the wait has then ended. waited_ms: the time since the name was
 * asked for. */
typedef void (*cw_dns_ready)(void *user, cw_dns_wait *wait, const cw_names_answer *answer, int64_t waited_ms);

typedef struct cw_dns_resolver_stats {
    atomic_uint waiting; /* number of waiters now */
    atomic_uint_fast64_t asked;
    atomic_uint_fast64_t cached;
    atomic_uint_fast64_t failed;
} cw_dns_resolver_stats;

/* Creates a resolver by options->resolver, dns_servers, dns_timeout_ms and names. *out is NULL if libcurl must resolve
 * the names: because the options say so, or because no name server is known. CRAWL_EINVAL: invalid dns_servers;
 * CRAWL_ENOMEM. */
crawl_err cw_dns_resolver_create(struct event_base *base, const crawl_fetch_options *options,
                                 cw_dns_resolver_stats *stats, cw_dns_ready ready, void *user, cw_dns_resolver **out,
                                 crawl_error *error);
/* Frees the resolver and drops its waiters. evdns releases the memory of questions in flight when the loop runs
 * again. */
void cw_dns_resolver_free(cw_dns_resolver *resolver);

/* Asks for a name in lower case, without a trailing dot. True: answer is filled. False: ready is called later, from the
 * loop. */
bool cw_dns_resolver_ask(cw_dns_resolver *resolver, crawl_slice name, cw_dns_wait *wait, cw_names_answer *answer);

/* Stops waiting. */
void cw_dns_resolver_leave(cw_dns_resolver *resolver, cw_dns_wait *wait);
