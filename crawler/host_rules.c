/* See host_rules.h. Sections are found by the names that a host can have, its own and those of the domains above; what they give together is
 * made once for each combination that is met, and kept. */
#include "crawler/host_rules.h"

#include "base/bytes.h"
#include "base/header.h"
#include "base/map.h"
#include "crawler/no_proxy.h"
#include "crawler/secret_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Sections of one origin that are looked at: names of the DNS have 127 labels at most, and few sections differ in port alone. */
#define MAX_CHAIN 160u

typedef struct section {
    struct section *next_of_name; /* less particular */
    struct section *next;         /* of all */
    const crawl_host_config *config;
    crawl_host_config own; /* config, of a seed's user */
    char *password;        /* NULL: none */
    char *bearer;
    char scheme[8];   /* "": any */
    unsigned port;    /* 0: any */
    unsigned serial;  /* from 0 */
    size_t name_size; /* of host */
    char host[];      /* as URLs have it, with "*." before */
} section;

typedef struct kept_rules {
    struct kept_rules *next;
    cw_host_rules rules;
    crawl_buf headers;
    size_t key_size;
    char key[];
} kept_rules;

typedef struct named_origin {
    struct named_origin *next;
    char text[];
} named_origin;

struct cw_host_book {
    pthread_mutex_t lock;
    const crawl_config *config;
    section *first;
    unsigned sections;
    cw_map *by_name;
    kept_rules *first_rules;
    cw_map *by_key;
    named_origin *first_origin;
    cw_map *seeds; /* origins */
    bool limit_pages;
    uint32_t most_at_once;
};

/* An origin in its parts. */
typedef struct place {
    crawl_slice origin;
    crawl_slice scheme;
    crawl_slice host;
    unsigned port;
} place;

/* A section that matches, and whether it means this origin. */
typedef struct match {
    const section *section;
    bool personal;
} match;

/* ---- sections ---- */

static unsigned default_port(crawl_slice scheme)
{
    return crawl_slice_equal(scheme, crawl_slice_from("https")) ? 443 : 80;
}

/* Scheme and port count, scheme more. */
static unsigned rank(const section *one)
{
    return (one->scheme[0] ? 2u : 0u) + (one->port ? 1u : 0u);
}

/* Into the list of its name, the more particular first, of equals the later. */
static crawl_err link_section(cw_host_book *hosts, section *one)
{
    crawl_slice name = crawl_slice_of(one->host, one->name_size);
    section *head = cw_map_remove(hosts->by_name, name);
    section **at = &head;
    while (*at && rank(*at) > rank(one))
        at = &(*at)->next_of_name;
    one->next_of_name = *at;
    *at = one;
    crawl_err err = cw_map_put(hosts->by_name, crawl_slice_of(head->host, head->name_size), head);
    if (err)
        return err;
    one->next = hosts->first;
    hosts->first = one;
    one->serial = hosts->sections++;
    return CRAWL_OK;
}

static section *new_section(const char *before, crawl_slice host)
{
    size_t size = strlen(before) + host.size;
    section *one = calloc(1, sizeof *one + size + 1);
    if (!one)
        return NULL;
    memcpy(one->host, before, strlen(before));
    memcpy(one->host + strlen(before), host.data, host.size);
    one->name_size = size;
    return one;
}

static void free_text(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

static void free_section(section *one)
{
    free_text(one->password);
    free_text(one->bearer);
    free(one->own.user);
    free(one);
}

/* The scheme of a section's name, cut off *rest; "": none. */
static const char *cut_scheme(const char **rest)
{
    static const char *const schemes[] = {"https", "http"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t size = strlen(schemes[i]);
        if (strncmp(*rest, schemes[i], size) == 0 && strncmp(*rest + size, "://", 3) == 0) {
            *rest += size + 3;
            return schemes[i];
        }
    }
    return "";
}

/* The port as it stands: of a URL the default one is dropped. */
static unsigned port_of_name(const char *name)
{
    const char *colon = strrchr(name, ':');
    const char *bracket = strrchr(name, ']');
    return colon && (!bracket || colon > bracket) ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

/* Its name by the URL standard: what URLs of such hosts say. */
static crawl_err parse_name(const char *name, section **out, crawl_error *error)
{
    const char *rest = name;
    const char *scheme = cut_scheme(&rest);
    const char *before = strncmp(rest, "*.", 2) == 0 ? "*." : "";
    crawl_buf text = {0};
    crawl_url *url = crawl_url_create();
    section *one = NULL;
    crawl_err err = url ? crawl_buf_printf(&text, "http://%s/", rest + strlen(before)) : CRAWL_ENOMEM;
    if (!err)
        err = crawl_url_parse(url, crawl_buf_slice(&text), NULL, NULL);
    if (!err && !(one = new_section(before, crawl_url_hostname(url))))
        err = CRAWL_ENOMEM;
    if (one) {
        memcpy(one->scheme, scheme, strlen(scheme));
        one->port = port_of_name(rest);
        *out = one;
    }
    crawl_url_free(url);
    crawl_buf_free(&text);
    if (err == CRAWL_EPARSE)
        return crawl_error_set(error, CRAWL_EINVAL, "[host %s]: no host has such a name", name);
    return err ? crawl_error_set(error, err, "%s", crawl_strerror(err)) : CRAWL_OK;
}

static crawl_err check_file(const char *where, const char *key, const char *path, crawl_error *error)
{
    if (!path || access(path, R_OK) == 0)
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EIO, "[%s] %s: %s: %s", where, key, path, strerror(errno));
}

static crawl_err check_files(const char *where, const char *cert, const char *key, const char *ca, crawl_error *error)
{
    crawl_err err = check_file(where, "client_cert", cert, error);
    if (!err)
        err = check_file(where, "client_key", key, error);
    return err ? err : check_file(where, "ca_file", ca, error);
}

/* The text given, or else the first line of the file. */
static crawl_err take_secret(const char *text, const char *path, char **out, crawl_error *error)
{
    if (text)
        return (*out = strdup(text)) ? CRAWL_OK : crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    return path ? cw_secret_read(path, out, error) : CRAWL_OK;
}

static crawl_err add_section(cw_host_book *hosts, const crawl_host_config *config, crawl_error *error)
{
    section *one = NULL;
    char where[80];
    snprintf(where, sizeof where, "host %.70s", config->name);
    crawl_err err = check_files(where, config->client_cert, config->client_key, config->ca_file, error);
    if (!err && config->user && strchr(config->user, ':'))
        err = crawl_error_set(error, CRAWL_EINVAL, "[%s] user: a user's name holds no colon (RFC 7617, 2)", where);
    if (!err)
        err = parse_name(config->name, &one, error);
    if (!err)
        err = take_secret(config->password, config->password_file, &one->password, error);
    if (!err)
        err = take_secret(config->bearer, config->bearer_file, &one->bearer, error);
    if (!err && link_section(hosts, one))
        err = crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    if (err && one)
        free_section(one);
    if (err)
        return err;
    one->config = config;
    hosts->limit_pages = hosts->limit_pages || config->max_pages;
    if (config->per_host > hosts->most_at_once)
        hosts->most_at_once = config->per_host;
    return CRAWL_OK;
}

/* ---- the whole ---- */

crawl_err cw_host_book_create(const crawl_config *config, cw_host_book **out, crawl_error *error)
{
    cw_host_book *hosts = calloc(1, sizeof *hosts);
    if (!hosts)
        return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    pthread_mutex_init(&hosts->lock, NULL);
    hosts->config = config;
    hosts->most_at_once = config->per_host;
    hosts->by_name = cw_map_create((uintptr_t)hosts);
    hosts->by_key = cw_map_create((uintptr_t)hosts + 1);
    hosts->seeds = cw_map_create((uintptr_t)hosts + 2);
    bool complete = hosts->by_name && hosts->by_key && hosts->seeds;
    crawl_err err = complete ? check_files("fetch", config->client_cert, config->client_key, NULL, error)
                             : crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    for (size_t i = 0; i < config->host_count && !err; i++)
        err = add_section(hosts, &config->hosts[i], error);
    if (err) {
        cw_host_book_free(hosts);
        return err;
    }
    *out = hosts;
    return CRAWL_OK;
}

static void free_rules(kept_rules *one)
{
    if (one->headers.data)
        explicit_bzero(one->headers.data, one->headers.capacity);
    crawl_buf_free(&one->headers);
    free(one);
}

void cw_host_book_free(cw_host_book *hosts)
{
    if (!hosts)
        return;
    cw_map_free(hosts->by_name);
    cw_map_free(hosts->by_key);
    cw_map_free(hosts->seeds);
    for (section *one; (one = hosts->first);) {
        hosts->first = one->next;
        free_section(one);
    }
    for (kept_rules *one; (one = hosts->first_rules);) {
        hosts->first_rules = one->next;
        free_rules(one);
    }
    for (named_origin *one; (one = hosts->first_origin);) {
        hosts->first_origin = one->next;
        free(one);
    }
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

static crawl_err keep_origin(cw_host_book *hosts, crawl_slice origin)
{
    if (cw_map_get(hosts->seeds, origin))
        return CRAWL_OK;
    named_origin *one = malloc(sizeof *one + origin.size);
    if (!one)
        return CRAWL_ENOMEM;
    memcpy(one->text, origin.data, origin.size);
    crawl_err err = cw_map_put(hosts->seeds, crawl_slice_of(one->text, origin.size), one);
    if (err) {
        free(one);
        return err;
    }
    one->next = hosts->first_origin;
    hosts->first_origin = one;
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

/* The same user of the same origin, and none since. */
static bool is_known(const cw_host_book *hosts, const section *one)
{
    const section *there = cw_map_get(hosts->by_name, crawl_slice_of(one->host, one->name_size));
    while (there && (there->port != one->port || strcmp(there->scheme, one->scheme) != 0))
        there = there->next_of_name;
    return there && there->config == &there->own && strcmp(there->own.user, one->own.user) == 0 &&
           strcmp(there->password, one->password) == 0;
}

crawl_err cw_host_book_add_user(cw_host_book *hosts, const crawl_url *url, crawl_slice user, crawl_slice password)
{
    crawl_slice scheme = crawl_url_scheme(url);
    bool has_nul =
        (user.size && memchr(user.data, '\0', user.size)) || (password.size && memchr(password.data, '\0', password.size));
    if (has_nul || (user.size && memchr(user.data, ':', user.size)))
        return CRAWL_EINVAL;
    section *one = new_section("", crawl_url_hostname(url));
    if (!one)
        return CRAWL_ENOMEM;
    one->config = &one->own;
    one->own.delay_ms = -1;
    one->own.user = strndup(user.size ? user.data : "", user.size);
    one->password = strndup(password.size ? password.data : "", password.size);
    one->port = crawl_url_effective_port(url);
    memcpy(one->scheme, scheme.data, scheme.size < sizeof one->scheme ? scheme.size : sizeof one->scheme - 1);
    pthread_mutex_lock(&hosts->lock);
    bool known = one->own.user && one->password && is_known(hosts, one);
    crawl_err err = known ? CRAWL_OK : one->own.user && one->password ? link_section(hosts, one) : CRAWL_ENOMEM;
    pthread_mutex_unlock(&hosts->lock);
    if (err || known)
        free_section(one);
    return err;
}

/* ---- which sections hold ---- */

static place place_of(crawl_slice origin)
{
    const char *end = origin.data + origin.size;
    const char *start = memmem(origin.data, origin.size, "://", 3);
    start = start ? start + 3 : end;
    const char *colon = end;
    while (colon > start && cw_is_digit((unsigned char)colon[-1]))
        colon--;
    bool has_port = colon > start && colon < end && colon[-1] == ':';
    place at = {.origin = origin, .scheme = {.data = origin.data}};
    at.scheme.size = start > origin.data + 3 ? (size_t)(start - origin.data) - 3 : 0;
    at.host = crawl_slice_of(start, (size_t)((has_port ? colon - 1 : end) - start));
    for (; has_port && colon < end; colon++)
        at.port = at.port * 10 + (unsigned)(*colon - '0');
    at.port = has_port ? at.port : default_port(at.scheme);
    return at;
}

static bool matches(const section *one, const place *at)
{
    bool scheme = !one->scheme[0] || crawl_slice_equal(at->scheme, crawl_slice_from(one->scheme));
    return scheme && (!one->port || one->port == at->port);
}

/* Does the section mean this very origin? */
static bool means(const cw_host_book *hosts, const section *one, const place *at)
{
    if (one->port)
        return true;
    bool usual_port = at->port == default_port(at->scheme);
    if (one->scheme[0])
        return usual_port;
    return (usual_port && crawl_slice_equal(at->scheme, crawl_slice_from("https"))) || cw_map_get(hosts->seeds, at->origin);
}

static size_t add_matches(const cw_host_book *hosts, crawl_slice name, const place *at, match *chain, size_t count)
{
    for (const section *one = cw_map_get(hosts->by_name, name); one && count < MAX_CHAIN; one = one->next_of_name)
        if (matches(one, at))
            chain[count++] = (match){one, means(hosts, one, at)};
    return count;
}

/* The host's own sections, then those of "*.DOMAIN". */
static size_t find_chain(const cw_host_book *hosts, const place *at, match *chain)
{
    size_t count = add_matches(hosts, at->host, at, chain, 0);
    char name[300] = "*";
    for (size_t i = 1; i < at->host.size; i++) {
        size_t size = at->host.size - i;
        if (at->host.data[i] != '.' || size + 1 >= sizeof name)
            continue;
        memcpy(name + 1, at->host.data + i, size);
        count = add_matches(hosts, crawl_slice_of(name, size + 1), at, chain, count);
    }
    return count;
}

/* ---- what they give together ---- */

static bool has_name(const crawl_buf *lines, crawl_slice name)
{
    crawl_slice rest = crawl_buf_slice(lines);
    crawl_slice there, value;
    while (rest.size)
        if (cw_header_split(cw_cut_line(&rest), &there, &value) && cw_equal_nocase(there, name))
            return true;
    return false;
}

/* Unless a more particular section has one of its name. One without a value keeps others of its name away. */
static crawl_err add_header(crawl_slice name, crawl_slice value, crawl_buf *lines, crawl_buf *away)
{
    if (has_name(lines, name) || has_name(away, name))
        return CRAWL_OK;
    return crawl_buf_printf(value.size ? lines : away, "%.*s: %.*s\n", (int)name.size, name.data, (int)value.size, value.data);
}

static crawl_err add_headers(const crawl_texts *headers, crawl_buf *lines, crawl_buf *away)
{
    crawl_err err = CRAWL_OK;
    crawl_slice name, value;
    for (size_t i = 0; i < headers->count && !err; i++)
        if (cw_header_split(crawl_slice_from(headers->items[i]), &name, &value))
            err = add_header(name, value, lines, away);
    return err;
}

/* User and password may stand in different sections. */
static const char *first_user(const match *chain, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (chain[i].personal && chain[i].section->config->user)
            return chain[i].section->config->user;
    return NULL;
}

static const char *first_password(const match *chain, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (chain[i].personal && chain[i].section->password)
            return chain[i].section->password;
    return "";
}

/* RFC 7617, 2. */
static crawl_err add_basic(const match *chain, size_t count, crawl_buf *lines, crawl_buf *away)
{
    const char *user = first_user(chain, count);
    if (!user)
        return CRAWL_OK;
    crawl_buf plain = {0};
    crawl_buf value = {0};
    crawl_err err = crawl_buf_printf(&plain, "%s:%s", user, first_password(chain, count));
    if (!err)
        err = crawl_buf_append_text(&value, "Basic ");
    if (!err)
        err = cw_base64_append(crawl_buf_slice(&plain), &value);
    if (!err)
        err = add_header(crawl_slice_from("Authorization"), crawl_buf_slice(&value), lines, away);
    crawl_buf_free(&plain);
    crawl_buf_free(&value);
    return err;
}

/* RFC 6750, 2.1. */
static crawl_err add_bearer(const char *token, crawl_buf *lines, crawl_buf *away)
{
    crawl_buf value = {0};
    crawl_err err = crawl_buf_printf(&value, "Bearer %s", token);
    if (!err)
        err = add_header(crawl_slice_from("Authorization"), crawl_buf_slice(&value), lines, away);
    crawl_buf_free(&value);
    return err;
}

static crawl_err add_personal(const match *chain, size_t count, size_t i, crawl_buf *lines, crawl_buf *away)
{
    const section *one = chain[i].section;
    crawl_err err = add_headers(&one->config->headers, lines, away);
    if (!err && one->bearer)
        err = add_bearer(one->bearer, lines, away);
    if (!err && (one->config->user || one->password))
        err = add_basic(chain, count, lines, away);
    return err;
}

/* The key of a certificate stands where the certificate does. */
static void take_certificate(crawl_fetch_access *access, const char *cert, const char *key)
{
    if (access->client_cert || !cert)
        return;
    access->client_cert = cert;
    access->client_key = key;
}

static void take_plain(cw_host_rules *rules, const crawl_host_config *config, const char **proxy)
{
    if (!*proxy)
        *proxy = config->proxy;
    if (!rules->access.ca_file)
        rules->access.ca_file = config->ca_file;
    if (rules->delay_ms < 0)
        rules->delay_ms = config->delay_ms;
    if (!rules->per_host)
        rules->per_host = config->per_host;
    if (!rules->max_pages)
        rules->max_pages = config->max_pages;
    if (!(rules->share > 0))
        rules->share = config->share;
}

static void take_defaults(cw_host_rules *rules, const crawl_config *config, bool without_proxy, const char *proxy)
{
    take_certificate(&rules->access, config->client_cert, config->client_key);
    if (!proxy && !without_proxy)
        proxy = config->proxy;
    rules->access.proxy = proxy && strcmp(proxy, "direct") != 0 ? proxy : NULL;
    if (rules->delay_ms < 0)
        rules->delay_ms = config->delay_ms;
    if (!rules->per_host)
        rules->per_host = config->per_host;
    if (!rules->max_pages)
        rules->max_pages = config->max_pages_per_host;
    if (!(rules->share > 0))
        rules->share = 1;
}

static crawl_err put_together(const crawl_config *config, const match *chain, size_t count, bool without_proxy, kept_rules *out)
{
    cw_host_rules *rules = &out->rules;
    const char *proxy = NULL;
    crawl_buf away = {0};
    crawl_err err = CRAWL_OK;
    rules->delay_ms = -1;
    for (size_t i = 0; i < count && !err; i++) {
        take_plain(rules, chain[i].section->config, &proxy);
        if (!chain[i].personal)
            continue;
        take_certificate(&rules->access, chain[i].section->config->client_cert, chain[i].section->config->client_key);
        err = add_personal(chain, count, i, &out->headers, &away);
    }
    if (!err)
        err = add_headers(&config->headers, &out->headers, &away);
    crawl_buf_free(&away);
    take_defaults(rules, config, without_proxy, proxy);
    rules->access.headers = out->headers.size ? out->headers.data : NULL;
    rules->has_access = rules->access.headers || rules->access.proxy || rules->access.client_cert || rules->access.ca_file;
    return err;
}

/* What there is of this combination: the sections and what they may give. */
static const cw_host_rules *get_rules(cw_host_book *hosts, const match *chain, size_t count, bool without_proxy)
{
    uint32_t words[MAX_CHAIN + 1] = {without_proxy};
    for (size_t i = 0; i < count; i++)
        words[i + 1] = chain[i].section->serial << 1 | chain[i].personal;
    size_t size = (count + 1) * sizeof *words;
    kept_rules *one = cw_map_get(hosts->by_key, crawl_slice_of(words, size));
    if (one)
        return &one->rules;
    one = calloc(1, sizeof *one + size);
    if (!one)
        return NULL;
    memcpy(one->key, words, size);
    one->key_size = size;
    if (put_together(hosts->config, chain, count, without_proxy, one) ||
        cw_map_put(hosts->by_key, crawl_slice_of(one->key, size), one)) {
        free_rules(one);
        return NULL;
    }
    one->next = hosts->first_rules;
    hosts->first_rules = one;
    return &one->rules;
}

const cw_host_rules *cw_host_book_find(cw_host_book *hosts, crawl_slice origin)
{
    match chain[MAX_CHAIN];
    place at = place_of(origin);
    bool without_proxy = hosts->config->proxy && cw_no_proxy_names(hosts->config->no_proxy, at.host);
    pthread_mutex_lock(&hosts->lock);
    size_t count = hosts->first ? find_chain(hosts, &at, chain) : 0;
    const cw_host_rules *rules = get_rules(hosts, chain, count, without_proxy);
    pthread_mutex_unlock(&hosts->lock);
    return rules;
}
