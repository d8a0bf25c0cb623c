#include "shared/store/joint.h"

#include <stdio.h>

const char cw_joint_kind[] = "shared";

int64_t cw_joint_rest_ms(const cw_joint *joint)
{
    enum { LEAST_MS = 250, MOST_MS = 10000 };
    int64_t third_ms = joint->options.lease_ms / 3;
    int64_t rest_ms = third_ms < MOST_MS ? third_ms : MOST_MS;
    return rest_ms > LEAST_MS ? rest_ms : LEAST_MS;
}

int64_t cw_joint_lost_ms(const cw_joint *joint)
{
    return 3 * cw_joint_rest_ms(joint);
}

void cw_joint_say(const cw_joint *joint, const char *words)
{
    if (joint->options.on_words)
        joint->options.on_words(joint->options.user, words);
}

void cw_joint_fail(cw_joint *joint, crawl_err err, const char *words)
{
    if (atomic_load(&joint->faults.failed))
        return;
    crawl_error_set(&joint->faults.failure, err, "%s", words);
    atomic_store(&joint->faults.failed, (int)err);
    joint->faults.is_new = true;
}

void cw_joint_wake(cw_joint *joint)
{
    if (!joint->faults.is_new)
        return;
    joint->faults.is_new = false;
    pthread_mutex_lock(&joint->frontier->lock);
    pthread_cond_broadcast(&joint->looked);
    pthread_mutex_unlock(&joint->frontier->lock);
    if (joint->frontier->options.on_ready)
        joint->frontier->options.on_ready(joint->frontier->options.user);
}

void cw_joint_lose(cw_joint *joint, cw_shared_loss loss, crawl_slice where)
{
    static const char lost[] =
        "redis has lost the crawl: its server no longer has it, and what was queued is gone; if it was restarted, see "
        "appendonly in redis.conf";
    static const char other[] = "redis has a different crawl of this name now";
    char text[400];
    const char *words = loss == CW_SHARED_OTHER ? other : lost;
    if (where.size)
        snprintf(text, sizeof text, "%s (%.*s)", words, (int)where.size, where.data);
    else
        snprintf(text, sizeof text, "%s", words);
    cw_joint_fail(joint, CRAWL_EIO, text);
}

bool cw_joint_is_refused_write(crawl_redis_fault fault, const char *words)
{
    bool is_short = fault == CRAWL_REDIS_NOREPLICAS && strstr(words, "NOREPLICAS"); /* not of a WAIT */
    return is_short || fault == CRAWL_REDIS_READONLY || fault == CRAWL_REDIS_MISCONF;
}

/* Tells the user if Redis refuses writes: nothing goes on until somebody mends it. */
static void tell_refused_writes(cw_joint *joint, crawl_redis_fault fault, const char *words)
{
    char text[400];
    if (!cw_joint_is_refused_write(fault, words) || joint->faults.refuses_writes)
        return;
    joint->faults.refuses_writes = true;
    snprintf(text, sizeof text, "redis: %s; retrying (%s)", crawl_redis_fault_words(fault), words);
    cw_joint_say(joint, text);
}

void cw_joint_takes_writes(cw_joint *joint)
{
    if (joint->faults.refuses_writes)
        cw_joint_say(joint, "redis takes writes again");
    joint->faults.refuses_writes = false;
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
        cw_joint_lose(joint, loss, crawl_slice_from(strchr(words, ' ') + 1)); /* a word of the script precedes them */
    else
        cw_joint_fail(joint, CRAWL_EIO, text);
}
