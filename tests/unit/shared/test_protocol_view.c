/* A shared crawl seen from outside: its contents, their owners, and messages about unreadable data. */
#include "tests/unit/shared/protocol_help.h"

#include <crawl/sys/shared_view.h>

TestSuite(shared_view, .init = open_pair, .fini = close_pair);

typedef struct seen {
    struct event_base *base;
    void (*expect)(const crawl_shared_picture *picture);
    crawl_err err;
    crawl_error error;
} seen;

static void on_viewed(void *user, crawl_err err, const crawl_error *error, const crawl_shared_picture *picture)
{
    seen *s = user;
    s->err = err;
    if (error)
        s->error = *error;
    if (picture && s->expect)
        s->expect(picture);
    event_base_loopbreak(s->base);
}

static seen view_of(crawl_shared_view_options options, void (*expect)(const crawl_shared_picture *picture))
{
    seen s = {.base = pair.base, .expect = expect};
    options.name = "test";
    cr_assert_eq(crawl_shared_view(pair.b.redis, &options, on_viewed, &s, &s.error), CRAWL_OK);
    event_base_dispatch(pair.base);
    return s;
}

/* The requests of these tests are texts, not a frontier's. */
static void expect_unreadable(const crawl_shared_picture *picture, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < picture->violation_count; i++)
        found += strstr(picture->violations[i], "a request cannot be read") != NULL;
    cr_expect_eq(found, count);
}

static void expect_some(const crawl_shared_picture *picture)
{
    const crawl_shared_place *places = picture->places;
    cr_assert_eq(picture->place_count, 2);
    cr_expect_str_eq(places[0].origin.data, "had");
    cr_expect_str_eq(places[0].process.data, "a");
    cr_expect_eq(places[0].at_ms, START_MS + LEASE_MS);
    cr_expect_eq(places[0].ready, 2);
    cr_expect_eq(places[0].held, 1);
    cr_expect_str_eq(places[1].origin.data, "waits");
    cr_expect_eq(places[1].process.size, 0);
    cr_expect_eq(places[1].at_ms, START_MS + 5000);
    cr_expect_eq(places[1].delayed, 1);
    cr_assert_eq(picture->process_count, 2);
    cr_expect_str_eq(picture->processes[0].name.data, "a");
    cr_expect_eq(picture->processes[0].hosts, 1);
    cr_expect(picture->processes[0].is_feeding);
    cr_expect_gt(picture->processes[0].until_ms, START_MS);
    cr_expect_str_eq(picture->processes[1].name.data, "b");
    cr_expect_eq(picture->processes[1].hosts, 0);
    cr_expect_not(picture->processes[1].is_feeding);
    cr_expect_eq(picture->sum.queued, 3);
    cr_expect_eq(picture->sum.held, 1);
    cr_expect_eq(picture->parts[cw_shared_partition(crawl_slice_from("waits"))].queued, 1);
    cr_expect_eq(picture->filter.count, 4);
    cr_expect_eq(picture->filter.rate, 1e-6);
    cr_expect(picture->filter.rate_now < 1e-6 && picture->filter.lost < 4e-6 && picture->filter.fill > 0);
    cr_expect_geq(picture->filter.capacity, 200);
    expect_unreadable(picture, 4);
    cr_assert_eq(picture->decided_count, 5);
    cr_expect_str_eq(picture->decided[4].name.data, "order");
    cr_expect_str_eq(picture->decided[4].value.data, "bfs");
}

static void expect_no_waiting(const crawl_shared_picture *picture)
{
    cr_expect_eq(picture->place_count, 1);
    cr_expect_eq(picture->sum.waiting, 1);
}

static void expect_violation(const crawl_shared_picture *picture)
{
    size_t found = 0;
    expect_unreadable(picture, 4);
    for (size_t i = 0; i < picture->violation_count; i++)
        found += strstr(picture->violations[i], ": 2 requests are queued, and its figures say 77") != NULL;
    cr_expect_eq(found, 1);
}

Test(shared_view, shows_what_is_there)
{
    taken t = {0};
    char key[40];
    cr_assert_eq(join_as(&pair.a, "order", "bfs", true).err, CRAWL_OK);
    cr_assert_eq(join_as(&pair.b, "order", "bfs", false).err, CRAWL_OK);
    push_one(&pair.a, "had/1", 1);
    push_one(&pair.a, "had/2", 1);
    push_one(&pair.a, "had/3", 2);
    push_at(&pair.a, "waits/1", 1, START_MS + 5000);
    cr_assert(take_host(&pair.a, "had", 1, &t));
    (void)look_at(&pair.a);
    (void)look_at(&pair.b);
    cr_expect_eq(
        view_of((crawl_shared_view_options){.size = sizeof(crawl_shared_view_options), .waiting = true, .check = true},
                expect_some)
            .err,
        CRAWL_OK);
    cr_expect_eq(view_of((crawl_shared_view_options){.size = sizeof(crawl_shared_view_options)}, expect_no_waiting).err,
                 CRAWL_OK);
    snprintf(key, sizeof key, "{test:%u}:figures", cw_shared_partition(crawl_slice_from("had")));
    cr_assert_eq(crawl_redis_send_texts(pair.b.redis, NULL, NULL, "HSET", key, "queued", "77", NULL), CRAWL_OK);
    cr_expect_eq(
        view_of((crawl_shared_view_options){.size = sizeof(crawl_shared_view_options), .check = true}, expect_violation)
            .err,
        CRAWL_OK);
    crawl_buf_free(&t.items);
}

static void set(const char *command, const char *field, const char *value)
{
    cr_assert_eq(crawl_redis_send_texts(pair.b.redis, NULL, NULL, command, "{test}:crawl", field, value, NULL),
                 CRAWL_OK);
}

Test(shared_view, says_what_cannot_be_read)
{
    seen s = view_of((crawl_shared_view_options){.size = sizeof(crawl_shared_view_options)}, NULL);
    cr_expect_eq(s.err, CRAWL_ABSENT);
    cr_expect_str_eq(s.error.message, "there is no crawl of this name");
    set("HSET", "crawl.format", "77");
    s = view_of((crawl_shared_view_options){.size = sizeof(crawl_shared_view_options)}, NULL);
    cr_expect_eq(s.err, CRAWL_ECORRUPT);
    cr_expect_str_eq(s.error.message, "the crawl is of format 77, and this program has format 2");
    set("HDEL", "crawl.format", NULL);
    set("HSET", "another", "one");
    s = view_of((crawl_shared_view_options){.size = sizeof(crawl_shared_view_options)}, NULL);
    cr_expect_eq(s.err, CRAWL_ECORRUPT);
    cr_expect_str_eq(s.error.message, "a key of this name is another program's");
    set("DEL", NULL, NULL);
    set("SET", "text", NULL);
    cr_expect_eq(view_of((crawl_shared_view_options){.size = sizeof(crawl_shared_view_options)}, NULL).err,
                 CRAWL_ECORRUPT);
    crawl_error error = {0};
    const crawl_shared_view_options no_name = {.size = sizeof no_name, .name = "{"};
    cr_expect_eq(crawl_shared_view(pair.b.redis, &no_name, on_viewed, &s, &error), CRAWL_EINVAL);
}

/* ---- one request ---- */

typedef struct found_one {
    struct event_base *base;
    cw_shared_found found;
    char worker[20], bytes[20];
} found_one;

static void on_found(void *user, const cw_shared_found *found)
{
    found_one *one = user;
    cr_assert_eq(found->fault, CRAWL_REDIS_OK, "%s", found->words);
    one->found = *found;
    snprintf(one->worker, sizeof one->worker, "%.*s", (int)found->worker.size, found->worker.data);
    snprintf(one->bytes, sizeof one->bytes, "%.*s", (int)found->bytes.size, found->bytes.data);
    event_base_loopbreak(one->base);
}

static found_one find(worker *w, const char *url)
{
    found_one one = {.base = w->base};
    uint8_t print[CW_SHARED_PRINT];
    print_of(url, print);
    cr_assert_eq(
        cw_shared_find(w->shared, crawl_slice_of(url, strcspn(url, "/")), print, crawl_slice_from(url), on_found, &one),
        CRAWL_OK);
    event_base_dispatch(w->base);
    return one;
}

static void expect_at(worker *w, const char *url, cw_shared_where where, uint64_t before)
{
    found_one one = find(w, url);
    cr_expect(one.found.is_seen);
    cr_expect_eq(one.found.where, where, "%s", url);
    cr_expect_eq(one.found.before, before, "%s", url);
    cr_expect_str_eq(one.bytes, where == CW_SHARED_NOWHERE ? "" : url);
    cr_expect(one.found.is_whole);
}

static void expect_found(worker *w)
{
    taken t = {0};
    push_one(w, "host/late", 2);
    push_one(w, "host/first", 1);
    push_one(w, "host/second", 1);
    push_at(w, "host/dated", 1, START_MS + 5000);
    expect_at(w, "host/first", CW_SHARED_READY, 0);
    expect_at(w, "host/late", CW_SHARED_READY, 2);
    expect_at(w, "host/dated", CW_SHARED_DATED, 0);
    cr_expect_eq(find(w, "host/dated").found.at_ms, START_MS + 5000);
    cr_expect_eq(find(w, "host/new").found.is_seen, false);
    cr_expect_eq(find(w, "other/new").found.is_known, false);
    cr_assert(take_host(w, "host", 1, &t));
    expect_at(w, "host/first", CW_SHARED_HELD, 0);
    expect_at(w, "host/late", CW_SHARED_READY, 2);
    found_one one = find(w, "host/second");
    cr_expect(one.found.is_known);
    cr_expect_str_eq(one.worker, "a");
    cr_expect_eq(one.found.until_ms, START_MS + LEASE_MS);
    cw_shared_write write = write_of("host", &t);
    const cw_shared_change done = {.how = CW_SHARED_FINISHED, .id = t.first_id};
    write.changes = &done;
    write.change_count = 1;
    write.is_end = true;
    cr_assert(write_it(w, &write, &t));
    expect_at(w, "host/first", CW_SHARED_NOWHERE, 0);
    cr_expect_str_eq(find(w, "host/second").worker, "");
    expect_sound(w);
    crawl_buf_free(&t.items);
}

Test(shared_view, finds_a_request_wherever_it_is)
{
    cr_assert_eq(join_as(&pair.a, "order", "bfs", false).err, CRAWL_OK);
    expect_found(&pair.a);
    found_one one = find(&pair.a, "host/first");
    cr_expect_eq(one.found.link, 0);
    cr_expect_eq(one.found.links, 1);
    cr_expect(one.found.rate > 0 && one.found.rate < 1e-6, "%g", one.found.rate);
}

static void open_exact_pair(void)
{
    cw_shared_options options = worker_options("a");
    options.seen = CW_SHARED_EXACT;
    open_pair_with(options, options);
    cr_assert_eq(join_as(&pair.a, "order", "bfs", false).err, CRAWL_OK);
}

TestSuite(shared_view_exact, .init = open_exact_pair, .fini = close_pair);

Test(shared_view_exact, finds_a_request_of_an_exact_set)
{
    expect_found(&pair.a);
    cr_expect_eq(find(&pair.a, "host/first").found.rate, 0);
}
