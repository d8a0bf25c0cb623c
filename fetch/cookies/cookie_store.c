#include "fetch/cookies/cookie_store.h"

#include "base/bytes.h"
#include "fetch/cookies/cookie_file.h"
#include "fetch/cookies/cookie_parts.h"

#include <libpsl.h>
#include <stdlib.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    /* Maximum number of cookies in a request: no browser sends more. */
    SENT_MAX = CW_COOKIES_OF_DOMAIN,
    /* Names that a writing passes while it holds the lock once: about 10 us. */
    WRITE_STEPS = 64,
    /* The bytes of a name and, in most cases, of its site and its first cookie, which are allocated right after it. */
    EXPECTED_BYTES = 320,
};

void cw_cookies_limit(cw_cookie_cookies *cookies, size_t max_bytes)
{
    atomic_store(&cookies->max_bytes, max_bytes);
    for (size_t i = 0; i < CW_COOKIE_SHARDS; i++)
        atomic_store(&cookies->shards[i].site_limit, max_bytes / CW_COOKIE_SITE_PART);
}

cw_cookie_cookies *cw_cookies_create(size_t max_bytes)
{
    cw_cookie_cookies *cookies = aligned_alloc(alignof(cw_cookie_cookies), sizeof *cookies);
    if (!cookies)
        return NULL;
    memset(cookies, 0, sizeof *cookies);
    if (getrandom(&cookies->seed, sizeof cookies->seed, GRND_NONBLOCK) != (ssize_t)sizeof cookies->seed)
        cookies->seed = (uintptr_t)cookies;
    crawl_err err = CRAWL_OK;
    while (cookies->shard_count < CW_COOKIE_SHARDS && !err)
        err = cw_cookie_shard_init(&cookies->shards[cookies->shard_count++], cookies->seed, &cookies->total);
    if (err) {
        cw_cookies_free(cookies);
        return NULL;
    }
    cw_cookies_limit(cookies, max_bytes);
    return cookies;
}

void cw_cookies_free(cw_cookie_cookies *cookies)
{
    if (!cookies)
        return;
    for (size_t i = 0; i < cookies->shard_count; i++)
        cw_cookie_shard_free(&cookies->shards[i]);
    free(cookies);
}

/* ---- names ---- */

/* Returns the host without its first label. */
static crawl_slice parent(crawl_slice host)
{
    cw_cut(&host, '.');
    return host;
}

/* Advances to the next name that a request to a place looks up: its host, then the domains above. False: that was the
 * last. */
static bool next_name(const cw_cookie_place *place, crawl_slice *name)
{
    *name = parent(*name);
    return !place->is_address && parent(*name).size > 0;
}

static crawl_slice last_labels(crawl_slice host)
{
    size_t dot = cw_find_last(host, '.');
    size_t before = cw_find_last(crawl_slice_of(host.data, dot), '.');
    return before < dot ? cw_drop(host, before + 1) : host;
}

cw_cookie_shard *cw_cookies_shard_of(cw_cookie_cookies *cookies, crawl_slice host)
{
    crawl_slice key = last_labels(host);
    return &cookies->shards[XXH3_64bits_withSeed(key.data, key.size, cookies->seed) % CW_COOKIE_SHARDS];
}

/* ---- room ---- */

static cw_cookie_shard *fullest(cw_cookie_cookies *cookies)
{
    cw_cookie_shard *found = &cookies->shards[0];
    for (size_t i = 1; i < CW_COOKIE_SHARDS; i++)
        if (atomic_load_explicit(&cookies->shards[i].bytes, memory_order_relaxed) >
            atomic_load_explicit(&found->bytes, memory_order_relaxed))
            found = &cookies->shards[i];
    return found;
}

/* Drops cookies of the fullest shard, because the site that set most is probably there. Drops a little more than
 * needed, so that not every new cookie evicts others. */
void cw_cookies_make_room(cw_cookie_cookies *cookies, int64_t now_ms)
{
    size_t max = atomic_load_explicit(&cookies->max_bytes, memory_order_relaxed);
    size_t total = atomic_load_explicit(&cookies->total, memory_order_relaxed);
    if (total <= max)
        return;
    cw_cookie_shard *shard = fullest(cookies);
    pthread_mutex_lock(&shard->lock);
    size_t over = total - max + max / 1024, bytes = atomic_load_explicit(&shard->bytes, memory_order_relaxed);
    cw_cookie_shard_shed(shard, bytes > over ? bytes - over : 0, now_ms);
    pthread_mutex_unlock(&shard->lock);
}

crawl_err cw_cookies_keep(cw_cookie_cookies *cookies, cw_cookie_shard *shard, crawl_slice name,
                          const cw_cookie_words *words, int64_t now_ms)
{
    atomic_fetch_add_explicit(&cookies->changes, 1, memory_order_relaxed);
    return cw_cookie_shard_put(shard, name, words, now_ms);
}

void cw_cookies_watch(cw_cookie_cookies *cookies, cw_cookie_watch *watch, void *user)
{
    cookies->watch = watch;
    cookies->watch_user = user;
}

crawl_err cw_cookies_put(cw_cookie_cookies *cookies, crawl_slice name, const cw_cookie_words *given, int64_t now_ms)
{
    bool is_done;
    cw_cookie_words words = *given;
    cw_cookie_shard *shard = cw_cookies_shard_of(cookies, name);
    pthread_mutex_lock(&shard->lock);
    crawl_err err = cw_cookies_ask_watch(cookies, shard, NULL, name, &words, now_ms, &is_done);
    if (!err && !is_done)
        err = cw_cookies_keep(cookies, shard, name, &words, now_ms);
    pthread_mutex_unlock(&shard->lock);
    cw_cookies_make_room(cookies, now_ms);
    return err;
}

/* ---- set ---- */

/* Returns true if a cookie may be bound to a domain with all its hosts: not to a public suffix. The list is asked once
 * per name. */
static bool may_be_wide(const cw_cookie_host *host, const char *domain)
{
    return (host && host->may_be_wide) || !psl_is_public_suffix(psl_builtin(), domain);
}

/* Finds the name that a cookie is bound to, and whether only to this host. CRAWL_REFUSED: the host does not belong to
 * the domain, or the domain is a public suffix, whose hosts are unrelated. */
static crawl_err bind(const cw_cookie_shard *shard, const cw_cookie_place *place, cw_cookie_field *field,
                      crawl_slice *name)
{
    crawl_slice domain = crawl_slice_of(field->domain, field->domain_size);
    crawl_slice host = cw_cookie_place_host(place);
    bool wide = domain.size && !place->is_address;
    if (domain.size && !cw_cookie_domain_match(host, place->is_address, domain))
        return CRAWL_REFUSED;
    if (wide && !may_be_wide(cw_cookie_shard_find(shard, domain), field->domain)) {
        if (domain.size != host.size)
            return CRAWL_REFUSED;
        wide = false;
    }
    *name = wide ? domain : host;
    if (!wide)
        field->words.flags |= CW_COOKIE_HOST_ONLY;
    return CRAWL_OK;
}

static bool overlays_in(const cw_cookie_host *host, const cw_cookie_words *words, int64_t now_ms)
{
    for (const cw_cookie *cookie = host ? host->cookies : NULL; cookie; cookie = cookie->next)
        if ((cookie->flags & CW_COOKIE_SECURE) && cookie->expires_ms > now_ms &&
            crawl_slice_equal(cw_cookie_name(cookie), words->name) &&
            cw_cookie_path_match(words->path, cw_cookie_path(cookie)))
            return true;
    return false;
}

/* bis, 5.7, "leave secure cookies alone": a server without TLS may not set a cookie that would replace a secure one.
 * Checks the cookies of the host and of the domains above it; for a cookie of a domain, not those of the other hosts
 * below the domain. */
static bool overlays_secure(const cw_cookie_shard *shard, const cw_cookie_place *place, const cw_cookie_words *words,
                            int64_t now_ms)
{
    crawl_slice name = cw_cookie_place_host(place);
    bool found = false;
    if (place->secure)
        return found;
    do
        found = overlays_in(cw_cookie_shard_find(shard, name), words, now_ms);
    while (!found && next_name(place, &name));
    return found;
}

static crawl_err cookie_store_set(cw_cookie_cookies *cookies, cw_cookie_shard *shard, const cw_cookie_place *place,
                                  cw_cookie_field *field, int64_t now_ms)
{
    crawl_slice name;
    cw_cookie_words *words = &field->words;
    crawl_err err = bind(shard, place, field, &name);
    if (err || !cw_cookie_prefix_holds(words))
        return CRAWL_REFUSED;
    if (!words->path.size)
        words->path = cw_cookie_default_path(place->path);
    if (words->path.size > CW_COOKIE_ATTRIBUTE_MAX || overlays_secure(shard, place, words, now_ms))
        return CRAWL_REFUSED;
    bool is_done;
    err = cw_cookies_ask_watch(cookies, shard, place, name, words, now_ms, &is_done);
    if (err || is_done)
        return err;
    err = cw_cookies_keep(cookies, shard, name, words, now_ms);
    cw_cookie_host *host = words->flags & CW_COOKIE_HOST_ONLY ? NULL : cw_cookie_shard_find(shard, name);
    if (host)
        host->may_be_wide = true;
    return err;
}

crawl_err cw_cookies_set(cw_cookie_cookies *cookies, const cw_cookie_place *place, crawl_slice text, int64_t now_ms)
{
    cw_cookie_field field;
    crawl_err err = cw_cookie_parse(text, now_ms, &field);
    if (err)
        return err;
    if ((field.words.flags & CW_COOKIE_SECURE) && !place->secure)
        return CRAWL_REFUSED;
    cw_cookie_shard *shard = cw_cookies_shard_of(cookies, cw_cookie_place_host(place));
    pthread_mutex_lock(&shard->lock);
    err = cookie_store_set(cookies, shard, place, &field, now_ms);
    pthread_mutex_unlock(&shard->lock);
    cw_cookies_make_room(cookies, now_ms);
    return err;
}

/* ---- get ---- */

typedef struct choice {
    cw_cookie *cookies[SENT_MAX];
    size_t count;
} choice;

/* RFC 6265, 5.4: cookies with longer paths come first, then older ones. */
static bool stands_before(const cw_cookie *a, const cw_cookie *b)
{
    return a->path_size != b->path_size ? a->path_size > b->path_size : a->created < b->created;
}

static void choose(choice *chosen, cw_cookie *cookie)
{
    size_t at = chosen->count;
    while (at && stands_before(cookie, chosen->cookies[at - 1]))
        at--;
    if (at == SENT_MAX)
        return;
    chosen->count += chosen->count < SENT_MAX;
    memmove(&chosen->cookies[at + 1], &chosen->cookies[at], (chosen->count - 1 - at) * sizeof(cw_cookie *));
    chosen->cookies[at] = cookie;
}

/* Returns true if given, in the form "a=1; b=2", has a cookie of this name. */
static bool is_given(crawl_slice given, crawl_slice name)
{
    while (given.size) {
        crawl_slice pair = cw_trim_start(cw_cut(&given, ';'));
        size_t equal = cw_find_char(pair, '=');
        if (crawl_slice_equal(crawl_slice_of(pair.data, equal < pair.size ? equal : 0), name))
            return true;
    }
    return false;
}

static bool goes_to(const cw_cookie *cookie, const cw_cookie_place *place, bool is_host)
{
    return (is_host || !(cookie->flags & CW_COOKIE_HOST_ONLY)) &&
           (place->secure || !(cookie->flags & CW_COOKIE_SECURE)) &&
           cw_cookie_path_match(place->path, cw_cookie_path(cookie));
}

static void choose_of(cw_cookie_shard *shard, cw_cookie_host *host, const cw_cookie_place *place, crawl_slice given,
                      int64_t now_ms, choice *chosen)
{
    bool is_host = host->name_size == place->host_size;
    if (!cw_cookie_shard_expire(shard, host, now_ms))
        return;
    host->used = true;
    for (cw_cookie *cookie = host->cookies; cookie; cookie = cookie->next)
        if (goes_to(cookie, place, is_host) && !is_given(given, cw_cookie_name(cookie)))
            choose(chosen, cookie);
}

static size_t sent_size(const cw_cookie *cookie)
{
    return (size_t)cookie->name_size + cookie->value_size + strlen("=; ");
}

/* Counts how many of the chosen cookies fit into room bytes. Returns their size. */
static size_t fit(const choice *chosen, size_t room, size_t *count)
{
    size_t size = 0;
    for (*count = 0; *count < chosen->count && size + sent_size(chosen->cookies[*count]) <= room; ++*count)
        size += sent_size(chosen->cookies[*count]);
    return size;
}

/* Writes "name=value" into room that is already reserved. */
static void put_pair(const cw_cookie *cookie, bool first, crawl_buf *out)
{
    char *to = out->data + out->size;
    to = mempcpy(to, "; ", first ? 0 : 2);
    to = mempcpy(to, cookie->text, cookie->name_size);
    to = mempcpy(to, "=", cookie->name_size ? 1 : 0);
    to = mempcpy(to, cookie->text + cookie->name_size, cookie->value_size);
    *to = '\0';
    out->size = (size_t)(to - out->data);
}

/* Appends the chosen cookies, and marks them as used. */
static crawl_err put_down(cw_cookie_shard *shard, const choice *chosen, size_t room, crawl_buf *out)
{
    size_t count;
    size_t size = fit(chosen, room, &count);
    crawl_err err = size ? crawl_buf_reserve(out, size) : CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++) {
        chosen->cookies[i]->used = ++shard->serial;
        put_pair(chosen->cookies[i], i == 0, out);
    }
    return err;
}

/* The names that a request to a place looks up: its host, and the domains above that have two labels or more. */
typedef struct names {
    struct {
        crawl_slice text;
        uint64_t hash;
    } list[CW_HOST_MAX];
    size_t count;
} names;

static void list_names(const cw_cookie_shard *shard, const cw_cookie_place *place, names *out)
{
    crawl_slice name = cw_cookie_place_host(place);
    out->count = 0;
    do {
        out->list[out->count].text = name;
        out->list[out->count++].hash = cw_map_hash(shard->hosts, name);
    } while (next_name(place, &name));
}

/* Prefetches all names before the first one is read: among a million names hardly any is cached. */
static void expect_names(const cw_cookie_shard *shard, const names *wanted)
{
    for (size_t i = 0; i < wanted->count; i++)
        cw_map_expect_hashed(shard->hosts, wanted->list[i].hash);
    for (size_t i = 0; i < wanted->count; i++)
        cw_map_expect_value_hashed(shard->hosts, wanted->list[i].hash, EXPECTED_BYTES);
}

crawl_err cw_cookies_get(cw_cookie_cookies *cookies, const cw_cookie_place *place, crawl_slice given, int64_t now_ms,
                         crawl_buf *out)
{
    choice chosen;
    names wanted;
    cw_cookie_shard *shard = cw_cookies_shard_of(cookies, cw_cookie_place_host(place));
    if (!atomic_load_explicit(&shard->count, memory_order_relaxed))
        return CRAWL_OK;
    chosen.count = 0;
    list_names(shard, place, &wanted);
    pthread_mutex_lock(&shard->lock);
    expect_names(shard, &wanted);
    for (size_t i = 0; i < wanted.count; i++) {
        cw_cookie_host *host = cw_map_get_hashed(shard->hosts, wanted.list[i].text, wanted.list[i].hash);
        if (host)
            choose_of(shard, host, place, given, now_ms, &chosen);
    }
    size_t room = given.size < CW_COOKIE_HEADER_MAX ? CW_COOKIE_HEADER_MAX - given.size : 0;
    crawl_err err = put_down(shard, &chosen, room, out);
    pthread_mutex_unlock(&shard->lock);
    return err;
}

/* ---- all ---- */

typedef struct writing {
    bool own;
    int64_t now_ms;
    uint32_t number;
    crawl_buf lines; /* filled with a lock held, so it is kept small and soon stops growing */
} writing;

static crawl_err cookie_store_write_host(writing *job, cw_cookie_host *host)
{
    crawl_err err = CRAWL_OK;
    if (host->is_marker || host->written == job->number)
        return err;
    host->written = job->number;
    for (const cw_cookie *cookie = host->cookies; cookie && !err; cookie = cookie->next)
        if (cookie->expires_ms > job->now_ms && ((cookie->flags & CW_COOKIE_OWN) != 0) == job->own)
            err = cw_cookie_line(cw_cookie_host_name(host), cookie, &job->lines);
    return err;
}

/* Writes some names and moves the marker past them. True: there are more. */
static bool cookie_store_write_some(writing *job, cw_cookie_shard *shard, cw_cookie_host *marker, crawl_err *err)
{
    cw_cookie_host *host = NULL;
    crawl_buf_clear(&job->lines);
    pthread_mutex_lock(&shard->lock);
    for (size_t i = 0; i < WRITE_STEPS && !*err && (host = TAILQ_NEXT(marker, link)); i++) {
        *err = cookie_store_write_host(job, host);
        TAILQ_REMOVE(&shard->circle, marker, link);
        TAILQ_INSERT_AFTER(&shard->circle, host, marker, link);
    }
    bool more = host && !*err;
    pthread_mutex_unlock(&shard->lock);
    return more;
}

static crawl_err write_shard(writing *job, cw_cookie_shard *shard, crawl_buf *out)
{
    cw_cookie_host marker = {.is_marker = true};
    crawl_err err = CRAWL_OK;
    bool more = true;
    pthread_mutex_lock(&shard->lock);
    TAILQ_INSERT_HEAD(&shard->circle, &marker, link);
    pthread_mutex_unlock(&shard->lock);
    while (more) {
        more = cookie_store_write_some(job, shard, &marker, &err);
        if (!err)
            err = crawl_buf_append(out, job->lines.data, job->lines.size);
        more = more && !err;
    }
    pthread_mutex_lock(&shard->lock);
    TAILQ_REMOVE(&shard->circle, &marker, link);
    pthread_mutex_unlock(&shard->lock);
    return err;
}

crawl_err cw_cookies_write(cw_cookie_cookies *cookies, bool own, int64_t now_ms, crawl_buf *out)
{
    writing job = {.own = own, .now_ms = now_ms};
    while (!job.number) /* 0 is the value of each new name */
        job.number = (uint32_t)atomic_fetch_add(&cookies->writings, 1) + 1;
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < CW_COOKIE_SHARDS && !err; i++)
        if (atomic_load_explicit(&cookies->shards[i].count, memory_order_relaxed))
            err = write_shard(&job, &cookies->shards[i], out);
    crawl_buf_free(&job.lines);
    return err;
}

void cw_cookies_stats_get(cw_cookie_cookies *cookies, cw_cookies_stats *out)
{
    *out = (cw_cookies_stats){.bytes = atomic_load(&cookies->total), .changes = atomic_load(&cookies->changes)};
    for (size_t i = 0; i < CW_COOKIE_SHARDS; i++) {
        out->cookies += atomic_load(&cookies->shards[i].count);
        out->dropped += atomic_load(&cookies->shards[i].dropped);
    }
}
