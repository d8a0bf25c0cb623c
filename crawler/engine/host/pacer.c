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
    PUT_OFF_US = 250 * 1000, /* until a host without a share of the connections is looked at again, doubled each time,
                              */
    PUT_OFF_DOUBLED = 5,     /* so many times: 8 s */
    KNOWN_ANSWERS = 2        /* of a host that is not new any more: its robots.txt and a page */
};

/* An address whose requests are limited. */
typedef struct place {
    int64_t started_us; /* last request; CW_PACE_NEVER: none */
    int64_t next_us;    /* no host has this moment or a later one yet */
    int64_t look_us;    /* the same of looks whether a request has ended */
    uint32_t running;
    size_t size;
    char text[];
} place;

typedef struct host {
    cw_pace pace;
    int64_t told_us; /* the pause that the frontier knows */
    place *at;       /* where its last connection led; NULL: not known */
    int64_t slot_us; /* the moment it has at its address; 0: none */
    uint64_t asked;
    int64_t delay_us; /* configured */
    uint32_t limit;   /* likewise */
    uint32_t running; /* requests admitted and not over */
    uint8_t answers;  /* up to KNOWN_ANSWERS */
    uint8_t put_off;  /* times in a row */
    bool slow;        /* its last request took long, or one that is under way does */
    bool configured;  /* delay_us and limit are its own */
    size_t size;
    char origin[];
} host;

struct cw_pacer {
    pthread_mutex_t lock;
    cw_pacer_options options;
    cw_map *hosts;
    cw_map *places;
    int64_t asked_us; /* the last request that may have left before; CW_PACE_NEVER: none did */
};

cw_pacer *cw_pacer_create(const cw_pacer_options *options)
{
    cw_pacer *pacer = calloc(1, sizeof *pacer);
    if (!pacer)
        return NULL;
    pthread_mutex_init(&pacer->lock, NULL);
    pacer->options = *options;
    pacer->asked_us = options->resumed ? options->clock_us() : CW_PACE_NEVER;
    pacer->hosts = cw_map_create((uintptr_t)pacer);
    pacer->places = cw_map_create((uintptr_t)pacer + 1);
    if (pacer->hosts && pacer->places)
        return pacer;
    cw_pacer_free(pacer);
    return NULL;
}

static void free_values(cw_map *map)
{
    size_t cursor = 0;
    for (void *one; map && (one = cw_map_next(map, &cursor));)
        free(one);
    cw_map_free(map);
}

void cw_pacer_free(cw_pacer *pacer)
{
    if (!pacer)
        return;
    free_values(pacer->hosts);
    free_values(pacer->places);
    pthread_mutex_destroy(&pacer->lock);
    free(pacer);
}

static bool has_room(const cw_pacer *pacer, const cw_map *map)
{
    return !pacer->options.max_hosts || cw_map_count(map) < pacer->options.max_hosts;
}

/* FNV-1a: hosts differ in their jitter, and each has the same from run to run of one seed. */
static uint64_t seed_of(const cw_pacer *pacer, crawl_slice origin)
{
    uint64_t hash = 14695981039346656037u ^ pacer->options.seed;
    for (size_t i = 0; i < origin.size; i++)
        hash = (hash ^ (uint8_t)origin.data[i]) * 1099511628211u;
    return hash;
}

/* NULL: no room or no memory. Such a host keeps to the frontier's pause, and nothing else is known of it. */
static host *get_host(cw_pacer *pacer, crawl_slice origin)
{
    host *one = cw_map_get(pacer->hosts, origin);
    if (one || !has_room(pacer, pacer->hosts))
        return one;
    one = calloc(1, sizeof *one + origin.size);
    if (!one)
        return NULL;
    cw_pace_init(&one->pace, seed_of(pacer, origin));
    one->pace.started_us = pacer->asked_us;
    one->told_us = pacer->options.resumed ? UNTOLD : pacer->options.rules.delay_us;
    one->delay_us = pacer->options.rules.delay_us;
    one->limit = pacer->options.per_host;
    one->size = origin.size;
    memcpy(one->origin, origin.data, origin.size);
    if (cw_map_put(pacer->hosts, crawl_slice_of(one->origin, one->size), one)) {
        free(one);
        return NULL;
    }
    return one;
}

static bool is_limited(const cw_pacer *pacer, crawl_slice ip)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)ip.size, ip.data);
    return pacer->options.per_ip || pacer->options.per_address_private || crawl_address_is_public(text);
}

/* NULL: one without a limit, or no room, or no memory. */
static place *get_place(cw_pacer *pacer, crawl_slice ip)
{
    place *one = cw_map_get(pacer->places, ip);
    if (one || !ip.size || !is_limited(pacer, ip) || !has_room(pacer, pacer->places))
        return one;
    one = calloc(1, sizeof *one + ip.size);
    if (!one)
        return NULL;
    one->started_us = pacer->asked_us;
    one->next_us = CW_PACE_NEVER;
    one->size = ip.size;
    memcpy(one->text, ip.data, ip.size);
    if (cw_map_put(pacer->places, crawl_slice_of(one->text, one->size), one)) {
        free(one);
        return NULL;
    }
    return one;
}

/* ---- addresses ---- */

static bool has_limits(const cw_pacer *pacer)
{
    return pacer->options.per_ip || pacer->options.per_address;
}

/* The loose ones are never closer than those that a host has for itself. */
static uint32_t limit_at_place(const cw_pacer *pacer, const host *one)
{
    uint32_t loose = pacer->options.per_address > one->limit ? pacer->options.per_address : one->limit;
    return pacer->options.per_ip ? pacer->options.per_host : loose;
}

static int64_t pause_at_place(const cw_pacer *pacer, int64_t pause_us)
{
    bool is_loose = !pacer->options.per_ip && pacer->options.address_pause_us < pause_us;
    return is_loose ? pacer->options.address_pause_us : pause_us;
}

static int64_t next_look(place *at, int64_t now)
{
    int64_t soonest = now + LOOK_AGAIN_US;
    int64_t latest = now + SLOT_LOOK_US;
    at->look_us = at->look_us + LOOK_APART_US > soonest ? at->look_us + LOOK_APART_US : soonest;
    at->look_us = at->look_us < latest ? at->look_us : latest;
    return at->look_us;
}

static bool place_is_free(place *at, uint32_t limit, int64_t pause_us, int64_t now, int64_t *free_us)
{
    if (at->running >= limit)
        *free_us = next_look(at, now);
    else
        *free_us = at->started_us == CW_PACE_NEVER ? now : at->started_us + pause_us;
    return *free_us <= now;
}

/* Gives the host the next moment of its address, which may be now. */
static void take_slot(host *one, int64_t pause_us, int64_t now)
{
    place *at = one->at;
    if (one->slot_us)
        return;
    one->slot_us = at->next_us > now ? at->next_us : now;
    at->next_us = one->slot_us + pause_us;
}

/* May a request of this host leave for its address now? False: not before *free_us. */
static bool admit_at_place(const cw_pacer *pacer, host *one, int64_t pause_us, int64_t now, int64_t *free_us)
{
    if (!one->at)
        return true;
    pause_us = pause_at_place(pacer, pause_us);
    take_slot(one, pause_us, now);
    *free_us = one->slot_us < now + SLOT_LOOK_US ? one->slot_us : now + SLOT_LOOK_US;
    if (now < one->slot_us || !place_is_free(one->at, limit_at_place(pacer, one), pause_us, now, free_us))
        return false;
    one->slot_us = 0;
    return true;
}

/* The connection stands, and the address is known for sure. */
static bool start_at_place(cw_pacer *pacer, host *one, crawl_slice ip, cw_pass *pass, int64_t now)
{
    int64_t free_us;
    int64_t pause_us = pause_at_place(pacer, pass->pause_us);
    place *at = has_limits(pacer) ? get_place(pacer, ip) : NULL;
    if (one->at != at)
        one->slot_us = 0;
    one->at = at;
    if (!at)
        return true;
    if (!place_is_free(at, limit_at_place(pacer, one), pause_us, now, &free_us)) {
        take_slot(one, pause_us, now);
        int64_t slot_us = one->slot_us < now + SLOT_LOOK_US ? one->slot_us : now + SLOT_LOOK_US;
        pass->wait_us = (slot_us > free_us ? slot_us : free_us) - now;
        return false;
    }
    at->started_us = now;
    if (at->next_us < now + pause_us)
        at->next_us = now + pause_us;
    at->running++;
    pass->place = at;
    pass->address_limit = pacer->options.per_ip ? 0 : limit_at_place(pacer, one);
    pass->address_pause_us = pacer->options.per_ip ? 0 : pause_us;
    return true;
}

/* ---- the gate ---- */

static cw_pace_rules rules_of(const cw_pacer *pacer, const host *one)
{
    cw_pace_rules rules = pacer->options.rules;
    rules.delay_us = one->delay_us;
    return rules;
}

void cw_pacer_configure(cw_pacer *pacer, crawl_slice origin, int64_t delay_us, uint32_t per_host)
{
    pthread_mutex_lock(&pacer->lock);
    host *one = get_host(pacer, origin);
    if (one) {
        one->delay_us = delay_us;
        one->limit = per_host;
        one->configured = true;
    }
    pthread_mutex_unlock(&pacer->lock);
}

bool cw_pacer_is_configured(cw_pacer *pacer, crawl_slice origin)
{
    pthread_mutex_lock(&pacer->lock);
    const host *one = cw_map_get(pacer->hosts, origin);
    bool configured = one && one->configured;
    pthread_mutex_unlock(&pacer->lock);
    return configured;
}

/* Room for one more at once? */
static bool has_turn(const cw_pacer *pacer, const host *one, int64_t now, int64_t *until)
{
    if (!pacer->options.limits || one->running < one->limit)
        return true;
    *until = now + LOOK_AGAIN_US;
    return false;
}

static void say_refused(const host *one, int64_t left_us, cw_pass *pass)
{
    char last[32];
    if (pass->refused_by == CW_HOLD_RETRY_AFTER) {
        snprintf(pass->words, sizeof pass->words,
                 "the host asked to stay away for longer than politeness.max_retry_delay");
        return;
    }
    if (one->pace.last_error < 0)
        snprintf(last, sizeof last, "%s", crawl_fetch_error_name((crawl_fetch_error)-one->pace.last_error));
    else
        snprintf(last, sizeof last, "status %d", one->pace.last_error);
    snprintf(pass->words, sizeof pass->words,
             "the host was given up after %u failures in a row, the last: %s; asked again in %lld s",
             one->pace.failures, last, (long long)(left_us / 1000000 + 1));
}

static cw_admission admit(cw_pacer *pacer, host *one, int64_t now, cw_pass *pass)
{
    const cw_pace_rules rules = rules_of(pacer, one);
    int64_t until = now;
    cw_admission admission = cw_pace_admit(&one->pace, &rules, now, &until);
    pass->pause_us = cw_pace_pause(&one->pace, &rules, &pass->by);
    pass->limit = one->limit;
    bool goes = admission == CW_ADMIT_GO || admission == CW_ADMIT_PROBE;
    bool waits =
        goes && (!has_turn(pacer, one, now, &until) || !admit_at_place(pacer, one, pass->pause_us, now, &until));
    if (waits) {
        if (admission == CW_ADMIT_PROBE)
            cw_pace_unasked(&one->pace);
        admission = CW_ADMIT_WAIT;
    }
    pass->probe = admission == CW_ADMIT_PROBE;
    pass->wait_us = until - now;
    pass->slow = one->slow;
    pass->counted = admission == CW_ADMIT_GO || admission == CW_ADMIT_PROBE;
    one->running += pass->counted;
    pass->refused_by = admission == CW_ADMIT_REFUSE ? cw_pace_refused_by(&one->pace, &rules, now) : CW_HOLD_NONE;
    if (pass->refused_by)
        say_refused(one, until - now, pass);
    return admission;
}

static void uncount(host *one, cw_pass *pass)
{
    one->running -= pass->counted;
    pass->counted = false;
}

cw_admission cw_pacer_admit(cw_pacer *pacer, crawl_slice origin, cw_pass *pass)
{
    *pass = (cw_pass){.pause_us = pacer->options.rules.delay_us, .limit = pacer->options.per_host};
    pthread_mutex_lock(&pacer->lock);
    int64_t now = pacer->options.clock_us();
    host *one = get_host(pacer, origin);
    cw_admission admission = one ? admit(pacer, one, now, pass) : CW_ADMIT_GO;
    pass->admitted_us = now;
    pthread_mutex_unlock(&pacer->lock);
    return admission;
}

static bool has_share(const host *one, uint32_t share, bool has_room)
{
    bool is_new = one->answers < KNOWN_ANSWERS;
    if (one->pace.given_up || (!is_new && !one->slow))
        return true;
    return one->running < share && (has_room || !one->slow);
}

bool cw_pacer_has_share(cw_pacer *pacer, crawl_slice origin, uint32_t share, bool has_room, cw_pass *pass)
{
    pthread_mutex_lock(&pacer->lock);
    host *one = cw_map_get(pacer->hosts, origin);
    bool has = !one || has_share(one, share, has_room);
    if (has && one)
        one->put_off = 0;
    if (!has) {
        pass->wait_us = (int64_t)PUT_OFF_US << one->put_off;
        one->put_off += one->put_off < PUT_OFF_DOUBLED;
    }
    pthread_mutex_unlock(&pacer->lock);
    return has;
}

void cw_pacer_slow(cw_pacer *pacer, crawl_slice origin)
{
    pthread_mutex_lock(&pacer->lock);
    host *one = cw_map_get(pacer->hosts, origin);
    if (one)
        one->slow = true;
    pthread_mutex_unlock(&pacer->lock);
}

static crawl_err start(cw_pacer *pacer, host *one, crawl_slice ip, int64_t now, cw_pass *pass)
{
    int64_t held_us = cw_pace_held(&one->pace, now);
    const cw_pace_rules rules = rules_of(pacer, one);
    pass->wait_us = cw_pace_refused_by(&one->pace, &rules, now) ? 0 : held_us;
    if (held_us || !start_at_place(pacer, one, ip, pass, now))
        return CRAWL_AGAIN;
    cw_pace_started(&one->pace, now);
    pass->seq = ++one->asked;
    return CRAWL_OK;
}

crawl_err cw_pacer_start(cw_pacer *pacer, crawl_slice origin, crawl_slice ip, cw_pass *pass)
{
    pthread_mutex_lock(&pacer->lock);
    int64_t now = pacer->options.clock_us();
    host *one = get_host(pacer, origin);
    crawl_err err = one ? start(pacer, one, ip, now, pass) : CRAWL_OK;
    if (!err)
        pass->started_us = now;
    pthread_mutex_unlock(&pacer->lock);
    return err;
}

void cw_pacer_unasked(cw_pacer *pacer, crawl_slice origin, cw_pass *pass)
{
    if (!pass->probe && !pass->counted)
        return;
    pthread_mutex_lock(&pacer->lock);
    host *one = cw_map_get(pacer->hosts, origin);
    if (one)
        uncount(one, pass);
    if (one && pass->probe)
        cw_pace_unasked(&one->pace);
    pthread_mutex_unlock(&pacer->lock);
}

static cw_pacer_effect effect_on(cw_pacer *pacer, host *one, int64_t now)
{
    cw_pace_by by;
    const cw_pace_rules rules = rules_of(pacer, one);
    cw_pacer_effect effect = {.pause_us = cw_pace_pause(&one->pace, &rules, &by)};
    effect.pause_changed = effect.pause_us != one->told_us;
    one->told_us = effect.pause_us;
    effect.hold_us = cw_pace_held(&one->pace, now);
    effect.hold_by = effect.hold_us ? (cw_hold_by)one->pace.hold_by : CW_HOLD_NONE;
    return effect;
}

/* What the answer, or that there was none, says of the host's claim to connections. */
static void judge_speed(host *one, const crawl_response *response, const cw_pass *pass, int64_t now)
{
    cw_answer answer = cw_answer_of(response);
    if (answer == CW_ANSWER_NONE)
        return;
    one->slow = now - pass->admitted_us >= CW_SLOW_US;
    if (answer != CW_ANSWER_FAILED && one->answers < KNOWN_ANSWERS)
        one->answers++;
}

cw_pacer_effect cw_pacer_done(cw_pacer *pacer, crawl_slice origin, const crawl_response *response,
                              int64_t retry_after_us, cw_pass *pass)
{
    cw_pacer_effect effect = {0};
    pthread_mutex_lock(&pacer->lock);
    int64_t now = pacer->options.clock_us();
    host *one = cw_map_get(pacer->hosts, origin);
    place *at = pass->place;
    if (at)
        at->running--;
    pass->place = NULL;
    pass->ended_us = now;
    if (one) {
        const cw_pace_rules rules = rules_of(pacer, one);
        uncount(one, pass);
        judge_speed(one, response, pass, now);
        /* A connection that was tried in vain is a request too: the pause runs from its end. */
        if (!pass->started_us && response->error != CRAWL_FETCH_CANCELLED) {
            cw_pace_started(&one->pace, now);
            pass->seq = ++one->asked;
        }
        cw_pace_answer(&one->pace, &rules, response, pass->started_us ? pass->started_us : pass->admitted_us, now);
        if (retry_after_us > 0)
            cw_pace_hold(&one->pace, now + retry_after_us, CW_HOLD_RETRY_AFTER);
        effect = effect_on(pacer, one, now);
    }
    pthread_mutex_unlock(&pacer->lock);
    return effect;
}

cw_pacer_effect cw_pacer_crawl_delay(cw_pacer *pacer, crawl_slice origin, int64_t delay_us)
{
    cw_pacer_effect effect = {0};
    pthread_mutex_lock(&pacer->lock);
    host *one = get_host(pacer, origin);
    if (one) {
        one->pace.crawl_delay_us = delay_us;
        effect = effect_on(pacer, one, pacer->options.clock_us());
    } else {
        int64_t least = pacer->options.rules.delay_us;
        effect = (cw_pacer_effect){.pause_changed = true, .pause_us = delay_us > least ? delay_us : least};
    }
    pthread_mutex_unlock(&pacer->lock);
    return effect;
}

void cw_pacer_hold(cw_pacer *pacer, crawl_slice origin, int64_t hold_us)
{
    pthread_mutex_lock(&pacer->lock);
    host *one = get_host(pacer, origin);
    if (one)
        cw_pace_hold(&one->pace, pacer->options.clock_us() + hold_us, CW_HOLD_RETRY_AFTER);
    pthread_mutex_unlock(&pacer->lock);
}

int64_t cw_pacer_held(cw_pacer *pacer, crawl_slice origin, cw_hold_by *by)
{
    pthread_mutex_lock(&pacer->lock);
    host *one = cw_map_get(pacer->hosts, origin);
    int64_t left = one ? cw_pace_held(&one->pace, pacer->options.clock_us()) : 0;
    *by = left ? (cw_hold_by)one->pace.hold_by : CW_HOLD_NONE;
    pthread_mutex_unlock(&pacer->lock);
    return left;
}
