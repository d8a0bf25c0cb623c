/* Determines what limits the speed of a crawl, from its present figures. */
#ifndef CRAWL_BOUND_H
#define CRAWL_BOUND_H

#include <crawl/frontier.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The limits of a crawl's speed. */
typedef enum crawl_bound {
    CRAWL_BOUND_NOTHING,     /* there is work, and capacity for it */
    CRAWL_BOUND_PAUSES,      /* the pauses of hosts */
    CRAWL_BOUND_PER_HOST,    /* hosts have as many requests in flight as allowed */
    CRAWL_BOUND_BLOCKS,      /* hosts asked to stay away, or failed */
    CRAWL_BOUND_DATES,       /* everything queued is for a later date */
    CRAWL_BOUND_ANSWERS,     /* nothing is queued; answers in flight may bring more */
    CRAWL_BOUND_NAMES,       /* host names are being resolved */
    CRAWL_BOUND_CONNECTIONS, /* all are in use, and hosts wait for one */
    CRAWL_BOUND_PROCESSOR,   /* the loops are busy */
    CRAWL_BOUND_DISK,        /* the loops wait for the queue of a durable crawl */
    CRAWL_BOUND_RECORDS,     /* crawl_engine_hold: the consumer of the records has too many not stored yet */
    CRAWL_BOUND_PAUSED,      /* crawl_engine_pause */
    CRAWL_BOUND_RATE,        /* the allowed bytes per second, of all transfers or from a host */
    CRAWL_BOUND_BROWSER,     /* as many pages wait for the browser as it can render soon */
    CRAWL_BOUND_COUNT
} crawl_bound;
/* Size of arrays indexed by bound in structs: larger than needed, so that structs keep their size when values are
 * added. */
#define CRAWL_BOUND_ROOM 32u

/* Returns "nothing", "pauses", "per-host", "blocks", "dates", "answers", "names", "connections", "processor", "disk",
 * "records", "paused", "rate" or "browser". */
CRAWL_API const char *crawl_bound_name(crawl_bound bound);

/* The figures of the present load. */
typedef struct crawl_load {
    crawl_frontier_binding frontier;
    int64_t now_ms;       /* by the frontier's clock */
    uint64_t running;     /* transfers in flight */
    uint64_t connections; /* maximum concurrent transfers */
    uint64_t resolving;   /* of those running, the ones without an address yet */
    uint64_t loops;
    uint64_t rate;        /* maximum bytes per second of all transfers; 0: no limit */
    int64_t rate_owed_us; /* time until more may be read; 0: now */
    uint64_t throttled;   /* of those running, the ones not read because of this rate or that of their host */
    bool paused;          /* crawl_engine_pause */
    bool held;            /* crawl_engine_hold */
    bool rendering;       /* until the browser has rendered some of its pages, only parts of them are requested */
    double processor;     /* average share of a core per loop since the previous figures; 0 to 1 */
    double disk;          /* average share of a loop's time in calls of a durable frontier */
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_load;

/* Shares from which processor and disk count as the bound. */
#define CRAWL_BOUND_PROCESSOR_FROM 0.85
#define CRAWL_BOUND_DISK_FROM 0.5

/* Returns the bound for these figures. Order: a pause of the engine, a hold, the rate of all transfers or of most of
 * their hosts, the processor, the disk, then what the queue waits for. If hosts wait for different things, the one that
 * most hosts wait for. */
CRAWL_API crawl_bound crawl_bound_of(const crawl_load *load);

/* The bounds of a crawl so far. */
typedef struct crawl_bound_tally {
    crawl_load load;                    /* at the last sample, four times a second */
    crawl_bound bound;                  /* for that load */
    int64_t bound_ms[CRAWL_BOUND_ROOM]; /* total time with each bound */
    char host[CRAWL_HELD_ORIGIN]; /* among the hosts that were the bound, the one with most requests queued for most of
                                     the time; "": none */
    int64_t host_ms;              /* lower bound of that time */
    uint64_t reserved[8];         /* 0, for later versions */
} crawl_bound_tally;

#ifdef __cplusplus
}
#endif
#endif
