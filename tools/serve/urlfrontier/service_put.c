/* See service_put.h. The order of writes makes a crash between two of them harmless: the request goes to the frontier
 * first, then the record that names its version. A request without such a record is stale. A record without its request
 * never exists. */
#include "tools/serve/urlfrontier/service_put.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <stdlib.h>

#define OK URLFRONTIER__ACK_MESSAGE__STATUS__OK
#define SKIPPED URLFRONTIER__ACK_MESSAGE__STATUS__SKIPPED
#define FAIL URLFRONTIER__ACK_MESSAGE__STATUS__FAIL

enum { BATCH_MAX = 1024, KNOWN_MAX = 512 };

/* --- Items. --- */

static bool service_put_is_text(const char *text)
{
    crawl_slice slice = crawl_slice_from(text);
    return cw_utf8_valid_prefix(slice) == slice.size;
}

static bool is_all_text(const Urlfrontier__URLInfo *info)
{
    bool good = service_put_is_text(info->url) && service_put_is_text(info->key);
    for (size_t i = 0; i < info->n_metadata && good; i++) {
        const Urlfrontier__StringList *list = info->metadata[i]->value;
        good = service_put_is_text(info->metadata[i]->key);
        for (size_t k = 0; list && k < list->n_values && good; k++)
            good = service_put_is_text(list->values[k]);
    }
    return good;
}

/* Converts an error to a status. FAIL: the client may try again. */
static cw_service_status service_put_status_of(crawl_err err)
{
    return err == CRAWL_OK ? OK : err == CRAWL_EINVAL ? SKIPPED : FAIL;
}

/* Finds crawl and queue. False: the item already has its status. */
static bool service_put_prepare(cw_service *service, cw_service_item *item)
{
    const Urlfrontier__URLInfo *info = item->info;
    item->status = SKIPPED;
    if (!info || !*info->url || strlen(info->url) > CW_SERVICE_URL_MAX || !is_all_text(info))
        return false;
    crawl_slice key = cw_service_key(info->key, info->url);
    if (!key.size || cw_utf8_count(key) > CW_SERVICE_KEY_MAX)
        return false;
    crawl_err err = cw_service_get(service, info->crawlid, &item->crawl);
    if (!err)
        err = cw_service_queue_get(item->crawl, key, &item->queue);
    if (!err)
        err = cw_service_crawl_name(item->crawl, item->queue, crawl_slice_from(info->url), &item->fingerprint);
    item->status = service_put_status_of(err);
    return !err;
}

/* --- Writing. --- */

/* Packs the client's data into crawl->note, with the actual key and crawl. */
static crawl_err pack_info(cw_service_item *item, crawl_slice *out)
{
    Urlfrontier__URLInfo info = *item->info;
    crawl_buf *to = &item->crawl->note;
    info.key = item->queue->key;
    info.crawlid = item->crawl->id;
    size_t size = urlfrontier__urlinfo__get_packed_size(&info);
    crawl_buf_clear(to);
    crawl_err err = crawl_buf_reserve(to, size);
    if (!err)
        urlfrontier__urlinfo__pack(&info, (uint8_t *)to->data);
    *out = crawl_slice_of(to->data, size);
    return err;
}

/* Writes the record of an item whose name is in crawl->name. */
static crawl_err service_put_write_record(cw_service_item *item, cw_service_record *record)
{
    crawl_err err = pack_info(item, &record->info);
    return err ? err : cw_service_crawl_write(item->crawl, &item->fingerprint, record);
}

enum { DEPTH_BITS = 31 };

/* Puts a request before those of its queue that are due later: the upper bits of the date are its priority, the lower
 * bits its depth. Requests without a date, as earlier versions made them, come first. */
static void set_due(crawl_request *request, int64_t due_ms)
{
    int64_t most = ((int64_t)1 << (2 * DEPTH_BITS)) - 1;
    int64_t due = due_ms < most ? due_ms : most;
    request->priority = (int32_t) - (due >> DEPTH_BITS);
    request->depth = (uint32_t)(due & (((int64_t)1 << DEPTH_BITS) - 1));
}

/* Returns the request of an item, with a new version. */
static crawl_request request_of(cw_service_item *item, int64_t due_ms)
{
    item->version = cw_service_crawl_version(item->crawl);
    cw_le_put(item->memo, item->version, sizeof item->memo);
    crawl_request request = {
        .url = crawl_slice_from(item->queue->url),
        .fingerprint = item->fingerprint,
        .body = crawl_slice_from(item->info->url),
        .memo = crawl_slice_of(item->memo, sizeof item->memo),
    };
    set_due(&request, due_ms);
    return request;
}

static crawl_err push_once_more(cw_service_item *item, int64_t due_ms, int64_t now_ms)
{
    crawl_request request = request_of(item, due_ms);
    request.revisit = true;
    return cw_service_crawl_noted(
        item->crawl, crawl_frontier_push(item->crawl->frontier, &request, 1, (crawl_slice){0}, NULL, NULL, now_ms));
}

/* Sets crawl->name to the name of the item's record. */
static crawl_err name_record(const cw_service_item *item)
{
    return cw_service_crawl_name(item->crawl, item->queue, crawl_slice_from(item->info->url), NULL);
}

/* Reads the record of the item's URL. */
static crawl_err service_put_read_record(const cw_service_item *item, cw_service_record *out)
{
    crawl_err err = name_record(item);
    return err ? err : cw_service_crawl_read(item->crawl, &item->fingerprint, out);
}

/* --- Found URLs. --- */

static crawl_err begin_record(cw_service_item *item, int64_t now_ms)
{
    cw_service_record record = {.version = item->version, .created_ms = now_ms, .date_ms = now_ms};
    crawl_err err = service_put_write_record(item, &record);
    item->queue->total += !err;
    return err;
}

/* Settles an item that the filter has seen. Its URL may be known, taken for known by mistake, or deleted since. */
static cw_service_status settle_seen(cw_service_item *item, int64_t now_ms)
{
    cw_service_record record;
    crawl_err err = service_put_read_record(item, &record);
    if (err == CRAWL_OK)
        return SKIPPED;
    if (err == CRAWL_ABSENT)
        err = push_once_more(item, now_ms, now_ms);
    return err ? FAIL : service_put_status_of(begin_record(item, now_ms));
}

static cw_service_status settle_pushed(cw_service_item *item, uint8_t pushed, int64_t now_ms)
{
    if (pushed == CRAWL_PUSHED_SEEN)
        return settle_seen(item, now_ms);
    if (pushed != CRAWL_PUSHED_NEW)
        return FAIL;
    crawl_err err = name_record(item);
    return err ? FAIL : service_put_status_of(begin_record(item, now_ms));
}

/* count: at least 1. */
static void put_discovered(cw_service_item **items, size_t count, int64_t now_ms)
{
    crawl_request requests[BATCH_MAX];
    uint8_t pushed[BATCH_MAX];
    size_t filled = 0;
    do
        requests[filled] = request_of(items[filled], now_ms);
    while (++filled < count);
    crawl_err err =
        crawl_frontier_push(items[0]->crawl->frontier, requests, count, (crawl_slice){0}, pushed, NULL, now_ms);
    (void)cw_service_crawl_noted(items[0]->crawl, err);
    for (size_t i = 0; i < count; i++)
        items[i]->status = err ? FAIL : settle_pushed(items[i], pushed[i], now_ms);
}

/* --- Known URLs. --- */

static int64_t service_put_date_of(const cw_service_item *item)
{
    return item->date_s < CRAWL_FOREVER / 1000 ? (int64_t)item->date_s * 1000 : CRAWL_FOREVER;
}

/* Updates the counts of the item's queue. */
static crawl_err count_known(cw_service_item *item, bool is_new, bool was_completed, int64_t now_ms)
{
    cw_service_queue *queue = item->queue;
    bool completed = !item->date_s;
    queue->total += is_new;
    queue->completed += (uint64_t)completed - (uint64_t)was_completed;
    bool holds = queue->limit && completed != was_completed;
    return holds ? cw_service_queue_hold(queue, now_ms) : CRAWL_OK;
}

static crawl_err service_put_known(cw_service_item *item, int64_t now_ms)
{
    cw_service_crawl *crawl = item->crawl;
    cw_service_record record = {.created_ms = now_ms};
    bool seen = crawl_frontier_seen(crawl->frontier, &item->fingerprint) == CRAWL_EXISTS;
    crawl_err err = seen ? service_put_read_record(item, &record) : CRAWL_ABSENT;
    bool is_new = err == CRAWL_ABSENT;
    bool was_completed = !is_new && record.completed;
    if (err && !is_new)
        return err;
    item->version = record.version;
    err = CRAWL_OK;
    /* A URL new to the filter is pushed even if it is completed, to enter it there. */
    if (item->date_s || !seen)
        err = push_once_more(item, service_put_date_of(item), now_ms);
    record.version = item->date_s ? item->version : 0;
    record.completed = !item->date_s;
    record.date_ms = service_put_date_of(item);
    record.leased_ms = 0;
    if (!err)
        err = name_record(item);
    if (!err)
        err = service_put_write_record(item, &record);
    if (!err)
        err = count_known(item, is_new, was_completed, now_ms);
    return err;
}

/* Ends the lease of the item's URL and the leased request. If the URL is to come again, a new request stands for it. */
static crawl_err service_put_end_lease(cw_service_item *item, int64_t now_ms)
{
    cw_service_crawl *crawl = item->crawl;
    cw_service_lease *lease = cw_service_leases_find(&crawl->leases, &item->fingerprint);
    crawl_err err = CRAWL_OK;
    if (!lease)
        return CRAWL_OK;
    if (lease->id)
        err = cw_service_crawl_noted(crawl,
                                     crawl_frontier_done(crawl->frontier, lease->id, CRAWL_DONE_FINISHED, 0, now_ms));
    cw_service_crawl_release(crawl, lease, now_ms);
    return err;
}

/* Writes the records first. Otherwise a request could be gone while its record still names it. */
static void end_leases(cw_service_item *items, size_t count, int64_t now_ms)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].status != OK)
            continue;
        crawl_err err = cw_service_crawl_flush(items[i].crawl);
        if (!err)
            err = service_put_end_lease(&items[i], now_ms);
        items[i].status = service_put_status_of(err);
    }
}

/* Puts consecutive known items with different URLs. Returns their number. */
static size_t put_known_ones(cw_service *service, cw_service_item *items, size_t count, int64_t now_ms)
{
    size_t at = 0;
    for (; at < count && at < KNOWN_MAX && items[at].known; at++) {
        if (!service_put_prepare(service, &items[at]))
            continue;
        if (at && cw_service_pending_has(&items[at].crawl->pending, &items[at].fingerprint))
            break;
        items[at].status = service_put_status_of(service_put_known(&items[at], now_ms));
    }
    end_leases(items, at, now_ms);
    return at;
}

/* --- All items. --- */

/* Gathers consecutive found items of one crawl, from items[from] on. Returns the index after the last. */
static size_t service_put_gather(cw_service *service, cw_service_item *items, size_t from, size_t count,
                                 cw_service_item **batch, size_t *size)
{
    size_t at = from;
    for (*size = 0; at < count && *size < BATCH_MAX && !items[at].known; at++) {
        if (!service_put_prepare(service, &items[at]))
            continue;
        if (*size && items[at].crawl != batch[0]->crawl)
            break;
        batch[(*size)++] = &items[at];
    }
    return at;
}

/* Writes the items' records, and syncs them if the service requires it, so that items can be acknowledged. */
static void service_put_keep(const cw_service *service, cw_service_item *items, size_t count)
{
    cw_service_crawl *last = NULL;
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count; i++) {
        if (items[i].crawl && items[i].crawl != last) {
            last = items[i].crawl;
            err = cw_service_crawl_flush(last);
            if (!err && service->always)
                err = cw_service_crawl_noted(last, crawl_frontier_sync(last->frontier));
        }
        if (err && items[i].crawl)
            items[i].status = FAIL;
    }
    for (size_t i = 0; i < service->count; i++)
        (void)cw_service_crawl_end(service->crawls[i]);
}

void cw_service_put(cw_service *service, cw_service_item *items, size_t count)
{
    cw_service_item *batch[BATCH_MAX];
    int64_t now_ms = cw_service_now(service);
    for (size_t at = 0; at < count;) {
        size_t size = 0;
        if (items[at].known) {
            at += put_known_ones(service, items + at, count - at, now_ms);
            continue;
        }
        at = service_put_gather(service, items, at, count, batch, &size);
        if (size)
            put_discovered(batch, size, now_ms);
    }
    service_put_keep(service, items, count);
}
