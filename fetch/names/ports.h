/* The ports from which questions to name servers leave.
 *
 * A forger of answers must guess the port from which the question left. evdns keeps one socket for a name server as
 * long as its base lives, so each lookup has a base of its own, for one name server, with a port that the kernel
 * chooses at random; the base is closed when its last question is over. When many lookups are under way, further ones
 * share the port that was opened last, and when that one has had its share, the one before it; another port is opened
 * as soon as an earlier one is closed. */
#ifndef CW_DNS_PORTS_H
#define CW_DNS_PORTS_H

#include "fetch/names/servers.h"

#include <sys/queue.h>

enum {
    /* The two questions of a lookup, for IPv4 and IPv6 addresses, have a port to themselves while there is room. */
    CW_DNS_PORT_QUESTIONS = 2,
    /* The most open ports of a resolver; each takes a descriptor. A name server without a port may have one beyond
       them. */
    CW_DNS_PORTS_MAX = 8,
    /* The most questions that a port takes while another has room. Their answers must find room in the buffer of the
       socket, should they all come while the process does not run: Linux gives it 212,992 bytes, of which an answer of
       512 bytes takes 1,280. What does not fit is lost, and asked for again a third of the lookup's time later. */
    CW_DNS_PORT_SHARED = 128
};

typedef struct cw_dns_ports cw_dns_ports;

typedef struct cw_dns_port {
    TAILQ_ENTRY(cw_dns_port) link;
    cw_dns_ports *ports; /* NULL: the list is freed, and this port is freed with its last question */
    cw_dns_server *server;
    struct evdns_base *dns;
    unsigned questions; /* that ever left from this port */
    unsigned under_way;
    bool searches; /* it completes names by the search list of /etc/resolv.conf */
} cw_dns_port;

struct cw_dns_ports {
    struct event_base *base;
    int64_t timeout_ms;             /* for a question */
    TAILQ_HEAD(, cw_dns_port) open; /* the oldest first */
    unsigned count;
};

void cw_dns_ports_init(cw_dns_ports *ports, struct event_base *base, int64_t timeout_ms);
/* Questions under way end with DNS_ERR_SHUTDOWN when the loop runs again; cw_dns_port_leave must be called for each. */
void cw_dns_ports_free(cw_dns_ports *ports);

/* A port for a question to server; the question counts as under way from now on. searches: the name is completed by the
 * search list. NULL: there is no memory or no socket. */
cw_dns_port *cw_dns_ports_take(cw_dns_ports *ports, cw_dns_server *server, bool searches);

/* A question is over. After the last one the port is closed and freed. */
void cw_dns_port_leave(cw_dns_port *port);

#endif
