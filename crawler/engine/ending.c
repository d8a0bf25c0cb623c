#include "crawler/engine/ending.h"

#include "config/config_values.h"
#include "crawler/engine/host/walled.h"
#include "crawler/engine/parts.h"

#include <errno.h>
#include <event2/event.h>
#include <unistd.h>

/* ---- wakers ---- */

void cw_engine_waker_ring(cw_engine_waker *waker)
{
    int saved = errno;
    uint64_t one = 1;
    ssize_t written = write(waker->fd, &one, sizeof one);
    (void)written; /* a full counter wakes as well */
    errno = saved;
}

void cw_engine_wake(crawl_engine *engine)
{
    for (unsigned i = 0; i < engine->worker_count; i++) {
        atomic_store(&engine->wakers[i].waiting, false);
        cw_engine_waker_ring(&engine->wakers[i]);
    }
}

/* The timer is for a loop that is never idle. */
void cw_engine_waker_look_when_idle(cw_engine_waker *waker)
{
    static const struct timeval at_latest = {.tv_usec = 1000};
    if (event_pending(waker->when_idle, EV_TIMEOUT, NULL))
        return;
    event_active(waker->when_idle, EV_TIMEOUT, 0);
    event_add(waker->again, &at_latest);
}

static void ending_wake(cw_engine_waker *waker)
{
    if (atomic_load(&waker->runs) && pthread_equal(atomic_load(&waker->thread), pthread_self()))
        cw_engine_waker_look_when_idle(waker);
    else
        cw_engine_waker_ring(waker);
}

/* If all were woken, all but the first would find nothing, at each page. */
void cw_engine_wake_one(crawl_engine *engine)
{
    unsigned turn = atomic_fetch_add_explicit(&engine->waker_turn, 1, memory_order_relaxed);
    for (unsigned i = 0; i < engine->worker_count; i++) {
        cw_engine_waker *waker = &engine->wakers[(turn + i) % engine->worker_count];
        if (atomic_load(&waker->waiting) && atomic_exchange(&waker->waiting, false)) {
            ending_wake(waker);
            return;
        }
    }
}

/* ---- ending ---- */

/* Also called from signal handlers: only atomics and write. */
void cw_engine_end(crawl_engine *engine, crawl_end how)
{
    int running = CRAWL_END_RUNNING;
    if (atomic_compare_exchange_strong(&engine->end, &running, (int)how))
        cw_engine_wake(engine);
}

/* A frontier that has failed explains it better than the caller. */
void cw_engine_fail(crawl_engine *engine, crawl_err err, const char *words)
{
    crawl_error why = {0};
    bool is_frontier =
        (err == CRAWL_EIO || err == CRAWL_ECORRUPT) && crawl_frontier_failure(engine->frontier, &why) == err;
    pthread_mutex_lock(&engine->failure_lock);
    if (!engine->failure.code && is_frontier)
        crawl_error_set(&engine->failure, err, "%s: %.400s", cw_engine_place(engine), why.message);
    else if (!engine->failure.code)
        crawl_error_set(&engine->failure, err, "%s%s%s", words, *words ? ": " : "", crawl_strerror(err));
    pthread_mutex_unlock(&engine->failure_lock);
    atomic_store(&engine->end, CRAWL_END_FAILED);
    cw_engine_wake(engine);
}

bool cw_engine_ended(const crawl_engine *engine)
{
    return atomic_load(&engine->end) != CRAWL_END_RUNNING;
}

bool cw_engine_failed(const crawl_engine *engine)
{
    return atomic_load(&engine->end) == CRAWL_END_FAILED;
}

void cw_engine_watch_time(crawl_engine *engine)
{
    int64_t limit_ms = atomic_load(&engine->max_time_ms);
    if (limit_ms && cw_engine_now(engine) - atomic_load(&engine->started_ms) >= limit_ms)
        cw_engine_end(engine, CRAWL_END_MAX_TIME);
}

void cw_engine_notice(crawl_engine *engine, const crawl_buf *words)
{
    if (engine->hooks.on_notice && words->size)
        engine->hooks.on_notice(engine->hooks.user, engine, words->data);
}

/* ---- pages under max_pages ---- */

/* Returns true if there is another ticket. In a shared crawl each process has some of the tickets. */
static bool has_ticket(crawl_engine *engine, uint64_t taken)
{
    uint64_t limit = atomic_load(&engine->max_pages);
    bool has_some = !engine->config->shared || taken < atomic_load(&engine->tickets_had);
    return limit == 0 || (taken < limit && has_some);
}

bool cw_engine_takes_parts(crawl_engine *engine)
{
    return !cw_engine_ended(engine) && !atomic_load(&engine->paused) && !atomic_load(&engine->held);
}

bool cw_engine_takes(crawl_engine *engine)
{
    return cw_engine_takes_parts(engine) && has_ticket(engine, atomic_load(&engine->tickets));
}

bool cw_engine_take_ticket(crawl_engine *engine)
{
    uint64_t taken = atomic_fetch_add(&engine->tickets, 1); /* without a limit too: one may be set later */
    if (has_ticket(engine, taken))
        return true;
    atomic_fetch_sub(&engine->tickets, 1);
    return false;
}

void cw_engine_return_ticket(crawl_engine *engine)
{
    uint64_t taken = atomic_fetch_sub(&engine->tickets, 1);
    if (!has_ticket(engine, taken))
        cw_engine_wake(engine); /* workers that stopped for lack of a ticket */
}

void cw_engine_use_ticket(crawl_engine *engine)
{
    atomic_fetch_add(&engine->tickets_used, 1);
}

void crawl_engine_set_limits(crawl_engine *engine, const crawl_engine_limits *limits)
{
    atomic_store(&engine->max_pages, limits->pages);
    atomic_store(&engine->max_time_ms, limits->time_ms);
    atomic_store(&engine->max_bytes, limits->bytes);
    cw_engine_end_at_limits(engine);
    cw_engine_wake(engine); /* likewise */
}

void crawl_engine_set_rate(crawl_engine *engine, uint64_t bytes_per_s)
{
    crawl_fetch_rate_set(engine->rate, bytes_per_s);
    cw_engine_wake(engine); /* workers that wait by the old rate */
}

void cw_engine_end_at_limits(crawl_engine *engine)
{
    uint64_t pages = atomic_load(&engine->max_pages);
    uint64_t bytes = atomic_load(&engine->max_bytes);
    if (pages && cw_engine_counted(&engine->counters.pages) >= pages)
        cw_engine_end(engine, CRAWL_END_MAX_PAGES);
    if (bytes && cw_engine_counted(&engine->counters.bytes) >= bytes)
        cw_engine_end(engine, CRAWL_END_MAX_BYTES);
}

/* ---- nothing left ---- */

/* Takes a lock, so that the threads that find nothing left ask the hook once. If more is expected, they sleep until it
 * comes or is no longer expected. */
void cw_engine_drained(crawl_engine *engine)
{
    if (atomic_load(&engine->expects))
        return;
    pthread_mutex_lock(&engine->idle_lock);
    crawl_frontier_stats stats;
    crawl_frontier_stats_get(engine->frontier, cw_engine_now(engine), &stats);
    if (engine->hooks.on_idle && stats.queued + stats.leased == 0 && !cw_engine_ended(engine)) {
        crawl_err err = engine->hooks.on_idle(engine->hooks.user, engine);
        if (err)
            cw_engine_fail(engine, err, "");
        crawl_frontier_stats_get(engine->frontier, cw_engine_now(engine), &stats);
    }
    pthread_mutex_unlock(&engine->idle_lock);
    if (stats.queued + stats.leased == 0)
        cw_engine_end(engine, CRAWL_END_DRAINED);
    else
        cw_engine_wake(engine);
}

/* Returns true if only further visits are queued and at most `leased` leases are out, those of such visits. */
static bool only_visits_are_left(crawl_engine *engine, uint64_t leased)
{
    crawl_frontier_stats stats;
    crawl_frontier_stats_get(engine->frontier, cw_engine_now(engine), &stats);
    return stats.leased <= leased && stats.queued == stats.revisits;
}

/* Returns true if the crawl continues when only further visits are left. */
static bool ending_goes_on(const crawl_engine *engine)
{
    return engine->config->revisit || atomic_load(&engine->expects);
}

/* Returns true if every host with something queued has it only for a later date. Requests that were put off are still
 * due. */
static bool nothing_is_due(crawl_engine *engine)
{
    crawl_frontier_binding binding;
    crawl_frontier_binding_get(engine->frontier, cw_engine_now(engine), &binding);
    for (int i = 0; i < CRAWL_STANDING_COUNT; i++)
        if (i != CRAWL_STANDING_DATED && binding.hosts[i])
            return false;
    return binding.due_ms > atomic_load(&engine->put_off_ms);
}

/* Returns true if only requests of hosts given up for their walls are left, and visits that are not due. */
static bool only_walls_are_left(crawl_engine *engine)
{
    int64_t now_ms = cw_engine_now(engine);
    crawl_frontier_stats stats;
    crawl_frontier_binding binding;
    cw_host_walled_queue walled = cw_host_walled_queued(engine->walled, engine->frontier, now_ms);
    if (!walled.requests) /* nearly always: the figures of the frontier take longer */
        return false;
    crawl_frontier_stats_get(engine->frontier, now_ms, &stats);
    crawl_frontier_binding_get(engine->frontier, now_ms, &binding);
    uint64_t dated = engine->config->revisit ? stats.revisits : 0;
    return !stats.leased && stats.queued <= walled.requests + dated &&
           binding.hosts[CRAWL_STANDING_BLOCKED] == walled.hosts && !binding.hosts[CRAWL_STANDING_READY] &&
           !binding.hosts[CRAWL_STANDING_PAUSED] && !binding.hosts[CRAWL_STANDING_BUSY];
}

void cw_engine_waits(crawl_engine *engine)
{
    bool ends_without = !ending_goes_on(engine) && engine->before.revisits;
    bool ends_when_done = engine->config->revisit == CRAWL_REVISIT_DUE && !atomic_load(&engine->expects);
    if (engine->config->shared) /* a visit is due for all processes: their frontier knows */
        return;
    if ((ends_without || ends_when_done) && only_visits_are_left(engine, 0) && (ends_without || nothing_is_due(engine)))
        cw_engine_end(engine, CRAWL_END_DRAINED);
    else if ((ends_when_done || !ending_goes_on(engine)) && only_walls_are_left(engine))
        cw_engine_end(engine, CRAWL_END_DRAINED);
}

bool cw_engine_wants_visit(crawl_engine *engine)
{
    /* Counted from after its lease came until before it ends, so that no other lease is taken for one of these. */
    uint64_t out = atomic_fetch_add(&engine->visits_out, 1) + 1;
    if (ending_goes_on(engine) || !only_visits_are_left(engine, out))
        return true;
    cw_engine_end(engine, CRAWL_END_DRAINED);
    return false;
}
