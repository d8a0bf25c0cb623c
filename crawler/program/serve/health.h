/* grpc.health.v1: whether the server serves, as load balancers and `grpcurl` ask. */
#ifndef CW_SERVE_HEALTH_H
#define CW_SERVE_HEALTH_H

#include "crawler/program/serve/grpc/grpc.h"

extern const cw_grpc_method cw_serve_health_check;
extern const cw_grpc_method cw_serve_health_watch;

#endif
