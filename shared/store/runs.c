#include "shared/store/runs.h"

bool cw_joint_runs_are_known(const cw_joint *joint)
{
    return cw_shared_run_date(joint->shared) > 0;
}

bool cw_joint_runs_are_left(const cw_joint *joint)
{
    return !joint->runs->takes_part && !joint->runs->is_telling;
}

static void runs_on_part(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    joint->runs->is_telling = false;
    if (!fault) {
        cw_frontier_enter(joint->frontier, INT64_MIN);
        joint->runs->date_ms = cw_shared_run_date(joint->shared);
        cw_frontier_leave(joint->frontier);
        return;
    }
    joint->runs->told_us = 0;
    cw_joint_fault(joint, fault, words);
}

static void on_left(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    joint->runs->is_telling = false;
    joint->runs->takes_part = fault != CRAWL_REDIS_OK;
    if (fault)
        cw_joint_fault(joint, fault, words);
}

void cw_joint_runs_tell(cw_joint *joint, int64_t now_us)
{
    bool leaves = atomic_load(&joint->thread.closing);
    bool is_time = !joint->runs->told_us || now_us - joint->runs->told_us >= joint->options.lease_ms * 1000 / 3;
    bool has_words = leaves ? joint->runs->takes_part : is_time;
    if (!joint->is_up || joint->runs->is_telling || !has_words)
        return;
    joint->runs->takes_part = true;
    joint->runs->told_us = now_us;
    joint->runs->is_telling = cw_shared_run(joint->shared, !leaves, leaves ? on_left : runs_on_part, joint) == CRAWL_OK;
    if (!joint->runs->is_telling)
        joint->runs->told_us = 0;
}
