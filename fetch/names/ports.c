/* See ports.h. evdns by itself gives its questions random ids and random upper and lower case (0x20). Which server is
 * asked, and how often, is decided in resolve.c: for evdns each question has one server and one attempt. */
#include "fetch/names/ports.h"

#include <event2/dns.h>
#include <stdio.h>
#include <stdlib.h>

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
    /* evdns must not give up a server and probe it: its base would then live as long as the probes. */
    evdns_base_set_option(dns, "max-timeouts", "255");
    evdns_base_set_option(dns, "initial-probe-timeout", "3600");
}

static cw_dns_port *open_port(cw_dns_ports *ports, cw_dns_server *server)
{
    struct evdns_base *dns = evdns_base_new(ports->base, EVDNS_BASE_DISABLE_WHEN_INACTIVE);
    cw_dns_port *port = calloc(1, sizeof *port);
    if (!dns || !port ||
        evdns_base_nameserver_sockaddr_add(dns, (struct sockaddr *)&server->address, sizeof server->address, 0)) {
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

/* The port to server that was opened last. */
static cw_dns_port *last_of(const cw_dns_ports *ports, const cw_dns_server *server)
{
    cw_dns_port *last = NULL, *port;
    TAILQ_FOREACH(port, &ports->open, link)
    if (port->server == server)
        last = port;
    return last;
}

/* The port that one more question to server shares: the last with room or, where none has room, the one with the fewest
 * questions under way. */
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
