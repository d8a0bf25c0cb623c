/* Leases given, and figures: see <crawl/frontier.h>. Each call enters, does its work on hosts, schedule and leases,
 * settles the host it touched, and leaves. Invariants, between calls:
 *
 *   F1  accepted + urgent + again = finished + queued + leased: nothing is lost or given twice.
 *   F2  queued is the sum of the hosts' queues; leases.out the sum of their kept room, and of the hosts' leased plus
 *       the
 *       parked leases.
 *   F3  promised is no later than anything that became poppable since the last pop, or on_ready was called for it. */
#include "frontier/forget.h"
#include "frontier/push/depths.h"
#include "frontier/state.h"

enum { ROUSED_AT_ONCE = 256 }; /* hosts whose date has come */

int64_t cw_frontier_enter(crawl_frontier *frontier, int64_t now_ms)
{
    pthread_mutex_lock(&frontier->lock);
    if (now_ms > frontier->now)
        frontier->now = now_ms < CRAWL_FOREVER ? now_ms : CRAWL_FOREVER - 1;
    cw_frontier_hosts_expire(&frontier->hosts, frontier->now);
    if (frontier->now > 0)
        crawl_bloom_advance(frontier->seen, (uint64_t)frontier->now);
    if (cw_frontier_forgets_next(&frontier->forgets) <= frontier->now)
        (void)cw_frontier_forget_due(frontier);
    return frontier->now;
}

static bool frontier_is_drained(crawl_frontier *frontier)
{
    bool is_empty = frontier->store.is_drained ? frontier->store.is_drained(frontier) : !frontier->queued;
    return is_empty && frontier->leases.out == 0;
}

static crawl_err rouse_some(crawl_frontier *frontier, const uint32_t *numbers, size_t count)
{
    crawl_err err = frontier->store.wake(frontier, numbers, count);
    for (size_t i = 0; i < count && !err; i++)
        cw_frontier_dormant_passed(&frontier->schedule.dormant, &frontier->memory, numbers[i]);
    return err;
}

/* Wakes the hosts whose date has come; if there are many, leaves the rest to the next call. */
static crawl_err rouse_due(crawl_frontier *frontier)
{
    cw_frontier_schedule *schedule = &frontier->schedule;
    uint32_t number;
    crawl_err err = CRAWL_OK;
    for (int i = 0; !err && (i < ROUSED_AT_ONCE || !cw_frontier_schedule_is_ready(schedule)); i++) {
        if (!schedule->dormant.hosts || cw_frontier_dormant_date(&schedule->dormant, &number) > frontier->now)
            break;
        err = rouse_some(frontier, &number, 1);
        cw_frontier_schedule_wake(schedule, frontier->now);
    }
    return err;
}

static crawl_err rouse_best(crawl_frontier *frontier)
{
    cw_frontier_dormant *dormant = &frontier->schedule.dormant;
    uint32_t numbers[CW_FRONTIER_DORMANT_PAGE];
    crawl_err err = CRAWL_OK;
    while (!err && cw_frontier_schedule_lacks_best(&frontier->schedule))
        err = rouse_some(frontier, numbers, cw_frontier_dormant_next(dormant, numbers, dormant->at_once));
    return err;
}

crawl_err cw_frontier_rouse_soonest(crawl_frontier *frontier)
{
    uint32_t number;
    crawl_err err = CRAWL_OK;
    while (!err && cw_frontier_schedule_lacks_date(&frontier->schedule, &number))
        err = rouse_some(frontier, &number, 1);
    return err;
}

/* Wakes the hosts needed to know which host to ask now or, if there is none, when. */
static crawl_err rouse(crawl_frontier *frontier)
{
    if (!frontier->schedule.dormant.hosts)
        return CRAWL_OK;
    crawl_err err = rouse_due(frontier);
    if (!err)
        err = rouse_best(frontier);
    return err || cw_frontier_schedule_is_ready(&frontier->schedule) ? err : cw_frontier_rouse_soonest(frontier);
}

/* Like cw_frontier_schedule_next; if no lease may be given, the store reports when that changes. */
static int64_t next_time(crawl_frontier *frontier)
{
    if (frontier->store.may_lease && !frontier->store.may_lease(frontier))
        return CRAWL_FOREVER;
    if (!cw_frontier_schedule_is_ready(&frontier->schedule))
        (void)rouse(frontier); /* a host that cannot be woken keeps its place or date */
    return cw_frontier_schedule_next(&frontier->schedule, frontier->now);
}

/* Keeps F3. A reported wait becomes the promise, so that it is not reported again before the next pop. */
static bool frontier_must_tell(crawl_frontier *frontier)
{
    if (frontier->is_sought) {
        frontier->is_sought = false;
        return true;
    }
    if (frontier->promise == CW_PROMISE_NONE)
        return false;
    if (frontier_is_drained(frontier)) {
        bool news = frontier->promise != CW_PROMISE_DRAINED;
        frontier->promise = CW_PROMISE_DRAINED;
        frontier->promised = CRAWL_FOREVER;
        return news;
    }
    int64_t next = next_time(frontier);
    if (next >= frontier->promised)
        return false;
    frontier->promise = CW_PROMISE_TIME;
    frontier->promised = next;
    return true;
}

void cw_frontier_leave(crawl_frontier *frontier)
{
    bool tell = frontier_must_tell(frontier);
    pthread_mutex_unlock(&frontier->lock);
    if (tell && frontier->options.on_ready)
        frontier->options.on_ready(frontier->options.user);
}

crawl_err cw_frontier_leave_written(crawl_frontier *frontier, crawl_err err)
{
    cw_frontier_leave(frontier);
    return frontier->store.wait && !err ? frontier->store.wait(frontier) : err;
}

crawl_err cw_frontier_keep(crawl_frontier *frontier, cw_frontier_host *host, cw_frontier_queue *queue)
{
    uint64_t live = frontier->hosts.live + !host->live;
    crawl_err err = cw_frontier_schedule_reserve(&frontier->schedule, &frontier->memory, live);
    if (!err)
        err = cw_frontier_queue_keep(queue, &frontier->memory);
    if (err)
        return err;
    if (frontier->store.tails && !queue->tail) {
        err = frontier->store.tails->create(frontier, host, queue);
        if (err) {
            cw_frontier_queue_unkeep(queue);
            cw_frontier_queue_trim(queue, &frontier->memory);
            return err;
        }
    }
    host->live = true;
    frontier->hosts.live = live;
    return CRAWL_OK;
}

void cw_frontier_settle(crawl_frontier *frontier, cw_frontier_host *host, int64_t now)
{
    host->changed = true;
    cw_frontier_hosts_recount(&frontier->hosts, host);
    cw_frontier_schedule_place(&frontier->schedule, host, now);
}

static void frontier_describe(const crawl_frontier *frontier, const cw_frontier_lease *slot, crawl_lease *lease)
{
    cw_frontier_item_describe(slot->item, lease);
    lease->id = cw_frontier_leases_id(&frontier->leases, slot);
    lease->origin = cw_frontier_host_origin(slot->host);
    lease->url = slot->item->flags & CW_ITEM_WHOLE ? cw_frontier_item_url(slot->item) : crawl_buf_slice(&slot->url);
}

/* Finds the head request of a ready host, in the store if need be, and reserves room for its return. */
static crawl_err find_head(crawl_frontier *frontier, cw_frontier_queue *queue, cw_frontier_item **out)
{
    crawl_err err = cw_frontier_queue_head(queue) ? CRAWL_OK : queue->tail->calls->refill(queue, CW_LANE_READY);
    if (err)
        return err;
    cw_frontier_item *item = cw_frontier_queue_head(queue)->value;
    if (frontier->store.reserve_request)
        err = frontier->store.reserve_request(frontier, item, item->parent);
    *out = item;
    return err;
}

static bool is_queued_nearer(const crawl_frontier *frontier, const cw_frontier_item *item)
{
    return !(item->flags & (CW_ITEM_URGENT | CW_ITEM_ANY_DEPTH | CW_ITEM_REVISIT)) &&
           cw_frontier_depths_is_marked_nearer(frontier, &item->fingerprint, item->depth);
}

/* Leases the head request of a ready host. */
static crawl_err frontier_give(crawl_frontier *frontier, cw_frontier_host *host, int64_t now, crawl_lease *lease)
{
    cw_frontier_item *item = NULL;
    cw_frontier_queue *queue = cw_frontier_schedule_head(host);
    crawl_err err = find_head(frontier, queue, &item);
    if (!err && frontier->store.dates)
        err = frontier->store.dates->reserve(frontier);
    if (err)
        return err;
    cw_frontier_lease *slot = cw_frontier_leases_open(&frontier->leases, &frontier->memory, host, item);
    if (!slot)
        return CRAWL_ENOMEM;
    cw_heap_key key = cw_frontier_queue_take(queue).key;
    slot->sequence = key.low;
    if (frontier->store.taken)
        frontier->store.taken(frontier, slot);
    slot->started = !frontier->options.confirm_start;
    cw_frontier_schedule_served(&frontier->schedule, host, cw_frontier_key_is_urgent(key), now);
    bool session_ends =
        cw_frontier_schedule_count_session(&frontier->schedule, &frontier->memory, host, key, frontier->hosts.queued);
    frontier->queued--;
    frontier->revisits_leased += cw_frontier_item_visits(item) > 0;
    cw_frontier_settle(frontier, host, now);
    frontier->promise = CW_PROMISE_NONE;
    frontier_describe(frontier, slot, lease);
    lease->nearer = is_queued_nearer(frontier, item);
    lease->session_ends = session_ends && frontier->hosts.queued > frontier->options.kept_open;
    return CRAWL_OK;
}

/* Returns the wait from the caller's own time, which may be earlier than the frontier's, until `then`. */
static int64_t time_until(int64_t then, int64_t now_ms)
{
    int64_t wait;
    if (then == CRAWL_FOREVER || __builtin_sub_overflow(then, now_ms, &wait))
        return CRAWL_FOREVER;
    return wait;
}

static crawl_err give_none(crawl_frontier *frontier, int64_t now_ms, int64_t *wait_ms)
{
    frontier->promised = next_time(frontier);
    if (frontier_is_drained(frontier)) {
        frontier->promise = CW_PROMISE_DRAINED;
        return CRAWL_DRAINED;
    }
    frontier->promise = CW_PROMISE_TIME;
    if (wait_ms)
        *wait_ms = time_until(frontier->promised, now_ms);
    return CRAWL_AGAIN;
}

static bool frontier_may_give(crawl_frontier *frontier, cw_frontier_host *host)
{
    return !frontier->store.may_give || frontier->store.may_give(frontier, host, NULL);
}

static bool frontier_may_start(crawl_frontier *frontier, const cw_frontier_lease *lease)
{
    return !frontier->store.may_give || frontier->store.may_give(frontier, lease->host, lease);
}

/* Returns the host to ask now. NULL: none. */
static cw_frontier_host *best_host(crawl_frontier *frontier)
{
    if (frontier->store.may_lease && !frontier->store.may_lease(frontier))
        return NULL;
    cw_frontier_host *host = cw_frontier_schedule_best(&frontier->schedule);
    while (host && !frontier_may_give(frontier, host))
        host = cw_frontier_schedule_best(&frontier->schedule);
    return host;
}

crawl_err crawl_frontier_pop(crawl_frontier *frontier, int64_t now_ms, crawl_lease *lease, int64_t *wait_ms)
{
    int64_t now = cw_frontier_enter(frontier, now_ms);
    cw_frontier_schedule_wake(&frontier->schedule, now);
    crawl_err err = cw_frontier_failed(frontier);
    if (!err)
        err = rouse(frontier);
    if (!err) {
        cw_frontier_host *host = best_host(frontier);
        err = host ? frontier_give(frontier, host, now, lease) : give_none(frontier, now_ms, wait_ms);
    }
    pthread_mutex_unlock(&frontier->lock);
    return err;
}

static crawl_err give_none_of(crawl_frontier *frontier, const cw_frontier_host *host, int64_t now_ms, int64_t *wait_ms)
{
    if (!host || !cw_frontier_host_load(host))
        return CRAWL_DRAINED;
    int64_t opens =
        cw_frontier_host_queued(host) ? cw_frontier_schedule_opens(&frontier->schedule, host) : CRAWL_FOREVER;
    if (wait_ms)
        *wait_ms = time_until(opens, now_ms);
    return CRAWL_AGAIN;
}

/* The promise of pop stands whatever is given here: another caller waits for on_ready. */
crawl_err crawl_frontier_pop_host(crawl_frontier *frontier, crawl_slice origin, int64_t now_ms, crawl_lease *lease,
                                  int64_t *wait_ms)
{
    int64_t now = cw_frontier_enter(frontier, now_ms);
    cw_frontier_host *host = NULL;
    crawl_err err = cw_frontier_failed(frontier);
    if (!err)
        err = cw_frontier_hosts_look(&frontier->hosts, origin, &host);
    cw_frontier_schedule_wake(&frontier->schedule, now);
    if (err == CRAWL_OK || err == CRAWL_ABSENT) {
        bool ready = host && host->at_ready && frontier_may_give(frontier, host);
        cw_frontier_promise promise = frontier->promise;
        err = ready ? frontier_give(frontier, host, now, lease) : give_none_of(frontier, host, now_ms, wait_ms);
        frontier->promise = promise;
    }
    cw_frontier_leave(frontier);
    return err;
}

crawl_err crawl_frontier_start(crawl_frontier *frontier, uint64_t lease, int64_t now_ms)
{
    int64_t now = cw_frontier_enter(frontier, now_ms);
    cw_frontier_lease *slot = cw_frontier_leases_find(&frontier->leases, lease);
    crawl_err err = slot && !slot->started ? CRAWL_OK : CRAWL_ESTATE;
    if (!err && !frontier_may_start(frontier, slot))
        err = CRAWL_AGAIN;
    if (!err) {
        slot->started = true;
        cw_frontier_schedule_started(&frontier->schedule, slot->host, slot->item->flags & CW_ITEM_URGENT, now);
        cw_frontier_settle(frontier, slot->host, now);
    }
    cw_frontier_leave(frontier);
    return err;
}

crawl_err crawl_frontier_park(crawl_frontier *frontier, uint64_t lease, int64_t now_ms)
{
    int64_t now = cw_frontier_enter(frontier, now_ms);
    cw_frontier_lease *slot = cw_frontier_leases_find(&frontier->leases, lease);
    crawl_err err = slot && slot->started && !slot->parked ? CRAWL_OK : CRAWL_ESTATE;
    if (!err) {
        slot->parked = true;
        slot->host->leased--;
        cw_frontier_settle(frontier, slot->host, now);
    }
    cw_frontier_leave(frontier);
    return err;
}

crawl_err crawl_frontier_seen(crawl_frontier *frontier, const crawl_fingerprint *fingerprint)
{
    pthread_mutex_lock(&frontier->lock);
    crawl_err err = frontier->store.seen
                        ? frontier->store.seen(frontier, fingerprint)
                        : cw_frontier_depths_find(&frontier->options, frontier->seen, fingerprint, NULL);
    pthread_mutex_unlock(&frontier->lock);
    return err;
}

/* Notes: bytes of the caller's own under an origin, the empty name, or a name of the caller's. The store keeps them. */

static bool names_note(crawl_slice name)
{
    return !name.size || (name.size <= CRAWL_NOTE_MAX && (name.data[0] == '#' || cw_frontier_is_origin(name)));
}

crawl_err crawl_frontier_notes_set(crawl_frontier *frontier, const crawl_note *notes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!names_note(notes[i].name) || notes[i].note.size > CRAWL_NOTE_MAX)
            return CRAWL_EINVAL;
    pthread_mutex_lock(&frontier->lock);
    crawl_err err = cw_frontier_failed(frontier);
    if (!err)
        err = frontier->store.set_notes(frontier, notes, count);
    pthread_mutex_unlock(&frontier->lock);
    return frontier->store.wait && !err ? frontier->store.wait(frontier) : err;
}

crawl_err crawl_frontier_note_set(crawl_frontier *frontier, crawl_slice name, crawl_slice note)
{
    return crawl_frontier_notes_set(frontier, &(crawl_note){name, note}, 1);
}

crawl_err crawl_frontier_note_get(crawl_frontier *frontier, crawl_slice name, crawl_buf *note)
{
    if (!names_note(name))
        return CRAWL_EINVAL;
    pthread_mutex_lock(&frontier->lock);
    crawl_err err = cw_frontier_failed(frontier);
    if (!err)
        err = frontier->store.get_note(frontier, name, note);
    pthread_mutex_unlock(&frontier->lock);
    return err;
}

crawl_err crawl_frontier_notes_after(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after,
                                     bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user)
{
    crawl_err err = cw_frontier_failed(frontier);
    return err ? err : frontier->store.notes(frontier, prefix, after, each, user);
}

crawl_err crawl_frontier_notes(crawl_frontier *frontier, crawl_slice prefix,
                               bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user)
{
    return crawl_frontier_notes_after(frontier, prefix, (crawl_slice){0}, each, user);
}
