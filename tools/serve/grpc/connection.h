/* A connection of the gRPC server: HTTP/2 by nghttp2 over a bufferevent. Its streams are calls. */
#pragma once

#include "tools/serve/grpc/grpc.h"

#include <event2/util.h>

typedef struct cw_grpc_connection cw_grpc_connection;

/* The part of the server that a connection knows. */
typedef struct cw_grpc_host {
    struct event_base *base;
    const cw_grpc_guard *guard; /* NULL: none */
    const cw_grpc_method *const *methods;
    void *user;
    size_t held;                                                             /* bytes of incomplete and kept messages */
    void (*gone)(struct cw_grpc_host *host, cw_grpc_connection *connection); /* called before a connection is freed */
} cw_grpc_host;

/* Takes ownership of fd, even on failure, and links the connection before `next`. NULL: out of memory. */
cw_grpc_connection *cw_grpc_connection_create(cw_grpc_host *host, evutil_socket_t fd, cw_grpc_connection *next);
/* Returns the oldest connection that has not shown the token yet, and counts all such. first: the newest connection.
 * NULL: none. */
cw_grpc_connection *cw_grpc_connection_oldest_stranger(cw_grpc_connection *first, size_t *count);
/* Frees the connection and its calls. */
void cw_grpc_connection_free(cw_grpc_connection *connection);
/* Removes it from the list at *first. */
void cw_grpc_connection_unlink(cw_grpc_connection *connection, cw_grpc_connection **first);
