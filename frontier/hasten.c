#include "frontier/hasten.h"

/* Sets *out to the whole URL, joined with the origin if the item holds only the rest. CRAWL_ENOMEM. */
static crawl_err hasten_url(cw_frontier_hastening *hastening, const cw_frontier_item *item, crawl_slice *out)
{
    crawl_slice origin = cw_frontier_host_origin(hastening->host);
    *out = cw_frontier_item_url(item);
    if (item->flags & CW_ITEM_WHOLE)
        return CRAWL_OK;
    crawl_buf_clear(&hastening->url);
    crawl_err err = crawl_buf_append(&hastening->url, origin.data, origin.size);
    if (!err)
        err = crawl_buf_append(&hastening->url, out->data, out->size);
    *out = crawl_buf_slice(&hastening->url);
    return err;
}

crawl_err cw_frontier_hasten_item(cw_frontier_hastening *hastening, cw_heap_key key, const cw_frontier_item *item,
                                  cw_frontier_item **out)
{
    crawl_lease request = {.origin = cw_frontier_host_origin(hastening->host)};
    *out = NULL;
    if (cw_heap_time_of_key(key.high) <= hastening->now || !cw_frontier_item_visits(item))
        return CRAWL_OK;
    cw_frontier_item_describe(item, &request);
    crawl_err err = hasten_url(hastening, item, &request.url);
    crawl_slice memo = request.memo;
    if (err || !hastening->each(&request, &memo, hastening->user))
        return err;
    if (memo.size > CRAWL_MEMO_MAX)
        return CRAWL_EINVAL;
    *out = cw_frontier_item_with_memo(item, memo);
    return *out ? CRAWL_OK : CRAWL_ENOMEM;
}

static void replace_item(crawl_frontier *frontier, cw_heap_entry *entry, cw_frontier_item *next)
{
    cw_frontier_item *item = entry->value;
    cw_frontier_item_set_parent(next, item->parent);
    (void)cw_frontier_item_leave_parent(item); /* which now has another user */
    cw_frontier_memory_free(&frontier->memory, item);
    cw_frontier_memory_adopt(&frontier->memory, next);
    entry->value = next;
}

/* Hastens the requests in memory. Rebuilds their heap, since keys within it change. */
static crawl_err hasten_in_memory(crawl_frontier *frontier, cw_frontier_queue *queue, cw_frontier_hastening *hastening)
{
    cw_heap heap = cw_frontier_queue_heap(queue, CW_LANE_DELAYED);
    uint64_t before = hastening->count;
    crawl_err err = CRAWL_OK;
    for (uint32_t i = 0; i < queue->delayed && !err; i++) {
        cw_heap_entry *entry = &heap.root[(ptrdiff_t)i * heap.step];
        cw_frontier_item *next;
        err = cw_frontier_hasten_item(hastening, entry->key, entry->value, &next);
        if (!next)
            continue;
        replace_item(frontier, entry, next);
        entry->key = cw_frontier_hasten_key(hastening, entry->key);
        hastening->count++;
    }
    for (uint32_t i = 0; i < queue->delayed && hastening->count > before; i++)
        cw_heap_add(&heap, i, heap.root[(ptrdiff_t)i * heap.step]);
    hastening->is_over = true;
    return err;
}

/* Takes one step, under the lock. */
static crawl_err hasten_step(crawl_frontier *frontier, crawl_slice origin, cw_frontier_hastening *hastening,
                             int64_t now_ms)
{
    int64_t now = hastening->now = cw_frontier_enter(frontier, now_ms);
    cw_frontier_host *host = NULL;
    crawl_err err = cw_frontier_failed(frontier);
    if (!err)
        err = cw_frontier_hosts_look(&frontier->hosts, origin, &host);
    hastening->is_over = err != CRAWL_OK;
    if (err == CRAWL_ABSENT)
        err = CRAWL_OK;
    if (!hastening->is_over) {
        cw_frontier_queue *queue = &host->queues[CW_NORMAL];
        hastening->host = host;
        err = queue->tail ? queue->tail->calls->hasten(frontier, queue, hastening)
                          : hasten_in_memory(frontier, queue, hastening);
        cw_frontier_settle(frontier, host, now);
    }
    return cw_frontier_leave_written(frontier, err);
}

crawl_err crawl_frontier_hasten(crawl_frontier *frontier, crawl_slice origin, int64_t now_ms,
                                bool (*each)(const crawl_lease *request, crawl_slice *memo, void *user), void *user,
                                uint64_t *hastened)
{
    cw_frontier_hastening hastening = {.each = each, .user = user};
    crawl_err err = frontier->store.offer ? CRAWL_ESTATE : CRAWL_OK;
    while (!err && !hastening.is_over)
        err = hasten_step(frontier, origin, &hastening, now_ms);
    crawl_buf_free(&hastening.url);
    if (hastened)
        *hastened = hastening.count;
    return err;
}
