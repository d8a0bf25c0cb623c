#include "shared/store/look.h"

#include "base/clock.h"
#include "shared/store/hold.h"
#include "shared/store/joint_seeds.h"
#include "shared/store/offer.h"
#include "shared/store/partitions.h"
#include "shared/store/runs.h"

#include <stdio.h>

/* Between two looks: */
enum {
    NEWS_MS = 250,     /* while this process has nothing to do, and others have just ended something */
    FIGURES_MS = 5000, /* while it has something */
    FULL_MS = 1000     /* and while there is not much room for more */
};

/* ---- the crawl ---- */

static void look_take_made(cw_joint *joint, const crawl_redis_reply *reply)
{
    crawl_slice made = reply->type == CRAWL_REDIS_TEXT ? reply->text : (crawl_slice){0};
    joint->look->knows_crawl = cw_shared_is_joined(joint->shared, made);
    if (!joint->look->knows_crawl)
        cw_joint_lose(joint, made.size ? CW_SHARED_OTHER : CW_SHARED_LOST, (crawl_slice){0});
}

static void look_on_made(void *user, const crawl_redis_answer *said)
{
    cw_joint *joint = user;
    joint->look->is_asking_made = false;
    if (said->fault)
        cw_joint_fault(joint, said->fault, said->words);
    else
        look_take_made(joint, said->reply);
}

static void look_ask_made(cw_joint *joint)
{
    if (!joint->look->is_asking_made)
        joint->look->is_asking_made = cw_shared_read_made(joint->shared, look_on_made, joint) == CRAWL_OK;
}

bool cw_joint_look_knows_crawl(cw_joint *joint)
{
    if (joint->is_up && !joint->look->knows_crawl)
        look_ask_made(joint);
    return !joint->is_up || joint->look->knows_crawl;
}

/* ---- what a look is for ---- */

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
    bool is_told = !joint->pushes->offered && !joint->pushes->epochs;
    for (size_t i = 0; i < joint->holds->count && is_told; i++) {
        const cw_joint_hold *hold = joint->holds->list[i];
        is_told = hold->stage == CW_JOINT_GONE || (!hold->letter.is_out && hold->changes.written == hold->changes.made);
    }
    return is_told;
}

/* How many of the looks that callers want one would serve that begins now. */
static uint64_t look_serves(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    uint64_t served = look_is_told(joint) ? joint->look->wanted : joint->look->had;
    pthread_mutex_unlock(&joint->frontier->lock);
    return served;
}

/* A key was deleted, or dropped by a server whose policy was changed. Nobody would end. */
static void look_fail_stranded(cw_joint *joint, unsigned partition)
{
    char text[400];
    snprintf(text, sizeof text,
             "redis has lost keys of the crawl: requests are queued or held in {%s:%u} that no host has (see crawl "
             "inspect --check)",
             joint->name, partition);
    cw_joint_break(joint, CRAWL_EIO, text);
}

/* Whether some of what is queued will never be taken: after a lease the frontier fails. */
static void look_for_stranded(cw_joint *joint, const cw_shared_look *said)
{
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    for (unsigned i = 0; i < CW_SHARED_PARTITIONS; i++) {
        cw_joint_partition *of = &joint->partitions->of[i];
        if (!said->is_stranded[i])
            of->stranded_us = 0;
        else if (!of->stranded_us)
            of->stranded_us = now_us;
        else if (now_us - of->stranded_us >= joint->options.lease_ms * 1000)
            look_fail_stranded(joint, i);
    }
}

/* ---- a look ---- */

static bool look_is_idle(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    bool is_idle = !joint->pushes->offered && !joint->seeds->feeding && !joint->counts.is_drained &&
                   joint->frontier->promise != CW_PROMISE_NONE;
    pthread_mutex_unlock(&joint->frontier->lock);
    return is_idle && !joint->holds->count && !joint->pushes->epochs;
}

static void look_begin(cw_joint *joint, bool is_final);

static bool look_is_empty(const crawl_shared_counts *figures)
{
    return !figures->queued && !figures->held && !figures->sessions && !figures->waiting;
}

/* A first look that finds nothing is followed by one that can be sure of it. */
static void look_take(cw_joint *joint, const cw_shared_look *said, bool is_final)
{
    bool is_drained = is_final && said->is_drained && look_is_idle(joint) && !joint->look->is_asking_made;
    look_for_stranded(joint, said);
    cw_joint_seeds_note_unfed(joint, said->unfed, is_drained);
    cw_frontier_enter(joint->frontier, INT64_MIN);
    joint->counts.all = said->figures;
    joint->counts.accepted_before_look = joint->look->accepted;
    joint->counts.is_drained = joint->counts.is_drained || (is_drained && !joint->pushes->offered);
    joint->look->had = joint->look->serves;
    pthread_cond_broadcast(&joint->looked);
    cw_frontier_leave(joint->frontier);
    if (!is_final && look_is_empty(&said->figures) && look_is_idle(joint))
        look_begin(joint, true);
}

static void look_on_answer(void *user, const cw_shared_look *said)
{
    cw_joint *joint = user;
    bool is_final = joint->look->is_final;
    joint->look->is_out = joint->look->is_final = false;
    joint->look->looked_us = cw_clock_us(CLOCK_BOOTTIME);
    joint->partitions->has_moved = joint->partitions->has_moved || said->fault;
    if (said->fault)
        cw_joint_fault(joint, said->fault, said->words);
    else
        look_take(joint, said, is_final);
}

static void look_begin(cw_joint *joint, bool is_final)
{
    look_ask_made(joint); /* its answer comes first, so that no other crawl's end is taken for that of this one */
    joint->partitions->has_moved = false;
    joint->look->is_final = is_final;
    joint->look->serves = look_serves(joint);
    joint->look->accepted = joint->counts.accepted; /* which this thread alone changes */
    joint->look->is_out = cw_shared_look_at(joint->shared, is_final, look_on_answer, joint) == CRAWL_OK;
}

static bool look_fills_up(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    bool fills_up = cw_joint_fills_up(joint);
    pthread_mutex_unlock(&joint->frontier->lock);
    return fills_up;
}

void cw_joint_look_turn(cw_joint *joint, int64_t now_us)
{
    bool has_news = joint->partitions->has_moved && !joint->partitions->is_stirred;
    int64_t every_ms = look_fills_up(joint) ? FULL_MS : FIGURES_MS;
    if (look_is_idle(joint))
        every_ms = has_news ? NEWS_MS : cw_joint_rest_ms(joint);
    if (joint->is_up && cw_joint_runs_are_known(joint) && !joint->look->is_out &&
        (now_us - joint->look->looked_us >= every_ms * 1000 || look_serves(joint) > joint->look->had))
        look_begin(joint, false);
}

/* ---- callers ---- */

crawl_err crawl_frontier_shared_look(crawl_frontier *frontier, int64_t wait_ms)
{
    cw_joint *joint = cw_joint_shared(frontier);
    if (!joint)
        return CRAWL_ESTATE;
    int64_t until_us = cw_now_us() + wait_ms * 1000;
    const struct timespec until = {.tv_sec = until_us / 1000000, .tv_nsec = until_us % 1000000 * 1000};
    int late = 0;
    pthread_mutex_lock(&frontier->lock);
    uint64_t wanted = ++joint->look->wanted;
    while (joint->look->had < wanted && joint->is_up && !atomic_load(&joint->faults.failed) && !late)
        late = pthread_cond_timedwait(&joint->looked, &frontier->lock, &until);
    bool has_looked = joint->look->had >= wanted;
    pthread_mutex_unlock(&frontier->lock);
    return has_looked ? CRAWL_OK : CRAWL_AGAIN;
}
