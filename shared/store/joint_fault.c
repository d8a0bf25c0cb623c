/* What a joint frontier cannot go on after. */
#include "base/error.h"
#include "shared/store/joint_state.h"

#include <stdio.h>
#include <string.h>

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
    pthread_cond_broadcast(&joint->looked);
    cw_frontier_leave(joint->frontier);
    if (joint->frontier->options.on_ready) /* whoever sleeps is to find out */
        joint->frontier->options.on_ready(joint->frontier->options.user);
}

void cw_joint_lose(cw_joint *joint, cw_shared_loss loss, crawl_slice where)
{
    static const char lost[] =
        "redis has lost the crawl: its server came back without it, and what was queued is gone; see appendonly in "
        "redis.conf";
    static const char other[] = "redis has another crawl of this name than the one that was joined";
    char text[400];
    const char *words = loss == CW_SHARED_OTHER ? other : lost;
    if (where.size)
        snprintf(text, sizeof text, "%s (%.*s)", words, (int)where.size, where.data);
    else
        snprintf(text, sizeof text, "%s", words);
    cw_joint_break(joint, CRAWL_EIO, text);
}

/* Nothing goes on until somebody sees to it, who must know of it. */
static void tell_refused_writes(cw_joint *joint, crawl_redis_fault fault, const char *words)
{
    char text[400];
    bool is_refused = fault == CRAWL_REDIS_READONLY || fault == CRAWL_REDIS_MISCONF;
    if (!is_refused || joint->refuses_writes)
        return;
    joint->refuses_writes = true;
    snprintf(text, sizeof text, "redis: %s; it is tried again (%s)", crawl_redis_fault_words(fault), words);
    if (joint->options.on_words)
        joint->options.on_words(joint->options.user, text);
}

void cw_joint_takes_writes(cw_joint *joint)
{
    if (joint->refuses_writes && joint->options.on_words)
        joint->options.on_words(joint->options.user, "redis takes writes again");
    joint->refuses_writes = false;
}

void cw_joint_fault(cw_joint *joint, crawl_redis_fault fault, const char *words)
{
    char text[300];
    tell_refused_writes(joint, fault, words);
    if (crawl_redis_fault_passes(fault) || fault == CRAWL_REDIS_UNKNOWN || fault == CRAWL_REDIS_UNSENT)
        return;
    cw_shared_loss loss = cw_shared_loss_in(words);
    snprintf(text, sizeof text, "%s (%s)", crawl_redis_fault_words(fault), words);
    if (loss)
        cw_joint_lose(joint, loss, crawl_slice_from(strchr(words, ' ') + 1)); /* a word of the script's before them */
    else
        cw_joint_break(joint, CRAWL_EIO, text);
}
