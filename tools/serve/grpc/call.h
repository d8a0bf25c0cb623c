/* A call: the bytes that came and are not a whole message yet, the messages that wait to be sent, and how it ends.
 * The connection does all of HTTP/2. */
#pragma once

#include "tools/serve/grpc/grpc.h"
#include "tools/serve/grpc/grpc_arena.h"

typedef struct cw_grpc_connection cw_grpc_connection;

struct cw_grpc_call {
    cw_grpc_connection *connection;
    const cw_grpc_method *named;  /* by the path; NULL: by none */
    const cw_grpc_method *method; /* the same once the headers are whole */
    void *user;
    size_t *held; /* the server's sum of bytes in `in`, and of those that methods keep */
    size_t kept;  /* of this call */
    int32_t stream;
    cw_grpc_arena messages; /* that were given and are in use */
    crawl_buf in;
    crawl_buf out;
    size_t sent;        /* bytes at the start of `out` that are gone */
    cw_grpc_code code;  /* where finished */
    const char *words;  /* the same */
    int64_t timeout_us; /* that the client gave; negative: none */
    struct event *deadline;
    int64_t until_us; /* of cw_now_us: the same; 0: none */
    int http_status;  /* of a request that is none of gRPC; 0: it is one */
    bool has_type;    /* its content-type is gRPC's */
    bool is_admitted; /* it has shown the token */
    bool finished;
    bool ended;             /* the client sends no more */
    bool given;             /* the one message of a unary call was given */
    bool responded;         /* the response has begun */
    bool pending;           /* something came, or there is room again */
    bool idle;              /* nothing could be sent when HTTP/2 asked */
    cw_grpc_call *previous; /* of the connection's calls */
    cw_grpc_call *next;
    uint64_t unconsumed; /* bytes that came while there was too much to send, and were not given back to the window */
    uint64_t state[];
};

/* NULL: no memory. */
cw_grpc_call *cw_grpc_call_create(cw_grpc_connection *connection, int32_t stream, void *user, size_t *held);
/* Once the path is known: the same call, with room for the method's state. NULL: no memory, and call is as it was. */
cw_grpc_call *cw_grpc_call_widen(cw_grpc_call *call, const cw_grpc_method *method);
/* Tells the method that it is over. NULL is allowed. */
void cw_grpc_call_free(cw_grpc_call *call);

/* Takes bytes of the request. */
void cw_grpc_call_take(cw_grpc_call *call, crawl_slice bytes);

/* Gives the method what came whole, unless there is too much to send, and ends a call whose client has ended. */
void cw_grpc_call_work(cw_grpc_call *call);

/* Microseconds of a grpc-timeout header; -1: none. */
int64_t cw_grpc_timeout(crawl_slice text);

/* Appends the words of a status as grpc-message has them: printable ASCII, all else percent-encoded. CRAWL_ENOMEM. */
crawl_err cw_grpc_words(const char *words, crawl_buf *out);
