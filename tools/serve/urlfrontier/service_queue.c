/* See crawl.h. A client's settings of a queue, and the time of a hand-out, are a note named "#q" and the key.
 * Its URLs are counted when the crawl is opened. */
#include "tools/serve/urlfrontier/crawl.h"

#include "base/array.h"
#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>

enum { SETTINGS_SIZE = 8 + 8 + 4, NOTE_SIZE = SETTINGS_SIZE + 8, ORIGIN_BYTES = 16 };

cw_service_queue *cw_service_queue_find(const cw_service_crawl *crawl, crawl_slice key)
{
    return cw_map_get(crawl->by_key, key);
}

/* Sets the queue's host in the frontier, whose name is a hash, since a key may be any text. */
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

static crawl_err service_queue_make(cw_service_crawl *crawl, crawl_slice key, cw_service_queue **out)
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
    crawl_err err = CW_ARRAY_RESERVE(crawl->queues, crawl->room, crawl->count + 1, 16);
    return err ? err : service_queue_make(crawl, key, out);
}

bool cw_service_queue_active(const cw_service_queue *queue, int64_t now_ms)
{
    return queue->total > queue->completed && queue->block_s <= (uint64_t)(now_ms / 1000);
}

/* Returns the end of the pause, which has at least a millisecond, so that no hand-out meets a queue again. */
static int64_t service_queue_pause_end(const cw_service_queue *queue)
{
    int64_t delay_s = queue->delay_s < 0 ? (int64_t)*queue->crawl->delay_s : queue->delay_s;
    return queue->given_ms ? queue->given_ms + cw_most(delay_s * 1000, 1) : 0;
}

crawl_err cw_service_queue_hold(cw_service_queue *queue, int64_t now_ms)
{
    bool full = queue->limit && queue->completed >= queue->limit;
    int64_t block_ms = queue->block_s < CRAWL_FOREVER / 1000 ? (int64_t)queue->block_s * 1000 : CRAWL_FOREVER;
    int64_t until = full ? CRAWL_FOREVER : cw_most(service_queue_pause_end(queue), block_ms);
    return crawl_frontier_block(queue->crawl->frontier, cw_service_queue_origin(queue), until, now_ms);
}

static crawl_err note_name(const cw_service_queue *queue, crawl_buf *out)
{
    crawl_buf_clear(out);
    return crawl_buf_printf(out, "#q%s", queue->key);
}

crawl_err cw_service_queue_keep(cw_service_queue *queue, int64_t now_ms)
{
    char note[NOTE_SIZE];
    crawl_buf *name = &queue->crawl->name;
    crawl_err err = note_name(queue, name);
    if (err)
        return err;
    char *at = cw_le_put(note, (uint64_t)queue->delay_s, 8);
    at = cw_le_put(at, queue->block_s, 8);
    at = cw_le_put(at, queue->limit, 4);
    cw_le_put(at, (uint64_t)queue->given_ms, 8);
    err = crawl_frontier_note_set(queue->crawl->frontier, crawl_buf_slice(name), crawl_slice_of(note, sizeof note));
    return err ? err : cw_service_queue_hold(queue, now_ms);
}

/* A shorter pause hardly outlasts a restart, and a note for each hand-out costs a third more. */
enum { LONG_PAUSE_MS = 10000 };

crawl_err cw_service_queue_pause(cw_service_queue *queue, int64_t now_ms)
{
    bool is_long = service_queue_pause_end(queue) - queue->given_ms >= LONG_PAUSE_MS;
    return is_long ? cw_service_queue_keep(queue, now_ms) : cw_service_queue_hold(queue, now_ms);
}

/* Version 0.1 stored no time. */
void cw_service_queue_recall(cw_service_queue *queue, crawl_slice note)
{
    const char *at = note.data;
    if (note.size != NOTE_SIZE && note.size != SETTINGS_SIZE)
        return;
    queue->delay_s = (int64_t)cw_le_get(&at, 8);
    queue->block_s = cw_le_get(&at, 8);
    queue->limit = (uint32_t)cw_le_get(&at, 4);
    queue->given_ms = note.size == NOTE_SIZE ? (int64_t)cw_le_get(&at, 8) : 0;
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

static void service_queue_take_out(cw_service_queue *queue)
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

crawl_err cw_service_queue_forget(cw_service_queue *queue, int64_t now_ms)
{
    cw_service_crawl *crawl = queue->crawl;
    crawl_err err = note_name(queue, &crawl->name);
    if (!err)
        err = crawl_frontier_note_set(crawl->frontier, crawl_buf_slice(&crawl->name), (crawl_slice){0});
    if (!err)
        err = crawl_frontier_block(crawl->frontier, cw_service_queue_origin(queue), 0, now_ms);
    if (!err)
        service_queue_take_out(queue);
    return err;
}
