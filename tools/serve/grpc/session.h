/* The HTTP/2 of a connection, by nghttp2. Its streams are calls. The connection moves the bytes and runs the loop. */
#pragma once

#include "tools/serve/grpc/call.h"
#include "tools/serve/grpc/connection.h"

#include <nghttp2/nghttp2.h>

struct cw_grpc_connection {
    cw_grpc_host *host;
    nghttp2_session *session;
    struct bufferevent *stream;
    struct event *hello; /* time limit of a peer that must show something; NULL: none */
    struct event *again; /* for calls that had nothing to send and may have now */
    cw_grpc_call *calls;
    bool is_trusted;     /* the peer has shown what it must */
    size_t header_bytes; /* of the request whose headers are arriving */
    bool has_pending;    /* a call has work to do */
    bool asks_again;     /* a call had nothing to send, and may have soon */
    void (*on_deadline)(evutil_socket_t fd, short what, void *call);
    cw_grpc_connection *previous;
    cw_grpc_connection *next;
};

/* Returns nonzero if out of memory. */
int cw_grpc_session_open(cw_grpc_connection *connection);
/* Frees the session and all calls. */
void cw_grpc_session_close(cw_grpc_connection *connection);

/* Marks the call as having work to do. */
void cw_grpc_session_mark(cw_grpc_call *call);
/* Processes all marked calls. */
void cw_grpc_session_work(cw_grpc_connection *connection);
