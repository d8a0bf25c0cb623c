/* See sites.h. */
#include "crawler/sites.h"

#include "base/map.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum robots_state { ROBOTS_UNKNOWN, ROBOTS_PENDING, ROBOTS_KNOWN, ROBOTS_REFUSED } robots_state;

typedef struct site {
    uint32_t index;
    robots_state state;
    crawl_robots *robots; /* of KNOWN; NULL: all is allowed */
    int64_t expires_ms;   /* of KNOWN and REFUSED */
    int64_t away_until_ms;
    crawl_error_class error_class; /* of REFUSED */
    unsigned redirects;
    unsigned sitemaps; /* counted */
    bool asked_sitemaps;
    char *words; /* of REFUSED, may be NULL */
    crawl_slice origin;
    char text[];
} site;

struct cw_sites {
    pthread_mutex_t lock;
    cw_map *by_origin;
    site **list;
    uint32_t count;
    uint32_t capacity;
};

cw_sites *cw_sites_create(void)
{
    cw_sites *sites = calloc(1, sizeof *sites);
    if (!sites)
        return NULL;
    sites->by_origin = cw_map_create((uintptr_t)sites);
    if (!sites->by_origin) {
        free(sites);
        return NULL;
    }
    pthread_mutex_init(&sites->lock, NULL);
    return sites;
}

void cw_sites_free(cw_sites *sites)
{
    if (!sites)
        return;
    for (uint32_t i = 0; i < sites->count; i++) {
        crawl_robots_free(sites->list[i]->robots);
        free(sites->list[i]->words);
        free(sites->list[i]);
    }
    free(sites->list);
    cw_map_free(sites->by_origin);
    pthread_mutex_destroy(&sites->lock);
    free(sites);
}

static crawl_err reserve(cw_sites *sites)
{
    if (sites->count < sites->capacity)
        return CRAWL_OK;
    uint32_t capacity = sites->capacity ? sites->capacity * 2 : 64;
    site **list = realloc(sites->list, capacity * sizeof *list);
    if (!list)
        return CRAWL_ENOMEM;
    sites->list = list;
    sites->capacity = capacity;
    return CRAWL_OK;
}

/* NULL: no memory. */
static site *get(cw_sites *sites, crawl_slice origin)
{
    site *one = cw_map_get(sites->by_origin, origin);
    if (one)
        return one;
    one = reserve(sites) ? NULL : calloc(1, sizeof *one + origin.size);
    if (!one)
        return NULL;
    memcpy(one->text, origin.data, origin.size);
    one->origin = crawl_slice_of(one->text, origin.size);
    one->index = sites->count;
    if (cw_map_put(sites->by_origin, one->origin, one)) {
        free(one);
        return NULL;
    }
    sites->list[sites->count++] = one;
    return one;
}

static void refuse(cw_site_answer *answer, crawl_error_class error_class, const char *words)
{
    answer->verdict = CW_SITE_REFUSED;
    answer->error_class = error_class;
    snprintf(answer->words, sizeof answer->words, "%s", words ? words : "");
}

static void check_rules(const site *one, const crawl_url *url, cw_site_answer *answer)
{
    if (!one->robots)
        return;
    crawl_robots_verdict verdict = crawl_robots_check(one->robots, url);
    if (verdict.allowed)
        return;
    char words[sizeof answer->words];
    snprintf(words, sizeof words, "robots.txt line %u: %.*s", verdict.line,
             (int)(verdict.rule.size < 200 ? verdict.rule.size : 200), verdict.rule.data);
    refuse(answer, CRAWL_CLASS_ROBOTS, words);
}

static void check_robots(site *one, const crawl_url *url, int64_t now_ms, cw_site_answer *answer)
{
    bool expired = one->state >= ROBOTS_KNOWN && now_ms >= one->expires_ms;
    if (one->state == ROBOTS_UNKNOWN || expired) {
        one->state = ROBOTS_PENDING;
        one->redirects = 0;
        answer->verdict = CW_SITE_FETCH_ROBOTS;
    } else if (one->state == ROBOTS_PENDING) {
        answer->verdict = CW_SITE_PENDING;
    } else if (one->state == ROBOTS_REFUSED) {
        refuse(answer, one->error_class, one->words);
    } else {
        check_rules(one, url, answer);
    }
}

crawl_err cw_sites_check(cw_sites *sites, crawl_slice origin, const crawl_url *url, bool without_robots, int64_t now_ms,
                         cw_site_answer *answer)
{
    *answer = (cw_site_answer){.verdict = CW_SITE_ALLOWED};
    pthread_mutex_lock(&sites->lock);
    site *one = get(sites, origin);
    if (one) {
        answer->site = one->index;
        if (now_ms < one->away_until_ms)
            refuse(answer, CRAWL_CLASS_RETRY_AFTER, "the host asked to stay away for longer than politeness.max_retry_delay");
        else if (!without_robots)
            check_robots(one, url, now_ms, answer);
    }
    pthread_mutex_unlock(&sites->lock);
    return one ? CRAWL_OK : CRAWL_ENOMEM;
}

crawl_slice cw_sites_origin(cw_sites *sites, uint32_t index)
{
    pthread_mutex_lock(&sites->lock);
    crawl_slice origin = index < sites->count ? sites->list[index]->origin : (crawl_slice){0};
    pthread_mutex_unlock(&sites->lock);
    return origin;
}

static crawl_err copy_sitemaps(const crawl_robots *robots, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    size_t count = robots ? crawl_robots_sitemap_count(robots) : 0;
    for (size_t i = 0; i < count && !err; i++) {
        crawl_slice line = crawl_robots_sitemap(robots, i);
        err = crawl_buf_append(out, line.data, line.size);
        if (!err)
            err = crawl_buf_append_char(out, '\n');
    }
    return err;
}

crawl_err cw_sites_sitemaps(cw_sites *sites, crawl_slice origin, crawl_buf *out)
{
    pthread_mutex_lock(&sites->lock);
    site *one = get(sites, origin);
    crawl_err err = !one ? CRAWL_ENOMEM : one->asked_sitemaps ? CRAWL_EXISTS : copy_sitemaps(one->robots, out);
    if (!err)
        one->asked_sitemaps = true;
    pthread_mutex_unlock(&sites->lock);
    return err;
}

crawl_err cw_sites_take_sitemap(cw_sites *sites, crawl_slice origin)
{
    pthread_mutex_lock(&sites->lock);
    site *one = get(sites, origin);
    crawl_err err = !one ? CRAWL_ENOMEM : one->sitemaps >= CW_SITEMAPS_MAX ? CRAWL_FULL : CRAWL_OK;
    if (!err)
        one->sitemaps++;
    pthread_mutex_unlock(&sites->lock);
    return err;
}

unsigned cw_sites_redirected(cw_sites *sites, uint32_t index)
{
    pthread_mutex_lock(&sites->lock);
    unsigned redirects = ++sites->list[index]->redirects;
    pthread_mutex_unlock(&sites->lock);
    return redirects;
}

void cw_sites_settle(cw_sites *sites, uint32_t index, crawl_robots *robots, bool refused, crawl_error_class error_class,
                     const char *words, int64_t now_ms)
{
    char *copy = words ? strdup(words) : NULL; /* without memory the words are left out, not the verdict */
    pthread_mutex_lock(&sites->lock);
    site *one = sites->list[index];
    crawl_robots *old_robots = one->robots;
    char *old_words = one->words;
    one->robots = robots;
    one->words = copy;
    one->state = refused ? ROBOTS_REFUSED : ROBOTS_KNOWN;
    one->error_class = error_class;
    one->expires_ms = now_ms + CW_ROBOTS_MAX_AGE_MS;
    pthread_mutex_unlock(&sites->lock);
    crawl_robots_free(old_robots);
    free(old_words);
}

crawl_err cw_sites_stay_away(cw_sites *sites, crawl_slice origin, int64_t until_ms)
{
    pthread_mutex_lock(&sites->lock);
    site *one = get(sites, origin);
    if (one && until_ms > one->away_until_ms)
        one->away_until_ms = until_ms;
    pthread_mutex_unlock(&sites->lock);
    return one ? CRAWL_OK : CRAWL_ENOMEM;
}
