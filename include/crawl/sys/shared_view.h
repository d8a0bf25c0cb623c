/* Inspects a crawl that processes share through Redis, from outside: its fixed settings, its counts, which process has
 * which host until when, and whether everything is consistent. Changes nothing there. Also deletes such a crawl. */
#ifndef CRAWL_SHARED_VIEW_H
#define CRAWL_SHARED_VIEW_H

#include <crawl/sys/redis.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of parts of a shared crawl. */
#define CRAWL_SHARED_PARTITIONS 256u
#define CRAWL_SHARED_VIEW_HOSTS_MAX 4000u /* waiting hosts listed per partition; the rest is only counted */

/* Times are the server's, in milliseconds since 1970. */

/* A setting fixed when the crawl was created; those of the protocol itself begin with "crawl.". */
typedef struct crawl_shared_decided {
    crawl_slice name, value;
} crawl_shared_decided;

/* Flags of a cookie. */
enum {
    CRAWL_SHARED_COOKIE_HOST_ONLY = 1, /* sent to its host only, not to hosts below it */
    CRAWL_SHARED_COOKIE_SECURE = 2,
    CRAWL_SHARED_COOKIE_HTTP_ONLY = 4,
    CRAWL_SHARED_COOKIE_OWN = 8,     /* the user's: counts towards no limit */
    CRAWL_SHARED_COOKIE_DELETED = 16 /* by the server, or it has expired: its value is empty */
};

/* A cookie of a shared crawl, whose contents are not interpreted here. Slices are borrowed. */
typedef struct crawl_shared_cookie {
    crawl_slice site;   /* the registrable domain of its host, or the host itself if it has none */
    crawl_slice host;   /* that it is bound to: lower case, 1 to 255 bytes */
    crawl_slice id;     /* distinguishes it from the other cookies of its host, 1 to 65,000 bytes */
    crawl_slice value;  /* at most 65,000 bytes */
    int64_t set_ms;     /* when it was set, by the server's time: the later of two wins */
    int64_t expires_ms; /* since 1970; 0: no date */
    unsigned flags;     /* CRAWL_SHARED_COOKIE_... */
    uint64_t reserved[2];
} crawl_shared_cookie;

/* A partition, or the sum of all. */
typedef struct crawl_shared_counts {
    uint64_t queued;
    uint64_t held; /* by sessions */
    uint64_t accepted, refused;
    uint64_t finished;
    uint64_t tokens; /* increases with each new session; has no other meaning */
    uint64_t lost;   /* sessions that ended because their deadline had passed */
    uint64_t stale;  /* writes that were refused */
    uint64_t links;  /* bitmaps of the seen-set */
    uint64_t newest;
    uint64_t waiting; /* hosts with requests and without a session */
    uint64_t sessions;
    uint64_t later;        /* requests for a later run, not included in queued */
    uint64_t exact;        /* fingerprints in an exact seen-set */
    uint64_t cookies;      /* including expired ones */
    uint64_t cookie_hosts; /* hosts with cookies, and domains with cookies for all hosts below */
    uint64_t cookie_sites; /* registrable domains of these, without the user's own cookies */
    uint64_t reserved[4];  /* 0, for later versions */
} crawl_shared_counts;

/* The seen-set, computed from the numbers of keys. For an exact one only the count. */
typedef struct crawl_shared_filter {
    bool is_exact;
    bool is_dupefilter; /* exact, and shared with spiders of scrapy-redis */
    uint64_t count;
    uint64_t capacity; /* of the present bitmaps; it grows */
    uint64_t bytes;
    double fill;          /* share of bits set */
    double rate;          /* false positive rate that the whole was made for */
    double rate_now;      /* present rate for a new key */
    double lost;          /* expected number of new keys taken for seen */
    uint64_t planned;     /* keys that the crawl was made for */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_shared_filter;

#define CRAWL_SHARED_VERSION_MAX 32u /* bytes of a version that are kept, including the NUL */

/* Everything that a process has done since it joined, and does now; reported at most once per second. */
typedef struct crawl_shared_report {
    bool is_known;      /* otherwise all is 0: not reported yet, or never */
    int64_t told_ms;    /* when it was reported */
    int64_t started_ms; /* when the process joined */
    uint64_t pages;     /* answers; this and the next four as in crawl_engine_stats */
    uint64_t failures;  /* records with an error */
    uint64_t bytes;     /* of decoded bodies */
    uint64_t received;  /* total bytes received */
    uint64_t running;   /* requests in flight */
    uint64_t hosts;     /* held by it */
    double pages_per_s; /* in the last ten seconds */
    char version[CRAWL_SHARED_VERSION_MAX];
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_shared_report;

/* A process that takes part in the crawl, or did. */
typedef struct crawl_shared_process {
    crawl_slice name;
    int64_t until_ms;           /* alive unless this is in the past */
    uint64_t hosts;             /* held by it */
    bool is_feeding;            /* it has seeds that are not all pushed */
    bool has_ended;             /* of a process that is not alive: it left in order, and gave its hosts back */
    crawl_shared_report report; /* its latest one */
    uint64_t reserved[2];       /* 0, for later versions */
} crawl_shared_process;

/* The processes of a crawl, past and present: all that are alive, and the most recent others up to a total of 256. */
typedef struct crawl_shared_crew {
    int64_t now_ms;
    crawl_shared_process *processes; /* by name */
    size_t process_count;
    uint64_t forgotten; /* former processes not listed here */
    /* The sum over all processes ever, and the work of those alive. told_ms is that of the latest report, started_ms
     * that of the first process here; version is empty. */
    crawl_shared_report total;
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_shared_crew;

/* Frees its content; {0} and NULL are allowed. */
CRAWL_API void crawl_shared_crew_free(crawl_shared_crew *crew);

/* A host and its state. */
typedef struct crawl_shared_place {
    crawl_slice origin;
    crawl_slice process; /* that has it; empty: none, it waits */
    int64_t at_ms;       /* end of its session; for a waiting host, when it may be taken */
    int64_t pause_ms;
    uint64_t ready, delayed, held;
    uint64_t reserved[2]; /* 0, for later versions */
} crawl_shared_place;

/* A crawl as it is in Redis. */
typedef struct crawl_shared_picture {
    int64_t now_ms;
    const crawl_shared_decided *decided; /* by name */
    size_t decided_count;
    crawl_shared_filter filter;
    crawl_shared_counts sum;
    const crawl_shared_counts *parts;      /* CRAWL_SHARED_PARTITIONS */
    const crawl_shared_process *processes; /* by name */
    size_t process_count;
    const crawl_shared_place *places; /* hosts held by processes and, if requested, waiting ones */
    size_t place_count;
    const char *const *violations;
    size_t violation_count;
    crawl_shared_report total; /* of the processes, as in crawl_shared_crew */
    uint64_t forgotten;        /* as in crawl_shared_crew */
} crawl_shared_picture;

/* Gets the picture. err as for crawl_shared_view; picture is set only with CRAWL_OK, and borrowed for the call. */
typedef void crawl_shared_viewed(void *user, crawl_err err, const crawl_error *error,
                                 const crawl_shared_picture *picture);

/* Options for inspecting a shared crawl. */
typedef struct crawl_shared_view_options {
    size_t size;      /* sizeof(crawl_shared_view_options) */
    const char *name; /* of the crawl */
    bool waiting;     /* includes the waiting hosts */
    bool check;       /* verifies every invariant, which walks over everything */
    bool decided;     /* only the fixed settings: the rest of the picture is zeros, and no partition is read */
} crawl_shared_view_options;

/* Requests a picture, on the loop of the connection; done is called once, later. CRAWL_EINVAL: not a valid crawl name.
 * CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. Passed to done: CRAWL_ABSENT: no such crawl. CRAWL_ECORRUPT: it has
 * another format, or the keys belong to another program. CRAWL_ENET: the server refuses, or is away. */
CRAWL_API crawl_err crawl_shared_view(crawl_redis *redis, const crawl_shared_view_options *options,
                                      crawl_shared_viewed *done, void *user, crawl_error *error);

/* Gets the result of crawl_shared_drop. err: CRAWL_OK; CRAWL_ENET: the server refuses, or is away; CRAWL_ENOMEM. error
 * is borrowed for the call. keys: the number deleted, whatever err says. */
typedef void crawl_shared_dropped(void *user, crawl_err err, const crawl_error *error, uint64_t keys);

/* Deletes all keys of a crawl, on the loop of the connection; done is called once, later. Keys of scrapy-redis stay. No
 * process should take part in the crawl: one that does loses it. An interrupted call can be repeated. CRAWL_EINVAL: not
 * a valid crawl name, or a Redis Cluster. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_shared_drop(crawl_redis *redis, const char *name, crawl_shared_dropped *done, void *user,
                                      crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
