/* A crawl that is shared through a server which answers whatever it likes. The input is what it says, one reply behind
 * the other in RESP: the first call is answered by the first reply, and so on, from the beginning again when all were
 * said. Every call of the protocol is made once. Then a frontier that has joined at a good server goes on at this one:
 * it takes hosts, leases requests, ends them, pushes others, and must be whole after each turn.
 *
 * The connection is a stand-in: the functions of <crawl/redis.h> that send are those of this file. */
#include "redis/client.h"
#include "redis/fault.h"
#include "redis/reader.h"
#include "shared/store/jars.h"
#include "shared/store/joint_crew.h"
#include "shared/store/joint_loop.h"
#include "shared/store/joint_seeds.h"
#include "shared/store/joint_sessions.h"
#include "shared/store/look.h"
#include "shared/store/partitions.h"

#include "base/clock.h"

#include <crawl/shared_view.h>
#include <event2/event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REPLIES_MAX = 64, TURNS = 6, ANSWERS_MAX = 4000 };

/* ---- the server ---- */

typedef struct question {
    struct question *next;
    crawl_redis_done done;
    void *user;
    char command[12];
} question;

struct crawl_redis {
    void (*on_state)(void *user, crawl_redis_fault fault, const char *words);
    void *user;
    struct event *soon; /* on_state, and then answers */
    bool is_up, is_joined;
    question *first, **last;
    bool is_good; /* it answers what a server that has no crawl yet would */
};

static crawl_redis_reply *replies[REPLIES_MAX];
static size_t reply_count, next_reply;

static void read_replies(const uint8_t *data, size_t size)
{
    cw_redis_reader *reader = cw_redis_reader_create();
    reply_count = next_reply = 0;
    cw_redis_reader_feed(reader, data, size);
    while (reply_count < REPLIES_MAX && cw_redis_reader_next(reader, &replies[reply_count], NULL) == CRAWL_OK)
        reply_count++;
    cw_redis_reader_free(reader);
}

static void free_replies(void)
{
    for (size_t i = 0; i < reply_count; i++)
        cw_redis_reply_free(replies[i]);
}

/* Of a server without keys, as far as joining goes. */
static void answer_well(crawl_redis *redis, question *q)
{
    crawl_redis_reply items[] = {{.type = CRAWL_REDIS_NUMBER, .number = 1},
                                 {.type = CRAWL_REDIS_TEXT, .text = crawl_slice_from("made")},
                                 {.type = CRAWL_REDIS_NUMBER, .number = 0}};
    static const char policy[] = "maxmemory_policy:noeviction\r\n";
    crawl_redis_reply reply = {.type = CRAWL_REDIS_NIL};
    const crawl_redis_answer said = {.words = "", .reply = &reply};
    if (strcmp(q->command, "INFO") == 0) {
        reply.type = CRAWL_REDIS_TEXT;
        reply.text = crawl_slice_from(policy);
    } else if (strcmp(q->command, "EVALSHA") == 0 && !redis->is_joined) {
        redis->is_joined = true;
        reply = (crawl_redis_reply){.type = CRAWL_REDIS_ARRAY, .count = sizeof items / sizeof *items, .items = items};
    } else if (strcmp(q->command, "EVALSHA") == 0) {
        reply.type = CRAWL_REDIS_NUMBER;
        reply.number = 1;
    } else if (strcmp(q->command, "HGETALL") == 0) {
        reply.type = CRAWL_REDIS_ARRAY;
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

/* What an answer asks in its turn is answered as well, up to so many. */
static void answer_all(crawl_redis *redis)
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

static void on_soon(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    crawl_redis *redis = user;
    if (!redis->is_up)
        redis->on_state(redis->user, CRAWL_REDIS_OK, "");
    redis->is_up = true;
    answer_all(redis);
}

/* ---- <crawl/redis.h> ---- */

crawl_err crawl_redis_open(const crawl_redis_options *options, crawl_redis **out, crawl_error *error)
{
    (void)error;
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

uint64_t cw_redis_losses(const crawl_redis *redis)
{
    (void)redis;
    return 0;
}

void cw_redis_watch(crawl_redis *redis)
{
    (void)redis;
}

uint64_t cw_redis_returns(const crawl_redis *redis, crawl_slice key)
{
    (void)redis;
    (void)key;
    return 0;
}

bool cw_redis_lacks_log(const crawl_redis *redis)
{
    (void)redis;
    return false;
}

bool cw_redis_is_cluster(const crawl_redis *redis)
{
    (void)redis;
    return false;
}

crawl_err crawl_redis_time(const crawl_redis *redis, int64_t now_us, int64_t *time_us, int64_t *bound_us)
{
    (void)redis;
    *time_us = now_us + (int64_t)1700000000 * 1000000;
    *bound_us = 10;
    return CRAWL_OK;
}

/* ---- the protocol ---- */

static void on_joined(void *user, crawl_err err, const crawl_error *error, bool made)
{
    (void)user;
    if (err && (made || !error || !*error->message))
        abort();
}

static void on_done(void *user, crawl_redis_fault fault, const char *words)
{
    (void)user;
    if (!fault != !words[0] && !fault)
        abort();
}

static void on_took(void *user, const cw_shared_taken *taken)
{
    size_t *sum = user;
    for (size_t i = 0; i < taken->count; i++)
        for (size_t j = 0; j < taken->sessions[i].item_count; j++)
            for (size_t k = 0; k < taken->sessions[i].items[j].bytes.size; k++)
                *sum += (unsigned char)taken->sessions[i].items[j].bytes.data[k];
}

static void on_wrote(void *user, const cw_shared_written *written)
{
    size_t *sum = user;
    *sum += written->item_count;
}

static void on_tickets(void *user, const cw_shared_tickets *tickets)
{
    size_t *sum = user;
    *sum += tickets->fault ? 0 : (size_t)tickets->had;
}

static void on_fed(void *user, crawl_redis_fault fault, const char *words, uint64_t feeders)
{
    (void)words;
    size_t *sum = user;
    *sum += fault ? 0 : (size_t)feeders;
}

static void on_look(void *user, const cw_shared_look *look)
{
    size_t *sum = user;
    *sum += (size_t)look->figures.queued;
    if (look->fault && look->is_drained)
        abort();
}

static void on_violation(void *user, const char *violation)
{
    size_t *sum = user;
    *sum += strlen(violation);
}

static void on_checked(void *user, crawl_redis_fault fault, const char *words, size_t violations)
{
    size_t *sum = user;
    (void)fault;
    *sum += strlen(words) + violations;
}

static void on_reported(void *user, crawl_redis_fault fault, const char *words, bool was_forgotten)
{
    size_t *sum = user;
    *sum += strlen(words) + was_forgotten;
    if (fault && was_forgotten)
        abort();
}

static size_t size_of_crew(const crawl_shared_crew *crew)
{
    size_t sum = 0;
    for (size_t i = 0; i < crew->process_count; i++)
        sum += strlen(crew->processes[i].name.data) + strlen(crew->processes[i].report.version);
    return sum;
}

static void on_crew(void *user, crawl_redis_fault fault, const char *words, crawl_shared_crew *crew)
{
    size_t *sum = user;
    *sum += strlen(words);
    if (!fault != (crew != NULL))
        abort();
    if (crew)
        *sum += size_of_crew(crew);
    crawl_shared_crew_free(crew);
}

static void on_viewed(void *user, crawl_err err, const crawl_error *error, const crawl_shared_picture *picture)
{
    size_t *sum = user;
    if (err && !error)
        abort();
    for (size_t i = 0; !err && i < picture->place_count; i++)
        *sum += strlen(picture->places[i].origin.data);
    for (size_t i = 0; !err && i < picture->process_count; i++)
        *sum += strlen(picture->processes[i].name.data);
}

static void on_found(void *user, crawl_err err, const crawl_error *error, const crawl_shared_found *found)
{
    size_t *sum = user;
    if (err ? !*error->message : !found)
        abort();
    *sum += err ? 0 : found->request.url.size + found->note.size;
}

static void on_jars(void *user, const cw_shared_jars *said)
{
    size_t *sum = user;
    for (size_t i = 0; i < said->count; i++)
        for (size_t j = 0; j < said->jars[i].count; j++)
            for (size_t k = 0; k < said->jars[i].cookies[j].value.size; k++)
                *sum += (unsigned char)said->jars[i].cookies[j].value.data[k];
}

static void on_cookie(void *user, const crawl_shared_cookie *cookie)
{
    size_t *sum = user;
    *sum += cookie->host.size + (unsigned char)*cookie->id.data;
}

static void on_end(void *user, crawl_err err, const crawl_error *error)
{
    size_t *sum = user;
    *sum += err ? strlen(error->message) : 0;
}

static void push_two(crawl_redis *redis, cw_shared *shared)
{
    static const uint8_t print[CW_SHARED_PRINT] = {1};
    uint8_t fates[2] = {CW_SHARED_OWED, CW_SHARED_OWED};
    const cw_shared_request one = {
        .origin = crawl_slice_from("http://a"), .print = print, .bytes = crawl_slice_from("x")};
    const cw_shared_request requests[2] = {one, one};
    if (cw_shared_push(shared, requests, 2, fates, on_done, NULL))
        abort();
    answer_all(redis);
    for (size_t i = 0; i < 2; i++)
        if (fates[i] > CW_SHARED_NO_ROOM)
            abort();
}

static void write_one(cw_shared *shared, size_t *sum)
{
    const cw_shared_change change = {.how = CW_SHARED_FINISHED, .id = 1};
    const cw_shared_write write = {.origin = crawl_slice_from("http://a"),
                                   .token = 1,
                                   .pause_ms = CW_SHARED_SAME,
                                   .open_ms = CW_SHARED_SAME,
                                   .changes = &change,
                                   .change_count = 1,
                                   .more = 5};
    if (cw_shared_write_session(shared, &write, on_wrote, sum))
        abort();
}

static void make_calls(crawl_redis *redis, cw_shared *shared, size_t *sum)
{
    const crawl_slice origin = crawl_slice_from("http://a");
    const cw_shared_wish wish = {.limit = 10, .wanted = 1};
    const unsigned number = 3;
    cw_shared_hold hold = {.origin = origin, .token = 1};
    const cw_shared_choice choice = {crawl_slice_from("depth"), crawl_slice_from("1")};
    (void)cw_shared_join(shared, &choice, 1, true, on_joined, NULL);
    answer_all(redis);
    push_two(redis, shared);
    (void)cw_shared_take(shared, 0, 4, 32, 0, on_took, sum);
    (void)cw_shared_seek(shared, origin, 32, 0, on_took, sum);
    write_one(shared, sum);
    (void)cw_shared_renew(shared, &hold, 1, 0, on_done, NULL);
    (void)cw_shared_take_tickets(shared, &wish, on_tickets, sum);
    (void)cw_shared_stir(shared, &number, 1, on_done, NULL);
    (void)cw_shared_feed(shared, false, on_fed, sum);
    answer_all(redis);
    (void)cw_shared_look_at(shared, true, on_look, sum);
    answer_all(redis);
    (void)cw_shared_check(shared, on_violation, on_checked, sum);
    answer_all(redis);
    (void)cw_shared_read_crew(shared, on_crew, sum);
    (void)cw_shared_report(shared, &(crawl_shared_report){.pages = 1}, true, false, on_reported, sum);
    answer_all(redis);
}

static void view(crawl_redis *redis, size_t *sum)
{
    crawl_error error = {0};
    const crawl_shared_view_options options = {.size = sizeof options, .name = "n", .waiting = true, .check = true};
    if (crawl_shared_view(redis, &options, on_viewed, sum, &error))
        abort();
    answer_all(redis);
}

static void find(crawl_redis *redis, size_t *sum)
{
    crawl_error error = {0};
    const crawl_fingerprint print = {{1}};
    const crawl_shared_filter filter = {.rate = 1e-4, .planned = 25600};
    if (crawl_shared_find(redis, "n", &filter, crawl_slice_from("http://a"), &print, on_found, sum, &error))
        abort();
    answer_all(redis);
}

static void read_cookies(crawl_redis *redis, cw_shared *shared, size_t *sum)
{
    crawl_error error = {0};
    crawl_slice host = crawl_slice_from("shop.test");
    const cw_shared_jar known = {.host = host};
    const crawl_shared_cookie cookie = {.host = host, .id = crawl_slice_from("h/"), .set_ms = 1};
    if (cw_shared_tell_cookies(shared, host, 1000, &known, 1, &cookie, 1, on_jars, sum) ||
        cw_shared_all_cookies(shared, 7, on_jars, sum))
        abort();
    answer_all(redis);
    if (crawl_shared_cookies(redis, "n", on_cookie, on_end, sum, &error))
        abort();
    answer_all(redis);
}

static void try_protocol(cw_shared_seen seen)
{
    crawl_redis *redis = NULL;
    cw_shared *shared = NULL;
    crawl_error error = {0};
    size_t sum = 0;
    (void)crawl_redis_open(&(crawl_redis_options){.size = sizeof(crawl_redis_options)}, &redis, &error);
    redis->is_good = false;
    const cw_shared_options options = {
        .redis = redis, .name = "n", .worker = "w", .seen = seen, .rate = 1e-4, .capacity = 25600, .lease_ms = 1000};
    if (cw_shared_create(&options, &shared, &error))
        abort();
    make_calls(redis, shared, &sum);
    next_reply = 0;
    view(redis, &sum);
    next_reply = 0;
    find(redis, &sum);
    next_reply = 0;
    read_cookies(redis, shared, &sum);
    while (redis->first)
        answer_all(redis);
    crawl_redis_free(redis);
    cw_shared_free(shared);
}

/* ---- the frontier ---- */

/* The thread, which took no part yet, is sent home; its turns are made here. */
static void end_thread(cw_joint *joint)
{
    uint64_t one = 1;
    atomic_store(&joint->thread.stopping, true);
    if (write(joint->thread.wake_fd, &one, sizeof one) != sizeof one)
        abort();
    pthread_join(joint->thread.id, NULL);
    joint->thread.has_begun = false;
    atomic_store(&joint->thread.stopping, false);
    joint->thread.has_begun = true; /* for what asks whether the crawl is joined */
}

static void on_report(void *user, crawl_shared_report *report)
{
    (void)user;
    report->pages = 3;
}

static crawl_err cookie_host(void *user, crawl_slice origin, char host[CRAWL_SHARED_HOST_MAX + 1], crawl_slice *site)
{
    (void)user;
    if (origin.size < 7 || origin.size > CRAWL_SHARED_HOST_MAX)
        return CRAWL_EPARSE;
    memcpy(host, "www.shop.test", 14);
    *site = crawl_slice_from(host + 4);
    return CRAWL_OK;
}

static void on_cookies(void *user, crawl_slice host, const crawl_shared_cookie *cookies, size_t count, int64_t as_of_ms)
{
    (void)user;
    (void)as_of_ms;
    for (size_t i = 0; i < count; i++)
        if (!cookies[i].id.size || !host.size)
            abort();
}

static crawl_frontier *join(unsigned replicas, bool cookies)
{
    crawl_frontier *frontier = NULL;
    crawl_shared_options shared;
    crawl_frontier_options options;
    crawl_shared_options_init(&shared, sizeof shared);
    crawl_frontier_options_init(&options, sizeof options);
    crawl_redis_url url = {.host = (char[]){"here"}, .port = 1};
    shared.url = &url;
    shared.name = shared.worker = "n";
    shared.remembers = 1 << 8;
    shared.replicas = replicas;
    shared.on_report = replicas ? on_report : NULL; /* without it once, so that other calls get the same answers */
    shared.cookie_host = cookies ? cookie_host : NULL;
    shared.on_cookies = on_cookies;
    options.confirm_start = true;
    options.pause_ms = 0;
    if (crawl_frontier_join(&shared, &options, &frontier, NULL, NULL))
        abort();
    return frontier;
}

static void use_leases(crawl_frontier *frontier, unsigned turn)
{
    static const crawl_outcome outcomes[] = {CRAWL_DONE_FINISHED, CRAWL_DONE_RETRY, CRAWL_DONE_RETURN};
    int64_t now = cw_clock_ms(CLOCK_BOOTTIME);
    crawl_lease lease;
    for (unsigned i = 0; i < 4 && crawl_frontier_pop(frontier, now, &lease, NULL) == CRAWL_OK; i++) {
        (void)crawl_frontier_start(frontier, lease.id, now);
        (void)crawl_frontier_note_set(frontier, lease.origin, crawl_slice_from("note"));
        crawl_shared_cookie cookie = {.site = crawl_slice_from("shop.test"),
                                      .host = crawl_slice_from("shop.test"),
                                      .id = crawl_slice_of("h/\0abc", 3 + turn % 4),
                                      .flags = turn % 2 ? CRAWL_SHARED_COOKIE_DELETED : 0};
        (void)crawl_frontier_shared_cookie(frontier, i ? lease.origin : (crawl_slice){0}, 0, &cookie, i == 2);
        (void)crawl_frontier_done(frontier, lease.id, outcomes[(turn + i) % 3], now + 100000 * (turn % 2), now);
    }
    crawl_request request = {.url = crawl_slice_from("http://a/")};
    request.fingerprint.bytes[0] = (uint8_t)turn;
    (void)crawl_frontier_push(frontier, &request, 1, crawl_slice_from("http://from/"), NULL, NULL, now);
    (void)crawl_frontier_note_set(frontier, crawl_slice_from("#n"), crawl_slice_from("x"));
}

static void try_frontier(unsigned replicas, bool cookies)
{
    crawl_frontier *frontier = join(replicas, cookies);
    cw_joint *joint = cw_joint_of(frontier);
    crawl_shared_crew crew;
    end_thread(joint);
    joint->redis->is_good = false;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        use_leases(frontier, turn);
        joint->look->looked_us = joint->partitions->read_us = joint->partitions->told_us = joint->renewal->asked_us =
            0; /* all are due */
        if (cookies)
            joint->jars->renewed_us = joint->jars->read_us = joint->jars->told_us = 0;
        joint->seeds->feeding = turn < TURNS / 2;
        cw_joint_turn(joint);
        answer_all(joint->redis);
        joint->crew->told_us = joint->crew->read_us = 0;
        if (replicas && crawl_frontier_shared_crew(frontier, &crew) == CRAWL_OK)
            crawl_shared_crew_free(&crew);
        const char *broken = cw_frontier_check(frontier);
        if (broken) {
            fprintf(stderr, "turn %u: %s\n", turn, broken);
            abort();
        }
    }
    joint->thread.has_begun = false;
    crawl_frontier_free(frontier);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 14)
        return 0;
    read_replies(data, size);
    try_protocol(size % 2 ? CW_SHARED_EXACT : CW_SHARED_SCALABLE);
    next_reply = 0;
    try_frontier(0, false);
    next_reply = 0;
    try_frontier(2, false);
    next_reply = 0;
    try_frontier(0, true);
    free_replies();
    return 0;
}
