/* A look at a crawl that processes share through Redis, from outside: what was decided once, what is counted, who has
 * which host until when, and whether all is in order. It changes nothing there. And the end of such a crawl. */
#ifndef CRAWL_SHARED_VIEW_H
#define CRAWL_SHARED_VIEW_H

#include <crawl/sys/redis.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parts of a shared crawl. */
#define CRAWL_SHARED_PARTITIONS 256u
#define CRAWL_SHARED_VIEW_HOSTS_MAX 4000u /* that wait, of each partition: more are counted and not told one by one */

/* Times are the server's, in milliseconds since 1970. */

/* Something that was decided when the crawl was made; those of the protocol itself begin with "crawl.". */
typedef struct crawl_shared_decided {
    crawl_slice name, value;
} crawl_shared_decided;

/* Of a cookie. */
enum {
    CRAWL_SHARED_COOKIE_HOST_ONLY = 1, /* goes to its host alone, not to hosts below it */
    CRAWL_SHARED_COOKIE_SECURE = 2,
    CRAWL_SHARED_COOKIE_HTTP_ONLY = 4,
    CRAWL_SHARED_COOKIE_OWN = 8,     /* the user's: counts towards no limit */
    CRAWL_SHARED_COOKIE_DELETED = 16 /* by the server, or it has expired: its value is empty */
};

/* A cookie of a shared crawl, whose contents nothing here reads. Slices are borrowed. */
typedef struct crawl_shared_cookie {
    crawl_slice site;   /* the registrable domain of its host, or the host where it has none */
    crawl_slice host;   /* that it is bound to: in lower case, 1 to 255 bytes */
    crawl_slice id;     /* tells it from the other cookies of its host, 1 to 65,000 bytes */
    crawl_slice value;  /* at most 65,000 bytes */
    int64_t set_ms;     /* when, by the server's time: of two, the one that was set last counts */
    int64_t expires_ms; /* since 1970; 0: it has no date */
    unsigned flags;     /* CRAWL_SHARED_COOKIE_... */
    uint64_t reserved[2];
} crawl_shared_cookie;

/* A partition, or the sum of all. */
typedef struct crawl_shared_counts {
    uint64_t queued;
    uint64_t held; /* by sessions */
    uint64_t accepted, refused;
    uint64_t finished;
    uint64_t tokens; /* grows with each session that begins; says nothing else */
    uint64_t lost;   /* sessions that ended because their deadline had passed */
    uint64_t stale;  /* writes that were refused */
    uint64_t links;  /* bitmaps of the seen-set, and keys in the newest */
    uint64_t newest;
    uint64_t waiting; /* hosts that have requests and no session */
    uint64_t sessions;
    uint64_t later;        /* requests for a later run, which are not among those that are queued */
    uint64_t exact;        /* fingerprints of an exact seen-set */
    uint64_t cookies;      /* some may have expired */
    uint64_t cookie_hosts; /* hosts, and domains with all hosts below, that have some */
    uint64_t cookie_sites; /* registrable domains of these, the user's own cookies left out */
    uint64_t reserved[4];  /* 0, for later versions */
} crawl_shared_counts;

/* The seen-set, as it is reckoned from the numbers of keys. Of an exact one the count alone. */
typedef struct crawl_shared_filter {
    bool is_exact;
    bool is_dupefilter; /* exact, and shared with spiders of scrapy-redis */
    uint64_t count;
    uint64_t capacity; /* of the bitmaps there are; it grows */
    uint64_t bytes;
    double fill;          /* share of bits set */
    double rate;          /* false positives that the whole was made for */
    double rate_now;      /* and those of a new key now */
    double lost;          /* new keys that were taken for seen, as is to be expected */
    uint64_t planned;     /* keys that the crawl was made for */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_shared_filter;

#define CRAWL_SHARED_VERSION_MAX 32u /* bytes of a version that are kept, with the NUL behind */

/* A process: all that it has done since it joined, and does now; it tells this once a second at most. */
typedef struct crawl_shared_report {
    bool is_known;      /* otherwise all is 0: it has not told yet, or does not tell */
    int64_t told_ms;    /* when it told */
    int64_t started_ms; /* when it joined */
    uint64_t pages;     /* as crawl_engine_stats has them: answers, */
    uint64_t failures;  /* records with an error, */
    uint64_t bytes;     /* decoded bodies, and */
    uint64_t received;  /* bytes in all */
    uint64_t running;   /* requests under way */
    uint64_t hosts;     /* that it has */
    double pages_per_s; /* in the last ten seconds */
    char version[CRAWL_SHARED_VERSION_MAX];
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_shared_report;

/* A process that takes part in the crawl, or did. */
typedef struct crawl_shared_process {
    crawl_slice name;
    int64_t until_ms;           /* it is alive, unless this is over */
    uint64_t hosts;             /* that it has */
    bool is_feeding;            /* it has seeds that are not all pushed */
    bool has_ended;             /* of one that is not alive: it left in order, and gave its hosts back */
    crawl_shared_report report; /* its last one */
    uint64_t reserved[2];       /* 0, for later versions */
} crawl_shared_process;

/* Who takes part in a crawl, and who did: of the processes that are not alive those that were last, 256 processes in
 * all or as many as are alive. */
typedef struct crawl_shared_crew {
    int64_t now_ms;
    crawl_shared_process *processes; /* by name */
    size_t process_count;
    uint64_t forgotten; /* processes that were there and are not among these */
    /* The sum of all processes that ever were, and of the work of those alive. told_ms is that of the last report,
     * started_ms that of the first process here; version is empty. */
    crawl_shared_report total;
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_shared_crew;

/* Frees what it has; {0} and NULL are allowed. */
CRAWL_API void crawl_shared_crew_free(crawl_shared_crew *crew);

/* A host, and where it stands. */
typedef struct crawl_shared_place {
    crawl_slice origin;
    crawl_slice process; /* that has it; empty: none, and it waits */
    int64_t at_ms;       /* until when it is that one's; of a host that waits: from when on it may be taken */
    int64_t pause_ms;
    uint64_t ready, delayed, held;
    uint64_t reserved[2]; /* 0, for later versions */
} crawl_shared_place;

/* A crawl as it stands in Redis. */
typedef struct crawl_shared_picture {
    int64_t now_ms;
    const crawl_shared_decided *decided; /* by name */
    size_t decided_count;
    crawl_shared_filter filter;
    crawl_shared_counts sum;
    const crawl_shared_counts *parts;      /* CRAWL_SHARED_PARTITIONS */
    const crawl_shared_process *processes; /* by name */
    size_t process_count;
    const crawl_shared_place *places; /* those that processes have, and where it was wanted those that wait */
    size_t place_count;
    const char *const *violations;
    size_t violation_count;
    crawl_shared_report total; /* of the processes, as crawl_shared_crew has it, */
    uint64_t forgotten;        /* which counts these */
} crawl_shared_picture;

/* err as of crawl_shared_view; picture is there with CRAWL_OK alone, and borrowed for the call. */
typedef void crawl_shared_viewed(void *user, crawl_err err, const crawl_error *error,
                                 const crawl_shared_picture *picture);

/* Options of a look at a shared crawl. */
typedef struct crawl_shared_view_options {
    size_t size;      /* sizeof(crawl_shared_view_options) */
    const char *name; /* of the crawl */
    bool waiting;     /* the hosts that wait are wanted as well */
    bool check;       /* every invariant is to be verified, which walks over all there is */
    bool decided; /* what was decided is wanted alone: the rest of the picture is zeros, and no partition is asked */
} crawl_shared_view_options;

/* Asks for all of it, on the loop of the connection; done comes once, and later. CRAWL_EINVAL: no name of a crawl.
 * CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. To done: CRAWL_ABSENT: there is no such crawl. CRAWL_ECORRUPT: it is of
 * another format, or the keys are another program's. CRAWL_ENET: the server refuses, or is away. */
CRAWL_API crawl_err crawl_shared_view(crawl_redis *redis, const crawl_shared_view_options *options,
                                      crawl_shared_viewed *done, void *user, crawl_error *error);

/* err: CRAWL_OK; CRAWL_ENET: the server refuses, or is away; CRAWL_ENOMEM. error is borrowed for the call. keys: how
 * many there were and are no more, whatever err says. */
typedef void crawl_shared_dropped(void *user, crawl_err err, const crawl_error *error, uint64_t keys);

/* Deletes all keys of a crawl, on the loop of the connection; done comes once, and later. Keys of scrapy-redis stay.
 * Nobody should take part in the crawl: whoever does loses it. An interrupted call can be repeated.
 * CRAWL_EINVAL: no name of a crawl, or a Redis Cluster. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_shared_drop(crawl_redis *redis, const char *name, crawl_shared_dropped *done, void *user,
                                      crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
