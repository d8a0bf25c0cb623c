/* The server's user pointer is the service. It is healthy unless one of its crawls fails. */
#include "tools/serve/serve.h"

#include "base/bytes.h"
#include "tools/serve/health.pb-c.h"

typedef Grpc__Health__V1__HealthCheckResponse__ServingStatus standing;

#define SERVING GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING
#define NOT_SERVING GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING
#define UNKNOWN GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN

/* The state of a watching call. */
typedef struct cw_serve_watch {
    cw_grpc_call *call; /* NULL: not started */
    standing told;
    struct cw_serve_watch *next;
} cw_serve_watch;

static bool health_is_served(const char *service)
{
    crawl_slice name = crawl_slice_from(service);
    return !name.size || cw_is(name, "urlfrontier.URLFrontier");
}

static standing standing_of(const cw_service *service)
{
    return service->is_failing ? NOT_SERVING : SERVING;
}

static void send_standing(cw_grpc_call *call, standing is)
{
    Grpc__Health__V1__HealthCheckResponse answer = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    answer.status = is;
    cw_grpc_send(call, &answer.base);
}

static void health_check(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Grpc__Health__V1__HealthCheckRequest *request = (const Grpc__Health__V1__HealthCheckRequest *)message;
    if (health_is_served(request->service)) {
        send_standing(call, standing_of(cw_grpc_user(call)));
        cw_grpc_finish(call, CW_GRPC_OK, NULL);
    } else {
        cw_grpc_finish(call, CW_GRPC_NOT_FOUND, "no such service");
    }
}

/* Sends the standing and keeps the call open. The standing of an unknown service never changes. */
static void health_watch(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Grpc__Health__V1__HealthCheckRequest *request = (const Grpc__Health__V1__HealthCheckRequest *)message;
    cw_service *service = cw_grpc_user(call);
    cw_serve_watch *w = cw_grpc_state(call);
    if (!health_is_served(request->service)) {
        send_standing(call, UNKNOWN);
        return;
    }
    *w = (cw_serve_watch){.call = call, .told = standing_of(service), .next = service->watches};
    service->watches = w;
    send_standing(call, w->told);
}

static void health_closed(cw_grpc_call *call)
{
    cw_service *service = cw_grpc_user(call);
    cw_serve_watch **at = &service->watches;
    while (*at && *at != cw_grpc_state(call))
        at = &(*at)->next;
    if (*at)
        *at = (*at)->next;
}

void cw_serve_health_tell(const cw_service *service)
{
    for (cw_serve_watch *w = service->watches; w; w = w->next) {
        if (w->told == standing_of(service))
            continue;
        w->told = standing_of(service);
        send_standing(w->call, w->told);
        cw_grpc_wake(w->call);
    }
}

const cw_grpc_method cw_serve_health_check = {
    .path = "/grpc.health.v1.Health/Check",
    .request = &grpc__health__v1__health_check_request__descriptor,
    .message = health_check,
};

const cw_grpc_method cw_serve_health_watch = {
    .path = "/grpc.health.v1.Health/Watch",
    .state_bytes = sizeof(cw_serve_watch),
    .request = &grpc__health__v1__health_check_request__descriptor,
    .message = health_watch,
    .closed = health_closed,
};
