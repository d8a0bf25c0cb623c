/* See <crawl/redis.h>. Two lists: what waits to be sent, and what was sent and is owed an answer. The first answers of
 * a connection are those of its greeting (user and password, DB, name, time), whose requests stand in a list of their
 * own until all are there; only then is anything else sent.
 *
 * Invariants:
 *
 *   R1  `owed` is empty unless the connection stands; in DOWN there is a timer that ends it.
 *   R2  pending and bytes count what is in `waiting` and `owed` without the greeting. */
#include "redis/client.h"

#include "base/clock.h"
#include "base/error.h"
#include "redis/fault.h"
#include "redis/reader.h"
#include "redis/timing.h"
#include "redis/wire.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CONNECT_TIMEOUT_MS = 5000,
    TIMEOUT_MS = 10000,
    ARGUMENTS_MAX = 16 /* of crawl_redis_send_texts, and those of a greeting */
};

typedef struct request {
    struct request *next;
    crawl_redis_done done;
    void *user;
    char *bytes; /* NULL: sent */
    size_t size;
} request;

typedef struct request_list {
    request *first, *last;
} request_list;

typedef enum state { DOWN, CONNECTING, GREETING, UP } state;

struct crawl_redis {
    crawl_redis_options options;
    cw_redis_wire *wire;
    cw_redis_reader *reader; /* NULL: no connection */
    struct event *timer;     /* DOWN: when it is tried again; otherwise: when the server's patience is over */
    state state;
    unsigned failures; /* in a row */
    request_list waiting;
    request_list owed;
    size_t pending;
    size_t bytes;
    size_t greetings; /* of those owed */
    bool is_full;     /* somebody was told so */
    int64_t asked_us; /* the time */
    cw_redis_clock clock;
};

/* ---- requests ---- */

static void append(request_list *list, request *r)
{
    r->next = NULL;
    *(list->last ? &list->last->next : &list->first) = r;
    list->last = r;
}

static request *take_first(request_list *list)
{
    request *r = list->first;
    if (!r)
        return NULL;
    list->first = r->next;
    if (!list->first)
        list->last = NULL;
    return r;
}

static void free_request(request *r)
{
    redisFreeCommand(r->bytes);
    free(r);
}

/* NULL: no memory. */
static request *make_request(const crawl_slice *arguments, size_t count, crawl_redis_done done, void *user)
{
    const char **texts = malloc(count * sizeof *texts);
    size_t *sizes = malloc(count * sizeof *sizes);
    request *r = calloc(1, sizeof *r);
    long long size = -1;
    for (size_t i = 0; i < count && texts && sizes; i++) {
        texts[i] = arguments[i].size ? arguments[i].data : "";
        sizes[i] = arguments[i].size;
    }
    if (texts && sizes && r)
        size = redisFormatCommandArgv(&r->bytes, (int)count, texts, sizes);
    free(texts);
    free(sizes);
    if (size < 0) {
        free(r);
        return NULL;
    }
    r->size = (size_t)size;
    r->done = done;
    r->user = user;
    return r;
}

static void count_out(crawl_redis *redis, const request *r)
{
    redis->pending--;
    redis->bytes -= r->size;
}

static void answer(request *r, crawl_redis_fault fault, const char *words, const crawl_redis_reply *reply)
{
    const crawl_redis_answer said = {.fault = fault, .words = words, .reply = reply};
    if (r->done)
        r->done(r->user, &said);
    free_request(r);
}

static bool has_room(const crawl_redis *redis, size_t part)
{
    return redis->pending < CRAWL_REDIS_REQUESTS_MAX / part && redis->bytes < CRAWL_REDIS_BYTES_MAX / part;
}

static void tell_room(crawl_redis *redis)
{
    if (!redis->is_full || !has_room(redis, 2))
        return;
    redis->is_full = false;
    if (redis->options.on_room)
        redis->options.on_room(redis->options.user);
}

/* ---- the timer ---- */

static void set_timer(crawl_redis *redis, int64_t ms)
{
    const struct timeval after = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    evtimer_add(redis->timer, &after);
}

/* The server answered, or is owed something from now on. */
static void renew_patience(crawl_redis *redis)
{
    if (redis->owed.first)
        set_timer(redis, redis->options.timeout_ms);
    else
        evtimer_del(redis->timer);
}

/* ---- a connection ends ---- */

static void tell_state(crawl_redis *redis, crawl_redis_fault fault, const char *words)
{
    if (redis->options.on_state)
        redis->options.on_state(redis->options.user, fault, words);
}

/* Ends what is owed an answer: nobody knows whether it was carried out. */
static void give_up_owed(crawl_redis *redis, const char *words)
{
    request_list lost = redis->owed;
    redis->owed = (request_list){0};
    request *r = take_first(&lost);
    for (; redis->greetings && r; redis->greetings--) {
        free_request(r);
        r = take_first(&lost);
    }
    redis->greetings = 0;
    for (; r; r = take_first(&lost)) {
        count_out(redis, r);
        answer(r, CRAWL_REDIS_UNKNOWN, words, NULL);
    }
}

static void drop(crawl_redis *redis)
{
    cw_redis_wire_cut(redis->wire);
    cw_redis_reader_free(redis->reader);
    redis->reader = NULL;
    redis->state = DOWN;
    redis->clock = (cw_redis_clock){0};
}

/* words are copied: they may lie in what is freed here. */
static void lose(crawl_redis *redis, crawl_redis_fault fault, const char *words)
{
    char why[256];
    snprintf(why, sizeof why, "%s", words);
    if (redis->state == DOWN)
        return;
    drop(redis);
    redis->failures++;
    set_timer(redis, cw_redis_backoff_ms(redis->failures, (uint64_t)cw_now_us()));
    give_up_owed(redis, why);
    tell_state(redis, fault, why);
    tell_room(redis);
}

static void on_down(void *user, const char *words)
{
    lose(user, CRAWL_REDIS_AWAY, words);
}

/* ---- sending ---- */

static void send_request(crawl_redis *redis, request *r)
{
    bool first = !redis->owed.first;
    crawl_err err = cw_redis_wire_write(redis->wire, crawl_slice_of(r->bytes, r->size));
    redisFreeCommand(r->bytes);
    r->bytes = NULL;
    append(&redis->owed, r);
    if (first)
        renew_patience(redis);
    if (err)
        lose(redis, CRAWL_REDIS_AWAY, crawl_strerror(err));
}

static void send_waiting(crawl_redis *redis)
{
    while (redis->state == UP && redis->waiting.first)
        send_request(redis, take_first(&redis->waiting));
}

crawl_err cw_redis_send_past(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                             void *user)
{
    request *r = make_request(arguments, count, done, user);
    if (!r)
        return CRAWL_ENOMEM;
    redis->pending++;
    redis->bytes += r->size;
    append(&redis->waiting, r);
    send_waiting(redis);
    return CRAWL_OK;
}

crawl_err crawl_redis_send(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                           void *user)
{
    redis->is_full = redis->is_full || !has_room(redis, 1);
    return redis->is_full ? CRAWL_FULL : cw_redis_send_past(redis, arguments, count, done, user);
}

crawl_err crawl_redis_send_texts(crawl_redis *redis, crawl_redis_done done, void *user, ...)
{
    crawl_slice arguments[ARGUMENTS_MAX];
    size_t count = 0;
    va_list list;
    va_start(list, user);
    for (const char *text = va_arg(list, const char *); text && count < ARGUMENTS_MAX;
         text = va_arg(list, const char *))
        arguments[count++] = crawl_slice_from(text);
    va_end(list);
    return crawl_redis_send(redis, arguments, count, done, user);
}

size_t crawl_redis_pending(const crawl_redis *redis)
{
    return redis->pending;
}

/* ---- the greeting ---- */

/* False: no memory, or the connection is lost. */
static bool greet(crawl_redis *redis, crawl_redis_done done, const char *const *texts)
{
    crawl_slice arguments[ARGUMENTS_MAX];
    size_t count = 0;
    while (texts[count]) {
        arguments[count] = crawl_slice_from(texts[count]);
        count++;
    }
    request *r = redis->state == GREETING ? make_request(arguments, count, done, redis) : NULL;
    if (!r)
        return false;
    redis->greetings++;
    send_request(redis, r);
    return true;
}

/* What must go well. The connection is lost otherwise, in the server's words. */
static void on_greeted(void *user, const crawl_redis_answer *said)
{
    crawl_redis *redis = user;
    if (said->fault)
        lose(redis, said->fault, said->words);
}

/* A name is a courtesy: a server that does not know the command is used all the same. */
static void on_named(void *user, const crawl_redis_answer *said)
{
    (void)user;
    (void)said;
}

static bool read_time(const crawl_redis_reply *reply, int64_t *out)
{
    if (reply->type != CRAWL_REDIS_ARRAY || reply->count != 2 || reply->items[0].type != CRAWL_REDIS_TEXT ||
        reply->items[1].type != CRAWL_REDIS_TEXT)
        return false;
    long long seconds = strtoll(reply->items[0].text.data, NULL, 10);
    long long rest = strtoll(reply->items[1].text.data, NULL, 10);
    bool sane = seconds > 0 && seconds < INT64_MAX / 2000000 && rest >= 0 && rest < 1000000;
    *out = sane ? seconds * 1000000 + rest : 0;
    return sane;
}

/* The last of the greeting. */
static void on_time(void *user, const crawl_redis_answer *said)
{
    crawl_redis *redis = user;
    int64_t server_us;
    if (said->fault) {
        lose(redis, said->fault, said->words);
    } else if (!read_time(said->reply, &server_us)) {
        lose(redis, CRAWL_REDIS_PROTOCOL, "its TIME is none");
    } else {
        redis->clock = cw_redis_clock_of(redis->asked_us, cw_now_us(), server_us);
        redis->state = UP;
        redis->failures = 0;
        renew_patience(redis);
        tell_state(redis, CRAWL_REDIS_OK, "");
        send_waiting(redis);
    }
}

static void on_up(void *user)
{
    crawl_redis *redis = user;
    const crawl_redis_options *options = &redis->options;
    char db[16];
    bool ok = true;
    snprintf(db, sizeof db, "%u", options->url->db);
    redis->state = GREETING;
    redis->reader = cw_redis_reader_create();
    if (redis->reader && options->password && options->url->user)
        ok = greet(redis, on_greeted, (const char *const[]){"AUTH", options->url->user, options->password, NULL});
    else if (redis->reader && options->password)
        ok = greet(redis, on_greeted, (const char *const[]){"AUTH", options->password, NULL});
    if (ok && options->url->db)
        ok = greet(redis, on_greeted, (const char *const[]){"SELECT", db, NULL});
    if (ok && options->name)
        ok = greet(redis, on_named, (const char *const[]){"CLIENT", "SETNAME", options->name, NULL});
    redis->asked_us = cw_now_us();
    if (ok)
        ok = greet(redis, on_time, (const char *const[]){"TIME", NULL});
    if (!ok || !redis->reader)
        lose(redis, CRAWL_REDIS_AWAY, crawl_strerror(CRAWL_ENOMEM));
    else
        set_timer(redis, options->connect_timeout_ms);
}

/* ---- receiving ---- */

static void take_reply(crawl_redis *redis, crawl_redis_reply *reply)
{
    request *r = take_first(&redis->owed);
    if (!r) {
        lose(redis, CRAWL_REDIS_PROTOCOL, "an answer came that nobody had asked for");
        cw_redis_reply_free(reply);
        return;
    }
    if (redis->greetings)
        redis->greetings--;
    else
        count_out(redis, r);
    if (redis->state == UP)
        renew_patience(redis);
    if (reply->type == CRAWL_REDIS_ERROR)
        answer(r, cw_redis_fault_of(reply->text), reply->text.data, NULL);
    else
        answer(r, CRAWL_REDIS_OK, "", reply);
    cw_redis_reply_free(reply);
}

static crawl_err feed(crawl_redis *redis, struct evbuffer *bytes)
{
    crawl_err err = CRAWL_OK;
    while (evbuffer_get_length(bytes) && !err) {
        size_t size = evbuffer_get_contiguous_space(bytes);
        err = cw_redis_reader_feed(redis->reader, evbuffer_pullup(bytes, (ev_ssize_t)size), size);
        evbuffer_drain(bytes, size);
    }
    return err;
}

/* A callback may end the connection: whether it still stands is asked after each. */
static void on_bytes(void *user, struct evbuffer *bytes)
{
    crawl_redis *redis = user;
    crawl_error error = {0};
    crawl_err err = feed(redis, bytes);
    while (!err && redis->reader) {
        crawl_redis_reply *reply;
        err = cw_redis_reader_next(redis->reader, &reply, &error);
        if (!err)
            take_reply(redis, reply);
    }
    if (err == CRAWL_EPARSE)
        lose(redis, CRAWL_REDIS_PROTOCOL, error.message);
    else if (err && err != CRAWL_AGAIN)
        lose(redis, CRAWL_REDIS_AWAY, crawl_strerror(err));
    tell_room(redis);
}

/* ---- its life ---- */

static void connect_now(crawl_redis *redis)
{
    redis->state = CONNECTING;
    set_timer(redis, redis->options.connect_timeout_ms);
    crawl_err err = cw_redis_wire_connect(redis->wire);
    if (err)
        lose(redis, CRAWL_REDIS_AWAY, err == CRAWL_ENOMEM ? crawl_strerror(err) : "the connection cannot be begun");
}

static void on_timer(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    crawl_redis *redis = user;
    if (redis->state == DOWN)
        connect_now(redis);
    else
        lose(redis, CRAWL_REDIS_AWAY,
             redis->state == UP ? "the server does not answer" : "it cannot be connected to in time");
}

crawl_err crawl_redis_open(const crawl_redis_options *options, crawl_redis **out, crawl_error *error)
{
    crawl_redis *redis = calloc(1, sizeof *redis);
    if (!redis)
        return cw_error(error, CRAWL_ENOMEM);
    const cw_redis_wire_calls calls = {.on_up = on_up, .on_bytes = on_bytes, .on_down = on_down, .user = redis};
    redis->options = *options;
    if (!redis->options.connect_timeout_ms)
        redis->options.connect_timeout_ms = CONNECT_TIMEOUT_MS;
    if (!redis->options.timeout_ms)
        redis->options.timeout_ms = TIMEOUT_MS;
    redis->timer = evtimer_new(options->base, on_timer, redis);
    crawl_err err =
        redis->timer ? cw_redis_wire_create(options, &calls, &redis->wire, error) : cw_error(error, CRAWL_ENOMEM);
    if (err) {
        crawl_redis_free(redis);
        return err;
    }
    set_timer(redis, 0); /* not from within this call, so that no callback comes before it has returned */
    *out = redis;
    return CRAWL_OK;
}

/* Answers may send others, which end likewise. */
static void end_waiting(crawl_redis *redis)
{
    for (request *r = take_first(&redis->waiting); r; r = take_first(&redis->waiting)) {
        count_out(redis, r);
        answer(r, CRAWL_REDIS_UNSENT, crawl_redis_fault_words(CRAWL_REDIS_UNSENT), NULL);
    }
}

void crawl_redis_free(crawl_redis *redis)
{
    if (!redis)
        return;
    if (redis->wire)
        drop(redis);
    redis->is_full = true; /* and nothing more is taken */
    give_up_owed(redis, crawl_redis_fault_words(CRAWL_REDIS_UNKNOWN));
    end_waiting(redis);
    cw_redis_wire_free(redis->wire);
    if (redis->timer)
        event_free(redis->timer);
    free(redis);
}

crawl_err crawl_redis_time(const crawl_redis *redis, int64_t now_us, int64_t *time_us, int64_t *bound_us)
{
    if (!redis->clock.known)
        return CRAWL_ABSENT;
    *time_us = now_us + redis->clock.offset_us;
    *bound_us = redis->clock.bound_us;
    return CRAWL_OK;
}
