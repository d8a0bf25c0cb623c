/* The stream of /events: server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) for so
 * many viewers at most.
 *
 *   requests   an array of the requests finished since the event before, several times a second
 *   end        the figures of /stats.json as the crawl ended, and nothing after it
 *
 * A viewer that reads slowly is passed over until it has read what it was sent, and sees by the numbers of the requests
 * that some are missing; one that takes nothing at all for a while loses its connection. Of the live view's thread. */
#pragma once

#include "crawler/program/live/course/timeline.h"

#include <crawl/base.h>
#include <event2/event.h>
#include <event2/http.h>

/* The connections of a live view's readers. libevent's HTTP server limits neither their number nor how long they
 * last; both are limited here. To be used by the thread that runs the loop. */

/* How many of them may last: those of viewers of a stream. Few people look at one crawl, and the other connections
 * are left for requests. */
#define CW_LIVE_KEPT 8u
/* A page, its style and its script, and a scraper or two; the oldest makes way for one more. */
#define CW_LIVE_CONNECTIONS 32u
/* A request takes milliseconds, and each has a connection of its own. */
#define CW_LIVE_CONNECTION_MS 10000

typedef struct cw_live_connection {
    struct bufferevent *stream; /* NULL: free */
    int64_t since_ms;
    bool is_kept; /* it lasts as long as its reader wants */
} cw_live_connection;

/* {0}: none. */
typedef struct cw_live_connections {
    cw_live_connection places[CW_LIVE_CONNECTIONS];
} cw_live_connections;

/* From now on the server tells this struct of each of its connections. */
void cw_live_connections_watch(cw_live_connections *connections, struct evhttp *http);

/* Ends the connections that have lasted too long; to be called every second or so. */
void cw_live_connections_check(cw_live_connections *connections);

/* Lets this connection last: no other one takes its place. CRAWL_FULL: CW_LIVE_KEPT connections last already. */
crawl_err cw_live_connections_keep(cw_live_connections *connections, const struct bufferevent *stream);

/* To be called after evhttp_free. */
void cw_live_connections_free(cw_live_connections *connections);

typedef struct cw_live_events {
    struct evhttp_request *viewers[CW_LIVE_KEPT]; /* NULL: none */
    cw_live_connections *connections;
    cw_live_journal *journal;
    struct event *tick;
    uint64_t sent; /* the number of the last request that viewers were told of */
    crawl_buf text;
} cw_live_events;

void cw_live_events_open(cw_live_events *events, struct event_base *base, cw_live_connections *connections,
                         cw_live_journal *journal);

/* Answers the request, whose headers are set, by the stream. CRAWL_FULL: there are CW_LIVE_KEPT viewers, and it is not
 * answered. */
crawl_err cw_live_events_add(cw_live_events *events, struct evhttp_request *request);

/* Sends the last event to all viewers: the requests that they were not told of, and these figures, JSON of one line.
 * */
void cw_live_events_end(cw_live_events *events, crawl_slice figures);

/* To be called before the server is freed. */
void cw_live_events_close(cw_live_events *events);
