/* Reads each request until its body is complete, looks it up in the table, and answers. */
#include "tests/support/script_server.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <sys/socket.h>

typedef struct script_client {
    LIST_ENTRY(script_client) link;
    script_server *server;
    struct bufferevent *stream;
    unsigned answered;
    const script_answer *answer; /* being sent */
} script_client;

struct script_server {
    struct event_base *base;
    struct evconnlistener *listener;
    const script_answer *answers;
    LIST_HEAD(, script_client) clients;
    unsigned port;
    unsigned accepts;
    unsigned open;
    unsigned requests;
    char *last;
};

static void client_free(script_client *client)
{
    LIST_REMOVE(client, link);
    client->server->open--;
    bufferevent_free(client->stream);
    free(client);
}

static void client_reset(script_client *client)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(bufferevent_getfd(client->stream), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    client_free(client);
}

/* Ends the connection as the script says, after the bytes. False: client is gone. */
static bool finish_answer(script_client *client)
{
    const script_answer *answer = client->answer;
    client->answer = NULL;
    if (!answer || answer->end == SCRIPT_KEEP || answer->end == SCRIPT_HOLD)
        return true;
    if (answer->end == SCRIPT_RESET)
        client_reset(client);
    else
        client_free(client);
    return false;
}

static void on_written(struct bufferevent *stream, void *user)
{
    script_client *client = user;
    if (evbuffer_get_length(bufferevent_get_output(stream)) == 0)
        finish_answer(client);
}

static const script_answer *find(const script_server *server, const char *request)
{
    const char *target = strchr(request, ' ');
    size_t size = target ? strcspn(target + 1, " ") : 0;
    for (const script_answer *row = server->answers; row->bytes; row++)
        if (!row->path || (target && strlen(row->path) == size && memcmp(row->path, target + 1, size) == 0))
            return row;
    return NULL;
}

/* False: client is gone. */
static bool answer_request(script_client *client, const char *request)
{
    script_server *server = client->server;
    const script_answer *answer = find(server, request);
    if (!answer || (answer->once && client->answered > 0)) {
        client_free(client);
        return false;
    }
    size_t size = answer->size ? answer->size : strlen(answer->bytes);
    client->answered++;
    client->answer = answer;
    if (size == 0)
        return finish_answer(client);
    bufferevent_write(client->stream, answer->bytes, size);
    return true;
}

static size_t body_size(const char *request, size_t head)
{
    static const char name[] = "\r\nContent-Length:";
    for (const char *at = request; at < request + head; at++)
        if (strncasecmp(at, name, sizeof name - 1) == 0)
            return (size_t)strtoul(at + sizeof name - 1, NULL, 10);
    return 0;
}

/* Takes a complete request from the input. NULL: incomplete. */
static char *take_request(struct evbuffer *input)
{
    struct evbuffer_ptr end = evbuffer_search(input, "\r\n\r\n", 4, NULL);
    if (end.pos < 0)
        return NULL;
    size_t have = evbuffer_get_length(input);
    char *request = calloc(1, have + 1);
    if (!request)
        return NULL;
    evbuffer_copyout(input, request, have);
    size_t need = (size_t)end.pos + 4 + body_size(request, (size_t)end.pos);
    if (need > have) {
        free(request);
        return NULL;
    }
    request[need] = '\0';
    evbuffer_drain(input, need);
    return request;
}

/* Sends the row that speaks first, if there is one. */
static void greet(script_client *client)
{
    for (const script_answer *row = client->server->answers; row->bytes; row++)
        if (row->path && !*row->path)
            bufferevent_write(client->stream, row->bytes, strlen(row->bytes));
}

static void on_readable(struct bufferevent *stream, void *user)
{
    script_client *client = user;
    script_server *server = client->server;
    char *request;
    while ((request = take_request(bufferevent_get_input(stream)))) {
        server->requests++;
        free(server->last);
        server->last = request;
        if (!answer_request(client, request))
            return;
    }
}

static void on_end(struct bufferevent *, short, void *user)
{
    client_free(user);
}

static void on_accept(struct evconnlistener *, evutil_socket_t fd, struct sockaddr *, int, void *user)
{
    script_server *server = user;
    script_client *client = calloc(1, sizeof *client);
    if (!client)
        abort();
    server->accepts++;
    server->open++;
    client->server = server;
    client->stream = bufferevent_socket_new(server->base, fd, BEV_OPT_CLOSE_ON_FREE);
    LIST_INSERT_HEAD(&server->clients, client, link);
    bufferevent_setcb(client->stream, on_readable, on_written, on_end, client);
    bufferevent_enable(client->stream, EV_READ | EV_WRITE);
    greet(client);
}

script_server *script_server_start(struct event_base *base, const script_answer *answers)
{
    script_server *server = calloc(1, sizeof *server);
    if (!server)
        return NULL;
    server->base = base;
    server->answers = answers;
    LIST_INIT(&server->clients);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server->listener = evconnlistener_new_bind(base, on_accept, server, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_REUSEABLE, 1024,
                                               (struct sockaddr *)&address, sizeof address);
    socklen_t size = sizeof address;
    if (!server->listener ||
        getsockname(evconnlistener_get_fd(server->listener), (struct sockaddr *)&address, &size) != 0) {
        script_server_stop(server);
        return NULL;
    }
    server->port = ntohs(address.sin_port);
    return server;
}

void script_server_stop(script_server *server)
{
    if (!server)
        return;
    while (!LIST_EMPTY(&server->clients))
        client_free(LIST_FIRST(&server->clients));
    if (server->listener)
        evconnlistener_free(server->listener);
    free(server->last);
    free(server);
}

typedef struct client_thread {
    void *(*run)(void *user);
    void *user;
    atomic_bool over;
} client_thread;

static void *run_client(void *user)
{
    client_thread *client = user;
    void *result = client->run(client->user);
    atomic_store(&client->over, true);
    return result;
}

bool script_server_while(struct event_base *base, void *(*run)(void *user), void *user)
{
    client_thread client = {.run = run, .user = user};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_client, &client))
        return false;
    while (!atomic_load(&client.over)) {
        struct timeval turn = {.tv_usec = 10000};
        event_base_loopexit(base, &turn);
        event_base_dispatch(base);
    }
    pthread_join(thread, NULL);
    return true;
}

bool script_server_serve(const script_answer *answers, unsigned *port, void *(*run)(void *user), void *user)
{
    struct event_base *base = event_base_new();
    script_server *server = base ? script_server_start(base, answers) : NULL;
    if (server)
        *port = script_server_port(server);
    bool ran = server && script_server_while(base, run, user);
    if (server)
        script_server_stop(server);
    if (base)
        event_base_free(base);
    return ran;
}

unsigned script_server_port(const script_server *server)
{
    return server->port;
}

unsigned script_server_accepts(const script_server *server)
{
    return server->accepts;
}

unsigned script_server_open(const script_server *server)
{
    return server->open;
}

unsigned script_server_requests(const script_server *server)
{
    return server->requests;
}

const char *script_server_last(const script_server *server)
{
    return server->last ? server->last : "";
}
