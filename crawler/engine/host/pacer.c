/* See pacer.h. */
#include "crawler/engine/host/pacer.h"

#include "base/map.h"
#include "crawler/engine/host/lane.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define UNTOLD (-1) /* a pause that the frontier got from another process, if any */

enum {
    LOOK_AGAIN_US = 50 * 1000,      /* whether one of the requests to a full host or address has ended */
    LOOK_APART_US = 1000,           /* between the looks of hosts at one address: there may be thousands */
    SLOT_LOOK_US = 8 * 1000 * 1000, /* whether the moment of a host at its address has come: with many hosts there it is
                                       far */
    BLOCKED_US = 5 * 1000 * 1000, /* until a request that was leased before its host was blocked is looked at again: the
                                     frontier leases no other meanwhile */
    PUT_OFF_US = 250 * 1000, /* until a host without a share of the connections is looked at again, doubled each time,
                              */
    PUT_OFF_DOUBLED = 5,     /* so many times: 8 s */
    KNOWN_ANSWERS = 2        /* of a host that is not new any more: its robots.txt and a page */
};

/* An address whose requests are limited. */
typedef struct cw_place {
    int64_t started_us; /* last request; CW_HOST_PACE_NEVER: none */
    int64_t next_us;    /* no host has this moment or a later one yet */
    int64_t look_us;    /* the same of looks whether a request has ended */
    uint32_t running;
    char text[];
} cw_place;

struct cw_host_pacer {
    cw_host_pacer_options options;
    atomic_int_fast64_t delay_us; /* in place of options.rules.delay_us */
    pthread_mutex_t lock;         /* of places and what is in them; after that of a host */
    cw_map *places;
    int64_t asked_us; /* the last request that may have left before; CW_HOST_PACE_NEVER: none did */
};

cw_host_pacer *cw_host_pacer_create(const cw_host_pacer_options *options)
{
    cw_host_pacer *pacer = calloc(1, sizeof *pacer);
    if (!pacer)
        return NULL;
    pthread_mutex_init(&pacer->lock, NULL);
    pacer->options = *options;
    atomic_init(&pacer->delay_us, options->rules.delay_us);
    pacer->asked_us = options->resumed ? options->clock_us() : CW_HOST_PACE_NEVER;
    pacer->places = cw_map_create((uintptr_t)pacer);
    if (pacer->places)
        return pacer;
    cw_host_pacer_free(pacer);
    return NULL;
}

void cw_host_pacer_free(cw_host_pacer *pacer)
{
    if (!pacer)
        return;
    cw_map_free_values(pacer->places);
    pthread_mutex_destroy(&pacer->lock);
    free(pacer);
}

/* FNV-1a: hosts differ in their jitter, and each has the same from run to run of one seed. */
static uint64_t seed_of(const cw_host_pacer *pacer, crawl_slice origin)
{
    uint64_t hash = 14695981039346656037u ^ pacer->options.seed;
    for (size_t i = 0; i < origin.size; i++)
        hash = (hash ^ (uint8_t)origin.data[i]) * 1099511628211u;
    return hash;
}

static void open_gate(const cw_host_pacer *pacer, cw_host_record *host)
{
    cw_host_gate *gate = &host->gate;
    cw_host_pace_init(&gate->pace, seed_of(pacer, cw_host_record_origin(host)));
    gate->pace.started_us = pacer->asked_us;
    gate->told_us = pacer->options.resumed ? UNTOLD : pacer->options.rules.delay_us;
    gate->opened = true;
}

static bool is_limited(const cw_host_pacer *pacer, crawl_slice ip)
{
    char text[64];
    if (!ip.size || !(pacer->options.per_ip || pacer->options.per_address))
        return false;
    snprintf(text, sizeof text, "%.*s", (int)ip.size, ip.data);
    return pacer->options.per_ip || pacer->options.per_address_private || crawl_address_is_public(text);
}

/* The record of an address that is limited. NULL: no room or no memory; it is not limited then. */
static cw_place *get_place(cw_host_pacer *pacer, crawl_slice ip)
{
    cw_place *one = cw_map_get(pacer->places, ip);
    bool is_full = pacer->options.max_hosts && cw_map_count(pacer->places) >= pacer->options.max_hosts;
    if (one || is_full)
        return one;
    one = cw_map_make(pacer->places, ip, sizeof *one, offsetof(cw_place, text));
    if (one) {
        one->started_us = pacer->asked_us;
        one->next_us = CW_HOST_PACE_NEVER;
    }
    return one;
}

/* ---- what is configured ---- */

cw_host_pace_rules cw_host_pacer_rules(const cw_host_pacer *pacer, const cw_host_record *host)
{
    const cw_host_rules *own = atomic_load(&host->rules);
    cw_host_pace_rules rules = pacer->options.rules;
    bool is_particular = own && own->delay_ms * 1000 != rules.delay_us;
    rules.delay_us = is_particular ? own->delay_ms * 1000 : atomic_load(&pacer->delay_us);
    if (host->gate.has_delay)
        rules.delay_us = host->gate.delay_us;
    return rules;
}

uint32_t cw_host_pacer_limit(const cw_host_pacer *pacer, const cw_host_record *host)
{
    const cw_host_rules *own = atomic_load(&host->rules);
    return own ? own->per_host : pacer->options.per_host;
}

/* ---- addresses ---- */

/* The loose ones are never closer than those that a host has for itself. */
static uint32_t limit_at_place(const cw_host_pacer *pacer, const cw_host_record *host)
{
    uint32_t own = cw_host_pacer_limit(pacer, host);
    uint32_t loose = pacer->options.per_address > own ? pacer->options.per_address : own;
    return pacer->options.per_ip ? pacer->options.per_host : loose;
}

static int64_t pause_at_place(const cw_host_pacer *pacer, int64_t pause_us)
{
    bool is_loose = !pacer->options.per_ip && pacer->options.address_pause_us < pause_us;
    return is_loose ? pacer->options.address_pause_us : pause_us;
}

static int64_t next_look(cw_place *at, int64_t now)
{
    int64_t soonest = now + LOOK_AGAIN_US;
    int64_t latest = now + SLOT_LOOK_US;
    at->look_us = at->look_us + LOOK_APART_US > soonest ? at->look_us + LOOK_APART_US : soonest;
    at->look_us = at->look_us < latest ? at->look_us : latest;
    return at->look_us;
}

static bool place_is_free(cw_place *at, uint32_t limit, int64_t pause_us, int64_t now, int64_t *free_us)
{
    if (at->running >= limit)
        *free_us = next_look(at, now);
    else
        *free_us = at->started_us == CW_HOST_PACE_NEVER ? now : at->started_us + pause_us;
    return *free_us <= now;
}

/* Gives the host the next moment of its address, which may be now. */
static void take_slot(cw_host_gate *gate, int64_t pause_us, int64_t now)
{
    cw_place *at = gate->at;
    if (gate->slot_us)
        return;
    gate->slot_us = at->next_us > now ? at->next_us : now;
    at->next_us = gate->slot_us + pause_us;
}

/* May a request of this host leave for its address now? False: not before *free_us. */
static bool admit_at_place(const cw_host_pacer *pacer, cw_host_record *host, int64_t pause_us, int64_t now,
                           int64_t *free_us)
{
    cw_host_gate *gate = &host->gate;
    if (!gate->at)
        return true;
    pause_us = pause_at_place(pacer, pause_us);
    take_slot(gate, pause_us, now);
    *free_us = gate->slot_us < now + SLOT_LOOK_US ? gate->slot_us : now + SLOT_LOOK_US;
    if (now < gate->slot_us || !place_is_free(gate->at, limit_at_place(pacer, host), pause_us, now, free_us))
        return false;
    gate->slot_us = 0;
    return true;
}

/* The connection stands, and the address is known for sure; at: NULL where it has no limit. */
static bool start_at_place(const cw_host_pacer *pacer, cw_host_record *host, cw_place *at, cw_host_pass *pass,
                           int64_t now)
{
    int64_t free_us;
    int64_t pause_us = pause_at_place(pacer, pass->pause_us);
    uint32_t limit = limit_at_place(pacer, host);
    cw_host_gate *gate = &host->gate;
    if (gate->at != at)
        gate->slot_us = 0;
    gate->at = at;
    if (!at)
        return true;
    if (!place_is_free(at, limit, pause_us, now, &free_us)) {
        take_slot(gate, pause_us, now);
        int64_t slot_us = gate->slot_us < now + SLOT_LOOK_US ? gate->slot_us : now + SLOT_LOOK_US;
        pass->wait_us = (slot_us > free_us ? slot_us : free_us) - now;
        return false;
    }
    at->started_us = now;
    if (at->next_us < now + pause_us)
        at->next_us = now + pause_us;
    at->running++;
    pass->place = at;
    pass->address_limit = pacer->options.per_ip ? 0 : limit;
    pass->address_pause_us = pacer->options.per_ip ? 0 : pause_us;
    return true;
}

/* ---- the gate ---- */

/* Takes the host's lock, and returns with it. NULL: the host is beyond max_hosts; it keeps to the frontier's pause,
 * and nothing else is known of its pace. */
static cw_host_gate *enter(const cw_host_pacer *pacer, cw_host_record *host)
{
    cw_host_record_lock(host);
    if (host->is_beyond)
        return NULL;
    if (!host->gate.opened)
        open_gate(pacer, host);
    return &host->gate;
}

/* The time now, read under the lock of the addresses where one matters: end gives that back. */
static int64_t begin(cw_host_pacer *pacer, bool at_place)
{
    if (at_place)
        pthread_mutex_lock(&pacer->lock);
    return pacer->options.clock_us();
}

static void end(cw_host_pacer *pacer, bool at_place)
{
    if (at_place)
        pthread_mutex_unlock(&pacer->lock);
}

/* Room for one more at once, of a host that is not blocked? */
static bool has_turn(const cw_host_pacer *pacer, const cw_host_record *host, int64_t now, int64_t *until)
{
    if (host->gate.blocked) {
        *until = now + BLOCKED_US;
        return false;
    }
    if (!pacer->options.limits || host->gate.running < cw_host_pacer_limit(pacer, host))
        return true;
    *until = now + LOOK_AGAIN_US;
    return false;
}

static cw_host_admission admit(const cw_host_pacer *pacer, cw_host_record *host, int64_t now, cw_host_pass *pass)
{
    const cw_host_pace_rules rules = cw_host_pacer_rules(pacer, host);
    cw_host_gate *gate = &host->gate;
    int64_t until = now;
    cw_host_admission admission = cw_host_pace_admit(&gate->pace, &rules, now, &until);
    pass->pause_us = cw_host_pace_pause(&gate->pace, &rules, &pass->by);
    pass->limit = cw_host_pacer_limit(pacer, host);
    bool goes = admission == CW_ADMIT_GO || admission == CW_ADMIT_PROBE;
    bool waits =
        goes && (!has_turn(pacer, host, now, &until) || !admit_at_place(pacer, host, pass->pause_us, now, &until));
    if (waits) {
        if (admission == CW_ADMIT_PROBE)
            cw_host_pace_unasked(&gate->pace);
        admission = CW_ADMIT_WAIT;
    }
    pass->probe = admission == CW_ADMIT_PROBE;
    pass->wait_us = until - now;
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

static void put_off(cw_host_gate *gate, cw_host_pass *pass)
{
    pass->no_share = true;
    pass->wait_us = (int64_t)PUT_OFF_US << gate->put_off;
    gate->put_off += gate->put_off < PUT_OFF_DOUBLED;
}

static cw_host_admission admit_now(cw_host_pacer *pacer, cw_host_record *host, cw_host_pass *pass)
{
    bool at_place = host->gate.at;
    host->gate.put_off = 0;
    int64_t now = begin(pacer, at_place);
    cw_host_admission admission = admit(pacer, host, now, pass);
    pass->admitted_us = now;
    end(pacer, at_place);
    return admission;
}

cw_host_admission cw_host_pacer_admit(cw_host_pacer *pacer, cw_host_record *host, const cw_host_claim *claim,
                                      cw_host_pass *pass)
{
    cw_host_admission admission = CW_ADMIT_GO;
    *pass = (cw_host_pass){.pause_us = pacer->options.rules.delay_us, .limit = pacer->options.per_host};
    cw_host_gate *gate = enter(pacer, host);
    if (!gate) {
        pass->admitted_us = pacer->options.clock_us();
    } else if (!claim || has_share(gate, claim)) {
        admission = admit_now(pacer, host, pass);
    } else {
        put_off(gate, pass);
        admission = CW_ADMIT_WAIT;
    }
    cw_host_record_unlock(host);
    return admission;
}

void cw_host_pacer_slow(cw_host_pacer *pacer, cw_host_record *host)
{
    cw_host_gate *gate = enter(pacer, host);
    if (gate)
        gate->slow = true;
    cw_host_record_unlock(host);
}

/* ip: empty where it has no limit. */
static crawl_err start(cw_host_pacer *pacer, cw_host_record *host, crawl_slice ip, int64_t now, cw_host_pass *pass)
{
    cw_host_gate *gate = &host->gate;
    int64_t held_us = cw_host_pace_held(&gate->pace, now);
    const cw_host_pace_rules rules = cw_host_pacer_rules(pacer, host);
    pass->wait_us = cw_host_pace_refused_by(&gate->pace, &rules, now) ? 0 : held_us;
    if (!held_us && gate->blocked)
        pass->wait_us = BLOCKED_US;
    if (held_us || gate->blocked || !start_at_place(pacer, host, ip.size ? get_place(pacer, ip) : NULL, pass, now))
        return CRAWL_AGAIN;
    cw_host_pace_started(&gate->pace, now);
    pass->seq = ++gate->asked;
    return CRAWL_OK;
}

crawl_err cw_host_pacer_start(cw_host_pacer *pacer, cw_host_record *host, crawl_slice ip, cw_host_pass *pass)
{
    bool at_place = is_limited(pacer, ip);
    const cw_host_gate *gate = enter(pacer, host);
    int64_t now = begin(pacer, at_place);
    crawl_err err = gate ? start(pacer, host, at_place ? ip : (crawl_slice){0}, now, pass) : CRAWL_OK;
    if (!err)
        pass->started_us = now;
    end(pacer, at_place);
    cw_host_record_unlock(host);
    return err;
}

void cw_host_pacer_unasked(cw_host_pacer *pacer, cw_host_record *host, cw_host_pass *pass)
{
    if (!pass->probe && !pass->counted)
        return;
    cw_host_gate *gate = enter(pacer, host);
    if (gate)
        uncount(gate, pass);
    if (gate && pass->probe)
        cw_host_pace_unasked(&gate->pace);
    cw_host_record_unlock(host);
}

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

/* Notes what the answer, or its absence, says of the host's claim to connections. */
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
                                 int64_t retry_after_us, cw_host_pass *pass)
{
    const cw_host_pace_rules rules = cw_host_pacer_rules(pacer, host);
    cw_host_gate *gate = &host->gate;
    int64_t now = pass->ended_us;
    uncount(gate, pass);
    judge_speed(gate, response, pass, now);
    /* A connection that was tried in vain is a request too: the pause runs from its end. */
    if (!pass->started_us && response->error != CRAWL_FETCH_CANCELLED) {
        cw_host_pace_started(&gate->pace, now);
        pass->seq = ++gate->asked;
    }
    cw_host_pace_answer(&gate->pace, &rules, response, pass->started_us ? pass->started_us : pass->admitted_us, now);
    if (retry_after_us > 0)
        cw_host_pace_hold(&gate->pace, now + retry_after_us, CW_HOLD_RETRY_AFTER);
    return effect_on(pacer, host, now);
}

cw_host_pacer_effect cw_host_pacer_done(cw_host_pacer *pacer, cw_host_record *host, const crawl_response *response,
                                        int64_t retry_after_us, cw_host_pass *pass)
{
    cw_host_pacer_effect effect = {0};
    const cw_host_gate *gate = enter(pacer, host);
    cw_place *at = pass->place;
    pass->ended_us = begin(pacer, at != NULL);
    if (at)
        at->running--;
    end(pacer, at != NULL);
    pass->place = NULL;
    if (gate)
        effect = done(pacer, host, response, retry_after_us, pass);
    cw_host_record_unlock(host);
    return effect;
}

cw_host_pacer_effect cw_host_pacer_crawl_delay(cw_host_pacer *pacer, cw_host_record *host, int64_t delay_us)
{
    cw_host_pacer_effect effect;
    int64_t least = pacer->options.rules.delay_us;
    cw_host_gate *gate = enter(pacer, host);
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
}

cw_host_pacer_effect cw_host_pacer_look(cw_host_pacer *pacer, cw_host_record *host)
{
    cw_host_pacer_effect effect = {0};
    if (enter(pacer, host))
        effect = effect_on(pacer, host, pacer->options.clock_us());
    cw_host_record_unlock(host);
    return effect;
}

void cw_host_pacer_hold(cw_host_pacer *pacer, cw_host_record *host, int64_t hold_us)
{
    cw_host_gate *gate = enter(pacer, host);
    if (gate)
        cw_host_pace_hold(&gate->pace, pacer->options.clock_us() + hold_us, CW_HOLD_RETRY_AFTER);
    cw_host_record_unlock(host);
}

int64_t cw_host_pacer_held(cw_host_pacer *pacer, cw_host_record *host, cw_host_hold_by *by)
{
    const cw_host_gate *gate = enter(pacer, host);
    int64_t left = gate ? cw_host_pace_held(&gate->pace, pacer->options.clock_us()) : 0;
    *by = left ? (cw_host_hold_by)gate->pace.hold_by : CW_HOLD_NONE;
    cw_host_record_unlock(host);
    return left;
}
