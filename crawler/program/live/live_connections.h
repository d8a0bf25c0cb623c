/* The connections of a live view's readers. libevent's HTTP server limits neither their number nor how long they
 * last; both are limited here. To be used by the thread that runs the loop. */
#ifndef CW_LIVE_CONNECTIONS_H
#define CW_LIVE_CONNECTIONS_H

#include <crawl/base.h>
#include <event2/http.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
