/* Runs: a process takes part in one from its first turn to its last, and says so again before its lease is over, so
 * that whoever comes meanwhile has the same date. Further visits that are due by that date are taken as other requests
 * are; those that are due later stay in Redis, and nobody waits for them. */
#include "base/clock.h"
#include "shared/store/joint_state.h"

bool cw_joint_runs_are_known(const cw_joint *joint)
{
    return !joint->options.by_runs || cw_shared_run_date(joint->shared) > 0;
}

bool cw_joint_runs_are_left(const cw_joint *joint)
{
    return !joint->runs && !joint->is_telling_run;
}

/* Of a run that this process did not know of, other visits are due in every partition. */
static void look_everywhere(cw_joint *joint)
{
    for (unsigned i = 0; i < CW_SHARED_PARTITIONS; i++)
        joint->partitions[i].due_us = 0;
}

static void runs_on_part(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    joint->is_telling_run = false;
    if (!fault) {
        if (cw_shared_run_date(joint->shared) != joint->run_ms)
            look_everywhere(joint);
        joint->run_ms = cw_shared_run_date(joint->shared);
        return;
    }
    joint->ran_us = 0;
    cw_joint_fault(joint, fault, words);
}

static void on_left(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    joint->is_telling_run = false;
    joint->runs = fault != CRAWL_REDIS_OK;
    if (fault)
        cw_joint_fault(joint, fault, words);
}

void cw_joint_runs_tell(cw_joint *joint, int64_t now_us)
{
    bool leaves = atomic_load(&joint->closing);
    bool is_time = !joint->ran_us || now_us - joint->ran_us >= joint->options.lease_ms * 1000 / 3;
    bool has_words = leaves ? joint->runs : is_time;
    if (!joint->options.by_runs || !joint->is_up || joint->is_telling_run || !has_words)
        return;
    joint->runs = true;
    joint->ran_us = now_us;
    joint->is_telling_run = cw_shared_run(joint->shared, !leaves, leaves ? on_left : runs_on_part, joint) == CRAWL_OK;
    if (!joint->is_telling_run)
        joint->ran_us = 0;
}
