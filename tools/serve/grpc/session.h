/* The HTTP/2 of a connection, by nghttp2: its streams are calls. The bytes and the loop are the connection's. */
#pragma once

#include "tools/serve/grpc/call.h"
#include "tools/serve/grpc/connection.h"

#include <nghttp2/nghttp2.h>

struct cw_grpc_connection {
    cw_grpc_host *host;
    nghttp2_session *session;
    struct bufferevent *stream;
    struct event *hello; /* the end of a peer that does not show what it must; NULL: it need not */
    struct event *again; /* for calls that had nothing to send and may have now */
    cw_grpc_call *calls;
    bool is_trusted;     /* the peer has shown what it must */
    size_t header_bytes; /* of the headers that are coming */
    bool has_pending;    /* a call is to be worked on */
    bool asks_again;     /* a call had nothing to send, and may have soon */
    void (*on_deadline)(evutil_socket_t fd, short what, void *call);
    cw_grpc_connection *previous;
    cw_grpc_connection *next;
};

/* Not 0: no memory. */
int cw_grpc_session_open(cw_grpc_connection *connection);
/* Ends the session with all calls. */
void cw_grpc_session_close(cw_grpc_connection *connection);

/* The call is to be worked on. */
void cw_grpc_session_mark(cw_grpc_call *call);
/* Works on the calls for which something came, or that have room again. */
void cw_grpc_session_work(cw_grpc_connection *connection);
