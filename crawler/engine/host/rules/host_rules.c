/* See host_rules.h. Sections are found by the names that a host can have: its own, and those of the domains above. Each
 * combination of sections is merged once, when it is first met, and kept. */
#include "crawler/engine/host/rules/host_rules.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/map.h"
#include "base/net.h"
#include "crawler/engine/host/rules/host_section.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The most sections considered for one origin: names of the DNS have at most 127 labels, and few sections differ only
 * in port. */
#define MAX_CHAIN 160u

/* Longer than any name of the DNS with scheme and port. */
#define MAX_NAME 300u

typedef struct kept_rules {
    cw_host_rules rules;
    crawl_buf headers;
    char key[];
} kept_rules;

struct cw_host_book {
    pthread_mutex_t lock;
    const crawl_config *config;
    crawl_identity *identity; /* signs requests; NULL: none */
    cw_host_section *first;
    unsigned sections;
    cw_map *by_name;
    cw_map *by_key; /* kept_rules */
    cw_map *seeds;  /* origins; each is its own value */
    atomic_uint age;
    bool limit_pages;
    uint32_t most_at_once;
};

/* ---- sections ---- */

/* Puts a section into the list of its name, the more particular first; among equals, the later first. */
static crawl_err link_section(cw_host_book *hosts, cw_host_section *one)
{
    crawl_slice name = crawl_slice_of(one->host, one->name_size);
    cw_host_section *head = cw_map_remove(hosts->by_name, name);
    cw_host_section **at = &head;
    while (*at && cw_host_section_rank(*at) > cw_host_section_rank(one))
        at = &(*at)->next_of_name;
    one->next_of_name = *at;
    *at = one;
    crawl_err err = cw_map_put(hosts->by_name, crawl_slice_of(head->host, head->name_size), head);
    if (err)
        return err;
    one->next = hosts->first;
    hosts->first = one;
    one->serial = hosts->sections++;
    atomic_fetch_add(&hosts->age, 1);
    return CRAWL_OK;
}

static crawl_err add_section(cw_host_book *hosts, const crawl_host_config *config, const char *name, crawl_error *error)
{
    cw_host_section *one;
    crawl_err err = cw_host_section_read(config, name, &one, error);
    if (err)
        return err;
    if (link_section(hosts, one)) {
        cw_host_section_free(one);
        return cw_error(error, CRAWL_ENOMEM);
    }
    hosts->limit_pages = hosts->limit_pages || config->max_pages;
    if (config->per_host > hosts->most_at_once)
        hosts->most_at_once = config->per_host;
    return CRAWL_OK;
}

/* The hosts of a group share the rate of its first section. */
static crawl_err share_rate(cw_host_book *hosts, const crawl_host_config *config, crawl_fetch_rate **rate)
{
    if (!config->rate_limit)
        return CRAWL_OK;
    hosts->first->owns_rate = !*rate;
    if (!*rate)
        *rate = crawl_fetch_rate_create(config->rate_limit);
    hosts->first->rate = *rate;
    return *rate ? CRAWL_OK : CRAWL_ENOMEM;
}

static crawl_err host_rules_add_group(cw_host_book *hosts, const crawl_host_config *config, crawl_error *error)
{
    char name[MAX_NAME];
    crawl_fetch_rate *rate = NULL;
    crawl_slice rest = crawl_slice_from(config->hosts);
    crawl_slice word = cw_take_word(&rest, true);
    if (!word.size)
        return crawl_error_set(error, CRAWL_EINVAL, "[group %s] needs hosts, as hosts = *.shop.example a.example",
                               config->name);
    crawl_err err = CRAWL_OK;
    for (; word.size && !err; word = cw_take_word(&rest, true)) {
        if (word.size >= sizeof name)
            return crawl_error_set(error, CRAWL_EINVAL, "[group %s]: the host name is too long", config->name);
        cw_copy_lower(name, word);
        err = add_section(hosts, config, name, error);
        if (!err && share_rate(hosts, config, &rate))
            err = cw_error(error, CRAWL_ENOMEM);
    }
    return err;
}

/* Refuses passwords without any user: they would not be sent. */
static crawl_err host_rules_check_users(const crawl_config *config, crawl_error *error)
{
    const crawl_host_config *alone = NULL;
    for (size_t i = 0; i < config->host_count; i++) {
        const crawl_host_config *one = &config->hosts[i];
        if (one->user)
            return CRAWL_OK;
        alone = one->password || one->password_file ? one : alone;
    }
    return alone ? crawl_error_set(error, CRAWL_EINVAL, "[%s %s] has a password, but no section has a user",
                                   alone->is_group ? "group" : "host", alone->name)
                 : CRAWL_OK;
}

/* Groups come first, since the later of equally particular sections wins. */
static crawl_err add_sections(cw_host_book *hosts, const crawl_config *config, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < config->host_count && !err; i++)
        if (config->hosts[i].is_group)
            err = host_rules_add_group(hosts, &config->hosts[i], error);
    for (size_t i = 0; i < config->host_count && !err; i++) {
        const crawl_host_config *host = &config->hosts[i];
        if (!host->is_group && host->hosts)
            err = crawl_error_set(error, CRAWL_EINVAL, "[host %s] hosts: only a [group NAME] has hosts", host->name);
        else if (!host->is_group)
            err = add_section(hosts, host, host->name, error);
    }
    return err;
}

/* ---- the book ---- */

crawl_err cw_host_book_create(const crawl_config *config, cw_host_book **out, crawl_error *error)
{
    cw_host_book *hosts = calloc(1, sizeof *hosts);
    if (!hosts)
        return cw_error(error, CRAWL_ENOMEM);
    pthread_mutex_init(&hosts->lock, NULL);
    hosts->config = config;
    hosts->most_at_once = config->per_host;
    atomic_init(&hosts->age, 1);
    hosts->by_name = cw_map_create((uintptr_t)hosts);
    hosts->by_key = cw_map_create((uintptr_t)hosts + 1);
    hosts->seeds = cw_map_create((uintptr_t)hosts + 2);
    bool complete = hosts->by_name && hosts->by_key && hosts->seeds;
    crawl_err err = complete ? cw_host_check_files("fetch", config->client_cert, config->client_key, NULL, error)
                             : cw_error(error, CRAWL_ENOMEM);
    if (!err)
        err = cw_host_identity_open(config, &hosts->identity, error);
    if (!err)
        err = add_sections(hosts, config, error);
    if (!err)
        err = host_rules_check_users(config, error);
    if (err) {
        cw_host_book_free(hosts);
        return err;
    }
    *out = hosts;
    return CRAWL_OK;
}

void cw_host_book_free(cw_host_book *hosts)
{
    if (!hosts)
        return;
    size_t cursor = 0;
    for (kept_rules *one; hosts->by_key && (one = cw_map_next(hosts->by_key, &cursor));)
        cw_secret_free_buf(&one->headers);
    cw_map_free_values(hosts->by_key);
    cw_map_free_values(hosts->seeds);
    cw_map_free(hosts->by_name);
    for (cw_host_section *one; (one = hosts->first);) {
        hosts->first = one->next;
        cw_host_section_free(one);
    }
    crawl_identity_free(hosts->identity);
    pthread_mutex_destroy(&hosts->lock);
    free(hosts);
}

bool cw_host_book_limit_pages(const cw_host_book *hosts)
{
    return hosts->limit_pages;
}

uint32_t cw_host_book_most_at_once(const cw_host_book *hosts)
{
    return hosts->most_at_once;
}

/* ---- seeds ---- */

/* The age grows only if there is a section; without one, nothing depends on the origins of seeds. */
static crawl_err keep_origin(cw_host_book *hosts, crawl_slice origin)
{
    if (cw_map_get(hosts->seeds, origin))
        return CRAWL_OK;
    if (!cw_map_make(hosts->seeds, origin, 1, 0))
        return CRAWL_ENOMEM;
    if (hosts->first)
        atomic_fetch_add(&hosts->age, 1);
    return CRAWL_OK;
}

crawl_err cw_host_book_name(cw_host_book *hosts, const crawl_url *url)
{
    crawl_buf origin = {0};
    crawl_err err = crawl_url_origin(url, &origin);
    pthread_mutex_lock(&hosts->lock);
    if (!err)
        err = keep_origin(hosts, crawl_buf_slice(&origin));
    pthread_mutex_unlock(&hosts->lock);
    crawl_buf_free(&origin);
    return err;
}

/* Returns true if the last user of this origin was the same. */
static bool host_rules_is_known(const cw_host_book *hosts, const cw_host_section *one)
{
    const cw_host_section *there = cw_map_get(hosts->by_name, crawl_slice_of(one->host, one->name_size));
    while (there && (there->port != one->port || strcmp(there->scheme, one->scheme) != 0))
        there = there->next_of_name;
    return there && there->config == &there->own && strcmp(there->own.user, one->own.user) == 0 &&
           strcmp(there->password, one->password) == 0;
}

crawl_err cw_host_book_add_user(cw_host_book *hosts, const crawl_url *url, crawl_slice user, crawl_slice password)
{
    bool has_nul = (user.size && memchr(user.data, '\0', user.size)) ||
                   (password.size && memchr(password.data, '\0', password.size));
    if (has_nul || (user.size && memchr(user.data, ':', user.size)))
        return CRAWL_EINVAL;
    cw_host_section *one = cw_host_section_of_user(url, user, password);
    if (!one)
        return CRAWL_ENOMEM;
    pthread_mutex_lock(&hosts->lock);
    bool known = host_rules_is_known(hosts, one);
    crawl_err err = known ? CRAWL_OK : link_section(hosts, one);
    pthread_mutex_unlock(&hosts->lock);
    if (err || known)
        cw_host_section_free(one);
    return err;
}

/* ---- matching sections ---- */

static size_t add_matches(const cw_host_book *hosts, crawl_slice name, const cw_host_place *at, bool is_seed,
                          cw_host_match *chain, size_t count)
{
    for (const cw_host_section *one = cw_map_get(hosts->by_name, name); one && count < MAX_CHAIN;
         one = one->next_of_name)
        if (cw_host_section_matches(one, at))
            chain[count++] = (cw_host_match){one, cw_host_section_means(one, at, is_seed)};
    return count;
}

/* The host's own sections, then those of "*.DOMAIN". */
static size_t find_chain(const cw_host_book *hosts, const cw_host_place *at, cw_host_match *chain)
{
    bool is_seed = cw_map_get(hosts->seeds, at->origin) != NULL;
    size_t count = add_matches(hosts, at->host, at, is_seed, chain, 0);
    char name[300] = "*";
    for (size_t i = 1; i < at->host.size; i++) {
        size_t size = at->host.size - i;
        if (at->host.data[i] != '.' || size + 1 >= sizeof name)
            continue;
        memcpy(name + 1, at->host.data + i, size);
        count = add_matches(hosts, crawl_slice_of(name, size + 1), at, is_seed, chain, count);
    }
    return count;
}

/* Returns the merged rules of this combination of sections, and merges them on first use. */
static const cw_host_rules *get_rules(cw_host_book *hosts, const cw_host_match *chain, size_t count, bool without_proxy)
{
    uint32_t words[MAX_CHAIN + 1] = {without_proxy};
    for (size_t i = 0; i < count; i++)
        words[i + 1] = chain[i].section->serial << 1 | chain[i].personal;
    size_t size = (count + 1) * sizeof *words;
    kept_rules *one = cw_map_get(hosts->by_key, crawl_slice_of(words, size));
    if (one)
        return &one->rules;
    one = cw_map_make(hosts->by_key, crawl_slice_of(words, size), sizeof *one, offsetof(kept_rules, key));
    if (!one)
        return NULL;
    if (cw_host_merge(hosts->config, hosts->identity, chain, count, without_proxy, &one->rules, &one->headers)) {
        cw_map_remove(hosts->by_key, crawl_slice_of(words, size));
        cw_secret_free_buf(&one->headers);
        free(one);
        return NULL;
    }
    return &one->rules;
}

uint32_t cw_host_book_age(const cw_host_book *hosts)
{
    return atomic_load(&hosts->age);
}

const cw_host_rules *cw_host_book_find(cw_host_book *hosts, crawl_slice origin)
{
    cw_host_match chain[MAX_CHAIN];
    cw_host_place at = cw_host_place_of(origin);
    bool without_proxy = hosts->config->proxy && cw_no_proxy_names(hosts->config->no_proxy, at.host);
    pthread_mutex_lock(&hosts->lock);
    size_t count = hosts->first ? find_chain(hosts, &at, chain) : 0;
    const cw_host_rules *rules = get_rules(hosts, chain, count, without_proxy);
    pthread_mutex_unlock(&hosts->lock);
    return rules;
}
