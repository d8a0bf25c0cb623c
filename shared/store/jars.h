/* The cookies of hosts that this process has, as the frontier knows them: not what they are, which whoever fetches
 * keeps, but of which version, and what was set here and Redis does not know yet. A jar here is what there is of one
 * host, or of a domain with all hosts below it. All under the frontier's lock, but for what is the thread's. */
#pragma once

#include "base/map.h"
#include "shared/store/joint.h"

enum {
    CW_JOINT_COOKIES_AT_ONCE = 64, /* changes of a jar that are told at once */
    CW_JOINT_COOKIES_GONE = 16     /* that are remembered of each jar */
};

/* A change that is to be told. Its texts are its own. */
typedef struct cw_joint_cookie {
    struct cw_joint_cookie *next;
    crawl_shared_cookie cookie;
    uint64_t epoch;
    bool is_out; /* it is being told: the thread's alone from then on */
    size_t size;
    char texts[];
} cw_joint_cookie;

typedef struct cw_joint_jar {
    struct cw_joint_jar *next; /* of those to do */
    cw_joint *joint;
    unsigned partition;
    size_t holds;     /* that need it */
    bool is_to_do;    /* it has changes */
    bool is_out;      /* the thread's: some of them are being told */
    bool is_chosen;   /* the thread's: to be read, in this turn */
    uint64_t version; /* the thread's: as it was told on */
    cw_joint_cookie *changes, *last;
    /* Cookies that a server has deleted although there were none, as many servers do with each answer. Nobody is told
     * of it, unless it turns out that another process had set one before. */
    struct {
        uint64_t hash; /* of the id */
        int64_t set_ms;
    } gone[CW_JOINT_COOKIES_GONE];
    unsigned gone_next;
    size_t site_size; /* of the site, which is the end of the host */
    size_t host_size;
    char host[];
} cw_joint_jar;

typedef struct cw_joint_jars {
    cw_map *map;
    cw_joint_jar *to_do;
    uint64_t bytes;  /* of changes */
    bool has_unused; /* jars that no hold needs, perhaps */

    /* The thread's. */
    int64_t renewed_us, read_us, told_us;
    bool is_reading, is_telling;
    bool is_stale[CW_SHARED_PARTITIONS];                    /* to be read anew */
    bool is_due[CW_SHARED_PARTITIONS];                      /* others are to be told that something changed there, */
    bool is_said[CW_SHARED_PARTITIONS];                     /* and are being told */
    char words[CW_SHARED_PARTITIONS * CW_SHARED_STIR_SIZE]; /* as they were read last */
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

/* Goes on from a host to what stands behind its first dot. False: that was the site. */
static inline bool cw_joint_jar_next(crawl_slice *host, crawl_slice site)
{
    const char *dot = host->size > site.size ? memchr(host->data, '.', host->size) : NULL;
    if (!dot)
        return false;
    size_t size = (size_t)(dot + 1 - host->data);
    *host = crawl_slice_of(host->data + size, host->size - size);
    return host->size >= site.size;
}

/* The jar of a host, made where it is new. NULL: no memory. */
cw_joint_jar *cw_joint_jar_get(cw_joint *joint, crawl_slice host, crawl_slice site);

/* Puts a change among those to be told, in place of an earlier one of the same cookie that is not being told. */
crawl_err cw_joint_jar_change(cw_joint_jar *jar, const crawl_shared_cookie *cookie);

/* A cookie was set here, as crawl_frontier_shared_cookie has it. */
crawl_err cw_joint_cookie_set(crawl_frontier *frontier, crawl_slice origin, int64_t asked_us,
                              crawl_shared_cookie *cookie, bool is_known);
/* A server has deleted a cookie that is not known here. */
void cw_joint_jar_gone(cw_joint_jar *jar, const crawl_shared_cookie *cookie);

/* Takes out the changes that were told; or, after a fault, they are to be told again. */
void cw_joint_jar_told(cw_joint_jar *jar, bool is_told);

/* The thread's. Epochs up to this one are acknowledged, as far as pushes go; as a whole, those before the oldest change
 * that is not told. */
void cw_joint_pushed(cw_joint *joint, uint64_t number);
/* Changes were told: more epochs may be acknowledged as a whole. */
void cw_joint_acknowledge(cw_joint *joint);

/* Gives the cookies of a jar, those of Redis and those that are to be told besides. *cookies, to be freed, has slices
 * of what Redis said, and of *copies, to be freed by cw_joint_cookies_free_list. CRAWL_ENOMEM: neither is. */
crawl_err cw_joint_jar_merge(cw_joint_jar *jar, const cw_shared_jar *said, crawl_shared_cookie **cookies, size_t *count,
                             cw_joint_cookie **copies);
void cw_joint_cookies_free_list(cw_joint_cookie *list);
