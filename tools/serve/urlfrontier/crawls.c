/* Calls about the service and its crawls. */
#include "tools/serve/urlfrontier/handout.h"
#include "tools/serve/urlfrontier/methods.h"
#include "tools/serve/urlfrontier/service.h"
#include "tools/serve/urlfrontier/urlfrontier.pb-c.h"

#include <stdlib.h>

static void crawls_answer_long(cw_grpc_call *call, uint64_t value)
{
    Urlfrontier__Long answer = URLFRONTIER__LONG__INIT;
    answer.value = value;
    cw_grpc_send(call, &answer.base);
}

static void crawls_answer_empty(cw_grpc_call *call)
{
    Urlfrontier__Empty answer = URLFRONTIER__EMPTY__INIT;
    cw_grpc_send(call, &answer.base);
}

static void list_nodes(cw_grpc_call *call, ProtobufCMessage *)
{
    const cw_service *service = cw_grpc_user(call);
    Urlfrontier__StringList answer = URLFRONTIER__STRING_LIST__INIT;
    char *values[] = {service->address.data};
    answer.values = values;
    answer.n_values = 1;
    cw_grpc_send(call, &answer.base);
    cw_service_end(call, CRAWL_OK);
}

static void list_crawls(cw_grpc_call *call, ProtobufCMessage *)
{
    const cw_service *service = cw_grpc_user(call);
    Urlfrontier__StringList answer = URLFRONTIER__STRING_LIST__INIT;
    char *values[CW_SERVICE_CRAWLS_MAX];
    for (size_t i = 0; i < service->count; i++)
        values[i] = service->crawls[i]->id;
    answer.values = values;
    answer.n_values = service->count;
    cw_grpc_send(call, &answer.base);
    cw_service_end(call, CRAWL_OK);
}

static void delete_crawl(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__DeleteCrawlMessage *request = (const Urlfrontier__DeleteCrawlMessage *)message;
    cw_service *service = cw_grpc_user(call);
    cw_service_crawl *crawl = cw_service_find(service, request->value);
    uint64_t removed = 0;
    for (size_t i = 0; crawl && i < crawl->count; i++)
        removed += crawl->queues[i]->total;
    if (crawl)
        cw_service_handout_leave_crawl(crawl);
    crawl_err err = crawl ? cw_service_delete(service, crawl) : CRAWL_OK;
    if (!err)
        crawls_answer_long(call, removed);
    cw_service_end(call, err);
}

/* --- Statistics. --- */

typedef struct queue_sums {
    uint64_t active; /* URLs */
    uint64_t in_process;
    uint64_t completed;
    uint64_t queues;
    uint64_t active_queues;
} queue_sums;

static void add_queue(queue_sums *sum, const cw_service_queue *queue, int64_t now_ms)
{
    sum->active += queue->total - queue->completed;
    sum->in_process += queue->in_process;
    sum->completed += queue->completed;
    sum->queues++;
    sum->active_queues += cw_service_queue_active(queue, now_ms);
}

static void add_crawl(queue_sums *sum, const cw_service_crawl *crawl, int64_t now_ms)
{
    for (size_t i = 0; i < crawl->count; i++)
        add_queue(sum, crawl->queues[i], now_ms);
}

/* Returns the sums of a queue or, without a key, of the whole crawl. A crawl without a name is DEFAULT. */
static queue_sums crawls_count(const cw_service_crawl *crawl, const char *key, int64_t now_ms)
{
    queue_sums sum = {0};
    const cw_service_queue *queue = crawl && *key ? cw_service_queue_find(crawl, crawl_slice_from(key)) : NULL;
    if (queue)
        add_queue(&sum, queue, now_ms);
    else if (crawl && !*key)
        add_crawl(&sum, crawl, now_ms);
    return sum;
}

static void get_stats(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__QueueWithinCrawlParams *request = (const Urlfrontier__QueueWithinCrawlParams *)message;
    cw_service *service = cw_grpc_user(call);
    cw_service_tick(service);
    const cw_service_crawl *crawl = cw_service_find(service, request->crawlid);
    queue_sums sum = crawls_count(crawl, request->key, cw_service_now(service));
    Urlfrontier__Stats__CountsEntry completed = URLFRONTIER__STATS__COUNTS_ENTRY__INIT;
    Urlfrontier__Stats__CountsEntry active = URLFRONTIER__STATS__COUNTS_ENTRY__INIT;
    Urlfrontier__Stats__CountsEntry *counts[] = {&completed, &active};
    Urlfrontier__Stats answer = URLFRONTIER__STATS__INIT;
    completed.key = (char *)(uintptr_t) "completed";
    completed.value = sum.completed;
    active.key = (char *)(uintptr_t) "active_queues";
    active.value = sum.active_queues;
    answer.counts = counts;
    answer.n_counts = sizeof counts / sizeof *counts;
    answer.size = sum.active;
    answer.inprocess = sum.in_process < UINT32_MAX ? (uint32_t)sum.in_process : UINT32_MAX;
    answer.numberofqueues = sum.queues;
    answer.crawlid = (char *)(uintptr_t)cw_service_id(request->crawlid).data;
    cw_grpc_send(call, &answer.base);
    cw_service_end(call, CRAWL_OK);
}

/* --- Global settings. --- */

static void set_active(cw_grpc_call *call, ProtobufCMessage *message)
{
    cw_service *service = cw_grpc_user(call);
    bool before = service->paused;
    service->paused = !((const Urlfrontier__Active *)message)->state;
    crawl_err err = service->paused == before ? CRAWL_OK : cw_service_keep(service);
    if (!err)
        crawls_answer_empty(call);
    cw_service_end(call, err);
}

static void get_active(cw_grpc_call *call, ProtobufCMessage *)
{
    const cw_service *service = cw_grpc_user(call);
    Urlfrontier__Boolean answer = URLFRONTIER__BOOLEAN__INIT;
    answer.state = !service->paused;
    cw_grpc_send(call, &answer.base);
    cw_service_end(call, CRAWL_OK);
}

/* Does nothing: there is no log with levels. Messages go to standard error. */
static void set_log_level(cw_grpc_call *call, ProtobufCMessage *)
{
    crawls_answer_empty(call);
    cw_service_end(call, CRAWL_OK);
}

const cw_grpc_method cw_service_list_nodes = {
    .path = CW_SERVICE_PATH "ListNodes", .request = &urlfrontier__empty__descriptor, .message = list_nodes};
const cw_grpc_method cw_service_list_crawls = {
    .path = CW_SERVICE_PATH "ListCrawls", .request = &urlfrontier__local__descriptor, .message = list_crawls};
const cw_grpc_method cw_service_delete_crawl = {.path = CW_SERVICE_PATH "DeleteCrawl",
                                                .request = &urlfrontier__delete_crawl_message__descriptor,
                                                .message = delete_crawl};
const cw_grpc_method cw_service_get_stats = {.path = CW_SERVICE_PATH "GetStats",
                                             .request = &urlfrontier__queue_within_crawl_params__descriptor,
                                             .message = get_stats};
const cw_grpc_method cw_service_set_active = {
    .path = CW_SERVICE_PATH "SetActive", .request = &urlfrontier__active__descriptor, .message = set_active};
const cw_grpc_method cw_service_get_active = {
    .path = CW_SERVICE_PATH "GetActive", .request = &urlfrontier__local__descriptor, .message = get_active};
const cw_grpc_method cw_service_set_log_level = {.path = CW_SERVICE_PATH "SetLogLevel",
                                                 .request = &urlfrontier__log_level_params__descriptor,
                                                 .message = set_log_level};
