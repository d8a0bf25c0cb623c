#include "crawler/engine/render/renders_cache.h"

#include "base/bytes.h"
#include "base/text/http_date.h"
#include "crawler/engine/visit/answer/headers.h"

#include <stdlib.h>

struct cw_renders_entry {
    uint32_t hash; /* of the key */
    size_t key_size;
    int64_t until_ms;
    cw_renders_answer *answer;
    TAILQ_ENTRY(cw_renders_entry) link;
    char key[];
};

/* ---- answers ---- */

crawl_slice cw_renders_copy(char **at, crawl_slice text)
{
    char *to = *at;
    memcpy(to, text.data ? text.data : "", text.size);
    *at += text.size;
    return crawl_slice_of(to, text.size);
}

cw_renders_answer *cw_renders_answer_copy(const crawl_response *response)
{
    size_t size = sizeof(cw_renders_answer) + response->header_count * sizeof(crawl_header) + response->body.size;
    for (size_t i = 0; i < response->header_count; i++)
        size += response->headers[i].name.size + response->headers[i].value.size;
    cw_renders_answer *answer = malloc(size);
    if (!answer)
        return NULL;
    crawl_header *headers = (crawl_header *)(answer + 1);
    char *at = (char *)(headers + response->header_count);
    for (size_t i = 0; i < response->header_count; i++) {
        headers[i].name = cw_renders_copy(&at, response->headers[i].name);
        headers[i].value = cw_renders_copy(&at, response->headers[i].value);
    }
    *answer = (cw_renders_answer){.users = 1,
                                  .response = {.size = sizeof answer->response,
                                               .status = response->status,
                                               .headers = headers,
                                               .header_count = response->header_count,
                                               .body = cw_renders_copy(&at, response->body)},
                                  .size = size};
    return answer;
}

void cw_renders_answer_leave(cw_renders_answer *answer)
{
    if (answer && --answer->users == 0)
        free(answer);
}

/* ---- freshness ---- */

static bool cache_number(crawl_slice text, int64_t *out)
{
    int64_t number = 0;
    if (!text.size || text.size > 10)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        number = number * 10 + (text.data[i] - '0');
    }
    *out = number;
    return true;
}

/* Finds a directive of Cache-Control. False: absent. *argument: the text after "="; empty: none. */
static bool cache_directive(const crawl_response *response, const char *name, crawl_slice *argument)
{
    crawl_slice rest;
    for (size_t at = 0; cw_visit_headers_next(response, "Cache-Control", &at, &rest);) {
        while (rest.size) {
            crawl_slice value = cw_trim(cw_cut(&rest, ','));
            crawl_slice word = cw_trim(cw_cut(&value, '='));
            *argument = cw_trim(value);
            if (cw_equal_nocase(word, crawl_slice_from(name)))
                return true;
        }
    }
    return false;
}

/* Returns true if Vary names a header in which parts with one key may differ. */
static bool cache_varies(const crawl_response *response)
{
    static const char *const alike[] = {"Accept", "Accept-Encoding", "Origin"};
    crawl_slice rest;
    for (size_t at = 0; cw_visit_headers_next(response, "Vary", &at, &rest);) {
        while (rest.size) {
            crawl_slice name = cw_trim(cw_cut(&rest, ','));
            if (name.size && !cw_is_among(name, alike, sizeof alike / sizeof *alike))
                return true;
        }
    }
    return false;
}

/* RFC 9111, 4.2: by max-age, by Expires, or a tenth of the age since Last-Modified, up to a day. */
static int64_t cache_fresh_ms(const crawl_response *response, int64_t now_ms)
{
    enum { DAY_MS = 24 * 3600 * 1000 };
    int64_t date = now_ms, at = 0, age_s = 0, max_age_s = 0;
    crawl_slice argument;
    if (cache_directive(response, "no-cache", &argument))
        return 0;
    (void)cw_http_date(crawl_response_header(response, "Date"), now_ms, &date);
    (void)cache_number(crawl_response_header(response, "Age"), &age_s);
    if (cache_directive(response, "max-age", &argument))
        return cache_number(argument, &max_age_s) ? (max_age_s - age_s) * 1000 : 0;
    if (crawl_response_header(response, "Expires").data)
        return cw_http_date(crawl_response_header(response, "Expires"), now_ms, &at) ? at - date - age_s * 1000 : 0;
    if (!cw_http_date(crawl_response_header(response, "Last-Modified"), now_ms, &at) || at > date)
        return 0;
    return ((date - at) / 10 < DAY_MS ? (date - at) / 10 : DAY_MS) - age_s * 1000;
}

static bool cache_may_keep(const crawl_response *response)
{
    crawl_slice argument;
    return response->status == 200 && !cache_directive(response, "no-store", &argument) &&
           !crawl_response_header(response, "Set-Cookie").data && !cache_varies(response);
}

/* ---- the cache ---- */

void cw_renders_cache_init(cw_renders_cache *cache, uint64_t most)
{
    *cache = (cw_renders_cache){.most = most};
    TAILQ_INIT(&cache->entries);
}

static size_t cache_size_of(const cw_renders_answer *answer, size_t key_size)
{
    return answer->size + sizeof(cw_renders_entry) + key_size;
}

static void cache_drop(cw_renders_cache *cache, cw_renders_entry *entry)
{
    TAILQ_REMOVE(&cache->entries, entry, link);
    cache->bytes -= cache_size_of(entry->answer, entry->key_size);
    cw_renders_answer_leave(entry->answer);
    free(entry);
}

void cw_renders_cache_free(cw_renders_cache *cache)
{
    while (!TAILQ_EMPTY(&cache->entries))
        cache_drop(cache, TAILQ_FIRST(&cache->entries));
}

static cw_renders_entry *cache_find(cw_renders_cache *cache, crawl_slice key)
{
    uint32_t hash = cw_fnv1a(key);
    cw_renders_entry *entry;
    TAILQ_FOREACH(entry, &cache->entries, link)
    {
        if (entry->hash == hash && crawl_slice_equal(crawl_slice_of(entry->key, entry->key_size), key))
            return entry;
    }
    return NULL;
}

void cw_renders_cache_put(cw_renders_cache *cache, crawl_slice key, cw_renders_answer *answer, bool lasts,
                          int64_t now_ms)
{
    enum { LASTS_MS = 10 * 60 * 1000 };
    size_t size = cache_size_of(answer, key.size);
    if (!cache_may_keep(&answer->response) || size > cache->most / 4)
        return;
    int64_t fresh_ms = cache_fresh_ms(&answer->response, now_ms);
    fresh_ms = lasts && fresh_ms < LASTS_MS ? LASTS_MS : fresh_ms;
    if (fresh_ms <= 0)
        return;
    cw_renders_entry *before = cache_find(cache, key);
    if (before)
        cache_drop(cache, before);
    cw_renders_entry *entry = malloc(sizeof *entry + key.size);
    if (!entry)
        return;
    *entry = (cw_renders_entry){
        .hash = cw_fnv1a(key), .key_size = key.size, .until_ms = now_ms + fresh_ms, .answer = answer};
    memcpy(entry->key, key.data, key.size);
    answer->users++;
    cache->bytes += size;
    TAILQ_INSERT_HEAD(&cache->entries, entry, link);
    while (cache->bytes > cache->most)
        cache_drop(cache, TAILQ_LAST(&cache->entries, cw_renders_entries));
}

cw_renders_answer *cw_renders_cache_get(cw_renders_cache *cache, crawl_slice key, int64_t now_ms)
{
    cw_renders_entry *entry = cache_find(cache, key);
    if (!entry)
        return NULL;
    if (entry->until_ms <= now_ms) {
        cache_drop(cache, entry);
        return NULL;
    }
    TAILQ_REMOVE(&cache->entries, entry, link);
    TAILQ_INSERT_HEAD(&cache->entries, entry, link);
    entry->answer->users++;
    return entry->answer;
}
