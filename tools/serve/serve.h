/* The server of `crawl serve`: a socket, a loop and the service behind them. */
#pragma once

#include "tools/serve/grpc/grpc.h"
#include "tools/serve/grpc/grpc_guard.h"
#include "tools/serve/urlfrontier/service.h"

#include <crawl/config.h>

/* The environment variable that may hold the token. */
#define CW_SERVE_TOKEN "CRAWL_SERVE_TOKEN"

typedef struct cw_serve_options {
    crawl_listen listen;
    const char *directory;
    cw_grpc_guard_options guard;
    bool always; /* acknowledge only what is on disk */
} cw_serve_options;

/* Serves until a signal arrives. Calls started once, with the address on which it listens. CRAWL_EINVAL: other machines
 * can reach the address and TLS or the token is missing, or the token is invalid. CRAWL_EIO, CRAWL_ECORRUPT,
 * CRAWL_ESTATE, CRAWL_ENOMEM: error says why. */
crawl_err cw_serve(const cw_serve_options *options, void (*started)(const char *address), crawl_error *error);

/* grpc.health.v1: tells load balancers and `grpcurl` whether the server is healthy. */
extern const cw_grpc_method cw_serve_health_check;
extern const cw_grpc_method cw_serve_health_watch;

/* Tells watchers if the standing has changed. Called a few times per second. */
void cw_serve_health_tell(const cw_service *service);

/* grpc.reflection under its two equivalent names: lists the services, for grpcurl and similar clients. */
extern const cw_grpc_method cw_serve_reflection;
extern const cw_grpc_method cw_serve_reflection_alpha;
