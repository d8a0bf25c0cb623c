/* The frontier: what to fetch next, and when.
 *
 * It holds requests, the set of those seen, and a queue per host (an origin, "scheme://host:port") with the host's
 * pause, its limit at once and its block. A request is ready, delayed, leased or done; a host is idle, ready, waiting, busy
 * or blocked. pop hands out a lease; the lease is exclusive until done ends it.
 *
 * The frontier knows when, never why: robots rules, retries and reasons reach it as a block, a date or an urgent request.
 * It reads no clock: now_ms is any clock that does not go back, the same for all calls. A now_ms earlier than one given
 * before, as threads may pass it, is taken as that one; waits are told from the caller's own.
 *
 * Thread-safe. The only callback, on_ready, is called with no lock held. */
#ifndef CRAWL_FRONTIER_H
#define CRAWL_FRONTIER_H

#include <crawl/bloom.h>
#include <crawl/fingerprint.h>
#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CRAWL_FOREVER INT64_MAX

typedef struct crawl_frontier crawl_frontier;

typedef enum crawl_order {
    CRAWL_ORDER_BFS, /* by priority, then depth; then hosts take turns, and within a host first come first served */
    CRAWL_ORDER_DFS, /* by priority, then the youngest batch first, within it in its order: a branch is followed to its end */
    CRAWL_ORDER_BEST /* by priority, then first come first served */
} crawl_order;

typedef struct crawl_frontier_options {
    crawl_order order;
    crawl_bloom_options seen;     /* the set of requests seen */
    int64_t pause_ms;             /* least time between the starts of two requests to one host, 0 and up */
    unsigned per_host;            /* leases at once of one host, 1 and up */
    bool confirm_start;           /* true: the pause runs from crawl_frontier_start, and a host gives no second lease while one
                                     has not been started; false: the pause runs from pop */
    uint64_t max_queued;          /* requests in the queue; beyond it push answers CRAWL_FULL; 0: no limit. Urgent ones and those
                                     that come back from a lease are queued all the same */
    uint64_t max_hosts;           /* hosts known; push answers CRAWL_FULL for requests of further ones, which wildcard names
                                     make without end; 0: no limit */
    void (*on_ready)(void *user); /* something may be poppable sooner than the last pop said; from any thread. May be NULL. */
    void *user;
} crawl_frontier_options;

CRAWL_API void crawl_frontier_options_init(crawl_frontier_options *options); /* bfs, scalable, 250 ms, 2, false, 0 */

/* CRAWL_EINVAL: an option out of its range (error names it). CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_create(const crawl_frontier_options *options, crawl_frontier **out, crawl_error *error);
/* Leases that are out die with it. */
CRAWL_API void crawl_frontier_free(crawl_frontier *frontier);

/* A request to be queued. All slices are copied. */
typedef struct crawl_request {
    crawl_slice url;               /* what is fetched: an http(s) URL serialized by crawl_url_parse, without fragment */
    crawl_fingerprint fingerprint; /* of its canonical form */
    crawl_slice method;            /* empty: GET */
    crawl_slice headers;           /* "Name: value" lines, each ended by \n; empty: none */
    crawl_slice body;              /* empty: none */
    int32_t priority;              /* higher first */
    uint32_t depth;                /* links away from a seed */
    uint32_t tag;                  /* the caller's own; carried, never read */
    bool revisit;                  /* queue it even if seen; it is marked seen all the same */
} crawl_request;

typedef enum crawl_pushed {
    CRAWL_PUSHED_NEW = 0, /* queued */
    CRAWL_PUSHED_SEEN,    /* seen before; dropped */
    CRAWL_PUSHED_INVALID, /* not an http(s) URL; dropped */
    CRAWL_PUSHED_FULL     /* max_queued or max_hosts; dropped, not marked seen */
} crawl_pushed;

/* Pushes a batch, all found on one page: parent (empty: none) is that page's URL and is stored once for all of them.
 * results (NULL: not wanted) gets one crawl_pushed per request, *accepted (NULL: not wanted) the number queued; both are
 * written whatever is returned. CRAWL_FULL: some were dropped for a maximum, as results say. CRAWL_ENOMEM: some may be
 * in, as results say (the others INVALID, and not marked): push again what is left. */
CRAWL_API crawl_err crawl_frontier_push(crawl_frontier *frontier, const crawl_request *requests, size_t count, crawl_slice parent,
                                        uint8_t *results, size_t *accepted, int64_t now_ms);

/* Queues a request ahead of all others of its host, past the seen-set and past a block of the host, but within its pause
 * and limit at once: for what must come before anything else there, as robots.txt does. It is not marked seen. Among
 * urgent requests: by priority, then first come first served. CRAWL_EINVAL: not an http(s) URL. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_push_urgent(crawl_frontier *frontier, const crawl_request *request, int64_t now_ms);

/* What pop gives. Slices are borrowed until done. */
typedef struct crawl_lease {
    uint64_t id;
    crawl_slice url;
    crawl_slice origin;
    crawl_fingerprint fingerprint;
    crawl_slice method; /* never empty */
    crawl_slice headers;
    crawl_slice body;
    crawl_slice parent;
    int32_t priority;
    uint32_t depth;
    uint32_t tag;
    uint32_t attempt; /* 1, and 1 more for each lease of this request that ended in a retry; stops at 65536 */
    bool urgent;
} crawl_lease;

/* The best request among the hosts that may be asked now. CRAWL_OK: *lease. CRAWL_AGAIN: none now; *wait_ms (NULL: not
 * wanted) is the time until one may be, at most CRAWL_FOREVER when only done, push or a lifted block can bring one.
 * CRAWL_DRAINED: nothing is queued or leased. CRAWL_ENOMEM: nothing changed. */
CRAWL_API crawl_err crawl_frontier_pop(crawl_frontier *frontier, int64_t now_ms, crawl_lease *lease, int64_t *wait_ms);

/* The request of this lease is leaving for its host now: the pause runs from here. Only with confirm_start.
 * CRAWL_ESTATE: no such lease, or started before. */
CRAWL_API crawl_err crawl_frontier_start(crawl_frontier *frontier, uint64_t lease, int64_t now_ms);

typedef enum crawl_outcome {
    CRAWL_DONE_FINISHED, /* fetched or refused for good */
    CRAWL_DONE_RETRY,    /* again at at_ms; counts as an attempt */
    CRAWL_DONE_RETURN,   /* back to where it was, at at_ms; does not count: it was not asked */
    CRAWL_DONE_FORGET    /* as finished, and taken out of the seen-set where that can forget: a link found again brings it back.
                            A counting set keeps what was seen before a revisit was pushed: which filter holds it is not known */
} crawl_outcome;

/* Ends a lease; never fails for want of memory. at_ms is read for RETRY and RETURN only; a date in the past means now. A
 * request that comes back keeps its place in the order. CRAWL_ESTATE: no such lease. CRAWL_EINVAL: no such outcome. */
CRAWL_API crawl_err crawl_frontier_done(crawl_frontier *frontier, uint64_t lease, crawl_outcome outcome, int64_t at_ms,
                                        int64_t now_ms);

/* Per host; origin as in crawl_lease. A host not known yet is made known. CRAWL_EINVAL: no origin. CRAWL_ENOMEM: unchanged.
 *
 * No lease before until_ms (CRAWL_FOREVER: until set again; 0: lifted), urgent requests excepted. */
CRAWL_API crawl_err crawl_frontier_block(crawl_frontier *frontier, crawl_slice origin, int64_t until_ms, int64_t now_ms);
/* The pause of this host alone; negative: the frontier's again. */
CRAWL_API crawl_err crawl_frontier_set_pause(crawl_frontier *frontier, crawl_slice origin, int64_t pause_ms, int64_t now_ms);

typedef struct crawl_frontier_stats {
    uint64_t queued; /* ready or delayed, urgent ones included */
    uint64_t leased;
    uint64_t hosts;         /* known */
    uint64_t hosts_queued;  /* with something queued */
    uint64_t hosts_blocked; /* blocked, with something queued */
    uint64_t pushed;        /* offered to push, urgent ones excluded */
    uint64_t accepted;      /* queued by push */
    uint64_t seen;          /* refused as seen */
    uint64_t full;          /* refused by max_queued or max_hosts */
    uint64_t finished;      /* leases ended by FINISHED or FORGET, urgent ones excluded */
    uint64_t bytes;         /* memory held, the seen-set excluded */
    crawl_bloom_stats filter;
} crawl_frontier_stats;

CRAWL_API void crawl_frontier_stats_get(crawl_frontier *frontier, int64_t now_ms, crawl_frontier_stats *out);

/* Is this fingerprint in the seen-set? CRAWL_EXISTS or CRAWL_ABSENT. */
CRAWL_API crawl_err crawl_frontier_seen(crawl_frontier *frontier, const crawl_fingerprint *fingerprint);

#ifdef __cplusplus
}
#endif
#endif
