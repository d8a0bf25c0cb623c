/* Calls that look at URLs: their records are read, one after the other where there are many. */
#include "base/bytes.h"
#include "tools/serve/urlfrontier/methods.h"
#include "tools/serve/urlfrontier/service.h"
#include "tools/serve/urlfrontier/urlfrontier.pb-c.h"

#include <stdlib.h>

enum {
    PAGE = 100,               /* URLs of a listing, where the client gives no number */
    LISTING_MAX = 64 << 20,   /* bytes of a listing, all of which waits in memory until the client reads it */
    PURGE_BYTES = 16 << 20,   /* names that are gathered before they are removed */
    DAY_MS = 24 * 3600 * 1000 /* milliseconds */
};

/* A URL as it stands: its date is 0 where it is completed. */
static void send_item(cw_grpc_call *call, const cw_service_record *record)
{
    Urlfrontier__URLItem item = URLFRONTIER__URLITEM__INIT;
    Urlfrontier__KnownURLItem known = URLFRONTIER__KNOWN_URLITEM__INIT;
    known.info = urlfrontier__urlinfo__unpack(NULL, record->info.size, (const uint8_t *)record->info.data);
    if (!known.info) {
        cw_service_end(call, CRAWL_ENOMEM);
        return;
    }
    known.refetchable_from_date = record->completed ? 0 : (uint64_t)(record->date_ms / 1000);
    item.item_case = URLFRONTIER__URLITEM__ITEM_KNOWN;
    item.known = &known;
    item.id = known.info->url;
    item.creation_date = (uint64_t)(record->created_ms / 1000);
    cw_grpc_send(call, &item.base);
    urlfrontier__urlinfo__free_unpacked(known.info, NULL);
}

static crawl_err urlfrontier_read_url(const cw_service *service, const Urlfrontier__URLStatusRequest *request,
                                      crawl_slice key, cw_service_record *record)
{
    crawl_fingerprint fingerprint;
    cw_service_crawl *crawl = cw_service_find(service, request->crawlid);
    const cw_service_queue *queue = crawl ? cw_service_queue_find(crawl, key) : NULL;
    if (!queue)
        return CRAWL_ABSENT;
    crawl_err err = cw_service_crawl_name(crawl, queue, crawl_slice_from(request->url), &fingerprint);
    return err ? err : cw_service_crawl_read(crawl, &fingerprint, record);
}

static void get_url_status(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__URLStatusRequest *request = (const Urlfrontier__URLStatusRequest *)message;
    crawl_slice key = cw_service_key(request->key, request->url);
    cw_service_record record;
    if (!key.size) {
        cw_grpc_finish(call, CW_GRPC_INVALID_ARGUMENT, "no key is given, and the URL has none");
        return;
    }
    crawl_err err = urlfrontier_read_url(cw_grpc_user(call), request, key, &record);
    if (err == CRAWL_ABSENT)
        cw_grpc_finish(call, CW_GRPC_NOT_FOUND, "the URL is not known");
    else if (!err)
        send_item(call, &record);
    cw_service_end(call, err);
}

/* --- Walks. --- */

typedef struct url_walk {
    cw_grpc_call *call;
    crawl_slice filter; /* in lower case, if ignore_case */
    bool ignore_case;
    crawl_buf wanted, lowered; /* of the filter, and of a URL */
    uint64_t seen;             /* records */
    uint64_t start;
    uint64_t size;
    uint64_t found;
    int64_t before_ms; /* of a purge */
    crawl_buf names;
    crawl_err err;
} url_walk;

/* Appends text with its ASCII letters in lower case, in place of what was there. */
static crawl_err urls_lower(crawl_slice text, crawl_buf *out)
{
    crawl_buf_clear(out);
    crawl_err err = crawl_buf_append(out, text.data, text.size);
    for (size_t i = 0; i < text.size && !err; i++)
        out->data[i] = (char)cw_lower((unsigned char)out->data[i]);
    return err;
}

static bool urls_contains(crawl_slice url, crawl_slice wanted)
{
    return !wanted.size || (url.size && memmem(url.data, url.size, wanted.data, wanted.size));
}

static bool matches(url_walk *w, crawl_slice name)
{
    crawl_slice key;
    crawl_slice url;
    cw_service_record_split(name, &key, &url);
    if (!w->ignore_case || !w->filter.size)
        return urls_contains(url, w->filter);
    w->err = w->err ? w->err : urls_lower(url, &w->lowered);
    return !w->err && urls_contains(crawl_buf_slice(&w->lowered), w->filter);
}

/* A walk over many records ends with the time that the client gave. */
static bool urls_goes_on(url_walk *w)
{
    enum { LOOK_EVERY = 256 };
    if (++w->seen % LOOK_EVERY == 0)
        cw_grpc_look_at_deadline(w->call);
    return !w->err && !cw_grpc_finished(w->call);
}

static crawl_err set_filter(url_walk *w, const char *filter, bool ignore_case)
{
    w->ignore_case = ignore_case;
    w->filter = crawl_slice_from(filter);
    if (!ignore_case)
        return CRAWL_OK;
    crawl_err err = urls_lower(w->filter, &w->wanted);
    w->filter = crawl_buf_slice(&w->wanted);
    return err;
}

static void end_walk(url_walk *w)
{
    crawl_buf_free(&w->wanted);
    crawl_buf_free(&w->lowered);
}

/* Walks over the records of a queue or, without a key, of the crawl. */
static crawl_err each_record(const cw_service_crawl *crawl, const char *key,
                             bool (*each)(crawl_slice name, crawl_slice note, void *user), url_walk *w)
{
    crawl_buf prefix = {0};
    crawl_err err =
        *key ? cw_service_record_prefix(crawl_slice_from(key), &prefix) : crawl_buf_append_text(&prefix, "#u");
    if (!err)
        err = crawl_frontier_notes(crawl->frontier, crawl_buf_slice(&prefix), each, w);
    crawl_buf_free(&prefix);
    return err ? err : w->err;
}

static bool list_one(crawl_slice name, crawl_slice note, void *user)
{
    url_walk *w = user;
    cw_service_record record;
    if (!matches(w, name) || w->found++ < w->start)
        return urls_goes_on(w);
    w->err = cw_service_record_read(note, &record);
    if (!w->err)
        send_item(w->call, &record);
    if (cw_grpc_waiting(w->call) > LISTING_MAX)
        cw_grpc_finish(w->call, CW_GRPC_RESOURCE_EXHAUSTED, "a listing has 64 MiB at most: ask for it in parts");
    return urls_goes_on(w) && w->found < w->start + w->size;
}

static void list_urls(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__ListUrlParams *request = (const Urlfrontier__ListUrlParams *)message;
    const cw_service_crawl *crawl = cw_service_find(cw_grpc_user(call), request->crawlid);
    url_walk w = {.call = call, .start = request->start, .size = request->size ? request->size : PAGE};
    crawl_err err = set_filter(&w, request->filter, request->ignorecase);
    if (!err && crawl)
        err = each_record(crawl, request->key, list_one, &w);
    end_walk(&w);
    if (!cw_grpc_finished(call))
        cw_service_end(call, err);
}

static bool count_one(crawl_slice name, crawl_slice note, void *user)
{
    (void)note;
    url_walk *w = user;
    w->found += matches(w, name);
    return urls_goes_on(w);
}

static void urls_answer_long(cw_grpc_call *call, crawl_err err, uint64_t value)
{
    Urlfrontier__Long answer = URLFRONTIER__LONG__INIT;
    answer.value = value;
    if (!err)
        cw_grpc_send(call, &answer.base);
    cw_service_end(call, err);
}

static void count_urls(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__CountUrlParams *request = (const Urlfrontier__CountUrlParams *)message;
    const cw_service_crawl *crawl = cw_service_find(cw_grpc_user(call), request->crawlid);
    url_walk w = {.call = call};
    crawl_err err = set_filter(&w, request->filter, request->ignorecase);
    if (!err && crawl)
        err = each_record(crawl, request->key, count_one, &w);
    end_walk(&w);
    if (!cw_grpc_finished(call))
        urls_answer_long(call, err, w.found);
}

/* --- PurgeURLs. --- */

/* Gathers the name of a record that is old enough, behind a byte that tells whether its URL is completed. */
static bool gather_old(crawl_slice name, crawl_slice note, void *user)
{
    url_walk *w = user;
    cw_service_record record;
    w->err = cw_service_record_read(note, &record);
    if (w->err || record.created_ms >= w->before_ms)
        return !w->err;
    w->err = crawl_buf_append_char(&w->names, record.completed ? 'c' : 'a');
    if (!w->err)
        w->err = crawl_buf_append(&w->names, name.data, name.size);
    if (!w->err)
        w->err = crawl_buf_append_char(&w->names, '\0');
    return !w->err && w->names.size < PURGE_BYTES;
}

static crawl_err remove_gathered(cw_service_crawl *crawl, const url_walk *w, int64_t now_ms, uint64_t *removed)
{
    crawl_slice rest = crawl_buf_slice(&w->names);
    crawl_err err = CRAWL_OK;
    while (rest.size && !err) {
        crawl_slice key;
        crawl_slice url;
        bool completed = *cw_take(&rest, 1).data == 'c';
        cw_service_record_split(rest, &key, &url);
        rest = url;
        url = cw_cut(&rest, '\0');
        cw_service_queue *queue = cw_service_queue_find(crawl, key);
        if (!queue)
            return CRAWL_ECORRUPT;
        err = cw_service_crawl_remove(crawl, queue, url, completed, now_ms);
        *removed += !err;
    }
    return err;
}

static void purge_urls(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__PurgeUrlParams *request = (const Urlfrontier__PurgeUrlParams *)message;
    const cw_service *service = cw_grpc_user(call);
    cw_service_crawl *crawl = cw_service_find(service, request->crawlid);
    int64_t now_ms = cw_service_now(service);
    uint64_t removed = 0;
    uint64_t before = 0;
    url_walk w = {.before_ms = now_ms - (int64_t)request->days * DAY_MS};
    crawl_err err = CRAWL_OK;
    do {
        before = removed;
        crawl_buf_clear(&w.names);
        err = crawl ? each_record(crawl, request->key, gather_old, &w) : CRAWL_OK;
        if (!err && crawl)
            err = remove_gathered(crawl, &w, now_ms, &removed);
    } while (!err && removed > before);
    crawl_buf_free(&w.names);
    urls_answer_long(call, err, removed);
}

const cw_grpc_method cw_service_get_url_status = {.path = CW_SERVICE_PATH "GetURLStatus",
                                                  .request = &urlfrontier__urlstatus_request__descriptor,
                                                  .message = get_url_status};
const cw_grpc_method cw_service_list_urls = {
    .path = CW_SERVICE_PATH "ListURLs", .request = &urlfrontier__list_url_params__descriptor, .message = list_urls};
const cw_grpc_method cw_service_count_urls = {
    .path = CW_SERVICE_PATH "CountURLs", .request = &urlfrontier__count_url_params__descriptor, .message = count_urls};
const cw_grpc_method cw_service_purge_urls = {
    .path = CW_SERVICE_PATH "PurgeURLs", .request = &urlfrontier__purge_url_params__descriptor, .message = purge_urls};
