/* The last look: whoever wants the figures of the end waits until this process has told all that it has to, and has
 * looked at the whole once more. */
#include "base/clock.h"
#include "shared/store/joint_state.h"

#include <stdio.h>

/* A time that callers wait until goes on by the monotonic clock. */
bool cw_joint_look_create_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes))
        return false;
    bool is_made =
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 && pthread_cond_init(condition, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return is_made;
}

/* Under the lock: does Redis know of every push, and of the end of every lease? */
static bool look_is_told(const cw_joint *joint)
{
    bool is_told = !joint->offered && !joint->epochs;
    for (size_t i = 0; i < joint->hold_count && is_told; i++) {
        const cw_joint_hold *hold = joint->holds[i];
        is_told = hold->stage == CW_JOINT_GONE || (!hold->is_writing && hold->written == hold->made);
    }
    return is_told;
}

uint64_t cw_joint_look_serves(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    uint64_t served = look_is_told(joint) ? joint->looks_wanted : joint->looks_had;
    pthread_mutex_unlock(&joint->frontier->lock);
    return served;
}

/* A key was deleted, or dropped by a server whose policy was changed. Nobody would end. */
static void fail_stranded(cw_joint *joint, unsigned partition)
{
    char text[400];
    snprintf(text, sizeof text,
             "redis has lost keys of the crawl: requests are queued or held in {%s:%u} that no host has (see crawl "
             "inspect --check)",
             joint->name, partition);
    cw_joint_break(joint, CRAWL_EIO, text);
}

void cw_joint_look_for_stranded(cw_joint *joint, const cw_shared_look *said)
{
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    for (unsigned i = 0; i < CW_SHARED_PARTITIONS; i++) {
        cw_joint_partition *of = &joint->partitions[i];
        if (!said->is_stranded[i])
            of->stranded_us = 0;
        else if (!of->stranded_us)
            of->stranded_us = now_us;
        else if (now_us - of->stranded_us >= joint->options.lease_ms * 1000)
            fail_stranded(joint, i);
    }
}

crawl_err crawl_frontier_shared_look(crawl_frontier *frontier, int64_t wait_ms)
{
    crawl_shared_figures unused;
    if (crawl_frontier_shared_figures(frontier, &unused))
        return CRAWL_ESTATE;
    cw_joint *joint = cw_joint_of(frontier);
    int64_t until_us = cw_now_us() + wait_ms * 1000;
    const struct timespec until = {.tv_sec = until_us / 1000000, .tv_nsec = until_us % 1000000 * 1000};
    int late = 0;
    pthread_mutex_lock(&frontier->lock);
    uint64_t wanted = ++joint->looks_wanted;
    while (joint->looks_had < wanted && joint->is_up && !atomic_load(&joint->failed) && !late)
        late = pthread_cond_timedwait(&joint->looked, &frontier->lock, &until);
    bool has_looked = joint->looks_had >= wanted;
    pthread_mutex_unlock(&frontier->lock);
    return has_looked ? CRAWL_OK : CRAWL_AGAIN;
}
