#include "shared/store/lone.h"

#include "base/clock.h"
#include "shared/store/joint_clock.h"
#include "shared/store/partitions.h"

#include <stdlib.h>

/* ---- left ---- */

static cw_joint_lone *lone_make(cw_joint_hold *hold, uint64_t lease)
{
    cw_joint *joint = hold->joint;
    crawl_slice origin = cw_frontier_host_origin(hold->host);
    cw_joint_lone *lone = calloc(1, sizeof *lone + origin.size);
    if (!lone)
        return NULL;
    *lone = (cw_joint_lone){.joint = joint,
                            .lease = lease,
                            .hold = hold,
                            .change = hold->changes.made,
                            .from_ms = cw_joint_server_in(joint->clock, joint->options.lease_ms),
                            .told_us = cw_clock_us(CLOCK_BOOTTIME),
                            .origin_size = origin.size};
    lone->to_ms = lone->from_ms;
    memcpy(lone->origin, origin.data, origin.size);
    return lone;
}

static void lone_add(cw_joint_hold *hold, cw_frontier_lease *lease)
{
    cw_joint *joint = hold->joint;
    cw_joint_lone *lone = lone_make(hold, cw_frontier_leases_id(&joint->frontier->leases, lease));
    if (!lone)
        return;
    cw_joint_hold_note(hold, CW_SHARED_BACK, lease->sequence, lone->to_ms, 0, NULL);
    if (hold->changes.made == lone->change) { /* it is of an earlier hold, which was lost */
        free(lone);
        return;
    }
    lone->end.id = lease->sequence;
    lone->next = joint->lones->first;
    joint->lones->first = lone;
    lease->apart = true;
}

void cw_joint_lone_leave(cw_joint_hold *hold)
{
    const cw_frontier_leases *leases = &hold->joint->frontier->leases;
    if (!hold->host->queues[CW_NORMAL].kept) /* nothing is parked */
        return;
    for (uint32_t i = 0; i < leases->count; i++) {
        cw_frontier_lease *lease = &leases->slots[i];
        if (lease->host == hold->host && lease->parked && !lease->apart)
            lone_add(hold, lease);
    }
}

void cw_joint_lone_heard(cw_joint_hold *hold)
{
    for (cw_joint_lone *lone = hold->joint->lones->first; lone; lone = lone->next) {
        bool is_told = lone->hold == hold && lone->change < hold->changes.written;
        bool is_gone = lone->hold == hold && hold->stage == CW_JOINT_GONE;
        lone->is_closed = lone->is_closed || (is_gone && !is_told);
        if (is_told || is_gone)
            lone->hold = NULL;
    }
}

void cw_joint_lone_end(cw_joint *joint, uint64_t lease, const cw_shared_change *end)
{
    cw_joint_lone *lone = joint->lones->first;
    while (lone && (lone->lease != lease || lone->is_over))
        lone = lone->next;
    if (!lone) { /* this process closes */
        free((char *)end->bytes.data);
        return;
    }
    lone->end = *end;
    lone->epoch = joint->order.epoch;
    lone->is_over = true;
}

/* ---- told ---- */

static void lone_free(cw_joint_lone *lone)
{
    free((char *)lone->end.bytes.data);
    free(lone);
}

static void lone_on_settled(void *user, const cw_shared_written *settled)
{
    cw_joint_lone *lone = user;
    cw_joint *joint = lone->joint;
    lone->is_out = false;
    if (settled->fault) {
        cw_joint_fault(joint, settled->fault, settled->words);
        return;
    }
    cw_joint_takes_writes(joint);
    if (lone->said_end && !settled->is_stale)
        cw_joint_stir_host(joint, crawl_slice_of(lone->origin, lone->origin_size), settled->open_ms);
    pthread_mutex_lock(&joint->frontier->lock);
    lone->is_closed = lone->is_closed || lone->said_end || settled->is_stale;
    lone->from_ms = lone->to_ms;
    pthread_mutex_unlock(&joint->frontier->lock);
}

/* Under the lock. When the process closes, the end of a lease that is still out is recorded only here. */
static bool lone_speaks(cw_joint_lone *lone, int64_t now_us)
{
    cw_joint *joint = lone->joint;
    if (lone->is_out || lone->hold || lone->is_closed || !joint->is_up)
        return false;
    if (!lone->is_over && atomic_load(&joint->thread.closing)) {
        lone->is_over = true;
        lone->end = (cw_shared_change){.how = CW_SHARED_BACK, .id = lone->end.id};
    }
    if (lone->is_over)
        return lone->epoch <= joint->order.acknowledged;
    return now_us - lone->told_us >= joint->options.lease_ms * 1000 / 3;
}

static void lone_send(cw_joint_lone *lone, int64_t now_us)
{
    cw_joint *joint = lone->joint;
    pthread_mutex_lock(&joint->frontier->lock);
    cw_shared_settling settling = {.origin = crawl_slice_of(lone->origin, lone->origin_size),
                                   .from_ms = lone->from_ms,
                                   .to_ms = lone->to_ms,
                                   .change = lone->end};
    lone->said_end = lone->is_over;
    if (!lone->is_over) {
        settling.change = (cw_shared_change){.how = CW_SHARED_BACK, .id = lone->end.id};
        settling.change.at_ms = cw_joint_server_in(joint->clock, joint->options.lease_ms);
        lone->to_ms = settling.change.at_ms;
    }
    pthread_mutex_unlock(&joint->frontier->lock);
    lone->told_us = now_us;
    lone->is_out = cw_shared_settle(joint->shared, &settling, lone_on_settled, lone) == CRAWL_OK;
}

/* Removes those with nothing left to report or to hear. */
static void lones_drop(cw_joint *joint)
{
    cw_joint_lone **at = &joint->lones->first;
    while (*at) {
        cw_joint_lone *lone = *at;
        if (lone->is_out || !lone->is_closed || !lone->is_over) {
            at = &lone->next;
        } else {
            *at = lone->next;
            lone_free(lone);
        }
    }
}

void cw_joint_lones_turn(cw_joint *joint, int64_t now_us)
{
    pthread_mutex_lock(&joint->frontier->lock);
    lones_drop(joint);
    cw_joint_lone *first = joint->lones->first;
    for (cw_joint_lone *lone = first; lone; lone = lone->next)
        lone->speaks = lone_speaks(lone, now_us);
    pthread_mutex_unlock(&joint->frontier->lock);
    for (cw_joint_lone *lone = first; lone; lone = lone->next)
        if (lone->speaks)
            lone_send(lone, now_us);
}

void cw_joint_lones_give_up(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    for (cw_joint_lone *lone = joint->lones->first; lone; lone = lone->next) {
        crawl_slice origin = crawl_slice_of(lone->origin, lone->origin_size);
        lone->is_closed = lone->is_closed || cw_joint_partition_of(joint, origin)->is_back;
    }
    pthread_mutex_unlock(&joint->frontier->lock);
}

bool cw_joint_lones_are_told(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    lones_drop(joint);
    bool are_told = true;
    for (const cw_joint_lone *lone = joint->lones->first; lone; lone = lone->next)
        are_told = are_told && lone->is_closed;
    pthread_mutex_unlock(&joint->frontier->lock);
    return are_told;
}

void cw_joint_lones_free(cw_joint_lones *lones)
{
    for (cw_joint_lone *next, *lone = lones->first; lone; lone = next) {
        next = lone->next;
        lone_free(lone);
    }
}
