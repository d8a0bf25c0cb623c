/* Shared by the tests of a shared crawl: a redis-server, workers with a connection each, and calls that run the loop
 * until their answer is there. */
#pragma once

#include "shared/protocol/protocol_state.h"
#include "tests/unit/redis/server_help.h"

#include <crawl/sys/shared_view.h>
#include <event2/event.h>

#define LEASE_MS 1000
#define START_MS 1000000000000 /* start time of tests */

typedef struct worker {
    struct event_base *base;
    crawl_redis_url url;
    crawl_redis *redis;
    cw_shared *shared;
} worker;

static inline cw_shared_options worker_options(const char *name)
{
    return (cw_shared_options){.name = "test", .worker = name, .rate = 1e-6, .capacity = 25600, .lease_ms = LEASE_MS};
}

static inline crawl_redis_url url_of(const server *s)
{
    char text[80];
    crawl_redis_url url;
    crawl_error error = {0};
    snprintf(text, sizeof text, "unix:%s", s->socket);
    cr_assert_eq(crawl_redis_url_parse(crawl_slice_from(text), (const char *const[]){NULL}, &url, &error), CRAWL_OK);
    return url;
}

static inline void start_worker(worker *w, struct event_base *base, const server *s, cw_shared_options options)
{
    crawl_error error = {0};
    *w = (worker){.base = base, .url = url_of(s)};
    const crawl_redis_options connection = {.size = sizeof connection, .base = base, .url = &w->url};
    cr_assert_eq(crawl_redis_open(&connection, &w->redis, &error), CRAWL_OK, "%s", error.message);
    options.redis = w->redis;
    cr_assert_eq(cw_shared_create(&options, &w->shared, &error), CRAWL_OK, "%s", error.message);
    w->shared->now_ms = START_MS;
}

static inline void stop_worker(worker *w)
{
    crawl_redis_free(w->redis);
    cw_shared_free(w->shared);
    crawl_redis_url_free(&w->url);
    *w = (worker){0};
}

static inline void stop_loop(struct event_base *base)
{
    event_base_loop(base, EVLOOP_NONBLOCK); /* libevent frees some things late */
    event_base_free(base);
}

/* ---- join ---- */

typedef struct joined {
    struct event_base *base;
    crawl_err err;
    crawl_error error;
    bool made;
} joined;

static inline void on_joined(void *user, crawl_err err, const crawl_error *error, bool made)
{
    joined *j = user;
    j->err = err;
    j->made = made;
    if (error)
        j->error = *error;
    event_base_loopbreak(j->base);
}

static inline joined join_as(worker *w, const char *name, const char *value, bool feeding)
{
    joined j = {.base = w->base};
    const cw_shared_choice choice = {.name = crawl_slice_from(name), .value = crawl_slice_from(value)};
    cr_assert_eq(cw_shared_join(w->shared, &choice, 1, feeding, on_joined, &j), CRAWL_OK);
    event_base_dispatch(w->base);
    return j;
}

/* ---- two workers ---- */

/* At one server, as most tests need them: init and fini of their suites. */
static struct pair {
    server server;
    struct event_base *base;
    worker a, b;
} pair;

static inline void open_pair_with(cw_shared_options of_a, cw_shared_options of_b)
{
    start_server(&pair.server);
    pair.base = event_base_new();
    start_worker(&pair.a, pair.base, &pair.server, of_a);
    start_worker(&pair.b, pair.base, &pair.server, of_b);
}

static inline void open_pair(void)
{
    open_pair_with(worker_options("a"), worker_options("b"));
}

static inline void open_joined_pair(void)
{
    open_pair();
    cr_assert_eq(join_as(&pair.a, "order", "bfs", false).err, CRAWL_OK);
}

static inline void close_pair(void)
{
    stop_worker(&pair.a);
    stop_worker(&pair.b);
    stop_loop(pair.base);
    stop_server(&pair.server);
}

static inline void set_now(int64_t after_ms)
{
    pair.a.shared->now_ms = START_MS + after_ms;
    pair.b.shared->now_ms = START_MS + after_ms;
}

/* ---- push ---- */

typedef struct answered {
    struct event_base *base;
    crawl_redis_fault fault;
    char words[200];
} answered;

static inline void on_answered(void *user, crawl_redis_fault fault, const char *words)
{
    answered *a = user;
    a->fault = fault;
    snprintf(a->words, sizeof a->words, "%s", words);
    event_base_loopbreak(a->base);
}

static inline void print_of(const char *url, uint8_t out[CW_SHARED_PRINT])
{
    for (uint32_t i = 0; i < CW_SHARED_PRINT / 4; i++) {
        uint32_t hash = 2166136261u + i * 0x9e3779b9u;
        for (const char *at = url; *at; at++)
            hash = (hash ^ (uint8_t)*at) * 16777619u;
        hash ^= hash >> 15;
        hash *= 0x2c1b3c6du;
        hash ^= hash >> 12;
        memcpy(out + 4 * i, &hash, 4);
    }
}

/* Pushes one request, whose bytes are its URL and whose host is the part before its first slash. *has_news: whether a
 * host has become available. */
static inline uint8_t push_with_news(worker *w, const char *url, uint64_t level, int64_t at_ms, bool *has_news)
{
    uint8_t print[CW_SHARED_PRINT];
    uint8_t fate = CW_SHARED_OWED;
    *has_news = false;
    answered a = {.base = w->base};
    print_of(url, print);
    const cw_shared_request request = {.origin = crawl_slice_of(url, strcspn(url, "/")),
                                       .print = print,
                                       .level = level,
                                       .at_ms = at_ms,
                                       .bytes = crawl_slice_from(url)};
    cr_assert_eq(cw_shared_push(w->shared, &request, 1, &fate, has_news, on_answered, &a), CRAWL_OK);
    event_base_dispatch(w->base);
    cr_assert_eq(a.fault, CRAWL_REDIS_OK, "%s", a.words);
    return fate;
}

static inline uint8_t push_at(worker *w, const char *url, uint64_t level, int64_t at_ms)
{
    bool has_news;
    return push_with_news(w, url, level, at_ms, &has_news);
}

static inline uint8_t push_one(worker *w, const char *url, uint64_t level)
{
    return push_at(w, url, level, 0);
}

/* ---- take and write ---- */

/* The contents of a session: its host, token and requests as text: "ID:BYTES ID:BYTES ". */
typedef struct taken {
    struct event_base *base;
    size_t count;
    int64_t next_ms, pause_ms, until_us;
    uint64_t token;
    uint64_t first_id;
    char record[256];
    crawl_buf items;
    bool is_stale;
} taken;

static inline void note_items(taken *t, const cw_shared_item *items, size_t count)
{
    crawl_buf_clear(&t->items);
    t->first_id = count ? items[0].id : 0;
    for (size_t i = 0; i < count; i++)
        crawl_buf_printf(&t->items, "%.*s ", (int)items[i].bytes.size, items[i].bytes.data);
    crawl_buf_append_text(&t->items, "");
}

static inline void on_taken(void *user, const cw_shared_taken *said)
{
    taken *t = user;
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    t->count = said->count;
    t->next_ms = said->next_ms;
    t->until_us = said->until_us;
    if (said->count) {
        t->token = said->sessions[0].token;
        t->pause_ms = said->sessions[0].pause_ms;
        snprintf(t->record, sizeof t->record, "%.*s", (int)said->sessions[0].record.size,
                 said->sessions[0].record.size ? said->sessions[0].record.data : "");
        note_items(t, said->sessions[0].items, said->sessions[0].item_count);
    }
    event_base_loopbreak(t->base);
}

/* Takes a session of this host, if available. The caller frees or reuses the items of *t. */
static inline bool take_host(worker *w, const char *origin, unsigned window, taken *t)
{
    unsigned partition = cw_shared_partition(crawl_slice_from(origin));
    t->base = w->base;
    cr_assert_eq(cw_shared_take(w->shared, partition, 1, window, 0, on_taken, t), CRAWL_OK);
    event_base_dispatch(w->base);
    return t->count > 0;
}

static inline void on_written(void *user, const cw_shared_written *said)
{
    taken *t = user;
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    t->is_stale = said->is_stale;
    note_items(t, said->items, said->item_count);
    event_base_loopbreak(t->base);
}

static inline cw_shared_write write_of(const char *origin, const taken *t)
{
    return (cw_shared_write){
        .origin = crawl_slice_from(origin), .token = t->token, .pause_ms = CW_SHARED_SAME, .open_ms = CW_SHARED_SAME};
}

/* Returns false if it was stale. */
static inline bool write_it(worker *w, const cw_shared_write *write, taken *t)
{
    t->base = w->base;
    cr_assert_eq(cw_shared_write_session(w->shared, write, on_written, t), CRAWL_OK);
    event_base_dispatch(w->base);
    return !t->is_stale;
}

/* ---- the whole crawl ---- */

typedef struct seen_whole {
    struct event_base *base;
    cw_shared_look look;
    void (*report)(void *user, const char *violation);
    size_t violations;
    uint64_t feeders;
} seen_whole;

static inline void on_look(void *user, const cw_shared_look *look)
{
    seen_whole *s = user;
    cr_assert_eq(look->fault, CRAWL_REDIS_OK, "%s", look->words);
    s->look = *look;
    event_base_loopbreak(s->base);
}

static inline cw_shared_look look_at(worker *w)
{
    seen_whole s = {.base = w->base};
    cr_assert_eq(cw_shared_look_at(w->shared, CW_SHARED_END, on_look, &s), CRAWL_OK);
    event_base_dispatch(w->base);
    return s.look;
}

static inline void on_violation(void *, const char *violation)
{
    cr_log_error("%s", violation);
}

/* Leaves out what is wrong with requests themselves: those of most tests are texts, not a frontier's. */
static inline void on_checked(void *user, crawl_err err, const crawl_error *error, const crawl_shared_picture *picture)
{
    seen_whole *s = user;
    cr_assert_eq(err, CRAWL_OK, "%s", error ? error->message : "");
    for (size_t i = 0; i < picture->violation_count; i++) {
        if (strstr(picture->violations[i], ": a request "))
            continue;
        s->report(NULL, picture->violations[i]);
        s->violations++;
    }
    event_base_loopbreak(s->base);
}

static inline size_t violations_of(worker *w, void (*report)(void *user, const char *violation))
{
    crawl_error error = {0};
    seen_whole s = {.base = w->base, .report = report};
    const crawl_shared_view_options options = {.size = sizeof options, .name = "test", .check = true};
    cr_assert_eq(crawl_shared_view(w->redis, &options, on_checked, &s, &error), CRAWL_OK);
    event_base_dispatch(w->base);
    return s.violations;
}

static inline void expect_sound(worker *w)
{
    cr_expect_eq(violations_of(w, on_violation), 0);
}

static inline void close_sound_pair(void)
{
    expect_sound(&pair.a);
    close_pair();
}
