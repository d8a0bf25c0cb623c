/* The two streams that bring URLs. Items that arrive together are one batch, acknowledged in order. */
#include "base/array.h"
#include "tools/serve/urlfrontier/methods.h"
#include "tools/serve/urlfrontier/service_put.h"

#include <stdlib.h>

typedef struct stream {
    ProtobufCMessage **messages; /* received, without an answer yet */
    size_t count;
    size_t room;
    cw_service_item *items; /* of all messages */
    size_t item_count;
    size_t item_room;
} stream;

static bool puts_keep(cw_grpc_call *call, ProtobufCMessage *message, size_t items)
{
    stream *s = cw_grpc_state(call);
    if (CW_ARRAY_RESERVE(s->messages, s->room, s->count + 1, 1) ||
        CW_ARRAY_RESERVE(s->items, s->item_room, s->item_count + items, 1)) {
        cw_service_end(call, CRAWL_ENOMEM);
        return false;
    }
    s->messages[s->count++] = message;
    return true;
}

static void puts_add(stream *s, const Urlfrontier__URLInfo *info, const Urlfrontier__KnownURLItem *known)
{
    s->items[s->item_count++] = (cw_service_item){
        .info = known ? known->info : info,
        .known = known,
        .date_s = known ? known->refetchable_from_date : 0,
    };
}

static void forget_messages(stream *s)
{
    s->count = s->item_count = 0;
}

static void puts_closed(cw_grpc_call *call)
{
    const stream *s = cw_grpc_state(call);
    free(s->messages);
    free(s->items);
}

/* --- PutURLs. --- */

static void take_item(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__URLItem *item = (const Urlfrontier__URLItem *)message;
    bool known = item->item_case == URLFRONTIER__URLITEM__ITEM_KNOWN;
    bool found = item->item_case == URLFRONTIER__URLITEM__ITEM_DISCOVERED;
    if (puts_keep(call, message, 1))
        puts_add(cw_grpc_state(call), found ? item->discovered->info : NULL, known ? item->known : NULL);
}

static void acknowledge_items(cw_grpc_call *call)
{
    stream *s = cw_grpc_state(call);
    cw_service_put(cw_grpc_user(call), s->items, s->item_count);
    for (size_t i = 0; i < s->count; i++) {
        const Urlfrontier__URLItem *item = (const Urlfrontier__URLItem *)s->messages[i];
        Urlfrontier__AckMessage answer = URLFRONTIER__ACK_MESSAGE__INIT;
        answer.id = *item->id || !s->items[i].info ? item->id : s->items[i].info->url;
        answer.status = s->items[i].status;
        cw_grpc_send(call, &answer.base);
    }
    forget_messages(s);
}

/* --- PutDiscovered. --- */

static void puts_take_batch(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__DiscoveredBatch *batch = (const Urlfrontier__DiscoveredBatch *)message;
    if (!puts_keep(call, message, batch->n_items))
        return;
    for (size_t i = 0; i < batch->n_items; i++)
        puts_add(cw_grpc_state(call), batch->items[i], NULL);
}

static crawl_err acknowledge_batch(cw_grpc_call *call, const Urlfrontier__DiscoveredBatch *batch,
                                   const cw_service_item *items)
{
    Urlfrontier__BatchAck answer = URLFRONTIER__BATCH_ACK__INIT;
    answer.id = batch->id;
    answer.n_statuses = batch->n_items;
    answer.statuses = malloc(batch->n_items * sizeof *answer.statuses + 1);
    if (!answer.statuses)
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < batch->n_items; i++)
        answer.statuses[i] = items[i].status;
    cw_grpc_send(call, &answer.base);
    free(answer.statuses);
    return CRAWL_OK;
}

static void acknowledge_batches(cw_grpc_call *call)
{
    stream *s = cw_grpc_state(call);
    const cw_service_item *items = s->items;
    crawl_err err = CRAWL_OK;
    cw_service_put(cw_grpc_user(call), s->items, s->item_count);
    for (size_t i = 0; i < s->count && !err; i++) {
        const Urlfrontier__DiscoveredBatch *batch = (const Urlfrontier__DiscoveredBatch *)s->messages[i];
        err = acknowledge_batch(call, batch, items);
        items += batch->n_items;
    }
    if (err)
        cw_service_end(call, err);
    forget_messages(s);
}

const cw_grpc_method cw_service_put_urls = {
    .path = CW_SERVICE_PATH "PutURLs",
    .client_streams = true,
    .state_bytes = sizeof(stream),
    .request = &urlfrontier__urlitem__descriptor,
    .message = take_item,
    .flush = acknowledge_items,
    .closed = puts_closed,
};
const cw_grpc_method cw_service_put_discovered = {
    .path = CW_SERVICE_PATH "PutDiscovered",
    .client_streams = true,
    .state_bytes = sizeof(stream),
    .request = &urlfrontier__discovered_batch__descriptor,
    .message = puts_take_batch,
    .flush = acknowledge_batches,
    .closed = puts_closed,
};
