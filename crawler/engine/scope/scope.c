#include "crawler/engine/scope/scope.h"

#include "base/error.h"
#include "base/map.h"
#include "base/net.h"
#include "config/config_values.h"
#include "crawler/engine/scope/pattern.h"

#include <libpsl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct compiled_rule {
    const crawl_filter_rule *rule;
    cw_scope_pattern *pattern;
} compiled_rule;

/* A host, a registrable domain or a URL prefix, by the kind of scope. */
typedef struct place {
    size_t size;
    char text[];
} place;

struct cw_scope {
    crawl_scope kind;
    compiled_rule *filters;
    size_t filter_count;
    pthread_rwlock_t lock;
    cw_map *places;         /* text -> place */
    atomic_uint generation; /* counts added places, so that readers drop cached answers */
};

/* The last answer on whether the host is within the scope. */
typedef struct answer {
    bool known;
    bool has;
    unsigned generation;
    crawl_buf host;
} answer;

enum { ANSWERS = 16 };

struct cw_scope_reader {
    cw_scope *scope;
    cw_scope_matcher *matcher;
    answer answers[ANSWERS];
    crawl_buf text;
};

static crawl_err compile_all(cw_scope *scope, const crawl_config *config, crawl_error *error)
{
    if (config->rule_count == 0)
        return CRAWL_OK;
    scope->filters = calloc(config->rule_count, sizeof *scope->filters);
    if (!scope->filters)
        return cw_error(error, CRAWL_ENOMEM);
    for (size_t i = 0; i < config->rule_count; i++) {
        const crawl_filter_rule *rule = &config->rules[i];
        compiled_rule *one = &scope->filters[i];
        one->rule = rule;
        crawl_err err =
            cw_scope_pattern_compile(rule->include ? "include" : "exclude", rule->pattern, &one->pattern, error);
        if (err)
            return err;
        scope->filter_count++;
    }
    return CRAWL_OK;
}

crawl_err cw_scope_create(const crawl_config *config, cw_scope **out, crawl_error *error)
{
    cw_scope *scope = calloc(1, sizeof *scope);
    if (!scope)
        return cw_error(error, CRAWL_ENOMEM);
    scope->kind = config->scope;
    pthread_rwlock_init(&scope->lock, NULL);
    scope->places = cw_map_create((uintptr_t)scope);
    crawl_err err = scope->places ? compile_all(scope, config, error) : cw_error(error, CRAWL_ENOMEM);
    if (err) {
        cw_scope_free(scope);
        return err;
    }
    *out = scope;
    return CRAWL_OK;
}

void cw_scope_free(cw_scope *scope)
{
    if (!scope)
        return;
    for (size_t i = 0; i < scope->filter_count; i++)
        cw_scope_pattern_free(scope->filters[i].pattern);
    free(scope->filters);
    if (scope->places) {
        size_t cursor = 0;
        for (void *one; (one = cw_map_next(scope->places, &cursor));)
            free(one);
        cw_map_free(scope->places);
    }
    pthread_rwlock_destroy(&scope->lock);
    free(scope);
}

crawl_slice cw_scope_domain(crawl_slice host, crawl_buf *text)
{
    crawl_buf_clear(text);
    if (cw_address_is_host(host) || crawl_buf_append(text, host.data, host.size))
        return host;
    const char *domain = psl_registrable_domain(psl_builtin(), text->data);
    return domain ? crawl_slice_from(domain) : host;
}

crawl_slice cw_scope_prefix(const crawl_url *url)
{
    crawl_slice href = crawl_url_href(url);
    crawl_slice path = crawl_url_path(url);
    size_t end = (size_t)(path.data - href.data) + path.size;
    while (end && href.data[end - 1] != '/')
        end--;
    return crawl_slice_of(href.data, end);
}

static crawl_slice scope_place_of(crawl_scope kind, const crawl_url *url, crawl_buf *text)
{
    switch (kind) {
    case CRAWL_SCOPE_HOST:
        return crawl_url_hostname(url);
    case CRAWL_SCOPE_DOMAIN:
        return cw_scope_domain(crawl_url_hostname(url), text);
    case CRAWL_SCOPE_PREFIX:
        return cw_scope_prefix(url);
    default:
        return (crawl_slice){0};
    }
}

crawl_err cw_scope_add(cw_scope *scope, const crawl_url *url)
{
    crawl_buf text = {0};
    crawl_slice at = scope_place_of(scope->kind, url, &text);
    place *one = malloc(sizeof *one + at.size);
    crawl_err err = one ? CRAWL_OK : CRAWL_ENOMEM;
    if (one) {
        one->size = at.size;
        if (at.size)
            memcpy(one->text, at.data, at.size);
        pthread_rwlock_wrlock(&scope->lock);
        err = cw_map_put(scope->places, crawl_slice_of(one->text, one->size), one);
        pthread_rwlock_unlock(&scope->lock);
        if (!err)
            atomic_fetch_add(&scope->generation, 1);
    }
    if (err)
        free(one);
    crawl_buf_free(&text);
    return err == CRAWL_EXISTS ? CRAWL_OK : err;
}

uint32_t cw_scope_changes(cw_scope *scope)
{
    return atomic_load(&scope->generation);
}

cw_scope_reader *cw_scope_reader_create(cw_scope *scope)
{
    cw_scope_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->scope = scope;
    reader->matcher = cw_scope_matcher_create();
    if (!reader->matcher) {
        free(reader);
        return NULL;
    }
    return reader;
}

void cw_scope_reader_free(cw_scope_reader *reader)
{
    if (!reader)
        return;
    cw_scope_matcher_free(reader->matcher);
    for (size_t i = 0; i < ANSWERS; i++)
        crawl_buf_free(&reader->answers[i].host);
    crawl_buf_free(&reader->text);
    free(reader);
}

static bool has_place(cw_scope *scope, crawl_slice at)
{
    pthread_rwlock_rdlock(&scope->lock);
    bool has = cw_map_get(scope->places, at) != NULL;
    pthread_rwlock_unlock(&scope->lock);
    return has;
}

/* Returns true if the domain of this host can be a place. A registrable domain is a suffix of the names in it, and
 * looking up these suffixes is faster than the public suffix list. */
static bool scope_may_have_domain(cw_scope *scope, crawl_slice host)
{
    while (!has_place(scope, host)) {
        const char *dot = host.size ? memchr(host.data, '.', host.size) : NULL;
        if (!dot)
            return false;
        host = crawl_slice_of(dot + 1, host.size - (size_t)(dot + 1 - host.data));
    }
    return true;
}

/* Returns true if one of the URL's directories is a place of the scope. Each prefix ends in a slash, so there is one
 * lookup per slash of the path. */
static bool scope_has_prefix(cw_scope *scope, const crawl_url *url)
{
    crawl_slice at = cw_scope_prefix(url);
    size_t origin = (size_t)(crawl_url_path(url).data - at.data);
    while (at.size > origin) {
        if (has_place(scope, at))
            return true;
        for (at.size--; at.size > origin && at.data[at.size - 1] != '/';)
            at.size--;
    }
    return false;
}

/* Returns the cache slot for this host, by its size and first letters: the links of a page mostly lead to a few
 * hosts. */
static answer *memory_of(cw_scope_reader *reader, crawl_slice host)
{
    size_t sum = host.size;
    for (size_t i = 0; i < host.size && i < 3; i++)
        sum = sum * 31 + (unsigned char)host.data[i];
    return &reader->answers[sum % ANSWERS];
}

static bool has_host(cw_scope_reader *reader, const crawl_url *url)
{
    crawl_slice host = crawl_url_hostname(url);
    unsigned generation = atomic_load(&reader->scope->generation);
    answer *last = memory_of(reader, host);
    if (last->known && last->generation == generation && crawl_slice_equal(crawl_buf_slice(&last->host), host))
        return last->has;
    last->has = (reader->scope->kind != CRAWL_SCOPE_DOMAIN || scope_may_have_domain(reader->scope, host)) &&
                has_place(reader->scope, scope_place_of(reader->scope->kind, url, &reader->text));
    last->generation = generation;
    crawl_buf_clear(&last->host);
    last->known = crawl_buf_append(&last->host, host.data, host.size) == CRAWL_OK;
    return last->has;
}

bool cw_scope_contains(cw_scope_reader *reader, const crawl_url *url)
{
    switch (reader->scope->kind) {
    case CRAWL_SCOPE_ANY:
        return true;
    case CRAWL_SCOPE_PREFIX:
        return scope_has_prefix(reader->scope, url);
    default:
        return has_host(reader, url);
    }
}

cw_scope_rule cw_scope_rule_of(cw_scope_reader *reader, crawl_slice canonical, size_t *index)
{
    const cw_scope *scope = reader->scope;
    for (size_t i = scope->filter_count; i-- > 0;) {
        cw_scope_match found = cw_scope_pattern_match(scope->filters[i].pattern, reader->matcher, canonical);
        if (found == CW_SCOPE_MATCH_NONE)
            continue;
        *index = i;
        return found == CW_SCOPE_MATCH_FOUND ? CW_SCOPE_RULE_DECIDES : CW_SCOPE_RULE_STOPPED;
    }
    return CW_SCOPE_RULE_NONE;
}

/* Returns true if the URL passes. otherwise: the answer if no pattern matches. */
static bool scope_decide(cw_scope_reader *reader, crawl_slice canonical, bool otherwise,
                         const crawl_filter_rule **stopped)
{
    const cw_scope *scope = reader->scope;
    size_t index;
    *stopped = NULL;
    switch (cw_scope_rule_of(reader, canonical, &index)) {
    case CW_SCOPE_RULE_DECIDES:
        return scope->filters[index].rule->include;
    case CW_SCOPE_RULE_STOPPED:
        *stopped = scope->filters[index].rule;
        return false;
    default:
        return otherwise;
    }
}

bool cw_scope_passes(cw_scope_reader *reader, crawl_slice canonical, const crawl_filter_rule **stopped)
{
    const cw_scope *scope = reader->scope;
    return scope_decide(reader, canonical, scope->filter_count == 0 || !scope->filters[0].rule->include, stopped);
}

bool cw_scope_passes_part(cw_scope_reader *reader, crawl_slice canonical, const crawl_filter_rule **stopped)
{
    return scope_decide(reader, canonical, true, stopped);
}

crawl_slice cw_scope_place(cw_scope_reader *reader, const crawl_url *url)
{
    return scope_place_of(reader->scope->kind, url, &reader->text);
}
