/* See handout.h. In its turn a queue gives its URLs one after the other; then its pause begins. A request of the
 * frontier may be stale, and is dropped, or its URL may be due later than the request says, and is postponed. */
#include "tools/serve/urlfrontier/handout.h"

#include "base/bytes.h"
#include "tools/serve/urlfrontier/service.h"
#include "tools/serve/urlfrontier/urlfrontier.pb-c.h"

#include <stdlib.h>

enum {
    LEASE_S = 30,    /* if the client gives no time */
    STEP_POPS = 4096 /* per step; as many stale requests take some milliseconds */
};

typedef struct cw_service_handout {
    uint32_t most_urls;   /* maximum number in process of a queue; 0: no limit */
    uint32_t most_queues; /* the same for queues that give URLs */
    uint32_t lease_s;
    char *crawl_id;          /* NULL: all crawls */
    char *key;               /* of the queue named by the client; NULL: none */
    cw_service_queue *queue; /* with the current turn; NULL: none */
    uint64_t round;
    size_t first;       /* index of the first crawl */
    size_t crawl;       /* the same of the current one, from the first */
    uint32_t queues;    /* that gave something */
    uint32_t given;     /* by the queue */
    uint32_t pops;      /* in this step */
    int64_t now_ms;     /* time of this step */
    bool named_is_done; /* the turn of the queue named by the client is over */
    cw_grpc_call *call;
} cw_service_handout;

static cw_service *service_of(const cw_service_handout *h)
{
    return cw_grpc_user(h->call);
}

void cw_service_handout_leave(cw_service_handout *handout)
{
    handout->queue->handout = NULL;
    handout->queue = NULL;
}

void cw_service_handout_leave_crawl(const cw_service_crawl *crawl)
{
    for (size_t i = 0; i < crawl->count; i++)
        if (crawl->queues[i]->handout)
            cw_service_handout_leave(crawl->queues[i]->handout);
}

/* --- A turn. --- */

static void begin_turn(cw_service_handout *h, cw_service_queue *queue)
{
    h->queue = queue;
    h->given = 0;
    queue->handout = h;
    queue->round = h->round;
}

/* Ends the turn. If the queue gave something its pause begins. */
static crawl_err end_turn(cw_service_handout *h)
{
    cw_service_queue *queue = h->queue;
    crawl_err err = CRAWL_OK;
    cw_service_handout_leave(h);
    if (h->given) {
        h->queues++;
        queue->given_ms = h->now_ms;
        err = cw_service_queue_pause(queue, h->now_ms);
    }
    cw_service_queue_unpark(queue, h->now_ms);
    return err;
}

static bool handout_is_full(const cw_service_handout *h, const cw_service_queue *queue)
{
    uint32_t most = h->most_urls;
    return most && queue->in_process >= most;
}

/* --- A request that the frontier gave. --- */

/* Hands out the request. The record is written before the client is told, because messages queued here leave after the
 * step. */
static crawl_err handout_give(cw_service_handout *h, const crawl_lease *lease, const crawl_fingerprint *fingerprint,
                              cw_service_record *record)
{
    cw_service_queue *queue = h->queue;
    cw_service_crawl *crawl = queue->crawl;
    cw_service_lease entry = {.until_ms = h->now_ms + (int64_t)h->lease_s * 1000, .id = lease->id, .queue = queue};
    record->leased_ms = entry.until_ms;
    crawl_err err = cw_service_leases_add(&crawl->leases, fingerprint, entry);
    if (err)
        return err;
    queue->in_process++;
    err = cw_service_crawl_write(crawl, fingerprint, record);
    if (err) {
        cw_service_crawl_release(crawl, cw_service_leases_find(&crawl->leases, fingerprint), h->now_ms);
        return err;
    }
    h->given++;
    cw_grpc_send_packed(h->call, record->info);
    return crawl_frontier_start(crawl->frontier, lease->id, h->now_ms);
}

/* Reads the record of a request. CRAWL_ABSENT: the request is stale. */
static crawl_err find_record(cw_service_queue *queue, const crawl_lease *lease, crawl_fingerprint *fingerprint,
                             cw_service_record *record)
{
    const char *memo = lease->memo.data;
    crawl_err err = cw_service_crawl_name(queue->crawl, queue, lease->body, fingerprint);
    if (!err)
        err = cw_service_crawl_read(queue->crawl, fingerprint, record);
    if (err)
        return err;
    bool stands =
        lease->memo.size == CW_SERVICE_VERSION_SIZE && cw_le_get(&memo, CW_SERVICE_VERSION_SIZE) == record->version;
    return stands && !record->completed ? CRAWL_OK : CRAWL_ABSENT;
}

static crawl_err handout_put_back(const cw_service_crawl *crawl, const crawl_lease *lease, int64_t at_ms,
                                  int64_t now_ms)
{
    return crawl_frontier_done(crawl->frontier, lease->id, CRAWL_DONE_RETURN, at_ms, now_ms);
}

/* Drops, postpones or hands out a request of the queue with the turn. */
static crawl_err handout_take(cw_service_handout *h, const crawl_lease *lease)
{
    crawl_fingerprint fingerprint;
    cw_service_record record;
    cw_service_crawl *crawl = h->queue->crawl;
    crawl_err err = find_record(h->queue, lease, &fingerprint, &record);
    if (err == CRAWL_ABSENT)
        return crawl_frontier_done(crawl->frontier, lease->id, CRAWL_DONE_FINISHED, 0, h->now_ms);
    int64_t due = err || record.date_ms > record.leased_ms ? record.date_ms : record.leased_ms;
    if (!err && due > h->now_ms)
        return handout_put_back(crawl, lease, due, h->now_ms);
    if (!err)
        err = handout_give(h, lease, &fingerprint, &record);
    if (err)
        (void)handout_put_back(crawl, lease, h->now_ms, h->now_ms);
    return err;
}

/* --- The next queue. --- */

/* Returns true if the queue must not give now. Its request is then parked until a URL of it comes back or the hand-out
 * that has its turn ends. */
static bool handout_must_wait(const cw_service_handout *h, const cw_service_queue *queue)
{
    return queue->handout || handout_is_full(h, queue);
}

/* Begins the turn of the next queue with the request that the frontier gives for it. CRAWL_DRAINED: none is left. */
static crawl_err next_queue(cw_service_handout *h, cw_service_crawl *crawl)
{
    crawl_lease lease;
    crawl_err err = crawl_frontier_pop(crawl->frontier, h->now_ms, &lease, NULL);
    if (err)
        return err == CRAWL_AGAIN ? CRAWL_DRAINED : err;
    cw_service_queue *queue = cw_map_get(crawl->by_origin, lease.origin);
    if (!queue)
        return crawl_frontier_done(crawl->frontier, lease.id, CRAWL_DONE_FINISHED, 0, h->now_ms);
    if (queue->round == h->round) {
        err = handout_put_back(crawl, &lease, h->now_ms, h->now_ms);
        return err ? err : CRAWL_DRAINED;
    }
    if (handout_must_wait(h, queue)) {
        cw_service_queue_park(queue, lease.id);
        return CRAWL_OK;
    }
    if (!h->crawl_id)
        service_of(h)->turn = h->first + h->crawl + 1; /* otherwise max_queues would never reach the last crawls */
    begin_turn(h, queue);
    return handout_take(h, &lease);
}

/* Takes the next request of the queue with the turn, or ends the turn. */
static crawl_err handout_go_on(cw_service_handout *h)
{
    crawl_lease lease;
    cw_service_queue *queue = h->queue;
    uint32_t most = h->most_urls;
    if (most && h->given >= most)
        return end_turn(h);
    crawl_err err =
        crawl_frontier_pop_host(queue->crawl->frontier, cw_service_queue_origin(queue), h->now_ms, &lease, NULL);
    if (err == CRAWL_AGAIN || err == CRAWL_DRAINED)
        return end_turn(h);
    return err ? err : handout_take(h, &lease);
}

/* Releases queues that were parked for a client with a lower limit, if they may give to this one. */
static void unpark_all(const cw_service_handout *h, cw_service_crawl *crawl)
{
    uint32_t most = h->most_urls;
    if (!crawl->parked || (most && most <= crawl->parked_least))
        return;
    crawl->parked_least = UINT64_MAX;
    for (size_t i = 0; i < crawl->count && crawl->parked; i++) {
        cw_service_queue *queue = crawl->queues[i];
        if (!handout_must_wait(h, queue))
            cw_service_queue_unpark(queue, h->now_ms);
        else if (queue->has_parked && queue->in_process < crawl->parked_least)
            crawl->parked_least = queue->in_process;
    }
}

/* Returns the current crawl. NULL: none is left. */
static cw_service_crawl *crawl_of(const cw_service_handout *h)
{
    const cw_service *service = service_of(h);
    if (!h->crawl_id)
        return h->crawl < service->count ? service->crawls[(h->first + h->crawl) % service->count] : NULL;
    return h->crawl ? NULL : cw_service_find(service, h->crawl_id);
}

/* Begins the turn of the queue named by the client. */
static crawl_err named_queue(cw_service_handout *h, cw_service_crawl *crawl)
{
    cw_service_queue *queue = cw_service_queue_find(crawl, crawl_slice_from(h->key));
    if (h->named_is_done || !queue || handout_must_wait(h, queue))
        return CRAWL_DRAINED;
    h->named_is_done = true;
    cw_service_queue_unpark(queue, h->now_ms);
    begin_turn(h, queue);
    return CRAWL_OK;
}

/* CRAWL_DRAINED: the hand-out is over. */
static crawl_err handout_step(cw_service_handout *h)
{
    cw_service_crawl *crawl = h->queue ? h->queue->crawl : crawl_of(h);
    if (h->queue)
        return cw_service_crawl_noted(crawl, handout_go_on(h));
    if (!crawl || (h->most_queues && h->queues >= h->most_queues))
        return CRAWL_DRAINED;
    crawl_err err = cw_service_crawl_noted(crawl, h->key ? named_queue(h, crawl) : next_queue(h, crawl));
    if (err != CRAWL_DRAINED)
        return err;
    h->crawl++;
    return crawl_of(h) ? CRAWL_OK : CRAWL_DRAINED;
}

/* --- The call. --- */

/* Writes the records of the URLs that the step gave. */
static crawl_err end_records(const cw_service *service)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < service->count; i++) {
        crawl_err failed = cw_service_crawl_end(service->crawls[i]);
        err = err ? err : failed;
    }
    return err;
}

static void more(cw_grpc_call *call)
{
    cw_service_handout *h = cw_grpc_state(call);
    crawl_err err = service_of(h)->paused ? CRAWL_DRAINED : CRAWL_OK;
    h->now_ms = cw_service_now(service_of(h));
    h->pops = 0;
    size_t waiting = cw_grpc_waiting(call);
    cw_service_tick(service_of(h));
    while (!err && h->pops++ < STEP_POPS && cw_grpc_waiting(call) < CW_GRPC_OUT_LOW && !cw_grpc_finished(call))
        err = handout_step(h);
    crawl_err kept = end_records(service_of(h));
    if (kept) {
        cw_grpc_take_back(call, waiting);
        err = kept;
    }
    if (err)
        cw_service_end(call, err == CRAWL_DRAINED || err == CRAWL_FULL ? CRAWL_OK : err);
}

/* Copies what the call needs of its request, which may be a thousand times as large. A key without a crawl gives
 * nothing. */
static void handout_begin(cw_grpc_call *call, ProtobufCMessage *message)
{
    cw_service_handout *h = cw_grpc_state(call);
    cw_service *service = cw_grpc_user(call);
    const Urlfrontier__GetParams *params = (const Urlfrontier__GetParams *)message;
    bool names_crawl = params->item_case == URLFRONTIER__GET_PARAMS__ITEM_CRAWL_ID;
    bool names_queue = *params->key != '\0';
    h->call = call;
    h->most_urls = params->max_urls_per_queue;
    h->most_queues = params->max_queues;
    if (!cw_grpc_keep(call, strlen(params->key) + (names_crawl ? strlen(params->crawlid) : 0)))
        return;
    h->lease_s = params->delay_requestable ? params->delay_requestable : LEASE_S;
    h->crawl_id = names_crawl ? strdup(params->crawlid) : NULL;
    h->key = names_queue ? strdup(params->key) : NULL;
    h->round = ++service->round;
    h->first = service->turn;
    h->now_ms = cw_service_now(service);
    if ((names_crawl && !h->crawl_id) || (names_queue && !h->key))
        cw_grpc_finish(call, CW_GRPC_RESOURCE_EXHAUSTED, "out of memory");
    else if (names_queue && !names_crawl)
        cw_grpc_finish(call, CW_GRPC_OK, NULL);
    for (size_t i = 0; i < service->count; i++)
        unpark_all(h, service->crawls[i]);
}

static void handout_closed(cw_grpc_call *call)
{
    cw_service_handout *h = cw_grpc_state(call);
    if (h->queue)
        (void)end_turn(h); /* a failure recurs with the next call, which reports it */
    free(h->crawl_id);
    free(h->key);
}

const cw_grpc_method cw_service_get_urls = {
    .path = "/urlfrontier.URLFrontier/GetURLs",
    .state_bytes = sizeof(cw_service_handout),
    .request = &urlfrontier__get_params__descriptor,
    .message = handout_begin,
    .more = more,
    .closed = handout_closed,
};
