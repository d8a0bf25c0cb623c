/* The name servers: their addresses, the order in which they are asked, and what is known of those that are silent.
 * Time is an argument, in milliseconds of a clock that does not go back. */
#ifndef CW_DNS_SERVERS_H
#define CW_DNS_SERVERS_H

#include <crawl/base.h>

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

/* Reads /etc/resolv.conf again, unless the list is given. What is known of the servers is kept if their addresses are
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

#endif
