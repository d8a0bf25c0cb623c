/* grpc.reflection: which services there are, and their descriptions, so that tools such as grpcurl can call them
 * without a file of their own. Under its two names, which mean the same. */
#ifndef CW_SERVE_REFLECTION_H
#define CW_SERVE_REFLECTION_H

#include "tools/serve/grpc/grpc.h"

extern const cw_grpc_method cw_serve_reflection;
extern const cw_grpc_method cw_serve_reflection_alpha;

#endif
