/* See servers.h. evdns randomizes the ids of its questions, and the case of their letters (0x20), by itself. */
#include "fetch/servers.h"

#include <event2/dns.h>
#include <event2/event.h>
#include <stdio.h>
#include <sys/socket.h>

enum {
    /* Times that a question is sent, to another server each time where there are several. */
    ATTEMPTS = 3,
    /* Questions on their way at once; further ones wait. As many answers fit into a socket's buffer. */
    MAX_INFLIGHT = 1024
};

/* So that evdns gives up a question after its lookup does, and what it says is never that the servers were silent. */
#define PATIENCE 1.1

static void on_log(int is_warning, const char *text)
{
    (void)is_warning;
    (void)text;
}

static bool is_server(const char *text)
{
    struct sockaddr_storage address;
    int size = sizeof address;
    return evutil_parse_sockaddr_port(text, (struct sockaddr *)&address, &size) == 0;
}

crawl_err cw_servers_init(cw_servers *servers, const char *text, crawl_error *error)
{
    static const char separators[] = ", \t";
    *servers = (cw_servers){0};
    evdns_set_log_fn(on_log);
    for (const char *at = text ? text : ""; *(at += strspn(at, separators)); at += strcspn(at, separators)) {
        size_t start = servers->list.size;
        crawl_err err = crawl_buf_append(&servers->list, at, strcspn(at, separators));
        if (!err)
            err = crawl_buf_append_char(&servers->list, '\0');
        if (err)
            return crawl_error_set(error, err, "no memory for name servers");
        if (!is_server(servers->list.data + start))
            return crawl_error_set(
                error, CRAWL_EINVAL,
                "dns_servers: %.60s is no address of a name server, as 192.0.2.1, 192.0.2.1:53 or [2001:db8::1]:53",
                servers->list.data + start);
    }
    return CRAWL_OK;
}

void cw_servers_free(cw_servers *servers)
{
    crawl_buf_free(&servers->list);
}

/* Search lists and servers alone: options of the file would set aside what was asked of us. */
static void add_servers(const cw_servers *servers, struct evdns_base *dns)
{
    int search = DNS_OPTION_SEARCH | DNS_OPTION_NAMESERVERS_NO_DEFAULT;
    evdns_base_resolv_conf_parse(dns, servers->list.size ? search : search | DNS_OPTION_NAMESERVERS,
                                 "/etc/resolv.conf");
    for (size_t at = 0; at < servers->list.size; at += strlen(servers->list.data + at) + 1)
        evdns_base_nameserver_ip_add(dns, servers->list.data + at);
}

static void set_number(struct evdns_base *dns, const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    evdns_base_set_option(dns, name, text);
}

static void set_options(struct evdns_base *dns, int64_t timeout_ms)
{
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%.3f", (double)timeout_ms / 1000 / ATTEMPTS * PATIENCE);
    evdns_base_set_option(dns, "timeout", seconds);
    set_number(dns, "attempts", ATTEMPTS);
    set_number(dns, "max-inflight", MAX_INFLIGHT);
    evdns_base_set_option(dns, "randomize-case", "1");
    /* A server that has lost some questions in a row is not asked, but for a probe now and then. The only one is always
     * asked. */
    if (evdns_base_count_nameservers(dns) == 1)
        set_number(dns, "max-timeouts", 255);
}

struct evdns_base *cw_servers_open(const cw_servers *servers, struct event_base *base, int64_t timeout_ms)
{
    struct evdns_base *dns = evdns_base_new(base, EVDNS_BASE_DISABLE_WHEN_INACTIVE);
    if (!dns)
        return NULL;
    add_servers(servers, dns);
    if (evdns_base_count_nameservers(dns) == 0) {
        evdns_base_free(dns, 0);
        return NULL;
    }
    set_options(dns, timeout_ms);
    return dns;
}
