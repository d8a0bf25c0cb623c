#include "fetch/cookies/cookie_shard.h"

#include "fetch/cookies/cookie_parts.h"

#include <libpsl.h>
#include <stdlib.h>

/* Approximate bytes that the allocator and the map add to each cookie and each name. */
enum { COOKIE_OVERHEAD = 16, HOST_OVERHEAD = 80 };

struct cw_cookie_site {
    size_t bytes;
    size_t hosts;
    size_t name_size;
    char name[];
};

crawl_err cw_cookie_shard_init(cw_cookie_shard *shard, uint64_t seed, atomic_size_t *total)
{
    pthread_mutex_init(&shard->lock, NULL);
    TAILQ_INIT(&shard->circle);
    shard->serial = 0;
    atomic_init(&shard->site_limit, SIZE_MAX);
    shard->total = total;
    atomic_init(&shard->bytes, 0);
    atomic_init(&shard->count, 0);
    atomic_init(&shard->dropped, 0);
    shard->hosts = cw_map_create(seed);
    shard->sites = cw_map_create(seed);
    return shard->hosts && shard->sites ? CRAWL_OK : CRAWL_ENOMEM;
}

/* ---- charges ---- */

static size_t text_size(const cw_cookie *cookie)
{
    return (size_t)cookie->name_size + cookie->value_size + cookie->path_size;
}

static bool cookie_shard_is_own(const cw_cookie *cookie)
{
    return cookie->flags & CW_COOKIE_OWN;
}

static uint16_t *count_of(cw_cookie_host *host, unsigned flags)
{
    return flags & CW_COOKIE_HOST_ONLY ? &host->own_count : &host->wide_count;
}

static void add_bytes(cw_cookie_shard *shard, cw_cookie_site *site, size_t bytes)
{
    site->bytes += bytes;
    atomic_fetch_add_explicit(&shard->bytes, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(shard->total, bytes, memory_order_relaxed);
}

static void take_bytes(cw_cookie_shard *shard, cw_cookie_site *site, size_t bytes)
{
    site->bytes -= bytes;
    atomic_fetch_sub_explicit(&shard->bytes, bytes, memory_order_relaxed);
    atomic_fetch_sub_explicit(shard->total, bytes, memory_order_relaxed);
}

crawl_slice cw_cookie_site_of(crawl_slice host)
{
    const char *domain = cw_cookie_is_address(host) ? NULL : psl_registrable_domain(psl_builtin(), host.data);
    return domain ? crawl_slice_from(domain) : host;
}

static cw_cookie_site *cookie_shard_site_of(cw_cookie_shard *shard, const cw_cookie_host *host)
{
    crawl_slice name = cw_cookie_site_of(cw_cookie_host_name(host));
    cw_cookie_site *site = cw_map_get(shard->sites, name);
    if (site)
        return site;
    site = malloc(sizeof *site + name.size);
    if (!site)
        return NULL;
    *site = (cw_cookie_site){.name_size = name.size};
    memcpy(site->name, name.data, name.size);
    if (cw_map_put(shard->sites, crawl_slice_of(site->name, site->name_size), site)) {
        free(site);
        return NULL;
    }
    return site;
}

static size_t host_cost(const cw_cookie_host *host)
{
    return sizeof *host + host->name_size + HOST_OVERHEAD;
}

static size_t cookie_cost(const cw_cookie *cookie)
{
    return sizeof *cookie + text_size(cookie) + COOKIE_OVERHEAD;
}

/* Charges a name to its site, once. Must be called before the name gets a cookie of a server. */
static crawl_err join_site(cw_cookie_shard *shard, cw_cookie_host *host)
{
    if (host->site)
        return CRAWL_OK;
    host->site = cookie_shard_site_of(shard, host);
    if (!host->site)
        return CRAWL_ENOMEM;
    host->site->hosts++;
    add_bytes(shard, host->site, host_cost(host));
    return CRAWL_OK;
}

/* Refunds the charge of a name that has no cookies of servers left. */
static void leave_site(cw_cookie_shard *shard, cw_cookie_host *host)
{
    cw_cookie_site *site = host->site;
    if (!site || host->own_count + host->wide_count)
        return;
    host->site = NULL;
    take_bytes(shard, site, host_cost(host));
    if (--site->hosts)
        return;
    cw_map_remove(shard->sites, crawl_slice_of(site->name, site->name_size));
    free(site);
}

static void charge(cw_cookie_shard *shard, cw_cookie_host *host, const cw_cookie *cookie)
{
    atomic_fetch_add_explicit(&shard->count, 1, memory_order_relaxed);
    if (cookie_shard_is_own(cookie))
        return;
    ++*count_of(host, cookie->flags);
    add_bytes(shard, host->site, cookie_cost(cookie));
}

static void discharge(cw_cookie_shard *shard, cw_cookie_host *host, const cw_cookie *cookie)
{
    atomic_fetch_sub_explicit(&shard->count, 1, memory_order_relaxed);
    if (cookie_shard_is_own(cookie))
        return;
    --*count_of(host, cookie->flags);
    take_bytes(shard, host->site, cookie_cost(cookie));
}

/* ---- names ---- */

cw_cookie_host *cw_cookie_shard_find(const cw_cookie_shard *shard, crawl_slice name)
{
    return cw_map_get(shard->hosts, name);
}

static cw_cookie_host *cookie_shard_add_host(cw_cookie_shard *shard, crawl_slice name)
{
    cw_cookie_host *host = calloc(1, sizeof *host + name.size + 1);
    if (!host)
        return NULL;
    host->name_size = (uint8_t)name.size;
    memcpy(host->name, name.data, name.size);
    if (cw_map_put(shard->hosts, cw_cookie_host_name(host), host)) {
        free(host);
        return NULL;
    }
    TAILQ_INSERT_TAIL(&shard->circle, host, link);
    return host;
}

/* Removes a name that has no cookies left. True: it has some, and stays. */
static bool cookie_shard_keep_host(cw_cookie_shard *shard, cw_cookie_host *host)
{
    leave_site(shard, host);
    if (host->cookies)
        return true;
    cw_map_remove(shard->hosts, cw_cookie_host_name(host));
    TAILQ_REMOVE(&shard->circle, host, link);
    free(host);
    return false;
}

/* ---- cookies ---- */

static void remove_at(cw_cookie_shard *shard, cw_cookie_host *host, cw_cookie **at)
{
    cw_cookie *cookie = *at;
    *at = cookie->next;
    discharge(shard, host, cookie);
    free(cookie);
}

static bool cookie_shard_is_same(const cw_cookie *cookie, const cw_cookie_words *words)
{
    return ((cookie->flags ^ words->flags) & CW_COOKIE_HOST_ONLY) == 0 &&
           crawl_slice_equal(cw_cookie_name(cookie), words->name) &&
           crawl_slice_equal(cw_cookie_path(cookie), words->path);
}

/* Returns the pointer to the cookie with the same name, path and scope, or the end of the list. */
static cw_cookie **find_same(cw_cookie_host *host, const cw_cookie_words *words)
{
    cw_cookie **at = &host->cookies;
    while (*at && !cookie_shard_is_same(*at, words))
        at = &(*at)->next;
    return at;
}

cw_cookie *cw_cookie_shard_same(cw_cookie_host *host, const cw_cookie_words *words)
{
    return host ? *find_same(host, words) : NULL;
}

static cw_cookie *make_cookie(const cw_cookie_words *words)
{
    cw_cookie *cookie = malloc(sizeof *cookie + words->name.size + words->value.size + words->path.size);
    if (!cookie)
        return NULL;
    *cookie = (cw_cookie){
        .expires_ms = words->expires_ms,
        .set_ms = words->set_ms,
        .name_size = (uint16_t)words->name.size,
        .value_size = (uint16_t)words->value.size,
        .path_size = (uint16_t)words->path.size,
        .flags = (uint8_t)words->flags,
    };
    crawl_slice parts[] = {words->name, words->value, words->path};
    char *to = cookie->text;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; to += parts[i++].size)
        if (parts[i].size)
            memcpy(to, parts[i].data, parts[i].size);
    return cookie;
}

/* Overwrites a value by one of the same size: most servers send the same cookies again. False: a new cookie is
 * needed. */
static bool set_in_place(cw_cookie_shard *shard, cw_cookie *cookie, const cw_cookie_words *words)
{
    if (cookie->value_size != words->value.size || (words->flags & ~(unsigned)cookie->flags & CW_COOKIE_OWN))
        return false;
    if (words->value.size)
        memcpy(cookie->text + cookie->name_size, words->value.data, words->value.size);
    cookie->expires_ms = words->expires_ms;
    cookie->set_ms = words->set_ms;
    cookie->flags = (uint8_t)(words->flags | (cookie->flags & CW_COOKIE_OWN));
    cookie->used = ++shard->serial;
    return true;
}

/* Adds a new cookie at the end of the list, or replaces an old one, whose age and owner (user or server) it
 * inherits. */
static crawl_err put_at(cw_cookie_shard *shard, cw_cookie_host *host, cw_cookie **at, const cw_cookie_words *words)
{
    cw_cookie *old = *at;
    if (old && set_in_place(shard, old, words))
        return CRAWL_OK;
    bool own = (words->flags & CW_COOKIE_OWN) || (old && cookie_shard_is_own(old));
    cw_cookie *cookie = !own && join_site(shard, host) ? NULL : make_cookie(words);
    if (!cookie)
        return CRAWL_ENOMEM;
    cookie->flags |= own ? CW_COOKIE_OWN : 0;
    cookie->used = ++shard->serial;
    cookie->created = old ? old->created : shard->serial;
    cookie->next = old ? old->next : NULL;
    charge(shard, host, cookie);
    *at = cookie;
    if (old) {
        discharge(shard, host, old);
        free(old);
    }
    return CRAWL_OK;
}

/* ---- room ---- */

bool cw_cookie_shard_keep(cw_cookie_shard *shard, cw_cookie_host *host,
                          bool (*wanted)(void *user, const cw_cookie *cookie), void *user)
{
    for (cw_cookie **at = &host->cookies; *at;)
        if (wanted(user, *at))
            at = &(*at)->next;
        else
            remove_at(shard, host, at);
    return cookie_shard_keep_host(shard, host);
}

bool cw_cookie_shard_expire(cw_cookie_shard *shard, cw_cookie_host *host, int64_t now_ms)
{
    for (cw_cookie **at = &host->cookies; *at;)
        if ((*at)->expires_ms <= now_ms)
            remove_at(shard, host, at);
        else
            at = &(*at)->next;
    return cookie_shard_keep_host(shard, host);
}

/* Returns true if a is dropped before b (bis, 5.7): expired cookies first, then cookies that are also sent without
 * TLS, then the rest; among equals the least recently used. */
static bool cookie_shard_goes_before(const cw_cookie *a, const cw_cookie *b, int64_t now_ms)
{
    bool a_expired = a->expires_ms <= now_ms, b_expired = b->expires_ms <= now_ms;
    bool a_secure = a->flags & CW_COOKIE_SECURE, b_secure = b->flags & CW_COOKIE_SECURE;
    if (a_expired != b_expired)
        return a_expired;
    return a_secure != b_secure ? b_secure : a->used < b->used;
}

/* Drops one cookie if a name has more cookies of servers than its limit. flags select the kind that is counted: those
 * for the host only, or those for hosts below it too. */
static void cookie_shard_shorten(cw_cookie_shard *shard, cw_cookie_host *host, unsigned flags, int64_t now_ms)
{
    unsigned kind = flags & CW_COOKIE_HOST_ONLY;
    if (*count_of(host, flags) <= (kind ? CW_COOKIES_OF_HOST : CW_COOKIES_OF_DOMAIN))
        return;
    cw_cookie **victim = NULL;
    for (cw_cookie **at = &host->cookies; *at; at = &(*at)->next)
        if (!cookie_shard_is_own(*at) && ((*at)->flags & CW_COOKIE_HOST_ONLY) == kind &&
            (!victim || cookie_shard_goes_before(*at, *victim, now_ms)))
            victim = at;
    atomic_fetch_add_explicit(&shard->dropped, (*victim)->expires_ms > now_ms, memory_order_relaxed);
    remove_at(shard, host, victim);
}

/* Drops all cookies of servers of a name. */
static void cookie_shard_drop(cw_cookie_shard *shard, cw_cookie_host *host)
{
    for (cw_cookie **at = &host->cookies; *at;)
        if (cookie_shard_is_own(*at)) {
            at = &(*at)->next;
        } else {
            atomic_fetch_add_explicit(&shard->dropped, 1, memory_order_relaxed);
            remove_at(shard, host, at);
        }
    cookie_shard_keep_host(shard, host);
}

/* Moves the name at the front of the circle to its end and drops what may go there. The markers of writings stay in
 * place, so that a writing still meets the name. site: only names of this site lose cookies; NULL: any name may. */
static void cookie_shard_turn(cw_cookie_shard *shard, const cw_cookie_site *site, int64_t now_ms)
{
    cw_cookie_host *host = TAILQ_FIRST(&shard->circle);
    while (host && host->is_marker)
        host = TAILQ_NEXT(host, link);
    if (!host)
        return;
    TAILQ_REMOVE(&shard->circle, host, link);
    TAILQ_INSERT_TAIL(&shard->circle, host, link);
    if (!host->site || (site && host->site != site) || !cw_cookie_shard_expire(shard, host, now_ms))
        return;
    if (!host->used)
        cookie_shard_drop(shard, host);
    else
        host->used = false;
}

void cw_cookie_shard_shed(cw_cookie_shard *shard, size_t bytes, int64_t now_ms)
{
    for (size_t i = 0; i < CW_COOKIE_STEPS && atomic_load_explicit(&shard->bytes, memory_order_relaxed) > bytes; i++)
        cookie_shard_turn(shard, NULL, now_ms);
}

/* Drops names of a site that has more than its part. host has just got a cookie, and is marked as used so that it does
 * not go first. */
static void shed_site(cw_cookie_shard *shard, cw_cookie_host *host, int64_t now_ms)
{
    const cw_cookie_site *site = host->site;
    size_t limit = atomic_load_explicit(&shard->site_limit, memory_order_relaxed);
    if (site->bytes <= limit)
        return;
    host->used = true;
    for (size_t i = 0; i < CW_COOKIE_STEPS && site->hosts > 1 && site->bytes > limit; i++)
        cookie_shard_turn(shard, site, now_ms);
}

crawl_err cw_cookie_shard_put(cw_cookie_shard *shard, crawl_slice name, const cw_cookie_words *words, int64_t now_ms)
{
    cw_cookie_host *host = cw_cookie_shard_find(shard, name);
    bool expired = words->expires_ms <= now_ms;
    if (expired && !host)
        return CRAWL_OK;
    if (!host)
        host = cookie_shard_add_host(shard, name);
    if (!host)
        return CRAWL_ENOMEM;
    cw_cookie **at = find_same(host, words);
    crawl_err err = CRAWL_OK;
    if (!expired)
        err = put_at(shard, host, at, words);
    else if (*at)
        remove_at(shard, host, at);
    if (!err && !expired)
        cookie_shard_shorten(shard, host, words->flags, now_ms);
    if (cookie_shard_keep_host(shard, host) && host->site)
        shed_site(shard, host, now_ms);
    return err;
}

void cw_cookie_shard_free(cw_cookie_shard *shard)
{
    while (!TAILQ_EMPTY(&shard->circle)) {
        cw_cookie_host *host = TAILQ_FIRST(&shard->circle);
        while (host->cookies)
            remove_at(shard, host, &host->cookies);
        cookie_shard_keep_host(shard, host);
    }
    cw_map_free(shard->hosts);
    cw_map_free(shard->sites);
    pthread_mutex_destroy(&shard->lock);
}

bool cw_cookies_is_same(const cw_cookie *cookie, const cw_cookie_words *words, int64_t now_ms)
{
    const unsigned compared = CW_COOKIE_SECURE | CW_COOKIE_HTTP_ONLY;
    bool has_end = cookie->expires_ms != CW_COOKIE_SESSION && words->expires_ms != CW_COOKIE_SESSION;
    bool is_longer = has_end && words->expires_ms >= cookie->expires_ms &&
                     words->expires_ms - cookie->expires_ms <= (cookie->expires_ms - now_ms) / 8;
    return ((cookie->flags ^ words->flags) & compared) == 0 &&
           crawl_slice_equal(cw_cookie_value(cookie), words->value) &&
           (cookie->expires_ms == words->expires_ms || is_longer);
}

crawl_err cw_cookies_ask_watch(cw_cookie_cookies *cookies, const cw_cookie_shard *shard, const cw_cookie_place *place,
                               crawl_slice name, cw_cookie_words *words, int64_t now_ms, bool *is_done)
{
    *is_done = false;
    if (!cookies->watch)
        return CRAWL_OK;
    bool is_deleted = words->expires_ms <= now_ms;
    cw_cookie *had = cw_cookie_shard_same(cw_cookie_shard_find(shard, name), words);
    if (had && had->expires_ms <= now_ms)
        had = NULL;
    bool is_known = is_deleted ? !had : had && cw_cookies_is_same(had, words, now_ms);
    crawl_err err = cookies->watch(cookies->watch_user, place, name, words, is_deleted, is_known);
    if (!err && is_known && had)
        had->set_ms = words->set_ms;
    *is_done = is_known;
    return err;
}
