/* See connection.h. All bytes that have arrived are read before the calls process them. Then nghttp2 is asked for
 * output as long as the socket takes it. */
#include "tools/serve/grpc/connection.h"

#include "tools/serve/grpc/session.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

enum {
    WINDOW = 1 << 20,            /* bytes a client may send on a stream before they are read */
    CONNECTION_WINDOW = 4 << 20, /* the same for all streams together */
    READ_MAX = 256 << 10,        /* per turn of the loop */
    OUT_MAX = 256 << 10          /* bytes in the socket's buffer; below it nghttp2 is asked for more */
};

/* Moves bytes from nghttp2 to the socket's buffer while there is room. False: the connection is over. */
static bool connection_write_some(cw_grpc_connection *connection)
{
    struct evbuffer *out = bufferevent_get_output(connection->stream);
    const uint8_t *bytes;
    ssize_t size = 1;
    while (size > 0 && evbuffer_get_length(out) < OUT_MAX) {
        size = nghttp2_session_mem_send(connection->session, &bytes);
        if (size < 0 || (size > 0 && evbuffer_add(out, bytes, (size_t)size)))
            return false;
    }
    return true;
}

static bool connection_is_over(const cw_grpc_connection *connection)
{
    return !nghttp2_session_want_read(connection->session) && !nghttp2_session_want_write(connection->session) &&
           !evbuffer_get_length(bufferevent_get_output(connection->stream));
}

/* Processes calls and writes until nothing is left to do. May free the connection. */
static void connection_go_on(cw_grpc_connection *connection)
{
    static const struct timeval now = {0};
    bool good = true;
    do {
        cw_grpc_session_work(connection);
        good = connection_write_some(connection);
    } while (good && connection->has_pending);
    if (!good || connection_is_over(connection)) {
        cw_grpc_connection_free(connection);
        return;
    }
    if (connection->asks_again)
        event_add(connection->again, &now);
}

static void connection_on_again(evutil_socket_t, short, void *user)
{
    cw_grpc_connection *connection = user;
    connection->asks_again = false;
    for (cw_grpc_call *call = connection->calls; call; call = call->next)
        if (call->idle && call->given && call->method->more)
            cw_grpc_session_mark(call);
    connection_go_on(connection);
}

void cw_grpc_wake(cw_grpc_call *call)
{
    static const struct timeval now = {0};
    cw_grpc_session_mark(call);
    event_add(call->connection->again, &now);
}

static void on_deadline(evutil_socket_t, short, void *user)
{
    cw_grpc_call *call = user;
    if (call->finished)
        return;
    call->until_us = 1; /* expired, even if cw_now_us() differs from the timer */
    cw_grpc_look_at_deadline(call);
    cw_grpc_session_mark(call);
    connection_go_on(call->connection);
}

static void on_readable(struct bufferevent *stream, void *user)
{
    cw_grpc_connection *connection = user;
    struct evbuffer *in = bufferevent_get_input(stream);
    struct evbuffer_iovec chunk;
    while (evbuffer_peek(in, -1, NULL, &chunk, 1) > 0) {
        ssize_t taken = nghttp2_session_mem_recv(connection->session, chunk.iov_base, chunk.iov_len);
        if (taken < 0) {
            cw_grpc_connection_free(connection);
            return;
        }
        evbuffer_drain(in, chunk.iov_len);
    }
    connection_go_on(connection);
}

static void on_writable(struct bufferevent *, void *user)
{
    connection_go_on(user);
}

static void connection_on_event(struct bufferevent *stream, short what, void *user)
{
    cw_grpc_connection *connection = user;
    if (!(what & BEV_EVENT_CONNECTED)) {
        cw_grpc_connection_free(connection); /* the peer closed it, or the socket failed */
        return;
    }
    connection->is_trusted = !cw_grpc_guard_asks_token(connection->host->guard);
    if (!cw_grpc_guard_agreed(stream))
        cw_grpc_connection_free(connection);
}

static void on_hello(evutil_socket_t, short, void *user)
{
    cw_grpc_connection *connection = user;
    if (!connection->is_trusted)
        cw_grpc_connection_free(connection);
}

/* --- The connection. --- */

static int connection_greet(cw_grpc_connection *connection)
{
    static const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, CW_GRPC_CALLS_MAX},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, CW_GRPC_HEADERS_MAX},
    };
    size_t count = sizeof settings / sizeof *settings;
    return nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, settings, count) ||
           nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW) ||
           !connection_write_some(connection);
}

static bool make_events(cw_grpc_connection *connection)
{
    int64_t hello_ms = cw_grpc_guard_hello(connection->host->guard);
    const struct timeval hello = {.tv_sec = hello_ms / 1000, .tv_usec = hello_ms % 1000 * 1000};
    struct event_base *base = connection->host->base;
    connection->again = event_new(base, -1, 0, connection_on_again, connection);
    if (!connection->again || !hello_ms)
        return connection->again;
    connection->hello = event_new(base, -1, 0, on_hello, connection);
    return connection->hello && event_add(connection->hello, &hello) == 0;
}

static void free_events(const cw_grpc_connection *connection)
{
    if (connection->again)
        event_free(connection->again);
    if (connection->hello)
        event_free(connection->hello);
}

/* Sends at once, and ends the connection of a client that has vanished, as one that lost its network never closes it.
 */
static void connection_set_options(evutil_socket_t fd)
{
    enum { IDLE_S = 120, PROBES_S = 30, GONE_MS = 300000 };
    static const struct {
        int level, name, value;
    } options[] = {{IPPROTO_TCP, TCP_NODELAY, 1},
                   {SOL_SOCKET, SO_KEEPALIVE, 1},
                   {IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S},
                   {IPPROTO_TCP, TCP_KEEPINTVL, PROBES_S},
                   {IPPROTO_TCP, TCP_USER_TIMEOUT, GONE_MS}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        setsockopt(fd, options[i].level, options[i].name, &options[i].value, sizeof options[i].value);
}

cw_grpc_connection *cw_grpc_connection_create(cw_grpc_host *host, evutil_socket_t fd, cw_grpc_connection *next)
{
    cw_grpc_connection *connection = calloc(1, sizeof *connection);
    struct bufferevent *stream = cw_grpc_guard_stream(host->guard, host->base, fd);
    if (!connection || !stream)
        goto fail;
    connection_set_options(fd);
    connection->host = host;
    connection->stream = stream;
    connection->on_deadline = on_deadline;
    if (!make_events(connection) || cw_grpc_session_open(connection) || connection_greet(connection))
        goto fail;
    bufferevent_set_max_single_read(stream, READ_MAX);
    bufferevent_setwatermark(stream, EV_WRITE, OUT_MAX / 2, 0);
    bufferevent_setcb(stream, on_readable, on_writable, connection_on_event, connection);
    bufferevent_enable(stream, EV_READ | EV_WRITE);
    connection->next = next;
    if (next)
        next->previous = connection;
    return connection;
fail:
    if (connection) {
        free_events(connection);
        cw_grpc_session_close(connection);
    }
    if (stream)
        bufferevent_free(stream);
    free(connection);
    return NULL;
}

cw_grpc_connection *cw_grpc_connection_oldest_stranger(cw_grpc_connection *first, size_t *count)
{
    cw_grpc_connection *oldest = NULL;
    *count = 0;
    for (; first; first = first->next) {
        if (first->is_trusted)
            continue;
        oldest = first;
        ++*count;
    }
    return oldest;
}

void cw_grpc_connection_unlink(cw_grpc_connection *connection, cw_grpc_connection **first)
{
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        *first = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
}

void cw_grpc_connection_free(cw_grpc_connection *connection)
{
    connection->host->gone(connection->host, connection);
    cw_grpc_session_close(connection);
    free_events(connection);
    cw_grpc_guard_end(connection->stream);
    bufferevent_free(connection->stream);
    free(connection);
}
