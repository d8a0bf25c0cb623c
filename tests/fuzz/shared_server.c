#include "tests/fuzz/shared_server.h"

#include "redis/client.h"
#include "redis/reader.h"
#include "redis/redis_server.h"

#include <event2/event.h>
#include <stdarg.h>
#include <stdlib.h>

enum { REPLIES_MAX = 64, ANSWERS_MAX = 4000 };

typedef struct question {
    struct question *next;
    crawl_redis_done done;
    void *user;
    char command[12];
} question;

struct crawl_redis {
    void (*on_state)(void *user, crawl_redis_fault fault, const char *words);
    void *user;
    struct event *soon; /* calls on_state, then answers */
    bool is_up, is_joined;
    question *first, **last;
    bool is_good; /* answers like a server that has no crawl yet */
};

static crawl_redis_reply *replies[REPLIES_MAX];
static size_t reply_count, next_reply;

void shared_server_read(const uint8_t *data, size_t size)
{
    cw_redis_reader *reader = cw_redis_reader_create();
    reply_count = next_reply = 0;
    cw_redis_reader_feed(reader, data, size);
    while (reply_count < REPLIES_MAX && cw_redis_reader_next(reader, &replies[reply_count], NULL) == CRAWL_OK)
        reply_count++;
    cw_redis_reader_free(reader);
}

void shared_server_again(void)
{
    next_reply = 0;
}

void shared_server_free(void)
{
    for (size_t i = 0; i < reply_count; i++)
        cw_redis_reply_free(replies[i]);
}

/* Answers like a server without keys, as far as joining needs it. */
static void answer_well(crawl_redis *redis, question *q)
{
    crawl_redis_reply items[] = {{.type = CRAWL_REDIS_NUMBER, .number = 1},
                                 {.type = CRAWL_REDIS_TEXT, .text = crawl_slice_from("made")},
                                 {.type = CRAWL_REDIS_NUMBER, .number = 0}};
    crawl_redis_reply scanned[] = {{.type = CRAWL_REDIS_TEXT, .text = crawl_slice_from("0")},
                                   {.type = CRAWL_REDIS_ARRAY}};
    static const char policy[] = "maxmemory_policy:noeviction\r\n";
    crawl_redis_reply reply = {.type = CRAWL_REDIS_NIL};
    const crawl_redis_answer said = {.words = "", .reply = &reply};
    if (strcmp(q->command, "INFO") == 0) {
        reply.type = CRAWL_REDIS_TEXT;
        reply.text = crawl_slice_from(policy);
    } else if (strcmp(q->command, "EVALSHA") == 0 && !redis->is_joined) {
        redis->is_joined = true;
        reply = (crawl_redis_reply){.type = CRAWL_REDIS_ARRAY, .count = sizeof items / sizeof *items, .items = items};
    } else if (strcmp(q->command, "EVALSHA") == 0 || strcmp(q->command, "HSETNX") == 0) {
        reply.type = CRAWL_REDIS_NUMBER;
        reply.number = 1;
    } else if (strcmp(q->command, "HGETALL") == 0) {
        reply.type = CRAWL_REDIS_ARRAY;
    } else if (strcmp(q->command, "HSCAN") == 0) {
        reply = (crawl_redis_reply){.type = CRAWL_REDIS_ARRAY, .count = 2, .items = scanned};
    }
    q->done(q->user, &said);
}

static void answer_ill(question *q)
{
    const crawl_redis_reply *reply = reply_count ? replies[next_reply++ % reply_count] : NULL;
    crawl_redis_answer said = {.fault = CRAWL_REDIS_UNKNOWN, .words = ""};
    if (reply && reply->type == CRAWL_REDIS_ERROR)
        said = (crawl_redis_answer){.fault = cw_redis_fault_of(reply->text), .words = reply->text.data};
    else if (reply)
        said = (crawl_redis_answer){.words = "", .reply = reply};
    q->done(q->user, &said);
}

void shared_server_turns(crawl_redis *redis)
{
    redis->is_good = false;
}

bool shared_server_is_asked(const crawl_redis *redis)
{
    return redis->first != NULL;
}

/* Answers questions that an answer causes too, at most ANSWERS_MAX. */
void shared_server_answer(crawl_redis *redis)
{
    for (int i = 0; redis->first && i < ANSWERS_MAX; i++) {
        question *q = redis->first;
        redis->first = q->next;
        redis->last = redis->first ? redis->last : &redis->first;
        if (redis->is_good)
            answer_well(redis, q);
        else
            answer_ill(q);
        free(q);
    }
}

static void on_soon(evutil_socket_t, short, void *user)
{
    crawl_redis *redis = user;
    if (!redis->is_up)
        redis->on_state(redis->user, CRAWL_REDIS_OK, "");
    redis->is_up = true;
    shared_server_answer(redis);
}

/* ---- <crawl/sys/redis.h> and redis/client.h ---- */

crawl_err crawl_redis_open(const crawl_redis_options *options, crawl_redis **out, crawl_error *)
{
    crawl_redis *redis = calloc(1, sizeof *redis);
    *redis = (crawl_redis){.on_state = options->on_state, .user = options->user, .is_good = true};
    redis->last = &redis->first;
    redis->soon = options->base ? event_new(options->base, -1, 0, on_soon, redis) : NULL;
    if (redis->soon)
        event_active(redis->soon, 0, 0);
    *out = redis;
    return CRAWL_OK;
}

void crawl_redis_free(crawl_redis *redis)
{
    const crawl_redis_answer lost = {.fault = CRAWL_REDIS_UNSENT, .words = ""};
    for (question *q = redis->first, *next; q; q = next) {
        next = q->next;
        q->done(q->user, &lost);
        free(q);
    }
    if (redis->soon)
        event_free(redis->soon);
    free(redis);
}

crawl_err cw_redis_send_past(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                             void *user)
{
    question *q = calloc(1, sizeof *q);
    size_t size = arguments[0].size < sizeof q->command ? arguments[0].size : sizeof q->command - 1;
    (void)count;
    memcpy(q->command, arguments[0].data, size);
    q->done = done;
    q->user = user;
    *redis->last = q;
    redis->last = &q->next;
    if (redis->soon)
        event_active(redis->soon, 0, 0);
    return CRAWL_OK;
}

crawl_err crawl_redis_send(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                           void *user)
{
    return cw_redis_send_past(redis, arguments, count, done, user);
}

crawl_err crawl_redis_send_texts(crawl_redis *redis, crawl_redis_done done, void *user, ...)
{
    va_list list;
    va_start(list, user);
    crawl_slice command = crawl_slice_from(va_arg(list, const char *));
    va_end(list);
    return cw_redis_send_past(redis, &command, 1, done, user);
}

crawl_err cw_redis_send_each(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                             void *user, size_t *owed)
{
    ++*owed;
    return cw_redis_send_past(redis, arguments, count, done, user);
}

uint64_t cw_redis_losses(const crawl_redis *)
{
    return 0;
}

void cw_redis_watch(crawl_redis *)
{
}

uint64_t cw_redis_returns(const crawl_redis *, crawl_slice)
{
    return 0;
}

bool cw_redis_lacks_log(const crawl_redis *)
{
    return false;
}

bool cw_redis_is_cluster(const crawl_redis *)
{
    return false;
}

crawl_err crawl_redis_time(const crawl_redis *, int64_t now_us, int64_t *time_us, int64_t *bound_us)
{
    *time_us = now_us + (int64_t)1700000000 * 1000000;
    *bound_us = 10;
    return CRAWL_OK;
}
