/* An engine as the sum of its parts. Each part sees the others through their own headers; here they are only
 * declared. */
#pragma once

#include "base/clock.h"
#include "config/config_values.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/descriptors.h"
#include "crawler/engine/links/sitemap_faults.h"
#include "crawler/engine/scope/key.h"

#include <crawl/engine.h>
#include <crawl/fetch.h>
#include <pthread.h>
#include <stdatomic.h>

struct crawl_engine {
    const crawl_config *config;
    crawl_engine_hooks hooks;
    cw_clock clock;
    int64_t clock_kept_ms; /* when the clock was last noted */
    int64_t set_back_ms;   /* how far it is ahead of the wall clock, which was set back since the last run */
    crawl_frontier *frontier;
    struct cw_host_table *host_table;
    struct cw_host_sites *sites;
    struct cw_scope *scope;
    struct cw_scope_keep *keep;     /* NULL: everything is kept */
    struct cw_scope_keep *rendered; /* pages that may be rendered; NULL: any */
    cw_scope_key_rules key;
    crawl_rules *rules; /* for values of pages; NULL: none */
    struct cw_host_guard *guard;
    struct cw_host_book *hosts;
    crawl_jar *jar; /* NULL: no cookies kept, and each fetcher has its own */
    struct cw_host_cookie_saver *cookies;
    struct cw_host_hsts *hsts; /* NULL: off */
    crawl_name_cache *names;
    crawl_fetch_rate *rate; /* of all transfers */
    struct cw_scope_trap *trap;
    struct cw_scope_sessions *sessions;
    struct cw_scope_variants *variants;
    struct cw_host_pacer *pacer;
    struct cw_host_walled *walled;
    struct cw_host_probes *probes;       /* NULL: off */
    int64_t epoch_us;                    /* of the pacer's clock, since 1970 */
    int64_t opened_us;                   /* on it: this engine has asked no host before */
    atomic_int_fast64_t longest_wait_ms; /* until a request that goes back to the frontier is due again; see
                                            cw_host_pacing_create */
    atomic_int_fast64_t put_off_ms;      /* the latest date to which a due further visit was put off */
    struct cw_visit_dedupe *dedupe;      /* NULL: off */
    struct cw_visit_claims *claims;      /* NULL: bodies are compared by this process only, or not at all */
    struct cw_visit_receipts *receipts;
    struct cw_visit_asked *asked;
    struct cw_renders *renders;                   /* NULL: off */
    struct cw_visit_preprocessors *preprocessors; /* NULL: none */
    struct cw_links_intake *intake;
    cw_links_faults sitemap_faults;
    struct cw_engine_load *load;
    struct cw_engine_worker **workers;
    struct cw_engine_waker *wakers; /* one per worker; they outlive the workers: a thread of the frontier may ring */
    unsigned waker_count;
    unsigned worker_count;
    unsigned processors;               /* available to this process */
    atomic_uint active;                /* workers that have connections; see reserve.h */
    unsigned open_before;              /* descriptors open before the engine opened any */
    cw_engine_descriptors descriptors; /* of the process, shared out */
    pthread_mutex_t connections_lock;  /* held to change connections, so that the workers' parts always add up to one
                                          number */
    atomic_uint connections;           /* the most transfers at once */
    atomic_int end;                    /* crawl_end */
    atomic_bool paused;                /* crawl_engine_pause */
    atomic_bool held;                  /* crawl_engine_hold */
    atomic_bool expects;               /* crawl_engine_expect */
    atomic_bool dozes; /* no tick comes until the first date of the frontier; taking a lease ends this */
    atomic_uint_fast64_t hosts_queued;  /* hosts with something queued, as of the last tick */
    atomic_uint_fast64_t hosts_waiting; /* hosts that wait only for a connection or for the end of a pause */
    atomic_uint_fast64_t max_pages;     /* this and the next two: see crawl_engine_limits */
    atomic_int_fast64_t max_time_ms;
    atomic_uint_fast64_t max_bytes;
    atomic_int_fast64_t tick_ms;      /* the longest time between two ticks */
    uint64_t shared_hosts;            /* hosts that all processes of a shared crawl may ask; 0: any number */
    atomic_uint_fast64_t tickets_had; /* tickets that this process of a shared crawl may take */
    atomic_bool runs;                 /* crawl_engine_run has begun */
    pthread_mutex_t failure_lock;
    crawl_error failure; /* the first failure */
    pthread_mutex_t idle_lock;
    atomic_int_fast64_t started_ms;
    atomic_int_fast64_t ended_ms;
    atomic_uint_fast64_t visits_out; /* leases of further visits */
    crawl_frontier_stats before;     /* the frontier as found, of a crawl that continues */
    bool resumed;
    bool ran;
    /* Separates members that are written for each page from those that are only read: a write takes its cache line away
     * from all other processors. */
    char apart[CW_ENGINE_CACHE_LINE];
    atomic_uint waker_turn;
    atomic_uint_fast64_t requests;     /* requests that left, or whose connection failed */
    atomic_uint_fast64_t tickets;      /* pages asked for or answered, for max_pages */
    atomic_uint_fast64_t tickets_used; /* pages answered */
    cw_engine_counters counters;
};

static inline int64_t cw_engine_now(const crawl_engine *engine)
{
    return cw_clock_now(&engine->clock);
}

/* Returns true if the crawl outlives the process, in a directory or with other processes, so that notes are
 * worthwhile. */
static inline bool cw_engine_is_kept(const crawl_engine *engine)
{
    return engine->config->state || engine->config->shared;
}

/* Returns the place where the crawl is kept, in words for a person. */
static inline const char *cw_engine_place(const crawl_engine *engine)
{
    return engine->config->state ? engine->config->state : engine->config->shared ? engine->config->shared : "";
}

/* Enclose a call of a durable frontier, to measure the wait for the disk: begin returns the time, which end takes. */
static inline int64_t cw_engine_disk_begin(const crawl_engine *engine)
{
    return engine->config->state ? cw_now_us() : 0;
}

static inline void cw_engine_disk_end(crawl_engine *engine, int64_t began_us)
{
    if (began_us)
        cw_engine_count(&engine->counters.disk_us, (uint64_t)(cw_now_us() - began_us));
}
