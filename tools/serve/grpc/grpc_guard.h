/* The guard of a gRPC server: TLS, and the token that each call must show. */
#pragma once

#include <crawl/base.h>

struct bufferevent;
struct event_base;

typedef struct cw_grpc_guard cw_grpc_guard;

/* Minimum length of a token. A shorter one could be guessed. */
#define CW_GRPC_TOKEN_LEAST 16u

/* TLS, a token, or both. */
typedef struct cw_grpc_guard_options {
    /* PEM files: the certificate followed by its chain, and its key without a passphrase. Both NULL: no TLS. */
    const char *certificate;
    const char *key;
    const char *token; /* copied; NULL: not required */
    /* Time limit for a peer to complete TLS and show the token, so that strangers cannot hold all connections. */
    int64_t hello_ms;
} cw_grpc_guard_options;

/* CRAWL_EINVAL: the token is too short, or not visible ASCII. CRAWL_EIO: a file cannot be read or has the wrong
 * content; error says which. CRAWL_ENOMEM. */
crawl_err cw_grpc_guard_create(const cw_grpc_guard_options *options, cw_grpc_guard **out, crawl_error *error);
/* NULL is allowed. */
void cw_grpc_guard_free(cw_grpc_guard *guard);

/* Returns the peer's time limit in milliseconds; 0: it need not show anything. Here and below, guard may be NULL. */
int64_t cw_grpc_guard_hello(const cw_grpc_guard *guard);
bool cw_grpc_guard_asks_token(const cw_grpc_guard *guard);
/* Returns true if the value of an `authorization` field is "Bearer" and the token. Takes the same time for all tokens
 * of a length. */
bool cw_grpc_guard_admits(const cw_grpc_guard *guard, crawl_slice authorization);

/* Returns a stream that owns the accepted socket, with TLS if the guard has it. NULL: out of memory; the socket is
 * closed. */
struct bufferevent *cw_grpc_guard_stream(const cw_grpc_guard *guard, struct event_base *base, int socket);
/* Returns true if the peer agreed to HTTP/2 in the completed handshake. */
bool cw_grpc_guard_agreed(struct bufferevent *stream);
/* Sends a TLS closure alert if possible without waiting. Does nothing for a plain stream. */
void cw_grpc_guard_end(struct bufferevent *stream);
