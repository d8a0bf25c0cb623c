/* Urgent requests: past the seen-set and ahead of all others of their host. */
#include "frontier/state.h"

/* Under the lock. After a failure the item is the caller's still. */
static crawl_err queue_urgent(crawl_frontier *frontier, cw_frontier_item *item, crawl_slice origin, int64_t now)
{
    if (cw_frontier_failed(frontier))
        return cw_frontier_failed(frontier);
    cw_frontier_host *host = cw_frontier_hosts_get(&frontier->hosts, origin);
    if (!host)
        return CRAWL_ENOMEM;
    cw_frontier_queue *queue = &host->queues[CW_URGENT];
    cw_heap_key key = cw_frontier_order_key(frontier->options.order, item, frontier->sequence.up);
    crawl_err err = cw_frontier_keep(frontier, host, queue);
    if (err)
        return err;
    frontier->sequence.up++;
    err = frontier->store.put_urgent ? frontier->store.put_urgent(frontier, host, key, item) : CRAWL_OK;
    if (err) {
        cw_frontier_queue_unkeep(queue);
    } else {
        cw_frontier_memory_adopt(&frontier->memory, item);
        cw_frontier_queue_put(queue, key, item);
        frontier->queued++;
        frontier->urgent++;
    }
    cw_frontier_settle(frontier, host, now);
    return err;
}

crawl_err crawl_frontier_push_urgent(crawl_frontier *frontier, const crawl_request *request, int64_t now_ms)
{
    crawl_buf scratch = {0};
    crawl_slice origin;
    cw_frontier_item *item = NULL;
    if (!cw_frontier_item_fits(request))
        return CRAWL_EINVAL;
    crawl_err err = crawl_href_origin(request->url, &scratch, &origin);
    if (err)
        goto out;
    item = cw_frontier_item_create(request, origin, CW_ITEM_URGENT);
    err = CRAWL_ENOMEM;
    if (!item)
        goto out;
    int64_t now = cw_frontier_enter(frontier, now_ms);
    err = queue_urgent(frontier, item, origin, now);
    if (!err)
        item = NULL;
    err = cw_frontier_leave_written(frontier, err);
out:
    free(item);
    crawl_buf_free(&scratch);
    return err;
}
