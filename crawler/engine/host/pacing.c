/* What the engine has to do with the pace of hosts: its visits go through the pacer's gate, and the frontier is told of
 * pauses and holds. The frontier's word is a saving, so that nothing is leased that must wait; the gate's is what
 * counts.
 *
 * The pacer lives as long as the process. What must outlive it, Retry-After and Crawl-delay, stands in the notes of
 * sites, in the clock of the frontier, and is told to the pacer when a site is read from its note: a hold crosses from
 * clock to clock in this file alone, as the time that is left of it. */
#include "crawler/engine/host/pacing.h"

#include "base/clock.h"
#include "crawler/engine/engine.h"
#include "crawler/engine/host/host_rules.h"
#include "crawler/engine/host/lane.h"
#include "crawler/engine/host/pacer.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/visit/retry.h"
#include "crawler/engine/visit/visit.h"
#include "crawler/engine/worker.h"

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Nothing that goes back to the frontier waits longer: pauses, backoff with its jitter, retries, and until it is looked
 * at again. A hold that is longer refuses what it stops. */
static int64_t longest_wait_ms(const crawl_config *config)
{
    enum { LOOK_MS = 10 * 1000 }; /* the longest of the pacer's own looks takes 8 s */
    int64_t wait = most(most(config->delay_ms, config->max_delay_ms), most(config->max_crawl_delay_ms, LOOK_MS));
    for (size_t i = 0; i < config->host_count; i++)
        wait = most(wait, config->hosts[i].delay_ms);
    return most(wait, most(config->max_retry_delay_ms, config->max_backoff_ms + config->max_backoff_ms / 4)) + 1;
}

crawl_err cw_pacing_create(crawl_engine *engine)
{
    const crawl_config *config = engine->config;
    engine->opened_us = cw_now_us();
    engine->epoch_us = cw_wall_offset_us(CLOCK_MONOTONIC);
    engine->longest_wait_ms = longest_wait_ms(config);
    cw_pacer_options options = {
        .rules = cw_pace_rules_of(config),
        .per_ip = config->per_ip,
        .per_address = config->per_address,
        .address_pause_us = (int64_t)((double)config->delay_ms * 1000 * config->address_delay),
        .per_address_private = config->per_address_private,
        .per_host = config->per_host,
        .limits = config->host_count > 0,
        .max_hosts = config->max_hosts,
        .seed = (uint64_t)cw_now_us(),
        .resumed = engine->resumed,
        .clock_us = cw_now_us,
    };
    engine->pacer = cw_pacer_create(&options);
    return engine->pacer ? CRAWL_OK : CRAWL_ENOMEM;
}

crawl_error_class cw_pacing_class(const cw_pass *pass)
{
    return pass->refused_by == CW_HOLD_RETRY_AFTER ? CRAWL_CLASS_RETRY_AFTER : CRAWL_CLASS_GIVEN_UP;
}

static int64_t to_ms(int64_t us)
{
    return us / 1000 + (us % 1000 > 0);
}

static void set_pause(crawl_engine *engine, crawl_slice origin, const cw_pacer_effect *effect)
{
    if (!effect->pause_changed)
        return;
    int64_t pause_ms = to_ms(effect->pause_us);
    crawl_err err = crawl_frontier_set_pause(
        engine->frontier, origin, pause_ms == engine->config->delay_ms ? -1 : pause_ms, cw_engine_now(engine));
    if (err)
        cw_engine_fail(engine, err, "the pause of a host cannot be set");
}

void cw_pacing_crawl_delay(crawl_engine *engine, crawl_slice origin, double seconds)
{
    double most_ms = (double)engine->config->max_crawl_delay_ms;
    double asked_ms = seconds * 1000;
    int64_t delay_ms = asked_ms <= 0 ? 0 : (int64_t)(asked_ms < most_ms ? asked_ms : most_ms);
    cw_pacer_effect effect = cw_pacer_crawl_delay(engine->pacer, origin, delay_ms * 1000);
    set_pause(engine, origin, &effect);
}

/* What another process has kept of the host. */
static void recall(crawl_engine *engine, crawl_slice origin)
{
    cw_site_pace pace;
    if (!engine->config->state)
        return;
    crawl_err err = cw_sites_recalled(engine->sites, origin, &pace);
    if (err == CRAWL_ABSENT)
        return;
    if (err) {
        cw_engine_fail(engine, err, "what is kept of a host cannot be read");
        return;
    }
    if (engine->config->robots)
        cw_pacing_crawl_delay(engine, origin, pace.crawl_delay);
    int64_t left_ms = pace.hold_until_ms - cw_engine_now(engine);
    if (left_ms > 0)
        cw_pacer_hold(engine->pacer, origin, left_ms * 1000);
}

/* The frontier keeps it with the host, where another process may have set another. */
static void set_share(crawl_engine *engine, crawl_slice origin, uint32_t share)
{
    crawl_err err = crawl_frontier_set_share(engine->frontier, origin, share, cw_engine_now(engine));
    if (err)
        cw_engine_fail(engine, err, "the share of a host cannot be set");
}

/* Where hosts may have sections of their own, or had in a run before: once for each, before anything else is asked of
 * the pacer. Its frontier gives no second lease of a host while one has not been started, so that none comes past
 * this. */
static void configure(crawl_engine *engine, crawl_slice origin)
{
    bool may_differ = engine->config->host_count || engine->resumed;
    if (!may_differ || cw_pacer_is_configured(engine->pacer, origin))
        return;
    const cw_host_rules *rules = cw_host_book_find(engine->hosts, origin);
    if (!rules) /* no memory: the request will say so */
        return;
    set_share(engine, origin, rules->share);
    cw_pacer_configure(engine->pacer, origin, rules->delay_ms * 1000, rules->per_host);
}

/* Of connections, among the hosts that have something queued. */
static uint32_t even_share(crawl_engine *engine)
{
    uint64_t hosts = atomic_load_explicit(&engine->hosts_queued, memory_order_relaxed);
    uint64_t share = engine->descriptors.connections / (hosts ? hosts : 1);
    return share ? (uint32_t)share : 1;
}

void cw_pacing_watch(cw_worker *worker)
{
    int64_t now = cw_now_us();
    for (cw_lane_entry *entry; (entry = cw_lane_turned_slow(&worker->lane, now));)
        cw_pacer_slow(worker->engine->pacer, cw_visit_of_lane(entry)->lease.origin);
}

/* Of all that is queued for the host; its robots.txt is asked for under a block of its own. */
static void put_off(cw_visit *visit, int64_t wait_ms)
{
    crawl_engine *engine = cw_engine_of(visit);
    int64_t now = cw_engine_now(engine);
    int64_t until = now + wait_ms;
    int64_t held = cw_pacing_block(engine, visit->lease.origin, now);
    if (visit->lease.tag & CW_TAG_ROBOTS)
        return;
    crawl_err err = crawl_frontier_block(engine->frontier, visit->lease.origin, held > until ? held : until, now);
    if (err)
        cw_engine_fail(engine, err, "a host cannot be put off");
}

/* The hosts that wait behind it come first. */
static void yield(cw_visit *visit)
{
    enum { BEHIND_OTHERS_MS = 5000 };
    visit->return_ms = cw_engine_now(cw_engine_of(visit)) + BEHIND_OTHERS_MS;
    put_off(visit, BEHIND_OTHERS_MS);
    crawl_fetch_cancel(visit->worker->fetcher, visit->transfer);
}

int64_t cw_pacing_yield(cw_worker *worker)
{
    enum { LEAST_MS = 20, MOST_MS = 250 };
    uint64_t waiting = atomic_load_explicit(&worker->engine->hosts_waiting, memory_order_relaxed);
    worker->lane.capacity = atomic_load(&worker->allowed); /* fewer where descriptors are scarce */
    cw_pacing_watch(worker);
    for (cw_lane_entry *entry; waiting && (entry = cw_lane_yield(&worker->lane)); waiting--)
        yield(cw_visit_of_lane(entry));
    int64_t next_ms = cw_lane_next_us(&worker->lane, cw_now_us()) / 1000;
    return next_ms < LEAST_MS ? LEAST_MS : next_ms < MOST_MS ? next_ms : MOST_MS;
}

static cw_admission admit(cw_visit *visit)
{
    crawl_engine *engine = cw_engine_of(visit);
    cw_lane *lane = &visit->worker->lane;
    cw_pacing_watch(visit->worker);
    if (!cw_pacer_has_share(engine->pacer, visit->lease.origin, even_share(engine), cw_lane_has_room(lane),
                            &visit->pass)) {
        put_off(visit, to_ms(visit->pass.wait_us));
        return CW_ADMIT_WAIT;
    }
    return cw_pacer_admit(engine->pacer, visit->lease.origin, &visit->pass);
}

cw_admission cw_pacing_admit(cw_visit *visit)
{
    configure(cw_engine_of(visit), visit->lease.origin);
    recall(cw_engine_of(visit), visit->lease.origin);
    cw_admission admission = admit(visit);
    if (admission == CW_ADMIT_WAIT)
        cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(cw_engine_of(visit)) + to_ms(visit->pass.wait_us));
    return admission;
}

bool cw_pacing_start(cw_visit *visit)
{
    crawl_fetcher *fetcher = visit->worker->fetcher;
    crawl_slice ip = crawl_fetch_address(fetcher, visit->transfer);
    if (cw_pacer_start(cw_engine_of(visit)->pacer, visit->lease.origin, ip, &visit->pass) == CRAWL_OK)
        return true;
    visit->return_ms = cw_engine_now(cw_engine_of(visit)) + to_ms(visit->pass.wait_us);
    crawl_fetch_cancel(fetcher, visit->transfer);
    return false;
}

/* A hold that is longer than a request waits is no block: what is queued is refused then, by cw_sites_check or by the
 * gate. */
static int64_t block_of(crawl_engine *engine, int64_t hold_us, cw_hold_by by, int64_t now_ms)
{
    int64_t hold_ms = to_ms(hold_us);
    bool waits = by == CW_HOLD_BACKOFF || (by == CW_HOLD_RETRY_AFTER && hold_ms <= engine->config->max_retry_delay_ms);
    return waits ? now_ms + hold_ms : 0;
}

int64_t cw_pacing_block(crawl_engine *engine, crawl_slice origin, int64_t now_ms)
{
    cw_hold_by by;
    recall(engine, origin);
    int64_t held_us = cw_pacer_held(engine->pacer, origin, &by);
    return block_of(engine, held_us, by, now_ms);
}

static void set_block(crawl_engine *engine, crawl_slice origin, const cw_pacer_effect *effect)
{
    int64_t now = cw_engine_now(engine);
    int64_t until = block_of(engine, effect->hold_us, effect->hold_by, now);
    if (!until && effect->hold_by != CW_HOLD_GIVEN_UP)
        return;
    crawl_err err = crawl_frontier_block(engine->frontier, origin, until, now);
    if (err)
        cw_engine_fail(engine, err, "a host cannot be blocked");
}

/* For the next process. The frontier's clock rounds down. */
static void keep_hold(crawl_engine *engine, crawl_slice origin, int64_t retry_after_us)
{
    if (retry_after_us <= 0 || !engine->config->state)
        return;
    crawl_err err = cw_sites_hold(engine->sites, origin, cw_engine_now(engine) + 1 + to_ms(retry_after_us));
    if (err)
        cw_engine_fail(engine, err, "what a host asks for cannot be kept");
}

cw_pacer_effect cw_pacing_done(cw_visit *visit, const crawl_response *response, int64_t *retry_after_us)
{
    crawl_engine *engine = cw_engine_of(visit);
    const crawl_lease *lease = &visit->lease;
    cw_retry_verdict verdict =
        cw_retry_decide(engine->config, response, lease->method, cw_visit_left(visit), lease->attempt, cw_wall_ms(), 0);
    *retry_after_us = verdict.retry_after_ms < 0 ? -1 : verdict.retry_after_ms * 1000;
    cw_pacer_effect effect = cw_pacer_done(engine->pacer, lease->origin, response, *retry_after_us, &visit->pass);
    keep_hold(engine, lease->origin, *retry_after_us);
    set_pause(engine, lease->origin, &effect);
    /* While a robots.txt is asked for the host is blocked until it is there. */
    if (!(lease->tag & CW_TAG_ROBOTS) && response->error != CRAWL_FETCH_CANCELLED)
        set_block(engine, lease->origin, &effect);
    return effect;
}
