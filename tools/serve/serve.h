/* The server of `crawl serve`: a socket, a loop, and the service behind it, until a signal comes. */
#pragma once

#include "tools/serve/grpc/grpc.h"
#include "tools/serve/grpc/grpc_guard.h"
#include "tools/serve/urlfrontier/service.h"

#include <crawl/config.h>

/* Names the variable of the environment that may hold the token. */
#define CW_SERVE_TOKEN "CRAWL_SERVE_TOKEN"

typedef struct cw_serve_options {
    crawl_listen listen;
    const char *directory;
    cw_grpc_guard_options guard;
    bool always; /* each acknowledgement is for what is on the disk */
} cw_serve_options;

/* Serves until a signal comes. started is called once, with where it listens. CRAWL_EINVAL: the address is
 * not of this machine alone, and TLS or the token is missing; or the token is none. CRAWL_EIO, CRAWL_ECORRUPT,
 * CRAWL_ESTATE, CRAWL_ENOMEM: error says why. */
crawl_err cw_serve(const cw_serve_options *options, void (*started)(const char *address), crawl_error *error);

/* grpc.health.v1: whether the server serves, as load balancers and `grpcurl` ask. */
extern const cw_grpc_method cw_serve_health_check;
extern const cw_grpc_method cw_serve_health_watch;

/* Tells who watches, where that has changed. A few times a second. */
void cw_serve_health_tell(const cw_service *service);

/* grpc.reflection, under its two names, which mean the same: the services that there are, for grpcurl and the like. */
extern const cw_grpc_method cw_serve_reflection;
extern const cw_grpc_method cw_serve_reflection_alpha;
