#include "crawler/engine/host/pacer.h"

#include "base/bytes.h"
#include "crawler/engine/host/addresses.h"
#include "crawler/engine/host/lane.h"

#include <stdlib.h>

#define UNTOLD (-1) /* another process may have told the frontier any pause */

enum {
    PUT_OFF_US = 250 * 1000, /* until the next check whether a host has a share of connections; doubled */
    PUT_OFF_DOUBLED = 5,     /* this many times: up to 8 s */
    TURN_US = 250 * 1000,    /* if many wait, each connection has one check in this time */
    KNOWN_ANSWERS = 2        /* after this many answers, for its robots.txt and a page, a host is no longer new */
};

struct cw_host_pacer {
    cw_host_pacer_options options;
    atomic_int_fast64_t delay_us; /* replaces options.rules.delay_us */
    cw_host_addresses *addresses;
    atomic_int_fast64_t turn_us; /* the last moment given to a host that was put off */
    int64_t asked_us;            /* until when another process may have asked any host; CW_HOST_PACE_NEVER: none did */
};

cw_host_pacer *cw_host_pacer_create(const cw_host_pacer_options *options)
{
    cw_host_pacer *pacer = calloc(1, sizeof *pacer);
    if (!pacer)
        return NULL;
    pacer->options = *options;
    atomic_init(&pacer->delay_us, options->rules.delay_us);
    pacer->asked_us = options->resumed ? options->clock_us() : CW_HOST_PACE_NEVER;
    pacer->addresses = cw_host_addresses_create(&pacer->options, pacer->asked_us);
    if (pacer->addresses)
        return pacer;
    cw_host_pacer_free(pacer);
    return NULL;
}

void cw_host_pacer_free(cw_host_pacer *pacer)
{
    if (!pacer)
        return;
    cw_host_addresses_free(pacer->addresses);
    free(pacer);
}

static void open_gate(const cw_host_pacer *pacer, cw_host_record *host)
{
    cw_host_gate *gate = &host->gate;
    /* Hosts differ in their jitter, and each keeps its own from run to run with one seed. */
    cw_host_pace_init(&gate->pace, pacer->options.seed ^ cw_fnv1a(cw_host_record_origin(host)));
    gate->pace.started_us = pacer->asked_us;
    gate->told_us = pacer->options.resumed ? UNTOLD : pacer->options.rules.delay_us;
    gate->opened = true;
}

/* ---- configuration ---- */

cw_host_pace_rules cw_host_pacer_rules(const cw_host_pacer *pacer, const cw_host_record *host)
{
    const cw_host_rules *own = atomic_load(&host->rules);
    cw_host_pace_rules rules = pacer->options.rules;
    rules.delay_us = own && own->delay_ms >= 0 ? own->delay_ms * 1000 : atomic_load(&pacer->delay_us);
    if (host->gate.has_delay)
        rules.delay_us = host->gate.delay_us;
    return rules;
}

uint32_t cw_host_pacer_limit(const cw_host_pacer *pacer, const cw_host_record *host, int64_t now_us)
{
    const cw_host_rules *own = atomic_load(&host->rules);
    uint32_t limit = own ? own->per_host : pacer->options.per_host;
    uint32_t told = cw_host_pace_at_once(&host->gate.pace, now_us);
    return told && told < limit ? told : limit;
}

/* ---- the gate ---- */

/* Locks the host, and returns with the lock held. NULL: the host is beyond max_hosts; it keeps to the frontier's pause,
 * and nothing else is known of its pace. */
static cw_host_gate *pacer_enter(const cw_host_pacer *pacer, cw_host_record *host)
{
    cw_host_record_lock(host);
    if (host->is_beyond)
        return NULL;
    if (!host->gate.opened)
        open_gate(pacer, host);
    return &host->gate;
}

/* Reads the clock. If is_limited, takes the lock of the addresses first, which pacer_end() releases. */
static int64_t pacer_begin(cw_host_pacer *pacer, bool is_limited)
{
    if (is_limited)
        cw_host_addresses_lock(pacer->addresses);
    return pacer->options.clock_us();
}

static void pacer_end(cw_host_pacer *pacer, bool is_limited)
{
    if (is_limited)
        cw_host_addresses_unlock(pacer->addresses);
}

/* Returns true if one more request of the host may be under way. False: the host is blocked or at its limit until at
 * least *until. */
static bool has_turn(const cw_host_pacer *pacer, const cw_host_record *host, int64_t now, int64_t *until)
{
    if (host->gate.blocked) {
        *until = now + CW_HOST_BLOCKED_US;
        return false;
    }
    bool may_differ = pacer->options.limits || host->gate.pace.at_once;
    if (!may_differ || host->gate.running < cw_host_pacer_limit(pacer, host, now))
        return true;
    *until = now + CW_HOST_LOOK_AGAIN_US;
    return false;
}

static cw_host_admission pacer_admit(const cw_host_pacer *pacer, cw_host_record *host, int64_t now, cw_host_pass *pass)
{
    const cw_host_pace_rules rules = cw_host_pacer_rules(pacer, host);
    cw_host_gate *gate = &host->gate;
    int64_t until = now;
    cw_host_admission admission = cw_host_pace_admit(&gate->pace, &rules, now, &until);
    pass->pause_us = cw_host_pace_pause(&gate->pace, &rules, &pass->by);
    pass->limit = cw_host_pacer_limit(pacer, host, now);
    bool goes = admission == CW_ADMIT_GO || admission == CW_ADMIT_PROBE;
    bool waits = goes && (!has_turn(pacer, host, now, &until) ||
                          !cw_host_addresses_admit(pacer->addresses, host, pass->limit, pass->pause_us, now, &until));
    if (waits) {
        if (admission == CW_ADMIT_PROBE)
            cw_host_pace_unasked(&gate->pace);
        admission = CW_ADMIT_WAIT;
    }
    pass->probe = admission == CW_ADMIT_PROBE;
    pass->wait_us = until - now;
    pass->is_held = cw_host_pace_held(&gate->pace, now) > 0;
    pass->slow = gate->slow;
    pass->counted = admission == CW_ADMIT_GO || admission == CW_ADMIT_PROBE;
    gate->running += pass->counted;
    pass->refused_by = admission == CW_ADMIT_REFUSE ? cw_host_pace_refused_by(&gate->pace, &rules, now) : CW_HOLD_NONE;
    if (pass->refused_by)
        cw_host_pace_say_refused(&gate->pace, pass->refused_by, until - now, pass->words, sizeof pass->words);
    return admission;
}

static void uncount(cw_host_gate *gate, cw_host_pass *pass)
{
    gate->running -= pass->counted;
    pass->counted = false;
}

static bool has_share(const cw_host_gate *gate, const cw_host_claim *claim)
{
    bool is_new = gate->answers < KNOWN_ANSWERS;
    if (gate->pace.given_up || (!is_new && !gate->slow))
        return true;
    return gate->running < claim->share && (claim->has_room || !gate->slow);
}

/* Returns how long the host waits if all hosts without a share are looked at in turn. If they were looked at together,
 * connections that become free meanwhile would stay idle. */
static int64_t pacer_turn(cw_host_pacer *pacer, const cw_host_claim *claim)
{
    int64_t now = pacer->options.clock_us();
    int64_t apart_us = TURN_US / claim->connections;
    int64_t last = atomic_load(&pacer->turn_us);
    while (!atomic_compare_exchange_weak(&pacer->turn_us, &last, cw_most(last + apart_us, now)))
        ;
    return cw_most(last + apart_us, now) - now;
}

static void pacer_put_off(cw_host_pacer *pacer, cw_host_gate *gate, const cw_host_claim *claim, cw_host_pass *pass)
{
    pass->no_share = true;
    pass->wait_us = cw_most((int64_t)PUT_OFF_US << gate->put_off, pacer_turn(pacer, claim));
    gate->put_off += gate->put_off < PUT_OFF_DOUBLED;
}

static cw_host_admission admit_now(cw_host_pacer *pacer, cw_host_record *host, cw_host_pass *pass)
{
    bool is_limited = cw_host_addresses_concern(host);
    host->gate.put_off = 0;
    int64_t now = pacer_begin(pacer, is_limited);
    cw_host_admission admission = pacer_admit(pacer, host, now, pass);
    pass->admitted_us = now;
    pacer_end(pacer, is_limited);
    return admission;
}

cw_host_admission cw_host_pacer_admit(cw_host_pacer *pacer, cw_host_record *host, const cw_host_claim *claim,
                                      cw_host_pass *pass)
{
    cw_host_admission admission = CW_ADMIT_GO;
    *pass = (cw_host_pass){.pause_us = pacer->options.rules.delay_us, .limit = pacer->options.per_host};
    cw_host_gate *gate = pacer_enter(pacer, host);
    if (!gate) {
        pass->admitted_us = pacer->options.clock_us();
    } else if (!claim || has_share(gate, claim)) {
        admission = admit_now(pacer, host, pass);
    } else {
        pacer_put_off(pacer, gate, claim, pass);
        admission = CW_ADMIT_WAIT;
    }
    cw_host_record_unlock(host);
    return admission;
}

void cw_host_pacer_slow(cw_host_pacer *pacer, cw_host_record *host)
{
    cw_host_gate *gate = pacer_enter(pacer, host);
    if (gate)
        gate->slow = true;
    cw_host_record_unlock(host);
}

/* Returns true if the request must stay because its host is held or blocked; sets pass->wait_us then. */
static bool pacer_stays(const cw_host_pacer *pacer, const cw_host_record *host, int64_t now, cw_host_pass *pass)
{
    const cw_host_gate *gate = &host->gate;
    const cw_host_pace_rules rules = cw_host_pacer_rules(pacer, host);
    int64_t held_us = cw_host_pace_held(&gate->pace, now);
    pass->is_held = held_us > 0;
    if (!held_us && !gate->blocked)
        return false;
    pass->wait_us = !held_us ? CW_HOST_BLOCKED_US : cw_host_pace_refused_by(&gate->pace, &rules, now) ? 0 : held_us;
    return true;
}

/* Lets the request leave if its host and its address still allow that. ip: empty if the address has no limit. */
static crawl_err pacer_start(cw_host_pacer *pacer, cw_host_record *host, crawl_slice ip, int64_t now,
                             cw_host_pass *pass)
{
    cw_host_gate *gate = &host->gate;
    pass->wait_us = 0;
    if (pacer_stays(pacer, host, now, pass) ||
        !cw_host_addresses_start(pacer->addresses, host, pass->limit, ip, now, pass))
        return CRAWL_AGAIN;
    cw_host_pace_started(&gate->pace, now);
    pass->seq = ++gate->asked;
    return CRAWL_OK;
}

crawl_err cw_host_pacer_start(cw_host_pacer *pacer, cw_host_record *host, crawl_slice ip, cw_host_pass *pass)
{
    bool is_limited = cw_host_addresses_limit(pacer->addresses, host, ip);
    const cw_host_gate *gate = pacer_enter(pacer, host);
    int64_t now = pacer_begin(pacer, is_limited);
    crawl_err err = gate ? pacer_start(pacer, host, is_limited ? ip : (crawl_slice){0}, now, pass) : CRAWL_OK;
    if (!err)
        pass->started_us = now;
    pacer_end(pacer, is_limited);
    cw_host_record_unlock(host);
    return err;
}

/* Returns true if another request of the host or at its address was let go after this one and the pause since then is
 * not over, or if another process has its turn there. Sets pass->wait_us then. */
static bool pacer_is_overtaken(const cw_host_pacer *pacer, const cw_host_gate *gate, int64_t now, cw_host_pass *pass)
{
    int64_t until = gate->pace.started_us > pass->started_us ? gate->pace.started_us + pass->pause_us : now;
    int64_t there = pass->address ? cw_host_addresses_overtaken(pacer->addresses, pass) : now;
    until = until > there ? until : there;
    if (until <= now && pass->address && !cw_host_addresses_keeps_turn(pacer->addresses, pass))
        until = now + CW_HOST_LOOK_AGAIN_US;
    if (until <= now)
        return false;
    pass->wait_us = until - now;
    return true;
}

crawl_err cw_host_pacer_left(cw_host_pacer *pacer, cw_host_record *host, cw_host_pass *pass)
{
    bool is_limited = pass->address != NULL;
    cw_host_gate *gate = pacer_enter(pacer, host);
    int64_t now = pacer_begin(pacer, is_limited);
    bool stays = gate && (pacer_stays(pacer, host, now, pass) || pacer_is_overtaken(pacer, gate, now, pass));
    crawl_err err = stays ? CRAWL_AGAIN : CRAWL_OK;
    if (gate && !err)
        cw_host_pace_started(&gate->pace, now);
    if (is_limited && !err)
        cw_host_addresses_left(pacer->addresses, pass, now);
    pacer_end(pacer, is_limited);
    cw_host_record_unlock(host);
    return err;
}

void cw_host_pacer_unasked(cw_host_pacer *pacer, cw_host_record *host, cw_host_pass *pass)
{
    if (!pass->probe && !pass->counted)
        return;
    cw_host_gate *gate = pacer_enter(pacer, host);
    if (gate)
        uncount(gate, pass);
    if (gate && pass->probe)
        cw_host_pace_unasked(&gate->pace);
    cw_host_record_unlock(host);
}

/* Returns the present effect on the host. Its pause counts as told to the frontier from here on. */
static cw_host_pacer_effect effect_on(const cw_host_pacer *pacer, cw_host_record *host, int64_t now)
{
    const cw_host_pace_rules rules = cw_host_pacer_rules(pacer, host);
    cw_host_gate *gate = &host->gate;
    cw_host_pacer_effect effect = {.pause_us = cw_host_pace_least(&gate->pace, &rules)};
    effect.pause_changed = effect.pause_us != gate->told_us;
    gate->told_us = effect.pause_us;
    effect.hold_us = cw_host_pace_held(&gate->pace, now);
    effect.is_blocked = gate->blocked;
    effect.hold_by = effect.hold_us ? (cw_host_hold_by)gate->pace.hold_by : CW_HOLD_NONE;
    return effect;
}

/* Notes what the answer, or its absence, says about the host's claim to connections. */
static void judge_speed(cw_host_gate *gate, const crawl_response *response, const cw_host_pass *pass, int64_t now)
{
    cw_host_answer answer = cw_host_answer_of(response);
    if (answer == CW_ANSWER_NONE)
        return;
    gate->slow = now - pass->admitted_us - (int64_t)(response->held_ms * 1000) >= CW_HOST_SLOW_US;
    if (answer != CW_ANSWER_FAILED && gate->answers < KNOWN_ANSWERS)
        gate->answers++;
}

static cw_host_pacer_effect done(const cw_host_pacer *pacer, cw_host_record *host, const crawl_response *response,
                                 int64_t retry_after_us, const cw_host_quota *quota, cw_host_pass *pass)
{
    const cw_host_pace_rules rules = cw_host_pacer_rules(pacer, host);
    cw_host_gate *gate = &host->gate;
    int64_t now = pass->ended_us;
    uncount(gate, pass);
    judge_speed(gate, response, pass, now);
    /* A failed attempt to connect is a request too: the pause runs from its end. */
    if (!pass->started_us && response->error != CRAWL_FETCH_CANCELLED) {
        cw_host_pace_started(&gate->pace, now);
        pass->seq = ++gate->asked;
    }
    pass->is_first_wall = pass->is_wall && !gate->pace.had_wall;
    cw_host_pace_answer(&gate->pace, &rules, response, pass->is_wall, pass->is_retry,
                        pass->started_us ? pass->started_us : pass->admitted_us, now);
    pass->had_page = gate->pace.had_page;
    if (retry_after_us > 0)
        cw_host_pace_hold(&gate->pace, now + retry_after_us, CW_HOLD_RETRY_AFTER);
    cw_host_pace_quota(&gate->pace, &rules, quota, gate->running, now);
    return effect_on(pacer, host, now);
}

cw_host_pacer_effect cw_host_pacer_done(cw_host_pacer *pacer, cw_host_record *host, const crawl_response *response,
                                        int64_t retry_after_us, const cw_host_quota *quota, cw_host_pass *pass)
{
    cw_host_pacer_effect effect = {0};
    const cw_host_gate *gate = pacer_enter(pacer, host);
    cw_host_address *at = pass->address;
    pass->ended_us = pacer_begin(pacer, at != NULL);
    if (at)
        cw_host_addresses_leave(pacer->addresses, at);
    pacer_end(pacer, at != NULL);
    pass->address = NULL;
    if (gate)
        effect = done(pacer, host, response, retry_after_us, quota, pass);
    cw_host_record_unlock(host);
    return effect;
}

cw_host_pacer_effect cw_host_pacer_crawl_delay(cw_host_pacer *pacer, cw_host_record *host, int64_t delay_us)
{
    cw_host_pacer_effect effect;
    int64_t least = pacer->options.rules.delay_us;
    cw_host_gate *gate = pacer_enter(pacer, host);
    if (gate) {
        gate->pace.crawl_delay_us = delay_us;
        effect = effect_on(pacer, host, pacer->options.clock_us());
    } else {
        effect = (cw_host_pacer_effect){.pause_changed = true, .pause_us = delay_us > least ? delay_us : least};
    }
    cw_host_record_unlock(host);
    return effect;
}

void cw_host_pacer_set_delay(cw_host_pacer *pacer, int64_t delay_us)
{
    atomic_store(&pacer->delay_us, delay_us);
    cw_host_addresses_lock(pacer->addresses);
    cw_host_addresses_set_delay(pacer->addresses, delay_us);
    cw_host_addresses_unlock(pacer->addresses);
}

cw_host_pacer_effect cw_host_pacer_look(cw_host_pacer *pacer, cw_host_record *host)
{
    cw_host_pacer_effect effect = {0};
    if (pacer_enter(pacer, host))
        effect = effect_on(pacer, host, pacer->options.clock_us());
    cw_host_record_unlock(host);
    return effect;
}

void cw_host_pacer_hold(cw_host_pacer *pacer, cw_host_record *host, int64_t hold_us)
{
    cw_host_gate *gate = pacer_enter(pacer, host);
    if (gate)
        cw_host_pace_hold(&gate->pace, pacer->options.clock_us() + hold_us, CW_HOLD_RETRY_AFTER);
    cw_host_record_unlock(host);
}

int64_t cw_host_pacer_held(cw_host_pacer *pacer, cw_host_record *host, cw_host_hold_by *by)
{
    const cw_host_gate *gate = pacer_enter(pacer, host);
    int64_t left = gate ? cw_host_pace_held(&gate->pace, pacer->options.clock_us()) : 0;
    *by = left ? (cw_host_hold_by)gate->pace.hold_by : CW_HOLD_NONE;
    cw_host_record_unlock(host);
    return left;
}
