/* See names.h. A map leads from names to answers; a list has the names in the order in which they came, and its first
 * is forgotten when there are too many. */
#include "fetch/names/names.h"

#include "base/map.h"
#include "fetch/names/hosts_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/queue.h>

/* The most names that are kept, some 250 bytes each. A name that was forgotten is asked for again. */
#define MAX_NAMES ((size_t)100 * 1000)

enum {
    /* An answer with a lifetime of 0 holds for one transaction alone (RFC 1035, 3.2.1); here it serves the requests
     * that come together. */
    LEAST_S = 1,
    /* The longest time, so that a change of address is noticed within the hour, whatever a zone promises. */
    MOST_S = 3600,
    /* "No such name" is kept as long as the zone says (RFC 2308, 5), but not longer than this, so that a crawl recovers
     * soon from a registrar's short mistake. */
    NEGATIVE_MOST_S = 60,
    /* No answer, or a useless one (RFC 2308, 7 allows 5 minutes at most): requests that come together do not each ask
     * again, but the retry of the first one does. */
    FAILED_S = 1,
    /* As long as libcurl keeps the answers of its own resolver. */
    SYSTEM_S = 60
};

typedef struct entry {
    TAILQ_ENTRY(entry) link;
    int64_t expires_ms;
    cw_names_verdict verdict;
    size_t name_size;
    size_t addresses_size;
    char text[]; /* the name, the addresses */
} entry;

struct crawl_name_cache {
    pthread_mutex_t lock;
    cw_map *entries;
    TAILQ_HEAD(entry_list, entry) order; /* in the order in which they came */
    cw_dns_hosts_file *hosts;
};

const char *cw_names_words(cw_names_verdict verdict)
{
    static const char *const words[] = {
        [CW_NAME_KNOWN] = "",
        [CW_NAME_SYSTEM] = "",
        [CW_NAME_ABSENT] = "no such name",
        [CW_NAME_EMPTY] = "the name has no address",
        [CW_NAME_FAILED] = "the name servers failed",
        [CW_NAME_LATE] = "the name servers did not answer in time",
        [CW_NAME_BAD] = "not a name that DNS could hold",
        [CW_NAME_MEMORY] = "no memory",
    };
    return words[verdict];
}

static int64_t between(int64_t low, int64_t value, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

int64_t cw_names_keep_ms(const cw_names_answer *answer)
{
    switch (answer->verdict) {
    case CW_NAME_KNOWN:
        return 1000 * between(LEAST_S, answer->ttl_s, MOST_S);
    case CW_NAME_ABSENT:
    case CW_NAME_EMPTY:
        return 1000 * between(LEAST_S, answer->ttl_s, NEGATIVE_MOST_S);
    case CW_NAME_FAILED:
    case CW_NAME_LATE:
        return 1000 * FAILED_S;
    case CW_NAME_SYSTEM:
        return 1000 * SYSTEM_S;
    default:
        return 0;
    }
}

crawl_name_cache *cw_names_create(const char *hosts)
{
    crawl_name_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    pthread_mutex_init(&cache->lock, NULL);
    TAILQ_INIT(&cache->order);
    cache->entries = cw_map_create((uintptr_t)cache);
    cache->hosts = cw_dns_hosts_file_load(hosts);
    if (cache->entries && cache->hosts)
        return cache;
    crawl_name_cache_free(cache);
    return NULL;
}

crawl_name_cache *crawl_name_cache_create(void)
{
    return cw_names_create("/etc/hosts");
}

static void names_forget(crawl_name_cache *cache, entry *one)
{
    cw_map_remove(cache->entries, crawl_slice_of(one->text, one->name_size));
    TAILQ_REMOVE(&cache->order, one, link);
    free(one);
}

void crawl_name_cache_free(crawl_name_cache *cache)
{
    if (!cache)
        return;
    while (!TAILQ_EMPTY(&cache->order))
        names_forget(cache, TAILQ_FIRST(&cache->order));
    cw_map_free(cache->entries);
    cw_dns_hosts_file_free(cache->hosts);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static crawl_err names_fill(cw_names_answer *answer, cw_names_verdict verdict, crawl_slice addresses)
{
    crawl_buf_clear(&answer->addresses);
    crawl_err err = crawl_buf_append(&answer->addresses, addresses.data, addresses.size);
    if (!err)
        answer->verdict = verdict;
    return err;
}

static crawl_err names_get(crawl_name_cache *cache, crawl_slice name, int64_t now_ms, cw_names_answer *answer)
{
    entry *one = cw_map_get(cache->entries, name);
    if (!one)
        return CRAWL_ABSENT;
    if (now_ms < one->expires_ms)
        return names_fill(answer, one->verdict, crawl_slice_of(one->text + one->name_size, one->addresses_size));
    names_forget(cache, one);
    return CRAWL_ABSENT;
}

crawl_err cw_names_get(crawl_name_cache *cache, crawl_slice name, int64_t now_ms, cw_names_answer *answer)
{
    crawl_slice own = cw_dns_hosts_file_find(cache->hosts, name);
    if (own.size)
        return names_fill(answer, CW_NAME_KNOWN, own);
    pthread_mutex_lock(&cache->lock);
    crawl_err err = names_get(cache, name, now_ms, answer);
    pthread_mutex_unlock(&cache->lock);
    return err;
}

static void names_put(crawl_name_cache *cache, entry *one)
{
    crawl_slice name = crawl_slice_of(one->text, one->name_size);
    entry *old = cw_map_get(cache->entries, name);
    if (old)
        names_forget(cache, old);
    else if (cw_map_count(cache->entries) >= MAX_NAMES)
        names_forget(cache, TAILQ_FIRST(&cache->order));
    if (cw_map_put(cache->entries, name, one))
        free(one);
    else
        TAILQ_INSERT_TAIL(&cache->order, one, link);
}

void cw_names_put(crawl_name_cache *cache, crawl_slice name, const cw_names_answer *answer, int64_t now_ms)
{
    int64_t keep_ms = cw_names_keep_ms(answer);
    entry *one = keep_ms ? malloc(sizeof *one + name.size + answer->addresses.size) : NULL;
    if (!one)
        return;
    *one = (entry){.expires_ms = now_ms + keep_ms, .verdict = answer->verdict, .name_size = name.size};
    memcpy(one->text, name.data, name.size);
    if (answer->verdict == CW_NAME_KNOWN) {
        one->addresses_size = answer->addresses.size;
        memcpy(one->text + name.size, answer->addresses.data, answer->addresses.size);
    }
    pthread_mutex_lock(&cache->lock);
    names_put(cache, one);
    pthread_mutex_unlock(&cache->lock);
}

size_t cw_names_count(crawl_name_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    size_t count = cw_map_count(cache->entries);
    pthread_mutex_unlock(&cache->lock);
    return count;
}
