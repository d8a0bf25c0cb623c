/* The heartbeat: renews all sessions three times a lease. */
#include "shared/store/joint_sessions.h"

#include "shared/store/joint_clock.h"
#include "shared/store/spread.h"
#include "shared/store/stray.h"

#include <stdlib.h>

static void renew_end(cw_joint *joint)
{
    free(joint->renewal->asked);
    free(joint->renewal->of);
    joint->renewal->asked = NULL;
    joint->renewal->of = NULL;
}

enum {
    RENEW_AGAIN_US = 200 * 1000, /* after a fault */
    SOUGHT_US = 1000 * 1000      /* while this process seeks a host itself */
};

static void renew_on_answer(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    if (!fault && joint->renewal->count)
        cw_joint_takes_writes(joint);
    int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
    for (size_t i = 0; i < joint->renewal->count; i++) {
        const cw_shared_hold *said = &joint->renewal->asked[i];
        cw_joint_hold *hold = joint->renewal->of[i];
        hold->owed--;
        if (said->until_us > hold->until_us)
            hold->until_us = said->until_us;
        if (said->is_lost)
            cw_joint_hold_leave(hold, CW_JOINT_GONE, now);
        else if (said->is_wanted)
            cw_joint_spread_sought(hold, now);
    }
    cw_joint_clock_follow(joint->clock);
    cw_frontier_leave(joint->frontier);
    renew_end(joint);
    if (fault) {
        joint->renewal->asked_us += RENEW_AGAIN_US - joint->options.lease_ms * 1000 / 3;
        cw_joint_fault(joint, fault, words);
    }
}

static void renew_holds(cw_joint *joint, int64_t now_us)
{
    size_t count = 0;
    joint->renewal->asked = calloc(joint->holds->count + 1, sizeof *joint->renewal->asked);
    joint->renewal->of = calloc(joint->holds->count + 1, sizeof *joint->renewal->of);
    if (!joint->renewal->asked || !joint->renewal->of) {
        renew_end(joint);
        return;
    }
    pthread_mutex_lock(&joint->frontier->lock);
    for (size_t i = 0; i < joint->holds->count; i++) {
        cw_joint_hold *hold = joint->holds->list[i];
        if (hold->stage == CW_JOINT_GONE)
            continue;
        joint->renewal->asked[count] =
            (cw_shared_hold){.origin = cw_frontier_host_origin(hold->host), .token = hold->token};
        joint->renewal->of[count++] = hold;
        hold->owed++;
    }
    pthread_mutex_unlock(&joint->frontier->lock);
    joint->renewal->count = count;
    if (cw_shared_renew(joint->shared, joint->renewal->asked, count, now_us, renew_on_answer, joint)) {
        for (size_t i = 0; i < count; i++)
            joint->renewal->of[i]->owed--;
        renew_end(joint);
    }
}

void cw_joint_renew_hosts(cw_joint *joint, int64_t now_us)
{
    int64_t since_us = now_us - joint->renewal->asked_us;
    /* Two processes may each seek a host that the other one has: both must hear of it soon. */
    bool is_time =
        since_us >= joint->options.lease_ms * 1000 / 3 || (since_us >= SOUGHT_US && cw_joint_strays_are_sought(joint));
    if (!joint->is_up || !is_time || joint->renewal->asked)
        return;
    joint->renewal->asked_us = now_us;
    if (joint->holds->count)
        renew_holds(joint, now_us);
}
