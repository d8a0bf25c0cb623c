/* Recovers when a server comes back that may lack data it had acknowledged: it restarted from a snapshot, or was a
 * replica that lagged behind. Its data are those of some earlier moment. A page whose links it lacks is therefore not
 * done there either, and comes again by itself, unless somebody tells the server otherwise:
 *
 *   - Earlier sessions, and requests that they have put off, are given up without a word. Their tokens may be there,
 *     but what they would report rests on links that may not be.
 *   - Nothing counts as seen any more.
 *   - Seeds are pushed again, since no page will bring them, and notes of the crawl that the server lacks are written
 *     again: they have the places of the seeds.
 *   - Nobody takes hosts there while other processes may still ask theirs, and one pause longer: the server may
 *     not know their sessions. This process tells it the pauses of its own hosts.
 *
 * Tokens never repeat: they are made of the time. */
#include "shared/store/joint.h"

#include "base/clock.h"
#include "redis/client.h"
#include "shared/store/hold.h"
#include "shared/store/joint_crew.h"
#include "shared/store/joint_notes.h"
#include "shared/store/joint_seeds.h"
#include "shared/store/lone.h"
#include "shared/store/offer.h"
#include "shared/store/partitions.h"
#include "shared/store/turns.h"

#include <stdio.h>

/* Seeds count as missing until they are there again: the server may know of a time when this process had seeds, and
 * not that it has told all of them. Under the lock. */
static void bring_seeds(cw_joint *joint)
{
    joint->seeds->fed = -1;
    if (joint->seeds->first)
        joint->seeds->fed_epoch = joint->order.epoch;
    for (const cw_joint_link *seed = joint->seeds->first; seed; seed = seed->next) {
        cw_joint_link *link = cw_joint_link_copy(seed);
        joint->seeds->are_cut = joint->seeds->are_cut || !link;
        if (link)
            cw_joint_offer_link(joint, link);
    }
}

/* ---- hosts ---- */

static void come_back_on_restored(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint_hold *hold = user;
    hold->owed--;
    if (fault)
        cw_joint_fault(hold->joint, fault, words);
}

/* Gives up the hold. True: what is known of its host must be told. Under the lock. */
static bool come_back_give_up(cw_joint_hold *hold, int64_t now)
{
    if (hold->stage == CW_JOINT_GONE)
        return false;
    bool is_known = cw_joint_hold_compose(hold) == CRAWL_OK;
    cw_joint_hold_leave(hold, CW_JOINT_GONE, now);
    hold->leaves = !hold->is_told;
    return is_known;
}

static void come_back_restore(cw_joint_hold *hold)
{
    const cw_shared_write known = {.origin = cw_frontier_host_origin(hold->host),
                                   .pause_ms = hold->letter.pause_ms,
                                   .open_ms = hold->letter.open_ms};
    hold->owed++;
    if (cw_shared_restore(hold->joint->shared, &known, crawl_buf_slice(&hold->letter.record), come_back_on_restored,
                          hold))
        hold->owed--;
}

static void give_up_holds(cw_joint *joint)
{
    int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
    for (size_t i = 0; i < joint->holds->count; i++) {
        cw_joint_hold *hold = joint->holds->list[i];
        const cw_joint_partition *of = cw_joint_partition_of(joint, cw_frontier_host_origin(hold->host));
        hold->speaks = of->is_back && come_back_give_up(hold, now);
    }
    cw_frontier_leave(joint->frontier);
    for (size_t i = 0; i < joint->holds->count; i++)
        if (joint->holds->list[i]->speaks)
            come_back_restore(joint->holds->list[i]);
}

/* ---- partitions ---- */

static int64_t come_back_quiet_ms(const cw_joint *joint)
{
    return joint->options.lease_ms + joint->frontier->schedule.pause;
}

/* True: at least one has come back. */
static bool find_returned(cw_joint *joint)
{
    bool found = false;
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    for (unsigned i = 0; i < CW_SHARED_PARTITIONS; i++) {
        cw_joint_partition *of = &joint->partitions->of[i];
        uint64_t returns = cw_shared_returns(joint->shared, i);
        of->is_back = returns != of->returns;
        of->returns = returns;
        if (of->is_back) {
            of->quiet_us = now_us + come_back_quiet_ms(joint) * 1000;
            of->due_us = 0;
        }
        found = found || of->is_back;
    }
    return found;
}

static void come_back_tell(const cw_joint *joint)
{
    char text[400];
    snprintf(text, sizeof text,
             "redis is back, perhaps without its last acknowledged writes: missing pages are requested again, from "
             "%.3g s on%s",
             (double)come_back_quiet_ms(joint) / 1000,
             joint->seeds->are_cut ? "; give the seeds again: there are too many to keep" : "");
    cw_joint_say(joint, text);
}

static void warn(cw_joint *joint)
{
    if (!joint->is_up || joint->faults.was_warned)
        return;
    joint->faults.was_warned = true;
    if (cw_redis_lacks_log(joint->redis))
        cw_joint_say(joint, "redis keeps no append-only file: if it ends, everything since its last save is "
                            "requested again; see appendonly in redis.conf");
}

void cw_joint_come_back(cw_joint *joint)
{
    warn(joint);
    if (!find_returned(joint))
        return;
    give_up_holds(joint);
    cw_joint_lones_give_up(joint);
    cw_joint_turns_drop(joint, cw_clock_us(CLOCK_BOOTTIME) + come_back_quiet_ms(joint) * 1000);
    cw_shared_outbox_forget(joint->pushes->outbox);
    cw_frontier_enter(joint->frontier, INT64_MIN);
    cw_joint_offer_forget(joint->pushes);
    joint->counts.is_drained = false;
    bring_seeds(joint);
    cw_joint_notes_bring(joint);
    cw_frontier_leave(joint->frontier);
    joint->crew->has_told = false; /* the server may not have a report of this process, nor any sum with it */
    come_back_tell(joint);
}
