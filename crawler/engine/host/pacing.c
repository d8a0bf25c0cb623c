/* The engine and the pace of hosts: visits pass through the pacer's gate, and the frontier is told of pauses and holds.
 * Pauses told to the frontier save leases that would have to wait; the gate decides.
 *
 * The pacer lives as long as the process. Retry-After and Crawl-delay must outlive it: they stand in the notes of
 * sites, with times of the frontier's clock, and the pacer is told of them when a site is read from its note. Only this
 * file converts holds between the two clocks, as the time that is left. */
#include "crawler/engine/host/pacing.h"

#include "base/bytes.h"
#include "config/config_values.h"
#include "crawler/engine/host/probes.h"
#include "crawler/engine/host/walled.h"

#include "base/clock.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/host/handover.h"
#include "crawler/engine/host/rules/host_rules.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/host/steer.h"
#include "crawler/engine/parts.h"

/* Returns the longest wait of a request that goes back to the frontier: for a pause, for a backoff with its jitter, for
 * a retry, or for the gate's next check. During a longer hold requests are refused. */
static int64_t longest_wait_ms(const crawl_config *config)
{
    enum { LOOK_MS = 10 * 1000 }; /* the pacer's own checks are at most 8 s apart if few hosts wait */
    int64_t wait =
        cw_most(cw_most(config->delay_ms, config->max_delay_ms), cw_most(config->max_crawl_delay_ms, LOOK_MS));
    for (size_t i = 0; i < config->host_count; i++)
        wait = cw_most(wait, config->hosts[i].delay_ms);
    wait += wait * config->random_delay / 100;
    return cw_most(wait, cw_most(config->max_retry_delay_ms, config->max_backoff_ms + config->max_backoff_ms / 4)) + 1;
}

void cw_host_pacing_allow_wait(crawl_engine *engine, int64_t wait_ms)
{
    int_fast64_t longest = atomic_load(&engine->longest_wait_ms);
    while (longest <= wait_ms && !atomic_compare_exchange_weak(&engine->longest_wait_ms, &longest, wait_ms + 1))
        ;
}

crawl_err cw_host_pacing_create(crawl_engine *engine)
{
    const crawl_config *config = engine->config;
    engine->opened_us = cw_now_us();
    engine->epoch_us = cw_wall_offset_us(CLOCK_MONOTONIC);
    atomic_store(&engine->longest_wait_ms, longest_wait_ms(config));
    cw_host_pacer_options options = {
        .rules = cw_host_pace_rules_of(config),
        .per_ip = config->per_ip,
        .per_address = config->per_address,
        .address_delay = config->address_delay,
        .per_address_private = config->per_address_private,
        .per_host = config->per_host,
        .limits = config->host_count > 0,
        .max_hosts = config->shared ? 0 : config->max_hosts,
        .seed = (uint64_t)cw_now_us(),
        .resumed = engine->resumed,
        .clock_us = cw_now_us,
        .shared = config->shared ? engine->frontier : NULL,
    };
    engine->pacer = cw_host_pacer_create(&options);
    engine->walled = cw_host_walled_create();
    engine->probes = config->soft_404 ? cw_host_probes_create() : NULL;
    return engine->pacer && engine->walled && (engine->probes || !config->soft_404) ? CRAWL_OK : CRAWL_ENOMEM;
}

crawl_error_class cw_host_pacing_class(const cw_host_pass *pass)
{
    return pass->refused_by == CW_HOLD_RETRY_AFTER ? CRAWL_CLASS_RETRY_AFTER : CRAWL_CLASS_GIVEN_UP;
}

bool cw_host_pacing_is_walled(cw_host_record *host)
{
    cw_host_record_lock(host);
    bool is_walled = host->gate.opened && host->gate.pace.given_up && (host->gate.pace.walls & 1);
    cw_host_record_unlock(host);
    return is_walled;
}

bool cw_host_pacing_is_failing(cw_host_record *host)
{
    enum { IN_A_ROW = 2 };
    cw_host_record_lock(host);
    const cw_host_pace *pace = &host->gate.pace;
    bool is_unknown = !pace->had_page && !host->gate.answers && pace->last_error < 0;
    bool is_failing = host->gate.opened && pace->failures >= (is_unknown ? 1u : IN_A_ROW);
    cw_host_record_unlock(host);
    return is_failing;
}

static int64_t to_ms(int64_t us)
{
    return us / 1000 + (us % 1000 > 0);
}

/* Returns milliseconds to add to the frontier's time: never too few, although that clock rounds down. A host leased a
 * fraction of a millisecond too early would have its whole queue leased and returned in that time. */
static int64_t wait_of(int64_t us)
{
    return to_ms(us) + 1;
}

int64_t cw_host_pacing_wait_ms(const cw_host_pass *pass)
{
    return wait_of(pass->wait_us);
}

/* A hold blocks its host in the frontier. A date of the request itself would outlive the hold and the process. Only
 * robots.txt is leased from a blocked host, so it keeps its date. */
int64_t cw_host_pacing_back_ms(const cw_host_pass *pass, bool for_robots)
{
    return wait_of(pass->is_held && !for_robots ? cw_least(pass->wait_us, CW_HOST_BLOCKED_US) : pass->wait_us);
}

static crawl_err tell_pause(crawl_engine *engine, cw_host_record *host, const cw_host_pacer_effect *effect)
{
    int64_t pause_ms = to_ms(effect->pause_us);
    if (!effect->pause_changed)
        return CRAWL_OK;
    return crawl_frontier_set_pause(engine->frontier, cw_host_record_origin(host),
                                    pause_ms == engine->config->delay_ms ? -1 : pause_ms, cw_engine_now(engine));
}

static void set_pause(crawl_engine *engine, cw_host_record *host, const cw_host_pacer_effect *effect)
{
    crawl_err err = tell_pause(engine, host, effect);
    if (err)
        cw_engine_fail(engine, err, "the pause of a host cannot be set");
}

crawl_err cw_host_pacing_set_delay(crawl_engine *engine, cw_host_record *host, int64_t delay_ms)
{
    crawl_err err = cw_host_steer_delay(host, delay_ms < 0 ? -1 : delay_ms * 1000);
    if (err)
        return err;
    cw_host_pacer_effect effect = cw_host_pacer_look(engine->pacer, host);
    return tell_pause(engine, host, &effect);
}

void cw_host_pacing_crawl_delay(crawl_engine *engine, cw_host_record *host, double seconds)
{
    double most_ms = (double)engine->config->max_crawl_delay_ms;
    double asked_ms = seconds * 1000;
    int64_t delay_ms = asked_ms <= 0 ? 0 : (int64_t)(asked_ms < most_ms ? asked_ms : most_ms);
    cw_host_pacer_effect effect = cw_host_pacer_crawl_delay(engine->pacer, host, delay_ms * 1000);
    set_pause(engine, host, &effect);
}

/* Takes over the hold and the pause that another process has kept for the host. */
static void pacing_recall(crawl_engine *engine, cw_host_record *host)
{
    cw_host_site_pace pace;
    if (!cw_engine_is_kept(engine) || atomic_load_explicit(&host->is_told, memory_order_relaxed))
        return;
    if (cw_host_handover_take(engine, host)) {
        const cw_host_pacer_effect effect = cw_host_pacer_look(engine->pacer, host);
        set_pause(engine, host, &effect);
    }
    crawl_err err = cw_host_sites_recalled(engine->sites, host, &pace);
    if (err == CRAWL_ABSENT)
        return;
    if (err) {
        cw_engine_fail(engine, err, "cannot read the stored record of a host");
        return;
    }
    if (engine->config->robots)
        cw_host_pacing_crawl_delay(engine, host, pace.crawl_delay);
    int64_t left_ms = pace.hold_until_ms - cw_engine_now(engine);
    if (left_ms > 0)
        cw_host_pacer_hold(engine->pacer, host, left_ms * 1000);
}

/* Tells the frontier even of a share of 1: another process may have set a different one, which is kept with the
 * host. */
static void pacing_set_share(crawl_engine *engine, cw_host_record *host, uint32_t share)
{
    crawl_err err =
        crawl_frontier_set_share(engine->frontier, cw_host_record_origin(host), share, cw_engine_now(engine));
    if (err)
        cw_engine_fail(engine, err, "the share of a host cannot be set");
}

/* Shares differ if hosts have sections of their own, or had them in an earlier run. The frontier gives no second lease
 * of a host before the first one has started, so no request leaves before its share is set. */
const cw_host_rules *cw_host_pacing_rules(crawl_engine *engine, cw_host_record *host)
{
    bool may_differ = engine->config->host_count || engine->resumed;
    bool first;
    const cw_host_rules *rules = cw_host_record_rules(host, engine->hosts, &first);
    if (rules && first && may_differ)
        pacing_set_share(engine, host, rules->share);
    return rules;
}

/* Returns how many connections each host with something queued gets if all get the same number. */
static uint32_t even_share(crawl_engine *engine)
{
    uint64_t hosts = atomic_load_explicit(&engine->hosts_queued, memory_order_relaxed);
    uint64_t share = atomic_load_explicit(&engine->connections, memory_order_relaxed) / (hosts ? hosts : 1);
    return share ? (uint32_t)share : 1;
}

void cw_host_pacing_put_off(crawl_engine *engine, cw_host_record *host, bool for_robots, int64_t wait_ms)
{
    if (for_robots)
        return;
    int64_t now = cw_engine_now(engine);
    int64_t until = now + wait_ms;
    int64_t held = cw_host_pacing_block(engine, host, now);
    crawl_err err =
        crawl_frontier_block(engine->frontier, cw_host_record_origin(host), held > until ? held : until, now);
    if (err)
        cw_engine_fail(engine, err, "cannot postpone a host");
}

cw_host_admission cw_host_pacing_admit(crawl_engine *engine, cw_host_record *host, bool for_robots, bool has_room,
                                       cw_host_pass *pass)
{
    const cw_host_claim claim = {
        .share = even_share(engine), .connections = atomic_load(&engine->connections), .has_room = has_room};
    pacing_recall(engine, host);
    cw_host_admission admission = cw_host_pacer_admit(engine->pacer, host, &claim, pass);
    if (pass->no_share) {
        cw_host_pacing_allow_wait(engine, cw_host_pacing_wait_ms(pass));
        cw_host_pacing_put_off(engine, host, for_robots, cw_host_pacing_wait_ms(pass));
    }
    return admission;
}

/* Returns until when this hold blocks the host; 0: it does not. A hold that requests do not wait for is no block:
 * cw_host_sites_check or the gate refuses them. */
static int64_t block_of(crawl_engine *engine, int64_t hold_us, cw_host_hold_by by, int64_t now_ms)
{
    int64_t hold_ms = to_ms(hold_us);
    bool waits = by == CW_HOLD_BACKOFF || by == CW_HOLD_WALL || by == CW_HOLD_QUOTA ||
                 (by == CW_HOLD_RETRY_AFTER && hold_ms <= engine->config->max_retry_delay_ms);
    return waits ? now_ms + wait_of(hold_us) : 0;
}

int64_t cw_host_pacing_block(crawl_engine *engine, cw_host_record *host, int64_t now_ms)
{
    cw_host_hold_by by;
    pacing_recall(engine, host);
    if (cw_host_steer_is_blocked(host))
        return CRAWL_FOREVER;
    int64_t held_us = cw_host_pacer_held(engine->pacer, host, &by);
    return block_of(engine, held_us, by, now_ms);
}

static void pacing_set_block(crawl_engine *engine, cw_host_record *host, const cw_host_pacer_effect *effect)
{
    int64_t now = cw_engine_now(engine);
    int64_t until = effect->is_blocked ? CRAWL_FOREVER : block_of(engine, effect->hold_us, effect->hold_by, now);
    if (!until && effect->hold_by != CW_HOLD_GIVEN_UP)
        return;
    crawl_err err = crawl_frontier_block(engine->frontier, cw_host_record_origin(host), until, now);
    if (err)
        cw_engine_fail(engine, err, "a host cannot be blocked");
}

/* Keeps the hold that the host has asked for, for the next process. */
static void keep_hold(crawl_engine *engine, cw_host_record *host, int64_t hold_us)
{
    if (hold_us <= 0 || !cw_engine_is_kept(engine))
        return;
    crawl_err err = cw_host_sites_hold(engine->sites, host, cw_engine_now(engine) + wait_of(hold_us));
    if (err)
        cw_engine_fail(engine, err, "cannot store the hold of a host");
}

cw_host_pacer_effect cw_host_pacing_done(crawl_engine *engine, cw_host_record *host, bool for_robots,
                                         const crawl_response *response, int64_t retry_after_us,
                                         const cw_host_quota *quota, cw_host_pass *pass)
{
    cw_host_pacer_effect effect = cw_host_pacer_done(engine->pacer, host, response, retry_after_us, quota, pass);
    bool is_spent = quota->spent_us && effect.hold_by == CW_HOLD_QUOTA;
    keep_hold(engine, host, is_spent ? effect.hold_us : retry_after_us);
    set_pause(engine, host, &effect);
    /* While its robots.txt is asked for, the host is blocked until that is there. */
    if (!for_robots && response->error != CRAWL_FETCH_CANCELLED)
        pacing_set_block(engine, host, &effect);
    return effect;
}
