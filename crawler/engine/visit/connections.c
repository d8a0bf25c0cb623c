/* See connections.h. */
#include "crawler/engine/visit/connections.h"

#include "base/clock.h"
#include "crawler/engine/host/pacing.h"

static void watch(cw_worker *worker)
{
    int64_t now = cw_now_us();
    for (cw_lane_entry *entry; (entry = cw_lane_turned_slow(&worker->lane, now));)
        cw_pacer_slow(worker->engine->pacer, cw_visit_of_lane(entry)->host);
}

bool cw_connections_have_room(cw_worker *worker)
{
    watch(worker);
    return cw_lane_has_room(&worker->lane);
}

/* The hosts that wait behind it come first. */
static void yield(cw_visit *visit)
{
    enum { BEHIND_OTHERS_MS = 5000 };
    crawl_engine *engine = cw_engine_of(visit);
    visit->return_ms = cw_engine_now(engine) + BEHIND_OTHERS_MS;
    cw_pacing_put_off(engine, visit->host, visit->lease.tag & CW_TAG_ROBOTS, BEHIND_OTHERS_MS);
    crawl_fetch_cancel(visit->worker->fetcher, visit->transfer);
}

int64_t cw_connections_yield(cw_worker *worker)
{
    enum { LEAST_MS = 20, MOST_MS = 250 };
    uint64_t waiting = atomic_load_explicit(&worker->engine->hosts_waiting, memory_order_relaxed);
    worker->lane.capacity = atomic_load(&worker->allowed); /* fewer where descriptors are scarce */
    watch(worker);
    for (cw_lane_entry *entry; waiting && (entry = cw_lane_yield(&worker->lane)); waiting--)
        yield(cw_visit_of_lane(entry));
    int64_t next_ms = cw_lane_next_us(&worker->lane, cw_now_us()) / 1000;
    return next_ms < LEAST_MS ? LEAST_MS : next_ms < MOST_MS ? next_ms : MOST_MS;
}
