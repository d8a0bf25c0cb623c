/* The stream of /events: server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) for at
 * most CW_LIVE_KEPT viewers.
 *
 *   requests   an array of the requests finished since the last event, several times per second
 *   end        the figures of /stats.json at the end of the crawl; nothing follows
 *
 * A viewer that reads slowly is skipped until it has read everything sent, and notices missing requests by their
 * numbers. One that takes nothing for a while loses its connection. Only the live view's thread may use it. */
#pragma once

#include "crawler/program/live/course/timeline.h"

#include <crawl/base.h>
#include <event2/event.h>
#include <event2/http.h>

/* The connections of a live view's readers. libevent's HTTP server limits neither their number nor their duration; both
 * are limited here. Only the thread that runs the loop may use it. */

/* Maximum number of lasting connections, those of a stream's viewers. Few people watch one crawl, and requests need the
 * other connections. */
#define CW_LIVE_KEPT 8u
/* Enough for a page, its style and script, and a scraper or two. The oldest makes way for a new one. */
#define CW_LIVE_CONNECTIONS 32u
/* A request takes milliseconds, and each has its own connection. */
#define CW_LIVE_CONNECTION_MS 10000

typedef struct cw_live_connection {
    struct bufferevent *stream; /* NULL: free */
    int64_t since_ms;
    bool is_kept; /* it lasts as long as its reader wants */
} cw_live_connection;

/* {0}: empty. */
typedef struct cw_live_connections {
    cw_live_connection places[CW_LIVE_CONNECTIONS];
} cw_live_connections;

/* Makes the server report each new connection to this struct. */
void cw_live_connections_watch(cw_live_connections *connections, struct evhttp *http);

/* Ends connections that have lasted too long. Call about once per second. */
void cw_live_connections_check(cw_live_connections *connections);

/* Lets this connection last: no other takes its place. CRAWL_FULL: CW_LIVE_KEPT connections last already. */
crawl_err cw_live_connections_keep(cw_live_connections *connections, const struct bufferevent *stream);

/* Call after evhttp_free. */
void cw_live_connections_free(cw_live_connections *connections);

typedef struct cw_live_events {
    struct evhttp_request *viewers[CW_LIVE_KEPT]; /* NULL: none */
    cw_live_connections *connections;
    cw_live_journal *journal;
    struct event *tick;
    uint64_t sent; /* number of the last request sent to viewers */
    crawl_buf text;
} cw_live_events;

void cw_live_events_open(cw_live_events *events, struct event_base *base, cw_live_connections *connections,
                         cw_live_journal *journal);

/* Answers the request, whose headers are set, with the stream. CRAWL_FULL: there are CW_LIVE_KEPT viewers; it is not
 * answered. */
crawl_err cw_live_events_add(cw_live_events *events, struct evhttp_request *request);

/* Sends the last event to all viewers: unsent requests, and these figures, JSON of one line. */
void cw_live_events_end(cw_live_events *events, crawl_slice figures);

/* Call before the server is freed. */
void cw_live_events_close(cw_live_events *events);
