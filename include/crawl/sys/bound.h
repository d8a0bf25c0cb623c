/* Tells why a crawl is not faster, from its present figures. */
#ifndef CRAWL_BOUND_H
#define CRAWL_BOUND_H

#include <crawl/frontier.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bounds of a crawl's speed. */
typedef enum crawl_bound {
    CRAWL_BOUND_NOTHING,     /* there is work, and room for it */
    CRAWL_BOUND_PAUSES,      /* of hosts */
    CRAWL_BOUND_PER_HOST,    /* hosts have as many requests on their way as they may */
    CRAWL_BOUND_BLOCKS,      /* hosts asked to stay away, or failed */
    CRAWL_BOUND_DATES,       /* all that is queued is for a later date */
    CRAWL_BOUND_ANSWERS,     /* nothing is queued; answers on their way may bring more */
    CRAWL_BOUND_NAMES,       /* host names are being looked up */
    CRAWL_BOUND_CONNECTIONS, /* all are in use, and hosts wait for one */
    CRAWL_BOUND_PROCESSOR,   /* the loops are busy */
    CRAWL_BOUND_DISK,        /* the loops wait for the queue of a durable crawl */
    CRAWL_BOUND_RECORDS,     /* crawl_engine_hold: whoever takes the records has too many that are not kept */
    CRAWL_BOUND_PAUSED,      /* crawl_engine_pause */
    CRAWL_BOUND_RATE,        /* so many bytes a second were allowed, of all transfers or from a host */
    CRAWL_BOUND_COUNT
} crawl_bound;
/* Elements of arrays by it in structs: more than there are, so that structs keep their size when there are further
 * ones. */
#define CRAWL_BOUND_ROOM 32u

/* "nothing", "pauses", "per-host", "blocks", "dates", "answers", "names", "connections", "processor", "disk",
 * "records", "paused", "rate" */
CRAWL_API const char *crawl_bound_name(crawl_bound bound);

/* The figures. */
typedef struct crawl_load {
    crawl_frontier_binding frontier;
    int64_t now_ms;       /* of the frontier's clock */
    uint64_t running;     /* transfers */
    uint64_t connections; /* transfers at once, at most */
    uint64_t resolving;   /* of those running, without an address yet */
    uint64_t loops;
    uint64_t rate;        /* bytes a second of all transfers, at most; 0: no limit */
    int64_t rate_owed_us; /* until more of them may be read; 0: now */
    uint64_t throttled;   /* of those running, not read on because of this rate or of one of their host */
    bool paused;          /* crawl_engine_pause */
    bool held;            /* crawl_engine_hold */
    double processor;     /* share of a core that each loop took since the figures before, on average; 0 to 1 */
    double disk;          /* share of its time that each spent in calls of a durable frontier */
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_load;

/* From this share on, processor and disk bind. */
#define CRAWL_BOUND_PROCESSOR_FROM 0.85
#define CRAWL_BOUND_DISK_FROM 0.5

/* The verdict, by these figures alone: a pause of the engine before its being held, that before the rate of all
 * transfers, or of the hosts of most of them, that before the processor, that before the disk, all before what the
 * queue waits for. Of hosts that wait for different things, what most of them wait for. */
CRAWL_API crawl_bound crawl_bound_of(const crawl_load *load);

/* The bounds of a crawl up to now. */
typedef struct crawl_bound_tally {
    crawl_load load;                    /* as of the last look, four times a second */
    crawl_bound bound;                  /* by it */
    int64_t bound_ms[CRAWL_BOUND_ROOM]; /* so much of the time each did */
    char host[CRAWL_HELD_ORIGIN]; /* of the hosts that bound it, the one that had most queued most of the time; "": none
                                   */
    int64_t host_ms;              /* so much of the time it had, at least */
    uint64_t reserved[8];         /* 0, for later versions */
} crawl_bound_tally;

#ifdef __cplusplus
}
#endif
#endif
