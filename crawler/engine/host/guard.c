#include "crawler/engine/host/guard.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "base/net.h"
#include "config/config_values.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* A host that seeds name. Its ports are kept if they open something: at an address, a local or an internal name, or if
 * browsers block them. There are at most 65,536. */
typedef struct seed_host {
    uint16_t *ports;
    size_t count;
    char name[];
} seed_host;

struct cw_host_guard {
    pthread_rwlock_t lock;
    cw_map *hosts;
    bool allow_private;
    bool trusts_seeds;
    cw_host_ports private_ports;
    crawl_buf internal; /* names as URLs spell them, and "*.domain", one per line */
};

const char cw_host_guard_port_words[] = "browsers block this port, and no seed names it for this host";

/* ---- settings ---- */

/* Returns true if the URL parsed from http://WORD:1/ has that port and no other part, so that WORD is a host. */
static bool is_host_alone(const crawl_url *url)
{
    crawl_slice hostname = crawl_url_hostname(url);
    return crawl_slice_equal(crawl_url_path(url), crawl_slice_from("/")) && crawl_url_effective_port(url) == 1 &&
           !crawl_url_username(url).size && !crawl_url_password(url).size && !memchr(hostname.data, '*', hostname.size);
}

static crawl_err add_internal(cw_host_guard *guard, crawl_url *url, crawl_slice word)
{
    crawl_buf text = {0};
    bool below = cw_starts_with(word, "*.");
    crawl_slice name = below ? crawl_slice_of(word.data + 2, word.size - 2) : word;
    crawl_err err = crawl_buf_printf(&text, "http://%.*s:1/", (int)name.size, name.data);
    if (!err)
        err = crawl_url_parse(url, crawl_buf_slice(&text), NULL, NULL);
    crawl_slice hostname = err ? (crawl_slice){0} : crawl_url_hostname(url);
    if (!err && !is_host_alone(url))
        err = CRAWL_EPARSE;
    if (!err)
        err = crawl_buf_printf(&guard->internal, "%s%.*s\n", below ? "*." : "", (int)hostname.size, hostname.data);
    crawl_buf_free(&text);
    return err;
}

static crawl_err set_internal(cw_host_guard *guard, const char *list, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    crawl_url *url = crawl_url_create();
    if (!url)
        err = cw_error(error, CRAWL_ENOMEM);
    while (!err && list && *list) {
        size_t size = strcspn(list, ", \t");
        err = size ? add_internal(guard, url, crawl_slice_of(list, size)) : CRAWL_OK;
        if (err == CRAWL_ENOMEM)
            cw_error(error, err);
        else if (err)
            err = crawl_error_set(error, CRAWL_EINVAL,
                                  "politeness.internal_hosts: %.*s: expected names of hosts, or *.domain", (int)size,
                                  list);
        list += size + (list[size] != '\0');
    }
    crawl_url_free(url);
    return err;
}

crawl_err cw_host_guard_create(const crawl_config *config, cw_host_guard **out, crawl_error *error)
{
    cw_host_guard *guard = calloc(1, sizeof *guard);
    if (!guard)
        return cw_error(error, CRAWL_ENOMEM);
    pthread_rwlock_init(&guard->lock, NULL);
    guard->allow_private = config->allow_private;
    guard->trusts_seeds = config->trust_seeds;
    guard->hosts = cw_map_create((uintptr_t)guard);
    crawl_err err = guard->hosts ? CRAWL_OK : cw_error(error, CRAWL_ENOMEM);
    if (!err && !cw_host_ports_parse(config->private_ports, &guard->private_ports))
        err = crawl_error_set(error, CRAWL_EINVAL, "politeness.private_ports = %s: expected ports, as 8080 9000-9100",
                              config->private_ports);
    if (!err)
        err = set_internal(guard, config->internal_hosts, error);
    if (err)
        cw_host_guard_free(guard);
    else
        *out = guard;
    return err;
}

void cw_host_guard_free(cw_host_guard *guard)
{
    if (!guard)
        return;
    size_t cursor = 0;
    for (seed_host *one; guard->hosts && (one = cw_map_next(guard->hosts, &cursor));)
        free(one->ports);
    cw_map_free_values(guard->hosts);
    crawl_buf_free(&guard->internal);
    pthread_rwlock_destroy(&guard->lock);
    free(guard);
}

/* ---- hosts ---- */

bool cw_host_guard_is_address(crawl_slice host, char text[64])
{
    bool six = host.size > 2 && host.data[0] == '[';
    if (!cw_address_is_host(host) || host.size >= 64)
        return false;
    snprintf(text, 64, "%.*s", (int)(six ? host.size - 2 : host.size), host.data + six);
    return true;
}

/* Accepts "localhost" and "NAME.localhost", also with a final dot. */
static bool guard_is_localhost(crawl_slice host)
{
    return cw_is_in_domain(cw_without_end_dot(host), crawl_slice_from("localhost"));
}

static bool is_internal(const cw_host_guard *guard, crawl_slice hostname)
{
    crawl_slice host = cw_without_end_dot(hostname);
    crawl_slice rest = crawl_buf_slice(&guard->internal);
    for (crawl_slice entry; rest.size;) {
        entry = cw_without_end_dot(cw_cut_line(&rest));
        bool below = cw_starts_with(entry, "*.");
        crawl_slice domain = cw_drop(entry, below ? 2 : 0);
        if (cw_is_in_domain(host, domain) && (host.size > domain.size) == below)
            return true;
    }
    return false;
}

/* Returns true if the host means the same whoever runs its zone: an address, or a local or internal name. */
static bool is_certain(const cw_host_guard *guard, crawl_slice hostname)
{
    char text[64];
    return cw_host_guard_is_address(hostname, text) || guard_is_localhost(hostname) || is_internal(guard, hostname);
}

/* ---- seeds ---- */

static seed_host *guard_add_host(cw_host_guard *guard, crawl_slice name)
{
    seed_host *one = cw_map_get(guard->hosts, name);
    return one ? one : cw_map_make(guard->hosts, name, sizeof *one, offsetof(seed_host, name));
}

static bool has_port(const seed_host *one, unsigned port)
{
    for (size_t i = 0; one && i < one->count; i++)
        if (one->ports[i] == port)
            return true;
    return false;
}

static crawl_err add_port(seed_host *one, unsigned port)
{
    if (has_port(one, port))
        return CRAWL_OK;
    if (CW_ARRAY_RESIZE(one->ports, one->count + 1))
        return CRAWL_ENOMEM;
    one->ports[one->count++] = (uint16_t)port;
    return CRAWL_OK;
}

crawl_err cw_host_guard_name(cw_host_guard *guard, const crawl_url *url)
{
    crawl_slice hostname = crawl_url_hostname(url);
    unsigned port = crawl_url_effective_port(url);
    pthread_rwlock_wrlock(&guard->lock);
    seed_host *one = guard_add_host(guard, hostname);
    crawl_err err = one ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err && guard->trusts_seeds && (cw_bad_port(port) || is_certain(guard, hostname)))
        err = add_port(one, port);
    pthread_rwlock_unlock(&guard->lock);
    return err;
}

/* Returns true if a seed names the host. *port_too: a seed names it with this port. */
static bool guard_look(cw_host_guard *guard, const crawl_url *url, bool *port_too)
{
    pthread_rwlock_rdlock(&guard->lock);
    const seed_host *one = cw_map_get(guard->hosts, crawl_url_hostname(url));
    *port_too = has_port(one, crawl_url_effective_port(url));
    pthread_rwlock_unlock(&guard->lock);
    return one != NULL;
}

bool cw_host_guard_names(cw_host_guard *guard, const crawl_url *url)
{
    bool port_too;
    return guard_look(guard, url, &port_too);
}

/* ---- verdicts ---- */

bool cw_host_guard_opens(cw_host_guard *guard, const crawl_url *url)
{
    bool port_too;
    return !cw_bad_port(crawl_url_effective_port(url)) || (guard_look(guard, url, &port_too) && port_too);
}

crawl_address_verdict cw_host_guard_judge(cw_host_guard *guard, const crawl_url *url)
{
    crawl_slice hostname = crawl_url_hostname(url);
    unsigned port = crawl_url_effective_port(url);
    bool port_too;
    if (guard->allow_private)
        return CRAWL_ADDRESS_ALLOWED;
    if (!is_certain(guard, hostname))
        return CRAWL_ADDRESS_NAME;
    bool named = guard_look(guard, url, &port_too) && guard->trusts_seeds;
    bool internal = is_internal(guard, hostname);
    if (!named && !internal)
        return CRAWL_ADDRESS_NO_SEED;
    if (port_too || cw_host_ports_have(&guard->private_ports, port))
        return named ? CRAWL_ADDRESS_SEED : CRAWL_ADDRESS_INTERNAL;
    return internal && (port == 80 || port == 443) ? CRAWL_ADDRESS_INTERNAL : CRAWL_ADDRESS_NO_PORT;
}

bool cw_host_guard_admits(cw_host_guard *guard, const crawl_url *url)
{
    crawl_address_verdict found = cw_host_guard_judge(guard, url);
    return found == CRAWL_ADDRESS_ALLOWED || found == CRAWL_ADDRESS_SEED || found == CRAWL_ADDRESS_INTERNAL;
}

const char *cw_host_guard_words(cw_host_guard *guard, const crawl_url *url)
{
    static const char *const words[] = {
        [CRAWL_ADDRESS_ALLOWED] = "fetch.allow_private = true",
        [CRAWL_ADDRESS_SEED] = "a seed names the host",
        [CRAWL_ADDRESS_INTERNAL] = "politeness.internal_hosts names the host",
        [CRAWL_ADDRESS_NO_SEED] = "the host is at a private address; see --allow-private",
        [CRAWL_ADDRESS_NO_PORT] =
            "the host is at a private address, and no seed names this port of it; see politeness.private_ports",
        [CRAWL_ADDRESS_NAME] = "the name leads to a private address; see politeness.internal_hosts and --allow-private",
    };
    return words[cw_host_guard_judge(guard, url)];
}

static bool host_ports_take_number(crawl_slice *text, unsigned *out)
{
    unsigned value = 0;
    size_t digits = 0;
    for (; digits < text->size && digits < 6 && cw_is_digit((unsigned char)text->data[digits]); digits++)
        value = value * 10 + (unsigned)(text->data[digits] - '0');
    *text = crawl_slice_of(text->data + digits, text->size - digits);
    *out = value;
    return digits > 0 && value <= UINT16_MAX;
}

/* Adds NUMBER or NUMBER-NUMBER. False: neither. */
static bool host_ports_add(cw_host_ports *ports, crawl_slice word)
{
    unsigned first, last;
    if (!host_ports_take_number(&word, &first))
        return false;
    last = first;
    if (word.size && word.data[0] == '-') {
        word = crawl_slice_of(word.data + 1, word.size - 1);
        if (!host_ports_take_number(&word, &last))
            return false;
    }
    for (unsigned port = first; port <= last; port++)
        ports->bits[port / 8] |= (uint8_t)(1u << port % 8);
    return !word.size && first <= last;
}

bool cw_host_ports_parse(const char *list, cw_host_ports *out)
{
    *out = (cw_host_ports){0};
    while (list && *list) {
        size_t size = strcspn(list, ", \t");
        if (size && !host_ports_add(out, crawl_slice_of(list, size)))
            return false;
        list += size + (list[size] != '\0');
    }
    return true;
}

bool cw_host_ports_have(const cw_host_ports *ports, unsigned port)
{
    return port <= UINT16_MAX && (ports->bits[port / 8] >> port % 8 & 1);
}
