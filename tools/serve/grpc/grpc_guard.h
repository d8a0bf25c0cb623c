/* The guard before a gRPC server: TLS, and the token that each call must show. */
#pragma once

#include <crawl/base.h>

struct bufferevent;
struct event_base;

typedef struct cw_grpc_guard cw_grpc_guard;

/* Bytes of the shortest token that is allowed: a shorter one could be guessed. */
#define CW_GRPC_TOKEN_LEAST 16u

/* TLS, a token, or both. */
typedef struct cw_grpc_guard_options {
    /* PEM files: the certificate, and behind it those that lead to its root; its key, without a passphrase. NULL, both:
     * no TLS. */
    const char *certificate;
    const char *key;
    const char *token; /* copied; NULL: nobody is asked for one */
    /* A peer that has not shown by then what it must is shut out, so that strangers do not hold all connections. */
    int64_t hello_ms;
} cw_grpc_guard_options;

/* CRAWL_EINVAL: the token is too short, or not visible ASCII. CRAWL_EIO: a file cannot be read, or does not hold what
 * it should; error says which. CRAWL_ENOMEM. */
crawl_err cw_grpc_guard_create(const cw_grpc_guard_options *options, cw_grpc_guard **out, crawl_error *error);
/* NULL is allowed. */
void cw_grpc_guard_free(cw_grpc_guard *guard);

/* Milliseconds that a peer has; 0: it need not show anything. guard: NULL for none, below too. */
int64_t cw_grpc_guard_hello(const cw_grpc_guard *guard);
bool cw_grpc_guard_asks_token(const cw_grpc_guard *guard);
/* Is the value of an `authorization` field "Bearer" and the token? It takes the same time for all tokens of a size. */
bool cw_grpc_guard_admits(const cw_grpc_guard *guard, crawl_slice authorization);

/* A stream over an accepted socket, which it closes: with TLS where the guard has it. NULL: no memory, and the
 * socket is closed. */
struct bufferevent *cw_grpc_guard_stream(const cw_grpc_guard *guard, struct event_base *base, int socket);
/* The handshake is done: did the peer agree to HTTP/2? */
bool cw_grpc_guard_agreed(struct bufferevent *stream);
/* Tells the peer that nothing follows, as far as that goes without waiting. Of a plain stream it does nothing. */
void cw_grpc_guard_end(struct bufferevent *stream);
