#include "crawler/engine/host/addresses.h"

#include "base/map.h"

#include <crawl/sys/shared.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LOOK_APART_US = 1000,          /* between the checks of hosts at one address: there may be thousands */
    SLOT_LOOK_US = 8 * 1000 * 1000 /* the longest until the next check whether the moment of a host at its address has
                                      come: with many hosts there it is far away */
};

struct cw_host_address {
    int64_t started_us; /* when the last request left; CW_HOST_PACE_NEVER: none has */
    int64_t next_us;    /* the first moment not yet given to a host */
    int64_t look_us;    /* the last check promised to a host, for whether a request has ended */
    uint32_t running;   /* requests under way */
    bool is_group;
    char text[];
};

struct cw_host_addresses {
    const cw_host_pacer_options *options;
    int64_t asked_us;
    int64_t pause_us; /* at an address without per_ip */
    pthread_mutex_t lock;
    cw_map *map;
};

cw_host_addresses *cw_host_addresses_create(const cw_host_pacer_options *options, int64_t asked_us)
{
    cw_host_addresses *addresses = calloc(1, sizeof *addresses);
    if (!addresses)
        return NULL;
    addresses->options = options;
    addresses->asked_us = asked_us;
    cw_host_addresses_set_delay(addresses, options->rules.delay_us);
    pthread_mutex_init(&addresses->lock, NULL);
    addresses->map = cw_map_create((uintptr_t)addresses);
    if (addresses->map)
        return addresses;
    cw_host_addresses_free(addresses);
    return NULL;
}

void cw_host_addresses_free(cw_host_addresses *addresses)
{
    if (!addresses)
        return;
    cw_map_free_values(addresses->map);
    pthread_mutex_destroy(&addresses->lock);
    free(addresses);
}

void cw_host_addresses_lock(cw_host_addresses *addresses)
{
    pthread_mutex_lock(&addresses->lock);
}

void cw_host_addresses_unlock(cw_host_addresses *addresses)
{
    pthread_mutex_unlock(&addresses->lock);
}

void cw_host_addresses_set_delay(cw_host_addresses *addresses, int64_t delay_us)
{
    addresses->pause_us = (int64_t)((double)delay_us * addresses->options->address_delay);
}

/* Returns the group of the host; empty: none. */
static crawl_slice addresses_group_of(const cw_host_record *host)
{
    const cw_host_rules *rules = atomic_load(&host->rules);
    return rules ? rules->group : (crawl_slice){0};
}

bool cw_host_addresses_concern(const cw_host_record *host)
{
    return host->gate.at || addresses_group_of(host).size;
}

bool cw_host_addresses_limit(const cw_host_addresses *addresses, const cw_host_record *host, crawl_slice ip)
{
    char text[64];
    if (addresses_group_of(host).size)
        return true;
    if (!ip.size || !(addresses->options->per_ip || addresses->options->per_address))
        return false;
    snprintf(text, sizeof text, "%.*s", (int)ip.size, ip.data);
    return addresses->options->per_ip || addresses->options->per_address_private || crawl_address_is_public(text);
}

/* Returns an address with a limit, created if there is none yet. NULL: no room, or out of memory; the address then has
 * no limit. */
static cw_host_address *addresses_get(cw_host_addresses *addresses, crawl_slice ip)
{
    cw_host_address *one = cw_map_get(addresses->map, ip);
    bool is_full = addresses->options->max_hosts && cw_map_count(addresses->map) >= addresses->options->max_hosts;
    if (one || is_full)
        return one;
    one = cw_map_make(addresses->map, ip, sizeof *one + 1, offsetof(cw_host_address, text));
    if (one) {
        one->started_us = addresses->asked_us;
        one->next_us = CW_HOST_PACE_NEVER;
    }
    return one;
}

/* Returns how many requests may be at an address at once; without per_ip at least as many as to one host. own: the
 * limit of the host. */
static uint32_t limit_at(const cw_host_addresses *addresses, const cw_host_address *at, uint32_t own)
{
    if (at->is_group)
        return own;
    uint32_t loose = addresses->options->per_address > own ? addresses->options->per_address : own;
    return addresses->options->per_ip ? addresses->options->per_host : loose;
}

/* Returns the pause between two requests at an address. Without per_ip it is never longer than the pause of the
 * host. */
static int64_t pause_at(const cw_host_addresses *addresses, const cw_host_address *at, int64_t pause_us)
{
    bool is_loose = !at->is_group && !addresses->options->per_ip && addresses->pause_us < pause_us;
    return is_loose ? addresses->pause_us : pause_us;
}

/* Promises a host the next check of a full address. The checks of many hosts are spread out. */
static int64_t addresses_next_look(cw_host_address *at, int64_t now)
{
    int64_t soonest = now + CW_HOST_LOOK_AGAIN_US;
    int64_t latest = now + SLOT_LOOK_US;
    at->look_us = at->look_us + LOOK_APART_US > soonest ? at->look_us + LOOK_APART_US : soonest;
    at->look_us = at->look_us < latest ? at->look_us : latest;
    return at->look_us;
}

/* Returns true if a request may leave for the address now. False: not before *free_us. */
static bool is_free(cw_host_address *at, uint32_t limit, int64_t pause_us, int64_t now, int64_t *free_us)
{
    if (at->running >= limit)
        *free_us = addresses_next_look(at, now);
    else
        *free_us = at->started_us == CW_HOST_PACE_NEVER ? now : at->started_us + pause_us;
    return *free_us <= now;
}

/* Returns true if all hosts there share one pause and one limit, instead of their own. */
static bool is_shared(const cw_host_addresses *addresses, const cw_host_address *at)
{
    return addresses->options->per_ip || at->is_group;
}

/* Returns true if it is this process's turn there among those that share the crawl, and none of them has asked within
 * the pause. False: not before *free_us. leaves: the request leaves if it may. */
static bool has_turn_at(const cw_host_addresses *addresses, const cw_host_address *at, int64_t pause_us, bool leaves,
                        int64_t now, int64_t *free_us)
{
    int64_t wait_us = CW_HOST_LOOK_AGAIN_US;
    if (!addresses->options->shared || !is_shared(addresses, at))
        return true;
    crawl_err err =
        crawl_frontier_shared_turn(addresses->options->shared, crawl_slice_from(at->text), pause_us, leaves, &wait_us);
    *free_us = now + wait_us;
    return !err;
}

/* Gives the host the next moment of its address, which may be now, unless it has one. */
static void take_slot(cw_host_gate *gate, int64_t pause_us, int64_t now)
{
    cw_host_address *at = gate->at;
    if (gate->slot_us)
        return;
    gate->slot_us = at->next_us > now ? at->next_us : now;
    at->next_us = gate->slot_us + pause_us;
}

/* Returns when to check next whether the moment of the host at its address has come. */
static int64_t slot_look(const cw_host_gate *gate, int64_t now)
{
    int64_t latest = now + SLOT_LOOK_US;
    return gate->slot_us < latest ? gate->slot_us : latest;
}

/* Returns the group of the host, or else the address. NULL: no limit. */
static cw_host_address *addresses_at(cw_host_addresses *addresses, const cw_host_record *host, crawl_slice ip)
{
    crawl_slice group = addresses_group_of(host);
    crawl_slice name = group.size ? group : ip;
    cw_host_address *at = name.size ? addresses_get(addresses, name) : NULL;
    if (at)
        at->is_group = group.size > 0;
    return at;
}

bool cw_host_addresses_admit(cw_host_addresses *addresses, cw_host_record *host, uint32_t own_limit, int64_t pause_us,
                             int64_t now, int64_t *free_us)
{
    cw_host_gate *gate = &host->gate;
    if (!gate->at)
        gate->at = addresses_at(addresses, host, (crawl_slice){0});
    if (!gate->at)
        return true;
    pause_us = pause_at(addresses, gate->at, pause_us);
    take_slot(gate, pause_us, now);
    *free_us = slot_look(gate, now);
    if (now < gate->slot_us || !is_free(gate->at, limit_at(addresses, gate->at, own_limit), pause_us, now, free_us) ||
        !has_turn_at(addresses, gate->at, pause_us, false, now, free_us))
        return false;
    gate->slot_us = 0;
    return true;
}

bool cw_host_addresses_start(cw_host_addresses *addresses, cw_host_record *host, uint32_t own_limit, crawl_slice ip,
                             int64_t now, cw_host_pass *pass)
{
    int64_t free_us;
    cw_host_address *at = addresses_at(addresses, host, ip);
    cw_host_gate *gate = &host->gate;
    if (gate->at != at)
        gate->slot_us = 0;
    gate->at = at;
    if (!at)
        return true;
    int64_t pause_us = pause_at(addresses, at, pass->pause_us);
    uint32_t limit = limit_at(addresses, at, own_limit);
    bool is_own = is_shared(addresses, at);
    if (!is_free(at, limit, pause_us, now, &free_us) || !has_turn_at(addresses, at, pause_us, true, now, &free_us)) {
        take_slot(gate, pause_us, now);
        int64_t slot_us = slot_look(gate, now);
        pass->wait_us = (slot_us > free_us ? slot_us : free_us) - now;
        return false;
    }
    at->running++;
    pass->address = at;
    pass->address_limit = is_own ? 0 : limit;
    pass->address_pause_us = is_own ? 0 : pause_us;
    cw_host_addresses_left(addresses, pass, now);
    return true;
}

int64_t cw_host_addresses_overtaken(const cw_host_addresses *addresses, const cw_host_pass *pass)
{
    const cw_host_address *at = pass->address;
    bool is_overtaken = at->started_us > pass->started_us;
    return is_overtaken ? at->started_us + pause_at(addresses, at, pass->pause_us) : CW_HOST_PACE_NEVER;
}

bool cw_host_addresses_keeps_turn(const cw_host_addresses *addresses, const cw_host_pass *pass)
{
    crawl_frontier *shared = addresses->options->shared;
    const cw_host_address *at = pass->address;
    return !shared || !is_shared(addresses, at) ||
           crawl_frontier_shared_turn_left(shared, crawl_slice_from(at->text)) == CRAWL_OK;
}

void cw_host_addresses_left(const cw_host_addresses *addresses, const cw_host_pass *pass, int64_t now)
{
    cw_host_address *at = pass->address;
    int64_t next_us = now + pause_at(addresses, at, pass->pause_us);
    at->started_us = now;
    at->next_us = at->next_us > next_us ? at->next_us : next_us;
}

void cw_host_addresses_leave(const cw_host_addresses *addresses, cw_host_address *address)
{
    address->running--;
    if (addresses->options->shared && is_shared(addresses, address))
        crawl_frontier_shared_turn_over(addresses->options->shared, crawl_slice_from(address->text));
}
