#include "shared/store/joint.h"

#include "base/clock.h"
#include "shared/store/hold.h"
#include "shared/store/jars.h"
#include "shared/store/joint_bytes.h"
#include "shared/store/joint_clock.h"
#include "shared/store/joint_crew.h"
#include "shared/store/joint_join.h"
#include "shared/store/joint_notes.h"
#include "shared/store/joint_seeds.h"
#include "shared/store/lone.h"
#include "shared/store/offer.h"
#include "shared/store/stray.h"

#include <stdlib.h>

enum { WAITS_MS = 10000 /* a request due within this time waits here, and not in Redis */ };

/* ---- failure ---- */

static crawl_err store_failure(crawl_frontier *frontier, crawl_error *error)
{
    const cw_joint *joint = cw_joint_of(frontier);
    crawl_err err = (crawl_err)atomic_load(&joint->faults.failed);
    if (err && error)
        *error = joint->faults.failure;
    return err;
}

/* ---- whether leases may be given ---- */

/* Called at each pop, with the time given by its caller. */
static bool store_may_lease(crawl_frontier *frontier)
{
    cw_joint *joint = cw_joint_of(frontier);
    cw_joint_clock_told(joint->clock, frontier->now);
    return !cw_joint_owes_too_much(joint, cw_joint_jars_bytes(joint->jars));
}

static bool is_urgent(const cw_frontier_item *item)
{
    return item->flags & CW_ITEM_URGENT;
}

/* Returns true if the lease is of this hold, and not of an earlier one of the same host, which was lost: then another
 * process, or this hold, has its request again. */
static bool store_is_of(const cw_joint_hold *hold, const cw_frontier_lease *lease)
{
    return lease->apart || is_urgent(lease->item) || cw_joint_hold_gave(hold, lease->sequence);
}

static bool store_may_give(crawl_frontier *frontier, cw_frontier_host *host, const cw_frontier_lease *lease)
{
    cw_joint_hold *hold = cw_joint_hold_of(cw_joint_of(frontier), host);
    if (!hold)
        return false;
    if (cw_clock_us(CLOCK_BOOTTIME) >= hold->until_us) {
        cw_joint_hold_leave(hold, CW_JOINT_GONE, frontier->now);
        return false;
    }
    return hold->stage == CW_JOINT_HELD && (!lease || store_is_of(hold, lease));
}

bool crawl_frontier_shared_has(crawl_frontier *frontier, uint64_t lease)
{
    if (!cw_joint_shared(frontier))
        return false;
    cw_frontier_enter(frontier, INT64_MIN);
    const cw_frontier_lease *slot = cw_frontier_leases_find(&frontier->leases, lease);
    bool has_it = slot && store_may_give(frontier, slot->host, slot);
    cw_frontier_leave(frontier);
    return has_it;
}

static bool store_is_drained(const crawl_frontier *frontier)
{
    const cw_joint *joint = cw_joint_of(frontier);
    return joint->counts.is_drained && frontier->queued == joint->holds->stray_requests;
}

/* ---- ends of leases ---- */

/* Returns true if the request goes back to Redis: whoever has the host next must count the attempt, or keep the further
 * visit. A request that only waits for its turn stays here. */
static bool store_leaves(const crawl_frontier *frontier, const cw_frontier_lease *lease, crawl_outcome outcome,
                         int64_t at, int64_t now)
{
    const cw_joint_hold *hold = cw_joint_hold_of(cw_joint_of(frontier), lease->host);
    bool has_queue = hold && !lease->apart && store_is_of(hold, lease) &&
                     (hold->stage == CW_JOINT_WAITS || hold->stage == CW_JOINT_HELD);
    return !is_urgent(lease->item) && (!has_queue || outcome != CRAWL_DONE_RETURN || at - now > WAITS_MS);
}

static crawl_slice parent_of(const cw_frontier_item *item)
{
    return item->parent ? crawl_slice_of(item->parent->text, item->parent->size) : (crawl_slice){0};
}

/* Returns true if a session, or a place beside one, takes the report of this lease's end. */
static bool store_has_request(const cw_joint *joint, const cw_frontier_lease *lease)
{
    return lease->apart || (cw_joint_hold_of(joint, lease->host) && !is_urgent(lease->item));
}

/* bytes: may be NULL; takes ownership. */
static void store_note(cw_joint *joint, const cw_frontier_lease *lease, cw_shared_how how, int64_t at, uint64_t level,
                       crawl_buf *bytes)
{
    cw_shared_change end = {.how = how, .id = lease->sequence, .at_ms = at, .level = level};
    if (!lease->apart) {
        cw_joint_hold_note(cw_joint_hold_of(joint, lease->host), how, lease->sequence, at, level, bytes);
        return;
    }
    if (bytes)
        end.bytes = crawl_buf_slice(bytes);
    cw_joint_lone_end(joint, cw_frontier_leases_id(&joint->frontier->leases, lease), &end);
}

/* Puts a request back with its present bytes or, without memory for them, as it came. */
static void store_note_again(cw_joint *joint, const cw_frontier_lease *lease, cw_shared_how how,
                             const cw_frontier_item *item, uint16_t retries, int64_t at)
{
    crawl_buf bytes = {0};
    uint64_t level = cw_frontier_order_key(joint->frontier->options.order, item, 0).high;
    crawl_err err = cw_joint_request_write(item, parent_of(item), retries, &bytes);
    store_note(joint, lease, err ? CW_SHARED_BACK : how, at, level, &bytes);
}

/* 0: at once. */
static int64_t store_date_of(const cw_joint *joint, int64_t at, int64_t now)
{
    return at > now ? cw_joint_to_server(joint->clock, at) : 0;
}

/* Returns how a request due at this date goes back: a visit that has failed, or cannot be made yet, is left to a later
 * run. */
static cw_shared_how store_how_again(const cw_joint *joint, const cw_frontier_item *item, crawl_outcome outcome,
                                     int64_t date)
{
    bool has_failed = outcome == CRAWL_DONE_RETRY; /* and stays so even if its date has passed by now */
    bool is_later = joint->options.by_runs && (has_failed || date) && cw_frontier_item_visits(item);
    return is_later || outcome == CRAWL_DONE_LATER ? CW_SHARED_LATER : CW_SHARED_AGAIN;
}

/* The lease of a lost host concerns nobody any more: the process that has the host has its request. */
static crawl_err store_end(crawl_frontier *frontier, cw_frontier_lease *lease, crawl_outcome outcome, int64_t at,
                           int64_t now)
{
    cw_joint *joint = cw_joint_of(frontier);
    crawl_err err = store_failure(frontier, NULL);
    bool goes = store_leaves(frontier, lease, outcome, at, now);
    bool comes_back = outcome != CRAWL_DONE_FINISHED && outcome != CRAWL_DONE_FORGET;
    int64_t date = outcome == CRAWL_DONE_RETRY || outcome == CRAWL_DONE_RETURN ? store_date_of(joint, at, now) : 0;
    cw_shared_how how = store_how_again(joint, lease->item, outcome, date);
    if (is_urgent(lease->item) && comes_back && !cw_joint_hold_of(joint, lease->host))
        cw_joint_stray_count(joint, 1);
    if (err || !store_has_request(joint, lease))
        return err;
    if (!comes_back)
        store_note(joint, lease, CW_SHARED_FINISHED, 0, 0, NULL);
    else if (outcome == CRAWL_DONE_RETRY || (goes && how == CW_SHARED_LATER))
        store_note_again(joint, lease, how, lease->item, lease->item->retries, date);
    else if (goes)
        store_note(joint, lease, CW_SHARED_BACK, date, 0, NULL);
    return CRAWL_OK;
}

static crawl_err store_end_again(crawl_frontier *frontier, cw_frontier_lease *lease, cw_frontier_item *next,
                                 uint64_t sequence, int64_t at, int64_t now)
{
    (void)sequence;
    cw_joint *joint = cw_joint_of(frontier);
    crawl_err err = store_failure(frontier, NULL);
    cw_shared_how how = joint->options.by_runs ? CW_SHARED_LATER : CW_SHARED_AGAIN;
    if (!err && store_has_request(joint, lease))
        store_note_again(joint, lease, how, next, 0, store_date_of(joint, at, now));
    return err;
}

/* ---- hosts ---- */

/* This process lifts a block without an end itself; no other process needs to know of it. */
static crawl_err store_put_host(crawl_frontier *frontier, cw_frontier_host *host)
{
    cw_joint *joint = cw_joint_of(frontier);
    cw_joint_hold *hold = cw_joint_hold_of(joint, host);
    if (!hold) {
        cw_joint_forget_later(joint, host);
        return CRAWL_OK;
    }
    bool is_dated = host->blocked != CW_FRONTIER_NEVER && host->blocked != CRAWL_FOREVER;
    hold->block_ms = is_dated ? cw_joint_to_server(joint->clock, host->blocked) : 0;
    hold->is_changed = true;
    cw_joint_hold_place(hold, frontier->now);
    return CRAWL_OK;
}

/* ---- figures ---- */

static void store_figures(const crawl_frontier *frontier, crawl_frontier_stats *out)
{
    const cw_joint *joint = cw_joint_of(frontier);
    out->queued -= joint->holds->stray_requests;
    out->accepted = joint->counts.accepted;
    out->seen += joint->counts.seen;
}

crawl_err crawl_frontier_shared_figures(crawl_frontier *frontier, crawl_shared_figures *out)
{
    const cw_joint *joint = cw_joint_shared(frontier);
    if (!joint)
        return CRAWL_ESTATE;
    const crawl_shared_counts *all = &joint->counts.all;
    pthread_mutex_lock(&frontier->lock);
    *out = (crawl_shared_figures){.queued = all->queued,
                                  .held = all->held,
                                  .accepted = all->accepted,
                                  .seen = all->refused,
                                  .finished = all->finished,
                                  .sessions = all->sessions,
                                  .lost = all->lost,
                                  .stale = all->stale,
                                  .hosts = joint->holds->held,
                                  .later = all->later,
                                  .run_ms = joint->runs->date_ms,
                                  .is_away = !joint->is_up,
                                  .server_within_us = joint->clock->within_us};
    if (joint->clock->server_us)
        out->server_us = cw_clock_us(CLOCK_BOOTTIME) + joint->clock->server_us;
    pthread_mutex_unlock(&frontier->lock);
    return CRAWL_OK;
}

crawl_err crawl_frontier_shared_crew(crawl_frontier *frontier, crawl_shared_crew *out)
{
    const cw_joint *joint = cw_joint_shared(frontier);
    *out = (crawl_shared_crew){0};
    if (!joint)
        return CRAWL_ESTATE;
    pthread_mutex_lock(&frontier->lock);
    crawl_err err = cw_joint_crew_copy(joint->crew, out);
    pthread_mutex_unlock(&frontier->lock);
    return err;
}

crawl_slice crawl_frontier_shared_name(const crawl_frontier *frontier)
{
    const cw_joint *joint = cw_joint_shared(frontier);
    return joint ? crawl_slice_from(joint->worker) : (crawl_slice){0};
}

void crawl_frontier_shared_feed(crawl_frontier *frontier, bool feeding)
{
    cw_joint *joint = cw_joint_shared(frontier);
    if (joint)
        cw_joint_feed(joint, feeding);
}

/* ---- cookies ---- */

static bool store_is_fit(const crawl_shared_cookie *cookie)
{
    return cookie->host.size && cookie->host.size <= CRAWL_SHARED_HOST_MAX && cookie->site.size && cookie->id.size &&
           cookie->id.size <= CW_SHARED_COOKIE_TEXT_MAX && cookie->value.size <= CW_SHARED_COOKIE_TEXT_MAX &&
           cookie->set_ms >= 0 && cookie->set_ms <= CW_SHARED_MS_MAX && cookie->expires_ms >= 0;
}

crawl_err crawl_frontier_shared_cookie(crawl_frontier *frontier, crawl_slice origin, int64_t asked_us,
                                       crawl_shared_cookie *cookie, bool is_known)
{
    const cw_joint *joint = cw_joint_shared(frontier);
    if (!joint || !joint->jars)
        return CRAWL_ESTATE;
    if (!store_is_fit(cookie))
        return CRAWL_EINVAL;
    crawl_shared_cookie own = *cookie;
    if (own.expires_ms > CW_SHARED_MS_MAX)
        own.expires_ms = 0;
    pthread_mutex_lock(&frontier->lock);
    crawl_err err = cw_joint_cookie_set(frontier, origin, asked_us, &own, is_known);
    pthread_mutex_unlock(&frontier->lock);
    cookie->set_ms = own.set_ms;
    return err;
}

/* ---- the store ---- */

void cw_joint_store(crawl_frontier *frontier, cw_joint *joint)
{
    frontier->store = (cw_frontier_store){.self = joint,
                                          .kind = cw_joint_kind,
                                          .offer = cw_joint_offer,
                                          .may_lease = store_may_lease,
                                          .may_give = store_may_give,
                                          .is_drained = store_is_drained,
                                          .put_urgent = cw_joint_stray_put,
                                          .leaves = store_leaves,
                                          .end = store_end,
                                          .end_again = store_end_again,
                                          .put_host = store_put_host,
                                          .set_notes = cw_joint_notes_set,
                                          .get_note = cw_joint_notes_get,
                                          .notes = cw_joint_notes_walk,
                                          .failure = store_failure,
                                          .figures = store_figures,
                                          .seen = cw_joint_met};
}
