/* See node.h. There are two lists: requests that wait to be sent, and those that were sent and are owed an answer. The
 * greeting (user and password, DB, name, time) stands first in `owed`; nothing else is sent until all of it is
 * answered.
 *
 * A server that closes a new connection says why (protected mode, too many clients), but its words get lost if the
 * client sends meanwhile. So after a connection that was lost before any answer, the next one listens before it greets.
 *
 * R1: `owed` is empty unless the connection stands. In DOWN, once connecting was begun, a timer ends it. */
#include "redis/node.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "redis/reader.h"
#include "redis/redis_server.h"
#include "redis/wire.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONNECT_TIMEOUT_MS = 5000, TIMEOUT_MS = 10000, LISTEN_MS = 200 };

typedef enum state { DOWN, CONNECTING, LISTENING, GREETING, UP } state;

struct cw_redis_node {
    crawl_redis_options options;
    crawl_redis_url url; /* host and path are owned, the rest is borrowed */
    cw_redis_node_calls calls;
    cw_redis_wire *wire;
    cw_redis_reader *reader; /* NULL: no connection */
    struct event *timer;     /* DOWN: the next try; otherwise: the end of the server's time to answer */
    state state;
    bool has_begun;
    unsigned failures; /* in a row */
    cw_redis_requests waiting;
    cw_redis_requests owed;
    size_t greetings; /* requests of the greeting in `owed` */
    bool is_watched, was_up, has_heard, listens;
    char told[256]; /* the error that this connection began with, if nothing else came */
    bool inherits;  /* it got keys of another server, and may have been its replica */
    cw_redis_identity identity, found;
    int64_t asked_us; /* when TIME was sent */
    cw_redis_clock clock;
};

/* ---- the timer ---- */

static void node_set_timer(cw_redis_node *node, int64_t ms)
{
    const struct timeval after = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    evtimer_add(node->timer, &after);
}

/* Restarts the server's time to answer after a reply or a first request. */
static void renew_patience(cw_redis_node *node)
{
    if (node->owed.first)
        node_set_timer(node, node->options.timeout_ms);
    else
        evtimer_del(node->timer);
}

/* ---- a connection ends ---- */

static void node_give_back(cw_redis_node *node, cw_redis_request *r, crawl_redis_fault fault, const char *words,
                           const crawl_redis_reply *reply)
{
    const crawl_redis_answer said = {.fault = fault, .words = words, .reply = reply};
    node->calls.on_answer(node->calls.user, node, r, &said);
}

/* Ends what is owed an answer: it may have been carried out or not. */
static void give_up_owed(cw_redis_node *node, const char *words)
{
    cw_redis_requests lost = node->owed;
    node->owed = (cw_redis_requests){0};
    cw_redis_request *r = cw_redis_requests_take(&lost);
    for (; node->greetings && r; node->greetings--) {
        r->done = NULL;
        cw_redis_request_end(r, CRAWL_REDIS_UNKNOWN, words, NULL);
        r = cw_redis_requests_take(&lost);
    }
    node->greetings = 0;
    for (; r; r = cw_redis_requests_take(&lost))
        node_give_back(node, r, CRAWL_REDIS_UNKNOWN, words, NULL);
}

/* Ends all waiting commands as UNSENT. Commands that callers send meanwhile wait again. */
static void end_waiting(cw_redis_node *node)
{
    cw_redis_requests waiting = cw_redis_node_take_waiting(node);
    for (cw_redis_request *r = cw_redis_requests_take(&waiting); r; r = cw_redis_requests_take(&waiting))
        node_give_back(node, r, CRAWL_REDIS_UNSENT, crawl_redis_fault_words(CRAWL_REDIS_UNSENT), NULL);
}

static void node_drop(cw_redis_node *node)
{
    cw_redis_wire_cut(node->wire);
    cw_redis_reader_free(node->reader);
    node->reader = NULL;
    node->state = DOWN;
    node->clock = (cw_redis_clock){0};
}

/* words are copied, since they may lie in memory that is freed here. */
static void node_lose(cw_redis_node *node, crawl_redis_fault fault, const char *words)
{
    char why[256];
    bool is_told = *node->told && (node->state == LISTENING || node->state == GREETING);
    snprintf(why, sizeof why, "%s", is_told ? node->told : words);
    if (node->state == DOWN)
        return;
    node->listens = node->state == GREETING && !node->has_heard;
    node_drop(node);
    node->failures++;
    node_set_timer(node, cw_redis_backoff_ms(node->failures, (uint64_t)cw_now_us()));
    give_up_owed(node, why);
    node->calls.on_state(node->calls.user, node, fault, why);
    node->calls.on_rest(node->calls.user);
}

static void on_down(void *user, const char *words)
{
    node_lose(user, CRAWL_REDIS_AWAY, words);
}

/* ---- sending ---- */

static void send_request(cw_redis_node *node, cw_redis_request *r)
{
    bool first = !node->owed.first;
    crawl_err err = cw_redis_wire_write(node->wire, crawl_slice_of(r->bytes, r->size));
    cw_redis_requests_append(&node->owed, r);
    if (first)
        renew_patience(node);
    if (err)
        node_lose(node, CRAWL_REDIS_AWAY, crawl_strerror(err));
}

static void node_send_waiting(cw_redis_node *node)
{
    while (node->state == UP && node->waiting.first)
        send_request(node, cw_redis_requests_take(&node->waiting));
}

static void node_go_on(cw_redis_node *node)
{
    if (node->state == UP)
        node_send_waiting(node);
    else
        cw_redis_node_begin(node);
}

void cw_redis_node_put(cw_redis_node *node, cw_redis_request *request)
{
    cw_redis_requests_append(&node->waiting, request);
    node_go_on(node);
}

void cw_redis_node_put_first(cw_redis_node *node, cw_redis_request *request)
{
    cw_redis_requests_prepend(&node->waiting, request);
    node_go_on(node);
}

cw_redis_requests cw_redis_node_take_waiting(cw_redis_node *node)
{
    cw_redis_requests waiting = node->waiting;
    node->waiting = (cw_redis_requests){0};
    return waiting;
}

/* ---- the greeting ---- */

/* False: out of memory, or the connection is lost. */
static bool node_greet(cw_redis_node *node, crawl_redis_done done, const char *const *texts)
{
    cw_redis_request *r = node->state == GREETING ? cw_redis_request_of_texts(texts, done, node) : NULL;
    if (!r)
        return false;
    node->greetings++;
    send_request(node, r);
    return true;
}

/* Takes the answer to a command that must succeed. Otherwise drops the connection with the server's words. */
static void on_greeted(void *user, const crawl_redis_answer *said)
{
    cw_redis_node *node = user;
    if (said->fault)
        node_lose(node, said->fault, said->words);
}

/* If the user may not call INFO, the server's identity stays unknown. */
static void node_on_info(void *user, const crawl_redis_answer *said)
{
    cw_redis_node *node = user;
    if (!said->fault && said->reply->type == CRAWL_REDIS_TEXT)
        cw_redis_identity_read(&node->found, said->reply->text);
}

static void on_sync(void *user, const crawl_redis_answer *said)
{
    cw_redis_node *node = user;
    if (!said->fault)
        cw_redis_identity_read_sync(&node->found, said->reply);
}

/* Ends the waiting commands, which were meant for the earlier data. */
static void node_come_back(cw_redis_node *node)
{
    end_waiting(node);
    node->calls.on_return(node->calls.user, node);
}

static void compare_identities(cw_redis_node *node)
{
    bool went_back = node->was_up && cw_redis_identity_went_back(&node->identity, &node->found);
    bool has_heirloom = node->inherits && (node->found.was_replica || !*node->found.run);
    node->identity = node->found;
    node->was_up = true;
    node->inherits = false;
    if (went_back || has_heirloom)
        node_come_back(node);
}

void cw_redis_node_inherit(cw_redis_node *node)
{
    if (node->state != UP)
        node->inherits = true;
    else if (node->is_watched && (node->identity.was_replica || !*node->identity.run))
        node_come_back(node);
}

/* Ends the greeting. */
static void on_time(void *user, const crawl_redis_answer *said)
{
    cw_redis_node *node = user;
    int64_t server_us;
    if (said->fault) {
        node_lose(node, said->fault, said->words);
    } else if (!cw_redis_time_read(said->reply, &server_us)) {
        node_lose(node, CRAWL_REDIS_PROTOCOL, "its answer to TIME is invalid");
    } else if (node->found.is_loading) {
        node_lose(node, CRAWL_REDIS_LOADING, crawl_redis_fault_words(CRAWL_REDIS_LOADING));
    } else {
        node->clock = cw_redis_clock_of(node->asked_us, cw_now_us(), server_us);
        if (node->is_watched)
            compare_identities(node);
        node->state = UP;
        node->failures = 0;
        renew_patience(node);
        node->calls.on_state(node->calls.user, node, CRAWL_REDIS_OK, "");
        node_send_waiting(node);
    }
}

static void begin_greeting(cw_redis_node *node)
{
    const crawl_redis_options *options = &node->options;
    char db[16];
    bool ok = true;
    snprintf(db, sizeof db, "%u", options->url->db);
    node->state = GREETING;
    if (node->reader && options->password && options->url->user)
        ok = node_greet(node, on_greeted, (const char *const[]){"AUTH", options->url->user, options->password, NULL});
    else if (node->reader && options->password)
        ok = node_greet(node, on_greeted, (const char *const[]){"AUTH", options->password, NULL});
    if (ok && options->url->db)
        ok = node_greet(node, on_greeted, (const char *const[]){"SELECT", db, NULL});
    if (ok && options->name) /* optional: a server that does not know the command is used all the same */
        ok = node_greet(node, NULL, (const char *const[]){"CLIENT", "SETNAME", options->name, NULL});
    node->found = (cw_redis_identity){0};
    if (ok && node->is_watched)
        ok = node_greet(node, node_on_info, (const char *const[]){"INFO", NULL}) &&
             node_greet(node, on_sync, (const char *const[]){"CONFIG", "GET", "appendfsync", NULL});
    node->asked_us = cw_now_us();
    if (ok)
        ok = node_greet(node, on_time, (const char *const[]){"TIME", NULL});
    if (!ok || !node->reader)
        node_lose(node, CRAWL_REDIS_AWAY, crawl_strerror(CRAWL_ENOMEM));
    else
        node_set_timer(node, options->connect_timeout_ms);
}

static void on_up(void *user)
{
    cw_redis_node *node = user;
    *node->told = '\0';
    node->has_heard = false;
    node->reader = cw_redis_reader_create();
    if (!node->listens || !node->reader) {
        begin_greeting(node);
        return;
    }
    node->state = LISTENING;
    node_set_timer(node, LISTEN_MS);
}

/* ---- receiving ---- */

static void note_words(cw_redis_node *node, const crawl_redis_reply *reply)
{
    bool is_error = reply->type == CRAWL_REDIS_ERROR && !node->has_heard;
    snprintf(node->told, sizeof node->told, "%s", is_error ? reply->text.data : "");
    node->has_heard = true;
}

static void node_take_reply(cw_redis_node *node, crawl_redis_reply *reply)
{
    cw_redis_request *r = cw_redis_requests_take(&node->owed);
    crawl_redis_fault fault = reply->type == CRAWL_REDIS_ERROR ? cw_redis_fault_of(reply->text) : CRAWL_REDIS_OK;
    note_words(node, reply);
    if (!r) {
        node_lose(node, fault && node->state == LISTENING ? fault : CRAWL_REDIS_PROTOCOL, "unexpected answer");
        cw_redis_reply_free(reply);
        return;
    }
    bool is_greeting = node->greetings > 0;
    node->greetings -= is_greeting;
    if (node->state == UP)
        renew_patience(node);
    const char *words = reply->type == CRAWL_REDIS_ERROR ? reply->text.data : "";
    if (is_greeting)
        cw_redis_request_end(r, fault, words, fault ? NULL : reply);
    else
        node_give_back(node, r, fault, words, fault ? NULL : reply);
    cw_redis_reply_free(reply);
}

static crawl_err node_feed(cw_redis_node *node, struct evbuffer *bytes)
{
    crawl_err err = CRAWL_OK;
    while (evbuffer_get_length(bytes) && !err) {
        size_t size = evbuffer_get_contiguous_space(bytes);
        err = cw_redis_reader_feed(node->reader, evbuffer_pullup(bytes, (ev_ssize_t)size), size);
        evbuffer_drain(bytes, size);
    }
    return err;
}

/* Checks after each callback whether the connection still stands. */
static void on_bytes(void *user, struct evbuffer *bytes)
{
    cw_redis_node *node = user;
    crawl_error error = {0};
    crawl_err err = node_feed(node, bytes);
    while (!err && node->reader) {
        crawl_redis_reply *reply;
        err = cw_redis_reader_next(node->reader, &reply, &error);
        if (!err)
            node_take_reply(node, reply);
    }
    if (err == CRAWL_EPARSE)
        node_lose(node, CRAWL_REDIS_PROTOCOL, error.message);
    else if (err && err != CRAWL_AGAIN)
        node_lose(node, CRAWL_REDIS_AWAY, crawl_strerror(err));
    node->calls.on_rest(node->calls.user);
}

/* ---- connecting and freeing ---- */

static void connect_now(cw_redis_node *node)
{
    node->state = CONNECTING;
    node_set_timer(node, node->options.connect_timeout_ms);
    errno = 0;
    crawl_err err = cw_redis_wire_connect(node->wire);
    const char *why = err == CRAWL_EIO && errno ? strerror(errno) : "cannot start the connection";
    if (err)
        node_lose(node, CRAWL_REDIS_AWAY, err == CRAWL_ENOMEM ? crawl_strerror(err) : why);
}

static void node_on_timer(evutil_socket_t, short, void *user)
{
    cw_redis_node *node = user;
    if (node->state == DOWN)
        connect_now(node);
    else if (node->state == LISTENING)
        begin_greeting(node);
    else
        node_lose(node, CRAWL_REDIS_AWAY, node->state == UP ? "the server does not answer" : "connecting timed out");
}

/* Copies options->url, or makes the URL of another place of the same kind. */
static crawl_err make_url(cw_redis_node *node, const char *host, unsigned port)
{
    const crawl_redis_url *url = node->options.url;
    node->url = *url;
    node->url.host = host ? strdup(host) : url->host ? strdup(url->host) : NULL;
    node->url.path = !host && url->path ? strdup(url->path) : NULL;
    node->url.port = host ? port : url->port;
    node->options.url = &node->url;
    return node->url.host || node->url.path ? CRAWL_OK : CRAWL_ENOMEM;
}

crawl_err cw_redis_node_create(const crawl_redis_options *options, const char *host, unsigned port,
                               const cw_redis_node_calls *calls, cw_redis_node **out, crawl_error *error)
{
    cw_redis_node *node = calloc(1, sizeof *node);
    if (!node)
        return cw_error(error, CRAWL_ENOMEM);
    const cw_redis_wire_calls wire = {.on_up = on_up, .on_bytes = on_bytes, .on_down = on_down, .user = node};
    node->options = *options;
    node->calls = *calls;
    if (!node->options.connect_timeout_ms)
        node->options.connect_timeout_ms = CONNECT_TIMEOUT_MS;
    if (!node->options.timeout_ms)
        node->options.timeout_ms = TIMEOUT_MS;
    node->timer = evtimer_new(options->base, node_on_timer, node);
    bool is_made = node->timer && make_url(node, host, port) == CRAWL_OK;
    crawl_err err =
        is_made ? cw_redis_wire_create(&node->options, &wire, &node->wire, error) : cw_error(error, CRAWL_ENOMEM);
    if (err)
        cw_redis_node_free(node);
    else
        *out = node;
    return err;
}

/* Connects from the timer, so that no callback comes before this returns. */
void cw_redis_node_begin(cw_redis_node *node)
{
    if (node->has_begun)
        return;
    node->has_begun = true;
    node_set_timer(node, 0);
}

void cw_redis_node_free(cw_redis_node *node)
{
    if (!node)
        return;
    if (node->wire)
        node_drop(node);
    node->has_begun = true; /* nothing may begin it from here on */
    give_up_owed(node, crawl_redis_fault_words(CRAWL_REDIS_UNKNOWN));
    while (node->waiting.first) /* callbacks may send more */
        end_waiting(node);
    cw_redis_wire_free(node->wire);
    if (node->timer)
        event_free(node->timer);
    free(node->url.host);
    free(node->url.path);
    free(node);
}

/* ---- facts about the server ---- */

bool cw_redis_node_is_at(const cw_redis_node *node, crawl_slice host, unsigned port)
{
    return node->url.host && !node->url.path && node->url.port == port && cw_is(host, node->url.host);
}

const char *cw_redis_node_host(const cw_redis_node *node)
{
    return node->url.path || !node->url.host ? "" : node->url.host;
}

unsigned cw_redis_node_port(const cw_redis_node *node)
{
    return node->url.port;
}

bool cw_redis_node_is_up(const cw_redis_node *node)
{
    return node->state == UP;
}

void cw_redis_node_watch(cw_redis_node *node)
{
    node->is_watched = true;
}

bool cw_redis_node_lacks_log(const cw_redis_node *node)
{
    return *node->identity.run && !node->identity.has_log;
}

bool cw_redis_node_is_away(const cw_redis_node *node)
{
    return node->failures > 0;
}

bool cw_redis_node_is_idle(const cw_redis_node *node)
{
    return !node->owed.first && !node->waiting.first;
}

crawl_err cw_redis_node_time(const cw_redis_node *node, int64_t now_us, int64_t *time_us, int64_t *bound_us)
{
    if (!node->clock.known)
        return CRAWL_ABSENT;
    *time_us = now_us + node->clock.offset_us;
    *bound_us = node->clock.bound_us;
    return CRAWL_OK;
}
