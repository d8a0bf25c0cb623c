/* A view of one host: its record is searched among those of all hosts, its requests are contiguous. */
#include "frontier/view/view.h"

/* CRAWL_ABSENT: it is not known. */
static crawl_err view_find_host(crawl_frontier_view *view, crawl_slice origin, uint32_t *number, crawl_buf *record,
                                crawl_error *error)
{
    cw_disk_cursor cursor;
    cw_disk_host_key first = cw_disk_host_key_make(0);
    const char end[] = {(char)(first.bytes[0] + 1)};
    crawl_err err = CRAWL_ABSENT;
    cw_disk_cursor_open(&cursor, &view->database, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(first), crawl_slice_of(end, 1),
                        true);
    for (; err == CRAWL_ABSENT && cw_disk_cursor_valid(&cursor); cw_disk_cursor_next(&cursor)) {
        cw_disk_host_record host;
        crawl_slice value = cw_disk_cursor_value(&cursor);
        if (!cw_disk_host_key_read(cw_disk_cursor_key(&cursor), number) || !cw_disk_host_read(value, &host))
            err = crawl_error_set(error, CRAWL_ECORRUPT, "a record of a host cannot be read");
        else if (crawl_slice_equal(host.origin, origin))
            err = crawl_buf_append(record, value.data, value.size);
    }
    if (err == CRAWL_ABSENT && cw_disk_cursor_error(&cursor, error))
        err = CRAWL_EIO;
    cw_disk_cursor_close(&cursor);
    return err;
}

static crawl_err walk_requests(crawl_frontier_view *view, uint32_t number, cw_view_visitor *visitor, crawl_error *error)
{
    cw_view_cursor cursor;
    bool goes_on = true;
    crawl_err err = CRAWL_OK;
    cw_disk_queue_key first = cw_disk_queue_key_make(number, 0, (cw_heap_key){0});
    cw_disk_queue_key end = cw_disk_queue_key_end(number, CW_RANGES - 1);
    cw_view_cursor_open(&cursor, view, CW_DISK_SLICE_OF_KEY(first), CW_DISK_SLICE_OF_KEY(end));
    for (; !err && goes_on && cw_view_cursor_valid(&cursor); cw_view_cursor_next(&cursor)) {
        uint32_t host;
        unsigned range;
        cw_heap_key key;
        if (!cw_disk_queue_key_read(cw_view_cursor_key(&cursor), &host, &range, &key))
            err = crawl_error_set(error, CRAWL_ECORRUPT, "an invalid key in the queue");
        else
            goes_on = visitor->request(visitor, host, range, key, cw_view_cursor_value(&cursor));
    }
    if (!err)
        err = cw_view_cursor_error(&cursor, error);
    cw_view_cursor_close(&cursor);
    return err;
}

crawl_err cw_view_walk_host(crawl_frontier_view *view, crawl_slice origin, cw_view_visitor *visitor, crawl_error *error)
{
    uint32_t number;
    crawl_buf record = {0};
    cw_disk_host_record host;
    crawl_err err = view_find_host(view, origin, &number, &record, error);
    if (!err && cw_disk_host_read(crawl_buf_slice(&record), &host) && visitor->host(visitor, number, &host) &&
        visitor->request)
        err = walk_requests(view, number, visitor, error);
    crawl_buf_free(&record);
    return err;
}

typedef struct one_host {
    cw_view_visitor visitor;
    crawl_frontier_host *out;
} one_host;

static bool view_take_host(cw_view_visitor *visitor, uint32_t number, const cw_disk_host_record *record)
{
    crawl_frontier_host *out = ((one_host *)visitor)->out;
    (void)number;
    out->pause_ms = record->pause;
    out->blocked_ms = record->blocked;
    out->started_ms = record->last_start;
    out->share = record->share;
    return true;
}

crawl_err crawl_frontier_view_host(crawl_frontier_view *view, crawl_slice origin, crawl_frontier_host *out,
                                   crawl_error *error)
{
    crawl_frontier_host host = {.origin = origin};
    one_host one = {.visitor = {.host = view_take_host}, .out = &host};
    crawl_err err = cw_view_walk_host(view, origin, &one.visitor, error);
    if (!err)
        *out = host;
    return err;
}
