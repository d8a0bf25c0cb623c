#include "shared/store/hold.h"

#include "base/array.h"
#include "shared/store/joint_bytes.h"
#include "shared/store/joint_clock.h"

#include <stdlib.h>

enum {
    BLOCKED_AWAY_MS = 5000,
    STUCK_MS = 60000 /* a host that waits this long for another one's answer is given back */
};

cw_joint_hold *cw_joint_hold_of(const cw_joint *joint, const cw_frontier_host *host)
{
    return host->number < joint->holds->numbers ? joint->holds->by_number[host->number] : NULL;
}

cw_joint_hold *cw_joint_hold_of_origin(const cw_joint *joint, crawl_slice origin)
{
    const cw_frontier_host *host = cw_frontier_hosts_find(&joint->frontier->hosts, origin);
    return host ? cw_joint_hold_of(joint, host) : NULL;
}

static crawl_err hold_reserve_number(cw_joint *joint, uint32_t number)
{
    if (number < joint->holds->numbers)
        return CRAWL_OK;
    size_t numbers = (size_t)number + number / 2 + 64;
    if (CW_ARRAY_RESIZE(joint->holds->by_number, numbers))
        return CRAWL_ENOMEM;
    memset(joint->holds->by_number + joint->holds->numbers, 0,
           (numbers - joint->holds->numbers) * sizeof(cw_joint_hold *));
    joint->holds->numbers = numbers;
    return CRAWL_OK;
}

/* ---- the record ---- */

/* Reads the record of a host. An empty one, which nobody wrote, changes nothing. False: not a record of this
 * program. */
static bool hold_read_record(cw_joint_hold *hold, crawl_slice bytes, int64_t now)
{
    cw_frontier_host *host = hold->host;
    cw_joint_record record;
    if (!bytes.size)
        return true;
    if (!cw_joint_record_read(bytes, &record))
        return false;
    hold->block_ms = record.block_ms;
    host->pause = record.pause_ms;
    host->share = record.share;
    host->taken = host->taken < host->share ? host->taken : 0;
    int64_t until = hold->block_ms ? cw_joint_from_server(hold->joint->clock, hold->block_ms) : CW_FRONTIER_NEVER;
    if (host->blocked != CRAWL_FOREVER)
        (void)cw_frontier_hosts_block(&hold->joint->frontier->hosts, host, until > now ? until : CW_FRONTIER_NEVER);
    return crawl_buf_append(&hold->note, record.note.data, record.note.size) == CRAWL_OK;
}

static int64_t hold_pause_of(const cw_joint_hold *hold)
{
    return hold->host->pause < 0 ? hold->joint->frontier->schedule.pause : hold->host->pause;
}

crawl_err cw_joint_hold_compose(cw_joint_hold *hold)
{
    const cw_frontier_host *host = hold->host;
    const cw_joint_record record = {.block_ms = hold->block_ms,
                                    .pause_ms = host->pause,
                                    .share = host->share,
                                    .note = crawl_buf_slice(&hold->note)};
    crawl_buf_clear(&hold->letter.record);
    crawl_err err = cw_joint_record_write(&record, &hold->letter.record);
    hold->letter.pause_ms = hold_pause_of(hold);
    hold->letter.open_ms = 0;
    if (host->last_start != CW_FRONTIER_NEVER)
        hold->letter.open_ms = cw_joint_to_server(hold->joint->clock, host->last_start + hold->letter.pause_ms);
    if (hold->block_ms > hold->letter.open_ms)
        hold->letter.open_ms = hold->block_ms;
    return err;
}

/* ---- stages ---- */

/* Returns true if Redis knows a pause that suffices. If this process dies, the host is asked again one pause after
 * the deadline, by the pause that Redis knows. Requests leave here up to a tenth of the lease before the deadline,
 * so a shorter pause is kept in any case. */
static bool hold_is_safe(const cw_joint_hold *hold)
{
    int64_t pause = hold_pause_of(hold);
    return pause <= hold->pause_ms || pause <= hold->joint->options.lease_ms / 10;
}

void cw_joint_hold_place(cw_joint_hold *hold, int64_t now)
{
    if (hold->stage == CW_JOINT_ENDS || hold->stage == CW_JOINT_GONE)
        return;
    bool may = hold_is_safe(hold) && !hold->awaits_notes && !hold->awaits_cookies;
    hold->stage = may ? CW_JOINT_HELD : CW_JOINT_WAITS;
    hold->host->away = !may || hold->yields;
    if (!hold->host->away && cw_frontier_queue_count(&hold->host->queues[CW_URGENT]))
        hold->joint->frontier->is_sought = true;
    cw_frontier_settle(hold->joint->frontier, hold->host, now);
}

/* Drops the queue except for urgent requests: these are this process's own, and wait until it has the host. */
static void drop_queue(crawl_frontier *frontier, cw_frontier_host *host)
{
    cw_frontier_queue *queue = &host->queues[CW_NORMAL];
    while (queue->ready || queue->delayed) {
        cw_frontier_item *item =
            queue->ready ? cw_frontier_queue_take(queue).value : cw_frontier_queue_take_delayed(queue).value;
        cw_frontier_queue_unkeep(queue);
        frontier->queued--;
        frontier->accepted--;
        frontier->revisits -= cw_frontier_item_visits(item) > 0;
        cw_frontier_memory_free(&frontier->memory, cw_frontier_item_leave_parent(item));
        cw_frontier_memory_free(&frontier->memory, item);
    }
}

/* Moves the hold to another stage. Keeps J1 to J4. */
void cw_joint_hold_leave(cw_joint_hold *hold, cw_joint_stage stage, int64_t now)
{
    cw_joint *joint = hold->joint;
    cw_frontier_host *host = hold->host;
    if (hold->stage == CW_JOINT_GONE)
        return;
    if (stage == CW_JOINT_GONE) {
        joint->holds->by_number[host->number] = NULL;
        joint->holds->held--;
        cw_joint_stray_count(joint, (int64_t)cw_frontier_queue_count(&host->queues[CW_URGENT]));
    }
    hold->stage = stage;
    host->away = true;
    drop_queue(joint->frontier, host);
    cw_frontier_settle(joint->frontier, host, now);
}

/* Returns true if the host has waited too long for its robots.txt, which is another host's: two processes may each
 * have the host that the other one waits for. */
static bool is_stuck(cw_joint_hold *hold, int64_t now)
{
    if (hold->host->blocked != CRAWL_FOREVER)
        hold->stuck_ms = 0;
    else if (!hold->stuck_ms)
        hold->stuck_ms = now;
    return hold->stuck_ms && now - hold->stuck_ms > STUCK_MS;
}

/* A host that is blocked for long can wait in Redis as well. */
bool cw_joint_hold_is_over(cw_joint_hold *hold, int64_t now)
{
    const cw_frontier_host *host = hold->host;
    bool is_blocked = host->blocked != CRAWL_FOREVER && host->blocked > now + BLOCKED_AWAY_MS;
    if (host->leased || (cw_frontier_queue_count(&host->queues[CW_URGENT]) && !hold->yields))
        return false;
    return hold->yields || is_blocked || is_stuck(hold, now) || !cw_frontier_queue_count(&host->queues[CW_NORMAL]);
}

/* ---- the beginning ---- */

static void queue_item(crawl_frontier *frontier, cw_frontier_host *host, cw_frontier_item *item, uint64_t id)
{
    cw_frontier_memory_adopt(&frontier->memory, item);
    cw_frontier_memory_adopt(&frontier->memory, item->parent);
    cw_frontier_queue_put(&host->queues[CW_NORMAL], cw_frontier_order_key(frontier->options.order, item, id), item);
    frontier->queued++;
    frontier->accepted++;
    frontier->revisits += cw_frontier_item_visits(item) > 0;
}

static crawl_err keep_rooms(crawl_frontier *frontier, cw_frontier_host *host, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        crawl_err err = cw_frontier_keep(frontier, host, &host->queues[CW_NORMAL]);
        for (; err && i > 0; i--)
            cw_frontier_queue_unkeep(&host->queues[CW_NORMAL]);
        if (err)
            return err;
    }
    return CRAWL_OK;
}

/* Queues requests of the session. CRAWL_ENOMEM: none. */
static crawl_err hold_queue(cw_joint_hold *hold, const cw_shared_item *ids, cw_frontier_item **items, size_t count)
{
    crawl_frontier *frontier = hold->joint->frontier;
    crawl_err err = keep_rooms(frontier, hold->host, count);
    for (size_t i = 0; i < count && !err; i++)
        queue_item(frontier, hold->host, items[i], ids[i].id);
    if (!err)
        hold->changes.first_id = count ? ids[0].id : 0;
    return err;
}

crawl_err cw_joint_hold_add(cw_joint_hold *hold, const cw_shared_item *ids, cw_frontier_item **items, size_t count,
                            int64_t now)
{
    cw_joint_changes *changes = &hold->changes;
    cw_joint_change *all = calloc(count, sizeof *all);
    crawl_err err = all ? hold_queue(hold, ids, items, count) : CRAWL_ENOMEM;
    if (err) {
        free(all);
        return err;
    }
    free(changes->all);
    *changes = (cw_joint_changes){.all = all, .room = count, .first_id = ids[0].id};
    hold->awaits_notes = true;
    cw_joint_hold_place(hold, now);
    return CRAWL_OK;
}

crawl_err cw_joint_hold_begin(cw_joint_hold *hold, const cw_shared_session *session, cw_frontier_item **items,
                              int64_t now)
{
    cw_joint *joint = hold->joint;
    crawl_frontier *frontier = joint->frontier;
    if (cw_frontier_hosts_get(&frontier->hosts, session->origin, &hold->host) ||
        hold_reserve_number(joint, hold->host->number))
        return CRAWL_ENOMEM;
    cw_joint_hold *before = cw_joint_hold_of(joint, hold->host);
    if (before)
        cw_joint_hold_leave(before, CW_JOINT_GONE, now);
    if (hold_queue(hold, session->items, items, session->item_count))
        return CRAWL_ENOMEM;
    joint->holds->by_number[hold->host->number] = hold;
    joint->holds->held++;
    cw_joint_stray_count(joint, -(int64_t)cw_frontier_queue_count(&hold->host->queues[CW_URGENT]));
    joint->counts.is_drained = false;
    if (!hold_read_record(hold, session->record, now))
        cw_joint_fail(joint, CRAWL_ECORRUPT, "the record of a host cannot be read");
    hold->pause_ms = session->pause_ms;
    hold->is_changed = hold_pause_of(hold) != hold->pause_ms;
    cw_joint_hold_place(hold, now);
    return CRAWL_OK;
}

/* ---- what is to be said ---- */

bool cw_joint_hold_gave(const cw_joint_hold *hold, uint64_t id)
{
    return id - hold->changes.first_id < hold->changes.room;
}

void cw_joint_hold_note(cw_joint_hold *hold, cw_shared_how how, uint64_t id, int64_t at_ms, uint64_t level,
                        crawl_buf *bytes)
{
    /* The lease may be of an earlier hold of the same host, which was lost. */
    bool is_of_session = cw_joint_hold_gave(hold, id) && hold->changes.made < hold->changes.room;
    if (!is_of_session) {
        if (bytes)
            crawl_buf_free(bytes);
        return;
    }
    hold->changes.all[hold->changes.made++] = (cw_joint_change){
        .change = {.how = how, .id = id, .at_ms = at_ms, .level = level},
        .epoch = hold->joint->order.epoch,
    };
    if (bytes)
        hold->changes.all[hold->changes.made - 1].change.bytes = crawl_slice_of(bytes->data, bytes->size);
}

void cw_joint_hold_free(cw_joint_hold *hold)
{
    for (size_t i = 0; i < hold->changes.made; i++)
        free((char *)hold->changes.all[i].change.bytes.data);
    free(hold->changes.all);
    crawl_buf_free(&hold->note);
    crawl_buf_free(&hold->letter.record);
    free(hold);
}

void cw_joint_holds_free(cw_joint_holds *holds)
{
    for (size_t i = 0; i < holds->count; i++)
        cw_joint_hold_free(holds->list[i]);
    free(holds->list);
    free(holds->by_number);
}
