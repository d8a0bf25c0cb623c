/* One shard of a cookie store: the cookies of some names, in memory. The caller holds the lock of the shard.
 *
 * Each cookie is stored under the name that it is bound to: a host, or the domain of a Domain attribute. The memory of
 * cookies set by servers is charged to the registrable domain of that name, so that no domain takes more than its part;
 * cookies of the user are neither charged nor dropped.
 *
 * The names form a circle, the oldest first. A lookup marks its name and writes nothing else. When room is needed, the
 * names at the front of the circle lose their mark or, if they have none, their cookies. So the evicted names are
 * nearly the least recently used ones (the "clock" algorithm). */
#pragma once

#include "base/map.h"
#include "fetch/cookies/cookie.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <sys/queue.h>

enum {
    /* Maximum number of server cookies per name: those for the host only, and those for all hosts below it. RFC 6265,
     * 6.1 asks for at least 50; browsers keep 180 for a registrable domain. These numbers also bound what one answer
     * can set and what one request examines. */
    CW_COOKIES_OF_HOST = 50,
    CW_COOKIES_OF_DOMAIN = 180,
    /* The part of all room that a registrable domain may take: one over this number. A site with many hosts must not
     * evict the cookies of other sites. */
    CW_COOKIE_SITE_PART = 8,
    /* Maximum number of names examined to find one to drop, before room is sought elsewhere. Bounds the work of storing
     * a cookie. */
    CW_COOKIE_STEPS = 256,
};

/* A cookie. created and used are serial numbers of its shard: when it was first set, and when it was last sent or set
 * (RFC 6265, 5.4, and bis, 5.7). */
typedef struct cw_cookie {
    struct cw_cookie *next; /* next cookie of the same name, in order of creation */
    int64_t expires_ms;
    int64_t set_ms; /* as in cw_cookie_words */
    uint64_t created;
    uint64_t used;
    uint16_t name_size;
    uint16_t value_size;
    uint16_t path_size;
    uint8_t flags;
    char text[]; /* name, value, path */
} cw_cookie;

static inline crawl_slice cw_cookie_name(const cw_cookie *cookie)
{
    return crawl_slice_of(cookie->text, cookie->name_size);
}

static inline crawl_slice cw_cookie_value(const cw_cookie *cookie)
{
    return crawl_slice_of(cookie->text + cookie->name_size, cookie->value_size);
}

static inline crawl_slice cw_cookie_path(const cw_cookie *cookie)
{
    return crawl_slice_of(cookie->text + cookie->name_size + cookie->value_size, cookie->path_size);
}

typedef struct cw_cookie_site cw_cookie_site;

typedef struct cw_cookie_host {
    TAILQ_ENTRY(cw_cookie_host) link;
    cw_cookie *cookies;
    cw_cookie_site *site; /* NULL: no cookie of this name is from a server */
    uint32_t written;     /* number of the last writing that wrote this name */
    uint16_t own_count;   /* cookies of servers for this host only */
    uint16_t wide_count;  /* cookies of servers for the hosts below it too */
    bool used;
    bool may_be_wide; /* the public suffix list was asked: not a public suffix */
    bool is_marker;   /* not a name: marks the position where a writing continues */
    uint8_t name_size;
    char name[];
} cw_cookie_host;

static inline crawl_slice cw_cookie_host_name(const cw_cookie_host *host)
{
    return crawl_slice_of(host->name, host->name_size);
}

typedef struct cw_cookie_shard {
    alignas(64) pthread_mutex_t lock;
    cw_map *hosts;
    cw_map *sites;
    TAILQ_HEAD(, cw_cookie_host) circle;
    uint64_t serial;
    atomic_size_t site_limit; /* maximum bytes of a registrable domain */
    atomic_size_t bytes;      /* charged; written only with the lock held */
    atomic_size_t count;      /* of all cookies */
    atomic_size_t dropped;    /* to make room */
    atomic_size_t *total;     /* bytes charged in all shards together */
} cw_cookie_shard;

/* Initialises a shard. total: the sum over several shards, to which each adds its charges. CRAWL_ENOMEM: the shard must
 * still be freed. */
crawl_err cw_cookie_shard_init(cw_cookie_shard *shard, uint64_t seed, atomic_size_t *total);
void cw_cookie_shard_free(cw_cookie_shard *shard);

/* Finds a name; NULL: no cookie has this name. */
cw_cookie_host *cw_cookie_shard_find(const cw_cookie_shard *shard, crawl_slice name);

/* Finds the cookie of a host with the same name, path and scope; NULL: there is none. host may be NULL. */
cw_cookie *cw_cookie_shard_same(cw_cookie_host *host, const cw_cookie_words *words);

/* Stores a cookie under a name, replacing one with the same name, path and scope; removes that one if the new one has
 * expired. A cookie of the user remains the user's when a server sets it again. CRAWL_ENOMEM: unchanged. */
crawl_err cw_cookie_shard_put(cw_cookie_shard *shard, crawl_slice name, const cw_cookie_words *words, int64_t now_ms);

/* Drops the expired cookies of host. False: none is left, and host was freed. */
bool cw_cookie_shard_expire(cw_cookie_shard *shard, cw_cookie_host *host, int64_t now_ms);

/* Drops the cookies of host that are not wanted. False: none is left, and host was freed. */
bool cw_cookie_shard_keep(cw_cookie_shard *shard, cw_cookie_host *host,
                          bool (*wanted)(void *user, const cw_cookie *cookie), void *user);

/* Drops names until at most this many bytes are charged, but examines at most CW_COOKIE_STEPS names. */
void cw_cookie_shard_shed(cw_cookie_shard *shard, size_t bytes, int64_t now_ms);

/* Returns the registrable domain of a host by the public suffix list, or the host itself if it has none. The slice is a
 * part of host, which must end with NUL. */
crawl_slice cw_cookie_site_of(crawl_slice host);
