/* A batch of URLs as texts, see <crawl/frontier.h>: each is parsed, resolved and given its fingerprint, and
 * crawl_frontier_push takes them all. A text that is not a URL is passed on as an empty one, which push calls invalid,
 * so that results stay one per text. */
#include "frontier/state.h"

#include <crawl/frontier.h>
#include <stdlib.h>

/* The requests made of the texts. The URLs are consecutive in `text`, which moves as it grows: the requests' slices are
 * set when all are in. */
typedef struct url_batch {
    crawl_fingerprinter *fingerprinter;
    crawl_url *base;
    crawl_url *url;
    crawl_buf canonical;
    crawl_buf text;
    crawl_request *requests;
} url_batch;

/* Takes one text. Only CRAWL_ENOMEM is a failure: a text that is not an http(s) URL leaves request->url empty. */
static crawl_err batch_take(url_batch *batch, crawl_slice text, const crawl_url *base, crawl_request *request)
{
    crawl_err err = crawl_url_parse(batch->url, text, base, NULL);
    crawl_buf_clear(&batch->canonical);
    if (!err)
        err = crawl_url_canonical(batch->url, &batch->canonical);
    if (err)
        return err == CRAWL_ENOMEM ? err : CRAWL_OK;
    crawl_slice href = crawl_url_request(batch->url);
    err = crawl_fingerprint_request(batch->fingerprinter, request->method, crawl_buf_slice(&batch->canonical),
                                    request->body, &request->fingerprint);
    if (!err)
        err = crawl_buf_append(&batch->text, href.data, href.size);
    if (!err)
        request->url.size = href.size;
    return err;
}

static crawl_err batch_fill(url_batch *batch, const crawl_slice *urls, size_t count, const crawl_request *like,
                            crawl_slice parent)
{
    const crawl_url *base = NULL;
    batch->base = crawl_url_create();
    batch->url = crawl_url_create();
    batch->requests = calloc(count ? count : 1, sizeof *batch->requests);
    if (!batch->base || !batch->url || !batch->requests)
        return CRAWL_ENOMEM;
    if (crawl_url_parse(batch->base, parent, NULL, NULL) == CRAWL_OK)
        base = batch->base;
    for (size_t i = 0; i < count; i++) {
        if (like)
            batch->requests[i] = *like;
        batch->requests[i].url = (crawl_slice){0};
        crawl_err err = batch_take(batch, urls[i], base, &batch->requests[i]);
        if (err)
            return err;
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        batch->requests[i].url.data = batch->text.data + at;
        at += batch->requests[i].url.size;
    }
    return CRAWL_OK;
}

static void batch_free(url_batch *batch)
{
    crawl_url_free(batch->base);
    crawl_url_free(batch->url);
    crawl_buf_free(&batch->canonical);
    crawl_buf_free(&batch->text);
    free(batch->requests);
}

crawl_err crawl_frontier_push_urls(crawl_frontier *frontier, crawl_fingerprinter *fingerprinter,
                                   const crawl_slice *urls, size_t count, const crawl_request *like, crawl_slice parent,
                                   uint8_t *results, size_t *accepted, int64_t now_ms)
{
    url_batch batch = {.fingerprinter = fingerprinter};
    crawl_err err = batch_fill(&batch, urls, count, like, parent);
    if (!err) {
        err = crawl_frontier_push(frontier, batch.requests, count, parent, results, accepted, now_ms);
    } else {
        if (results)
            memset(results, CRAWL_PUSHED_INVALID, count);
        if (accepted)
            *accepted = 0;
    }
    batch_free(&batch);
    return err;
}

/* Urgent requests: past the seen-set and ahead of all others of their host. */

/* Call under the lock. After a failure the caller still owns the item. */
static crawl_err queue_urgent(crawl_frontier *frontier, cw_frontier_item *item, crawl_slice origin, int64_t now)
{
    cw_frontier_host *host;
    crawl_err err = cw_frontier_failed(frontier);
    if (!err)
        err = cw_frontier_hosts_get(&frontier->hosts, origin, &host);
    if (err)
        return err;
    cw_frontier_queue *queue = &host->queues[CW_URGENT];
    cw_heap_key key = cw_frontier_order_key(frontier->options.order, item, frontier->sequence.up);
    err = cw_frontier_keep(frontier, host, queue);
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
