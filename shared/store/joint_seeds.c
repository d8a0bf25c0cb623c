#include "shared/store/joint_seeds.h"

#include "shared/store/partitions.h"

#include <stdlib.h>

/* Maximum bytes of kept seeds, overhead included. */
#define SEEDS_BYTES ((size_t)4 << 20)

void cw_joint_seed_keep(cw_joint_seeds *seeds, const cw_joint_link *link)
{
    bool has_room = seeds->bytes + link->size <= SEEDS_BYTES;
    cw_joint_link *copy = has_room ? cw_joint_link_copy(link) : NULL;
    seeds->are_cut = seeds->are_cut || !copy;
    if (!copy)
        return;
    copy->next = seeds->first;
    seeds->first = copy;
    seeds->bytes += copy->size;
}

void cw_joint_seeds_note_unfed(cw_joint *joint, uint64_t unfed, bool is_end)
{
    bool is_told = unfed > joint->seeds->unfed || (unfed && is_end);
    joint->seeds->unfed = unfed;
    if (is_told)
        cw_joint_say(joint, "seeds may be missing: a process of this crawl ended before all of its seeds were in "
                            "Redis; give the seeds again");
}

void cw_joint_feed(cw_joint *joint, bool feeding)
{
    cw_frontier_enter(joint->frontier, INT64_MIN);
    joint->seeds->feeding = feeding;
    joint->counts.is_drained = joint->counts.is_drained && !feeding;
    joint->seeds->fed_epoch = joint->order.epoch;
    cw_frontier_leave(joint->frontier);
}

/* Under the lock. Returns what to tell Redis when all seeds are there. */
static cw_shared_feeding seeds_done(const cw_joint_seeds *seeds)
{
    bool had_some = seeds->first || seeds->are_cut;
    return seeds->are_for_all && had_some ? CW_SHARED_FED_FOR_ALL : CW_SHARED_FED;
}

static void seeds_on_told(void *user, crawl_redis_fault fault, const char *words, uint64_t)
{
    cw_joint *joint = user;
    joint->seeds->is_telling = false;
    if (!fault && !joint->seeds->fed)
        cw_joint_stir(joint, CW_SHARED_PARTITIONS, 0); /* somebody may wait for that */
    joint->seeds->are_for_all = joint->seeds->are_for_all && (fault || joint->seeds->fed);
    if (fault) {
        joint->seeds->fed = -1;
        cw_joint_fault(joint, fault, words);
    }
}

void cw_joint_seeds_tell(cw_joint *joint, int64_t now_us)
{
    bool is_time = now_us - joint->seeds->told_us >= joint->options.lease_ms * 1000 / 3;
    pthread_mutex_lock(&joint->frontier->lock);
    int feeds = joint->seeds->feeding || joint->order.acknowledged < joint->seeds->fed_epoch;
    cw_shared_feeding done = seeds_done(joint->seeds);
    pthread_mutex_unlock(&joint->frontier->lock);
    if (!joint->is_up || joint->seeds->is_telling || (feeds == joint->seeds->fed && !(feeds && is_time)))
        return;
    joint->seeds->fed = feeds;
    joint->seeds->told_us = now_us;
    joint->seeds->is_telling =
        cw_shared_feed(joint->shared, feeds ? CW_SHARED_FEEDS : done, seeds_on_told, joint) == CRAWL_OK;
    if (!joint->seeds->is_telling)
        joint->seeds->fed = -1;
}
