/* libcurl's share interface under locks of ours, one for each kind of data, and a handle of its own that looks into it. Connections are not
 * shared: libcurl has no thread-safe way to do that.
 *
 * libcurl keeps every cookie it is given, on every host, without an end. It has no cheap way to say how many they are: so
 * Set-Cookie fields are counted, and the cookies themselves only when there were enough fields to be too many. */
#include "fetch/jar.h"

#include "base/bytes.h"
#include "base/header.h"

#include <pthread.h>
#include <stdlib.h>

/* Of all hosts together: some 20 MiB. A crawl that needs cookies needs those of a few sites. */
#define MAX_COOKIES ((size_t)100 * 1000)

/* libcurl takes no longer one (MAX_COOKIE_LINE). */
#define MAX_LINE 5000u

struct crawl_jar {
    CURLSH *share;
    pthread_mutex_t locks[CURL_LOCK_DATA_LAST]; /* libcurl's */
    bool keeps;
    pthread_mutex_t lock; /* of the two below; libcurl takes its own under it, and never this one under them */
    CURL *easy;           /* NULL: no cookies */
    size_t set;           /* by servers since they were last counted, and those found then */
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

static bool set_up_share(crawl_jar *jar, bool cookies)
{
    CURLSH *share = jar->share;
    return curl_share_setopt(share, CURLSHOPT_USERDATA, jar) == CURLSHE_OK &&
           curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lock_data) == CURLSHE_OK &&
           curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, unlock_data) == CURLSHE_OK &&
           curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK &&
           (!cookies || curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) == CURLSHE_OK);
}

/* "": cookies are kept in memory and read from nowhere. */
static bool set_up_handle(crawl_jar *jar)
{
    jar->easy = curl_easy_init();
    return jar->easy && curl_easy_setopt(jar->easy, CURLOPT_SHARE, jar->share) == CURLE_OK &&
           curl_easy_setopt(jar->easy, CURLOPT_COOKIEFILE, "") == CURLE_OK;
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
    pthread_mutex_init(&jar->lock, NULL);
    jar->keeps = cookies;
    jar->share = curl_share_init();
    if (!jar->share || !set_up_share(jar, cookies) || (cookies && !set_up_handle(jar))) {
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
    if (jar->easy)
        curl_easy_cleanup(jar->easy);
    if (jar->share)
        curl_share_cleanup(jar->share);
    for (size_t i = 0; i < CURL_LOCK_DATA_LAST; i++)
        pthread_mutex_destroy(&jar->locks[i]);
    pthread_mutex_destroy(&jar->lock);
    free(jar);
    curl_global_cleanup();
}

CURLSH *cw_jar_share(crawl_jar *jar)
{
    return jar->share;
}

bool cw_jar_keeps(const crawl_jar *jar)
{
    return jar->keeps;
}

static size_t count_all(CURL *easy)
{
    struct curl_slist *list = NULL;
    curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &list);
    size_t count = 0;
    for (const struct curl_slist *cookie = list; cookie; cookie = cookie->next)
        count++;
    curl_slist_free_all(list);
    return count;
}

static size_t count_fields(const crawl_response *response)
{
    crawl_slice name = crawl_slice_from("set-cookie");
    size_t count = 0;
    for (size_t i = 0; i < response->header_count; i++)
        count += cw_equal_nocase(response->headers[i].name, name);
    return count;
}

void cw_jar_count(crawl_jar *jar, const crawl_response *response)
{
    size_t more = jar->keeps ? count_fields(response) : 0;
    if (!more)
        return;
    pthread_mutex_lock(&jar->lock);
    jar->set += more;
    if (jar->set > MAX_COOKIES && (jar->set = count_all(jar->easy)) > MAX_COOKIES / 2) {
        curl_easy_setopt(jar->easy, CURLOPT_COOKIELIST, "ALL");
        jar->set = 0;
    }
    pthread_mutex_unlock(&jar->lock);
}

/* ---- Netscape's format ---- */

enum { FIELDS = 7 };

static bool is_flag(crawl_slice field)
{
    return cw_equal_nocase(field, crawl_slice_from("TRUE")) || cw_equal_nocase(field, crawl_slice_from("FALSE"));
}

static bool is_time(crawl_slice field)
{
    for (size_t i = 0; i < field.size; i++)
        if (!cw_is_digit((unsigned char)field.data[i]))
            return false;
    return field.size > 0 && field.size < 20;
}

/* Cuts the line at its tabs; how many fields, of which the first FIELDS are kept. */
static size_t cut_fields(crawl_slice line, crawl_slice fields[FIELDS])
{
    size_t count = 0;
    for (bool more = true; more; count++) {
        const char *tab = line.size ? memchr(line.data, '\t', line.size) : NULL;
        size_t size = tab ? (size_t)(tab - line.data) : line.size;
        if (count < FIELDS)
            fields[count] = crawl_slice_of(line.data, size);
        more = tab != NULL;
        line = crawl_slice_of(line.data + size + more, line.size - size - more);
    }
    return count;
}

static bool starts_nocase(crawl_slice text, const char *prefix)
{
    crawl_slice wanted = crawl_slice_from(prefix);
    return text.size >= wanted.size && cw_equal_nocase(crawl_slice_of(text.data, wanted.size), wanted);
}

static const char *why_no_cookie(crawl_slice line)
{
    crawl_slice fields[FIELDS] = {0};
    if (line.size > MAX_LINE)
        return "a cookie of more than 5000 bytes";
    if (memchr(line.data, '\0', line.size))
        return "a NUL: not a text file?";
    size_t count = cut_fields(line, fields);
    if (count != FIELDS && count != FIELDS - 1) /* without a value */
        return "expected domain, TRUE or FALSE, path, TRUE or FALSE, time of expiry, name, value, apart by tabs";
    if (starts_nocase(line, "Set-Cookie:") || memchr(line.data, ' ', fields[0].size))
        return "a cookie's domain is no name of a host"; /* libcurl would take it for a header */
    if (!fields[0].size || !fields[2].size || fields[2].data[0] != '/' || !fields[5].size)
        return "a cookie needs a domain, a path from / and a name";
    if (!is_flag(fields[1]) || !is_flag(fields[3]))
        return "the second and the fourth field must be TRUE or FALSE";
    if (!is_time(fields[4]))
        return "the fifth field must be a time: seconds since 1970, or 0";
    return NULL;
}

/* The next line that should be a cookie; false: there is none. */
static bool next_cookie(crawl_slice *rest, crawl_slice *line, unsigned *number)
{
    while (rest->size) {
        *line = cw_cut_line(rest);
        ++*number;
        if (line->size && line->data[line->size - 1] == '\r')
            line->size--;
        bool is_comment = cw_starts_with(*line, "#") && !cw_starts_with(*line, "#HttpOnly_");
        if (!is_comment && cw_trim(*line).size)
            return true;
    }
    return false;
}

static crawl_err check_all(const char *name, crawl_slice text, crawl_error *error)
{
    crawl_slice line;
    unsigned number = 0;
    while (next_cookie(&text, &line, &number)) {
        const char *why = why_no_cookie(line);
        if (!why)
            continue;
        crawl_error_set(error, CRAWL_EPARSE, "%s:%u: %s", name, number, why);
        if (error)
            error->line = number;
        return CRAWL_EPARSE;
    }
    return CRAWL_OK;
}

crawl_err crawl_jar_read(crawl_jar *jar, const char *name, crawl_slice text, crawl_error *error)
{
    if (!jar->keeps)
        return crawl_error_set(error, CRAWL_EINVAL, "%s: cookies are off", name);
    crawl_err err = check_all(name, text, error);
    if (err)
        return err;
    crawl_buf copy = {0};
    crawl_slice line;
    unsigned number = 0;
    pthread_mutex_lock(&jar->lock);
    while (!err && next_cookie(&text, &line, &number)) {
        crawl_buf_clear(&copy);
        err = crawl_buf_append(&copy, line.data, line.size);
        if (!err && curl_easy_setopt(jar->easy, CURLOPT_COOKIELIST, copy.data) != CURLE_OK)
            err = CRAWL_ENOMEM;
        jar->set++;
    }
    pthread_mutex_unlock(&jar->lock);
    if (copy.data)
        explicit_bzero(copy.data, copy.capacity);
    crawl_buf_free(&copy);
    return err ? crawl_error_set(error, err, "%s: %s", name, crawl_strerror(err)) : CRAWL_OK;
}

crawl_err crawl_jar_write(crawl_jar *jar, crawl_buf *out)
{
    struct curl_slist *list = NULL;
    if (!jar->keeps)
        return CRAWL_OK;
    pthread_mutex_lock(&jar->lock);
    crawl_err err = curl_easy_getinfo(jar->easy, CURLINFO_COOKIELIST, &list) == CURLE_OK ? CRAWL_OK : CRAWL_ENOMEM;
    pthread_mutex_unlock(&jar->lock);
    for (const struct curl_slist *cookie = list; cookie && !err; cookie = cookie->next)
        err = crawl_buf_printf(out, "%s\n", cookie->data);
    curl_slist_free_all(list);
    return err;
}
