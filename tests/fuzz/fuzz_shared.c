/* A crawl shared through a server that answers anything; the input is its answers (shared_server.h). Every call of the
 * protocol is made once. Then a frontier that joined on a good server continues on this one: it takes hosts, leases
 * requests, ends them, pushes others, and must be consistent after each turn. */
#include "shared/store/jars.h"
#include "shared/store/joint.h"
#include "shared/store/joint_crew.h"
#include "shared/store/joint_seeds.h"
#include "shared/store/joint_sessions.h"
#include "shared/store/look.h"
#include "shared/store/partitions.h"
#include "tests/fuzz/shared_server.h"
#include "tests/support/joint_check.h"

#include "base/clock.h"

#include <crawl/sys/shared_view.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TURNS = 6 };

/* ---- protocol ---- */

static void on_joined(void *, crawl_err err, const crawl_error *error, bool made)
{
    if (err && (made || !error || !*error->message))
        abort();
}

static void on_done(void *, crawl_redis_fault fault, const char *words)
{
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

static void on_fed(void *user, crawl_redis_fault fault, const char *, uint64_t feeders)
{
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

static void on_reported(void *user, const cw_shared_reported *said)
{
    size_t *sum = user;
    *sum += strlen(said->words) + said->was_forgotten + said->alive + said->idle;
    if (said->fault && said->was_forgotten)
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
    bool has_news = false;
    if (cw_shared_push(shared, requests, 2, fates, &has_news, on_done, NULL))
        abort();
    shared_server_answer(redis);
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
    shared_server_answer(redis);
    push_two(redis, shared);
    (void)cw_shared_take(shared, 0, 4, 32, 0, on_took, sum);
    (void)cw_shared_seek(shared, origin, 32, 0, on_took, sum);
    write_one(shared, sum);
    (void)cw_shared_renew(shared, &hold, 1, 0, on_done, NULL);
    (void)cw_shared_take_tickets(shared, &wish, on_tickets, sum);
    (void)cw_shared_stir(shared, &number, 1, on_done, NULL);
    (void)cw_shared_feed(shared, false, on_fed, sum);
    shared_server_answer(redis);
    (void)cw_shared_look_at(shared, CW_SHARED_END, on_look, sum);
    shared_server_answer(redis);
    (void)cw_shared_read_crew(shared, on_crew, sum);
    (void)cw_shared_report(shared, &(crawl_shared_report){.pages = 1}, (cw_shared_state){.has_told = true}, on_reported,
                           sum);
    shared_server_answer(redis);
}

static void view(crawl_redis *redis, size_t *sum)
{
    crawl_error error = {0};
    const crawl_shared_view_options options = {.size = sizeof options, .name = "n", .waiting = true, .check = true};
    if (crawl_shared_view(redis, &options, on_viewed, sum, &error))
        abort();
    shared_server_answer(redis);
}

static void find(crawl_redis *redis, size_t *sum)
{
    crawl_error error = {0};
    const crawl_fingerprint print = {{1}};
    const crawl_shared_filter filter = {.rate = 1e-4, .planned = 25600};
    if (crawl_shared_find(redis, "n", &filter, crawl_slice_from("http://a"), &print, on_found, sum, &error))
        abort();
    shared_server_answer(redis);
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
    shared_server_answer(redis);
    if (crawl_shared_cookies(redis, "n", on_cookie, on_end, sum, &error))
        abort();
    shared_server_answer(redis);
}

static void try_protocol(cw_shared_seen seen)
{
    crawl_redis *redis = NULL;
    cw_shared *shared = NULL;
    crawl_error error = {0};
    size_t sum = 0;
    (void)crawl_redis_open(&(crawl_redis_options){.size = sizeof(crawl_redis_options)}, &redis, &error);
    shared_server_turns(redis);
    const cw_shared_options options = {
        .redis = redis, .name = "n", .worker = "w", .seen = seen, .rate = 1e-4, .capacity = 25600, .lease_ms = 1000};
    if (cw_shared_create(&options, &shared, &error))
        abort();
    make_calls(redis, shared, &sum);
    shared_server_again();
    view(redis, &sum);
    shared_server_again();
    find(redis, &sum);
    shared_server_again();
    read_cookies(redis, shared, &sum);
    while (shared_server_is_asked(redis))
        shared_server_answer(redis);
    crawl_redis_free(redis);
    cw_shared_free(shared);
}

/* ---- frontier ---- */

/* Stops the frontier's thread, which has done nothing yet; the test makes its turns instead. */
static void end_thread(cw_joint *joint)
{
    uint64_t one = 1;
    atomic_store(&joint->thread.stopping, true);
    if (write(joint->thread.wake_fd, &one, sizeof one) != sizeof one)
        abort();
    pthread_join(joint->thread.id, NULL);
    joint->thread.has_begun = false;
    atomic_store(&joint->thread.stopping, false);
    joint->thread.has_begun = true; /* for code that asks whether the crawl is joined */
}

static void on_report(void *, crawl_shared_report *report)
{
    report->pages = 3;
}

static crawl_err cookie_host(void *, crawl_slice origin, char host[CRAWL_SHARED_HOST_MAX + 1], crawl_slice *site)
{
    if (origin.size < 7 || origin.size > CRAWL_SHARED_HOST_MAX)
        return CRAWL_EPARSE;
    memcpy(host, "www.shop.test", 14);
    *site = crawl_slice_from(host + 4);
    return CRAWL_OK;
}

static void on_cookies(void *, crawl_slice host, const crawl_shared_cookie *cookies, size_t count, int64_t)
{
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
    shared.on_report = replicas ? on_report : NULL; /* not set in one run, so that other calls get the same answers */
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
    shared_server_turns(joint->redis);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        use_leases(frontier, turn);
        joint->look->looked_us = joint->partitions->read_us = joint->partitions->told_us = joint->renewal->asked_us =
            0; /* so that everything is due */
        if (cookies)
            joint->jars->renewed_us = joint->jars->read_us = joint->jars->told_us = 0;
        joint->seeds->feeding = turn < TURNS / 2;
        cw_joint_turn(joint);
        shared_server_answer(joint->redis);
        joint->crew->told_us = joint->crew->read_us = 0;
        if (replicas && crawl_frontier_shared_crew(frontier, &crew) == CRAWL_OK)
            crawl_shared_crew_free(&crew);
        const char *broken = check_frontier(frontier, check_joint);
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
    shared_server_read(data, size);
    try_protocol(size % 2 ? CW_SHARED_EXACT : CW_SHARED_SCALABLE);
    shared_server_again();
    try_frontier(0, false);
    shared_server_again();
    try_frontier(2, false);
    shared_server_again();
    try_frontier(0, true);
    shared_server_free();
    return 0;
}
