/* See scope.h. */
#include "crawler/engine/scope/scope.h"

#include "base/error.h"
#include "base/map.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <libpsl.h>
#include <pcre2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    /* Steps of a match, against patterns that backtrack without end. Measured: patterns as they are written for URLs
     * take 1,000 at most on a URL of 8,000 bytes, or 10,000 without JIT; so many take 30 to 50 us, or 200. PCRE2's own
     * limit of 10 million takes 40 ms. */
    MATCH_LIMIT = 10000,
    /* PCRE2's own stack of 32 KiB is too small for groups that repeat along a long URL. */
    STACK_BYTES = 32 * 1024,
    MAX_STACK_BYTES = 1024 * 1024
};

typedef struct pattern {
    const crawl_filter_rule *rule;
    pcre2_code *code;
} pattern;

/* A host, a registrable domain or a URL prefix, by the kind of scope. */
typedef struct place {
    size_t size;
    char text[];
} place;

struct cw_scope {
    crawl_scope kind;
    pattern *patterns;
    size_t pattern_count;
    pthread_rwlock_t lock;
    cw_map *places;         /* text -> place */
    atomic_uint generation; /* counts added places, so that readers drop what they remember */
};

/* The last answer about a host. */
typedef struct answer {
    bool known;
    bool has;
    unsigned generation;
    crawl_buf host;
} answer;

enum { ANSWERS = 16 };

struct cw_scope_reader {
    cw_scope *scope;
    pcre2_match_data *match;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    answer answers[ANSWERS];
    crawl_buf text;
};

static crawl_err compile(const crawl_filter_rule *rule, pattern *out, crawl_error *error)
{
    int code;
    PCRE2_SIZE at;
    out->rule = rule;
    out->code = pcre2_compile((PCRE2_SPTR)rule->pattern, PCRE2_ZERO_TERMINATED, 0, &code, &at, NULL);
    if (!out->code) {
        char words[160];
        pcre2_get_error_message(code, (PCRE2_UCHAR *)words, sizeof words);
        return crawl_error_set(error, CRAWL_EPARSE, "%s \"%s\": at character %zu: %s",
                               rule->include ? "include" : "exclude", rule->pattern, (size_t)at + 1, words);
    }
    pcre2_jit_compile(out->code, PCRE2_JIT_COMPLETE); /* without it the interpreter matches the same */
    return CRAWL_OK;
}

static crawl_err compile_all(cw_scope *scope, const crawl_config *config, crawl_error *error)
{
    if (config->rule_count == 0)
        return CRAWL_OK;
    scope->patterns = calloc(config->rule_count, sizeof *scope->patterns);
    if (!scope->patterns)
        return cw_error(error, CRAWL_ENOMEM);
    for (size_t i = 0; i < config->rule_count; i++) {
        crawl_err err = compile(&config->rules[i], &scope->patterns[i], error);
        if (err)
            return err;
        scope->pattern_count++;
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
    for (size_t i = 0; i < scope->pattern_count; i++)
        pcre2_code_free(scope->patterns[i].code);
    free(scope->patterns);
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
    bool is_address =
        host.size == 0 || host.data[0] == '[' || (host.data[host.size - 1] >= '0' && host.data[host.size - 1] <= '9');
    if (is_address || crawl_buf_append(text, host.data, host.size))
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

static crawl_slice place_of(crawl_scope kind, const crawl_url *url, crawl_buf *text)
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
    crawl_slice at = place_of(scope->kind, url, &text);
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
    reader->match = pcre2_match_data_create(1, NULL);
    reader->context = pcre2_match_context_create(NULL);
    reader->stack = pcre2_jit_stack_create(STACK_BYTES, MAX_STACK_BYTES, NULL);
    if (!reader->match || !reader->context || !reader->stack) {
        cw_scope_reader_free(reader);
        return NULL;
    }
    pcre2_jit_stack_assign(reader->context, NULL, reader->stack);
    pcre2_set_match_limit(reader->context, MATCH_LIMIT);
    return reader;
}

void cw_scope_reader_free(cw_scope_reader *reader)
{
    if (!reader)
        return;
    pcre2_match_data_free(reader->match);
    pcre2_match_context_free(reader->context);
    pcre2_jit_stack_free(reader->stack);
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

/* A prefix ends in a slash, so each directory of the URL is looked up: as many look-ups as it has slashes. */
static bool has_prefix(cw_scope *scope, const crawl_url *url)
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

/* Links of a page mostly go to a few hosts: the answers about them are remembered, each in a place found by size and
 * first letters. */
static answer *place_in_memory(cw_scope_reader *reader, crawl_slice host)
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
    answer *last = place_in_memory(reader, host);
    if (last->known && last->generation == generation && crawl_slice_equal(crawl_buf_slice(&last->host), host))
        return last->has;
    last->has = has_place(reader->scope, place_of(reader->scope->kind, url, &reader->text));
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
        return has_prefix(reader->scope, url);
    default:
        return has_host(reader, url);
    }
}

cw_scope_rule cw_scope_rule_of(cw_scope_reader *reader, crawl_slice canonical, size_t *index)
{
    const cw_scope *scope = reader->scope;
    for (size_t i = scope->pattern_count; i-- > 0;) {
        int found = pcre2_match(scope->patterns[i].code, (PCRE2_SPTR)canonical.data, canonical.size, 0, 0,
                                reader->match, reader->context);
        if (found == PCRE2_ERROR_NOMATCH)
            continue;
        *index = i;
        return found >= 0 ? CW_SCOPE_RULE_DECIDES : CW_SCOPE_RULE_STOPPED;
    }
    return CW_SCOPE_RULE_NONE;
}

bool cw_scope_passes(cw_scope_reader *reader, crawl_slice canonical, const crawl_filter_rule **stopped)
{
    const cw_scope *scope = reader->scope;
    size_t index;
    *stopped = NULL;
    switch (cw_scope_rule_of(reader, canonical, &index)) {
    case CW_SCOPE_RULE_DECIDES:
        return scope->patterns[index].rule->include;
    case CW_SCOPE_RULE_STOPPED:
        *stopped = scope->patterns[index].rule;
        return false;
    default:
        return scope->pattern_count == 0 || !scope->patterns[0].rule->include;
    }
}

crawl_slice cw_scope_place(cw_scope_reader *reader, const crawl_url *url)
{
    return place_of(reader->scope->kind, url, &reader->text);
}
