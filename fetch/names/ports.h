/* The ports from which questions to name servers leave.
 *
 * Whoever forges an answer must know the port from which the question left. evdns keeps one socket for a name server as
 * long as its base lives, so each lookup has a base of its own, for one name server, with a port that the kernel draws
 * at random; the base is closed when its last question is over. When many lookups are under way, those that come share
 * the port that was opened last; another one is opened as soon as an earlier port is closed. */
#ifndef CW_DNS_PORTS_H
#define CW_DNS_PORTS_H

#include "fetch/names/servers.h"

#include <sys/queue.h>

enum {
    /* The two questions of a lookup, for IPv4 and IPv6 addresses, have a port to themselves while there is room. */
    CW_DNS_PORT_QUESTIONS = 2,
    /* Open ports of a resolver, each of them a descriptor. A name server that has none may have one beyond them. */
    CW_DNS_PORTS_MAX = 8
};

typedef struct cw_dns_ports cw_dns_ports;

typedef struct cw_dns_port {
    TAILQ_ENTRY(cw_dns_port) link;
    cw_dns_ports *ports; /* NULL: they are gone, and this one goes with its last question */
    cw_dns_server *server;
    struct evdns_base *dns;
    unsigned questions; /* that ever left from it */
    unsigned under_way;
    bool searches; /* it knows the search list of /etc/resolv.conf */
} cw_dns_port;

struct cw_dns_ports {
    struct event_base *base;
    int64_t timeout_ms;             /* of a question */
    TAILQ_HEAD(, cw_dns_port) open; /* the oldest first */
    unsigned count;
};

void cw_dns_ports_init(cw_dns_ports *ports, struct event_base *base, int64_t timeout_ms);
/* Questions under way end by DNS_ERR_SHUTDOWN when the loop runs again; each must be told to cw_dns_port_leave. */
void cw_dns_ports_free(cw_dns_ports *ports);

/* A port for a question to server, which is under way from now on. searches: the name is completed by the search list.
 * NULL: no memory, or no socket. */
cw_dns_port *cw_dns_ports_take(cw_dns_ports *ports, cw_dns_server *server, bool searches);

/* A question is over. The port is closed and gone after the last. */
void cw_dns_port_leave(cw_dns_port *port);

#endif
