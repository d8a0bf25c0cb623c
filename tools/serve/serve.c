/* See serve.h. Every client may read and write all crawls, so an address that other machines can reach requires TLS and
 * a token. */
#include "tools/serve/serve.h"

#include "base/bytes.h"
#include "base/error.h"
#include "tools/common/signals.h"
#include "tools/common/socket.h"
#include "tools/serve/urlfrontier/handout.h"
#include "tools/serve/urlfrontier/methods.h"

#include <arpa/inet.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TICK_US = 200 * 1000 };

typedef struct serving {
    cw_service *service;
    struct event_base *base;
    struct event *stop;
    struct event *tick;
    cw_grpc_guard *guard;
    cw_grpc_server *server;
    int socket; /* -1: none, or owned by the server */
} serving;

static bool is_loopback(int fd)
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    if (getsockname(fd, (struct sockaddr *)&bound, &size))
        return false;
    if (bound.ss_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)&bound)->sin6_addr);
    const struct sockaddr_in *plain = (const struct sockaddr_in *)(const void *)&bound;
    return bound.ss_family == AF_INET && ntohl(plain->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static crawl_err open_socket(serving *s, const cw_serve_options *options, crawl_error *error)
{
    const crawl_listen *at = &options->listen;
    crawl_buf url = {0};
    crawl_error why = {0};
    crawl_err err = cw_tool_socket_open(at, &s->socket, &url, &why);
    if (err)
        crawl_error_set(error, err, "%s:%u: %s", at->host, (unsigned)at->port, why.message);
    else if (!(options->guard.key && options->guard.token) && !is_loopback(s->socket))
        err = crawl_error_set(error, CRAWL_EINVAL,
                              "%s: an address that other machines can reach needs TLS (--tls-cert and --tls-key) "
                              "and a token (--token-file, or " CW_SERVE_TOKEN "); 127.0.0.1 needs neither",
                              at->host);
    crawl_slice address = crawl_buf_slice(&url);
    if (!err && cw_take_text(&address, "http://")) {
        err = crawl_buf_append(&s->service->address, address.data, address.size - 1);
        if (err)
            cw_error(error, err);
    }
    crawl_buf_free(&url);
    return err;
}

static void serve_on_stop(evutil_socket_t, short, void *user)
{
    event_base_loopbreak(user);
}

static void serve_on_tick(evutil_socket_t, short, void *user)
{
    cw_service_tick(user);
    cw_service_mend(user);
    cw_serve_health_tell(user);
}

/* All methods that the server answers. */
static const cw_grpc_method *const methods[] = {
    &cw_service_put_urls,          &cw_service_get_urls,        &cw_service_put_discovered, &cw_service_list_nodes,
    &cw_service_list_crawls,       &cw_service_delete_crawl,    &cw_service_get_stats,      &cw_service_set_active,
    &cw_service_get_active,        &cw_service_set_log_level,   &cw_service_list_queues,    &cw_service_delete_queue,
    &cw_service_set_delay,         &cw_service_set_crawl_limit, &cw_service_get_url_status, &cw_service_list_urls,
    &cw_service_count_urls,        &cw_service_purge_urls,      &cw_serve_health_check,     &cw_serve_health_watch,
    &cw_service_block_queue_until, &cw_serve_reflection,        &cw_serve_reflection_alpha, NULL,
};

static crawl_err serve_make_loop(serving *s)
{
    const struct timeval period = {.tv_usec = TICK_US};
    s->base = event_base_new();
    if (!s->base)
        return CRAWL_ENOMEM;
    s->stop = event_new(s->base, cw_tool_signals_event(), EV_READ, serve_on_stop, s->base);
    s->tick = event_new(s->base, -1, EV_PERSIST, serve_on_tick, s->service);
    if (!s->stop || !s->tick || event_add(s->stop, NULL) || event_add(s->tick, &period))
        return CRAWL_ENOMEM;
    int socket = s->socket;
    s->socket = -1;
    return cw_grpc_server_create(s->base, socket, s->guard, methods, s->service, &s->server);
}

static crawl_err serve_end(serving *s, crawl_err err, crawl_error *error)
{
    cw_grpc_server_free(s->server);
    cw_grpc_guard_free(s->guard);
    if (s->stop)
        event_free(s->stop);
    if (s->tick)
        event_free(s->tick);
    if (s->base)
        event_base_free(s->base);
    if (s->socket >= 0)
        close(s->socket);
    crawl_err closed = cw_service_close(s->service, err ? NULL : error);
    return err ? err : closed;
}

crawl_err cw_serve(const cw_serve_options *options, void (*started)(const char *address), crawl_error *error)
{
    serving s = {.socket = -1};
    cw_tool_signals *signals = NULL;
    crawl_err err = cw_tool_signals_open(NULL, &signals, error);
    if (!err)
        err = cw_grpc_guard_create(&options->guard, &s.guard, error);
    if (!err)
        err = cw_service_open(options->directory, options->always, &s.service, error);
    if (!err)
        err = open_socket(&s, options, error);
    if (!err) {
        err = serve_make_loop(&s);
        if (err)
            cw_error(error, err);
    }
    if (!err) {
        started(s.service->address.data);
        event_base_dispatch(s.base);
    }
    err = serve_end(&s, err, error);
    cw_tool_signals_close(signals);
    return err;
}
