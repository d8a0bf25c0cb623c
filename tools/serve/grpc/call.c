/* See call.h. A message is a byte that tells whether it is compressed, its size as four bytes in big-endian order, and
 * its bytes. */
#include "tools/serve/grpc/call.h"

#include "base/bytes.h"
#include "base/clock.h"

#include <crawl/base.h>
#include <event2/event.h>
#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>

/* Checks the strings of an encoded message. protobuf-c ends them with a NUL, so one inside would truncate them. */
/* Fields as Protocol Buffers encode them: a varint with the field's number and wire type, then the value. */

enum { VARINT = 0, FIXED64 = 1, SIZED = 2, FIXED32 = 5, KINDS = 8, VARINT_BYTES = 10, DEPTH_MAX = 16 };

static bool take_varint(crawl_slice *rest, uint64_t *out)
{
    *out = 0;
    for (unsigned i = 0; i < VARINT_BYTES && rest->size; i++) {
        unsigned char byte = (unsigned char)cw_take(rest, 1).data[0];
        *out |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* Takes the value of a field. *value: the bytes of a sized one. False: the value is incomplete. */
static bool strings_take_value(crawl_slice *rest, unsigned kind, crawl_slice *value)
{
    uint64_t size = kind == FIXED64 ? 8 : 4;
    *value = (crawl_slice){0};
    if (kind == VARINT)
        return take_varint(rest, &size);
    if ((kind == SIZED && !take_varint(rest, &size)) || (kind != SIZED && kind != FIXED64 && kind != FIXED32) ||
        size > rest->size)
        return false;
    *value = cw_take(rest, (size_t)size);
    return true;
}

static bool are_whole(const ProtobufCMessageDescriptor *type, crawl_slice rest, unsigned depth)
{
    uint64_t tag;
    crawl_slice value;
    while (rest.size && take_varint(&rest, &tag) && strings_take_value(&rest, (unsigned)(tag % KINDS), &value)) {
        const ProtobufCFieldDescriptor *field =
            tag / KINDS <= UINT32_MAX ? protobuf_c_message_descriptor_get_field(type, (unsigned)(tag / KINDS)) : NULL;
        if (!field || tag % KINDS != SIZED || !value.size)
            continue;
        if (field->type == PROTOBUF_C_TYPE_STRING && memchr(value.data, '\0', value.size))
            return false;
        if (field->type == PROTOBUF_C_TYPE_MESSAGE && depth < DEPTH_MAX &&
            !are_whole(field->descriptor, value, depth + 1))
            return false;
    }
    return true;
}

/* Returns true if no string of a message, or of the messages in it, contains a NUL. True also for bytes that are not a
 * message. */
static bool grpc_strings_are_whole(const ProtobufCMessageDescriptor *type, crawl_slice message)
{
    return are_whole(type, message, 0);
}

enum { HEAD = 5, TIMEOUT_DIGITS = 8 };

static const char one_message[] = "this call takes one message";

cw_grpc_call *cw_grpc_call_create(cw_grpc_connection *connection, int32_t stream, void *user, size_t *held)
{
    cw_grpc_call *call = calloc(1, sizeof *call);
    if (!call)
        return NULL;
    call->connection = connection;
    call->stream = stream;
    call->user = user;
    call->held = held;
    call->timeout_us = -1;
    return call;
}

cw_grpc_call *cw_grpc_call_widen(cw_grpc_call *call, const cw_grpc_method *method)
{
    cw_grpc_call *wider = realloc(call, sizeof *call + method->state_bytes);
    if (!wider)
        return NULL;
    wider->method = method;
    if (method->state_bytes)
        memset(wider->state, 0, method->state_bytes);
    return wider;
}

void cw_grpc_call_free(cw_grpc_call *call)
{
    if (!call)
        return;
    if (call->method && call->method->closed)
        call->method->closed(call);
    if (call->deadline)
        event_free(call->deadline);
    cw_grpc_arena_free(&call->messages);
    *call->held -= call->in.size + call->kept;
    crawl_buf_free(&call->in);
    crawl_buf_free(&call->out);
    free(call);
}

void *cw_grpc_user(const cw_grpc_call *call)
{
    return call->user;
}

void *cw_grpc_state(cw_grpc_call *call)
{
    return call->state;
}

size_t cw_grpc_waiting(const cw_grpc_call *call)
{
    return call->out.size - call->sent;
}

bool cw_grpc_finished(const cw_grpc_call *call)
{
    return call->finished;
}

/* --- Output. --- */

void cw_grpc_finish(cw_grpc_call *call, cw_grpc_code code, const char *words)
{
    if (call->finished)
        return;
    call->finished = true;
    call->code = code;
    call->words = words;
}

void cw_grpc_look_at_deadline(cw_grpc_call *call)
{
    if (call->finished || !call->until_us || cw_now_us() < call->until_us)
        return;
    crawl_buf_clear(&call->out);
    call->sent = 0;
    cw_grpc_finish(call, CW_GRPC_DEADLINE_EXCEEDED, "the client's deadline has passed");
}

/* Drops the sent bytes once they are at least half, so that no byte is moved often. */
static void call_drop_sent(cw_grpc_call *call)
{
    size_t waiting = cw_grpc_waiting(call);
    if (!call->sent || call->sent < waiting)
        return;
    memmove(call->out.data, call->out.data + call->sent, waiting);
    call->out.size = waiting;
    call->sent = 0;
}

/* Returns room for a message of this size after its head. NULL: the call has ended. */
static uint8_t *room_for(cw_grpc_call *call, size_t size)
{
    if (call->finished)
        return NULL;
    call_drop_sent(call);
    if (size > CW_GRPC_MESSAGE_MAX || crawl_buf_reserve(&call->out, HEAD + size)) {
        cw_grpc_finish(call, CW_GRPC_RESOURCE_EXHAUSTED, "an answer is larger than 4 MiB, or there is no memory");
        return NULL;
    }
    uint8_t *at = (uint8_t *)call->out.data + call->out.size;
    *at++ = 0;
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (uint8_t)(size >> shift);
    call->out.size += HEAD + size;
    return at;
}

void cw_grpc_send(cw_grpc_call *call, const ProtobufCMessage *message)
{
    uint8_t *at = room_for(call, protobuf_c_message_get_packed_size(message));
    if (at)
        protobuf_c_message_pack(message, at);
}

void cw_grpc_send_packed(cw_grpc_call *call, crawl_slice message)
{
    uint8_t *at = room_for(call, message.size);
    if (at && message.size)
        memcpy(at, message.data, message.size);
}

void cw_grpc_take_back(cw_grpc_call *call, size_t waiting)
{
    call->out.size = call->sent + waiting;
}

/* --- Input. --- */

/* Adds to the bytes held. False: all calls together hold too many, and this one is finished. */
static bool call_hold(cw_grpc_call *call, size_t bytes)
{
    bool fits = *call->held + bytes <= CW_GRPC_HELD_MAX;
    if (fits)
        *call->held += bytes;
    else
        cw_grpc_finish(call, CW_GRPC_RESOURCE_EXHAUSTED, "too many messages are under way at once");
    return fits;
}

void cw_grpc_call_take(cw_grpc_call *call, crawl_slice bytes)
{
    if (!call->finished && call_hold(call, bytes.size) && crawl_buf_append(&call->in, bytes.data, bytes.size)) {
        *call->held -= bytes.size;
        cw_grpc_finish(call, CW_GRPC_RESOURCE_EXHAUSTED, "out of memory");
    }
}

bool cw_grpc_keep(cw_grpc_call *call, size_t bytes)
{
    bool fits = call_hold(call, bytes);
    call->kept += fits ? bytes : 0;
    return fits;
}

/* Takes the next complete message from *rest. False: there is none, or its head has ended the call. */
static bool take_message(cw_grpc_call *call, crawl_slice *rest, crawl_slice *message)
{
    if (rest->size < HEAD)
        return false;
    const uint8_t *head = (const uint8_t *)rest->data;
    size_t size = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
    if (head[0] > 1)
        cw_grpc_finish(call, CW_GRPC_INTERNAL, "a message has a flag that is neither 0 nor 1");
    else if (head[0] == 1)
        cw_grpc_finish(call, CW_GRPC_UNIMPLEMENTED, "compressed messages are not read: send them as identity");
    else if (size > CW_GRPC_MESSAGE_MAX)
        cw_grpc_finish(call, CW_GRPC_RESOURCE_EXHAUSTED, "a message is larger than 4 MiB");
    if (call->finished || rest->size < HEAD + size)
        return false;
    *message = crawl_slice_of(rest->data + HEAD, size);
    *rest = cw_drop(*rest, HEAD + size);
    return true;
}

static void call_give(cw_grpc_call *call, crawl_slice message)
{
    call->given = true;
    if (!grpc_strings_are_whole(call->method->request, message)) {
        cw_grpc_finish(call, CW_GRPC_INVALID_ARGUMENT, "a string of the message has a NUL in it");
        return;
    }
    ProtobufCMessage *request = cw_grpc_arena_unpack(&call->messages, call->method->request, message);
    if (request)
        call->method->message(call, request);
    else if (call->messages.full)
        cw_grpc_finish(call, CW_GRPC_RESOURCE_EXHAUSTED,
                       "a message takes more than 128 MiB of memory, or there is none");
    else
        cw_grpc_finish(call, CW_GRPC_INVALID_ARGUMENT, "a message is not of the call's type");
}

/* Returns true if the call takes another message before it is flushed. */
static bool takes_more(const cw_grpc_call *call)
{
    return !call->finished && cw_grpc_waiting(call) < CW_GRPC_OUT_LOW && call->messages.bytes < CW_GRPC_BATCH_MAX;
}

/* Passes a batch of messages to the method. False: there was none. */
static bool give_batch(cw_grpc_call *call, crawl_slice *rest)
{
    size_t before = rest->size;
    crawl_slice message;
    while (takes_more(call) && take_message(call, rest, &message))
        if (call->method->client_streams || !rest->size)
            call_give(call, message);
        else
            cw_grpc_finish(call, CW_GRPC_INVALID_ARGUMENT, one_message);
    if (rest->size == before)
        return false;
    if (call->method->flush && !call->finished)
        call->method->flush(call);
    cw_grpc_arena_free(&call->messages);
    return true;
}

/* Passes on messages up to the limit of what may wait to be sent. The rest stays. */
static void give_all(cw_grpc_call *call)
{
    crawl_slice rest = crawl_buf_slice(&call->in);
    while (give_batch(call, &rest))
        ;
    size_t taken = call->in.size - rest.size;
    if (!taken)
        return;
    memmove(call->in.data, rest.data, rest.size);
    call->in.size = rest.size;
    *call->held -= taken;
}

static void end_input(cw_grpc_call *call)
{
    if (call->in.size)
        cw_grpc_finish(call, CW_GRPC_INTERNAL, "the request ends within a message");
    else if (call->method->client_streams)
        cw_grpc_finish(call, CW_GRPC_OK, NULL);
    else if (!call->given)
        cw_grpc_finish(call, CW_GRPC_INVALID_ARGUMENT, one_message);
}

void cw_grpc_call_work(cw_grpc_call *call)
{
    bool waits = call->method && !call->method->client_streams && !call->ended;
    if (!call->method || call->finished || (waits && call->in.size <= CW_GRPC_MESSAGE_MAX + HEAD))
        return;
    give_all(call);
    if (call->ended && !call->finished && cw_grpc_waiting(call) < CW_GRPC_OUT_LOW)
        end_input(call);
}

/* --- Headers. --- */

int64_t cw_grpc_timeout(crawl_slice text)
{
    static const struct {
        char unit;
        int64_t us;
    } units[] = {{'H', 3600000000}, {'M', 60000000}, {'S', 1000000}, {'m', 1000}, {'u', 1}, {'n', 0}};
    size_t digits = cw_count_digits(text);
    int64_t value = 0;
    if (!digits || digits > TIMEOUT_DIGITS || text.size != digits + 1)
        return -1;
    for (size_t i = 0; i < digits; i++)
        value = value * 10 + (text.data[i] - '0');
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (text.data[digits] == units[i].unit)
            return units[i].us ? value * units[i].us : value / 1000;
    return -1;
}

crawl_err cw_grpc_words(const char *words, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (; *words && !err; words++) {
        unsigned char c = (unsigned char)*words;
        bool plain = c >= 0x20 && c < 0x7f && c != '%';
        err = plain ? crawl_buf_append_char(out, *words) : crawl_buf_printf(out, "%%%02X", c);
    }
    return err;
}
