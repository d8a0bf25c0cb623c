/* See crawl.h. Opening a crawl reads all of its records once to count its queues. A URL that was out when the previous
 * process ended stays out until its lease ends, although the frontier queued its request again at once. Such a request
 * is postponed when the frontier gives it. */
#include "tools/serve/urlfrontier/crawl.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"

#include <stdlib.h>

#define WINDOW_BYTES ((uint64_t)64 << 20)
#define CACHE_BYTES ((uint64_t)64 << 20)

/* Hosts are held back only by blocks, so that several URLs of one can be handed out together. */
static crawl_frontier_options options_of_frontier(void)
{
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    options.pause_ms = 0;
    options.per_host = UINT32_MAX;
    options.confirm_start = true;
    options.host_turns = true;
    options.window_bytes = WINDOW_BYTES;
    options.cache_bytes = CACHE_BYTES;
    options.fingerprints = "urlfrontier";
    return options;
}

uint64_t cw_service_crawl_version(cw_service_crawl *crawl)
{
    uint64_t now = (uint64_t)cw_wall_us();
    crawl->version = now > crawl->version ? now : crawl->version + 1;
    return crawl->version;
}

/* --- Records. --- */

crawl_err cw_service_crawl_name(cw_service_crawl *crawl, const cw_service_queue *queue, crawl_slice url,
                                crawl_fingerprint *fingerprint)
{
    crawl_buf_clear(&crawl->name);
    crawl_err err = cw_service_record_name(crawl_slice_from(queue->key), url, &crawl->name);
    if (err || !fingerprint)
        return err;
    return crawl_fingerprint_bytes(crawl->fingerprinter, crawl_buf_slice(&crawl->name), fingerprint);
}

crawl_err cw_service_crawl_read(cw_service_crawl *crawl, const crawl_fingerprint *fingerprint, cw_service_record *out)
{
    bool waits = cw_service_pending_has(&crawl->pending, fingerprint);
    crawl_err err = waits ? cw_service_crawl_flush(crawl) : CRAWL_OK;
    crawl_buf_clear(&crawl->note);
    if (!err)
        err = crawl_frontier_note_get(crawl->frontier, crawl_buf_slice(&crawl->name), &crawl->note);
    err = cw_service_crawl_noted(crawl, err);
    return err ? err : cw_service_record_read(crawl_buf_slice(&crawl->note), out);
}

crawl_err cw_service_crawl_write(cw_service_crawl *crawl, const crawl_fingerprint *fingerprint,
                                 const cw_service_record *record)
{
    return cw_service_crawl_noted(crawl, cw_service_pending_add(&crawl->pending, crawl->frontier,
                                                                crawl_buf_slice(&crawl->name), fingerprint, record));
}

crawl_err cw_service_crawl_flush(cw_service_crawl *crawl)
{
    return cw_service_crawl_noted(crawl, cw_service_pending_flush(&crawl->pending, crawl->frontier));
}

crawl_err cw_service_crawl_end(cw_service_crawl *crawl)
{
    return cw_service_crawl_noted(crawl, cw_service_pending_end(&crawl->pending, crawl->frontier));
}

crawl_err cw_service_crawl_remove(cw_service_crawl *crawl, cw_service_queue *queue, crawl_slice url, bool completed,
                                  int64_t now_ms)
{
    crawl_fingerprint fingerprint;
    crawl_err err = cw_service_crawl_name(crawl, queue, url, &fingerprint);
    if (!err)
        err = crawl_frontier_note_set(crawl->frontier, crawl_buf_slice(&crawl->name), (crawl_slice){0});
    if (err)
        return err;
    queue->total--;
    queue->completed -= completed;
    cw_service_lease *lease = cw_service_leases_find(&crawl->leases, &fingerprint);
    if (lease && lease->id)
        crawl_frontier_done(crawl->frontier, lease->id, CRAWL_DONE_FINISHED, 0, now_ms);
    if (lease)
        cw_service_crawl_release(crawl, lease, now_ms);
    return completed && queue->limit ? cw_service_queue_hold(queue, now_ms) : CRAWL_OK;
}

/* --- Leases. --- */

void cw_service_crawl_release(cw_service_crawl *crawl, cw_service_lease *lease, int64_t now_ms)
{
    cw_service_queue *queue = lease->queue;
    queue->in_process--;
    cw_service_leases_remove(&crawl->leases, lease);
    if (!queue->handout)
        cw_service_queue_unpark(queue, now_ms);
}

void cw_service_crawl_expire(cw_service_crawl *crawl, int64_t now_ms)
{
    for (;;) {
        cw_service_lease *first = cw_service_leases_first(&crawl->leases);
        if (!first || first->until_ms > now_ms)
            return;
        if (first->id)
            crawl_frontier_done(crawl->frontier, first->id, CRAWL_DONE_RETRY, now_ms, now_ms);
        cw_service_crawl_release(crawl, first, now_ms);
    }
}

/* --- Opening. --- */

typedef struct recall {
    cw_service_crawl *crawl;
    int64_t now_ms;
    crawl_err err;
} recall;

static bool recall_queue(crawl_slice name, crawl_slice note, void *user)
{
    recall *r = user;
    cw_service_queue *queue;
    r->err = cw_service_queue_get(r->crawl, cw_drop(name, 2), &queue);
    if (!r->err)
        cw_service_queue_recall(queue, note);
    return !r->err;
}

static crawl_err recall_lease(recall *r, cw_service_queue *queue, crawl_slice name, int64_t until_ms)
{
    crawl_fingerprint fingerprint;
    cw_service_lease lease = {.until_ms = until_ms, .queue = queue};
    crawl_err err = crawl_fingerprint_bytes(r->crawl->fingerprinter, name, &fingerprint);
    if (!err)
        err = cw_service_leases_add(&r->crawl->leases, &fingerprint, lease);
    queue->in_process += !err;
    return err;
}

static bool recall_record(crawl_slice name, crawl_slice note, void *user)
{
    recall *r = user;
    cw_service_record record;
    cw_service_queue *queue;
    crawl_slice key;
    crawl_slice url;
    cw_service_record_split(name, &key, &url);
    r->err = cw_service_record_read(note, &record);
    if (!r->err)
        r->err = cw_service_queue_get(r->crawl, key, &queue);
    if (r->err)
        return false;
    queue->total++;
    queue->completed += record.completed;
    if (record.version > r->crawl->version)
        r->crawl->version = record.version;
    if (record.leased_ms > r->now_ms)
        r->err = recall_lease(r, queue, name, record.leased_ms);
    return !r->err;
}

static crawl_err recall_all(cw_service_crawl *crawl, int64_t now_ms)
{
    recall r = {.crawl = crawl, .now_ms = now_ms};
    crawl_err err = crawl_frontier_notes(crawl->frontier, crawl_slice_from("#q"), recall_queue, &r);
    if (!err && !r.err)
        err = crawl_frontier_notes(crawl->frontier, crawl_slice_from("#u"), recall_record, &r);
    return err ? err : r.err;
}

static crawl_err crawl_make_maps(cw_service_crawl *crawl)
{
    uint64_t seed = (uint64_t)cw_now_us();
    crawl->by_key = cw_map_create(seed);
    crawl->by_origin = cw_map_create(seed);
    crawl_err err = cw_service_leases_init(&crawl->leases, seed);
    return err || !crawl->by_key || !crawl->by_origin ? CRAWL_ENOMEM : CRAWL_OK;
}

crawl_err cw_service_crawl_open(const char *directory, crawl_slice id, crawl_fingerprinter *fingerprinter,
                                int64_t now_ms, cw_service_crawl **out, crawl_error *error)
{
    crawl_frontier_options options = options_of_frontier();
    cw_service_crawl *crawl = calloc(1, sizeof *crawl + id.size + 1);
    if (!crawl)
        return cw_error(error, CRAWL_ENOMEM);
    memcpy(crawl->id, id.data, id.size);
    crawl->fingerprinter = fingerprinter;
    crawl->parked_least = UINT64_MAX;
    crawl->directory = strdup(directory);
    crawl_err err = crawl->directory ? crawl_make_maps(crawl) : CRAWL_ENOMEM;
    if (err)
        cw_error(error, err);
    else
        err = crawl_frontier_open(directory, &options, now_ms, &crawl->frontier, error);
    if (!err) {
        err = recall_all(crawl, now_ms);
        if (err)
            crawl_error_set(error, err, "%s: %s", directory, crawl_strerror(err));
    }
    if (err)
        (void)cw_service_crawl_close(crawl, NULL);
    else
        *out = crawl;
    return err;
}

crawl_err cw_service_crawl_close(cw_service_crawl *crawl, crawl_error *error)
{
    if (!crawl)
        return CRAWL_OK;
    crawl_err err = crawl->frontier ? crawl_frontier_close(crawl->frontier, error) : CRAWL_OK;
    cw_map_free(crawl->by_origin);
    cw_map_free_values(crawl->by_key);
    if (crawl->leases.map)
        cw_service_leases_free(&crawl->leases);
    free(crawl->queues);
    crawl_buf_free(&crawl->name);
    crawl_buf_free(&crawl->note);
    cw_service_pending_free(&crawl->pending);
    free(crawl->directory);
    free(crawl);
    return err;
}
