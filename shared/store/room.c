/* max_queued, over all processes: what is queued anywhere, as the last look had it, and what this process has brought
 * since, with what is on its way, though some of that may be seen. What others have brought since then it does not
 * know, so that looks come often when there is little room. */
#include "shared/store/joint_state.h"

static uint64_t queued(const cw_joint *joint)
{
    const crawl_shared_counts *all = &joint->figures;
    return all->queued + all->held + all->later + (joint->accepted - joint->accepted_before_look) + joint->owed_links;
}

bool cw_joint_is_full(const cw_joint *joint)
{
    uint64_t limit = joint->frontier->options.max_queued;
    return limit && queued(joint) >= limit;
}

bool cw_joint_fills_up(const cw_joint *joint)
{
    uint64_t limit = joint->frontier->options.max_queued;
    return limit && queued(joint) >= limit / 2;
}
