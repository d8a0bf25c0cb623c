/* See crawl.h. What a client says of a queue is a note, "#q" and the key; how many URLs it has is counted when the
 * crawl is opened. */
#include "crawler/program/serve/urlfrontier/crawl.h"

#include "base/bytes.h"
#include "crawler/program/serve/urlfrontier/handout.h"

#include <stdio.h>
#include <stdlib.h>

enum { NOTE_SIZE = 8 + 8 + 4, ORIGIN_BYTES = 16 };

cw_service_queue *cw_service_queue_find(const cw_service_crawl *crawl, crawl_slice key)
{
    return cw_map_get(crawl->by_key, key);
}

/* The host of the frontier: a name made of a hash, since keys are any text. */
static crawl_err set_url(cw_service_queue *queue, crawl_slice key)
{
    crawl_fingerprint hash;
    char digits[2 * ORIGIN_BYTES + 1];
    crawl_err err = crawl_fingerprint_bytes(queue->crawl->fingerprinter, key, &hash);
    if (err)
        return err;
    cw_hex_encode(hash.bytes, ORIGIN_BYTES, digits);
    int size = snprintf(queue->url, sizeof queue->url, "http://q%s/", digits);
    queue->origin_size = (uint8_t)(size - 1);
    return CRAWL_OK;
}

static crawl_err reserve(cw_service_crawl *crawl)
{
    if (crawl->count < crawl->room)
        return CRAWL_OK;
    size_t room = crawl->room ? 2 * crawl->room : 16;
    cw_service_queue **queues = realloc(crawl->queues, room * sizeof(cw_service_queue *));
    if (!queues)
        return CRAWL_ENOMEM;
    crawl->queues = queues;
    crawl->room = room;
    return CRAWL_OK;
}

static crawl_err make(cw_service_crawl *crawl, crawl_slice key, cw_service_queue **out)
{
    cw_service_queue *queue = cw_map_make(crawl->by_key, key, sizeof *queue, offsetof(cw_service_queue, key));
    if (!queue)
        return CRAWL_ENOMEM;
    queue->crawl = crawl;
    queue->delay_s = -1;
    crawl_err err = set_url(queue, key);
    if (!err)
        err = cw_map_put(crawl->by_origin, cw_service_queue_origin(queue), queue);
    if (err) {
        cw_map_remove(crawl->by_key, key);
        free(queue);
        return err;
    }
    crawl->queues[crawl->count++] = queue;
    *out = queue;
    return CRAWL_OK;
}

crawl_err cw_service_queue_get(cw_service_crawl *crawl, crawl_slice key, cw_service_queue **out)
{
    cw_service_queue *found = cw_service_queue_find(crawl, key);
    if (found) {
        *out = found;
        return CRAWL_OK;
    }
    if (crawl->count >= CW_SERVICE_QUEUES_MAX)
        return CRAWL_FULL;
    crawl_err err = reserve(crawl);
    return err ? err : make(crawl, key, out);
}

bool cw_service_queue_active(const cw_service_queue *queue, int64_t now_ms)
{
    return queue->total > queue->completed && queue->block_s <= (uint64_t)(now_ms / 1000);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

crawl_err cw_service_queue_hold(cw_service_queue *queue, int64_t now_ms)
{
    bool full = queue->limit && queue->completed >= queue->limit;
    int64_t block_ms = queue->block_s < CRAWL_FOREVER / 1000 ? (int64_t)queue->block_s * 1000 : CRAWL_FOREVER;
    int64_t until = full ? CRAWL_FOREVER : later(queue->next_ms, block_ms);
    return crawl_frontier_block(queue->crawl->frontier, cw_service_queue_origin(queue), until, now_ms);
}

static crawl_err note_name(const cw_service_queue *queue, crawl_buf *out)
{
    crawl_buf_clear(out);
    return crawl_buf_printf(out, "#q%s", queue->key);
}

crawl_err cw_service_queue_keep(cw_service_queue *queue)
{
    char note[NOTE_SIZE];
    crawl_buf *name = &queue->crawl->name;
    crawl_err err = note_name(queue, name);
    if (err)
        return err;
    char *at = cw_le_put(note, (uint64_t)queue->delay_s, 8);
    at = cw_le_put(at, queue->block_s, 8);
    cw_le_put(at, queue->limit, 4);
    return crawl_frontier_note_set(queue->crawl->frontier, crawl_buf_slice(name), crawl_slice_of(note, sizeof note));
}

void cw_service_queue_recall(cw_service_queue *queue, crawl_slice note)
{
    const char *at = note.data;
    if (note.size != NOTE_SIZE)
        return;
    queue->delay_s = (int64_t)cw_le_get(&at, 8);
    queue->block_s = cw_le_get(&at, 8);
    queue->limit = (uint32_t)cw_le_get(&at, 4);
}

void cw_service_queue_park(cw_service_queue *queue, uint64_t lease)
{
    cw_service_crawl *crawl = queue->crawl;
    queue->has_parked = true;
    queue->parked = lease;
    crawl->parked++;
    if (queue->in_process < crawl->parked_least)
        crawl->parked_least = queue->in_process;
}

void cw_service_queue_unpark(cw_service_queue *queue, int64_t now_ms)
{
    if (!queue->has_parked)
        return;
    queue->has_parked = false;
    crawl_frontier_done(queue->crawl->frontier, queue->parked, CRAWL_DONE_RETURN, now_ms, now_ms);
    if (--queue->crawl->parked == 0)
        queue->crawl->parked_least = UINT64_MAX;
}

/* --- The end of a queue. --- */

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

/* A part after the other, so that what is removed is never all in memory. */
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

static void forget(cw_service_queue *queue)
{
    cw_service_crawl *crawl = queue->crawl;
    size_t at = 0;
    while (crawl->queues[at] != queue)
        at++;
    memmove(&crawl->queues[at], &crawl->queues[at + 1], (--crawl->count - at) * sizeof(cw_service_queue *));
    cw_map_remove(crawl->by_origin, cw_service_queue_origin(queue));
    cw_map_remove(crawl->by_key, crawl_slice_from(queue->key));
    free(queue);
}

crawl_err cw_service_queue_delete(cw_service_queue *queue, int64_t now_ms, uint64_t *removed)
{
    cw_service_crawl *crawl = queue->crawl;
    *removed = 0;
    if (queue->handout)
        cw_service_handout_leave(queue->handout);
    cw_service_queue_unpark(queue, now_ms);
    crawl_err err = remove_urls(queue, now_ms, removed);
    if (!err)
        err = note_name(queue, &crawl->name);
    if (!err)
        err = crawl_frontier_note_set(crawl->frontier, crawl_buf_slice(&crawl->name), (crawl_slice){0});
    if (!err)
        err = crawl_frontier_block(crawl->frontier, cw_service_queue_origin(queue), 0, now_ms);
    if (!err)
        forget(queue);
    return err;
}
