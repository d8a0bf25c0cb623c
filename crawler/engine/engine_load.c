#include "crawler/engine/engine_load.h"

#include "base/clock.h"
#include "crawler/engine/bound.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/render/renders.h"
#include "crawler/engine/reserve.h"
#include "crawler/engine/worker.h"

#include <stdlib.h>

struct cw_engine_load {
    pthread_mutex_t lock; /* guards the next three */
    crawl_bound_tally tally;
    cw_engine_named named;
    int64_t doze_us;      /* the crawl has waited only for dates since then; 0: it does not */
    int64_t looked_us;    /* monotonic; 0: not yet */
    int64_t processor_us; /* of all loops, at that time */
    int64_t disk_us;      /* of all loops, at that time */
};

cw_engine_load *cw_engine_load_create(void)
{
    cw_engine_load *load = calloc(1, sizeof *load);
    if (load)
        pthread_mutex_init(&load->lock, NULL);
    return load;
}

void cw_engine_load_free(cw_engine_load *load)
{
    if (!load)
        return;
    pthread_mutex_destroy(&load->lock);
    free(load);
}

unsigned cw_engine_load_connections(const crawl_engine *engine)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < engine->worker_count; i++)
        sum += atomic_load_explicit(&engine->workers[i]->maker.allowed, memory_order_relaxed);
    return sum;
}

void cw_engine_load_fetchers(const crawl_engine *engine, crawl_fetcher_stats *out)
{
    *out = (crawl_fetcher_stats){0};
    for (unsigned i = 0; i < engine->worker_count; i++) {
        crawl_fetcher_stats stats;
        crawl_fetcher_stats_get(engine->workers[i]->maker.fetcher, &stats);
        out->waiting_for_names += stats.waiting_for_names;
        out->names_asked += stats.names_asked;
        out->names_cached += stats.names_cached;
        out->names_failed += stats.names_failed;
        out->body_bytes += stats.body_bytes;
        out->bodies_waiting += stats.bodies_waiting;
        out->held += stats.held;
    }
}

static double share(int64_t part, int64_t whole)
{
    double value = whole > 0 && part > 0 ? (double)part / (double)whole : 0;
    return value < 1 ? value : 1;
}

/* Returns the CPU time of a worker's loop up to now; worker 0 runs on this thread. */
static int64_t loop_us(const cw_engine_worker *worker, unsigned index)
{
    if (index == 0)
        return cw_thread_us(pthread_self());
    return worker->has_thread ? cw_thread_us(worker->thread) : 0;
}

/* Returns the CPU time of all loops, and sets how busy each was since the last look. */
static int64_t processor_us(const crawl_engine *engine, int64_t elapsed_us)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < engine->worker_count; i++) {
        cw_engine_worker *worker = engine->workers[i];
        int64_t loop = loop_us(worker, i);
        atomic_store_explicit(&worker->maker.busy, (unsigned)(1000 * share(loop - worker->processor_us, elapsed_us)),
                              memory_order_relaxed);
        worker->processor_us = loop;
        sum += loop;
    }
    return sum;
}

static uint64_t hosts_queued(const crawl_frontier_binding *frontier)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < CRAWL_STANDING_COUNT; i++)
        sum += frontier->hosts[i];
    return sum;
}

/* Returns how many of these hosts have nothing under way and can be asked now or once their pause is over. Whether it
 * is over, the frontier finds out at the next pop. */
static uint64_t hosts_waiting(const crawl_frontier_binding *frontier)
{
    return frontier->hosts[CRAWL_STANDING_READY] + frontier->hosts[CRAWL_STANDING_PAUSED];
}

/* Takes the figures since the last look. False: this is the first look. */
static bool engine_load_look(crawl_engine *engine, int64_t *elapsed_us, crawl_load *out)
{
    cw_engine_load *load = engine->load;
    int64_t now_us = cw_now_us();
    int64_t before_us = load->looked_us;
    unsigned active = atomic_load(&engine->active);
    int64_t processor = processor_us(engine, now_us - before_us);
    int64_t disk = (int64_t)cw_engine_counted(&engine->counters.disk_us);
    crawl_fetcher_stats fetchers;
    cw_engine_load_fetchers(engine, &fetchers);
    *elapsed_us = now_us - before_us;
    int64_t whole_us = *elapsed_us * active;
    *out = (crawl_load){
        .now_ms = cw_engine_now(engine),
        .running = cw_engine_counted(&engine->counters.running),
        .connections = cw_engine_load_connections(engine),
        .resolving = fetchers.waiting_for_names,
        .loops = active,
        .rate = crawl_fetch_rate_get(engine->rate),
        .rate_owed_us = crawl_fetch_rate_owed_us(engine->rate, now_us),
        .throttled = fetchers.held,
        .paused = atomic_load(&engine->paused),
        .held = atomic_load(&engine->held),
        .rendering = engine->renders && cw_renders_is_full(engine->renders),
        .processor = share(processor - load->processor_us, whole_us),
        .disk = share(disk - load->disk_us, whole_us),
    };
    crawl_frontier_binding_get(engine->frontier, out->now_ms, &out->frontier);
    atomic_store_explicit(&engine->hosts_queued, hosts_queued(&out->frontier), memory_order_relaxed);
    atomic_store_explicit(&engine->hosts_waiting, hosts_waiting(&out->frontier), memory_order_relaxed);
    load->looked_us = now_us;
    load->processor_us = processor;
    load->disk_us = disk;
    return before_us != 0;
}

/* Adds the time of a doze so far. Call with the lock held. */
static void engine_load_count_doze(const cw_engine_load *load, crawl_bound_tally *tally)
{
    int64_t ms = load->doze_us ? (cw_now_us() - load->doze_us) / 1000 : 0;
    tally->bound_ms[CRAWL_BOUND_DATES] += ms;
    tally->load.now_ms += ms;
}

static void engine_load_take(cw_engine_load *load, const crawl_load *figures, int64_t elapsed_ms)
{
    crawl_bound_tally *tally = &load->tally;
    tally->load = *figures;
    tally->bound = crawl_bound_of(figures);
    if (load->doze_us)
        return;
    tally->bound_ms[tally->bound] += elapsed_ms;
    const crawl_held_host *host = cw_engine_bound_host(figures, tally->bound);
    if (host)
        cw_engine_named_add(&load->named, host->origin, elapsed_ms);
}

void cw_engine_load_look(crawl_engine *engine, bool dozes)
{
    crawl_load figures;
    int64_t elapsed_us = 0;
    cw_engine_load *load = engine->load;
    bool has_ended = cw_engine_ended(engine);
    bool is_taken = !has_ended && engine_load_look(engine, &elapsed_us, &figures);
    pthread_mutex_lock(&load->lock);
    engine_load_count_doze(load, &load->tally);
    if (is_taken)
        engine_load_take(load, &figures, elapsed_us / 1000);
    load->doze_us = dozes && !has_ended ? cw_now_us() : 0;
    pthread_mutex_unlock(&load->lock);
    if (is_taken)
        cw_engine_reserve_look(engine, (unsigned)(1000 * figures.processor * (double)figures.loops));
}

void cw_engine_load_read(cw_engine_load *load, crawl_bound_tally *out)
{
    pthread_mutex_lock(&load->lock);
    *out = load->tally;
    engine_load_count_doze(load, out);
    const cw_engine_named_host *host = cw_engine_named_most(&load->named);
    if (host) {
        memcpy(out->host, host->origin, sizeof out->host);
        out->host_ms = host->ms;
    }
    pthread_mutex_unlock(&load->lock);
}
