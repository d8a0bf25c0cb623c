/* What an engine counts, from all of its threads. */
#ifndef CW_COUNTERS_H
#define CW_COUNTERS_H

#include <crawl/engine.h>
#include <stdatomic.h>

typedef struct cw_counters {
    atomic_uint_fast64_t pages;
    atomic_uint_fast64_t bytes;
    atomic_uint_fast64_t wire_bytes;
    atomic_uint_fast64_t status[6];
    atomic_uint_fast64_t errors;
    atomic_uint_fast64_t error_classes[CRAWL_CLASS_COUNT];
    atomic_uint_fast64_t retries;
    atomic_uint_fast64_t robots;
    atomic_uint_fast64_t robots_cut;
    atomic_uint_fast64_t links_cut;
    atomic_uint_fast64_t sitemaps;
    atomic_uint_fast64_t edges[CRAWL_EDGE_COUNT];         /* links and redirects; counted in edges.c alone */
    atomic_uint_fast64_t sitemap_edges[CRAWL_EDGE_COUNT]; /* URLs that sitemaps name */
    atomic_uint_fast64_t patterns_stopped;
    atomic_uint_fast64_t traps[CRAWL_TRAP_COUNT]; /* requests that were queued already, or come from outside */
    atomic_uint_fast64_t duplicates;
    atomic_uint_fast64_t near_duplicates;
    atomic_uint_fast64_t visits;
    atomic_uint_fast64_t changed;
    atomic_uint_fast64_t unchanged;
    atomic_uint_fast64_t not_modified;
    atomic_uint_fast64_t gone;
    atomic_uint_fast64_t running;
    atomic_uint_fast64_t no_socket;
} cw_counters;

static inline void cw_count(atomic_uint_fast64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static inline uint64_t cw_counted(atomic_uint_fast64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
