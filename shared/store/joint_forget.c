/* Hosts that this process has no more. Redis has what must outlive a session: pause, block, share and note stand in the
 * host's record, and nobody takes the host before its pause is over. So the host is forgotten here, and becomes known
 * anew with its next session; otherwise a process would grow with each host that it ever had. */
#include "shared/store/joint_state.h"

#include "base/array.h"

#include <stdlib.h>

void cw_joint_forget_later(cw_joint *joint, cw_frontier_host *host)
{
    if (host->leaving || cw_joint_hold_of(joint, host))
        return;
    if (CW_ARRAY_RESERVE(joint->leaving, joint->leaving_room, joint->leaving_count + 1, 64))
        return; /* the host stays known until its next session ends */
    joint->leaving[joint->leaving_count++] = host;
    host->leaving = true;
}

void cw_joint_tell_leaving(cw_joint *joint)
{
    for (size_t i = 0; i < joint->hold_count; i++) {
        cw_joint_hold *hold = joint->holds[i];
        if (hold->leaves && joint->options.on_leave)
            joint->options.on_leave(joint->options.user, cw_frontier_host_origin(hold->host));
        hold->is_told = hold->is_told || hold->leaves;
        hold->leaves = false;
    }
}

/* A hold that is gone may await an answer still. */
static bool joint_forget_is_named(const cw_joint *joint, const cw_frontier_host *host)
{
    for (size_t i = 0; i < joint->hold_count; i++)
        if (joint->holds[i]->host == host)
            return true;
    return false;
}

/* A block without an end is this process's own, and nobody else knows of it. */
static bool is_needed(const cw_joint *joint, const cw_frontier_host *host)
{
    return host->leased || cw_frontier_host_load(host) || host->blocked == CRAWL_FOREVER ||
           cw_joint_stray_has(joint, host) || joint_forget_is_named(joint, host);
}

void cw_joint_forget_hosts(cw_joint *joint)
{
    size_t left = 0;
    pthread_mutex_lock(&joint->frontier->lock);
    for (size_t i = 0; i < joint->leaving_count; i++) {
        cw_frontier_host *host = joint->leaving[i];
        if (cw_joint_hold_of(joint, host))
            host->leaving = false;
        else if (is_needed(joint, host))
            joint->leaving[left++] = host;
        else
            cw_frontier_hosts_forget(&joint->frontier->hosts, host);
    }
    joint->leaving_count = left;
    pthread_mutex_unlock(&joint->frontier->lock);
}
