/* Where requests may go: which hosts may be asked at private addresses, and at which ports. Thread-safe.
 *
 * A seed at an address of a private network, or at localhost, is intended; a page of the internet that links or
 * redirects there does not decide that (server-side request forgery). The seed opens its host at its own port and at
 * politeness.private_ports. A seed's name opens nothing, because whoever runs its zone can make it point elsewhere at
 * any time. The names of politeness.internal_hosts are the exception: they are open at the ports of http and https, at
 * the ports that seeds name for them, and at private_ports.
 *
 * A port that browsers block is asked if a seed names that port of that host.
 *
 * With politeness.trust_seeds = false no seed opens anything, since strangers choose the seeds. */
#pragma once

#include <crawl/base.h>
#include <crawl/config.h>
#include <crawl/sys/explain.h>
#include <crawl/url.h>

/* One bit per port. */
typedef struct cw_host_ports {
    uint8_t bits[65536 / 8];
} cw_host_ports;

/* Parses "8080, 8443 9000-9100": numbers and ranges, separated by commas or spaces; NULL: an empty list. False: not
 * such a list. */
bool cw_host_ports_parse(const char *list, cw_host_ports *out);
bool cw_host_ports_have(const cw_host_ports *ports, unsigned port);

typedef struct cw_host_guard cw_host_guard;

/* CRAWL_EINVAL: a setting is not a list of names or ports; CRAWL_ENOMEM. */
crawl_err cw_host_guard_create(const crawl_config *config, cw_host_guard **out, crawl_error *error);
void cw_host_guard_free(cw_host_guard *guard);

/* Notes that a seed has this URL. CRAWL_ENOMEM. */
crawl_err cw_host_guard_name(cw_host_guard *guard, const crawl_url *url);
/* Returns true if a seed has the host of this URL, at any port. */
bool cw_host_guard_names(cw_host_guard *guard, const crawl_url *url);

/* Returns true if the port of this URL may be asked. */
bool cw_host_guard_opens(cw_host_guard *guard, const crawl_url *url);

/* Tells whether the URL may be asked if its host is at a private address. The verdict is never PUBLIC or PORT. NAME
 * means no, since a seed does not open the addresses that its name leads to. admits: true for ALLOWED, SEED and
 * INTERNAL. */
crawl_address_verdict cw_host_guard_judge(cw_host_guard *guard, const crawl_url *url);
bool cw_host_guard_admits(cw_host_guard *guard, const crawl_url *url);
/* Returns words for a person that say why the URL may or may not be asked; port_words says why a port may not be asked.
 * Static. */
const char *cw_host_guard_words(cw_host_guard *guard, const crawl_url *url);
extern const char cw_host_guard_port_words[];

/* Returns true if the host of a URL is an address, and copies its text without brackets. */
bool cw_host_guard_is_address(crawl_slice host, char text[64]);
