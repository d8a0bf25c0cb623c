/* The figures of an engine, for any thread. */
#include "base/clock.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/engine_load.h"
#include "crawler/engine/host/walled.h"
#include "crawler/engine/links/fate.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/render/renders.h"

/* If only further visits are queued, the next request is one of them, and the frontier knows its date. */
static int64_t next_of_visits_alone(const crawl_engine *engine, int64_t now)
{
    crawl_frontier_binding binding;
    crawl_frontier_binding_get(engine->frontier, now, &binding);
    return binding.hosts[CRAWL_STANDING_READY] ? now : binding.due_ms;
}

/* Returns milliseconds until the first further visit is due. Negative: none is queued, or its date is unknown. */
static int64_t figures_next_of(const crawl_engine *engine, const crawl_engine_stats *stats)
{
    int64_t now = cw_engine_now(engine);
    int64_t due = CRAWL_FOREVER;
    if (!stats->frontier.revisits)
        return -1;
    if (stats->frontier.revisits == stats->frontier.queued)
        due = next_of_visits_alone(engine, now);
    else if (atomic_load(&engine->ended_ms) && !stats->is_shared && /* others hold requests of a shared crawl */
             crawl_frontier_next_visit(engine->frontier, now, &due))
        return -1;
    if (due == CRAWL_FOREVER)
        return -1;
    return due > now ? due - now : 0;
}

/* Copies the counters, and returns their sum. */
static uint64_t read_edges(atomic_uint_fast64_t *counters, uint64_t *out)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < CRAWL_EDGE_COUNT; i++)
        sum += out[i] = cw_engine_counted(&counters[i]);
    return sum;
}

/* Call after the edges in out are set. */
static void read_traps(cw_engine_counters *counters, crawl_engine_stats *out)
{
    for (int i = CRAWL_TRAP_NONE + 1; i < CRAWL_TRAP_COUNT; i++) {
        crawl_edge_verdict verdict = cw_links_fate_of_trap((crawl_trap)i);
        out->traps[i] = cw_engine_counted(&counters->traps[i]) + out->edges[verdict] + out->sitemap_edges[verdict];
    }
}

/* The server's time is read later than now_us, by no more than the time passed since. */
static void read_shared(crawl_engine *engine, crawl_engine_stats *out)
{
    out->is_shared = crawl_frontier_shared_figures(engine->frontier, &out->shared) == CRAWL_OK;
    out->shared.server_within_us += engine->epoch_us + cw_now_us() - out->now_us;
}

static void read_walls(crawl_engine *engine, crawl_engine_stats *out)
{
    out->scripted = cw_engine_counted(&engine->counters.scripted);
    out->mistyped = cw_engine_counted(&engine->counters.mistyped);
    out->preprocessed = cw_engine_counted(&engine->counters.preprocessed);
    out->preprocess_failed = cw_engine_counted(&engine->counters.preprocess_failed);
    out->failed_2xx = cw_engine_counted(&engine->counters.failed_2xx);
    for (int i = 0; i < CRAWL_VERDICT_COUNT; i++)
        out->verdicts[i] = cw_engine_counted(&engine->counters.verdicts[i]);
    cw_host_walled_stats(engine->walled, engine->frontier, cw_engine_now(engine), out);
    out->walled_queued += cw_engine_counted(&engine->counters.walled_later);
}

static void read_visits(cw_engine_counters *counters, crawl_engine_stats *out)
{
    out->visits = cw_engine_counted(&counters->visits);
    out->hastened = cw_engine_counted(&counters->hastened);
    out->changed = cw_engine_counted(&counters->changed);
    out->unchanged = cw_engine_counted(&counters->unchanged);
    out->not_modified = cw_engine_counted(&counters->not_modified);
    out->gone = cw_engine_counted(&counters->gone);
}

static void read_sitemaps(cw_engine_counters *counters, crawl_engine_stats *out)
{
    out->sitemaps = cw_engine_counted(&counters->sitemaps);
    out->llms_txt = cw_engine_counted(&counters->llms_txt);
    out->feeds_asked = cw_engine_counted(&counters->feeds_asked);
    out->feeds_found = cw_engine_counted(&counters->feeds_found);
    out->sitemap_urls = read_edges(counters->sitemap_edges, out->sitemap_edges);
}

void crawl_engine_stats_get(crawl_engine *engine, crawl_engine_stats *out)
{
    cw_engine_counters *counters = &engine->counters;
    int64_t started = atomic_load(&engine->started_ms);
    int64_t ended = atomic_load(&engine->ended_ms);
    *out = (crawl_engine_stats){
        .end = (crawl_end)atomic_load(&engine->end),
        .resumed = engine->resumed,
        .before = engine->before,
        .opened_us = engine->epoch_us + engine->opened_us,
        .now_us = engine->epoch_us + cw_now_us(),
        .workers = engine->worker_count,
        .set_back_ms = engine->set_back_ms,
        .elapsed_ms = started ? (ended ? ended : cw_engine_now(engine)) - started : 0,
        .pages = cw_engine_counted(&counters->pages),
        .bytes = cw_engine_counted(&counters->bytes),
        .wire_bytes = cw_engine_counted(&counters->wire_bytes),
        .patterns_stopped = cw_engine_counted(&counters->patterns_stopped),
        .kept = cw_engine_counted(&counters->kept),
        .withheld = cw_engine_counted(&counters->withheld),
        .keeps_stopped = cw_engine_counted(&counters->keeps_stopped),
        .errors = cw_engine_counted(&counters->errors),
        .retries = cw_engine_counted(&counters->retries),
        .robots = cw_engine_counted(&counters->robots),
        .robots_cut = cw_engine_counted(&counters->robots_cut),
        .links_cut = cw_engine_counted(&counters->links_cut),
        .queries = cw_engine_counted(&counters->queries),
        .duplicates = cw_engine_counted(&counters->duplicates),
        .near_duplicates = cw_engine_counted(&counters->near_duplicates),
        .running = cw_engine_counted(&counters->running),
        .connections = cw_engine_load_connections(engine),
        .paused = atomic_load(&engine->paused),
        .limits = {.pages = atomic_load(&engine->max_pages),
                   .time_ms = atomic_load(&engine->max_time_ms),
                   .bytes = atomic_load(&engine->max_bytes)},
        .no_socket = cw_engine_counted(&counters->no_socket),
    };
    for (size_t i = 0; i < 6; i++) {
        out->status[i] = cw_engine_counted(&counters->status[i]);
        out->external[i] = cw_engine_counted(&counters->external[i]);
    }
    out->links = read_edges(counters->edges, out->edges);
    read_sitemaps(counters, out);
    read_traps(counters, out);
    read_visits(counters, out);
    for (size_t i = 0; i < CRAWL_CLASS_COUNT; i++)
        out->error_classes[i] = cw_engine_counted(&counters->error_classes[i]);
    cw_links_faults_read(&engine->sitemap_faults, out);
    cw_engine_load_fetchers(engine, &out->names);
    crawl_frontier_stats_get(engine->frontier, cw_engine_now(engine), &out->frontier);
    read_walls(engine, out);
    if (engine->renders)
        cw_renders_stats(engine->renders, &out->renders);
    cw_engine_load_read(engine->load, &out->bound);
    read_shared(engine, out);
    out->next_ms = figures_next_of(engine, out);
}
