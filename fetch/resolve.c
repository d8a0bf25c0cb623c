/* See resolve.h. What evdns is asked lives in a question of its own, which outlives the lookup when that is given up:
 * evdns calls back for a question that was cancelled too, later. */
#include "fetch/resolve.h"

#include "base/map.h"
#include "fetch/address.h"
#include "fetch/reply.h"
#include "fetch/servers.h"

#include <arpa/inet.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* RFC 8305, 3: how long IPv6 addresses are waited for when the others are there. */
#define RESOLUTION_DELAY_MS 50

enum { V6, V4, FAMILIES };
static const int families[FAMILIES] = {AF_INET6, AF_INET};

typedef struct question {
    cw_lookup *lookup; /* NULL: nobody wants the answer any more */
    struct evdns_request *request;
    int family; /* index */
} question;

struct cw_lookup {
    cw_resolver *resolver;
    question *questions[FAMILIES]; /* not answered yet */
    cw_reply replies[FAMILIES];
    struct event *timer;
    TAILQ_HEAD(, cw_name_wait) waits;
    size_t name_size;
    char name[]; /* ends with NUL */
};

struct cw_resolver {
    struct event_base *base;
    cw_servers servers;
    struct evdns_base *dns; /* NULL: rests */
    crawl_name_cache *names;
    bool own_names;
    bool v6_first;
    bool tired; /* a lookup got no answer: evdns may take its servers for lost */
    struct evutil_monotonic_timer *clock;
    cw_map *lookups; /* by name */
    int64_t timeout_ms;
    cw_name_answer answer; /* what a lookup that is over says */
    cw_resolver_stats *stats;
    cw_name_ready ready;
    void *user;
};

static int64_t now_ms(cw_resolver *resolver)
{
    struct timeval now;
    evutil_gettime_monotonic(resolver->clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_usec / 1000;
}

static void count(atomic_uint_fast64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* ---- the end of a lookup ---- */

static void cancel(cw_lookup *lookup, int family)
{
    question *asked = lookup->questions[family];
    if (!asked)
        return;
    asked->lookup = NULL;
    lookup->questions[family] = NULL;
    evdns_cancel_request(lookup->resolver->dns, asked->request);
}

static void lookup_free(cw_lookup *lookup)
{
    for (int i = 0; i < FAMILIES; i++) {
        cancel(lookup, i);
        crawl_buf_free(&lookup->replies[i].addresses);
    }
    if (lookup->timer)
        event_free(lookup->timer);
    free(lookup);
}

static void tell(cw_resolver *resolver, cw_lookup *lookup, const cw_name_answer *answer)
{
    int64_t now = now_ms(resolver);
    for (cw_name_wait *wait; (wait = TAILQ_FIRST(&lookup->waits));) {
        cw_resolver_leave(resolver, wait);
        resolver->ready(resolver->user, wait, answer, now - wait->since_ms);
    }
}

/* Everybody is told, and nothing is left of it but what the cache keeps. */
static void finish(cw_lookup *lookup)
{
    cw_resolver *resolver = lookup->resolver;
    crawl_slice name = crawl_slice_of(lookup->name, lookup->name_size);
    cw_name_answer *answer = &resolver->answer;
    cw_reply_combine(&lookup->replies[V6], &lookup->replies[V4], resolver->v6_first, answer);
    cw_names_put(resolver->names, name, answer, now_ms(resolver));
    cw_map_remove(resolver->lookups, name);
    resolver->tired = resolver->tired || answer->verdict == CW_NAME_LATE || answer->verdict == CW_NAME_FAILED;
    if (answer->verdict > CW_NAME_SYSTEM)
        count(&resolver->stats->failed);
    tell(resolver, lookup, answer);
    lookup_free(lookup);
}

/* ---- answers ---- */

static void wait_at_most(cw_lookup *lookup, int64_t ms)
{
    struct timeval wait = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    evtimer_add(lookup->timer, &wait);
}

static void on_timer(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    finish(user);
}

static void on_reply(int code, char type, int count_of, int ttl_s, void *addresses, void *user)
{
    (void)type;
    question *asked = user;
    cw_lookup *lookup = asked->lookup;
    int family = asked->family;
    free(asked);
    if (!lookup)
        return;
    lookup->questions[family] = NULL;
    if (cw_reply_set(&lookup->replies[family], code, families[family], addresses, count_of, ttl_s))
        lookup->replies[family].code = DNS_ERR_UNKNOWN;
    if (!lookup->questions[V6] && !lookup->questions[V4])
        finish(lookup);
    else if (family == V4 && code == DNS_ERR_NONE)
        wait_at_most(lookup, RESOLUTION_DELAY_MS);
}

/* ---- asking ---- */

/* Names of one part are of the network at hand: its search list holds for them, and for no others. */
static int flags_of(const char *name)
{
    return strchr(name, '.') ? DNS_QUERY_NO_SEARCH : 0;
}

static bool ask(cw_lookup *lookup, int family)
{
    struct evdns_request *(*resolve)(struct evdns_base *, const char *, int, evdns_callback_type, void *) =
        family == V6 ? evdns_base_resolve_ipv6 : evdns_base_resolve_ipv4;
    question *asked = calloc(1, sizeof *asked);
    if (!asked)
        return false;
    *asked = (question){.lookup = lookup, .family = family};
    asked->request = resolve(lookup->resolver->dns, lookup->name, flags_of(lookup->name), on_reply, asked);
    if (!asked->request) {
        free(asked);
        return false;
    }
    lookup->questions[family] = asked;
    return true;
}

static bool open_dns(cw_resolver *resolver)
{
    if (!resolver->dns)
        resolver->dns = cw_servers_open(&resolver->servers, resolver->base, resolver->timeout_ms);
    return resolver->dns != NULL;
}

/* NULL: no memory. */
static cw_lookup *begin(cw_resolver *resolver, crawl_slice name)
{
    cw_lookup *lookup = open_dns(resolver) ? calloc(1, sizeof *lookup + name.size + 1) : NULL;
    if (!lookup)
        return NULL;
    lookup->resolver = resolver;
    lookup->name_size = name.size;
    memcpy(lookup->name, name.data, name.size);
    TAILQ_INIT(&lookup->waits);
    lookup->timer = evtimer_new(resolver->base, on_timer, lookup);
    bool asked = lookup->timer && ask(lookup, V6) && ask(lookup, V4);
    if (!asked || cw_map_put(resolver->lookups, crawl_slice_of(lookup->name, name.size), lookup)) {
        lookup_free(lookup);
        return NULL;
    }
    wait_at_most(lookup, resolver->timeout_ms);
    count(&resolver->stats->asked);
    return lookup;
}

bool cw_resolver_ask(cw_resolver *resolver, crawl_slice name, cw_name_wait *wait, cw_name_answer *answer)
{
    int64_t now = now_ms(resolver);
    crawl_err err = cw_names_get(resolver->names, name, now, answer);
    if (!err)
        count(&resolver->stats->cached);
    cw_lookup *lookup = err == CRAWL_ABSENT ? cw_map_get(resolver->lookups, name) : NULL;
    if (err == CRAWL_ABSENT && !lookup && !(lookup = begin(resolver, name)))
        err = CRAWL_ENOMEM;
    if (err == CRAWL_ENOMEM) /* or the name servers, looked for again, have gone */
        answer->verdict = resolver->dns ? CW_NAME_MEMORY : CW_NAME_FAILED;
    if (!lookup)
        return true;
    wait->lookup = lookup;
    wait->since_ms = now;
    TAILQ_INSERT_TAIL(&lookup->waits, wait, link);
    atomic_fetch_add_explicit(&resolver->stats->waiting, 1, memory_order_relaxed);
    return false;
}

/* The lookup goes on without it: its answer is of use to those who ask next. */
void cw_resolver_leave(cw_resolver *resolver, cw_name_wait *wait)
{
    if (!wait->lookup)
        return;
    TAILQ_REMOVE(&wait->lookup->waits, wait, link);
    wait->lookup = NULL;
    atomic_fetch_sub_explicit(&resolver->stats->waiting, 1, memory_order_relaxed);
}

void cw_resolver_rest(cw_resolver *resolver)
{
    if (!resolver || !resolver->tired || cw_map_count(resolver->lookups) > 0)
        return;
    evdns_base_free(resolver->dns, 1);
    resolver->dns = NULL;
    resolver->tired = false;
}

/* ---- the resolver ---- */

/* Is there a way to the IPv6 internet, from an address that belongs to it (RFC 6724, 6, rules 1 and 5)? Connecting a
 * datagram socket sends nothing. */
static bool has_v6_route(void)
{
    struct sockaddr_in6 there = {.sin6_family = AF_INET6, .sin6_port = htons(53)};
    inet_pton(AF_INET6, "2001:db8::1", &there.sin6_addr);
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool has = fd >= 0 && connect(fd, (struct sockaddr *)&there, sizeof there) == 0;
    struct sockaddr_in6 here;
    socklen_t size = sizeof here;
    has =
        has && getsockname(fd, (struct sockaddr *)&here, &size) == 0 && cw_address_is_public((struct sockaddr *)&here);
    if (fd >= 0)
        close(fd);
    return has;
}

static crawl_err prepare(cw_resolver *resolver, const crawl_fetch_options *options)
{
    resolver->names = options->names;
    if (!resolver->names) {
        resolver->names = crawl_name_cache_create();
        resolver->own_names = true;
    }
    resolver->lookups = cw_map_create((uintptr_t)resolver);
    resolver->v6_first = has_v6_route();
    resolver->clock = evutil_monotonic_timer_new();
    if (!resolver->names || !resolver->lookups || !resolver->clock ||
        evutil_configure_monotonic_time(resolver->clock, 0))
        return CRAWL_ENOMEM;
    return CRAWL_OK;
}

crawl_err cw_resolver_create(struct event_base *base, const crawl_fetch_options *options, cw_resolver_stats *stats,
                             cw_name_ready ready, void *user, cw_resolver **out, crawl_error *error)
{
    *out = NULL;
    if (options->resolver == CRAWL_RESOLVER_SYSTEM)
        return CRAWL_OK;
    cw_resolver *resolver = calloc(1, sizeof *resolver);
    if (!resolver)
        return crawl_error_set(error, CRAWL_ENOMEM, "no memory for a resolver");
    *resolver = (cw_resolver){
        .base = base, .timeout_ms = options->dns_timeout_ms, .stats = stats, .ready = ready, .user = user};
    crawl_err err = cw_servers_init(&resolver->servers, options->dns_servers, error);
    if (!err && (err = prepare(resolver, options)))
        crawl_error_set(error, err, "no memory for a resolver");
    if (err || !open_dns(resolver)) {
        cw_resolver_free(resolver);
        return err;
    }
    *out = resolver;
    return CRAWL_OK;
}

void cw_resolver_free(cw_resolver *resolver)
{
    if (!resolver)
        return;
    size_t cursor = 0;
    for (cw_lookup *lookup; resolver->lookups && (lookup = cw_map_next(resolver->lookups, &cursor));)
        lookup_free(lookup);
    if (resolver->dns)
        evdns_base_free(resolver->dns, 1);
    cw_map_free(resolver->lookups);
    if (resolver->clock)
        evutil_monotonic_timer_free(resolver->clock);
    if (resolver->own_names)
        crawl_name_cache_free(resolver->names);
    crawl_buf_free(&resolver->answer.addresses);
    cw_servers_free(&resolver->servers);
    free(resolver);
}
