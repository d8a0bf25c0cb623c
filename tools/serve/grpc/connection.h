/* A connection of the gRPC server: HTTP/2 by nghttp2 over a bufferevent, and the calls that are its streams. */
#pragma once

#include "tools/serve/grpc/grpc.h"

#include <event2/util.h>

typedef struct cw_grpc_connection cw_grpc_connection;

/* The server of a connection, as far as the connection knows it. */
typedef struct cw_grpc_host {
    struct event_base *base;
    const cw_grpc_guard *guard; /* NULL: none */
    const cw_grpc_method *const *methods;
    void *user;
    size_t held; /* bytes of messages that have not come whole */
    void (*gone)(struct cw_grpc_host *host, cw_grpc_connection *connection); /* it is about to be freed */
} cw_grpc_host;

/* Takes the descriptor, whatever is returned, and puts it before `next`. NULL: no memory. */
cw_grpc_connection *cw_grpc_connection_create(cw_grpc_host *host, evutil_socket_t fd, cw_grpc_connection *next);
/* Of the connections from `first` on, the newest first, the oldest that has not shown the token yet, and how many there
 * are of these. NULL: none. */
cw_grpc_connection *cw_grpc_connection_oldest_stranger(cw_grpc_connection *first, size_t *count);
/* Ends it and its calls. */
void cw_grpc_connection_free(cw_grpc_connection *connection);
/* Takes it out of the list that begins at *first. */
void cw_grpc_connection_unlink(cw_grpc_connection *connection, cw_grpc_connection **first);
