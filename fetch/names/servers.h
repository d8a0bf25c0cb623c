/* The name servers: their addresses, the order in which they are asked, and which of them are silent. Time is an
 * argument, in milliseconds of a clock that does not go back. */
#pragma once

#include <crawl/base.h>

#include <sys/queue.h>
#include <sys/socket.h>

struct event_base;

/* One name server. All zero except the address: nothing is known about it. */
typedef struct cw_dns_server {
    struct sockaddr_storage address;
    unsigned lost;    /* consecutive unanswered questions */
    int64_t pause_ms; /* of a silent server: time between probes */
    int64_t probe_ms; /* of a silent server: time of its next probe */
} cw_dns_server;

/* A list of servers; {0} is an empty one. */
typedef struct cw_dns_servers {
    crawl_buf list; /* of cw_dns_server */
    size_t next;    /* index of the server whose turn it is */
    bool is_given;  /* the list is from the options, not from /etc/resolv.conf */
} cw_dns_servers;

static inline size_t cw_dns_servers_count(const cw_dns_servers *servers)
{
    return servers->list.size / sizeof(cw_dns_server);
}

/* Creates the list. text: addresses separated by commas or spaces, each with ":port" if the port is not 53, IPv6 with a
 * port in brackets; NULL or empty: the servers of /etc/resolv.conf. The list may be empty. Silences evdns in the whole
 * process: it would print on standard error when a name server does not answer. CRAWL_EINVAL: invalid text;
 * CRAWL_ENOMEM. */
crawl_err cw_dns_servers_init(cw_dns_servers *servers, struct event_base *base, const char *text, crawl_error *error);
void cw_dns_servers_free(cw_dns_servers *servers);

/* Reads /etc/resolv.conf again, unless the list is from the options. Keeps what is known about the servers if their
 * addresses are unchanged; otherwise pointers to servers become invalid. */
void cw_dns_servers_reload(cw_dns_servers *servers, struct event_base *base);

/* Returns the next server in turn among those that are not silent, or among all if all are silent; not_this only if
 * there is no other. NULL: the list is empty. */
cw_dns_server *cw_dns_servers_next(cw_dns_servers *servers, const cw_dns_server *not_this);

/* Returns a silent server whose probe is due, while others answer, and postpones its next probe. NULL: none is due. */
cw_dns_server *cw_dns_servers_probe(cw_dns_servers *servers, int64_t now_ms);

/* Records that a server has answered. */
void cw_dns_server_heard(cw_dns_server *server);
/* Records that a server did not answer a question. refused: it said that it will not answer, and counts as silent at
 * once. */
void cw_dns_server_lost(cw_dns_server *server, bool refused, int64_t now_ms);

/* The ports from which questions to name servers are sent.
 *
 * A forger of answers must guess the port of the question. evdns keeps one socket per name server as long as its base
 * lives, so each lookup has its own base, for one name server, with a port that the kernel chooses at random; the base
 * is closed when its last question is over. When many lookups are in flight, further ones share the port that was
 * opened last and, once that has its share, the previous one; another port is opened as soon as an earlier one is
 * closed. */
enum {
    /* The two questions of a lookup, for IPv4 and IPv6 addresses, have a port to themselves while there is room. */
    CW_DNS_PORT_QUESTIONS = 2,
    /* Maximum open ports of a resolver; each takes a descriptor. A name server without a port may have one beyond
     * them. */
    CW_DNS_PORTS_MAX = 8,
    /* Maximum questions of a port while another has room. Their answers must fit into the socket's buffer in case they
     * all arrive while the process does not run: Linux gives it 212,992 bytes, and an answer of 512 bytes takes 1,280
     * of them. An answer that does not fit is lost, and asked for again a third of the lookup's time later. */
    CW_DNS_PORT_SHARED = 128
};

typedef struct cw_dns_ports cw_dns_ports;

typedef struct cw_dns_port {
    TAILQ_ENTRY(cw_dns_port) link;
    cw_dns_ports *ports; /* NULL: the list was freed, and this port is freed with its last question */
    cw_dns_server *server;
    struct evdns_base *dns;
    unsigned questions; /* ever sent from this port */
    unsigned under_way;
    bool searches; /* completes names by the search list of /etc/resolv.conf */
} cw_dns_port;

struct cw_dns_ports {
    struct event_base *base;
    int64_t timeout_ms;             /* per question */
    TAILQ_HEAD(, cw_dns_port) open; /* oldest first */
    unsigned count;
    bool lack_socket; /* the last one could not be opened, since no descriptor is left */
};

void cw_dns_ports_init(cw_dns_ports *ports, struct event_base *base, int64_t timeout_ms);
/* Questions in flight end with DNS_ERR_SHUTDOWN when the loop runs again; cw_dns_port_leave must be called for each. */
void cw_dns_ports_free(cw_dns_ports *ports);

/* Returns a port for a question to server; the question counts as in flight from now on. searches: the name is
 * completed by the search list. NULL: out of memory or sockets. */
cw_dns_port *cw_dns_ports_take(cw_dns_ports *ports, cw_dns_server *server, bool searches);

/* Ends a question. After the last one the port is closed and freed. */
void cw_dns_port_leave(cw_dns_port *port);
