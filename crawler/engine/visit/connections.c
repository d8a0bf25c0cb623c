/* See connections.h. */
#include "crawler/engine/visit/connections.h"

#include "base/clock.h"
#include "crawler/engine/host/pacing.h"
#include "crawler/engine/tags.h"

unsigned cw_connections_allowed(cw_visitor *visitor)
{
    enum { STEP_MS = 2000, STEPS = 8 };
    unsigned allowed = atomic_load(&visitor->allowed);
    if (allowed == visitor->capacity || cw_engine_now(visitor->engine) - visitor->squeezed_ms < STEP_MS)
        return allowed;
    visitor->squeezed_ms = cw_engine_now(visitor->engine);
    allowed += allowed / STEPS + 1;
    allowed = allowed < visitor->capacity ? allowed : visitor->capacity;
    atomic_store(&visitor->allowed, allowed);
    return allowed;
}

void cw_connections_squeeze(cw_visitor *visitor, const char *words)
{
    crawl_engine *engine = visitor->engine;
    unsigned others = visitor->running > 1 ? visitor->running - 1 : 1;
    if (others < atomic_load(&visitor->allowed))
        atomic_store(&visitor->allowed, others);
    visitor->squeezed_ms = cw_engine_now(engine);
    if (atomic_fetch_add(&engine->counters.no_socket, 1))
        return;
    crawl_buf line = {0};
    if (!crawl_buf_printf(&line, "%s: fewer connections are used for a while, and requests without one come again",
                          words))
        cw_engine_notice(engine, &line);
    crawl_buf_free(&line);
}

void cw_connections_began(cw_visit *visit)
{
    cw_visitor *visitor = visit->visitor;
    cw_lane_enter(&visitor->lane, &visit->lane, visit->pass.slow, cw_now_us());
    visitor->running++;
    cw_count(&visitor->engine->counters.running, 1);
}

void cw_connections_leave(cw_visit *visit)
{
    cw_lane_leave(&visit->visitor->lane, &visit->lane);
}

void cw_connections_ended(cw_visitor *visitor)
{
    visitor->running--;
    atomic_fetch_sub(&visitor->engine->counters.running, 1);
    visitor->on_ended(visitor->user);
}

static cw_visit *visit_of(cw_lane_entry *entry)
{
    return (cw_visit *)((char *)entry - offsetof(cw_visit, lane));
}

static void watch(cw_visitor *visitor)
{
    int64_t now = cw_now_us();
    for (cw_lane_entry *entry; (entry = cw_lane_turned_slow(&visitor->lane, now));)
        cw_pacer_slow(visitor->engine->pacer, visit_of(entry)->host);
}

bool cw_connections_have_room(cw_visitor *visitor)
{
    watch(visitor);
    return cw_lane_has_room(&visitor->lane);
}

/* The hosts that wait behind it come first. */
static void yield(cw_visit *visit)
{
    enum { BEHIND_OTHERS_MS = 5000 };
    crawl_engine *engine = cw_visit_engine(visit);
    visit->return_ms = cw_engine_now(engine) + BEHIND_OTHERS_MS;
    cw_pacing_put_off(engine, visit->host, visit->lease.tag & CW_TAG_ROBOTS, BEHIND_OTHERS_MS);
    crawl_fetch_cancel(visit->visitor->fetcher, visit->transfer);
}

int64_t cw_connections_yield(cw_visitor *visitor)
{
    enum { LEAST_MS = 20, MOST_MS = 250 };
    uint64_t waiting = atomic_load_explicit(&visitor->engine->hosts_waiting, memory_order_relaxed);
    visitor->lane.capacity = atomic_load(&visitor->allowed); /* fewer where descriptors are scarce */
    watch(visitor);
    for (cw_lane_entry *entry; waiting && (entry = cw_lane_yield(&visitor->lane)); waiting--)
        yield(visit_of(entry));
    int64_t next_ms = cw_lane_next_us(&visitor->lane, cw_now_us()) / 1000;
    return next_ms < LEAST_MS ? LEAST_MS : next_ms < MOST_MS ? next_ms : MOST_MS;
}
