/* Where requests may go: which hosts may be asked at private addresses, and which ports. Thread-safe.
 *
 * A seed at an address of a private network, or localhost, is meant; a page of the internet that links or
 * redirects there does not decide that (server-side request forgery). The seed opens its host at its own port, and at
 * politeness.private_ports. A name is another matter: what it stands for is said by whoever runs its zone, today this
 * and tomorrow that, so that a seed's name opens nothing, but for the names of politeness.internal_hosts: at the ports
 * of http and https, those that seeds name for it, and private_ports.
 *
 * Ports that browsers block are asked where a seed names that port of that host.
 *
 * With politeness.trust_seeds = false no seed opens anything: strangers choose them. */
#pragma once

#include <crawl/base.h>
#include <crawl/config.h>
#include <crawl/sys/explain.h>
#include <crawl/url.h>

/* A bit for each port. */
typedef struct cw_host_ports {
    uint8_t bits[65536 / 8];
} cw_host_ports;

/* "8080, 8443 9000-9100": numbers and ranges apart by commas or spaces; NULL: none. False: it is no such list. */
bool cw_host_ports_parse(const char *list, cw_host_ports *out);
bool cw_host_ports_have(const cw_host_ports *ports, unsigned port);

typedef struct cw_host_guard cw_host_guard;

/* CRAWL_EINVAL: a setting that is no list of names or ports; CRAWL_ENOMEM. */
crawl_err cw_host_guard_create(const crawl_config *config, cw_host_guard **out, crawl_error *error);
void cw_host_guard_free(cw_host_guard *guard);

/* A seed has this URL. CRAWL_ENOMEM. */
crawl_err cw_host_guard_name(cw_host_guard *guard, const crawl_url *url);
/* Has a seed the host of this URL, at any port? */
bool cw_host_guard_names(cw_host_guard *guard, const crawl_url *url);

/* May the port of this URL be asked? */
bool cw_host_guard_opens(cw_host_guard *guard, const crawl_url *url);

/* May the URL be asked where its host is at a private address? Neither PUBLIC nor PORT; a NAME may not, since seeds do
 * not open what it leads to. admits: is it ALLOWED, SEED or INTERNAL? */
crawl_address_verdict cw_host_guard_judge(cw_host_guard *guard, const crawl_url *url);
bool cw_host_guard_admits(cw_host_guard *guard, const crawl_url *url);
/* The words for a person that say why the URL may be asked, or why not; port_words: why a port may not be asked.
 * Static. */
const char *cw_host_guard_words(cw_host_guard *guard, const crawl_url *url);
extern const char cw_host_guard_port_words[];

/* Is the host of a URL an address? Then its text without brackets is copied. The URL standard leaves no other host of
 * digits and dots than an IPv4 address. */
bool cw_host_guard_is_address(crawl_slice host, char text[64]);
