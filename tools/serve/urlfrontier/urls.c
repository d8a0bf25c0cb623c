/* Calls about URLs. GetURLStatus reads one record. ListURLs, CountURLs, PurgeURLs and DeleteQueue walk over many in the
 * order of their names, in steps, so that other calls get their turn and the client's deadline is checked. A step
 * begins after the name at which the previous one ended. URLs put or removed meanwhile may be seen or not, and none is
 * seen twice. */
#include "base/bytes.h"
#include "base/clock.h"
#include "tools/serve/urlfrontier/handout.h"
#include "tools/serve/urlfrontier/methods.h"
#include "tools/serve/urlfrontier/service.h"
#include "tools/serve/urlfrontier/urlfrontier.pb-c.h"

#include <stdlib.h>

enum {
    PAGE = 100,               /* URLs in a listing, if the client gives no number */
    STEP_US = 5000,           /* maximum time of a step */
    LOOK_EVERY = 64,          /* records between two checks of the clock */
    PURGE_BYTES = 32 << 10,   /* of the names gathered in a step before they are removed, about as long as it takes */
    DAY_MS = 24 * 3600 * 1000 /* milliseconds */
};

typedef struct url_walk url_walk;

/* Takes a record. False: the walk is over. */
typedef bool url_take(url_walk *w, crawl_slice name, crawl_slice note);

struct url_walk {
    cw_grpc_call *call;
    char *crawl_id;
    crawl_buf prefix; /* of the names: of a queue, or of the crawl */
    crawl_buf last;   /* name at which the last step ended; empty: none */
    bool ignore_case;
    crawl_buf filter;  /* in lower case with ignore_case */
    crawl_buf lowered; /* a URL in lower case */
    uint64_t start;    /* of a listing */
    uint64_t size;
    uint64_t found;
    int64_t before_ms; /* of a purge */
    crawl_buf names;   /* gathered in this step */
    uint64_t removed;
    url_take *take;
    uint64_t seen; /* records */
    int64_t until_us;
    bool is_paused; /* this step is over */
    bool is_over;   /* the walk is over */
    crawl_err err;
};

/* Sends a URL in its present state. The date of a completed one is 0. */
static void urls_send_item(cw_grpc_call *call, const cw_service_record *record)
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

/* --- The walk. --- */

/* Sets *out to text with its ASCII letters in lower case. */
static crawl_err walk_lower(crawl_slice text, crawl_buf *out)
{
    crawl_buf_clear(out);
    return cw_append_lower(out, text);
}

static bool walk_contains(crawl_slice url, crawl_slice wanted)
{
    return !wanted.size || (url.size && memmem(url.data, url.size, wanted.data, wanted.size));
}

/* Copies what the walk needs of its request, which does not stay. */
static crawl_err walk_keep(url_walk *w, const char *crawl_id, const char *key, const char *filter)
{
    crawl_slice wanted = crawl_slice_from(filter);
    w->crawl_id = strdup(crawl_id);
    if (!w->crawl_id)
        return CRAWL_ENOMEM;
    crawl_err err =
        *key ? cw_service_record_prefix(crawl_slice_from(key), &w->prefix) : crawl_buf_append_text(&w->prefix, "#u");
    if (err)
        return err;
    return w->ignore_case ? walk_lower(wanted, &w->filter) : crawl_buf_append(&w->filter, wanted.data, wanted.size);
}

static void walk_begin(url_walk *w, cw_grpc_call *call, const char *crawl_id, const char *key, const char *filter)
{
    w->call = call;
    if (!cw_grpc_keep(call, strlen(crawl_id) + strlen(key) + strlen(filter)))
        return;
    crawl_err err = walk_keep(w, crawl_id, key, filter);
    if (err)
        cw_service_end(call, err);
}

static void walk_closed(cw_grpc_call *call)
{
    url_walk *w = cw_grpc_state(call);
    free(w->crawl_id);
    crawl_buf_free(&w->prefix);
    crawl_buf_free(&w->last);
    crawl_buf_free(&w->filter);
    crawl_buf_free(&w->lowered);
    crawl_buf_free(&w->names);
}

static bool walk_matches(url_walk *w, crawl_slice name)
{
    crawl_slice key;
    crawl_slice url;
    crawl_slice wanted = crawl_buf_slice(&w->filter);
    cw_service_record_split(name, &key, &url);
    if (!w->ignore_case || !wanted.size)
        return walk_contains(url, wanted);
    w->err = w->err ? w->err : walk_lower(url, &w->lowered);
    return !w->err && walk_contains(crawl_buf_slice(&w->lowered), wanted);
}

static bool walk_must_pause(url_walk *w)
{
    bool has_enough = cw_grpc_waiting(w->call) >= CW_GRPC_OUT_LOW || w->names.size >= PURGE_BYTES;
    return has_enough || (++w->seen % LOOK_EVERY == 0 && cw_now_us() >= w->until_us);
}

static bool walk_on_note(crawl_slice name, crawl_slice note, void *user)
{
    url_walk *w = user;
    w->is_over = !w->take(w, name, note);
    if (w->err || w->is_over)
        return false;
    if (!walk_must_pause(w))
        return true;
    w->is_paused = true;
    crawl_buf_clear(&w->last);
    w->err = crawl_buf_append(&w->last, name.data, name.size);
    return false;
}

/* Does a step of the walk. *crawl: its crawl; NULL: it does not exist, or no longer, and the walk is over. */
static crawl_err walk_step(url_walk *w, cw_service_crawl **crawl)
{
    *crawl = cw_service_find(cw_grpc_user(w->call), w->crawl_id);
    w->is_paused = false;
    w->until_us = cw_now_us() + STEP_US;
    cw_grpc_look_at_deadline(w->call);
    crawl_err err = CRAWL_OK;
    if (*crawl && !cw_grpc_finished(w->call))
        err = crawl_frontier_notes_after((*crawl)->frontier, crawl_buf_slice(&w->prefix), crawl_buf_slice(&w->last),
                                         walk_on_note, w);
    w->is_over |= !w->is_paused;
    return err ? err : w->err;
}

static void walk_answer_long(cw_grpc_call *call, crawl_err err, uint64_t value)
{
    Urlfrontier__Long answer = URLFRONTIER__LONG__INIT;
    answer.value = value;
    if (!err)
        cw_grpc_send(call, &answer.base);
    cw_service_end(call, err);
}

/* --- ListURLs. --- */

static bool list_take(url_walk *w, crawl_slice name, crawl_slice note)
{
    cw_service_record record;
    if (!walk_matches(w, name) || w->found++ < w->start)
        return true;
    w->err = cw_service_record_read(note, &record);
    if (!w->err)
        urls_send_item(w->call, &record);
    return w->found - w->start < w->size;
}

static void list_begin(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__ListUrlParams *request = (const Urlfrontier__ListUrlParams *)message;
    url_walk *w = cw_grpc_state(call);
    w->take = list_take;
    w->start = request->start;
    w->size = request->size ? request->size : PAGE;
    w->ignore_case = request->ignorecase;
    walk_begin(w, call, request->crawlid, request->key, request->filter);
}

static void list_more(cw_grpc_call *call)
{
    url_walk *w = cw_grpc_state(call);
    cw_service_crawl *crawl;
    crawl_err err = walk_step(w, &crawl);
    if (err || w->is_over)
        cw_service_end(call, err);
}

/* --- CountURLs. --- */

static bool count_take(url_walk *w, crawl_slice name, crawl_slice)
{
    w->found += walk_matches(w, name);
    return true;
}

static void count_begin(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__CountUrlParams *request = (const Urlfrontier__CountUrlParams *)message;
    url_walk *w = cw_grpc_state(call);
    w->take = count_take;
    w->ignore_case = request->ignorecase;
    walk_begin(w, call, request->crawlid, request->key, request->filter);
}

static void count_more(cw_grpc_call *call)
{
    url_walk *w = cw_grpc_state(call);
    cw_service_crawl *crawl;
    crawl_err err = walk_step(w, &crawl);
    if (err || w->is_over)
        walk_answer_long(call, err, w->found);
}

/* --- PurgeURLs. --- */

/* Gathers the name of a record that is old enough, after a byte that tells whether its URL is completed. */
static bool purge_take(url_walk *w, crawl_slice name, crawl_slice note)
{
    cw_service_record record;
    w->err = cw_service_record_read(note, &record);
    if (w->err || record.created_ms >= w->before_ms)
        return true;
    w->err = crawl_buf_append_char(&w->names, record.completed ? 'c' : 'a');
    if (!w->err)
        w->err = crawl_buf_append(&w->names, name.data, name.size);
    if (!w->err)
        w->err = crawl_buf_append_char(&w->names, '\0');
    return true;
}

static crawl_err purge_gathered(cw_service_crawl *crawl, url_walk *w)
{
    int64_t now_ms = cw_service_now(cw_grpc_user(w->call));
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
        w->removed += !err;
    }
    crawl_buf_clear(&w->names);
    return err;
}

static void purge_begin(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__PurgeUrlParams *request = (const Urlfrontier__PurgeUrlParams *)message;
    url_walk *w = cw_grpc_state(call);
    w->take = purge_take;
    w->before_ms = cw_service_now(cw_grpc_user(call)) - (int64_t)request->days * DAY_MS;
    walk_begin(w, call, request->crawlid, request->key, "");
}

static void purge_more(cw_grpc_call *call)
{
    url_walk *w = cw_grpc_state(call);
    cw_service_crawl *crawl;
    crawl_err err = walk_step(w, &crawl);
    if (!err && crawl)
        err = purge_gathered(crawl, w);
    if (err || w->is_over)
        walk_answer_long(call, err, w->removed);
}

/* --- DeleteQueue. --- */

static void delete_begin(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__QueueWithinCrawlParams *request = (const Urlfrontier__QueueWithinCrawlParams *)message;
    url_walk *w = cw_grpc_state(call);
    w->take = purge_take;
    w->before_ms = INT64_MAX;
    if (*request->key)
        walk_begin(w, call, request->crawlid, request->key, "");
    else
        walk_answer_long(call, CRAWL_OK, 0);
}

/* Removes the queue after its URLs. One that got others meanwhile stays. */
static crawl_err delete_forget(const cw_service_crawl *crawl, const url_walk *w)
{
    crawl_slice key;
    crawl_slice url;
    int64_t now_ms = cw_service_now(cw_grpc_user(w->call));
    cw_service_record_split(crawl_buf_slice(&w->prefix), &key, &url);
    cw_service_queue *queue = cw_service_queue_find(crawl, key);
    if (!queue || queue->total)
        return CRAWL_OK;
    if (queue->handout)
        cw_service_handout_leave(queue->handout);
    cw_service_queue_unpark(queue, now_ms);
    return cw_service_queue_forget(queue, now_ms);
}

static void delete_more(cw_grpc_call *call)
{
    url_walk *w = cw_grpc_state(call);
    cw_service_crawl *crawl;
    crawl_err err = walk_step(w, &crawl);
    if (!err && crawl)
        err = purge_gathered(crawl, w);
    if (!err && crawl && w->is_over && !cw_grpc_finished(call))
        err = delete_forget(crawl, w);
    if (err || w->is_over)
        walk_answer_long(call, err, w->removed);
}

const cw_grpc_method cw_service_list_urls = {.path = CW_SERVICE_PATH "ListURLs",
                                             .state_bytes = sizeof(url_walk),
                                             .request = &urlfrontier__list_url_params__descriptor,
                                             .message = list_begin,
                                             .more = list_more,
                                             .closed = walk_closed};
const cw_grpc_method cw_service_count_urls = {.path = CW_SERVICE_PATH "CountURLs",
                                              .state_bytes = sizeof(url_walk),
                                              .request = &urlfrontier__count_url_params__descriptor,
                                              .message = count_begin,
                                              .more = count_more,
                                              .closed = walk_closed};
const cw_grpc_method cw_service_purge_urls = {.path = CW_SERVICE_PATH "PurgeURLs",
                                              .state_bytes = sizeof(url_walk),
                                              .request = &urlfrontier__purge_url_params__descriptor,
                                              .message = purge_begin,
                                              .more = purge_more,
                                              .closed = walk_closed};
const cw_grpc_method cw_service_delete_queue = {.path = CW_SERVICE_PATH "DeleteQueue",
                                                .state_bytes = sizeof(url_walk),
                                                .request = &urlfrontier__queue_within_crawl_params__descriptor,
                                                .message = delete_begin,
                                                .more = delete_more,
                                                .closed = walk_closed};

/* --- GetURLStatus --- */

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
        urls_send_item(call, &record);
    cw_service_end(call, err);
}

const cw_grpc_method cw_service_get_url_status = {.path = CW_SERVICE_PATH "GetURLStatus",
                                                  .request = &urlfrontier__urlstatus_request__descriptor,
                                                  .message = get_url_status};
