#include "shared/store/spread.h"

#include "base/clock.h"
#include "shared/store/joint_crew.h"
#include "shared/store/partitions.h"

enum {
    LEAVE_US = 1000 * 1000,      /* how long a host that was given back is left to others */
    PATIENCE_US = 500 * 1000,    /* and any other one while some processes have none: they hear of it earlier */
    TAKE_US = 250 * 1000,        /* between two hosts taken while others have none, which look this often */
    GIVE_AGAIN_US = 1000 * 1000, /* if the first gift did not help; doubles with each further one */
    TURN_US = 5000 * 1000,       /* how long a host that others seek stays if it has urgent requests here */
    GIFTS_MAX = 6                /* up to 32 s; a process that died counts as idle for half as long */
};

/* ---- given ---- */

/* A host blocked without an end waits for the answer of another host. */
static bool spread_is_here(const cw_joint_hold *hold)
{
    bool is_here = hold->stage == CW_JOINT_WAITS || hold->stage == CW_JOINT_HELD;
    return is_here && !hold->yields && hold->host->blocked != CRAWL_FOREVER;
}

/* Returns true if the host has requests left, and none under way for which it would have to come back. */
static bool spread_may_go(const cw_joint_hold *hold)
{
    const cw_frontier_host *host = hold->host;
    bool has_some = cw_frontier_queue_count(&host->queues[CW_NORMAL]) || !hold->is_dry;
    return spread_is_here(hold) && has_some && !cw_frontier_queue_count(&host->queues[CW_URGENT]);
}

static void spread_let_go(cw_joint_hold *hold, int64_t now)
{
    hold->yields = hold->is_dry = true;
    cw_joint_hold_place(hold, now);
}

void cw_joint_spread_sought(cw_joint_hold *hold, int64_t now)
{
    bool has_had = cw_clock_us(CLOCK_BOOTTIME) - hold->begun_us >= TURN_US;
    if (spread_is_here(hold) && (has_had || !cw_frontier_queue_count(&hold->host->queues[CW_URGENT])))
        spread_let_go(hold, now);
}

/* Returns the hold with the most requests here, so that its next process has it for long. NULL: none may go. */
static cw_joint_hold *spread_find(const cw_joint *joint)
{
    cw_joint_hold *best = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < joint->holds->count; i++) {
        cw_joint_hold *hold = joint->holds->list[i];
        uint64_t queued = cw_frontier_queue_count(&hold->host->queues[CW_NORMAL]);
        if (!spread_may_go(hold) || (best && queued <= most))
            continue;
        best = hold;
        most = queued;
    }
    return best;
}

/* Lets up to `count` holds go, each once none of its requests is leased. False: none may go. */
static bool spread_give(cw_joint *joint, uint64_t count)
{
    bool gives = false;
    int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
    for (cw_joint_hold *hold; count && (hold = spread_find(joint)); count--) {
        gives = true;
        spread_let_go(hold, now);
    }
    cw_frontier_leave(joint->frontier);
    return gives;
}

/* Returns this process's share of the hosts, rounded up, as if each busy process had as many as this one. */
static uint64_t spread_share(uint64_t held, uint64_t alive, uint64_t idle)
{
    uint64_t busy = alive > idle ? alive - idle : 1;
    return (held * busy + alive - 1) / alive;
}

void cw_joint_spread_heard(cw_joint *joint, uint64_t alive, uint64_t idle)
{
    cw_joint_spread *spread = joint->spread;
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    uint64_t held = joint->holds->held; /* only this thread increases it */
    spread->idle = idle;
    if (!idle)
        spread->gifts = 0;
    uint64_t more = idle && alive > 1 ? held - spread_share(held, alive, idle) : 0;
    bool is_time = !spread->gifts || now_us - spread->gave_us >= (int64_t)GIVE_AGAIN_US << (spread->gifts - 1);
    if (!more || !is_time || !spread_give(joint, more))
        return;
    spread->gave_us = now_us;
    spread->gifts += spread->gifts < GIFTS_MAX;
}

void cw_joint_spread_left(const cw_joint_hold *hold)
{
    cw_joint_partition *of = cw_joint_partition_of(hold->joint, cw_frontier_host_origin(hold->host));
    int64_t until_us = cw_clock_us(CLOCK_BOOTTIME) + LEAVE_US;
    if (hold->yields && of->quiet_us < until_us)
        of->quiet_us = until_us;
}

/* ---- taken ---- */

int64_t cw_joint_spread_patience_us(const cw_joint *joint)
{
    return joint->spread->idle && joint->holds->held ? PATIENCE_US : 0;
}

bool cw_joint_spread_takes(const cw_joint *joint)
{
    return joint->spread->is_hungry && !joint->spread->idle;
}

size_t cw_joint_spread_room(cw_joint *joint, bool is_hungry, size_t room, int64_t now_us)
{
    cw_joint_spread *spread = joint->spread;
    bool has_some = joint->holds->held > 0;
    bool is_rare = spread->idle || joint->crew->was_idle; /* until it has asked again who is idle */
    spread->is_hungry = is_hungry;
    spread->is_idle = is_hungry && !has_some;
    if (!is_hungry || !is_rare || !room)
        return is_hungry ? room : 0;
    return !has_some || now_us - spread->took_us >= TAKE_US;
}
