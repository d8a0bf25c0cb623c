#include "crawler/engine/host/steer.h"

/* Locks the host, and returns with the lock held. NULL: the host has no gate. */
static cw_host_gate *steer_enter(cw_host_record *host)
{
    cw_host_record_lock(host);
    return host->is_beyond ? NULL : &host->gate;
}

static crawl_err steer_leave(cw_host_record *host, const cw_host_gate *gate)
{
    cw_host_record_unlock(host);
    return gate ? CRAWL_OK : CRAWL_FULL;
}

crawl_err cw_host_steer_block(cw_host_record *host, bool is_blocked)
{
    cw_host_gate *gate = steer_enter(host);
    if (gate)
        gate->blocked = is_blocked;
    return steer_leave(host, gate);
}

bool cw_host_steer_is_blocked(cw_host_record *host)
{
    const cw_host_gate *gate = steer_enter(host);
    bool is_blocked = gate && gate->blocked;
    cw_host_record_unlock(host);
    return is_blocked;
}

crawl_err cw_host_steer_delay(cw_host_record *host, int64_t delay_us)
{
    cw_host_gate *gate = steer_enter(host);
    if (gate) {
        gate->has_delay = delay_us >= 0;
        gate->delay_us = delay_us;
    }
    return steer_leave(host, gate);
}

static void steer_look(const cw_host_pacer *pacer, const cw_host_record *host, int64_t now_us, crawl_host_pace *out)
{
    cw_host_pace_by by;
    const cw_host_gate *gate = &host->gate;
    const cw_host_pace *pace = &gate->pace;
    const cw_host_pace_rules rules = cw_host_pacer_rules(pacer, host);
    int64_t held_us = cw_host_pace_held(pace, now_us);
    *out = (crawl_host_pace){
        .pause_us = cw_host_pace_pause(pace, &rules, &by),
        .limit = cw_host_pacer_limit(pacer, host, now_us),
        .running = gate->running,
        .asked = gate->asked,
        .answer_us = pace->answer_us,
        .failures = pace->failures,
        .held_us = held_us,
        .held_by = held_us ? cw_host_hold_by_name((cw_host_hold_by)pace->hold_by) : NULL,
        .delay_us = gate->has_delay ? gate->delay_us : -1,
        .is_blocked = gate->blocked,
    };
    out->pause_by = cw_host_pace_by_name(by);
}

crawl_err cw_host_steer_look(const cw_host_pacer *pacer, cw_host_record *host, int64_t now_us, crawl_host_pace *out)
{
    const cw_host_gate *gate = steer_enter(host);
    bool is_known = gate && (gate->opened || gate->blocked || gate->has_delay);
    if (is_known)
        steer_look(pacer, host, now_us, out);
    cw_host_record_unlock(host);
    return is_known ? CRAWL_OK : CRAWL_ABSENT;
}

bool cw_host_steer_is_plain(const cw_host_record *host)
{
    const cw_host_gate *gate = &host->gate;
    bool is_steered = gate->blocked || gate->has_delay;
    return !gate->running && !is_steered;
}
