/* What a joint frontier cannot go on after. */
#include "base/error.h"
#include "frontier/shared/state.h"

void cw_joint_fail(cw_joint *joint, crawl_err err, const char *words)
{
    if (atomic_load(&joint->failed))
        return;
    crawl_error_set(&joint->failure, err, "%s", words);
    atomic_store(&joint->failed, (int)err);
}

void cw_joint_break(cw_joint *joint, crawl_err err, const char *words)
{
    cw_frontier_enter(joint->frontier, INT64_MIN);
    cw_joint_fail(joint, err, words);
    cw_frontier_leave(joint->frontier);
    if (joint->frontier->options.on_ready) /* whoever sleeps is to find out */
        joint->frontier->options.on_ready(joint->frontier->options.user);
}

void cw_joint_fault(cw_joint *joint, crawl_redis_fault fault, const char *words)
{
    char text[300];
    if (crawl_redis_fault_passes(fault) || fault == CRAWL_REDIS_UNKNOWN || fault == CRAWL_REDIS_UNSENT)
        return;
    snprintf(text, sizeof text, "%s (%s)", crawl_redis_fault_words(fault), words);
    cw_joint_break(joint, CRAWL_EIO, text);
}
