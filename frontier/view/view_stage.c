/* See view.h: queue and stage merged, without done requests. The stage is small enough to be held in memory; the queue
 * is walked over. */
#include "frontier/view/view.h"

#include "base/array.h"

typedef struct cw_view_staged {
    cw_disk_queue_key name;
    size_t at; /* in view->stage */
    size_t size;
} cw_view_staged;

typedef struct reader {
    crawl_frontier_view *view;
    size_t capacity;
} reader;

static crawl_err keep_staged(cw_disk_queue_key name, crawl_slice record, crawl_slice parent, void *user)
{
    reader *r = user;
    crawl_frontier_view *view = r->view;
    if (CW_ARRAY_RESERVE(view->staged, r->capacity, view->staged_count + 1, 64))
        return CRAWL_ENOMEM;
    view->staged[view->staged_count++] =
        (cw_view_staged){.name = name, .at = view->stage.size, .size = record.size + parent.size};
    crawl_err err = crawl_buf_append(&view->stage, record.data, record.size);
    return err ? err : crawl_buf_append(&view->stage, parent.data, parent.size);
}

static int view_stage_compare(const void *a, const void *b)
{
    return memcmp(((const cw_view_staged *)a)->name.bytes, ((const cw_view_staged *)b)->name.bytes,
                  CW_DISK_QUEUE_KEY_SIZE);
}

crawl_err cw_view_read_stage(crawl_frontier_view *view, crawl_error *error)
{
    reader r = {.view = view};
    uint64_t sequence = cw_disk_database_sequence(&view->database);
    crawl_err err = cw_disk_leftover_read(&view->leftover, &view->database, view->directory, sequence, error);
    if (!err)
        err = cw_disk_leftover_staged(&view->leftover, &view->database, keep_staged, &r, error);
    if (!err && view->staged_count)
        qsort(view->staged, view->staged_count, sizeof *view->staged, view_stage_compare);
    return err;
}

void cw_view_free_stage(crawl_frontier_view *view)
{
    cw_disk_leftover_free(&view->leftover);
    crawl_buf_free(&view->stage);
    free(view->staged);
}

/* Skips done requests, and determines which of the two is next. */
static void settle_on(cw_view_cursor *cursor)
{
    const crawl_frontier_view *view = cursor->view;
    cw_disk_queue_key name;
    for (; cw_disk_cursor_valid(&cursor->queue); cw_disk_cursor_next(&cursor->queue)) {
        crawl_slice key = cw_disk_cursor_key(&cursor->queue);
        if (key.size != sizeof name.bytes)
            break;
        memcpy(name.bytes, key.data, sizeof name.bytes);
        if (!cw_disk_leftover_is_done(&view->leftover, name))
            break;
    }
    cursor->from_stage = cursor->staged < cursor->staged_end;
    if (!cursor->from_stage || !cw_disk_cursor_valid(&cursor->queue))
        return;
    crawl_slice key = cw_disk_cursor_key(&cursor->queue);
    const char *staged = view->staged[cursor->staged].name.bytes;
    cursor->from_stage =
        memcmp(staged, key.data, key.size < CW_DISK_QUEUE_KEY_SIZE ? key.size : CW_DISK_QUEUE_KEY_SIZE) < 0;
}

/* Returns how many requests of the stage come before this key. */
static size_t staged_before(const crawl_frontier_view *view, crawl_slice key)
{
    size_t low = 0;
    for (size_t high = view->staged_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (memcmp(view->staged[middle].name.bytes, key.data, CW_DISK_QUEUE_KEY_SIZE) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void cw_view_cursor_open(cw_view_cursor *cursor, crawl_frontier_view *view, crawl_slice first, crawl_slice end)
{
    *cursor =
        (cw_view_cursor){.view = view, .staged = staged_before(view, first), .staged_end = staged_before(view, end)};
    cw_disk_cursor_open(&cursor->queue, &view->database, CW_FAMILY_QUEUE, first, end, true);
    settle_on(cursor);
}

void cw_view_cursor_close(cw_view_cursor *cursor)
{
    cw_disk_cursor_close(&cursor->queue);
}

bool cw_view_cursor_valid(const cw_view_cursor *cursor)
{
    return cursor->from_stage || cw_disk_cursor_valid(&cursor->queue);
}

void cw_view_cursor_next(cw_view_cursor *cursor)
{
    if (cursor->from_stage)
        cursor->staged++;
    else
        cw_disk_cursor_next(&cursor->queue);
    settle_on(cursor);
}

crawl_slice cw_view_cursor_key(const cw_view_cursor *cursor)
{
    if (!cursor->from_stage)
        return cw_disk_cursor_key(&cursor->queue);
    return crawl_slice_of(cursor->view->staged[cursor->staged].name.bytes, CW_DISK_QUEUE_KEY_SIZE);
}

crawl_slice cw_view_cursor_value(const cw_view_cursor *cursor)
{
    if (!cursor->from_stage)
        return cw_disk_cursor_value(&cursor->queue);
    const cw_view_staged *staged = &cursor->view->staged[cursor->staged];
    return crawl_slice_of(cursor->view->stage.data + staged->at, staged->size);
}

crawl_err cw_view_cursor_error(const cw_view_cursor *cursor, crawl_error *error)
{
    return cw_disk_cursor_error(&cursor->queue, error);
}
