/* T1 to T5 are the invariants in tail.c. */
#include "frontier/disk/stage/tail.h"

#include "frontier/disk/disk.h"

#define AHEAD_HOSTS 128u /* hosts, by number, to consider after the one refilled, */
#define AHEAD_STEPS 12u  /* and records to step over one by one before a seek is cheaper */

static bool is_leased(const cw_disk_windows *windows, const cw_frontier_host *host, cw_heap_key key)
{
    for (const cw_frontier_lease *lease = cw_frontier_leases_of(windows->leases, host); lease;
         lease = cw_frontier_leases_next_of(windows->leases, lease)) {
        cw_heap_key leased = cw_frontier_order_key(windows->order, lease->item, lease->sequence);
        if (leased.high == key.high && leased.low == key.low)
            return true;
    }
    return false;
}

/* The walk of a refill. */
typedef struct refill {
    cw_frontier_queue *queue;
    int lane;
    uint32_t wanted;
    uint32_t taken;
    uint64_t bytes;
    uint64_t high;              /* of the last one's key */
    cw_frontier_parent *parent; /* of the last request read: requests of one page are often neighbours */
} refill;

static crawl_err refill_take_record(refill *r, cw_heap_key key, crawl_slice record)
{
    cw_frontier_tail *tail = r->queue->tail;
    cw_disk_windows *windows = cw_disk_window_of(r->queue)->windows;
    cw_frontier_parent *parent = r->parent;
    cw_frontier_item *item;
    crawl_err err = cw_disk_request_read(record, &item, &r->parent);
    if (err)
        return err;
    if (r->parent != parent)
        cw_frontier_memory_adopt(windows->memory, r->parent);
    cw_frontier_memory_adopt(windows->memory, item);
    cw_disk_tail_add(r->queue, r->lane, (cw_heap_entry){.key = key, .value = item});
    windows->bytes += cw_disk_tail_weight(item);
    r->bytes += cw_disk_tail_weight(item);
    tail->lanes[r->lane].count--;
    r->taken++;
    return CRAWL_OK;
}

/* Requests that are leased, that are done but not deleted yet, or that are in memory as part of the stage are on disk
 * as well. */
static bool refill_is_over(const refill *r, crawl_slice name, cw_heap_key key)
{
    const cw_disk_window *tail = cw_disk_window_of(r->queue);
    cw_disk_queue_key bytes;
    if (r->lane != CW_LANE_READY)
        return false;
    memcpy(bytes.bytes, name.data, sizeof bytes.bytes);
    const cw_disk *disk = tail->windows->disk;
    return is_leased(tail->windows, tail->host, key) || cw_disk_donelog_has(&disk->donelog, bytes) ||
           cw_disk_settling_has(&disk->settling, bytes);
}

/* Finds the lane's next key at the cursor, skipping requests that are over. CRAWL_DRAINED: there is none. */
static crawl_err next_key(const refill *r, cw_disk_cursor *cursor, cw_heap_key *key, crawl_error *error)
{
    const cw_frontier_host *own = cw_disk_window_of(r->queue)->host;
    uint32_t host;
    unsigned range;
    for (; cw_disk_cursor_valid(cursor); cw_disk_cursor_next(cursor)) {
        if (!cw_disk_queue_key_read(cw_disk_cursor_key(cursor), &host, &range, key))
            return crawl_error_set(error, CRAWL_ECORRUPT, "an invalid key in the queue");
        if (host != own->number || range != cw_frontier_range_of(own, r->queue, r->lane))
            return CRAWL_DRAINED;
        if (!refill_is_over(r, cw_disk_cursor_key(cursor), *key))
            return CRAWL_OK;
    }
    crawl_err err = cw_disk_cursor_error(cursor, error);
    return err ? err : CRAWL_DRAINED;
}

/* Returns true if enough was read: the wanted number, a fair part of the total budget, or, with sessions, all of one
 * priority and depth. */
static bool is_filled(const refill *r, cw_heap_key next)
{
    const cw_disk_windows *windows = cw_disk_window_of(r->queue)->windows;
    if (!r->taken)
        return false;
    return r->taken == r->wanted || r->bytes > windows->budget / 4 ||
           (cw_disk_windows_are_crowded(windows) && !cw_frontier_schedule_level(windows->schedule, next.high, r->high));
}

static crawl_err read_requests(refill *r, cw_disk_cursor *cursor, crawl_error *error)
{
    cw_frontier_lane *beyond = &r->queue->tail->lanes[r->lane];
    cw_heap_key key;
    while (beyond->count) {
        crawl_err err = next_key(r, cursor, &key, error);
        if (err == CRAWL_DRAINED)
            return crawl_error_set(error, CRAWL_ECORRUPT, "%.*s: the queue ends before its count",
                                   (int)cw_disk_window_of(r->queue)->host->origin_size,
                                   cw_disk_window_of(r->queue)->host->origin);
        if (err)
            return err;
        beyond->edge = key;
        if (is_filled(r, key))
            return CRAWL_OK;
        r->high = key.high;
        err = refill_take_record(r, key, cw_disk_cursor_value(cursor));
        if (err == CRAWL_ECORRUPT)
            crawl_error_set(error, err, "an invalid request in the queue");
        if (err)
            return err;
        cw_disk_cursor_next(cursor);
    }
    return CRAWL_OK;
}

static crawl_err begin_refill(refill *r, cw_frontier_queue *queue, int lane)
{
    cw_disk_windows *windows = cw_disk_window_of(queue)->windows;
    uint64_t count = queue->tail->lanes[lane].count;
    *r = (refill){.queue = queue, .lane = lane, .wanted = cw_disk_windows_share(windows)};
    if (count < r->wanted)
        r->wanted = (uint32_t)count;
    return cw_frontier_queue_reserve(queue, windows->memory, r->wanted);
}

/* Returns true for a host that is to be asked in the same turn and has nothing in a window. */
static bool is_next_in_turn(const cw_disk_windows *windows, const cw_frontier_host *host, uint64_t high)
{
    const cw_frontier_queue *queue = &host->queues[CW_NORMAL];
    return host->blocked == CW_FRONTIER_NEVER && cw_frontier_queue_beyond(queue, CW_LANE_READY) &&
           !cw_disk_tail_in_window(queue, CW_LANE_READY) &&
           cw_frontier_schedule_level(windows->schedule, queue->tail->lanes[CW_LANE_READY].edge.high, high);
}

/* Moves to the first record not before this one, which is near in most cases. A malformed key is left to the reader to
 * report. */
static void refill_advance(cw_disk_cursor *cursor, crawl_slice to)
{
    for (unsigned i = 0; cw_disk_cursor_valid(cursor) && i < AHEAD_STEPS; i++) {
        crawl_slice at = cw_disk_cursor_key(cursor);
        if (at.size != to.size || memcmp(at.data, to.data, to.size) >= 0)
            return;
        cw_disk_cursor_next(cursor);
    }
    cw_disk_cursor_seek(cursor, to);
}

static uint32_t last_ahead(const cw_frontier_host *host)
{
    return host->number < UINT32_MAX - AHEAD_HOSTS ? host->number + AHEAD_HOSTS : UINT32_MAX;
}

/* With more hosts than can take turns lease by lease, reads ahead the hosts that follow on disk: hosts have their turns
 * roughly in the order they became known, and a read for each session would be most of its cost. Stops when the budget
 * is half used: reading ahead displaces nothing. */
static crawl_err read_ahead(const refill *before, cw_disk_cursor *cursor, crawl_error *error)
{
    cw_disk_windows *windows = cw_disk_window_of(before->queue)->windows;
    const cw_frontier_host *own = cw_disk_window_of(before->queue)->host;
    uint64_t last = last_ahead(own);
    crawl_err err = CRAWL_OK;
    for (uint64_t i = (uint64_t)own->number + 1; !err && i <= last && windows->bytes < windows->budget / 2; i++) {
        cw_frontier_host *host = cw_frontier_hosts_at(windows->hosts, i);
        refill r;
        if (!host || !is_next_in_turn(windows, host, before->high))
            continue;
        cw_frontier_queue *queue = &host->queues[CW_NORMAL];
        if (begin_refill(&r, queue, CW_LANE_READY))
            return CRAWL_OK;
        cw_disk_queue_key from =
            cw_disk_queue_key_make(host->number, CW_RANGE_NORMAL, queue->tail->lanes[CW_LANE_READY].edge);
        refill_advance(cursor, CW_DISK_SLICE_OF_KEY(from));
        err = read_requests(&r, cursor, error);
        if (r.taken)
            cw_disk_tail_relist(cw_disk_window_of(queue));
        else
            cw_frontier_queue_trim(queue, windows->memory);
    }
    return err;
}

/* Keeps T1 to T4. */
crawl_err cw_disk_tail_refill(cw_frontier_queue *queue, int lane)
{
    cw_disk_window *tail = cw_disk_window_of(queue);
    cw_disk_windows *windows = tail->windows;
    cw_disk_cursor cursor;
    crawl_error error = {0};
    refill r;
    crawl_err err = begin_refill(&r, queue, lane);
    if (err)
        return err;
    unsigned range = cw_frontier_range_of(tail->host, queue, lane);
    cw_disk_queue_key from = cw_disk_queue_key_make(tail->host->number, range, tail->tail.lanes[lane].edge);
    bool ahead = range == CW_RANGE_NORMAL && cw_disk_windows_are_crowded(windows);
    cw_disk_queue_key to = cw_disk_queue_key_end(ahead ? last_ahead(tail->host) : tail->host->number, range);
    cw_disk_cursor_open(&cursor, &windows->disk->database, CW_FAMILY_QUEUE, CW_DISK_SLICE_OF_KEY(from),
                        CW_DISK_SLICE_OF_KEY(to), false);
    err = read_requests(&r, &cursor, &error);
    if (!err && ahead)
        err = read_ahead(&r, &cursor, &error);
    cw_disk_cursor_close(&cursor);
    if (err && err != CRAWL_ENOMEM)
        return cw_disk_fail(windows->disk, &error);
    if (!r.taken) {
        cw_frontier_queue_trim(queue, windows->memory);
        return err;
    }
    cw_disk_tail_relist(tail);
    cw_disk_windows_keep_budget(windows, tail);
    return CRAWL_OK;
}

/* Moves up to CW_DISK_REFILL_MAX due requests in memory; on disk first. */
static crawl_err ripen_some(cw_frontier_queue *queue, crawl_order order, int64_t now)
{
    cw_disk *disk = cw_disk_window_of(queue)->windows->disk;
    cw_frontier_host *host = cw_disk_window_of(queue)->host;
    cw_heap_entry due[CW_DISK_REFILL_MAX];
    uint32_t count = 0;
    cw_disk_begin(disk);
    while (count < CW_DISK_REFILL_MAX && queue->delayed && cw_frontier_queue_due(queue) <= now) {
        cw_heap_entry entry = due[count++] = cw_frontier_queue_take_delayed(queue);
        cw_frontier_item *item = entry.value;
        cw_disk_drop_delayed(disk, host, entry.key, item);
        item->flags |= CW_ITEM_MOVED;
        cw_disk_put_ready(disk, host, cw_frontier_order_key(order, item, entry.key.low), item);
    }
    host->changed |= count > 0;
    crawl_err err = cw_disk_commit(disk);
    for (uint32_t i = 0; i < count; i++) {
        if (err)
            cw_frontier_queue_delay(queue, cw_heap_time_of_key(due[i].key.high), due[i].key.low, due[i].value);
        else
            cw_frontier_queue_put(queue, cw_frontier_order_key(order, due[i].value, due[i].key.low), due[i].value);
    }
    return err;
}

/* A final failure, so not CRAWL_ENOMEM, after which nothing has changed. */
static const crawl_error no_memory = {.code = CRAWL_EIO, .message = "no memory for requests read from the disk"};

crawl_err cw_disk_tail_ripen(cw_frontier_queue *queue, crawl_order order, int64_t now)
{
    cw_disk_windows *windows = cw_disk_window_of(queue)->windows;
    crawl_err err = cw_disk_failure(windows->disk);
    while (!err && cw_frontier_queue_due(queue) <= now) {
        if (!queue->delayed)
            err = cw_disk_tail_refill(queue, CW_LANE_DELAYED);
        if (!err)
            err = ripen_some(queue, order, now);
    }
    cw_frontier_queue_trim(queue, windows->memory);
    return err == CRAWL_ENOMEM ? cw_disk_fail(windows->disk, &no_memory) : err;
}
