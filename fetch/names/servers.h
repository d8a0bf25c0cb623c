/* The name servers: their addresses, the order in which they are asked, and what is known of those that are silent.
 * Time is an argument, in milliseconds of a clock that does not go back. */
#pragma once

#include <crawl/base.h>

#include <sys/queue.h>
#include <sys/socket.h>

struct event_base;

/* One name server. All zero but the address: nothing is known of it. */
typedef struct cw_dns_server {
    struct sockaddr_storage address;
    unsigned lost;    /* questions in a row without an answer */
    int64_t pause_ms; /* of a silent server: from one probe to the next */
    int64_t probe_ms; /* of a silent server: the time of its next probe */
} cw_dns_server;

/* {0} is an empty list. */
typedef struct cw_dns_servers {
    crawl_buf list; /* of cw_dns_server */
    size_t next;    /* the index of the server whose turn it is */
    bool is_given;  /* the list stands in the options, not in /etc/resolv.conf */
} cw_dns_servers;

static inline size_t cw_dns_servers_count(const cw_dns_servers *servers)
{
    return servers->list.size / sizeof(cw_dns_server);
}

/* text: addresses with commas or spaces between them, each with ":port" if the port is not 53, IPv6 with a port in
 * brackets; NULL or empty: the servers of /etc/resolv.conf. The list may be empty. evdns is silenced in the whole
 * process: it would print on standard error that a name server does not answer. CRAWL_EINVAL: text has something else;
 * CRAWL_ENOMEM. */
crawl_err cw_dns_servers_init(cw_dns_servers *servers, struct event_base *base, const char *text, crawl_error *error);
void cw_dns_servers_free(cw_dns_servers *servers);

/* Reads /etc/resolv.conf again, unless the list is given. Facts of the servers are kept if their addresses are
 * the same as before; else pointers to servers do not hold any more. */
void cw_dns_servers_reload(cw_dns_servers *servers, struct event_base *base);

/* The next server in turn among those that are not silent, or among all if all are silent; not_this only if there is no
 * other. NULL: the list is empty. */
cw_dns_server *cw_dns_servers_next(cw_dns_servers *servers, const cw_dns_server *not_this);

/* A silent server whose probe is due, while others answer; its next probe is put off. NULL: none is due. */
cw_dns_server *cw_dns_servers_probe(cw_dns_servers *servers, int64_t now_ms);

/* Notes that a server has answered. */
void cw_dns_server_heard(cw_dns_server *server);
/* Notes that a server did not answer a question. refused: it said that it will not answer, so it counts as silent at
 * once. */
void cw_dns_server_lost(cw_dns_server *server, bool refused, int64_t now_ms);

/* The ports from which questions to name servers leave.
 *
 * A forger of answers must guess the port from which the question left. evdns keeps one socket for a name server as
 * long as its base lives, so each lookup has a base of its own, for one name server, with a port that the kernel
 * chooses at random; the base is closed when its last question is over. When many lookups are under way, further ones
 * share the port that was opened last, and when that one has had its share, the one before it; another port is opened
 * as soon as an earlier one is closed. */
enum {
    /* The two questions of a lookup, for IPv4 and IPv6 addresses, have a port to themselves while there is room. */
    CW_DNS_PORT_QUESTIONS = 2,
    /* The most open ports of a resolver; each takes a descriptor. A name server without a port may have one beyond
       them. */
    CW_DNS_PORTS_MAX = 8,
    /* The most questions that a port takes while another has room. Their answers must find room in the buffer of the
       socket, should they all come while the process does not run: Linux gives it 212,992 bytes, of which an answer of
       512 bytes takes 1,280. An answer that does not fit is lost, and asked for again a third of the lookup's time
       later. */
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
