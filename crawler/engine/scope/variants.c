#include "crawler/engine/scope/variants.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/keyed_hash.h"
#include "base/map.h"
#include "config/config_values.h"
#include "crawler/engine/scope/face.h"

#include <crawl/bloom.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define BLOOM_BYTES_MAX ((uint64_t)64 << 20)
enum { NAME_MAX_SIZE = 32 };

/* Hashes are sums of the hashes of their parts, so that the order of parameters does not matter and any part can be
 * subtracted. */
typedef struct variants_param {
    crawl_slice name;
    uint64_t name_hash, hash; /* of the name; of the whole parameter */
} variants_param;

typedef struct variants_url {
    uint64_t path, names, whole; /* path: everything before the query */
    variants_param params[CW_SCOPE_VARIANTS_PARAMS_MAX];
    size_t count;
} variants_url;

/* A page without the parameter. The entry of its path says whether the parameter was shown to change nothing there. */
typedef struct variants_page {
    uint64_t face;     /* 0: none yet */
    uint64_t url;      /* the first URL with the parameter; 0: none yet */
    uint64_t variants; /* variants asked for, at least */
    bool is_proof;
    char text[];
} variants_page;

typedef struct variants_path {
    bool is_proved, is_tried;
    char text[];
} variants_path;

typedef enum variants_state { IN_DOUBT, CHANGES_NOTHING, CHANGES_PAGES } variants_state;

/* A parameter among others with these names. */
typedef struct variants_rule {
    char name[NAME_MAX_SIZE];
    size_t name_size;
    uint64_t others;
    variants_state state;
    uint32_t proofs;
    cw_map *pages, *paths; /* NULL: the parameter changes pages */
} variants_rule;

typedef struct variants_host {
    variants_rule *rules;
    size_t count, capacity;
    char text[];
} variants_host;

/* Evidence about a rule from one answer. */
typedef struct lesson {
    size_t rule;
    char name[NAME_MAX_SIZE];
    size_t name_size;
    uint64_t page, face;
    bool has_param;
} lesson;
enum { LESSONS_MAX = 8 };

struct cw_scope_variants {
    const crawl_config *config;
    cw_hash_secret secret;
    atomic_uint limiting; /* number of rules that change nothing */
    pthread_mutex_t lock;
    cw_map *hosts;
    size_t pages;
    crawl_bloom *asked; /* URLs */
    bool has_told;
};

/* ---- lifetime ---- */

crawl_err cw_scope_variants_create(const crawl_config *config, cw_scope_variants **out)
{
    crawl_bloom_options options;
    cw_scope_variants *variants = calloc(1, sizeof *variants);
    if (!variants)
        return CRAWL_ENOMEM;
    variants->config = config;
    pthread_mutex_init(&variants->lock, NULL);
    cw_hash_secret_draw(&variants->secret);
    variants->hosts = cw_map_create(variants->secret.words[1]);
    crawl_bloom_options_init(&options);
    options.kind = CRAWL_BLOOM_DIGEST;
    options.capacity = 1000;
    options.max_bytes = BLOOM_BYTES_MAX;
    options.seed = variants->secret.words[0];
    crawl_err err = variants->hosts ? crawl_bloom_create(&options, &variants->asked, NULL) : CRAWL_ENOMEM;
    if (err)
        cw_scope_variants_free(variants);
    else
        *out = variants;
    return err;
}

/* Ends a rule: it limits nothing from now on. */
static void close_rule(cw_scope_variants *variants, variants_rule *rule)
{
    if (rule->state == CHANGES_NOTHING)
        atomic_fetch_sub(&variants->limiting, 1);
    rule->state = CHANGES_PAGES;
    if (rule->pages && rule->paths)
        variants->pages -= cw_map_count(rule->pages) + cw_map_count(rule->paths);
    cw_map_free_values(rule->pages);
    cw_map_free_values(rule->paths);
    rule->pages = rule->paths = NULL;
}

void cw_scope_variants_free(cw_scope_variants *variants)
{
    size_t cursor = 0;
    if (!variants)
        return;
    for (variants_host *host; variants->hosts && (host = cw_map_next(variants->hosts, &cursor)) != NULL;) {
        for (size_t i = 0; i < host->count; i++)
            close_rule(variants, &host->rules[i]);
        free(host->rules);
    }
    cw_map_free_values(variants->hosts);
    crawl_bloom_free(variants->asked);
    pthread_mutex_destroy(&variants->lock);
    free(variants);
}

/* ---- URLs ---- */

/* The result is never 0. */
static uint64_t variants_hash(const cw_scope_variants *variants, crawl_slice text)
{
    return cw_keyed_hash_of(&variants->secret, text).low | 1;
}

/* False: the URL has more parameters, or longer names, than are considered. */
static bool variants_read(const cw_scope_variants *variants, const crawl_url *url, variants_url *out)
{
    crawl_slice query = crawl_url_request(url);
    *out = (variants_url){.path = variants_hash(variants, cw_cut(&query, '?'))};
    out->whole = out->path;
    while (query.size) {
        crawl_slice piece = cw_cut(&query, '&');
        crawl_slice name = crawl_slice_of(piece.data, cw_find_char(piece, '='));
        if (!name.size)
            continue;
        if (out->count == CW_SCOPE_VARIANTS_PARAMS_MAX || name.size > NAME_MAX_SIZE)
            return false;
        variants_param *param = &out->params[out->count++];
        *param = (variants_param){name, variants_hash(variants, name), variants_hash(variants, piece)};
        out->names += param->name_hash;
        out->whole += param->hash;
    }
    return true;
}

/* Returns true if the rule is for a URL with these parameters, or for one that lacks only the rule's parameter. page:
 * the hash of the URL without the parameter. */
static bool rule_fits(const variants_rule *rule, const variants_url *url, uint64_t *page, bool *has_param)
{
    uint64_t names = url->names;
    *page = url->whole;
    *has_param = false;
    for (size_t i = 0; i < url->count; i++) {
        if (!crawl_slice_equal(url->params[i].name, crawl_slice_of(rule->name, rule->name_size)))
            continue;
        names -= url->params[i].name_hash;
        *page -= url->params[i].hash;
        *has_param = true;
    }
    return rule->pages && names == rule->others;
}

/* ---- tables ---- */

static void *variants_get(const cw_map *map, uint64_t hash)
{
    return cw_map_get(map, crawl_slice_of((const char *)&hash, sizeof hash));
}

/* NULL: no room, or out of memory; then nothing is learnt of it. */
static void *variants_make(cw_scope_variants *variants, cw_map *map, uint64_t hash, size_t size, size_t key_at)
{
    void *one = variants_get(map, hash);
    if (one || variants->pages >= CW_SCOPE_VARIANTS_PAGES_MAX)
        return one;
    one = cw_map_make(map, crawl_slice_of((const char *)&hash, sizeof hash), size, key_at);
    variants->pages += one != NULL;
    return one;
}

static variants_page *get_variants_page(cw_scope_variants *variants, variants_rule *rule, uint64_t page)
{
    return variants_make(variants, rule->pages, page, sizeof(variants_page) + 1, offsetof(variants_page, text));
}

static variants_path *get_variants_path(cw_scope_variants *variants, variants_rule *rule, uint64_t path)
{
    return variants_make(variants, rule->paths, path, sizeof(variants_path) + 1, offsetof(variants_path, text));
}

static variants_host *get_variants_host(cw_scope_variants *variants, const crawl_url *url, bool make)
{
    crawl_slice name = crawl_url_hostname(url);
    variants_host *host = cw_map_get(variants->hosts, name);
    if (host || !make || cw_map_count(variants->hosts) >= CW_SCOPE_VARIANTS_HOSTS_MAX)
        return host;
    return cw_map_make(variants->hosts, name, sizeof *host + 1, offsetof(variants_host, text));
}

/* ---- learning ---- */

static bool has_rule(const variants_host *host, const variants_param *param, uint64_t others)
{
    for (size_t i = 0; i < host->count; i++) {
        const variants_rule *rule = &host->rules[i];
        if (rule->others == others && crawl_slice_equal(crawl_slice_of(rule->name, rule->name_size), param->name))
            return true;
    }
    return false;
}

static void begin_rule(cw_scope_variants *variants, variants_host *host, const variants_param *param, uint64_t others)
{
    if (host->count == CW_SCOPE_VARIANTS_PER_HOST_MAX || has_rule(host, param, others) ||
        CW_ARRAY_RESERVE(host->rules, host->capacity, host->count + 1, 2))
        return;
    variants_rule *rule = &host->rules[host->count++];
    *rule = (variants_rule){.name_size = param->name.size, .others = others};
    memcpy(rule->name, param->name.data, param->name.size);
    rule->pages = cw_map_create(variants->secret.words[2]);
    rule->paths = cw_map_create(variants->secret.words[2]);
    if (!rule->pages || !rule->paths)
        close_rule(variants, rule);
}

/* Returns true if the rule has something to learn from a URL with this path. */
static bool is_curious(const variants_rule *rule, uint64_t path)
{
    const variants_path *known = rule->state == CHANGES_NOTHING ? variants_get(rule->paths, path) : NULL;
    return rule->state == IN_DOUBT || (rule->state == CHANGES_NOTHING && !(known && known->is_proved));
}

/* Lists the rules that learn from the URL, and begins missing ones. */
static size_t begin_lessons(cw_scope_variants *variants, const crawl_url *url, const variants_url *of,
                            lesson lessons[LESSONS_MAX])
{
    size_t count = 0;
    variants_host *host = get_variants_host(variants, url, of->count > 0);
    for (size_t i = 0; host && i < of->count; i++)
        begin_rule(variants, host, &of->params[i], of->names - of->params[i].name_hash);
    for (size_t i = 0; host && i < host->count && count < LESSONS_MAX; i++) {
        const variants_rule *rule = &host->rules[i];
        lesson *one = &lessons[count];
        *one = (lesson){.rule = i, .name_size = rule->name_size};
        memcpy(one->name, rule->name, sizeof one->name);
        count += is_curious(rule, of->path) && rule_fits(rule, of, &one->page, &one->has_param);
    }
    return count;
}

static void look_at_faces(const cw_scope_variants *variants, int status, crawl_slice body, int64_t date_ms,
                          lesson *lessons, size_t count)
{
    crawl_buf face = {0};
    for (size_t i = 0; i < count; i++) {
        lesson *one = &lessons[i];
        bool is_page = status == 200;
        if (is_page && cw_scope_face(body, crawl_slice_of(one->name, one->name_size), date_ms, &face))
            continue;
        one->face = is_page ? variants_hash(variants, crawl_buf_slice(&face)) : (uint64_t)status;
    }
    crawl_buf_free(&face);
}

/* Counts a page that had one face under two values. True: this proves that the parameter changes nothing. */
static bool prove(cw_scope_variants *variants, variants_rule *rule, variants_page *page, uint64_t path)
{
    variants_path *proved = get_variants_path(variants, rule, path);
    if (proved)
        proved->is_proved = true;
    rule->proofs += !page->is_proof;
    page->is_proof = true;
    if (rule->state != IN_DOUBT || rule->proofs < CW_SCOPE_VARIANTS_PROOF)
        return false;
    rule->state = CHANGES_NOTHING;
    atomic_fetch_add(&variants->limiting, 1);
    return true;
}

/* Returns as prove does. */
static bool take_lesson(cw_scope_variants *variants, variants_rule *rule, const variants_url *url, const lesson *one,
                        bool is_page)
{
    variants_page *page = rule->pages && one->face ? get_variants_page(variants, rule, one->page) : NULL;
    if (!page)
        return false;
    if (page->face && page->face != one->face) {
        close_rule(variants, rule);
        return false;
    }
    page->face = one->face;
    page->variants += !page->variants;
    bool is_second = one->has_param && page->url && page->url != url->whole;
    if (one->has_param && !page->url)
        page->url = url->whole;
    return is_second && is_page && prove(variants, rule, page, url->path);
}

/* Returns true if the answer says something about its own page, rather than the same for all pages. */
static bool variants_counts(int status)
{
    enum { NOT_MODIFIED = 304, TIMEOUT = 408, TOO_MANY = 429 };
    return status >= 200 && status < 500 && status != NOT_MODIFIED && status != TIMEOUT && status != TOO_MANY;
}

bool cw_scope_variants_learn(cw_scope_variants *variants, const crawl_url *url, int status, crawl_slice body,
                             int64_t date_ms, crawl_buf *name)
{
    variants_url of;
    bool tells = false;
    lesson lessons[LESSONS_MAX];
    if (!variants->config->max_variants || !variants_counts(status) || !variants_read(variants, url, &of))
        return false;
    pthread_mutex_lock(&variants->lock);
    size_t count = begin_lessons(variants, url, &of, lessons);
    pthread_mutex_unlock(&variants->lock);
    if (!count)
        return false;
    look_at_faces(variants, status, body, date_ms, lessons, count);
    pthread_mutex_lock(&variants->lock);
    variants_host *host = get_variants_host(variants, url, false);
    for (size_t i = 0; i < count; i++)
        if (take_lesson(variants, &host->rules[lessons[i].rule], &of, &lessons[i], status == 200) &&
            !variants->has_told)
            variants->has_told = tells = !crawl_buf_append(name, lessons[i].name, lessons[i].name_size);
    (void)crawl_bloom_add(variants->asked, &of.whole, sizeof of.whole, NULL);
    pthread_mutex_unlock(&variants->lock);
    return tells;
}

/* ---- limiting ---- */

/* Returns true if the link may be asked for nevertheless, as the one link of its path. */
static bool may_be_tried(cw_scope_variants *variants, variants_rule *rule, uint64_t path)
{
    variants_path *known = get_variants_path(variants, rule, path);
    bool may = !known || (!known->is_proved && !known->is_tried);
    if (known)
        known->is_tried = true;
    return may;
}

static bool rule_refuses(cw_scope_variants *variants, variants_rule *rule, const variants_url *url)
{
    uint64_t hash;
    bool has_param;
    if (rule->state != CHANGES_NOTHING || !rule_fits(rule, url, &hash, &has_param) || !has_param)
        return false;
    const variants_page *page = variants_get(rule->pages, hash);
    return page && page->variants >= variants->config->max_variants && !may_be_tried(variants, rule, url->path);
}

static void count_variant(cw_scope_variants *variants, variants_rule *rule, const variants_url *url)
{
    uint64_t hash;
    bool has_param;
    if (rule->state != CHANGES_NOTHING || !rule_fits(rule, url, &hash, &has_param))
        return;
    variants_page *page = get_variants_page(variants, rule, hash);
    if (page)
        page->variants++;
}

/* A URL that was asked for or queued is let through: the queue knows it. */
static bool passes_rules(cw_scope_variants *variants, variants_host *host, const variants_url *url)
{
    if (!host || crawl_bloom_test(variants->asked, &url->whole, sizeof url->whole) != CRAWL_ABSENT)
        return true;
    for (size_t i = 0; i < host->count; i++)
        if (rule_refuses(variants, &host->rules[i], url))
            return false;
    for (size_t i = 0; i < host->count; i++)
        count_variant(variants, &host->rules[i], url);
    (void)crawl_bloom_add(variants->asked, &url->whole, sizeof url->whole, NULL);
    return true;
}

bool cw_scope_variants_pass(cw_scope_variants *variants, const crawl_url *url)
{
    variants_url of;
    if (!atomic_load(&variants->limiting) || !variants_read(variants, url, &of))
        return true;
    pthread_mutex_lock(&variants->lock);
    bool passes = passes_rules(variants, get_variants_host(variants, url, false), &of);
    pthread_mutex_unlock(&variants->lock);
    return passes;
}
