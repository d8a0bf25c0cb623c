#include "crawler/engine/visit/connections.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "crawler/engine/host/pacing.h"
#include "crawler/engine/render/renders.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/again/retry.h"
#include "crawler/engine/visit/home.h"
#include "crawler/engine/visit/render/render_visit.h"
#include "crawler/engine/visit/visit.h"

static unsigned allowed_now(cw_visit_maker *maker)
{
    enum { STEP_MS = 2000, STEPS = 8 };
    unsigned allowed = atomic_load(&maker->allowed);
    unsigned capacity = atomic_load(&maker->capacity);
    if (allowed >= capacity)
        return capacity;
    if (cw_engine_now(maker->engine) - maker->squeezed_ms < STEP_MS)
        return allowed;
    maker->squeezed_ms = cw_engine_now(maker->engine);
    allowed += allowed / STEPS + 1;
    allowed = allowed < capacity ? allowed : capacity;
    atomic_store(&maker->allowed, allowed);
    return allowed;
}

unsigned cw_visit_connections_allowed(cw_visit_maker *maker)
{
    maker->lane.capacity = allowed_now(maker);
    return maker->lane.capacity;
}

/* If the maker writes an older value into `allowed` at the same moment, allowed_now corrects it: down to the new
 * capacity at once, or up to it gradually. */
void cw_visit_connections_set(cw_visit_maker *maker, unsigned capacity)
{
    atomic_store(&maker->capacity, capacity);
    atomic_store(&maker->allowed, capacity);
}

void cw_visit_connections_squeeze(cw_visit_maker *maker, const char *words)
{
    crawl_engine *engine = maker->engine;
    unsigned running = atomic_load(&maker->running);
    unsigned others = running > 1 ? running - 1 : 1;
    if (others < atomic_load(&maker->allowed))
        atomic_store(&maker->allowed, others);
    maker->squeezed_ms = cw_engine_now(engine);
    if (atomic_fetch_add(&engine->counters.no_socket, 1))
        return;
    crawl_buf line = {0};
    if (!crawl_buf_printf(&line, "%s: using fewer connections for a while; requests without one are tried again",
                          words))
        cw_engine_notice(engine, &line);
    crawl_buf_free(&line);
}

void cw_visit_connections_began(cw_visit *visit)
{
    cw_visit_maker *maker = visit->maker;
    cw_host_lane_enter(&maker->lane, &visit->lane, visit->pass.slow, cw_now_us());
    visit->lane.stays = !cw_visit_retry_is_idempotent(visit->lease.method);
    cw_visit_home_settle(visit);
    atomic_fetch_add_explicit(&maker->running, 1, memory_order_relaxed);
    cw_engine_count(&maker->engine->counters.running, 1);
}

void cw_visit_connections_resumed(cw_visit_maker *maker)
{
    atomic_fetch_add_explicit(&maker->running, 1, memory_order_relaxed);
    cw_engine_count(&maker->engine->counters.running, 1);
}

void cw_visit_connections_leave(cw_visit *visit)
{
    cw_host_lane_leave(&visit->maker->lane, &visit->lane);
}

void cw_visit_connections_ended(cw_visit_maker *maker)
{
    atomic_fetch_sub_explicit(&maker->running, 1, memory_order_relaxed);
    atomic_fetch_sub(&maker->engine->counters.running, 1);
    maker->on_ended(maker->user);
}

static cw_visit *visit_of(cw_host_lane_entry *entry)
{
    return (cw_visit *)((char *)entry - offsetof(cw_visit, lane));
}

/* Finds the requests that have become slow (lane.h). */
static void connections_watch(cw_visit_maker *maker)
{
    int64_t now = cw_now_us();
    for (cw_host_lane_entry *entry; (entry = cw_host_lane_turned_slow(&maker->lane, now));)
        cw_host_pacer_slow(maker->engine->pacer, visit_of(entry)->host);
}

/* Makes the visit come again when its host may be asked. A part is refused if its page cannot wait that long, or would
 * wait in vain. */
static cw_host_admission connections_wait(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    int64_t wait_ms = cw_host_pacing_wait_ms(&visit->pass);
    if (cw_visit_part_is(visit) &&
        (wait_ms > cw_renders_longest_wait_ms(engine->renders) || cw_host_pacing_is_failing(visit->host))) {
        snprintf(visit->pass.words, sizeof visit->pass.words,
                 "its host fails, or is held for longer than a page waits");
        return CW_ADMIT_REFUSE;
    }
    int64_t back_ms = cw_host_pacing_back_ms(&visit->pass, visit->lease.tag & CW_ENGINE_TAG_ROBOTS);
    if (cw_visit_part_is(visit))
        back_ms = cw_least(back_ms, CW_VISIT_PART_MS);
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(engine) + back_ms);
    return CW_ADMIT_WAIT;
}

cw_host_admission cw_visit_connections_admit(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    connections_watch(visit->maker);
    visit->rules = cw_host_pacing_rules(engine, visit->host);
    cw_host_admission admission = cw_host_pacing_admit(engine, visit->host, visit->lease.tag & CW_ENGINE_TAG_ROBOTS,
                                                       cw_host_lane_has_room(&visit->maker->lane), &visit->pass);
    return admission == CW_ADMIT_WAIT ? connections_wait(visit) : admission;
}

/* Cancels a slow request, which comes again after the hosts that wait for its connection. */
static void yield(cw_visit *visit)
{
    enum { BEHIND_OTHERS_MS = 5000 };
    crawl_engine *engine = cw_visit_engine(visit);
    visit->return_ms = cw_engine_now(engine) + BEHIND_OTHERS_MS;
    cw_host_pacing_put_off(engine, visit->host, visit->lease.tag & CW_ENGINE_TAG_ROBOTS, BEHIND_OTHERS_MS);
    crawl_fetch_cancel(visit->maker->fetcher, visit->transfer);
}

int64_t cw_visit_connections_yield(cw_visit_maker *maker)
{
    enum { LEAST_MS = 20, MOST_MS = 250 };
    uint64_t waiting = atomic_load_explicit(&maker->engine->hosts_waiting, memory_order_relaxed);
    connections_watch(maker);
    for (cw_host_lane_entry *entry; waiting && (entry = cw_host_lane_yield(&maker->lane)); waiting--)
        yield(visit_of(entry));
    int64_t next_ms = cw_host_lane_next_us(&maker->lane, cw_now_us()) / 1000;
    return next_ms < LEAST_MS ? LEAST_MS : next_ms < MOST_MS ? next_ms : MOST_MS;
}
