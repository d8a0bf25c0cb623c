/* A part of a cookie store: the cookies of some names, in memory. Whoever calls holds its lock.
 *
 * Cookies stand below the name they are bound to: a host, or a domain that a Domain attribute names. What servers
 * have set is charged to the registrable domain of that name, so that none takes more than its part; the cookies of the
 * user are not charged and not dropped.
 *
 * The names stand in a circle, the oldest first. A name that was asked for is marked, and when room is needed, those
 * at the front lose their mark, or, without one, their cookies: nearly the least recently used go first, and a look-up
 * writes nothing but the mark. */
#ifndef CW_COOKIE_SHARD_H
#define CW_COOKIE_SHARD_H

#include "base/map.h"
#include "fetch/cookies/cookie.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <sys/queue.h>

enum {
    /* Cookies of servers below one name: a host's own, and those for all hosts below it. RFC 6265, 6.1 asks for 50 at
     * least; browsers keep 180 of a registrable domain. What one answer sets and one request looks at is bounded by
     * them. */
    CW_COOKIES_OF_HOST = 50,
    CW_COOKIES_OF_DOMAIN = 180,
    /* A registrable domain has that part of all room: one site alone is to have many hosts, and not to drive out those
     * of others. */
    CW_COOKIE_SITE_PART = 8,
    /* Names looked at for one that may be dropped, before room is looked for elsewhere: what it takes, at most, to
     * store a cookie. */
    CW_COOKIE_STEPS = 256,
};

/* With its place in the order of all of its shard, and when it was last sent or set: RFC 6265, 5.4, and bis, 5.7. */
typedef struct cw_cookie {
    struct cw_cookie *next; /* of its name, as they were created */
    int64_t expires_ms;
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
    cw_cookie_site *site; /* NULL: none is of a server */
    uint32_t written;     /* by the writing of that number */
    uint16_t own_count;   /* of servers: for this host alone */
    uint16_t wide_count;  /* and for those below it too */
    bool used;
    bool may_be_wide; /* the public suffix list was asked: no public suffix */
    bool is_marker;   /* no name, but the place where a writing goes on */
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
    atomic_size_t site_limit; /* bytes that a registrable domain may take */
    atomic_size_t bytes;      /* charged; written under the lock alone */
    atomic_size_t count;      /* of all cookies */
    atomic_size_t dropped;    /* to make room */
    atomic_size_t *total;     /* bytes charged of all shards */
} cw_cookie_shard;

/* total: of several, where each adds what it charges. CRAWL_ENOMEM: it is to be freed all the same. */
crawl_err cw_cookie_shard_init(cw_cookie_shard *shard, uint64_t seed, atomic_size_t *total);
void cw_cookie_shard_free(cw_cookie_shard *shard);

/* NULL: no cookie has this name. */
cw_cookie_host *cw_cookie_shard_find(const cw_cookie_shard *shard, crawl_slice name);

/* Keeps a cookie below a name, in place of one that is the same but for its value; or takes that one away where the new
 * one has expired. Of the user's stays the user's what a server sets anew. CRAWL_ENOMEM: as before. */
crawl_err cw_cookie_shard_put(cw_cookie_shard *shard, crawl_slice name, const cw_cookie_words *words, int64_t now_ms);

/* Drops what has expired. False: nothing was left, and host is gone. */
bool cw_cookie_shard_expire(cw_cookie_shard *shard, cw_cookie_host *host, int64_t now_ms);

/* Drops names until no more than bytes are charged, looking at CW_COOKIE_STEPS of them. */
void cw_cookie_shard_shed(cw_cookie_shard *shard, size_t bytes, int64_t now_ms);

/* The registrable domain by the public suffix list, or the host itself where there is none. The slice is a part of
 * host, which is ended by NUL. */
crawl_slice cw_cookie_site_of(crawl_slice host);

#endif
