/* The connections of a live view's readers, so many at most and each for so long at most: libevent's HTTP server bounds
 * neither. Of the thread that runs its loop. */
#ifndef CW_LIVE_CONNECTIONS_H
#define CW_LIVE_CONNECTIONS_H

#include <crawl/base.h>
#include <event2/http.h>
#include <stdbool.h>
#include <stdint.h>

/* Of them, those that may stay: viewers of a stream. A few people look at one crawl; the others are for requests. */
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

/* From now on the server tells of each connection here. */
void cw_live_connections_watch(cw_live_connections *connections, struct evhttp *http);

/* Ends those that have lasted too long; to be called every second or so. */
void cw_live_connections_check(cw_live_connections *connections);

/* This connection may last, and makes way for no other. CRAWL_FULL: there are CW_LIVE_KEPT already. */
crawl_err cw_live_connections_keep(cw_live_connections *connections, const struct bufferevent *stream);

/* After evhttp_free. */
void cw_live_connections_free(cw_live_connections *connections);

#endif
