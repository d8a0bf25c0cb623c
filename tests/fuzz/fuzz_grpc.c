/* The bytes that a client sends to the gRPC server. The first byte says what the rest is: messages of a call, which
 * must be the same however they are split and survive being written again; a connection from its first byte, with all
 * of HTTP/2; or a frontier's record of a URL. */
#include "tools/serve/grpc/session.h"
#include "tools/serve/urlfrontier/service_record.h"
#include "tools/serve/urlfrontier/urlfrontier.pb-c.h"

#include <event2/event.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONNECTION = 3, RECORD = 4, KINDS = 5, OUT_MAX = 1 << 20 };

/* Sends the message back. Unpacking it again must give the same message. */
static void echo(cw_grpc_call *call, ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = malloc(size + 1);
    uint8_t *again = malloc(size + 1);
    protobuf_c_message_pack(message, bytes);
    ProtobufCMessage *copy = protobuf_c_message_unpack(message->descriptor, NULL, size, bytes);
    if (!copy || protobuf_c_message_pack(copy, again) != size || memcmp(bytes, again, size) != 0)
        abort();
    protobuf_c_message_free_unpacked(copy, NULL);
    free(bytes);
    free(again);
    cw_grpc_send(call, message);
}

static const cw_grpc_method put = {
    .path = "/p", .client_streams = true, .request = &urlfrontier__urlitem__descriptor, .message = echo};
static const cw_grpc_method discovered = {
    .path = "/d", .client_streams = true, .request = &urlfrontier__discovered_batch__descriptor, .message = echo};
static const cw_grpc_method get = {.path = "/g", .request = &urlfrontier__get_params__descriptor, .message = echo};
static const cw_grpc_method *const methods[] = {&put, &discovered, &get, NULL};

/* Adds the bytes that wait to be sent to a sum, and removes them. */
static uint64_t drain(cw_grpc_call *call, uint64_t sum)
{
    for (; call->sent < call->out.size; call->sent++)
        sum = sum * 31 + (unsigned char)call->out.data[call->sent];
    return sum;
}

/* Returns a sum of the answers and the end of a call whose bytes come in pieces of this size. */
static uint64_t call_with(const cw_grpc_method *method, crawl_slice bytes, size_t piece)
{
    size_t held = 0;
    uint64_t sum = 0;
    cw_grpc_call *call = cw_grpc_call_create(NULL, 1, NULL, &held);
    call = cw_grpc_call_widen(call, method);
    for (size_t at = 0; at < bytes.size; at += piece) {
        size_t left = bytes.size - at;
        cw_grpc_call_take(call, crawl_slice_of(bytes.data + at, piece < left ? piece : left));
        call->ended = piece >= left;
        cw_grpc_call_work(call);
        sum = drain(call, sum);
    }
    sum = sum * 31 + (call->finished ? (uint64_t)call->code + 1 : 0);
    cw_grpc_call_free(call);
    if (held)
        abort();
    return sum;
}

static void no_deadline(evutil_socket_t, short, void *)
{
}

/* Feeds the bytes to a connection in pieces of this size. */
static void connect_with(crawl_slice bytes, size_t piece)
{
    cw_grpc_host host = {.base = event_base_new(), .methods = methods};
    cw_grpc_connection connection = {.host = &host, .on_deadline = no_deadline};
    const uint8_t *out;
    ssize_t taken = 0;
    if (cw_grpc_session_open(&connection) || nghttp2_submit_settings(connection.session, NGHTTP2_FLAG_NONE, NULL, 0))
        abort();
    for (size_t at = 0; at < bytes.size && taken >= 0; at += piece) {
        size_t left = bytes.size - at;
        size_t sent = 0;
        ssize_t size = 1;
        taken =
            nghttp2_session_mem_recv(connection.session, (const uint8_t *)bytes.data + at, piece < left ? piece : left);
        cw_grpc_session_work(&connection);
        while (taken >= 0 && size > 0 && sent < OUT_MAX) {
            size = nghttp2_session_mem_send(connection.session, &out);
            sent += size > 0 ? (size_t)size : 0;
        }
    }
    cw_grpc_session_close(&connection);
    event_base_free(host.base);
    if (host.held)
        abort();
}

static void read_record(crawl_slice bytes)
{
    cw_service_record record;
    crawl_slice key;
    crawl_slice url;
    crawl_buf again = {0};
    if (bytes.size > 2)
        cw_service_record_split(bytes, &key, &url);
    if (cw_service_record_read(bytes, &record) == CRAWL_OK &&
        (cw_service_record_write(&record, &again) || again.size != bytes.size))
        abort();
    crawl_buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 1 << 16)
        return 0;
    crawl_slice bytes = crawl_slice_of(data + 1, size - 1);
    size_t piece = 1 + data[0] / KINDS % 16;
    size_t kind = data[0] % KINDS;
    if (kind == RECORD)
        read_record(bytes);
    else if (kind == CONNECTION)
        connect_with(bytes, data[0] / KINDS % 2 ? bytes.size : piece);
    else if (call_with(methods[kind], bytes, piece) != call_with(methods[kind], bytes, bytes.size))
        abort();
    return 0;
}
