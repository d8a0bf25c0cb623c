/* What the thread sends and hears of hosts: they are taken, renewed, written to, and given back. */
#include "base/array.h"
#include "base/clock.h"
#include "shared/store/joint_request.h"
#include "shared/store/joint_state.h"

#include <stdlib.h>

/* ---- taken ---- */

static void joint_sessions_free_items(cw_frontier_item **items, size_t count)
{
    for (size_t i = 0; i < count && items[i]; i++) {
        free(cw_frontier_item_leave_parent(items[i]));
        free(items[i]);
    }
}

static crawl_err joint_sessions_read_items(const cw_shared_session *session, cw_frontier_item **items)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < session->item_count && !err; i++)
        err = cw_joint_request_read(session->items[i].bytes, &items[i]);
    return err;
}

static cw_joint_hold *make_hold(cw_joint *joint, const cw_shared_session *session, int64_t until_us)
{
    cw_joint_hold *hold = calloc(1, sizeof *hold);
    cw_joint_change *changes = calloc(session->item_count + 1, sizeof *changes);
    if (!hold || !changes) {
        free(hold);
        free(changes);
        return NULL;
    }
    *hold = (cw_joint_hold){.joint = joint,
                            .token = session->token,
                            .until_us = until_us,
                            .awaits_notes = true,
                            .awaits_cookies = joint->jars != NULL,
                            .begun_us = cw_clock_us(CLOCK_BOOTTIME),
                            .changes = changes,
                            .room = session->item_count};
    return hold;
}

/* Where there is no memory for a session, nobody asks its host until its deadline. */
static void begin_hold(cw_joint *joint, const cw_shared_session *session, int64_t until_us)
{
    bool has_place = !CW_ARRAY_RESERVE(joint->holds, joint->hold_room, joint->hold_count + 1, 64);
    cw_joint_hold *hold = has_place ? make_hold(joint, session, until_us) : NULL;
    cw_frontier_item **items = calloc(session->item_count + 1, sizeof(cw_frontier_item *));
    crawl_err err = hold && items ? joint_sessions_read_items(session, items) : CRAWL_ENOMEM;
    if (!err) {
        int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
        err = cw_joint_hold_begin(hold, session, items, now);
        cw_frontier_leave(joint->frontier);
    }
    if (!err) {
        joint->holds[joint->hold_count++] = hold;
        cw_joint_cookies_begin(hold);
    } else if (hold)
        cw_joint_hold_free(hold);
    if (err && items)
        joint_sessions_free_items(items, session->item_count);
    free(items);
    if (err == CRAWL_ECORRUPT)
        cw_joint_fail(joint, err, "a request of the crawl cannot be read");
}

/* The time of the server when the answer was made is later than the question by no more than the answer's own way. The
 * best of some seconds counts, so that clocks that run apart are followed. */
static void joint_sessions_learn_time(cw_joint *joint, int64_t sent_us, int64_t now_ms)
{
    int64_t server_us = (now_ms + 1) * 1000 - sent_us;
    int64_t within_us = cw_clock_us(CLOCK_BOOTTIME) - sent_us + 1000;
    if (server_us < joint->best_server_us) {
        joint->best_server_us = server_us;
        joint->best_within_us = within_us;
    }
    pthread_mutex_lock(&joint->frontier->lock);
    if (!joint->server_us || server_us < joint->server_us) {
        joint->server_us = server_us;
        joint->server_within_us = within_us;
    }
    pthread_mutex_unlock(&joint->frontier->lock);
}

void cw_joint_expect(cw_joint *joint, crawl_slice origin)
{
    cw_joint_partition *partition = &joint->partitions[cw_shared_partition(origin)];
    partition->is_sure = true;
    partition->due_us = 0;
}

void cw_joint_took(cw_joint *joint, const cw_shared_taken *taken, int64_t sent_us)
{
    joint_sessions_learn_time(joint, sent_us, taken->now_ms);
    for (size_t i = 0; i < taken->count; i++)
        begin_hold(joint, &taken->sessions[i], taken->until_us);
    if (taken->count)
        cw_joint_notes_ask(joint);
    cw_joint_cookies_ask(joint);
}

static void joint_sessions_on_took(void *user, const cw_shared_taken *taken)
{
    enum { SOON_US = 400 * 1000 };
    cw_joint_partition *partition = user;
    cw_joint *joint = partition->joint;
    partition->is_out = false;
    if (taken->fault) {
        cw_joint_fault(joint, taken->fault, taken->words);
        return;
    }
    if (taken->count) /* otherwise it may have read alone */
        cw_joint_takes_writes(joint);
    cw_joint_took(joint, taken, partition->sent_us);
    if (taken->count) { /* and there may be more */
        partition->is_sure = true;
        partition->due_us = 0;
        return;
    }
    int64_t wait_us = taken->next_ms < 0 ? INT64_MAX : (taken->next_ms - taken->now_ms) * 1000;
    int64_t rest_us = cw_joint_rest_ms(joint) * 1000; /* what others push meanwhile they tell of */
    partition->is_sure = wait_us < SOON_US;
    partition->due_us = cw_clock_us(CLOCK_BOOTTIME) + (wait_us < rest_us ? wait_us : rest_us);
}

/* More hosts are wanted when somebody asked for a lease in vain. */
static bool is_hungry(cw_joint *joint, size_t *room)
{
    crawl_frontier *frontier = joint->frontier;
    pthread_mutex_lock(&frontier->lock);
    bool is_full = joint->offered_bytes + joint->outbox_bytes > joint->options.owed_bytes;
    bool is_hungry = frontier->promise != CW_PROMISE_NONE && joint->is_up && !is_full && !joint->is_spent;
    *room = joint->options.hosts > joint->held ? joint->options.hosts - joint->held : 0;
    pthread_mutex_unlock(&frontier->lock);
    bool may_take = cw_joint_runs_are_known(joint) && !atomic_load(&joint->closing) && !atomic_load(&joint->failed);
    return is_hungry && *room && may_take;
}

/* False: it cannot be asked now. */
static bool joint_sessions_ask(cw_joint *joint, unsigned number, int64_t now_us)
{
    cw_joint_partition *partition = &joint->partitions[number];
    partition->sent_us = now_us;
    partition->is_out = cw_shared_take(joint->shared, number, 1, joint->options.window, now_us, joint_sessions_on_took,
                                       partition) == CRAWL_OK;
    return partition->is_out;
}

/* Asks partitions, up to so many: those alone that have something, as far as this process knows, or all whose time has
 * come. */
static void ask_some(cw_joint *joint, int64_t now_us, size_t most, bool is_sure)
{
    for (unsigned i = 0; i < CW_SHARED_PARTITIONS && most; i++) {
        unsigned number = joint->next_partition;
        const cw_joint_partition *partition = &joint->partitions[number];
        bool is_due = is_sure ? partition->is_sure : true;
        is_due = is_due && partition->due_us <= now_us;
        joint->next_partition = (number + 1) % CW_SHARED_PARTITIONS;
        if (partition->is_out || !is_due || partition->quiet_us > now_us)
            continue;
        if (!joint_sessions_ask(joint, number, now_us))
            return;
        most--;
    }
}

void cw_joint_take_hosts(cw_joint *joint, int64_t now_us)
{
    size_t room;
    bool wants_some = is_hungry(joint, &room);
    cw_joint_stir_turn(joint, wants_some, now_us);
    if (!wants_some)
        return;
    ask_some(joint, now_us, room < CW_JOINT_HOSTS_A_TURN ? room : CW_JOINT_HOSTS_A_TURN, true);
    ask_some(joint, now_us, room < CW_JOINT_LOOKS_A_TURN ? room : CW_JOINT_LOOKS_A_TURN, false);
}

/* ---- written ---- */

/* What was written is known there; a worker whose token is old has lost the host. */
static void take_written(cw_joint_hold *hold, const cw_shared_written *written, int64_t now)
{
    if (written->is_stale) {
        cw_joint_hold_leave(hold, CW_JOINT_GONE, now);
        return;
    }
    for (size_t i = hold->written; i < hold->sent; i++) {
        free((char *)hold->changes[i].change.bytes.data);
        hold->changes[i].change.bytes = (crawl_slice){0};
    }
    hold->written = hold->sent;
    if (hold->has_record)
        hold->pause_ms = hold->sent_pause_ms;
    if (!hold->is_ending) {
        cw_joint_hold_place(hold, now);
        return;
    }
    cw_joint_hold_leave(hold, CW_JOINT_GONE, now);
    cw_joint_expect(hold->joint, cw_frontier_host_origin(hold->host));
    cw_joint_stir(hold->joint, cw_shared_partition(cw_frontier_host_origin(hold->host)), 0);
}

static void joint_sessions_on_written(void *user, const cw_shared_written *written)
{
    cw_joint_hold *hold = user;
    cw_joint *joint = hold->joint;
    hold->owed--;
    hold->is_writing = false;
    int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
    if (!written->fault)
        take_written(hold, written, now);
    else if (hold->has_record)
        hold->is_changed = true; /* goes again, as it is then */
    cw_frontier_leave(joint->frontier);
    if (written->fault)
        cw_joint_fault(joint, written->fault, written->words);
    else if (!written->is_stale)
        cw_joint_takes_writes(joint);
}

/* What may be said by now, as one write. */
static void joint_sessions_send_write(cw_joint_hold *hold, size_t count, cw_shared_change *changes)
{
    crawl_slice record = crawl_buf_slice(&hold->record);
    const cw_shared_write write = {.origin = cw_frontier_host_origin(hold->host),
                                   .token = hold->token,
                                   .pause_ms = hold->has_record ? hold->sent_pause_ms : CW_SHARED_SAME,
                                   .open_ms = hold->is_ending ? hold->sent_open_ms : CW_SHARED_SAME,
                                   .record = hold->has_record ? &record : NULL,
                                   .changes = changes,
                                   .change_count = count,
                                   .is_end = hold->is_ending};
    hold->sent = hold->written + count;
    hold->is_writing = true;
    hold->owed++;
    if (cw_shared_write_session(hold->joint->shared, &write, joint_sessions_on_written, hold) == CRAWL_OK)
        return;
    hold->is_writing = false;
    hold->owed--;
    pthread_mutex_lock(&hold->joint->frontier->lock);
    hold->is_changed = hold->is_changed || hold->has_record;
    pthread_mutex_unlock(&hold->joint->frontier->lock);
}

/* Under the lock: the changes that may be told, which are those of acknowledged epochs. The end comes with the last. */
static size_t joint_sessions_gather(cw_joint_hold *hold, cw_shared_change *changes)
{
    size_t count = 0;
    while (hold->written + count < hold->made && count < CW_SHARED_WINDOW_MAX) {
        const cw_joint_change *one = &hold->changes[hold->written + count];
        if (one->epoch > hold->joint->acknowledged)
            break;
        changes[count++] = one->change;
    }
    hold->is_ending = hold->stage == CW_JOINT_ENDS && hold->written + count == hold->made;
    hold->has_record = hold->is_changed || hold->is_ending;
    if (hold->has_record && cw_joint_hold_compose(hold) == CRAWL_OK)
        hold->is_changed = false;
    else
        hold->has_record = hold->is_ending = false;
    return count;
}

/* Under the lock: is it over, has its time run out? */
static void joint_sessions_look_at(cw_joint_hold *hold, int64_t now, int64_t now_us)
{
    bool is_here = hold->stage == CW_JOINT_WAITS || hold->stage == CW_JOINT_HELD;
    bool is_unused = hold->joint->is_spent && !hold->host->leased;
    bool ends = is_here && (atomic_load(&hold->joint->closing) || is_unused || cw_joint_hold_is_over(hold, now));
    if (hold->stage != CW_JOINT_GONE && now_us >= hold->until_us)
        cw_joint_hold_leave(hold, CW_JOINT_GONE, now);
    else if (ends)
        cw_joint_hold_leave(hold, CW_JOINT_ENDS, now);
    hold->leaves = !hold->is_told && (hold->stage == CW_JOINT_ENDS || hold->stage == CW_JOINT_GONE);
}

static void look_at_hosts(cw_joint *joint)
{
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
    for (size_t i = 0; i < joint->hold_count; i++)
        joint_sessions_look_at(joint->holds[i], now, now_us);
    cw_frontier_leave(joint->frontier);
}

/* Under the lock: has it something to say? */
static bool has_words(const cw_joint_hold *hold)
{
    bool has_change = hold->written < hold->made && hold->changes[hold->written].epoch <= hold->joint->acknowledged;
    bool has_end = hold->stage == CW_JOINT_ENDS && hold->written == hold->made;
    return hold->stage != CW_JOINT_GONE && !hold->is_writing && (has_change || has_end || hold->is_changed);
}

static void joint_sessions_write_host(cw_joint_hold *hold)
{
    cw_shared_change changes[CW_SHARED_WINDOW_MAX];
    cw_frontier_enter(hold->joint->frontier, INT64_MIN);
    size_t count = joint_sessions_gather(hold, changes);
    cw_frontier_leave(hold->joint->frontier);
    if (count || hold->has_record)
        joint_sessions_send_write(hold, count, changes);
}

void cw_joint_write_hosts(cw_joint *joint)
{
    look_at_hosts(joint);
    cw_joint_tell_leaving(joint);
    pthread_mutex_lock(&joint->frontier->lock);
    for (size_t i = 0; i < joint->hold_count; i++)
        joint->holds[i]->speaks = joint->is_up && has_words(joint->holds[i]);
    pthread_mutex_unlock(&joint->frontier->lock);
    for (size_t i = 0; i < joint->hold_count; i++)
        if (joint->holds[i]->speaks)
            joint_sessions_write_host(joint->holds[i]);
}

void cw_joint_free_gone(cw_joint *joint)
{
    size_t left = 0;
    pthread_mutex_lock(&joint->frontier->lock);
    for (size_t i = 0; i < joint->hold_count; i++) {
        cw_joint_hold *hold = joint->holds[i];
        if (hold->stage != CW_JOINT_GONE || hold->owed || !hold->is_told) {
            joint->holds[left++] = hold;
            continue;
        }
        cw_joint_forget_later(joint, hold->host);
        cw_joint_cookies_leave(hold);
        cw_joint_hold_free(hold);
    }
    pthread_mutex_unlock(&joint->frontier->lock);
    joint->hold_count = left;
}

/* ---- renewed ---- */

static void end_renewal(cw_joint *joint)
{
    free(joint->renewals);
    free(joint->renewed);
    joint->renewals = NULL;
    joint->renewed = NULL;
}

/* After a fault it is tried again soon. */
enum { RENEW_AGAIN_US = 200 * 1000 };

static void on_renewed(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    if (!fault && joint->renewal_count)
        cw_joint_takes_writes(joint);
    int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
    for (size_t i = 0; i < joint->renewal_count; i++) {
        const cw_shared_hold *said = &joint->renewals[i];
        cw_joint_hold *hold = joint->renewed[i];
        hold->owed--;
        if (said->until_us > hold->until_us)
            hold->until_us = said->until_us;
        if (said->is_lost)
            cw_joint_hold_leave(hold, CW_JOINT_GONE, now);
    }
    if (joint->best_server_us < INT64_MAX) {
        joint->server_us = joint->best_server_us;
        joint->server_within_us = joint->best_within_us;
    }
    joint->best_server_us = INT64_MAX;
    cw_frontier_leave(joint->frontier);
    end_renewal(joint);
    if (fault) {
        joint->renewed_us += RENEW_AGAIN_US - joint->options.lease_ms * 1000 / 3;
        cw_joint_fault(joint, fault, words);
    }
}

static void joint_sessions_on_fed(void *user, crawl_redis_fault fault, const char *words, uint64_t feeders)
{
    cw_joint *joint = user;
    (void)feeders;
    joint->fed_sent = false;
    if (!fault && !joint->fed)
        cw_joint_stir(joint, CW_SHARED_PARTITIONS, 0); /* somebody may wait for that */
    joint->seeds.are_for_all = joint->seeds.are_for_all && (fault || joint->fed);
    if (fault) {
        joint->fed = -1;
        cw_joint_fault(joint, fault, words);
    }
}

/* That this process has something to push is said anew as long as it has; that it has nothing any more, when all of it
 * is acknowledged. */
static void renew_feeding(cw_joint *joint, bool is_time)
{
    pthread_mutex_lock(&joint->frontier->lock);
    int feeds = joint->feeding || joint->acknowledged < joint->fed_epoch;
    cw_shared_feeding done = cw_joint_seeds_done(joint);
    pthread_mutex_unlock(&joint->frontier->lock);
    if (joint->fed_sent || (feeds == joint->fed && !(feeds && is_time)))
        return;
    joint->fed = feeds;
    joint->fed_sent =
        cw_shared_feed(joint->shared, feeds ? CW_SHARED_FEEDS : done, joint_sessions_on_fed, joint) == CRAWL_OK;
    if (!joint->fed_sent)
        joint->fed = -1;
}

static void renew_holds(cw_joint *joint, int64_t now_us)
{
    size_t count = 0;
    joint->renewals = calloc(joint->hold_count + 1, sizeof *joint->renewals);
    joint->renewed = calloc(joint->hold_count + 1, sizeof *joint->renewed);
    if (!joint->renewals || !joint->renewed) {
        end_renewal(joint);
        return;
    }
    pthread_mutex_lock(&joint->frontier->lock);
    for (size_t i = 0; i < joint->hold_count; i++) {
        cw_joint_hold *hold = joint->holds[i];
        if (hold->stage == CW_JOINT_GONE)
            continue;
        joint->renewals[count] = (cw_shared_hold){.origin = cw_frontier_host_origin(hold->host), .token = hold->token};
        joint->renewed[count++] = hold;
        hold->owed++;
    }
    pthread_mutex_unlock(&joint->frontier->lock);
    joint->renewal_count = count;
    if (cw_shared_renew(joint->shared, joint->renewals, count, now_us, on_renewed, joint)) {
        for (size_t i = 0; i < count; i++)
            joint->renewed[i]->owed--;
        end_renewal(joint);
    }
}

void cw_joint_renew_hosts(cw_joint *joint, int64_t now_us)
{
    bool is_time = now_us - joint->renewed_us >= joint->options.lease_ms * 1000 / 3;
    if (!joint->is_up)
        return;
    renew_feeding(joint, is_time);
    if (!is_time || joint->renewals)
        return;
    joint->renewed_us = now_us;
    if (joint->hold_count)
        renew_holds(joint, now_us);
}
