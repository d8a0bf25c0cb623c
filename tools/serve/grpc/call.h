/* A call: bytes of incomplete messages, messages to send, and its status. The connection does all of HTTP/2. */
#pragma once

#include "tools/serve/grpc/grpc.h"
#include "tools/serve/grpc/grpc_arena.h"

typedef struct cw_grpc_connection cw_grpc_connection;

struct cw_grpc_call {
    cw_grpc_connection *connection;
    const cw_grpc_method *named;  /* method of the path; NULL: unknown path */
    const cw_grpc_method *method; /* the same, set once the headers are complete */
    void *user;
    size_t *held; /* the server's sum of the bytes in `in` and of those that methods keep */
    size_t kept;  /* bytes kept for this call */
    int32_t stream;
    cw_grpc_arena messages; /* being processed */
    crawl_buf in;
    crawl_buf out;
    size_t sent;        /* bytes at the start of `out` that were sent */
    cw_grpc_code code;  /* if finished */
    const char *words;  /* if finished */
    int64_t timeout_us; /* set by the client; negative: none */
    struct event *deadline;
    int64_t until_us; /* in terms of cw_now_us(); 0: none */
    int http_status;  /* of a request that is not gRPC; 0: gRPC */
    bool has_type;    /* content-type is gRPC's */
    bool is_admitted; /* showed the token */
    bool finished;
    bool ended;             /* the client sends no more */
    bool given;             /* the message of a unary call was passed on */
    bool responded;         /* the response was begun */
    bool pending;           /* data arrived, or there is room to send again */
    bool idle;              /* nothing could be sent when nghttp2 asked */
    cw_grpc_call *previous; /* in the connection's list */
    cw_grpc_call *next;
    uint64_t unconsumed; /* received bytes not given back to the window, because too much waits to be sent */
    uint64_t state[];
};

/* NULL: out of memory. */
cw_grpc_call *cw_grpc_call_create(cw_grpc_connection *connection, int32_t stream, void *user, size_t *held);
/* Reallocates the call with room for the method's state, once the path is known. NULL: out of memory; call is
 * unchanged. */
cw_grpc_call *cw_grpc_call_widen(cw_grpc_call *call, const cw_grpc_method *method);
/* Frees the call and calls the method's closed(). NULL is allowed. */
void cw_grpc_call_free(cw_grpc_call *call);

/* Appends bytes of the request. */
void cw_grpc_call_take(cw_grpc_call *call, crawl_slice bytes);

/* Passes complete messages to the method unless too much waits to be sent. Ends the call if the client has. */
void cw_grpc_call_work(cw_grpc_call *call);

/* Returns the microseconds of a grpc-timeout header; -1: invalid. */
int64_t cw_grpc_timeout(crawl_slice text);

/* Appends the text of a status in the form of grpc-message: printable ASCII, all else percent-encoded. CRAWL_ENOMEM. */
crawl_err cw_grpc_words(const char *words, crawl_buf *out);
