/* See resolve.h. Each question to evdns has a record of its own, which outlives an abandoned lookup: evdns calls back
 * later for a cancelled question too. When a question has no answer after a third of the lookup's time, another server
 * is asked as well, if there is one; the first answer counts, even from the slow server. */
#include "fetch/names/resolve.h"

#include "base/map.h"
#include "fetch/address.h"
#include "fetch/names/servers.h"

#include <arpa/inet.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* evdns gives up a question a little later than its lookup does, whose end then reports that the servers were
 * silent. */
#define PATIENCE 1.1
/* RFC 8305, 3: how long to wait for IPv6 addresses once the others have arrived. */
#define RESOLUTION_DELAY_MS 50

/* How often a question is asked; the lookup's time is divided into as many equal parts. */
enum { ATTEMPTS = 3 };

enum { V6, V4, FAMILIES };
static const int families[FAMILIES] = {AF_INET6, AF_INET};

typedef struct question {
    cw_dns_resolver *resolver; /* valid while port->ports is not NULL */
    cw_dns_lookup *lookup;     /* NULL: the answer is not wanted, or no longer */
    cw_dns_server *server;
    cw_dns_port *port;
    struct evdns_request *request;
    int64_t since_ms;
    int family;       /* index */
    unsigned attempt; /* index */
} question;

struct cw_dns_lookup {
    cw_dns_resolver *resolver;
    question *questions[FAMILIES][ATTEMPTS]; /* in flight */
    unsigned attempts[FAMILIES];             /* number of questions sent */
    cw_dns_reply replies[FAMILIES];
    unsigned parts; /* elapsed parts of its time */
    struct event *timer;
    TAILQ_HEAD(, cw_dns_wait) waits;
    size_t name_size;
    char name[]; /* NUL-terminated */
};

struct cw_dns_resolver {
    struct event_base *base;
    cw_dns_servers servers;
    cw_dns_ports ports;
    crawl_name_cache *names;
    bool own_names;
    bool v6_first;
    bool tired; /* a lookup got no answer: the list of servers may be outdated */
    struct evutil_monotonic_timer *clock;
    cw_map *lookups; /* by name */
    int64_t timeout_ms;
    cw_names_answer answer; /* the answer of a finished lookup */
    cw_dns_resolver_stats *stats;
    cw_dns_ready ready;
    void *user;
};

static int64_t resolve_now_ms(cw_dns_resolver *resolver)
{
    struct timeval now;
    evutil_gettime_monotonic(resolver->clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_usec / 1000;
}

static void resolve_count(atomic_uint_fast64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* ---- the end of a lookup ---- */

static void resolve_cancel(cw_dns_lookup *lookup, int family)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        question *asked = lookup->questions[family][i];
        if (!asked)
            continue;
        asked->lookup = NULL;
        lookup->questions[family][i] = NULL;
        evdns_cancel_request(asked->port->dns, asked->request);
    }
}

static void lookup_free(cw_dns_lookup *lookup)
{
    for (int i = 0; i < FAMILIES; i++) {
        resolve_cancel(lookup, i);
        crawl_buf_free(&lookup->replies[i].addresses);
    }
    if (lookup->timer)
        event_free(lookup->timer);
    free(lookup);
}

static void resolve_tell(cw_dns_resolver *resolver, cw_dns_lookup *lookup, const cw_names_answer *answer)
{
    int64_t now = resolve_now_ms(resolver);
    for (cw_dns_wait *wait; (wait = TAILQ_FIRST(&lookup->waits));) {
        cw_dns_resolver_leave(resolver, wait);
        resolver->ready(resolver->user, wait, answer, now - wait->since_ms);
    }
}

/* Passes the answer to all waiters, and frees the lookup; only the cache stores the answer. */
static void resolve_finish(cw_dns_lookup *lookup)
{
    cw_dns_resolver *resolver = lookup->resolver;
    crawl_slice name = crawl_slice_of(lookup->name, lookup->name_size);
    cw_names_answer *answer = &resolver->answer;
    cw_dns_reply_combine(&lookup->replies[V6], &lookup->replies[V4], resolver->v6_first, answer);
    cw_names_put(resolver->names, name, answer, resolve_now_ms(resolver));
    cw_map_remove(resolver->lookups, name);
    resolver->tired = resolver->tired || answer->verdict == CW_NAME_LATE || answer->verdict == CW_NAME_FAILED;
    if (answer->verdict > CW_NAME_SYSTEM)
        resolve_count(&resolver->stats->failed);
    resolve_tell(resolver, lookup, answer);
    lookup_free(lookup);
}

/* ---- asking ---- */

static void on_reply(int code, char type, int count_of, int ttl_s, void *addresses, void *user);

/* Asks evdns for a name. Names without a dot belong to the local network: the search list applies only to them. */
static struct evdns_request *resolve_name(question *asked, const char *name)
{
    int flags = strchr(name, '.') ? DNS_QUERY_NO_SEARCH : 0;
    asked->port = cw_dns_ports_take(&asked->resolver->ports, asked->server, !flags);
    if (!asked->port)
        return NULL;
    struct evdns_request *request = asked->family == V6
                                        ? evdns_base_resolve_ipv6(asked->port->dns, name, flags, on_reply, asked)
                                        : evdns_base_resolve_ipv4(asked->port->dns, name, flags, on_reply, asked);
    if (!request)
        cw_dns_port_leave(asked->port);
    return request;
}

/* Sends a question with these fields. False: out of memory or sockets. */
static bool resolve_ask(const question *words, const char *name)
{
    question *asked = malloc(sizeof *asked);
    if (!asked)
        return false;
    *asked = *words;
    asked->since_ms = resolve_now_ms(asked->resolver);
    /* evdns measures its timeout from the loop's cached time, which must not be earlier than since_ms. */
    event_base_update_cache_time(asked->resolver->base);
    asked->request = resolve_name(asked, name);
    if (!asked->request) {
        free(asked);
        return false;
    }
    if (asked->lookup)
        asked->lookup->questions[asked->family][asked->attempt] = asked;
    return true;
}

static bool ask_for(cw_dns_lookup *lookup, int family, cw_dns_server *server)
{
    question words = {.resolver = lookup->resolver, .lookup = lookup, .server = server, .family = family};
    words.attempt = lookup->attempts[family]++;
    return resolve_ask(&words, lookup->name);
}

/* Sends both questions to one server: if it is silent, both reveal it. */
static bool ask_both(cw_dns_lookup *lookup)
{
    cw_dns_server *server = cw_dns_servers_next(&lookup->resolver->servers, NULL);
    return server && ask_for(lookup, V6, server) && ask_for(lookup, V4, server);
}

/* Also sends the question to a silent server whose probe is due, to see whether it responds again. Nothing waits for
 * that. */
static void probe(cw_dns_resolver *resolver, const char *name)
{
    question words = {.resolver = resolver, .family = V4};
    words.server = cw_dns_servers_probe(&resolver->servers, resolve_now_ms(resolver));
    if (words.server)
        resolve_ask(&words, name);
}

/* ---- silence ---- */

static int64_t part_ms(const cw_dns_resolver *resolver)
{
    return resolver->timeout_ms / ATTEMPTS;
}

static void wait_at_most(cw_dns_lookup *lookup, int64_t ms)
{
    struct timeval wait = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    evtimer_add(lookup->timer, &wait);
}

/* Asks another server if the last question for a family has no answer yet. A question sent only a moment ago, after a
 * failure, says nothing about its server. */
static void ask_another(cw_dns_lookup *lookup, int family)
{
    question *last = lookup->questions[family][lookup->attempts[family] - 1];
    int64_t now = resolve_now_ms(lookup->resolver);
    if (!last || now - last->since_ms < part_ms(lookup->resolver) / 2)
        return;
    cw_dns_server_lost(last->server, false, now);
    if (lookup->attempts[family] < ATTEMPTS)
        ask_for(lookup, family, cw_dns_servers_next(&lookup->resolver->servers, last->server));
}

static bool has_addresses(const cw_dns_reply *reply)
{
    return reply->there && reply->code == DNS_ERR_NONE;
}

/* Handles the end of a part of the lookup's time, or of the wait for IPv6 addresses. */
static void resolve_on_timer(evutil_socket_t, short, void *user)
{
    cw_dns_lookup *lookup = user;
    if (has_addresses(&lookup->replies[V4]) || ++lookup->parts == ATTEMPTS) {
        resolve_finish(lookup);
        return;
    }
    ask_another(lookup, V6);
    ask_another(lookup, V4);
    wait_at_most(lookup, part_ms(lookup->resolver));
}

/* ---- answers ---- */

static bool is_refusal(int code)
{
    return code == DNS_ERR_REFUSED || code == DNS_ERR_NOTIMPL;
}

/* evdns reports "server failed" as a timeout, but at once: that is an answer. */
static bool is_silence(const question *asked, int code)
{
    return code == DNS_ERR_TIMEOUT && resolve_now_ms(asked->resolver) - asked->since_ms >= asked->resolver->timeout_ms;
}

/* Records what the end of a question reveals about its server. */
static void judge_server(const question *asked, int code)
{
    int64_t now = resolve_now_ms(asked->resolver);
    if (is_silence(asked, code) || is_refusal(code))
        cw_dns_server_lost(asked->server, is_refusal(code), now);
    else if (code != DNS_ERR_CANCEL && code != DNS_ERR_SHUTDOWN)
        cw_dns_server_heard(asked->server);
}

/* Asks again after a failure: another server or, if there is none, the same one, which may have been busy; but a server
 * that refused will refuse again. False: the answer stands. */
static bool ask_again(const question *asked, int code)
{
    bool is_failure = code == DNS_ERR_TIMEOUT || code == DNS_ERR_SERVERFAILED || is_refusal(code);
    if (!is_failure || asked->lookup->attempts[asked->family] >= ATTEMPTS)
        return false;
    cw_dns_server *next = cw_dns_servers_next(&asked->resolver->servers, asked->server);
    if (next == asked->server && is_refusal(code))
        return false;
    return ask_for(asked->lookup, asked->family, next);
}

static void resolve_take_reply(cw_dns_lookup *lookup, int family, int code, const void *addresses, int count_of,
                               int ttl_s)
{
    cw_dns_reply *reply = &lookup->replies[family];
    resolve_cancel(lookup, family);
    if (cw_dns_reply_set(reply, code, families[family], addresses, count_of, ttl_s))
        reply->code = DNS_ERR_UNKNOWN;
    if (lookup->replies[V6].there && lookup->replies[V4].there)
        resolve_finish(lookup);
    else if (has_addresses(&lookup->replies[V4]))
        wait_at_most(lookup, RESOLUTION_DELAY_MS);
}

static void on_reply(int code, char, int count_of, int ttl_s, void *addresses, void *user)
{
    question asked = *(question *)user;
    bool is_over = !asked.port->ports; /* the resolver is gone */
    free(user);
    cw_dns_port_leave(asked.port);
    if (is_over)
        return;
    judge_server(&asked, code);
    if (!asked.lookup)
        return;
    asked.lookup->questions[asked.family][asked.attempt] = NULL;
    /* The end of a silent question is not a reply: the lookup's own time, over by now, reports that none came. */
    if (!ask_again(&asked, code) && !is_silence(&asked, code))
        resolve_take_reply(asked.lookup, asked.family, code, addresses, count_of, ttl_s);
}

/* ---- lookups ---- */

/* Reads the list of servers again after a failure, if no lookup is in flight: the machine may be in another network by
 * now. */
static void look_for_servers(cw_dns_resolver *resolver)
{
    bool needed = resolver->tired || cw_dns_servers_count(&resolver->servers) == 0;
    if (!needed || resolver->ports.count || cw_map_count(resolver->lookups))
        return;
    resolver->tired = false;
    cw_dns_servers_reload(&resolver->servers, resolver->base);
}

/* Begins a lookup. NULL: out of memory or sockets, or no name server. */
static cw_dns_lookup *resolve_begin(cw_dns_resolver *resolver, crawl_slice name)
{
    look_for_servers(resolver);
    cw_dns_lookup *lookup = calloc(1, sizeof *lookup + name.size + 1);
    if (!lookup)
        return NULL;
    lookup->resolver = resolver;
    lookup->name_size = name.size;
    memcpy(lookup->name, name.data, name.size);
    TAILQ_INIT(&lookup->waits);
    lookup->timer = evtimer_new(resolver->base, resolve_on_timer, lookup);
    bool asked = lookup->timer && ask_both(lookup);
    if (!asked || cw_map_put(resolver->lookups, crawl_slice_of(lookup->name, name.size), lookup)) {
        lookup_free(lookup);
        return NULL;
    }
    probe(resolver, lookup->name);
    wait_at_most(lookup, part_ms(resolver));
    resolve_count(&resolver->stats->asked);
    return lookup;
}

/* Returns why a lookup could not begin. */
static cw_names_verdict resolve_verdict(const cw_dns_resolver *resolver)
{
    if (!cw_dns_servers_count(&resolver->servers)) /* the list was read again */
        return CW_NAME_FAILED;
    return resolver->ports.lack_socket ? CW_NAME_SOCKET : CW_NAME_MEMORY;
}

bool cw_dns_resolver_ask(cw_dns_resolver *resolver, crawl_slice name, cw_dns_wait *wait, cw_names_answer *answer)
{
    int64_t now = resolve_now_ms(resolver);
    crawl_err err = cw_names_get(resolver->names, name, now, answer);
    if (!err)
        resolve_count(&resolver->stats->cached);
    cw_dns_lookup *lookup = err == CRAWL_ABSENT ? cw_map_get(resolver->lookups, name) : NULL;
    if (err == CRAWL_ABSENT && !lookup) {
        lookup = resolve_begin(resolver, name);
        err = lookup ? err : CRAWL_ENOMEM;
    }
    if (err == CRAWL_ENOMEM)
        answer->verdict = resolve_verdict(resolver);
    if (!lookup)
        return true;
    wait->lookup = lookup;
    wait->since_ms = now;
    TAILQ_INSERT_TAIL(&lookup->waits, wait, link);
    atomic_fetch_add_explicit(&resolver->stats->waiting, 1, memory_order_relaxed);
    return false;
}

/* The lookup continues: later waiters can use its answer. */
void cw_dns_resolver_leave(cw_dns_resolver *resolver, cw_dns_wait *wait)
{
    if (!wait->lookup)
        return;
    TAILQ_REMOVE(&wait->lookup->waits, wait, link);
    wait->lookup = NULL;
    atomic_fetch_sub_explicit(&resolver->stats->waiting, 1, memory_order_relaxed);
}

/* ---- the resolver ---- */

/* Returns true if there is a route to the IPv6 internet from a public address (RFC 6724, 6, rules 1 and 5). Connecting
 * a datagram socket sends nothing. */
static bool has_v6_route(void)
{
    struct sockaddr_in6 there = {.sin6_family = AF_INET6, .sin6_port = htons(53)};
    inet_pton(AF_INET6, "2001:db8::1", &there.sin6_addr);
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool has = fd >= 0 && connect(fd, (struct sockaddr *)&there, sizeof there) == 0;
    struct sockaddr_in6 here;
    socklen_t size = sizeof here;
    has = has && getsockname(fd, (struct sockaddr *)&here, &size) == 0 &&
          cw_fetch_address_is_public((struct sockaddr *)&here);
    if (fd >= 0)
        close(fd);
    return has;
}

static crawl_err resolve_prepare(cw_dns_resolver *resolver, const crawl_fetch_options *options)
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

crawl_err cw_dns_resolver_create(struct event_base *base, const crawl_fetch_options *options,
                                 cw_dns_resolver_stats *stats, cw_dns_ready ready, void *user, cw_dns_resolver **out,
                                 crawl_error *error)
{
    *out = NULL;
    if (options->resolver == CRAWL_RESOLVER_SYSTEM)
        return CRAWL_OK;
    cw_dns_resolver *resolver = calloc(1, sizeof *resolver);
    if (!resolver)
        return crawl_error_set(error, CRAWL_ENOMEM, "no memory for a resolver");
    *resolver = (cw_dns_resolver){
        .base = base, .timeout_ms = options->dns_timeout_ms, .stats = stats, .ready = ready, .user = user};
    cw_dns_ports_init(&resolver->ports, base, (int64_t)((double)options->dns_timeout_ms * PATIENCE));
    crawl_err err = cw_dns_servers_init(&resolver->servers, base, options->dns_servers, error);
    if (!err) {
        err = resolve_prepare(resolver, options);
        if (err)
            crawl_error_set(error, err, "no memory for a resolver");
    }
    if (err || !cw_dns_servers_count(&resolver->servers)) {
        cw_dns_resolver_free(resolver);
        return err;
    }
    *out = resolver;
    return CRAWL_OK;
}

void cw_dns_resolver_free(cw_dns_resolver *resolver)
{
    if (!resolver)
        return;
    size_t cursor = 0;
    for (cw_dns_lookup *lookup; resolver->lookups && (lookup = cw_map_next(resolver->lookups, &cursor));)
        lookup_free(lookup);
    cw_dns_ports_free(&resolver->ports);
    cw_map_free(resolver->lookups);
    if (resolver->clock)
        evutil_monotonic_timer_free(resolver->clock);
    if (resolver->own_names)
        crawl_name_cache_free(resolver->names);
    crawl_buf_free(&resolver->answer.addresses);
    cw_dns_servers_free(&resolver->servers);
    free(resolver);
}
