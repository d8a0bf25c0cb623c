/* See servers.h. A server that left several consecutive questions unanswered is silent: it is no longer asked, except
 * by an occasional probe for which nothing waits. If it kept its turn, each lookup that begins with it would have to
 * wait until the question is asked elsewhere. */
#include "fetch/names/servers.h"

#include <errno.h>
#include <event2/dns.h>
#include <event2/util.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    /* Consecutive unanswered questions that make a server silent: one or two are occasionally lost on the way. */
    LOST_MAX = 3,
    /* The pause before the first probe, its growth factor, and its maximum: a server that is down for a day gets few
     * probes, and one that comes back is noticed within the hour. */
    PAUSE_MS = 10 * 1000,
    PAUSE_GROWTH = 3,
    PAUSE_MAX_MS = 60 * 60 * 1000
};

static cw_dns_server *servers_at(const cw_dns_servers *servers, size_t index)
{
    return (cw_dns_server *)(void *)servers->list.data + index;
}

static bool servers_is_silent(const cw_dns_server *server)
{
    return server->lost >= LOST_MAX;
}

static void on_log(int, const char *)
{
}

/* ---- the list ---- */

static crawl_err servers_add(crawl_buf *list, const struct sockaddr_storage *address)
{
    cw_dns_server server = {.address = *address, .pause_ms = PAUSE_MS};
    return crawl_buf_append(list, &server, sizeof server);
}

/* Adds one address of the options. CRAWL_EINVAL: word is not an address. */
static crawl_err add_given(crawl_buf *list, crawl_slice word)
{
    char text[64] = "";
    struct sockaddr_storage address = {0};
    int size = sizeof address;
    if (word.size >= sizeof text)
        return CRAWL_EINVAL;
    memcpy(text, word.data, word.size);
    if (evutil_parse_sockaddr_port(text, (struct sockaddr *)&address, &size))
        return CRAWL_EINVAL;
    in_port_t *port = address.ss_family == AF_INET ? &((struct sockaddr_in *)&address)->sin_port
                                                   : &((struct sockaddr_in6 *)&address)->sin6_port;
    *port = *port ? *port : htons(53);
    return servers_add(list, &address);
}

static crawl_err servers_read_given(crawl_buf *list, const char *text, crawl_error *error)
{
    static const char separators[] = ", \t";
    for (const char *word = text + strspn(text, separators); *word; word += strspn(word, separators)) {
        size_t size = strcspn(word, separators);
        crawl_err err = add_given(list, crawl_slice_of(word, size));
        if (err == CRAWL_EINVAL)
            return crawl_error_set(
                error, err,
                "dns_servers: %.*s is not the address of a name server, as 192.0.2.1, 192.0.2.1:53 or "
                "[2001:db8::1]:53",
                size < 60 ? (int)size : 60, word);
        if (err)
            return crawl_error_set(error, err, "no memory for name servers");
        word += size;
    }
    return CRAWL_OK;
}

/* Reads /etc/resolv.conf through evdns. */
static crawl_err servers_read_file(crawl_buf *list, struct event_base *base)
{
    struct evdns_base *dns = evdns_base_new(base, EVDNS_BASE_DISABLE_WHEN_INACTIVE);
    if (!dns)
        return CRAWL_ENOMEM;
    evdns_base_resolv_conf_parse(dns, DNS_OPTION_NAMESERVERS | DNS_OPTION_NAMESERVERS_NO_DEFAULT, "/etc/resolv.conf");
    crawl_err err = CRAWL_OK;
    for (int i = 0; i < evdns_base_count_nameservers(dns) && !err; i++) {
        struct sockaddr_storage address = {0};
        if (evdns_base_get_nameserver_addr(dns, i, (struct sockaddr *)&address, sizeof address) > 0)
            err = servers_add(list, &address);
    }
    evdns_base_free(dns, 0);
    return err;
}

crawl_err cw_dns_servers_init(cw_dns_servers *servers, struct event_base *base, const char *text, crawl_error *error)
{
    *servers = (cw_dns_servers){0};
    evdns_set_log_fn(on_log);
    crawl_err err = servers_read_given(&servers->list, text ? text : "", error);
    servers->is_given = servers->list.size > 0;
    if (!err && !servers->is_given && servers_read_file(&servers->list, base))
        err = crawl_error_set(error, CRAWL_ENOMEM, "no memory for name servers");
    return err;
}

void cw_dns_servers_free(cw_dns_servers *servers)
{
    crawl_buf_free(&servers->list);
}

static bool has_same_addresses(const cw_dns_servers *a, const cw_dns_servers *b)
{
    bool same = a->list.size == b->list.size;
    for (size_t i = 0; same && i < cw_dns_servers_count(a); i++)
        same = memcmp(&servers_at(a, i)->address, &servers_at(b, i)->address, sizeof servers_at(a, i)->address) == 0;
    return same;
}

void cw_dns_servers_reload(cw_dns_servers *servers, struct event_base *base)
{
    cw_dns_servers fresh = {0};
    if (servers->is_given || servers_read_file(&fresh.list, base) || has_same_addresses(servers, &fresh)) {
        cw_dns_servers_free(&fresh);
        return;
    }
    cw_dns_servers_free(servers);
    *servers = fresh;
}

/* ---- turns ---- */

static bool has_one_that_answers(const cw_dns_servers *servers)
{
    for (size_t i = 0; i < cw_dns_servers_count(servers); i++)
        if (!servers_is_silent(servers_at(servers, i)))
            return true;
    return false;
}

cw_dns_server *cw_dns_servers_next(cw_dns_servers *servers, const cw_dns_server *not_this)
{
    size_t count = cw_dns_servers_count(servers);
    bool any = !has_one_that_answers(servers);
    cw_dns_server *found = NULL;
    for (size_t i = 0; i < count && (!found || found == not_this); i++) {
        cw_dns_server *server = servers_at(servers, (servers->next + i) % count);
        if (any || !servers_is_silent(server))
            found = server;
    }
    if (found)
        servers->next = (size_t)(found - servers_at(servers, 0)) + 1;
    return found;
}

cw_dns_server *cw_dns_servers_probe(cw_dns_servers *servers, int64_t now_ms)
{
    if (!has_one_that_answers(servers))
        return NULL; /* all are silent, and asked in turn already */
    for (size_t i = 0; i < cw_dns_servers_count(servers); i++) {
        cw_dns_server *server = servers_at(servers, i);
        if (servers_is_silent(server) && now_ms >= server->probe_ms) {
            int64_t pause_ms = server->pause_ms * PAUSE_GROWTH;
            server->pause_ms = pause_ms < PAUSE_MAX_MS ? pause_ms : PAUSE_MAX_MS;
            server->probe_ms = now_ms + server->pause_ms;
            return server;
        }
    }
    return NULL;
}

void cw_dns_server_heard(cw_dns_server *server)
{
    server->lost = 0;
    server->pause_ms = PAUSE_MS;
}

void cw_dns_server_lost(cw_dns_server *server, bool refused, int64_t now_ms)
{
    if (servers_is_silent(server))
        return;
    server->lost = refused ? LOST_MAX : server->lost + 1;
    server->probe_ms = now_ms + server->pause_ms;
}

/* evdns itself gives its questions random ids and random upper and lower case (0x20). resolve.c decides which server is
 * asked, and how often: for evdns each question has one server and one attempt. */

void cw_dns_ports_init(cw_dns_ports *ports, struct event_base *base, int64_t timeout_ms)
{
    *ports = (cw_dns_ports){.base = base, .timeout_ms = timeout_ms};
    TAILQ_INIT(&ports->open);
}

static void close_port(cw_dns_port *port)
{
    TAILQ_REMOVE(&port->ports->open, port, link);
    port->ports->count--;
    port->ports = NULL;
    evdns_base_free(port->dns, 1);
}

void cw_dns_ports_free(cw_dns_ports *ports)
{
    while (!TAILQ_EMPTY(&ports->open))
        close_port(TAILQ_FIRST(&ports->open));
}

static void set_options(struct evdns_base *dns, int64_t timeout_ms)
{
    char seconds[32], most[32];
    snprintf(seconds, sizeof seconds, "%.3f", (double)timeout_ms / 1000);
    snprintf(most, sizeof most, "%d", CW_DNS_PORT_SHARED);
    evdns_base_set_option(dns, "timeout", seconds);
    evdns_base_set_option(dns, "attempts", "1");
    evdns_base_set_option(dns, "max-inflight", most);
    evdns_base_set_option(dns, "randomize-case", "1");
    /* Keeps evdns from giving up a server and probing it: its base would then live as long as the probes. */
    evdns_base_set_option(dns, "max-timeouts", "255");
    evdns_base_set_option(dns, "initial-probe-timeout", "3600");
}

static cw_dns_port *open_port(cw_dns_ports *ports, cw_dns_server *server)
{
    struct evdns_base *dns = evdns_base_new(ports->base, EVDNS_BASE_DISABLE_WHEN_INACTIVE);
    cw_dns_port *port = calloc(1, sizeof *port);
    errno = 0;
    bool is_open =
        dns && port &&
        !evdns_base_nameserver_sockaddr_add(dns, (struct sockaddr *)&server->address, sizeof server->address, 0);
    ports->lack_socket = !is_open && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS);
    if (!is_open) {
        if (dns)
            evdns_base_free(dns, 0);
        free(port);
        return NULL;
    }
    set_options(dns, ports->timeout_ms);
    *port = (cw_dns_port){.ports = ports, .server = server, .dns = dns};
    TAILQ_INSERT_TAIL(&ports->open, port, link);
    ports->count++;
    return port;
}

/* Returns the port to server that was opened last. */
static cw_dns_port *last_of(const cw_dns_ports *ports, const cw_dns_server *server)
{
    cw_dns_port *last = NULL, *port;
    TAILQ_FOREACH(port, &ports->open, link)
    if (port->server == server)
        last = port;
    return last;
}

/* Returns the port that one more question to server shares: the last with room or, if none has room, the one with the
 * fewest questions in flight. */
static cw_dns_port *ports_shared_of(const cw_dns_ports *ports, const cw_dns_server *server)
{
    cw_dns_port *shared = NULL, *port;
    TAILQ_FOREACH(port, &ports->open, link)
    {
        bool better = !shared || port->questions < CW_DNS_PORT_SHARED ||
                      (shared->questions >= CW_DNS_PORT_SHARED && port->under_way < shared->under_way);
        if (port->server == server && better)
            shared = port;
    }
    return shared;
}

cw_dns_port *cw_dns_ports_take(cw_dns_ports *ports, cw_dns_server *server, bool searches)
{
    cw_dns_port *port = last_of(ports, server);
    bool is_full = !port || port->questions >= CW_DNS_PORT_QUESTIONS;
    cw_dns_port *fresh = is_full && (!port || ports->count < CW_DNS_PORTS_MAX) ? open_port(ports, server) : NULL;
    if (fresh)
        port = fresh;
    else if (is_full)
        port = ports_shared_of(ports, server);
    if (!port)
        return NULL;
    if (searches && !port->searches)
        evdns_base_resolv_conf_parse(port->dns, DNS_OPTION_SEARCH, "/etc/resolv.conf");
    port->searches = port->searches || searches;
    port->questions++;
    port->under_way++;
    return port;
}

void cw_dns_port_leave(cw_dns_port *port)
{
    if (--port->under_way)
        return;
    if (port->ports)
        close_port(port);
    free(port);
}
