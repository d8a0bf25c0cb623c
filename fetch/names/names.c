/* See names.h. A map leads from names to answers; a list has the names in order of arrival, and its first is dropped
 * when there are too many. */
#include "fetch/names/names.h"

#include "base/bytes.h"
#include "base/map.h"
#include "base/net.h"
#include "fetch/address.h"

#include <arpa/inet.h>
#include <event2/dns.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

/* ---- the hosts file (hosts(5)): names that need no name server ---- */

typedef struct host {
    struct host *next;
    crawl_buf addresses;
    size_t size;
    char name[];
} host;

/* Read once and never changed, so threads may share it. A line has an address and names; a name in several lines has
 * the addresses of all. */
typedef struct cw_dns_hosts_file {
    cw_map *by_name;
    host *first;
} cw_dns_hosts_file;

static host *hosts_file_host_of(cw_dns_hosts_file *hosts, crawl_slice name)
{
    host *one = cw_map_get(hosts->by_name, name);
    if (one)
        return one;
    one = calloc(1, sizeof *one + name.size);
    if (!one)
        return NULL;
    one->size = name.size;
    memcpy(one->name, name.data, name.size);
    if (cw_map_put(hosts->by_name, crawl_slice_of(one->name, one->size), one)) {
        free(one);
        return NULL;
    }
    one->next = hosts->first;
    hosts->first = one;
    return one;
}

static crawl_err hosts_file_add(cw_dns_hosts_file *hosts, char *name, const char *address)
{
    crawl_slice text = crawl_slice_from(name);
    cw_copy_lower(name, text);
    host *one = hosts_file_host_of(hosts, text);
    return one ? cw_fetch_address_list_add(&one->addresses, address) : CRAWL_ENOMEM;
}

static crawl_err hosts_file_add_line(cw_dns_hosts_file *hosts, char *line)
{
    static const char space[] = " \t\r\n";
    line[strcspn(line, "#")] = '\0';
    char *rest = NULL;
    const char *address = strtok_r(line, space, &rest);
    crawl_err err = CRAWL_OK;
    if (!address || !cw_address_is(address))
        return CRAWL_OK;
    for (char *name; !err && (name = strtok_r(NULL, space, &rest));)
        err = hosts_file_add(hosts, name, address);
    return err;
}

static crawl_err add_file(cw_dns_hosts_file *hosts, const char *path)
{
    FILE *file = path ? fopen(path, "re") : NULL;
    if (!file)
        return CRAWL_OK;
    char *line = NULL;
    size_t capacity = 0;
    crawl_err err = CRAWL_OK;
    while (!err && getline(&line, &capacity, file) >= 0)
        err = hosts_file_add_line(hosts, line);
    free(line);
    fclose(file);
    return err;
}

static void dns_hosts_file_free(cw_dns_hosts_file *hosts)
{
    if (!hosts)
        return;
    cw_map_free(hosts->by_name);
    for (host *one; (one = hosts->first);) {
        hosts->first = one->next;
        crawl_buf_free(&one->addresses);
        free(one);
    }
    free(hosts);
}

/* Reads the file at path; empty if path is NULL or the file cannot be read. NULL: out of memory. */
static cw_dns_hosts_file *dns_hosts_file_load(const char *path)
{
    cw_dns_hosts_file *hosts = calloc(1, sizeof *hosts);
    if (hosts)
        hosts->by_name = cw_map_create((uintptr_t)hosts);
    if (hosts && hosts->by_name && add_file(hosts, path) == CRAWL_OK)
        return hosts;
    dns_hosts_file_free(hosts);
    return NULL;
}

/* Returns all addresses of a name, which is in lower case, as for CURLOPT_RESOLVE; empty: not in the file. */
static crawl_slice dns_hosts_file_find(const cw_dns_hosts_file *hosts, crawl_slice name)
{
    const host *one = cw_map_get(hosts->by_name, name);
    return one ? crawl_buf_slice(&one->addresses) : (crawl_slice){0};
}

/* Maximum number of names stored, about 250 bytes each. A dropped name is asked for again. */
#define MAX_NAMES ((size_t)100 * 1000)

enum {
    /* An answer with a lifetime of 0 holds for one transaction only (RFC 1035, 3.2.1); here it serves the requests that
     * come together. */
    LEAST_S = 1,
    /* The maximum lifetime, so that a change of address is noticed within the hour, whatever a zone promises. */
    MOST_S = 3600,
    /* "No such name" is stored as long as the zone says (RFC 2308, 5), but no longer than this, so that a crawl
     * recovers soon from a registrar's brief mistake. */
    NEGATIVE_MOST_S = 60,
    /* No answer, or a useless one (RFC 2308, 7 allows at most 5 minutes): requests that come together do not each ask
     * again, but a retry does. */
    FAILED_S = 1,
    /* As long as libcurl stores the answers of its own resolver. */
    SYSTEM_S = 60
};

typedef struct entry {
    TAILQ_ENTRY(entry) link;
    int64_t expires_ms;
    cw_names_verdict verdict;
    size_t name_size;
    size_t addresses_size;
    char text[]; /* the name, then the addresses */
} entry;

struct crawl_name_cache {
    pthread_mutex_t lock;
    cw_map *entries;
    TAILQ_HEAD(entry_list, entry) order; /* in order of arrival */
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
        [CW_NAME_BAD] = "not a valid name in DNS",
        [CW_NAME_SOCKET] = "no socket to ask the name servers",
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
    cache->hosts = dns_hosts_file_load(hosts);
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
    dns_hosts_file_free(cache->hosts);
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
    crawl_slice own = dns_hosts_file_find(cache->hosts, name);
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

typedef struct name_use {
    size_t users;
    char text[];
} name_use;

struct cw_names_uses {
    cw_map *names;
};

cw_names_uses *cw_names_uses_create(void)
{
    cw_names_uses *uses = calloc(1, sizeof *uses);
    if (!uses)
        return NULL;
    uses->names = cw_map_create((uintptr_t)uses);
    if (uses->names)
        return uses;
    free(uses);
    return NULL;
}

void cw_names_uses_free(cw_names_uses *uses)
{
    if (!uses)
        return;
    cw_map_free_values(uses->names);
    free(uses);
}

crawl_err cw_names_uses_add(cw_names_uses *uses, crawl_slice name)
{
    name_use *use = cw_map_get(uses->names, name);
    if (!use)
        use = cw_map_make(uses->names, name, sizeof *use, offsetof(name_use, text));
    if (!use)
        return CRAWL_ENOMEM;
    use->users++;
    return CRAWL_OK;
}

bool cw_names_uses_drop(cw_names_uses *uses, crawl_slice name)
{
    name_use *use = cw_map_get(uses->names, name);
    if (!use || --use->users)
        return false;
    cw_map_remove(uses->names, name);
    free(use);
    return true;
}

/* Maximum number of addresses per family: libcurl tries them in turn, and if a zone has more, one of these will
 * respond. */
#define MAX_ADDRESSES 16

crawl_err cw_dns_reply_set(cw_dns_reply *reply, int code, int family, const void *addresses, int count, int ttl_s)
{
    size_t size = family == AF_INET6 ? 16 : 4;
    const char *bytes = addresses;
    crawl_err err = CRAWL_OK;
    reply->there = true;
    reply->code = code;
    reply->ttl_s = ttl_s < 0 ? 0 : (uint32_t)ttl_s;
    if (code != DNS_ERR_NONE)
        return CRAWL_OK;
    for (int i = 0; i < count && i < MAX_ADDRESSES && !err; i++) {
        char text[INET6_ADDRSTRLEN];
        inet_ntop(family, bytes + (size_t)i * size, text, sizeof text);
        err = cw_fetch_address_list_add(&reply->addresses, text);
    }
    return err;
}

static cw_names_verdict verdict_of(const cw_dns_reply *reply)
{
    if (!reply->there)
        return CW_NAME_LATE;
    switch (reply->code) {
    case DNS_ERR_NONE:
        return reply->addresses.size ? CW_NAME_KNOWN : CW_NAME_EMPTY;
    case DNS_ERR_TRUNCATED:
        return CW_NAME_SYSTEM;
    case DNS_ERR_NOTEXIST:
        return CW_NAME_ABSENT;
    case DNS_ERR_NODATA:
        return CW_NAME_EMPTY;
    default: /* also TIMEOUT: evdns asks again after "server failed" and reports a timeout in the end */
        return CW_NAME_FAILED;
    }
}

static crawl_err reply_join(const crawl_buf *first, const crawl_buf *second, crawl_buf *out)
{
    crawl_buf_clear(out);
    crawl_err err = crawl_buf_append(out, first->data, first->size);
    if (!err && first->size && second->size)
        err = crawl_buf_append_char(out, ',');
    return err ? err : crawl_buf_append(out, second->data, second->size);
}

static uint32_t reply_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The combined answer has the first of these verdicts that occurs in either reply. */
static const cw_names_verdict ranks[] = {CW_NAME_SYSTEM, CW_NAME_KNOWN, CW_NAME_ABSENT,
                                         CW_NAME_FAILED, CW_NAME_LATE,  CW_NAME_EMPTY};

void cw_dns_reply_combine(const cw_dns_reply *v6, const cw_dns_reply *v4, bool v6_first, cw_names_answer *out)
{
    const cw_dns_reply *first = v6_first ? v6 : v4, *second = v6_first ? v4 : v6;
    cw_names_verdict of_v6 = verdict_of(v6), of_v4 = verdict_of(v4);
    size_t rank = 0;
    while (ranks[rank] != of_v6 && ranks[rank] != of_v4)
        rank++;
    out->verdict = ranks[rank];
    if (of_v6 == of_v4)
        out->ttl_s = reply_least(v6->ttl_s, v4->ttl_s);
    else
        out->ttl_s = out->verdict == of_v6 ? v6->ttl_s : v4->ttl_s;
    if (reply_join(&first->addresses, &second->addresses, &out->addresses))
        out->verdict = CW_NAME_MEMORY;
}
