/* TLS sessions are shared by libcurl's share interface under locks of ours; connections are not: libcurl has no
 * thread-safe way to do that. Cookies are kept in a store of our own (cookie_store.h): libcurl's is one list for all
 * hosts of a top domain, behind one lock, without an end. */
#include "fetch/cookies/jar.h"

#include "fetch/cookies/cookie_file.h"

#include <pthread.h>
#include <stdlib.h>

struct crawl_jar {
    CURLSH *share;
    pthread_mutex_t locks[CURL_LOCK_DATA_LAST]; /* libcurl's */
    cw_cookie_cookies *cookies;                 /* NULL: none are kept */
};

static void lock_data(CURL *easy, curl_lock_data data, curl_lock_access access, void *user)
{
    (void)easy;
    (void)access;
    crawl_jar *jar = user;
    pthread_mutex_lock(&jar->locks[data]);
}

static void unlock_data(CURL *easy, curl_lock_data data, void *user)
{
    (void)easy;
    crawl_jar *jar = user;
    pthread_mutex_unlock(&jar->locks[data]);
}

static bool set_up_share(crawl_jar *jar)
{
    CURLSH *share = jar->share;
    return curl_share_setopt(share, CURLSHOPT_USERDATA, jar) == CURLSHE_OK &&
           curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lock_data) == CURLSHE_OK &&
           curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, unlock_data) == CURLSHE_OK &&
           curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK;
}

crawl_err crawl_jar_create(bool cookies, crawl_jar **out)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) /* counted by libcurl */
        return CRAWL_ENOMEM;
    crawl_jar *jar = calloc(1, sizeof *jar);
    if (!jar) {
        curl_global_cleanup();
        return CRAWL_ENOMEM;
    }
    for (size_t i = 0; i < CURL_LOCK_DATA_LAST; i++)
        pthread_mutex_init(&jar->locks[i], NULL);
    jar->share = curl_share_init();
    if (cookies)
        jar->cookies = cw_cookies_create((size_t)CRAWL_JAR_BYTES);
    if (!jar->share || !set_up_share(jar) || (cookies && !jar->cookies)) {
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
    if (jar->share)
        curl_share_cleanup(jar->share);
    for (size_t i = 0; i < CURL_LOCK_DATA_LAST; i++)
        pthread_mutex_destroy(&jar->locks[i]);
    cw_cookies_free(jar->cookies);
    free(jar);
    curl_global_cleanup();
}

CURLSH *cw_cookie_jar_share(crawl_jar *jar)
{
    return jar->share;
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

/* ---- files ---- */

/* A comment to other programs. What stands behind it was set by servers, and may be dropped to make room. */
static const char servers[] = "# Set by servers:\n";

static const char *servers_part(crawl_slice text)
{
    size_t size = strlen(servers);
    for (const char *at = text.data, *end = text.data + text.size; at && (size_t)(end - at) >= size;) {
        if (memcmp(at, servers, size) == 0)
            return at;
        at = memchr(at, '\n', (size_t)(end - at));
        at += at != NULL;
    }
    return NULL;
}

static crawl_err check_all(const char *name, crawl_slice text, crawl_error *error)
{
    cw_cookie_entry entry;
    unsigned line = 0;
    const char *why;
    crawl_err err = CRAWL_OK;
    while (!err)
        err = cw_cookie_next(&text, &line, &entry, &why);
    if (err != CRAWL_EPARSE)
        return CRAWL_OK;
    crawl_error_set(error, err, "%s:%u: %s", name, line, why);
    if (error)
        error->line = line;
    return err;
}

static crawl_err add_all(cw_cookie_cookies *cookies, crawl_slice text, const char *theirs, int64_t now_ms)
{
    cw_cookie_entry entry;
    unsigned line = 0;
    const char *why;
    crawl_err err = CRAWL_OK;
    while (!err && !cw_cookie_next(&text, &line, &entry, &why)) {
        entry.words.flags |= theirs && entry.words.name.data > theirs ? 0 : CW_COOKIE_OWN;
        err = cw_cookies_put(cookies, crawl_slice_of(entry.domain, entry.domain_size), &entry.words, now_ms);
    }
    return err;
}

crawl_err crawl_jar_read(crawl_jar *jar, const char *name, crawl_slice text, bool kept, int64_t now_ms,
                         crawl_error *error)
{
    if (!jar->cookies)
        return crawl_error_set(error, CRAWL_EINVAL, "%s: cookies are off", name);
    crawl_err err = check_all(name, text, error);
    if (err)
        return err;
    err = add_all(jar->cookies, text, kept ? servers_part(text) : NULL, now_ms);
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
