#include "shared/store/joint_sessions.h"

#include "base/array.h"
#include "base/clock.h"
#include "shared/store/budget.h"
#include "shared/store/joint_bytes.h"
#include "shared/store/joint_clock.h"
#include "shared/store/joint_cookies.h"
#include "shared/store/joint_join.h"
#include "shared/store/joint_notes.h"
#include "shared/store/lone.h"
#include "shared/store/look.h"
#include "shared/store/offer.h"
#include "shared/store/partitions.h"
#include "shared/store/spread.h"
#include "shared/store/stray.h"

#include <stdlib.h>

enum {
    HOSTS_A_TURN = 4,  /* at most; few, so that processes that begin together share the hosts */
    LOOKS_A_TURN = 12, /* partitions asked besides for a host; all of them in about 400 ms */
    HAD_MS = 5000,     /* a host held this long without requests here goes to whoever takes it first */
    TELL_MS = 500,     /* between two letters about a host with at least SEVERAL finished requests */
    FEW_MS = 3000,     /* the same with fewer; neither exceeds a tenth of the lease */
    SEVERAL = 4
};

/* ---- taken ---- */

static void joint_sessions_free_items(cw_frontier_item **items, size_t count)
{
    for (size_t i = 0; i < count && items[i]; i++) {
        free(cw_frontier_item_leave_parent(items[i]));
        free(items[i]);
    }
}

static crawl_err joint_sessions_read_items(const cw_shared_item *said, size_t count, cw_frontier_item **items)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++)
        err = cw_joint_request_read(said[i].bytes, &items[i]);
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
                            .changes = {.all = changes, .room = session->item_count}};
    return hold;
}

/* Without memory for a session, nobody asks its host until its deadline. */
static void begin_hold(cw_joint *joint, const cw_shared_session *session, int64_t until_us)
{
    bool has_place = !CW_ARRAY_RESERVE(joint->holds->list, joint->holds->room, joint->holds->count + 1, 64);
    cw_joint_hold *hold = has_place ? make_hold(joint, session, until_us) : NULL;
    cw_frontier_item **items = calloc(session->item_count + 1, sizeof(cw_frontier_item *));
    crawl_err err =
        hold && items ? joint_sessions_read_items(session->items, session->item_count, items) : CRAWL_ENOMEM;
    if (!err) {
        int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
        err = cw_joint_hold_begin(hold, session, items, now);
        cw_frontier_leave(joint->frontier);
    }
    if (!err) {
        joint->holds->list[joint->holds->count++] = hold;
        cw_joint_cookies_begin(hold);
    } else if (hold)
        cw_joint_hold_free(hold);
    if (err && items)
        joint_sessions_free_items(items, session->item_count);
    free(items);
    if (err == CRAWL_ECORRUPT)
        cw_joint_fail(joint, err, "a request of the crawl cannot be read");
}

/* Handles the answer of a take: its hosts are now this process's. sent_us: when it was sent. */
static void joint_sessions_took(cw_joint *joint, const cw_shared_taken *taken, int64_t sent_us)
{
    pthread_mutex_lock(&joint->frontier->lock);
    cw_joint_clock_heard(joint->clock, sent_us, taken->now_ms);
    pthread_mutex_unlock(&joint->frontier->lock);
    for (size_t i = 0; i < taken->count; i++)
        begin_hold(joint, &taken->sessions[i], taken->until_us);
    if (taken->count) {
        joint->spread->took_us = cw_clock_us(CLOCK_BOOTTIME);
        cw_joint_notes_ask(joint);
    }
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
    if (taken->count) /* otherwise the script may only have read */
        cw_joint_takes_writes(joint);
    joint_sessions_took(joint, taken, partition->sent_us);
    int64_t wait_us = (taken->next_ms - taken->now_ms) * 1000;
    int64_t rest_us = cw_joint_lost_ms(joint) * 1000; /* other processes announce what they push meanwhile */
    partition->is_sure = taken->next_ms >= 0 && wait_us < SOON_US;
    partition->due_us = cw_clock_us(CLOCK_BOOTTIME) + (wait_us < rest_us ? wait_us : rest_us);
    if (taken->next_ms < 0)
        partition->due_us = INT64_MAX;
    cw_joint_stir_asked(partition);
}

/* Returns true if more hosts are wanted: somebody asked for a lease in vain. */
static bool is_hungry(cw_joint *joint, size_t *room)
{
    crawl_frontier *frontier = joint->frontier;
    pthread_mutex_lock(&frontier->lock);
    bool is_hungry = frontier->promise != CW_PROMISE_NONE && joint->is_up && !cw_joint_owes_too_much(joint, 0) &&
                     !joint->budget->is_spent;
    *room = joint->options.hosts > joint->holds->held ? joint->options.hosts - joint->holds->held : 0;
    pthread_mutex_unlock(&frontier->lock);
    bool may_take =
        cw_joint_runs_are_known(joint) && !atomic_load(&joint->thread.closing) && !atomic_load(&joint->faults.failed);
    return is_hungry && *room && may_take;
}

/* False: cannot be asked now. */
static bool joint_sessions_ask(cw_joint *joint, unsigned number, int64_t now_us)
{
    cw_joint_partition *partition = &joint->partitions->of[number];
    partition->sent_us = now_us;
    partition->is_out = cw_shared_take(joint->shared, number, 1, joint->options.window, now_us, joint_sessions_on_took,
                                       partition) == CRAWL_OK;
    return partition->is_out;
}

/* Asks at most `most` partitions. is_sure: only those known to have something; otherwise all whose time has come. */
static void ask_some(cw_joint *joint, int64_t now_us, size_t most, bool is_sure)
{
    int64_t due_us = now_us - cw_joint_spread_patience_us(joint);
    for (unsigned i = 0; i < CW_SHARED_PARTITIONS && most; i++) {
        unsigned number = joint->partitions->next;
        const cw_joint_partition *partition = &joint->partitions->of[number];
        bool is_due = is_sure ? partition->is_sure : true;
        is_due = is_due && partition->due_us <= due_us;
        joint->partitions->next = (number + 1) % CW_SHARED_PARTITIONS;
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
    room = cw_joint_spread_room(joint, wants_some, room, now_us);
    ask_some(joint, now_us, room < HOSTS_A_TURN ? room : HOSTS_A_TURN, true);
    ask_some(joint, now_us, room < LOOKS_A_TURN ? room : LOOKS_A_TURN, false);
}

/* ---- sought ---- */

static void sessions_on_sought(void *user, const cw_shared_taken *taken)
{
    cw_joint_stray *stray = user;
    stray->is_out = false;
    if (taken->fault)
        cw_joint_fault(stray->joint, taken->fault, taken->words);
    else
        joint_sessions_took(stray->joint, taken, stray->sent_us);
}

static void sessions_seek(cw_joint_stray *stray, int64_t now_us)
{
    cw_joint *joint = stray->joint;
    stray->sent_us = now_us;
    stray->is_out = cw_shared_seek(joint->shared, cw_frontier_host_origin(stray->host), joint->options.window, now_us,
                                   sessions_on_sought, stray) == CRAWL_OK;
}

void cw_joint_seek_hosts(cw_joint *joint, int64_t now_us)
{
    enum { SEEK_US = 250 * 1000 }; /* between two questions for one host */
    pthread_mutex_lock(&joint->frontier->lock);
    cw_joint_strays_drop(joint);
    cw_joint_stray *first = joint->is_up && !atomic_load(&joint->thread.closing) ? joint->strays->first : NULL;
    pthread_mutex_unlock(&joint->frontier->lock);
    for (cw_joint_stray *stray = first; stray; stray = stray->next) {
        pthread_mutex_lock(&joint->frontier->lock);
        unsigned partition = cw_shared_partition(cw_frontier_host_origin(stray->host));
        bool has_it =
            cw_joint_hold_of(joint, stray->host) != NULL || joint->partitions->of[partition].quiet_us > now_us;
        pthread_mutex_unlock(&joint->frontier->lock);
        if (!has_it && !stray->is_out && now_us - stray->sent_us >= SEEK_US)
            sessions_seek(stray, now_us);
    }
}

/* ---- written ---- */

/* Handles an answered write: Redis has all that was written. A worker with an old token has lost the host. */
static void take_written(cw_joint_hold *hold, const cw_shared_written *written, int64_t now)
{
    if (written->is_stale) {
        cw_joint_hold_leave(hold, CW_JOINT_GONE, now);
        return;
    }
    for (size_t i = hold->changes.written; i < hold->changes.sent; i++) {
        free((char *)hold->changes.all[i].change.bytes.data);
        hold->changes.all[i].change.bytes = (crawl_slice){0};
    }
    hold->changes.written = hold->changes.sent;
    cw_joint_lone_heard(hold);
    if (hold->letter.has_record)
        hold->pause_ms = hold->letter.pause_ms;
    if (!hold->letter.is_end) {
        cw_joint_hold_place(hold, now);
        return;
    }
    cw_joint_hold_leave(hold, CW_JOINT_GONE, now);
    cw_joint_spread_left(hold);
    cw_joint_stir_host(hold->joint, cw_frontier_host_origin(hold->host), written->open_ms);
}

/* Continues the session with the requests that Redis gave. Without memory for them, they go back at its end. */
static void joint_sessions_go_on(cw_joint_hold *hold, const cw_shared_written *written)
{
    cw_joint *joint = hold->joint;
    cw_frontier_item **items = calloc(written->item_count, sizeof(cw_frontier_item *));
    crawl_err err = items ? joint_sessions_read_items(written->items, written->item_count, items) : CRAWL_ENOMEM;
    int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
    bool is_here = hold->stage == CW_JOINT_WAITS || hold->stage == CW_JOINT_HELD;
    if (!err)
        err = is_here ? cw_joint_hold_add(hold, written->items, items, written->item_count, now) : CRAWL_ESTATE;
    hold->is_dry = hold->is_dry || err;
    if (err == CRAWL_ECORRUPT)
        cw_joint_fail(joint, err, "a request of the crawl cannot be read");
    cw_frontier_leave(joint->frontier);
    if (err && items)
        joint_sessions_free_items(items, written->item_count);
    free(items);
    cw_joint_notes_ask(joint);
}

static void joint_sessions_on_written(void *user, const cw_shared_written *written)
{
    cw_joint_hold *hold = user;
    cw_joint *joint = hold->joint;
    hold->owed--;
    hold->letter.is_out = false;
    int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
    if (!written->fault)
        take_written(hold, written, now);
    else if (hold->letter.has_record)
        hold->is_changed = true; /* sent again, as it is then */
    /* After a fault too: requests that it may have been given go back at its end. */
    hold->is_dry = hold->is_dry || (hold->letter.more && !written->item_count);
    cw_frontier_leave(joint->frontier);
    if (written->fault)
        cw_joint_fault(joint, written->fault, written->words);
    else if (!written->is_stale)
        cw_joint_takes_writes(joint);
    if (written->item_count)
        joint_sessions_go_on(hold, written);
}

/* Sends all that may be reported by now, as one write. */
static void joint_sessions_send_write(cw_joint_hold *hold, size_t count, cw_shared_change *changes)
{
    crawl_slice record = crawl_buf_slice(&hold->letter.record);
    const cw_shared_write write = {.origin = cw_frontier_host_origin(hold->host),
                                   .token = hold->token,
                                   .pause_ms = hold->letter.has_record ? hold->letter.pause_ms : CW_SHARED_SAME,
                                   .open_ms = hold->letter.is_end ? hold->letter.open_ms : CW_SHARED_SAME,
                                   .record = hold->letter.has_record ? &record : NULL,
                                   .changes = changes,
                                   .change_count = count,
                                   .more = hold->letter.more,
                                   .is_end = hold->letter.is_end};
    hold->changes.sent = hold->changes.written + count;
    hold->letter.is_out = true;
    hold->letter.sent_us = cw_clock_us(CLOCK_BOOTTIME);
    hold->owed++;
    if (cw_shared_write_session(hold->joint->shared, &write, joint_sessions_on_written, hold) == CRAWL_OK)
        return;
    hold->letter.is_out = false;
    hold->owed--;
    pthread_mutex_lock(&hold->joint->frontier->lock);
    hold->is_changed = hold->is_changed || hold->letter.has_record;
    pthread_mutex_unlock(&hold->joint->frontier->lock);
}

/* Returns true if Redis must be asked for more requests before a host without any here goes. A process with enough
 * to do leaves the host to others. Under the lock. */
static bool joint_sessions_goes_on(const cw_joint_hold *hold, int64_t now, int64_t now_us)
{
    bool is_hungry = hold->joint->frontier->promise != CW_PROMISE_NONE;
    bool is_new = now_us - hold->begun_us < HAD_MS * 1000;
    return is_hungry && is_new && !hold->is_dry && hold->host->blocked <= now;
}

/* Gathers the changes that may be reported: those of acknowledged epochs. The end goes with the last one. Under the
 * lock. */
static size_t joint_sessions_gather(cw_joint_hold *hold, cw_shared_change *changes)
{
    size_t count = 0;
    while (hold->changes.written + count < hold->changes.made && count < CW_SHARED_WINDOW_MAX) {
        const cw_joint_change *one = &hold->changes.all[hold->changes.written + count];
        if (one->epoch > hold->joint->order.acknowledged)
            break;
        changes[count++] = one->change;
    }
    hold->letter.is_end = hold->stage == CW_JOINT_ENDS && hold->changes.written + count == hold->changes.made;
    hold->letter.has_record = hold->is_changed || hold->letter.is_end;
    if (hold->letter.has_record && cw_joint_hold_compose(hold) == CRAWL_OK)
        hold->is_changed = false;
    else
        hold->letter.has_record = hold->letter.is_end = false;
    bool is_all = hold->changes.written + count == hold->changes.made;
    hold->letter.more = hold->wants_more && is_all ? hold->joint->options.window : 0;
    return count;
}

/* Checks whether a hold is over or past its deadline. Under the lock. */
static void joint_sessions_look_at(cw_joint_hold *hold, int64_t now, int64_t now_us)
{
    bool is_here = hold->stage == CW_JOINT_WAITS || hold->stage == CW_JOINT_HELD;
    bool is_unused = hold->joint->budget->is_spent && !hold->host->leased &&
                     !cw_frontier_queue_count(&hold->host->queues[CW_URGENT]);
    bool must = atomic_load(&hold->joint->thread.closing) || is_unused;
    bool is_over = is_here && (must || cw_joint_hold_is_over(hold, now));
    if (is_over)
        cw_joint_lone_leave(hold);
    hold->wants_more = is_over && !must && joint_sessions_goes_on(hold, now, now_us);
    if (hold->stage != CW_JOINT_GONE && now_us >= hold->until_us)
        cw_joint_hold_leave(hold, CW_JOINT_GONE, now);
    else if (is_over && !hold->wants_more)
        cw_joint_hold_leave(hold, CW_JOINT_ENDS, now);
    hold->leaves = !hold->is_told && (hold->stage == CW_JOINT_ENDS || hold->stage == CW_JOINT_GONE);
}

static void look_at_hosts(cw_joint *joint)
{
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
    for (size_t i = 0; i < joint->holds->count; i++)
        joint_sessions_look_at(joint->holds->list[i], now, now_us);
    cw_frontier_leave(joint->frontier);
}

/* Returns true if a hold has something to report. Under the lock. */
static bool has_words(const cw_joint_hold *hold, int64_t now_us)
{
    int64_t tenth_ms = hold->joint->options.lease_ms / 10;
    int64_t wanted_ms = hold->changes.made - hold->changes.written < SEVERAL ? FEW_MS : TELL_MS;
    int64_t every_us = (tenth_ms < wanted_ms ? tenth_ms : wanted_ms) * 1000;
    bool is_last = hold->stage == CW_JOINT_ENDS || hold->wants_more;
    bool is_waited_for = hold->joint->look->wanted > hold->joint->look->had;
    bool is_time = is_last || is_waited_for || now_us - hold->letter.sent_us >= every_us;
    bool has_change = is_time && hold->changes.written < hold->changes.made &&
                      hold->changes.all[hold->changes.written].epoch <= hold->joint->order.acknowledged;
    bool has_end = is_last && hold->changes.written == hold->changes.made;
    return hold->stage != CW_JOINT_GONE && !hold->letter.is_out && (has_change || has_end || hold->is_changed);
}

static void joint_sessions_write_host(cw_joint_hold *hold)
{
    cw_shared_change changes[CW_SHARED_WINDOW_MAX];
    cw_frontier_enter(hold->joint->frontier, INT64_MIN);
    size_t count = joint_sessions_gather(hold, changes);
    cw_frontier_leave(hold->joint->frontier);
    if (count || hold->letter.has_record || hold->letter.more)
        joint_sessions_send_write(hold, count, changes);
}

/* Calls on_leave for the holds that leave. */
static void sessions_tell_leaving(cw_joint *joint)
{
    for (size_t i = 0; i < joint->holds->count; i++) {
        cw_joint_hold *hold = joint->holds->list[i];
        if (hold->leaves && joint->options.on_leave)
            joint->options.on_leave(joint->options.user, cw_frontier_host_origin(hold->host));
        hold->is_told = hold->is_told || hold->leaves;
        hold->leaves = false;
    }
}

void cw_joint_write_hosts(cw_joint *joint)
{
    look_at_hosts(joint);
    sessions_tell_leaving(joint);
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    pthread_mutex_lock(&joint->frontier->lock);
    for (size_t i = 0; i < joint->holds->count; i++)
        joint->holds->list[i]->speaks = joint->is_up && has_words(joint->holds->list[i], now_us);
    pthread_mutex_unlock(&joint->frontier->lock);
    for (size_t i = 0; i < joint->holds->count; i++)
        if (joint->holds->list[i]->speaks)
            joint_sessions_write_host(joint->holds->list[i]);
}

void cw_joint_free_gone(cw_joint *joint)
{
    size_t left = 0;
    pthread_mutex_lock(&joint->frontier->lock);
    for (size_t i = 0; i < joint->holds->count; i++) {
        cw_joint_hold *hold = joint->holds->list[i];
        if (hold->stage != CW_JOINT_GONE || hold->owed || !hold->is_told) {
            joint->holds->list[left++] = hold;
            continue;
        }
        cw_joint_lone_heard(hold);
        cw_joint_stray_seek(joint, hold->host);
        cw_joint_forget_later(joint, hold->host);
        cw_joint_cookies_leave(hold);
        cw_joint_hold_free(hold);
    }
    pthread_mutex_unlock(&joint->frontier->lock);
    joint->holds->count = left;
}
