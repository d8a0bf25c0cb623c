#include "shared/store/look.h"

#include "base/clock.h"
#include "shared/store/hold.h"
#include "shared/store/joint_crew.h"
#include "shared/store/joint_join.h"
#include "shared/store/joint_seeds.h"
#include "shared/store/offer.h"
#include "shared/store/partitions.h"

#include <stdio.h>

/* Times between two looks, and a limit. */
enum {
    NEWS_MS = 250,     /* while this process is idle and others have just ended something; or in a new run */
    FIGURES_MS = 5000, /* while it is busy, and somebody wants to know, or there is less than ROOM */
    FULL_MS = 1000,    /* while at most half of max_queued is free */
    ROOM = 10000000    /* more than all processes find in any of these times */
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

/* ---- the need for a look ---- */

/* Under the lock. Returns true if Redis knows every push and every end of a lease. */
static bool look_is_told(const cw_joint *joint)
{
    bool is_told = !joint->pushes->offered && !joint->pushes->epochs;
    for (size_t i = 0; i < joint->holds->count && is_told; i++) {
        const cw_joint_hold *hold = joint->holds->list[i];
        is_told = hold->stage == CW_JOINT_GONE || (!hold->letter.is_out && hold->changes.written == hold->changes.made);
    }
    return is_told;
}

/* Returns how many of the wanted looks are served by one that begins now. */
static uint64_t look_serves(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    uint64_t served = look_is_told(joint) ? joint->look->wanted : joint->look->had;
    pthread_mutex_unlock(&joint->frontier->lock);
    return served;
}

/* Fails if a key was deleted, or dropped by a server whose policy was changed: no process would ever end. */
static void look_fail_stranded(cw_joint *joint, unsigned partition)
{
    char text[400];
    snprintf(text, sizeof text,
             "redis has lost keys of the crawl: requests are queued or held in {%s:%u} that no host has (see crawl "
             "inspect --check)",
             joint->name, partition);
    cw_joint_fail(joint, CRAWL_EIO, text);
}

/* Takes a look at the partitions. Asks one of which nothing was known but which has hosts: a word about it was lost.
 * Fails if queued requests can never be taken, and this lasts for a lease. */
static void look_at_partitions(cw_joint *joint, const cw_shared_look *said)
{
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    for (unsigned i = 0; i < CW_SHARED_PARTITIONS; i++) {
        cw_joint_partition *of = &joint->partitions->of[i];
        if (said->has_some[i] && of->due_us == INT64_MAX)
            of->due_us = 0;
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

static void look_take(cw_joint *joint, const cw_shared_look *said)
{
    bool is_drained = said->is_drained && look_is_idle(joint) && !joint->look->is_asking_made;
    look_at_partitions(joint, said);
    cw_joint_seeds_note_unfed(joint, said->unfed, is_drained);
    cw_frontier_enter(joint->frontier, INT64_MIN);
    joint->counts.all = said->figures;
    joint->counts.accepted_before_look = joint->look->accepted;
    joint->counts.is_drained = joint->counts.is_drained || (is_drained && !joint->pushes->offered);
    joint->look->had = joint->look->serves;
    pthread_cond_broadcast(&joint->looked);
    cw_frontier_leave(joint->frontier);
}

static void look_on_answer(void *user, const cw_shared_look *said)
{
    cw_joint *joint = user;
    joint->look->is_out = false;
    joint->look->looked_us = cw_clock_us(CLOCK_BOOTTIME);
    joint->partitions->has_moved = joint->partitions->has_moved || said->fault;
    joint->look->run_ms = said->fault ? 0 : joint->look->run_ms;
    if (said->fault)
        cw_joint_fault(joint, said->fault, said->words);
    else
        look_take(joint, said);
}

static void look_begin(cw_joint *joint, cw_shared_depth depth)
{
    if (depth != CW_SHARED_REQUESTS)
        joint->look->run_ms = cw_shared_run_date(joint->shared);
    look_ask_made(joint); /* answered first, so that the end of another crawl is not taken for this one's */
    joint->partitions->has_moved = false;
    joint->look->serves = look_serves(joint);
    joint->look->accepted = joint->counts.accepted; /* changed by this thread only */
    joint->look->is_out = cw_shared_look_at(joint->shared, depth, look_on_answer, joint) == CRAWL_OK;
}

static uint64_t look_room(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    uint64_t room = cw_joint_room(joint);
    pthread_mutex_unlock(&joint->frontier->lock);
    return room;
}

/* Returns true if there is a run of which it is not known yet what is due. */
static bool look_has_new_run(const cw_joint *joint)
{
    return cw_shared_run_date(joint->shared) != joint->look->run_ms;
}

/* Returns the time between two looks. */
static int64_t look_every_ms(cw_joint *joint, bool is_idle, bool is_shown)
{
    bool has_news = joint->partitions->has_moved && !joint->partitions->is_stirred;
    if ((is_idle && has_news) || look_has_new_run(joint))
        return NEWS_MS;
    if (is_idle)
        return cw_joint_rest_ms(joint);
    if (look_room(joint) <= joint->frontier->options.max_queued / 2)
        return FULL_MS;
    return is_shown || look_room(joint) < ROOM ? FIGURES_MS : cw_joint_lost_ms(joint);
}

void cw_joint_look_turn(cw_joint *joint, int64_t now_us)
{
    bool is_idle = look_is_idle(joint);
    bool is_shown = cw_joint_crew_is_wanted(joint, now_us);
    bool has_hosts = is_shown || look_has_new_run(joint);
    bool is_time = now_us - joint->look->looked_us >= look_every_ms(joint, is_idle, is_shown) * 1000;
    if (!joint->is_up || !cw_joint_runs_are_known(joint) || joint->look->is_out || atomic_load(&joint->thread.closing))
        return;
    if (is_time || look_serves(joint) > joint->look->had)
        look_begin(joint, is_idle ? CW_SHARED_END : has_hosts ? CW_SHARED_HOSTS : CW_SHARED_REQUESTS);
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
