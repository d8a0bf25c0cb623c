/* The end of a queue: removes its URLs one by one, then the queue. See crawl.h. */
#include "base/bytes.h"
#include "tools/serve/urlfrontier/handout.h"

enum { LIST_BYTES = 16 << 20 };

/* Appends a byte that tells whether the URL is completed, the URL, and a NUL. */
static bool list_url(crawl_slice name, crawl_slice note, void *user)
{
    crawl_buf *list = user;
    cw_service_record record;
    crawl_slice key;
    crawl_slice url;
    cw_service_record_split(name, &key, &url);
    bool completed = !cw_service_record_read(note, &record) && record.completed;
    size_t before = list->size;
    if (crawl_buf_append_char(list, completed ? 'c' : 'a') || crawl_buf_append(list, url.data, url.size) ||
        crawl_buf_append_char(list, '\0')) {
        list->size = before;
        return false;
    }
    return list->size < LIST_BYTES;
}

static crawl_err remove_listed(cw_service_queue *queue, crawl_slice rest, int64_t now_ms, uint64_t *removed)
{
    crawl_err err = CRAWL_OK;
    while (rest.size && !err) {
        bool completed = *cw_take(&rest, 1).data == 'c';
        crawl_slice url = cw_cut(&rest, '\0');
        err = cw_service_crawl_remove(queue->crawl, queue, url, completed, now_ms);
        *removed += !err;
    }
    return err;
}

/* Removes the URLs in parts, so that they are never all in memory. */
static crawl_err remove_urls(cw_service_queue *queue, int64_t now_ms, uint64_t *removed)
{
    crawl_buf list = {0};
    crawl_buf prefix = {0};
    crawl_err err = cw_service_record_prefix(crawl_slice_from(queue->key), &prefix);
    uint64_t before;
    do {
        before = *removed;
        crawl_buf_clear(&list);
        if (!err)
            err = crawl_frontier_notes(queue->crawl->frontier, crawl_buf_slice(&prefix), list_url, &list);
        if (!err)
            err = remove_listed(queue, crawl_buf_slice(&list), now_ms, removed);
    } while (!err && *removed > before);
    crawl_buf_free(&prefix);
    crawl_buf_free(&list);
    return err;
}

crawl_err cw_service_queue_delete(cw_service_queue *queue, int64_t now_ms, uint64_t *removed)
{
    *removed = 0;
    if (queue->handout)
        cw_service_handout_leave(queue->handout);
    cw_service_queue_unpark(queue, now_ms);
    crawl_err err = remove_urls(queue, now_ms, removed);
    return err ? err : cw_service_queue_forget(queue, now_ms);
}
