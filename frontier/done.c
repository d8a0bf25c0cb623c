/* Leases that end: finished, coming back, or in a further visit. */
#include "frontier/forget.h"

/* The parts of an ended request to free once the lock is released. */
typedef struct remains {
    cw_frontier_item *item;
    cw_frontier_parent *parent;
} remains;

static remains leave_behind(crawl_frontier *frontier, cw_frontier_item *item)
{
    remains left = {.item = item, .parent = cw_frontier_item_leave_parent(item)};
    cw_frontier_memory_disown(&frontier->memory, left.item);
    cw_frontier_memory_disown(&frontier->memory, left.parent);
    return left;
}

/* left: the request is no longer this process's, and neither queued nor finished here. */
static remains done_finish(crawl_frontier *frontier, cw_frontier_queue *queue, cw_frontier_item *item, bool left)
{
    cw_frontier_queue_unkeep(queue);
    if (left)
        frontier->accepted--;
    else if (item->flags & CW_ITEM_URGENT)
        frontier->urgent--;
    else
        frontier->finished++;
    return leave_behind(frontier, item);
}

/* Queues now or at a date. */
static void requeue(crawl_frontier *frontier, cw_frontier_queue *queue, cw_frontier_item *item, uint64_t sequence,
                    int64_t at, int64_t now)
{
    if (at > now)
        cw_frontier_queue_delay(queue, at, sequence, item);
    else
        cw_frontier_queue_put(queue, cw_frontier_order_key(frontier->options.order, item, sequence), item);
    frontier->queued++;
}

/* Updates the counts before anything of the end is written. */
static void begin_end(crawl_frontier *frontier, cw_frontier_lease *slot, bool is_turn)
{
    slot->host->leased -= !slot->parked;
    if (!slot->started)
        cw_frontier_schedule_unstarted(&frontier->schedule, slot->host,
                                       is_turn && !(slot->item->flags & CW_ITEM_URGENT));
    frontier->revisits_leased -= cw_frontier_item_visits(slot->item) > 0;
}

/* Closes the lease once the request is where it belongs. */
static void close_lease(crawl_frontier *frontier, cw_frontier_lease *slot, int64_t now)
{
    cw_frontier_host *host = slot->host;
    cw_frontier_leases_close(&frontier->leases, &frontier->memory, slot);
    cw_frontier_settle(frontier, host, now);
}

/* Keeps F1 and F2. If it cannot be written, the lease ends in memory only. */
static crawl_err done_end_lease(crawl_frontier *frontier, cw_frontier_lease *slot, crawl_outcome outcome, int64_t at,
                                int64_t now, remains *left)
{
    cw_frontier_item *item = slot->item;
    cw_frontier_queue *queue = cw_frontier_host_queue_of(slot->host, item);
    bool comes_back = outcome != CRAWL_DONE_FINISHED && outcome != CRAWL_DONE_FORGET;
    bool goes = comes_back && frontier->store.leaves && frontier->store.leaves(frontier, slot, outcome, at, now);
    begin_end(frontier, slot, outcome != CRAWL_DONE_RETURN || at > now);
    if (outcome == CRAWL_DONE_RETRY && item->retries < CW_FRONTIER_RETRIES_MAX)
        item->retries++;
    if (!comes_back || goes)
        frontier->revisits -= cw_frontier_item_visits(item) > 0;
    crawl_err err = frontier->store.end ? frontier->store.end(frontier, slot, outcome, at, now) : CRAWL_OK;
    if (outcome == CRAWL_DONE_FORGET)
        cw_frontier_forget_lease(frontier, slot, at, now);
    if (comes_back && !goes)
        requeue(frontier, queue, item, slot->sequence, at, now);
    else
        *left = done_finish(frontier, queue, item, goes);
    close_lease(frontier, slot, now);
    return err;
}

/* Creates the request as it is queued for its next visit, and reserves room for its record. */
static crawl_err make_next(crawl_frontier *frontier, const cw_frontier_lease *slot, crawl_slice memo,
                           cw_frontier_item **out)
{
    const cw_frontier_item *item = slot->item;
    if (item->flags & CW_ITEM_URGENT)
        return CRAWL_EINVAL;
    cw_frontier_item *next = cw_frontier_item_again(item, memo);
    crawl_err err = next ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err && frontier->store.reserve_request)
        err = frontier->store.reserve_request(frontier, next, item->parent);
    if (err) {
        free(next);
        return err;
    }
    cw_frontier_item_set_parent(next, item->parent);
    cw_frontier_memory_adopt(&frontier->memory, next);
    *out = next;
    return CRAWL_OK;
}

/* Drops a next visit that another process may make. The parent is that of the lease's item, which still exists. */
static void drop_next(crawl_frontier *frontier, cw_frontier_item *next)
{
    (void)cw_frontier_item_leave_parent(next);
    cw_frontier_memory_free(&frontier->memory, next);
    frontier->revisits--;
    frontier->accepted--;
}

/* Keeps F1 and F2, as done_end_lease does. */
static crawl_err queue_again(crawl_frontier *frontier, cw_frontier_lease *slot, int64_t at, crawl_slice memo,
                             int64_t now, remains *left)
{
    cw_frontier_item *next;
    crawl_err err = make_next(frontier, slot, memo, &next);
    if (err)
        return err;
    uint64_t sequence = cw_frontier_sequence_again(&frontier->sequence, frontier->options.order, slot->sequence);
    cw_frontier_queue *queue = cw_frontier_host_queue_of(slot->host, next);
    bool goes = frontier->store.leaves && frontier->store.leaves(frontier, slot, CRAWL_DONE_FINISHED, at, now);
    begin_end(frontier, slot, true);
    frontier->revisits += !cw_frontier_item_visits(slot->item);
    frontier->finished++;
    frontier->again++;
    if (frontier->store.end_again)
        err = frontier->store.end_again(frontier, slot, next, sequence, at, now);
    if (goes) {
        cw_frontier_queue_unkeep(queue);
        drop_next(frontier, next);
    } else {
        requeue(frontier, queue, next, sequence, at, now);
    }
    *left = leave_behind(frontier, slot->item);
    close_lease(frontier, slot, now);
    return err;
}

/* Ends a lease with an outcome, or, if there is a memo, in a further visit. Frees the remains outside the lock. */
static crawl_err end_either(crawl_frontier *frontier, uint64_t lease, crawl_outcome outcome, const crawl_slice *memo,
                            int64_t at, int64_t now_ms)
{
    int64_t now = cw_frontier_enter(frontier, now_ms);
    cw_frontier_lease *slot = cw_frontier_leases_find(&frontier->leases, lease);
    remains left = {0};
    crawl_err err = CRAWL_ESTATE;
    if (slot && memo)
        err = queue_again(frontier, slot, at, *memo, now, &left);
    else if (slot)
        err = done_end_lease(frontier, slot, outcome, at, now, &left);
    err = cw_frontier_leave_written(frontier, err);
    free(left.item);
    free(left.parent);
    return err;
}

crawl_err crawl_frontier_done(crawl_frontier *frontier, uint64_t lease, crawl_outcome outcome, int64_t at_ms,
                              int64_t now_ms)
{
    if ((unsigned)outcome > CRAWL_DONE_LATER)
        return CRAWL_EINVAL;
    if (outcome == CRAWL_DONE_LATER && !frontier->store.leaves) /* only a store with runs has requests that leave */
        outcome = CRAWL_DONE_RETURN;
    return end_either(frontier, lease, outcome, NULL, at_ms, now_ms);
}

crawl_err crawl_frontier_done_again(crawl_frontier *frontier, uint64_t lease, int64_t at_ms, crawl_slice memo,
                                    int64_t now_ms)
{
    if (memo.size > CRAWL_MEMO_MAX)
        return CRAWL_EINVAL;
    return end_either(frontier, lease, CRAWL_DONE_FINISHED, &memo, at_ms, now_ms);
}
