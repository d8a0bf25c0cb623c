/* See jar.h. TLS sessions are shared through libcurl's share interface with our own locks; connections are not shared,
 * since libcurl has no thread-safe way to do so. One share remembers the sessions of 8 hosts (25 after version 8.11),
 * which cannot be configured. So there are many shares, and a host always uses the same one. Cookies are in our own
 * store (cookie_store.h): libcurl's is one list for all hosts of a top domain, behind one lock, without a limit. */
#include "fetch/cookies/jar.h"

#include "base/bytes.h"
#include "base/net.h"
#include "base/sized.h"
#include "fetch/cookies/cookie_file.h"
#include "fetch/cookies/cookie_parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <xxhash.h>

/* Enough shares for the sessions of up to 512 hosts, about 4 KiB each. */
#define SHARES 64

typedef struct tls_share {
    CURLSH *handle;
    pthread_mutex_t locks[CURL_LOCK_DATA_LAST]; /* locked by libcurl */
} tls_share;

struct crawl_jar {
    tls_share shares[SHARES];
    cw_cookie_cookies *cookies; /* NULL: stores none */
    crawl_jar_watch watch;
};

static void lock_data(CURL *, curl_lock_data data, curl_lock_access, void *user)
{
    tls_share *share = user;
    pthread_mutex_lock(&share->locks[data]);
}

static void unlock_data(CURL *, curl_lock_data data, void *user)
{
    tls_share *share = user;
    pthread_mutex_unlock(&share->locks[data]);
}

static bool set_up_share(tls_share *share)
{
    CURLSH *handle = share->handle = curl_share_init();
    for (size_t i = 0; i < CURL_LOCK_DATA_LAST; i++)
        pthread_mutex_init(&share->locks[i], NULL);
    return handle && curl_share_setopt(handle, CURLSHOPT_USERDATA, share) == CURLSHE_OK &&
           curl_share_setopt(handle, CURLSHOPT_LOCKFUNC, lock_data) == CURLSHE_OK &&
           curl_share_setopt(handle, CURLSHOPT_UNLOCKFUNC, unlock_data) == CURLSHE_OK &&
           curl_share_setopt(handle, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK;
}

static void close_share(tls_share *share)
{
    if (share->handle)
        curl_share_cleanup(share->handle);
    for (size_t i = 0; i < CURL_LOCK_DATA_LAST; i++)
        pthread_mutex_destroy(&share->locks[i]);
}

crawl_err crawl_jar_create(bool cookies, crawl_jar **out)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) /* libcurl counts these calls */
        return CRAWL_ENOMEM;
    crawl_jar *jar = calloc(1, sizeof *jar);
    if (!jar) {
        curl_global_cleanup();
        return CRAWL_ENOMEM;
    }
    bool whole = true;
    for (size_t i = 0; i < SHARES; i++)
        whole = set_up_share(&jar->shares[i]) && whole;
    if (cookies)
        jar->cookies = cw_cookies_create((size_t)CRAWL_JAR_BYTES);
    if (!whole || (cookies && !jar->cookies)) {
        crawl_jar_free(jar);
        return CRAWL_ENOMEM;
    }
    *out = jar;
    return CRAWL_OK;
}

void crawl_jar_free(crawl_jar *jar)
{
    if (!jar)
        return;
    for (size_t i = 0; i < SHARES; i++)
        close_share(&jar->shares[i]);
    cw_cookies_free(jar->cookies);
    free(jar);
    curl_global_cleanup();
}

CURLSH *cw_cookie_jar_share(crawl_jar *jar, crawl_slice url)
{
    size_t origin = url.size - cw_authority_of(url).rest.size;
    return jar->shares[XXH3_64bits(url.data, origin) % SHARES].handle;
}

cw_cookie_cookies *cw_cookie_jar_cookies(const crawl_jar *jar)
{
    return jar->cookies;
}

void crawl_jar_limit(crawl_jar *jar, uint64_t max_bytes)
{
    if (jar->cookies)
        cw_cookies_limit(jar->cookies, max_bytes < SIZE_MAX / 2 ? (size_t)max_bytes : SIZE_MAX / 2);
}

void crawl_jar_stats_get(crawl_jar *jar, crawl_jar_stats *out)
{
    cw_cookies_stats stats = {0};
    if (jar->cookies)
        cw_cookies_stats_get(jar->cookies, &stats);
    *out = (crawl_jar_stats){
        .cookies = stats.cookies, .bytes = stats.bytes, .dropped = stats.dropped, .changes = stats.changes};
}

/* ---- one at a time ---- */

crawl_err crawl_jar_set(crawl_jar *jar, crawl_slice url, crawl_slice field, int64_t now_ms)
{
    cw_cookie_place place;
    if (!jar->cookies)
        return CRAWL_REFUSED;
    crawl_err err = cw_cookie_place_of(url, &place);
    return err ? err : cw_cookies_set(jar->cookies, &place, field, now_ms);
}

crawl_err crawl_jar_get(crawl_jar *jar, crawl_slice url, crawl_slice given, int64_t now_ms, crawl_buf *out)
{
    cw_cookie_place place;
    if (!jar->cookies)
        return CRAWL_OK;
    crawl_err err = cw_cookie_place_of(url, &place);
    return err ? err : cw_cookies_get(jar->cookies, &place, given, now_ms, out);
}

/* ---- shared by processes ---- */

crawl_err crawl_jar_host(crawl_slice url, char host[CRAWL_JAR_HOST_MAX + 1], crawl_slice *site)
{
    cw_cookie_place place;
    _Static_assert(CRAWL_JAR_HOST_MAX == CW_HOST_MAX, "a host's name");
    crawl_err err = cw_cookie_place_of(url, &place);
    if (err)
        return err;
    memcpy(host, place.host, place.host_size + 1);
    *site = cw_cookie_site_of(crawl_slice_of(host, place.host_size));
    return CRAWL_OK;
}

static crawl_err jar_on_set(void *user, const cw_cookie_place *place, crawl_slice host, cw_cookie_words *words,
                            bool is_deleted, bool is_known)
{
    const crawl_jar *jar = user;
    const crawl_jar_source source = {.origin = place ? place->origin : (crawl_slice){0},
                                     .asked_us = place ? place->asked_us : 0,
                                     .is_known = is_known};
    crawl_jar_cookie cookie = {.host = host,
                               .name = words->name,
                               .value = words->value,
                               .path = words->path,
                               .expires_ms = words->expires_ms,
                               .set_ms = words->set_ms,
                               .is_deleted = is_deleted,
                               .is_host_only = words->flags & CW_COOKIE_HOST_ONLY,
                               .is_secure = words->flags & CW_COOKIE_SECURE,
                               .is_http_only = words->flags & CW_COOKIE_HTTP_ONLY,
                               .is_own = words->flags & CW_COOKIE_OWN};
    crawl_err err = jar->watch.on_set(jar->watch.user, &source, &cookie);
    words->set_ms = cookie.set_ms;
    return err;
}

crawl_err crawl_jar_set_watch(crawl_jar *jar, const crawl_jar_watch *watch)
{
    if (!jar->cookies || !cw_sized_copy(&jar->watch, sizeof jar->watch, watch) || !jar->watch.on_set)
        return CRAWL_EINVAL;
    cw_cookies_watch(jar->cookies, jar_on_set, jar);
    return CRAWL_OK;
}

static cw_cookie_words jar_words_of(const crawl_jar_cookie *cookie)
{
    return (cw_cookie_words){
        .name = cookie->name,
        .value = cookie->value,
        .path = cookie->path,
        .expires_ms = cookie->is_deleted ? INT64_MIN : cookie->expires_ms,
        .set_ms = cookie->set_ms,
        .flags = (cookie->is_host_only ? CW_COOKIE_HOST_ONLY : 0) | (cookie->is_secure ? CW_COOKIE_SECURE : 0) |
                 (cookie->is_http_only ? CW_COOKIE_HTTP_ONLY : 0) | (cookie->is_own ? CW_COOKIE_OWN : 0)};
}

crawl_err crawl_jar_replace(crawl_jar *jar, crawl_slice host, const crawl_jar_cookie *cookies, size_t count,
                            int64_t as_of_ms, int64_t now_ms)
{
    if (!jar->cookies || host.size > CW_HOST_MAX)
        return CRAWL_EINVAL;
    cw_cookie_words *words = calloc(count + 1, sizeof *words);
    if (!words)
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < count; i++)
        words[i] = jar_words_of(&cookies[i]);
    crawl_err err = cw_cookies_replace(jar->cookies, host, words, count, as_of_ms, now_ms);
    free(words);
    return err;
}

/* ---- files ---- */

/* Divides a file, as a comment for other programs. The cookies after it were set by servers, and may be evicted. */
static const char servers[] = "# Set by servers:\n";

static const char *servers_part(crawl_slice text)
{
    size_t size = strlen(servers);
    for (const char *at = text.data, *end = text.data + text.size; at && (size_t)(end - at) >= size;) {
        if (memcmp(at, servers, size) == 0)
            return at;
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            return NULL;
        at++;
    }
    return NULL;
}

/* Fails at the first line that is not a cookie; in a file of another program only if no line is one. */
static crawl_err jar_check_all(const char *name, crawl_slice text, bool is_ours, crawl_error *error)
{
    cw_cookie_entry entry;
    unsigned line = 0;
    unsigned bad_line = 0;
    const char *why, *bad = NULL;
    for (crawl_err err; (err = cw_cookie_next(&text, &line, &entry, &why)) != CRAWL_DRAINED;) {
        if (!err && !is_ours)
            return CRAWL_OK;
        if (err && !bad) {
            bad = why;
            bad_line = line;
        }
    }
    if (!bad)
        return CRAWL_OK;
    crawl_error_set(error, CRAWL_EPARSE, "%s:%u: %s", name, bad_line, bad);
    if (error)
        error->line = bad_line;
    return CRAWL_EPARSE;
}

static crawl_err jar_add_all(cw_cookie_cookies *cookies, crawl_slice text, const char *theirs, int64_t now_ms)
{
    cw_cookie_entry entry;
    unsigned line = 0;
    const char *why;
    for (crawl_err err; (err = cw_cookie_next(&text, &line, &entry, &why)) != CRAWL_DRAINED;) {
        if (err)
            continue;
        entry.words.flags |= theirs && entry.words.name.data > theirs ? 0 : CW_COOKIE_OWN;
        err = cw_cookies_put(cookies, crawl_slice_of(entry.domain, entry.domain_size), &entry.words, now_ms);
        if (err)
            return err;
    }
    return CRAWL_OK;
}

crawl_err crawl_jar_read(crawl_jar *jar, const char *name, crawl_slice text, bool kept, int64_t now_ms,
                         crawl_error *error)
{
    if (!jar->cookies)
        return crawl_error_set(error, CRAWL_EINVAL, "%s: cookies are off", name);
    crawl_err err = jar_check_all(name, text, kept, error);
    if (err)
        return err;
    err = jar_add_all(jar->cookies, text, kept ? servers_part(text) : NULL, now_ms);
    return err ? crawl_error_set(error, err, "%s: %s", name, crawl_strerror(err)) : CRAWL_OK;
}

crawl_err crawl_jar_write(crawl_jar *jar, int64_t now_ms, crawl_buf *out)
{
    if (!jar->cookies)
        return CRAWL_OK;
    crawl_err err = cw_cookies_write(jar->cookies, true, now_ms, out);
    size_t end = out->size;
    if (!err)
        err = crawl_buf_append_text(out, servers);
    if (!err)
        err = cw_cookies_write(jar->cookies, false, now_ms, out);
    if (!err && out->size == end + strlen(servers))
        out->data[out->size = end] = '\0';
    return err;
}

/* The cookies of a host from another process, which replace those stored here. */

typedef struct replacement {
    const cw_cookie_words *words;
    size_t count;
    int64_t as_of_ms;
} replacement;

static bool cookie_replace_is_kept(void *user, const cw_cookie *cookie)
{
    const replacement *r = user;
    bool is_there = cookie->set_ms >= r->as_of_ms;
    for (size_t i = 0; i < r->count && !is_there; i++)
        is_there = ((cookie->flags ^ r->words[i].flags) & CW_COOKIE_HOST_ONLY) == 0 &&
                   crawl_slice_equal(cw_cookie_name(cookie), r->words[i].name) &&
                   crawl_slice_equal(cw_cookie_path(cookie), r->words[i].path);
    return is_there;
}

/* Reports a cookie again: those of the other processes are older than the one stored here. */
static void tell_again(cw_cookie_cookies *cookies, crawl_slice name, const cw_cookie *cookie)
{
    cw_cookie_words words = {.name = cw_cookie_name(cookie),
                             .value = cw_cookie_value(cookie),
                             .path = cw_cookie_path(cookie),
                             .expires_ms = cookie->expires_ms,
                             .set_ms = cookie->set_ms,
                             .flags = cookie->flags};
    if (cookies->watch)
        (void)cookies->watch(cookies->watch_user, NULL, name, &words, false, false);
}

static crawl_err replace_one(cw_cookie_cookies *cookies, cw_cookie_shard *shard, crawl_slice name,
                             const cw_cookie_words *words, int64_t now_ms)
{
    const cw_cookie *had = cw_cookie_shard_same(cw_cookie_shard_find(shard, name), words);
    bool is_newer = had && had->set_ms > words->set_ms && had->expires_ms > now_ms;
    if (is_newer && (words->expires_ms <= now_ms || !cw_cookies_is_same(had, words, now_ms)))
        tell_again(cookies, name, had);
    return is_newer ? CRAWL_OK : cw_cookies_keep(cookies, shard, name, words, now_ms);
}

crawl_err cw_cookies_replace(cw_cookie_cookies *cookies, crawl_slice name, const cw_cookie_words *words, size_t count,
                             int64_t as_of_ms, int64_t now_ms)
{
    replacement r = {.words = words, .count = count, .as_of_ms = as_of_ms};
    cw_cookie_shard *shard = cw_cookies_shard_of(cookies, name);
    crawl_err err = CRAWL_OK;
    pthread_mutex_lock(&shard->lock);
    cw_cookie_host *host = cw_cookie_shard_find(shard, name);
    if (host)
        cw_cookie_shard_keep(shard, host, cookie_replace_is_kept, &r);
    for (size_t i = 0; i < count && !err; i++)
        err = replace_one(cookies, shard, name, &words[i], now_ms);
    pthread_mutex_unlock(&shard->lock);
    cw_cookies_make_room(cookies, now_ms);
    return err;
}
