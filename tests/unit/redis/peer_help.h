/* A server that answers as a test says, on the test's own loop, and records its commands; and a connection to it. */
#pragma once

#include <crawl/sys/redis.h>
#include <criterion/criterion.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define TIME "*2\r\n$10\r\n1700000000\r\n$6\r\n250000\r\n"

/* The answer to a command that begins with a word; the first matching row counts. */
typedef struct row {
    const char *word; /* NULL: end of the rows */
    const char *said; /* NULL: closes the connection; "": no answer */
    bool once;        /* afterwards the row is skipped */
} row;

typedef struct peer {
    struct event_base *base;
    struct evconnlistener *listener;
    unsigned port;
    struct bufferevent *bevs[16];
    unsigned bev_count;
    row rows[12];
    const char *welcomes[2]; /* what it says at once to the first and second connection; NULL: nothing */
    crawl_buf log;           /* the commands, each followed by a semicolon */
} peer;

/* Takes a command, an array of texts, from the input, with its words separated by blanks. Returns false if it is
 * incomplete. */
static inline bool take_command(struct evbuffer *input, crawl_buf *out)
{
    size_t size = evbuffer_get_length(input);
    const char *at = (const char *)evbuffer_pullup(input, -1);
    const char *end = at + size;
    const char *line = size ? memchr(at, '\n', size) : NULL;
    if (!line)
        return false;
    long count = strtol(at + 1, NULL, 10);
    const char *next = line + 1;
    crawl_buf_clear(out);
    for (long i = 0; i < count; i++) {
        line = next < end ? memchr(next, '\n', (size_t)(end - next)) : NULL;
        long length = line ? strtol(next + 1, NULL, 10) : 0;
        if (!line || end - line < length + 3)
            return false;
        crawl_buf_printf(out, "%s%.*s", i ? " " : "", (int)length, line + 1);
        next = line + length + 3;
    }
    evbuffer_drain(input, (size_t)(next - at));
    return true;
}

static inline row *row_of(peer *p, const char *command)
{
    for (row *r = p->rows; r->word; r++)
        if (r->said != r->word && strncmp(command, r->word, strlen(r->word)) == 0)
            return r;
    return NULL;
}

static inline void on_command(struct bufferevent *bev, void *user)
{
    peer *p = user;
    crawl_buf command = {0};
    while (take_command(bufferevent_get_input(bev), &command)) {
        crawl_buf_printf(&p->log, "%s;", command.data);
        row *r = row_of(p, command.data);
        const char *said = r ? r->said : strncmp(command.data, "TIME", 4) == 0 ? TIME : "+OK\r\n";
        if (r && r->once)
            r->said = r->word; /* used up */
        if (!said) {
            for (unsigned i = 0; i < p->bev_count; i++)
                p->bevs[i] = p->bevs[i] == bev ? NULL : p->bevs[i];
            bufferevent_free(bev);
            break;
        }
        bufferevent_write(bev, said, strlen(said));
    }
    crawl_buf_free(&command);
}

static inline void on_peer_event(struct bufferevent *bev, short what, void *user)
{
    peer *p = user;
    (void)what;
    for (unsigned i = 0; i < p->bev_count; i++)
        p->bevs[i] = p->bevs[i] == bev ? NULL : p->bevs[i];
    bufferevent_free(bev);
}

static inline void on_accept(struct evconnlistener *, evutil_socket_t fd, struct sockaddr *, int, void *user)
{
    peer *p = user;
    struct bufferevent *bev = bufferevent_socket_new(p->base, fd, BEV_OPT_CLOSE_ON_FREE);
    cr_assert_lt(p->bev_count, 16);
    const char *welcome = p->bev_count < 2 ? p->welcomes[p->bev_count] : NULL;
    p->bevs[p->bev_count++] = bev;
    if (welcome)
        bufferevent_write(bev, welcome, strlen(welcome));
    bufferevent_setcb(bev, on_command, NULL, on_peer_event, p);
    bufferevent_enable(bev, EV_READ | EV_WRITE);
}

static inline void start_peer(peer *p, struct event_base *base)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    p->base = base;
    p->listener = evconnlistener_new_bind(base, on_accept, p, LEV_OPT_CLOSE_ON_FREE, 16, (struct sockaddr *)&address,
                                          sizeof address);
    cr_assert(p->listener);
    getsockname(evconnlistener_get_fd(p->listener), (struct sockaddr *)&address, &size);
    p->port = ntohs(address.sin_port);
}

/* Closes its connections, and accepts no more. */
static inline void silence_peer(peer *p)
{
    for (unsigned i = 0; i < p->bev_count; i++)
        if (p->bevs[i])
            bufferevent_free(p->bevs[i]);
    p->bev_count = 0;
    if (p->listener)
        evconnlistener_free(p->listener);
    p->listener = NULL;
}

static inline void stop_peer(peer *p)
{
    silence_peer(p);
    crawl_buf_free(&p->log);
}

/* ---- a connection to it ---- */

typedef struct world {
    struct event_base *base;
    peer peer;  /* the one in the URL */
    peer other; /* a second one, if a test starts it */
    crawl_redis_url url;
    crawl_redis *redis;
    crawl_buf answers;
    crawl_buf states;
    unsigned rooms;
    size_t answered;
    size_t expected;
} world;

static inline void on_state(void *user, crawl_redis_fault fault, const char *words)
{
    world *w = user;
    crawl_buf_printf(&w->states, "%d %s;", (int)fault, words);
}

static inline void on_room(void *user)
{
    world *w = user;
    w->rooms++;
}

static inline void on_answer(void *user, const crawl_redis_answer *said)
{
    world *w = user;
    if (said->fault)
        crawl_buf_printf(&w->answers, "%d %s;", (int)said->fault, said->words);
    else if (said->reply->type == CRAWL_REDIS_NUMBER)
        crawl_buf_printf(&w->answers, "%lld;", (long long)said->reply->number);
    else
        crawl_buf_printf(&w->answers, "%.*s;", (int)said->reply->text.size, said->reply->text.data);
    if (++w->answered == w->expected)
        event_base_loopbreak(w->base);
}

static inline void open_world(world *w, const char *place, const char *password, int64_t timeout_ms)
{
    char text[80];
    crawl_error error = {0};
    w->base = event_base_new();
    start_peer(&w->peer, w->base);
    snprintf(text, sizeof text, place, w->peer.port);
    cr_assert_eq(crawl_redis_url_parse(crawl_slice_from(text), (const char *const[]){NULL}, &w->url, &error), CRAWL_OK,
                 "%s", error.message);
    const crawl_redis_options options = {
        .size = sizeof options,
        .base = w->base,
        .url = &w->url,
        .password = password,
        .name = "me",
        .timeout_ms = timeout_ms,
        .on_state = on_state,
        .on_room = on_room,
        .user = w,
    };
    cr_assert_eq(crawl_redis_open(&options, &w->redis, &error), CRAWL_OK, "%s", error.message);
}

static inline void close_world(world *w)
{
    crawl_redis_free(w->redis);
    stop_peer(&w->peer);
    stop_peer(&w->other);
    crawl_redis_url_free(&w->url);
    event_base_loop(w->base, EVLOOP_NONBLOCK); /* libevent frees some things late */
    event_base_free(w->base);
    crawl_buf_free(&w->answers);
    crawl_buf_free(&w->states);
}

/* Runs until this many more answers have come. */
static inline void run(world *w, size_t answers)
{
    w->expected = w->answered + answers;
    event_base_dispatch(w->base);
}

static inline void ask(world *w, const char *command)
{
    cr_assert_eq(crawl_redis_send_texts(w->redis, on_answer, w, command, NULL), CRAWL_OK);
}
