/* The gRPC server: its listener and its connections. See grpc.h. */
#include "tools/serve/grpc/connection.h"

#include <event2/listener.h>
#include <stdlib.h>

struct cw_grpc_server {
    cw_grpc_host host; /* must be first: `gone` casts it to the server */
    struct evconnlistener *listener;
    cw_grpc_connection *connections;
    size_t count;
};

static void server_on_gone(cw_grpc_host *host, cw_grpc_connection *connection)
{
    cw_grpc_server *server = (cw_grpc_server *)(void *)host;
    cw_grpc_connection_unlink(connection, &server->connections);
    server->count--;
    evconnlistener_enable(server->listener);
}

/* If a token is required and there are too many connections, closes the oldest that has not shown it. */
static void server_make_room(cw_grpc_server *server)
{
    size_t strangers;
    if (!cw_grpc_guard_asks_token(server->host.guard))
        return;
    cw_grpc_connection *oldest = cw_grpc_connection_oldest_stranger(server->connections, &strangers);
    if (oldest && (strangers > CW_GRPC_STRANGERS_MAX || server->count >= CW_GRPC_CONNECTIONS_MAX))
        cw_grpc_connection_free(oldest);
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *, int, void *user)
{
    cw_grpc_server *server = user;
    cw_grpc_connection *made = cw_grpc_connection_create(&server->host, fd, server->connections);
    if (!made)
        return;
    server->connections = made;
    server->count++;
    server_make_room(server);
    if (server->count >= CW_GRPC_CONNECTIONS_MAX)
        evconnlistener_disable(listener);
}

/* Stops accepting, for instance when descriptors run out, until a connection closes. */
static void server_on_accept_error(struct evconnlistener *listener, void *user)
{
    const cw_grpc_server *server = user;
    if (server->count)
        evconnlistener_disable(listener);
}

crawl_err cw_grpc_server_create(struct event_base *base, int socket, const cw_grpc_guard *guard,
                                const cw_grpc_method *const *methods, void *user, cw_grpc_server **out)
{
    cw_grpc_server *server = calloc(1, sizeof *server);
    struct evconnlistener *listener =
        evconnlistener_new(base, on_accept, server, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, socket);
    if (!listener)
        evutil_closesocket(socket);
    if (!server || !listener) {
        if (listener)
            evconnlistener_free(listener);
        free(server);
        return CRAWL_ENOMEM;
    }
    evconnlistener_set_error_cb(listener, server_on_accept_error);
    server->host =
        (cw_grpc_host){.base = base, .guard = guard, .methods = methods, .user = user, .gone = server_on_gone};
    server->listener = listener;
    *out = server;
    return CRAWL_OK;
}

void cw_grpc_server_free(cw_grpc_server *server)
{
    if (!server)
        return;
    while (server->connections)
        cw_grpc_connection_free(server->connections);
    evconnlistener_free(server->listener);
    free(server);
}
