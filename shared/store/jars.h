/* The frontier's part of the cookies of hosts that this process has. The fetcher keeps the cookies themselves; this
 * keeps their versions, and changes made here that Redis does not know yet. A jar here belongs to one host, or to a
 * domain with all hosts below it. All is under the lock of the frontier, except what belongs to the thread. */
#pragma once

#include "base/map.h"
#include "shared/store/joint.h"

enum {
    CW_JOINT_COOKIES_AT_ONCE = 64, /* changes of a jar told at once */
    CW_JOINT_COOKIES_GONE = 16     /* remembered deletions per jar */
};

/* A change to tell. It owns its texts. */
typedef struct cw_joint_cookie {
    struct cw_joint_cookie *next;
    crawl_shared_cookie cookie;
    uint64_t epoch;
    bool is_out; /* it is being told: belongs to the thread now */
    size_t size;
    char texts[];
} cw_joint_cookie;

typedef struct cw_joint_jar {
    struct cw_joint_jar *next; /* in the list to_do */
    cw_joint *joint;
    unsigned partition;
    size_t holds;     /* number of holds that need it */
    bool is_to_do;    /* it has changes */
    bool is_out;      /* the thread's: some changes are being told */
    uint64_t version; /* the thread's: as passed on last */
    cw_joint_cookie *changes, *last;
    /* Cookies that a server has deleted although there were none, as many servers do with each answer. This is not
     * told, unless it turns out that another process had set one before. */
    struct {
        uint64_t hash; /* of the cookie's id */
        int64_t set_ms;
    } gone[CW_JOINT_COOKIES_GONE];
    unsigned gone_next;
    size_t site_size; /* the site is the end of the host */
    size_t host_size;
    char host[];
} cw_joint_jar;

typedef struct cw_joint_jars {
    cw_map *map;
    cw_joint_jar *to_do;
    uint64_t bytes;  /* of changes */
    bool has_unused; /* there may be jars that no hold needs */

    /* Belongs to the thread. */
    int64_t renewed_us, read_us, told_us;
    bool is_reading, is_telling;
    bool is_stale[CW_SHARED_PARTITIONS];                    /* to be read again */
    bool is_due[CW_SHARED_PARTITIONS];                      /* others must be told of a change, */
    bool is_said[CW_SHARED_PARTITIONS];                     /* and are being told */
    char words[CW_SHARED_PARTITIONS * CW_SHARED_STIR_SIZE]; /* as read last */
} cw_joint_jars;

static inline uint64_t cw_joint_jars_bytes(const cw_joint_jars *jars)
{
    return jars ? jars->bytes : 0;
}

static inline crawl_slice cw_joint_jar_host(const cw_joint_jar *jar)
{
    return crawl_slice_of(jar->host, jar->host_size);
}

static inline crawl_slice cw_joint_jar_site(const cw_joint_jar *jar)
{
    return crawl_slice_of(jar->host + jar->host_size - jar->site_size, jar->site_size);
}

/* Moves on to the part of a host after its first dot. False: the host was the site. */
static inline bool cw_joint_jar_next(crawl_slice *host, crawl_slice site)
{
    const char *dot = host->size > site.size ? memchr(host->data, '.', host->size) : NULL;
    if (!dot)
        return false;
    size_t size = (size_t)(dot + 1 - host->data);
    *host = crawl_slice_of(host->data + size, host->size - size);
    return host->size >= site.size;
}

/* Returns the jar of a host, and creates it if it is new. NULL: out of memory. */
cw_joint_jar *cw_joint_jar_get(cw_joint *joint, crawl_slice host, crawl_slice site);

/* Adds a change to tell. Replaces an earlier change of the same cookie that is not being told. */
crawl_err cw_joint_jar_change(cw_joint_jar *jar, const crawl_shared_cookie *cookie);

/* Takes a cookie that was set here, as in crawl_frontier_shared_cookie. */
crawl_err cw_joint_cookie_set(crawl_frontier *frontier, crawl_slice origin, int64_t asked_us,
                              crawl_shared_cookie *cookie, bool is_known);
/* Takes note that a server has deleted a cookie that is not known here. */
void cw_joint_jar_gone(cw_joint_jar *jar, const crawl_shared_cookie *cookie);

/* Removes the changes that were told. After a fault they are told again. */
void cw_joint_jar_told(cw_joint_jar *jar, bool is_told);

/* On the thread. Acknowledges pushes up to this epoch. An epoch as a whole is acknowledged only if it is before the
 * oldest change that is not told. */
void cw_joint_pushed(cw_joint *joint, uint64_t number);
/* Acknowledges more epochs as a whole after changes were told. */
void cw_joint_acknowledge(cw_joint *joint);

/* Returns the cookies of a jar in Redis, merged with the changes that are not told. The caller frees *cookies, which
 * has slices of said and of *copies, and frees *copies by cw_joint_cookies_free_list. CRAWL_ENOMEM: neither is set. */
crawl_err cw_joint_jar_merge(cw_joint_jar *jar, const cw_shared_jar *said, crawl_shared_cookie **cookies, size_t *count,
                             cw_joint_cookie **copies);
void cw_joint_cookies_free_list(cw_joint_cookie *list);
