/* See health.h. A server that answers serves: it has no other standing. */
#include "crawler/program/serve/health.h"

#include "base/bytes.h"
#include "crawler/program/serve/health.pb-c.h"

static bool is_served(const char *service)
{
    crawl_slice name = crawl_slice_from(service);
    return !name.size || cw_is(name, "urlfrontier.URLFrontier");
}

static void send_standing(cw_grpc_call *call, Grpc__Health__V1__HealthCheckResponse__ServingStatus standing)
{
    Grpc__Health__V1__HealthCheckResponse answer = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    answer.status = standing;
    cw_grpc_send(call, &answer.base);
}

static void check(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Grpc__Health__V1__HealthCheckRequest *request = (const Grpc__Health__V1__HealthCheckRequest *)message;
    if (is_served(request->service)) {
        send_standing(call, GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING);
        cw_grpc_finish(call, CW_GRPC_OK, NULL);
    } else {
        cw_grpc_finish(call, CW_GRPC_NOT_FOUND, "there is no such service here");
    }
}

/* Tells it once and stays open, since the standing does not change while the server is there. */
static void watch(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Grpc__Health__V1__HealthCheckRequest *request = (const Grpc__Health__V1__HealthCheckRequest *)message;
    send_standing(call, is_served(request->service)
                            ? GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING
                            : GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN);
}

const cw_grpc_method cw_serve_health_check = {
    .path = "/grpc.health.v1.Health/Check",
    .request = &grpc__health__v1__health_check_request__descriptor,
    .message = check,
};

const cw_grpc_method cw_serve_health_watch = {
    .path = "/grpc.health.v1.Health/Watch",
    .request = &grpc__health__v1__health_check_request__descriptor,
    .message = watch,
};
