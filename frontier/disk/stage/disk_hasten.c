/* T1 to T5 are the invariants in tail.c. */
#include "frontier/disk/stage/tail.h"

#include "frontier/disk/disk.h"
#include "frontier/hasten.h"

#include <stdlib.h>

enum { STEP = 1024 }; /* requests read while the lock is held */

/* Writes the request under its new date, and deletes it under the old one, in the current batch. */
static void disk_hasten_move(cw_disk *disk, cw_frontier_hastening *hastening, cw_heap_key key,
                             const cw_frontier_item *item, cw_frontier_item *next)
{
    next->flags |= CW_ITEM_MOVED;
    cw_frontier_item_set_parent(next, item->parent);
    cw_disk_drop_delayed(disk, hastening->host, key, item);
    cw_disk_put_delayed(disk, hastening->host, cw_frontier_hasten_key(hastening, key), next);
    (void)cw_frontier_item_leave_parent(next);
    free(next);
}

/* Examines one record. *moved: it is now due, in the current batch. */
static crawl_err disk_hasten_record(cw_disk *disk, cw_frontier_hastening *hastening, cw_heap_key key,
                                    crawl_slice record, bool *moved)
{
    cw_frontier_item *item;
    cw_frontier_item *next = NULL;
    cw_frontier_parent *parent = NULL;
    crawl_err err = cw_disk_request_read(record, &item, &parent);
    if (err)
        return err;
    err = cw_frontier_hasten_item(hastening, key, item, &next);
    *moved = next != NULL;
    if (next)
        disk_hasten_move(disk, hastening, key, item, next);
    free(cw_frontier_item_leave_parent(item));
    free(item);
    return err;
}

/* The moved keys, all of which have the date of now. */
typedef struct moved_keys {
    cw_heap_key least;
    uint64_t count;
} moved_keys;

static crawl_err read_step(cw_disk *disk, cw_frontier_hastening *hastening, cw_disk_cursor *cursor, moved_keys *moved,
                           crawl_error *error)
{
    for (unsigned i = 0; i < STEP && cw_disk_cursor_valid(cursor); i++, cw_disk_cursor_next(cursor)) {
        uint32_t host;
        unsigned range;
        cw_heap_key key;
        bool is_moved;
        if (!cw_disk_queue_key_read(cw_disk_cursor_key(cursor), &host, &range, &key))
            return crawl_error_set(error, CRAWL_ECORRUPT, "an invalid key in the queue");
        crawl_err err = disk_hasten_record(disk, hastening, key, cw_disk_cursor_value(cursor), &is_moved);
        if (err == CRAWL_ECORRUPT)
            crawl_error_set(error, err, "an invalid request in the queue");
        if (err)
            return err;
        cw_heap_key due = cw_frontier_hasten_key(hastening, key);
        if (is_moved && (!moved->count++ || cw_heap_key_less(due, moved->least)))
            moved->least = due;
        hastening->from = (cw_heap_key){.high = key.high, .low = key.low + 1};
    }
    hastening->is_over = !cw_disk_cursor_valid(cursor);
    return hastening->is_over ? cw_disk_cursor_error(cursor, error) : CRAWL_OK;
}

/* Keeps T1: moved requests have an earlier date than all others that were not due. */
static void note_moved(cw_frontier_lane *lane, cw_frontier_hastening *hastening, const moved_keys *moved)
{
    if (moved->count && cw_heap_key_less(moved->least, lane->edge))
        lane->edge = moved->least;
    hastening->count += moved->count;
}

crawl_err cw_disk_tail_hasten(crawl_frontier *frontier, cw_frontier_queue *queue,
                              struct cw_frontier_hastening *hastening)
{
    cw_disk *disk = cw_disk_of(frontier);
    cw_frontier_lane *lane = &queue->tail->lanes[CW_LANE_DELAYED];
    cw_disk_cursor cursor;
    crawl_error error = {0};
    moved_keys moved = {.count = 0};
    uint32_t number = hastening->host->number;
    cw_disk_tail_leave_delayed(queue);
    cw_disk_queue_key from = cw_disk_queue_key_make(number, CW_RANGE_NORMAL_DELAYED, hastening->from);
    cw_disk_queue_key to = cw_disk_queue_key_end(number, CW_RANGE_NORMAL_DELAYED);
    cw_disk_cursor_open(&cursor, &disk->database, CW_FAMILY_QUEUE, CW_DISK_SLICE_OF_KEY(from), CW_DISK_SLICE_OF_KEY(to),
                        true);
    cw_disk_begin(disk);
    crawl_err err = read_step(disk, hastening, &cursor, &moved, &error);
    cw_disk_cursor_close(&cursor);
    crawl_err written = moved.count ? cw_disk_commit(disk) : CRAWL_OK;
    if (!written)
        note_moved(lane, hastening, &moved);
    if (err == CRAWL_EIO || err == CRAWL_ECORRUPT)
        return cw_disk_fail(disk, &error);
    return err ? err : written;
}
