#include "crawler/program/live/events.h"
#include "base/clock.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <sys/socket.h>

enum {
    AT_ONCE = 100,         /* requests in one event: what a page can show in that time */
    UNREAD = 128 * 1024,   /* unread bytes beyond which a viewer is skipped */
    EVERY_US = 250 * 1000, /* between two events; people do not notice a shorter delay */
    STUCK_S = 10           /* a viewer that takes nothing for so long is gone */
};

static bool has_viewers(const cw_live_events *events)
{
    for (size_t i = 0; i < CW_LIVE_KEPT; i++)
        if (events->viewers[i])
            return true;
    return false;
}

static struct bufferevent *stream_of(struct evhttp_request *request)
{
    return evhttp_connection_get_bufferevent(evhttp_request_get_connection(request));
}

/* Removes a viewer that went away. The server no longer has its request, which ending it frees. */
static void events_on_close(struct evhttp_connection *connection, void *user)
{
    cw_live_events *events = user;
    for (size_t i = 0; i < CW_LIVE_KEPT; i++) {
        struct evhttp_request *request = events->viewers[i];
        struct evhttp_connection *own = request ? evhttp_request_get_connection(request) : NULL;
        if (!request || (own && own != connection))
            continue;
        events->viewers[i] = NULL;
        if (!own)
            evhttp_send_reply_end(request);
    }
    if (!has_viewers(events))
        event_del(events->tick);
}

static void send_text(struct evhttp_request *request, crawl_slice text)
{
    struct evbuffer *buffer = evbuffer_new();
    evbuffer_add(buffer, text.data, text.size);
    evhttp_send_reply_chunk(request, buffer);
    evbuffer_free(buffer);
}

static bool events_is_slow(struct evhttp_request *request)
{
    return evbuffer_get_length(bufferevent_get_output(stream_of(request))) > UNREAD;
}

static void send_all(cw_live_events *events)
{
    for (size_t i = 0; i < CW_LIVE_KEPT; i++)
        if (events->viewers[i] && !events_is_slow(events->viewers[i]))
            send_text(events->viewers[i], crawl_buf_slice(&events->text));
}

/* Puts an event with the requests after that number into events->text. Returns the number of the last one. */
static uint64_t make_event(cw_live_events *events, uint64_t after, size_t most)
{
    cw_writer out = {.out = &events->text};
    crawl_buf_clear(&events->text);
    cw_put_text(&out, "event: requests\ndata: ");
    uint64_t last = cw_live_journal_write(events->journal, after, most, &out);
    cw_put_text(&out, "\n\n");
    if (out.err)
        crawl_buf_clear(&events->text);
    return last;
}

static void events_on_tick(evutil_socket_t, short, void *user)
{
    cw_live_events *events = user;
    uint64_t before = events->sent;
    events->sent = make_event(events, before, AT_ONCE);
    if (events->sent != before)
        send_all(events);
}

void cw_live_events_open(cw_live_events *events, struct event_base *base, cw_live_connections *connections,
                         cw_live_journal *journal)
{
    events->connections = connections;
    events->journal = journal;
    events->tick = event_new(base, -1, EV_PERSIST, events_on_tick, events);
}

static struct evhttp_request **free_place(cw_live_events *events)
{
    for (size_t i = 0; i < CW_LIVE_KEPT; i++)
        if (!events->viewers[i])
            return &events->viewers[i];
    return NULL;
}

/* A new viewer first gets the requests that are still in the journal. The first viewer starts the stream of new
 * ones. */
crawl_err cw_live_events_add(cw_live_events *events, struct evhttp_request *request)
{
    const struct timeval stuck = {.tv_sec = STUCK_S};
    const struct timeval often = {.tv_usec = EVERY_US};
    struct evhttp_request **place = free_place(events);
    struct bufferevent *stream = stream_of(request);
    if (!place || cw_live_connections_keep(events->connections, stream))
        return CRAWL_FULL;
    bool is_first = !has_viewers(events);
    *place = request;
    bufferevent_set_timeouts(stream, NULL, &stuck);
    evhttp_connection_set_closecb(evhttp_request_get_connection(request), events_on_close, events);
    evhttp_send_reply_start(request, HTTP_OK, "OK");
    uint64_t last = make_event(events, 0, CW_LIVE_REQUESTS);
    send_text(request, crawl_buf_slice(&events->text));
    if (!is_first)
        return CRAWL_OK;
    events->sent = last;
    event_add(events->tick, &often);
    return CRAWL_OK;
}

void cw_live_events_end(cw_live_events *events, crawl_slice figures)
{
    events_on_tick(-1, 0, events);
    cw_writer out = {.out = &events->text};
    crawl_buf_clear(&events->text);
    cw_put_text(&out, "event: end\ndata: ");
    cw_put(&out, figures);
    cw_put_text(&out, "\n\n");
    if (!out.err)
        send_all(events);
    for (size_t i = 0; i < CW_LIVE_KEPT; i++) {
        struct evhttp_request *request = events->viewers[i];
        events->viewers[i] = NULL;
        if (!request)
            continue;
        evhttp_connection_set_closecb(evhttp_request_get_connection(request), NULL, NULL);
        evhttp_send_reply_end(request);
    }
}

void cw_live_events_close(cw_live_events *events)
{
    if (events->tick)
        event_free(events->tick);
    crawl_buf_free(&events->text);
}

/* --- the connections --- The server asks for a stream for each connection, but never reports its end. So a reference
 * to the stream is kept here: a stream that the server has freed has no callbacks any more. */

static void live_connections_drop(cw_live_connection *place)
{
    bufferevent_decref(place->stream);
    place->stream = NULL;
}

static bool live_connections_is_over(const cw_live_connection *place)
{
    bufferevent_event_cb callback;
    bufferevent_getcb(place->stream, NULL, NULL, &callback, NULL);
    return !callback;
}

/* Ends a connection: the server reads the end of the stream, and frees it. */
static void live_connections_end(const cw_live_connection *place)
{
    shutdown(bufferevent_getfd(place->stream), SHUT_RDWR);
}

void cw_live_connections_check(cw_live_connections *connections)
{
    int64_t now_ms = cw_now_us() / 1000;
    for (size_t i = 0; i < CW_LIVE_CONNECTIONS; i++) {
        cw_live_connection *place = &connections->places[i];
        if (place->stream && live_connections_is_over(place))
            live_connections_drop(place);
        else if (place->stream && !place->is_kept && now_ms - place->since_ms >= CW_LIVE_CONNECTION_MS)
            live_connections_end(place);
    }
}

/* Returns a free slot. If there is none, ends the oldest connection that may be ended, and returns its slot. */
static cw_live_connection *live_connections_make_room(cw_live_connections *connections)
{
    cw_live_connection *oldest = NULL;
    for (size_t i = 0; i < CW_LIVE_CONNECTIONS; i++) {
        cw_live_connection *place = &connections->places[i];
        if (!place->stream)
            return place;
        if (!place->is_kept && (!oldest || place->since_ms < oldest->since_ms))
            oldest = place;
    }
    live_connections_end(oldest);
    live_connections_drop(oldest);
    return oldest;
}

crawl_err cw_live_connections_keep(cw_live_connections *connections, const struct bufferevent *stream)
{
    cw_live_connection *own = NULL;
    unsigned kept = 0;
    cw_live_connections_check(connections);
    for (size_t i = 0; i < CW_LIVE_CONNECTIONS; i++) {
        cw_live_connection *place = &connections->places[i];
        kept += place->stream && place->is_kept;
        if (place->stream == stream)
            own = place;
    }
    if (!own || kept >= CW_LIVE_KEPT)
        return CRAWL_FULL;
    own->is_kept = true;
    return CRAWL_OK;
}

static struct bufferevent *on_connection(struct event_base *base, void *user)
{
    cw_live_connections *connections = user;
    /* The last reference closes the descriptor, not the server. Otherwise, when the stream leaves the loop, its number
     * might already be that of another thread's file. */
    struct bufferevent *stream = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
    if (!stream)
        return NULL; /* the server tries to make one itself, and fails */
    cw_live_connections_check(connections);
    cw_live_connection *place = live_connections_make_room(connections);
    bufferevent_incref(stream);
    *place = (cw_live_connection){.stream = stream, .since_ms = cw_now_us() / 1000};
    return stream;
}

void cw_live_connections_watch(cw_live_connections *connections, struct evhttp *http)
{
    evhttp_set_bevcb(http, on_connection, connections);
}

void cw_live_connections_free(cw_live_connections *connections)
{
    for (size_t i = 0; i < CW_LIVE_CONNECTIONS; i++)
        if (connections->places[i].stream)
            live_connections_drop(&connections->places[i]);
}
