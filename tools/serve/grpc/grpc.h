/* gRPC over HTTP/2 for a server on an event loop. A call receives and sends messages and ends with a status. The caller
 * supplies a table of methods. nghttp2 does HTTP/2.
 *
 * Messages that arrive together are passed to `message` one after the other, then `flush` is called once, so that a
 * method can process them as a batch. A method that answers with many messages has its `more` called whenever there is
 * room to send, so that a slow reader delays only its own call. Single-threaded: everything happens on the thread of
 * the loop. */
#pragma once

#include "tools/serve/grpc/grpc_guard.h"

#include <protobuf-c/protobuf-c.h>

#define CW_GRPC_MESSAGE_MAX (4u << 20) /* maximum size of a message: gRPC's default */
#define CW_GRPC_BATCH_MAX (4u << 20)   /* bytes of decoded messages, without the last one, before a flush */
#define CW_GRPC_OUT_LOW (64u << 10)    /* with fewer bytes to send, a call is asked for more and its input is read */

/* The codes used here (grpc/doc/statuscodes). */
typedef enum cw_grpc_code {
    CW_GRPC_OK = 0,
    CW_GRPC_INVALID_ARGUMENT = 3,
    CW_GRPC_DEADLINE_EXCEEDED = 4,
    CW_GRPC_NOT_FOUND = 5,
    CW_GRPC_RESOURCE_EXHAUSTED = 8,
    CW_GRPC_UNIMPLEMENTED = 12,
    CW_GRPC_INTERNAL = 13,
    CW_GRPC_UNAVAILABLE = 14,
    CW_GRPC_UNAUTHENTICATED = 16
} cw_grpc_code;

typedef struct cw_grpc_server cw_grpc_server;
typedef struct cw_grpc_call cw_grpc_call;

typedef struct cw_grpc_method {
    const char *path;    /* "/package.Service/Method" */
    bool client_streams; /* any number of messages; false: exactly one, passed on when the client has ended */
    size_t state_bytes;  /* of zeroed state for each call */
    const ProtobufCMessageDescriptor *request;
    /* Takes a message, which is valid until `flush` returns. */
    void (*message)(cw_grpc_call *call, ProtobufCMessage *request);
    /* Called when all messages that arrived, or CW_GRPC_BATCH_MAX bytes of them, were passed on. May be NULL. A call
     * with client_streams ends with OK after the last flush. */
    void (*flush)(cw_grpc_call *call);
    /* Called when there is room to send. Sends something or finishes the call, or is called again soon. NULL: only
     * `message` and `flush` send. */
    void (*more)(cw_grpc_call *call);
    /* Called when the call is over, for any reason, before its state is freed. May be NULL. */
    void (*closed)(cw_grpc_call *call);
} cw_grpc_method;

/* Maximum number of open connections. Further ones wait to be accepted. A client needs one. */
#define CW_GRPC_CONNECTIONS_MAX 1024u
/* Maximum number of connections that have not shown a required token yet. */
#define CW_GRPC_STRANGERS_MAX 128u
/* Maximum size of a request's headers, plus 32 for each (RFC 9113, 6.5.2). A connection that exceeds it is closed. */
#define CW_GRPC_HEADERS_MAX ((size_t)16 << 10)
/* Maximum number of concurrent calls of a connection. The client holds back further ones (RFC 9113, 5.1.2). */
#define CW_GRPC_CALLS_MAX 256u
/* Maximum number of bytes of incomplete messages, and of what methods keep of messages (cw_grpc_keep), over all calls.
 * A call that exceeds it is refused. */
#define CW_GRPC_HELD_MAX ((size_t)256 << 20)

/* Serves on a listening socket, which the server then owns. methods (ended by NULL), guard (NULL: none) and user are
 * borrowed. CRAWL_ENOMEM. */
crawl_err cw_grpc_server_create(struct event_base *base, int socket, const cw_grpc_guard *guard,
                                const cw_grpc_method *const *methods, void *user, cw_grpc_server **out);
/* Ends all connections and calls immediately. NULL is allowed. */
void cw_grpc_server_free(cw_grpc_server *server);

void *cw_grpc_user(const cw_grpc_call *call);
void *cw_grpc_state(cw_grpc_call *call);

/* Call before a method copies bytes of its request that stay until the call is over. False: all calls together hold too
 * many; the call is finished, and the method must not copy. */
bool cw_grpc_keep(cw_grpc_call *call, size_t bytes);

/* Returns the number of bytes waiting to be sent. */
size_t cw_grpc_waiting(const cw_grpc_call *call);

/* Queues a message. Does nothing if the call is finished. Out of memory the call ends with RESOURCE_EXHAUSTED. */
void cw_grpc_send(cw_grpc_call *call, const ProtobufCMessage *message);
/* Does the same for an encoded message. */
void cw_grpc_send_packed(cw_grpc_call *call, crawl_slice message);

/* Call after queueing a message outside a method's functions, to send it. */
void cw_grpc_wake(cw_grpc_call *call);

/* Removes messages queued last, down to `waiting` bytes. Nothing may have been sent since. */
void cw_grpc_take_back(cw_grpc_call *call, size_t waiting);

/* Ends a call after the queued messages are sent. Only the first call counts. words: constant, may be NULL. */
void cw_grpc_finish(cw_grpc_call *call, cw_grpc_code code, const char *words);
bool cw_grpc_finished(const cw_grpc_call *call);
/* Ends the call if the client's deadline has passed. For methods that work long. */
void cw_grpc_look_at_deadline(cw_grpc_call *call);
