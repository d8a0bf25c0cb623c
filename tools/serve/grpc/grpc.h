/* gRPC over HTTP/2 for a server on an event loop: calls come in, messages go out, a status ends each. Anything that a
 * method does is in a table that the caller gives; HTTP/2 is nghttp2's.
 *
 * Messages that arrived together are given one after the other, then `flush` is called once, so that a method can work
 * on them as a batch. A method that answers with many messages is asked for `more` whenever there is room to send, so
 * that a slow reader holds nothing but its own call. Single-thread: everything happens on the thread of the loop. */
#pragma once

#include "tools/serve/grpc/grpc_guard.h"

#include <protobuf-c/protobuf-c.h>

#define CW_GRPC_MESSAGE_MAX (4u << 20) /* bytes of one message: gRPC's own default */
#define CW_GRPC_BATCH_MAX (4u << 20)   /* bytes of messages in memory, without the last, before they are flushed */
#define CW_GRPC_OUT_LOW (64u << 10)    /* a call is asked for more, and read from again, while it has less to send */

/* The codes that are answered here (grpc/doc/statuscodes). */
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
    bool client_streams; /* any number of messages; otherwise exactly one, which comes when the client has ended */
    size_t state_bytes;  /* of zeros, that each call has of its own */
    const ProtobufCMessageDescriptor *request;
    /* A message. It is there until `flush` has returned. */
    void (*message)(cw_grpc_call *call, ProtobufCMessage *request);
    /* All that arrived were given, or as many as take CW_GRPC_BATCH_MAX bytes of memory. May be NULL. A call with
     * client_streams ends with OK after the last. */
    void (*flush)(cw_grpc_call *call);
    /* There is room to send: sends something or finishes the call. Where it does neither it is asked again soon. NULL:
     * answers are sent by `message` and `flush` alone. */
    void (*more)(cw_grpc_call *call);
    /* The call is over in whatever way; its state goes. May be NULL. */
    void (*closed)(cw_grpc_call *call);
} cw_grpc_method;

/* Connections that are open at once; further ones wait to be accepted. A client needs one. */
#define CW_GRPC_CONNECTIONS_MAX 1024u
/* Of these, where a token is asked for, that have not shown it yet. */
#define CW_GRPC_STRANGERS_MAX 128u
/* Bytes of the headers of one request, with 32 for each (RFC 9113, 6.5.2); a connection that brings more is ended. */
#define CW_GRPC_HEADERS_MAX ((size_t)16 << 10)
/* Calls at once of a connection; a client keeps further ones back (RFC 9113, 5.1.2). */
#define CW_GRPC_CALLS_MAX 256u
/* Bytes of messages that have not come whole yet, and of what methods keep of them (cw_grpc_keep), over all calls: a
 * call that brings more is refused. */
#define CW_GRPC_HELD_MAX ((size_t)256 << 20)

/* Serves on a socket that listens, which becomes the server's. methods, which NULL ends, guard (NULL: none) and user
 * are borrowed. CRAWL_ENOMEM. */
crawl_err cw_grpc_server_create(struct event_base *base, int socket, const cw_grpc_guard *guard,
                                const cw_grpc_method *const *methods, void *user, cw_grpc_server **out);
/* Ends all connections and calls at once. NULL is allowed. */
void cw_grpc_server_free(cw_grpc_server *server);

void *cw_grpc_user(const cw_grpc_call *call);
void *cw_grpc_state(cw_grpc_call *call);

/* To be called before a method copies so many bytes of its request, which stay until the call is over. False: it must
 * not, for all calls together have too many; the call is finished. */
bool cw_grpc_keep(cw_grpc_call *call, size_t bytes);

/* Bytes that wait to be sent. */
size_t cw_grpc_waiting(const cw_grpc_call *call);

/* Queues a message; after the call was finished it does nothing. Where there is no memory the call ends with
 * RESOURCE_EXHAUSTED. */
void cw_grpc_send(cw_grpc_call *call, const ProtobufCMessage *message);
/* The same of a message that is packed already. */
void cw_grpc_send_packed(cw_grpc_call *call, crawl_slice message);

/* To be called where something was queued outside of the calls of a method, so that it leaves. */
void cw_grpc_wake(cw_grpc_call *call);

/* Takes back what was queued last, so that no more than this wait. It must not have been asked for since. */
void cw_grpc_take_back(cw_grpc_call *call, size_t waiting);

/* Ends a call after what is queued. Only the first end counts. words: constant, may be NULL. */
void cw_grpc_finish(cw_grpc_call *call, cw_grpc_code code, const char *words);
bool cw_grpc_finished(const cw_grpc_call *call);
/* For a method that works for long: ends the call where the client's deadline has passed. */
void cw_grpc_look_at_deadline(cw_grpc_call *call);
