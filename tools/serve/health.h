/* grpc.health.v1: whether the server serves, as load balancers and `grpcurl` ask. */
#ifndef CW_SERVE_HEALTH_H
#define CW_SERVE_HEALTH_H

#include "tools/serve/urlfrontier/service.h"

extern const cw_grpc_method cw_serve_health_check;
extern const cw_grpc_method cw_serve_health_watch;

/* Tells who watches, where that has changed. A few times a second. */
void cw_serve_health_tell(const cw_service *service);

#endif
