/* The figures that all threads of an engine count, for display. Only max_pages and max_bytes depend on them. */
#pragma once

#include <crawl/engine.h>
#include <stdatomic.h>

/* The bytes of memory that a processor takes from others at once. */
enum { CW_ENGINE_CACHE_LINE = 64 };

typedef struct cw_engine_counters {
    atomic_uint_fast64_t pages;
    atomic_uint_fast64_t bytes;
    atomic_uint_fast64_t wire_bytes;
    atomic_uint_fast64_t status[6];
    atomic_uint_fast64_t external[6];
    atomic_uint_fast64_t errors;
    atomic_uint_fast64_t error_classes[CRAWL_CLASS_COUNT];
    atomic_uint_fast64_t retries;
    atomic_uint_fast64_t robots;
    atomic_uint_fast64_t robots_cut;
    atomic_uint_fast64_t links_cut;
    atomic_uint_fast64_t queries;
    atomic_uint_fast64_t sitemaps;
    atomic_uint_fast64_t llms_txt;                        /* found */
    atomic_uint_fast64_t edges[CRAWL_EDGE_COUNT];         /* links and redirects; counted only in links/edges.c */
    atomic_uint_fast64_t sitemap_edges[CRAWL_EDGE_COUNT]; /* URLs that sitemaps name */
    atomic_uint_fast64_t patterns_stopped;
    atomic_uint_fast64_t kept;
    atomic_uint_fast64_t failed_2xx;
    atomic_uint_fast64_t verdicts[CRAWL_VERDICT_COUNT];
    atomic_uint_fast64_t walled_later; /* requests of a shared crawl that are left for its next run */
    atomic_uint_fast64_t withheld;
    atomic_uint_fast64_t scripted;
    atomic_uint_fast64_t mistyped;
    atomic_uint_fast64_t preprocessed;
    atomic_uint_fast64_t preprocess_failed;
    atomic_uint_fast64_t keeps_stopped;
    atomic_uint_fast64_t traps[CRAWL_TRAP_COUNT]; /* requests that were queued already, or came from outside */
    atomic_uint_fast64_t duplicates;
    atomic_uint_fast64_t near_duplicates;
    atomic_uint_fast64_t feeds_asked;
    atomic_uint_fast64_t feeds_found;
    atomic_uint_fast64_t visits;
    atomic_uint_fast64_t hastened;
    atomic_uint_fast64_t changed;
    atomic_uint_fast64_t unchanged;
    atomic_uint_fast64_t not_modified;
    atomic_uint_fast64_t gone;
    atomic_uint_fast64_t running;
    atomic_uint_fast64_t no_socket;
    atomic_uint_fast64_t disk_us; /* of all loops together, in calls of a durable frontier */
} cw_engine_counters;

/* Adding 0 writes nothing, so that the counter's cache line stays with the processors that have it. */
static inline void cw_engine_count(atomic_uint_fast64_t *counter, uint64_t more)
{
    if (more)
        atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static inline uint64_t cw_engine_counted(atomic_uint_fast64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* How many links of one page, or of one batch, got each verdict. */
typedef struct cw_engine_tally {
    uint32_t of[CRAWL_EDGE_COUNT];
} cw_engine_tally;

/* counters: an array of CRAWL_EDGE_COUNT. */
static inline void cw_engine_count_tally(atomic_uint_fast64_t *counters, const cw_engine_tally *tally)
{
    for (size_t i = 0; i < CRAWL_EDGE_COUNT; i++)
        if (tally->of[i])
            cw_engine_count(&counters[i], tally->of[i]);
}
