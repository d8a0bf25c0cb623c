/* See session.h. Data goes to the calls first (on_chunk, on_frame). The calls process it when everything available has
 * been read, so that it forms one batch. nghttp2 then asks each call for bytes when the peer has room for them
 * (on_wanted). The input of a call with much to send is not processed: the window of its stream stays used up, and its
 * client waits. */
#include "tools/serve/grpc/session.h"

#include "base/bytes.h"
#include "base/clock.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Calls. --- */

static cw_grpc_call *call_of(nghttp2_session *session, int32_t stream)
{
    return nghttp2_session_get_stream_user_data(session, stream);
}

static void link_call(cw_grpc_connection *connection, cw_grpc_call *call)
{
    call->previous = NULL;
    call->next = connection->calls;
    if (call->next)
        call->next->previous = call;
    connection->calls = call;
}

static void unlink_call(cw_grpc_connection *connection, const cw_grpc_call *call)
{
    if (call->previous)
        call->previous->next = call->next;
    else
        connection->calls = call->next;
    if (call->next)
        call->next->previous = call->previous;
}

void cw_grpc_session_mark(cw_grpc_call *call)
{
    call->pending = true;
    call->connection->has_pending = true;
}

/* --- Output. --- */

static nghttp2_nv session_field(const char *name, crawl_slice value)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value.data, strlen(name), value.size,
                        NGHTTP2_NV_FLAG_NONE};
}

enum { STATUS_FIELDS = 2, CODE_SIZE = 4 };

/* Fills grpc-status and, if there are words, grpc-message. Returns the number of fields. words must outlive the
 * fields. */
static size_t status_fields(const cw_grpc_call *call, char code[CODE_SIZE], crawl_buf *words, nghttp2_nv *fields)
{
    snprintf(code, CODE_SIZE, "%d", (int)call->code);
    fields[0] = session_field("grpc-status", crawl_slice_from(code));
    if (!call->words || cw_grpc_words(call->words, words))
        return 1;
    fields[1] = session_field("grpc-message", crawl_buf_slice(words));
    return 2;
}

static int send_trailers(nghttp2_session *session, const cw_grpc_call *call)
{
    nghttp2_nv fields[STATUS_FIELDS];
    char code[CODE_SIZE];
    crawl_buf words = {0};
    size_t count = status_fields(call, code, &words, fields);
    int failed = nghttp2_submit_trailer(session, call->stream, fields, count);
    crawl_buf_free(&words);
    return failed;
}

/* Asks the method for messages if the call has nothing to send. */
static void session_ask(cw_grpc_call *call)
{
    if (cw_grpc_waiting(call) || call->finished || !call->method || !call->method->more || !call->given)
        return;
    call->method->more(call);
    if (!cw_grpc_waiting(call) && !call->finished)
        call->connection->asks_again = true;
}

static ssize_t on_wanted(nghttp2_session *session, int32_t stream, uint8_t *to, size_t room, uint32_t *flags,
                         nghttp2_data_source *, void *)
{
    cw_grpc_call *call = call_of(session, stream);
    session_ask(call);
    size_t size = cw_grpc_waiting(call) < room ? cw_grpc_waiting(call) : room;
    if (size)
        memcpy(to, call->out.data + call->sent, size);
    call->sent += size;
    call->idle = !size && !call->finished;
    if (call->idle)
        return NGHTTP2_ERR_DEFERRED;
    if (!call->finished && (call->in.size || call->ended) && cw_grpc_waiting(call) < CW_GRPC_OUT_LOW)
        cw_grpc_session_mark(call);
    if (!cw_grpc_waiting(call) && call->finished) {
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        if (send_trailers(session, call))
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    return (ssize_t)size;
}

static const char type_name[] = "application/grpc";

/* Begins the response. A call that ended before anything was sent gets only its status. */
static int respond(nghttp2_session *session, cw_grpc_call *call)
{
    nghttp2_nv fields[3 + STATUS_FIELDS];
    char code[CODE_SIZE];
    crawl_buf words = {0};
    const nghttp2_data_provider provider = {.read_callback = on_wanted};
    bool alone = call->finished && !cw_grpc_waiting(call);
    size_t count = 0;
    fields[count++] = session_field(":status", crawl_slice_from("200"));
    fields[count++] = session_field("content-type", crawl_slice_from(type_name));
    fields[count++] = session_field("grpc-accept-encoding", crawl_slice_from("identity"));
    if (alone)
        count += status_fields(call, code, &words, fields + count);
    call->responded = true;
    int failed = nghttp2_submit_response(session, call->stream, fields, count, alone ? NULL : &provider);
    crawl_buf_free(&words);
    return failed;
}

/* Answers a request that is not gRPC with a plain HTTP status. */
static int session_refuse(nghttp2_session *session, cw_grpc_call *call)
{
    char status[4];
    snprintf(status, sizeof status, "%d", call->http_status);
    nghttp2_nv fields[] = {session_field(":status", crawl_slice_from(status))};
    call->responded = call->finished = true;
    return nghttp2_submit_response(session, call->stream, fields, 1, NULL);
}

/* Gives the held bytes back to the stream's window. The connection's window gets them on arrival, so that a stalled
 * call does not block others. */
static void consume_rest(nghttp2_session *session, cw_grpc_call *call)
{
    if (!call->unconsumed)
        return;
    nghttp2_session_consume_stream(session, call->stream, call->unconsumed);
    call->unconsumed = 0;
}

static void work_on(nghttp2_session *session, cw_grpc_call *call)
{
    call->pending = false;
    if (call->http_status) {
        if (!call->responded)
            session_refuse(session, call);
        return;
    }
    cw_grpc_call_work(call);
    bool answers = call->finished || cw_grpc_waiting(call) || (call->given && call->method->more);
    if (!call->responded && answers)
        respond(session, call);
    else if (call->responded && call->idle && answers)
        nghttp2_session_resume_data(session, call->stream);
    if (cw_grpc_waiting(call) < CW_GRPC_OUT_LOW)
        consume_rest(session, call);
}

void cw_grpc_session_work(cw_grpc_connection *connection)
{
    connection->has_pending = false;
    for (cw_grpc_call *call = connection->calls; call; call = call->next)
        if (call->pending)
            work_on(connection->session, call);
}

/* --- Input. --- */

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    cw_grpc_connection *connection = user;
    connection->header_bytes = 0;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    cw_grpc_host *host = connection->host;
    cw_grpc_call *call = cw_grpc_call_create(connection, frame->hd.stream_id, host->user, &host->held);
    if (!call)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    link_call(connection, call);
    return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, call);
}

static const cw_grpc_method *find_method(const cw_grpc_method *const *methods, crawl_slice path)
{
    while (*methods && !cw_is(path, (*methods)->path))
        methods++;
    return *methods;
}

/* Returns true for "application/grpc" and "application/grpc+proto", with or without parameters. */
static bool session_is_type(crawl_slice value)
{
    if (!cw_starts_nocase(value, type_name))
        return false;
    crawl_slice rest = cw_drop(value, sizeof type_name - 1);
    if (cw_starts_nocase(rest, "+proto"))
        rest = cw_drop(rest, strlen("+proto"));
    return !rest.size || rest.data[0] == ';';
}

/* Bytes added for each header by SETTINGS_MAX_HEADER_LIST_SIZE (RFC 9113, 6.5.2). */
enum { HEADER_OVERHEAD = 32 };

/* Closes the connection as soon as the headers exceed the announced limit, before they are unpacked completely: one
 * byte may stand for thousands. */
static int session_on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                             size_t name_size, const uint8_t *value, size_t value_size, uint8_t, void *user)
{
    cw_grpc_connection *connection = user;
    cw_grpc_call *call = call_of(session, frame->hd.stream_id);
    crawl_slice field_name = crawl_slice_of(name, name_size);
    crawl_slice text = crawl_slice_of(value, value_size);
    connection->header_bytes += name_size + value_size + HEADER_OVERHEAD;
    if (connection->header_bytes > CW_GRPC_HEADERS_MAX)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (!call || call->method)
        return 0;
    if (cw_is(field_name, ":method") && !cw_is(text, "POST"))
        call->http_status = 405;
    else if (cw_is(field_name, ":path"))
        call->named = find_method(connection->host->methods, text);
    else if (cw_is(field_name, "content-type"))
        call->has_type = session_is_type(text);
    else if (cw_is(field_name, "grpc-timeout"))
        call->timeout_us = cw_grpc_timeout(text);
    else if (cw_is(field_name, "authorization") && cw_grpc_guard_asks_token(connection->host->guard))
        call->is_admitted = cw_grpc_guard_admits(connection->host->guard, text);
    return 0;
}

static void set_deadline(cw_grpc_call *call)
{
    if (call->timeout_us < 0)
        return;
    const struct timeval after = {.tv_sec = call->timeout_us / 1000000, .tv_usec = call->timeout_us % 1000000};
    call->until_us = cw_now_us() + call->timeout_us;
    call->deadline = event_new(call->connection->host->base, -1, 0, call->connection->on_deadline, call);
    if (!call->deadline || event_add(call->deadline, &after))
        cw_grpc_finish(call, CW_GRPC_RESOURCE_EXHAUSTED, "out of memory");
}

/* Starts the call once its headers are complete. */
static int begin_call(nghttp2_session *session, cw_grpc_call *call)
{
    cw_grpc_connection *connection = call->connection;
    if (!call->http_status && !call->has_type)
        call->http_status = 415;
    if (!call->is_admitted && cw_grpc_guard_asks_token(connection->host->guard)) {
        cw_grpc_finish(call, CW_GRPC_UNAUTHENTICATED, "the call lacks the token of this server");
        cw_grpc_session_mark(call);
        return 0;
    }
    connection->is_trusted = true;
    if (call->named && !call->http_status) {
        unlink_call(connection, call);
        cw_grpc_call *wider = cw_grpc_call_widen(call, call->named);
        call = wider ? wider : call;
        link_call(connection, call);
        nghttp2_session_set_stream_user_data(session, call->stream, call);
        if (!wider)
            cw_grpc_finish(call, CW_GRPC_RESOURCE_EXHAUSTED, "out of memory");
        set_deadline(call);
    } else {
        cw_grpc_finish(call, CW_GRPC_UNIMPLEMENTED, "no such call");
    }
    cw_grpc_session_mark(call);
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *)
{
    cw_grpc_call *call = frame->hd.stream_id ? call_of(session, frame->hd.stream_id) : NULL;
    int failed = 0;
    if (!call || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA))
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        failed = begin_call(session, call);
    call = call_of(session, frame->hd.stream_id);
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
        call->ended = true;
        cw_grpc_session_mark(call);
    }
    return failed;
}

/* Drops data that arrives after the call has finished. The client must stop when the window of the stream is used
 * up. */
static int on_chunk(nghttp2_session *session, uint8_t, int32_t stream, const uint8_t *bytes, size_t size, void *)
{
    cw_grpc_call *call = call_of(session, stream);
    if (!call)
        return nghttp2_session_consume(session, stream, size);
    nghttp2_session_consume_connection(session, size);
    if (call->finished)
        return 0;
    cw_grpc_call_take(call, crawl_slice_of(bytes, size));
    cw_grpc_session_mark(call);
    call->unconsumed += size;
    if (cw_grpc_waiting(call) < CW_GRPC_OUT_LOW)
        consume_rest(session, call);
    return 0;
}

static int session_on_close(nghttp2_session *session, int32_t stream, uint32_t, void *user)
{
    cw_grpc_connection *connection = user;
    cw_grpc_call *call = call_of(session, stream);
    if (!call)
        return 0;
    unlink_call(connection, call);
    cw_grpc_call_free(call);
    return nghttp2_session_set_stream_user_data(session, stream, NULL);
}

/* --- The session. --- */

static int session_set_callbacks(nghttp2_session_callbacks **out)
{
    if (nghttp2_session_callbacks_new(out))
        return -1;
    nghttp2_session_callbacks_set_on_begin_headers_callback(*out, on_begin);
    nghttp2_session_callbacks_set_on_header_callback(*out, session_on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(*out, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(*out, on_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(*out, session_on_close);
    return 0;
}

int cw_grpc_session_open(cw_grpc_connection *connection)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    int failed = session_set_callbacks(&callbacks) || nghttp2_option_new(&option);
    if (!failed) {
        nghttp2_option_set_no_auto_window_update(option, 1);
        failed = nghttp2_session_server_new2(&connection->session, callbacks, connection, option);
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return failed;
}

void cw_grpc_session_close(cw_grpc_connection *connection)
{
    while (connection->calls) {
        cw_grpc_call *call = connection->calls;
        unlink_call(connection, call);
        cw_grpc_call_free(call);
    }
    nghttp2_session_del(connection->session);
}
