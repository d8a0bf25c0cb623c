/* See live_connections.h. The server asks for a stream for each connection, but never tells when it has ended. So a
 * reference to the stream is kept here: a stream that the server has freed has no callbacks any more. */
#include "crawler/program/live/live_connections.h"

#include "base/clock.h"

#include <event2/bufferevent.h>
#include <sys/socket.h>

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

/* The server reads an end of the stream, and frees it. */
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

/* Returns a free place. If there is none, the oldest connection that may be ended is ended, and its place is
 * returned. */
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
    /* The descriptor is closed with the last reference, not by the server: when the stream leaves the loop, the
     * number of a closed descriptor might be that of another thread's file. */
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
