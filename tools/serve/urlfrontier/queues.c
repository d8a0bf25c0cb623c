/* Calls about queues. A delay or block for a missing queue is ignored, as there is nothing to hold back. A limit is
 * refused, as its client would wait for an end that never comes. */
#include "tools/serve/urlfrontier/methods.h"
#include "tools/serve/urlfrontier/service.h"
#include "tools/serve/urlfrontier/urlfrontier.pb-c.h"

#include <stdlib.h>

enum { PAGE = 100 /* queues in an answer, if the client gives no number */ };

static cw_service_queue *queues_find(const cw_service *service, const char *crawl_id, const char *key)
{
    const cw_service_crawl *crawl = cw_service_find(service, crawl_id);
    return crawl ? cw_service_queue_find(crawl, crawl_slice_from(key)) : NULL;
}

static void queues_answer_empty(cw_grpc_call *call, crawl_err err)
{
    Urlfrontier__Empty answer = URLFRONTIER__EMPTY__INIT;
    if (!err)
        cw_grpc_send(call, &answer.base);
    cw_service_end(call, err);
}

/* --- ListQueues. --- */

/* Fills a page with keys of the requested queues, from `start` on. */
static void queues_fill(const cw_service_crawl *crawl, const Urlfrontier__Pagination *request, int64_t now_ms,
                        Urlfrontier__QueueList *answer)
{
    uint64_t passed = 0;
    for (size_t i = 0; i < crawl->count; i++) {
        cw_service_queue *queue = crawl->queues[i];
        if (!request->include_inactive && !cw_service_queue_active(queue, now_ms))
            continue;
        if (passed++ >= request->start && answer->n_values < answer->size)
            answer->values[answer->n_values++] = queue->key;
    }
    answer->total = passed;
}

static void list_queues(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__Pagination *request = (const Urlfrontier__Pagination *)message;
    const cw_service *service = cw_grpc_user(call);
    const cw_service_crawl *crawl = cw_service_find(service, request->crawlid);
    Urlfrontier__QueueList answer = URLFRONTIER__QUEUE_LIST__INIT;
    size_t known = crawl ? crawl->count : 0;
    answer.start = request->start;
    answer.size = request->size ? request->size : PAGE;
    answer.crawlid = request->crawlid;
    answer.values = malloc((known < answer.size ? known : answer.size) * sizeof(char *) + 1);
    if (!answer.values) {
        cw_service_end(call, CRAWL_ENOMEM);
        return;
    }
    if (crawl)
        queues_fill(crawl, request, cw_service_now(service), &answer);
    cw_grpc_send(call, &answer.base);
    cw_service_end(call, CRAWL_OK);
    free(answer.values);
}

/* --- Changes. --- */

static void block_queue_until(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__BlockQueueParams *request = (const Urlfrontier__BlockQueueParams *)message;
    const cw_service *service = cw_grpc_user(call);
    cw_service_queue *queue = queues_find(service, request->crawlid, request->key);
    if (queue)
        queue->block_s = request->time;
    queues_answer_empty(call, queue ? cw_service_queue_keep(queue, cw_service_now(service)) : CRAWL_OK);
}

/* Sets the default, and applies it to queues whose pause runs by the old or the new one. */
static crawl_err queues_set_default_delay(cw_service *service, uint32_t delay_s)
{
    int64_t now_ms = cw_service_now(service);
    int64_t since_ms = now_ms - (int64_t)1000 * (delay_s > service->delay_s ? delay_s : service->delay_s);
    service->delay_s = delay_s;
    crawl_err err = cw_service_keep(service);
    for (size_t i = 0; i < service->count; i++)
        for (size_t k = 0; k < service->crawls[i]->count && !err; k++) {
            cw_service_queue *queue = service->crawls[i]->queues[k];
            if (queue->delay_s < 0 && queue->given_ms > since_ms)
                err = cw_service_queue_pause(queue, now_ms);
        }
    return err;
}

static void queues_set_delay(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__QueueDelayParams *request = (const Urlfrontier__QueueDelayParams *)message;
    cw_service *service = cw_grpc_user(call);
    cw_service_queue *queue = queues_find(service, request->crawlid, request->key);
    crawl_err err = CRAWL_OK;
    if (!*request->key) {
        err = queues_set_default_delay(service, request->delay_requestable);
    } else if (queue) {
        queue->delay_s = request->delay_requestable;
        err = cw_service_queue_keep(queue, cw_service_now(service));
    }
    queues_answer_empty(call, err);
}

static void set_crawl_limit(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__CrawlLimitParams *request = (const Urlfrontier__CrawlLimitParams *)message;
    const cw_service *service = cw_grpc_user(call);
    cw_service_queue *queue = queues_find(service, request->crawlid, request->key);
    if (!queue) {
        cw_grpc_finish(call, CW_GRPC_NOT_FOUND, "there is no such queue");
        return;
    }
    queue->limit = request->limit;
    queues_answer_empty(call, cw_service_queue_keep(queue, cw_service_now(service)));
}

const cw_grpc_method cw_service_list_queues = {
    .path = CW_SERVICE_PATH "ListQueues", .request = &urlfrontier__pagination__descriptor, .message = list_queues};
const cw_grpc_method cw_service_block_queue_until = {.path = CW_SERVICE_PATH "BlockQueueUntil",
                                                     .request = &urlfrontier__block_queue_params__descriptor,
                                                     .message = block_queue_until};
const cw_grpc_method cw_service_set_delay = {.path = CW_SERVICE_PATH "SetDelay",
                                             .request = &urlfrontier__queue_delay_params__descriptor,
                                             .message = queues_set_delay};
const cw_grpc_method cw_service_set_crawl_limit = {.path = CW_SERVICE_PATH "SetCrawlLimit",
                                                   .request = &urlfrontier__crawl_limit_params__descriptor,
                                                   .message = set_crawl_limit};
