/* A shared crawl: each guarantee alone, with a real redis-server, at times set by the test. */
#include "tests/unit/shared/protocol_help.h"

TestSuite(shared, .init = open_joined_pair, .fini = close_pair);

static void ask(worker *w, crawl_redis_done done, void *user, const char *a, const char *b, const char *c)
{
    cr_assert_eq(crawl_redis_send_texts(w->redis, done, user, a, b, c, NULL), CRAWL_OK);
    event_base_dispatch(w->base);
}

static void on_any(void *user, const crawl_redis_answer *said)
{
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    event_base_loopbreak(user);
}

Test(shared, is_made_once_and_joined_with_the_same_choices_alone)
{
    joined j = join_as(&pair.b, "order", "bfs", false);
    cr_expect_eq(j.err, CRAWL_OK, "%s", j.error.message);
    cr_expect_not(j.made);
    j = join_as(&pair.b, "order", "best", false);
    cr_expect_eq(j.err, CRAWL_EINVAL);
    cr_expect_str_eq(j.error.message, "the crawl was made with order = \"bfs\", not \"best\"");
    stop_worker(&pair.b);
    cw_shared_options options = worker_options("b");
    options.seen = CW_SHARED_EXACT;
    start_worker(&pair.b, pair.base, &pair.server, options);
    j = join_as(&pair.b, "order", "bfs", false);
    cr_expect_eq(j.err, CRAWL_EINVAL);
    cr_expect_str_eq(
        j.error.message,
        "the crawl was made with crawl.seen = \"scalable\", not \"exact\"; crawl.seen.rate = \"1e-06\", not "
        "\"0\"; crawl.seen.capacity = \"25600\", not \"0\"");
}

Test(shared, refuses_other_formats_and_other_programs_keys)
{
    cr_assert_eq(
        crawl_redis_send_texts(pair.a.redis, on_any, pair.base, "HSET", "{test}:crawl", "crawl.format", "7", NULL),
        CRAWL_OK);
    event_base_dispatch(pair.base);
    joined j = join_as(&pair.b, "order", "bfs", false);
    cr_expect_eq(j.err, CRAWL_ECORRUPT);
    cr_expect_str_eq(j.error.message, "the crawl is of format 7, and this program has format 2");
    ask(&pair.a, on_any, pair.base, "HDEL", "{test}:crawl", "crawl.format");
    j = join_as(&pair.b, "order", "bfs", false);
    cr_expect_eq(j.err, CRAWL_ECORRUPT);
    cr_expect_str_eq(j.error.message, "a key of this name is another program's");
    ask(&pair.a, on_any, pair.base, "SET", "{test}:crawl", "x");
    j = join_as(&pair.b, "order", "bfs", false);
    cr_expect_eq(j.err, CRAWL_ECORRUPT);
    cr_expect_str_eq(j.error.message, "a key of this name is another program's");
}

Test(shared, refuses_a_server_that_drops_keys)
{
    cr_assert_eq(crawl_redis_send_texts(pair.a.redis, on_any, pair.base, "CONFIG", "SET", "maxmemory-policy",
                                        "allkeys-lru", NULL),
                 CRAWL_OK);
    event_base_dispatch(pair.base);
    joined j = join_as(&pair.b, "order", "bfs", false);
    cr_expect_eq(j.err, CRAWL_EINVAL);
    cr_expect_str_eq(j.error.message,
                     "the server drops keys when its memory is full (maxmemory-policy allkeys-lru): set it to "
                     "noeviction");
}

Test(shared, options_out_of_their_range_are_refused)
{
    cw_shared *shared;
    crawl_error error = {0};
    cw_shared_options options = worker_options("w");
    static const char *const names[] = {"", "a{b", "a\x7f", "a:0", "a:7", "a:255", "a:b:255"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        options.name = names[i];
        cr_expect_eq(cw_shared_create(&options, &shared, &error), CRAWL_EINVAL, "%s", names[i]);
    }
    cr_expect_str_eq(error.message, "the name of a shared crawl cannot end in a colon and a number up to 255: a:b:255");
    options = worker_options("");
    cr_expect_eq(cw_shared_create(&options, &shared, &error), CRAWL_EINVAL);
    options = worker_options("w");
    options.rate = 0;
    cr_expect_eq(cw_shared_create(&options, &shared, &error), CRAWL_EINVAL);
    options = worker_options("w");
    options.lease_ms = 99;
    cr_expect_eq(cw_shared_create(&options, &shared, &error), CRAWL_EINVAL);
}

Test(shared, names_with_colons)
{
    cw_shared *shared;
    crawl_error error = {0};
    cw_shared_options options = worker_options("w");
    options.redis = pair.a.redis;
    static const char *const names[] = {"a:b", "a:256", "a:1000", "a:7b", "a:07", "a:00", "a:", "7", "a:7:b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        options.name = names[i];
        cr_assert_eq(cw_shared_create(&options, &shared, &error), CRAWL_OK, "%s", error.message);
        cw_shared_free(shared);
    }
}

Test(shared, a_host_is_one_workers_and_its_requests_come_in_order)
{
    taken t = {0};
    cr_expect_eq(push_one(&pair.a, "h/deep", 2), CW_SHARED_QUEUED);
    cr_expect_eq(push_one(&pair.b, "h/1", 1), CW_SHARED_QUEUED);
    cr_expect_eq(push_one(&pair.a, "h/2", 1), CW_SHARED_QUEUED);
    cr_expect_eq(push_one(&pair.a, "h/1", 1), CW_SHARED_WAS_SEEN);
    cr_assert(take_host(&pair.a, "h", 2, &t));
    cr_expect_str_eq(t.items.data, "h/1 h/2 ");
    taken other = {0};
    cr_expect_not(take_host(&pair.b, "h", 2, &other));
    cr_expect_eq(other.next_ms, START_MS + LEASE_MS);
    expect_sound(&pair.a);

    const cw_shared_change done = {.how = CW_SHARED_FINISHED, .id = t.first_id};
    cw_shared_write write = write_of("h", &t);
    write.changes = &done;
    write.change_count = 1;
    write.more = 5;
    cr_assert(write_it(&pair.a, &write, &t));
    cr_expect_str_eq(t.items.data, "h/deep ");

    write = write_of("h", &t);
    write.is_end = true;
    cr_assert(write_it(&pair.a, &write, &t));
    expect_sound(&pair.a);
    cr_assert(take_host(&pair.b, "h", 9, &t));
    cr_expect_str_eq(t.items.data, "h/2 h/deep ", "%s", t.items.data);
    crawl_buf_free(&t.items);
    crawl_buf_free(&other.items);
}

static void open_newest_first(void)
{
    cw_shared_options options = worker_options("a");
    options.newest_first = true;
    open_pair_with(options, worker_options("b"));
    cr_assert_eq(join_as(&pair.a, "order", "bfs", false).err, CRAWL_OK);
}

TestSuite(shared_newest, .init = open_newest_first, .fini = close_pair);

/* Requests of one push in their order, before those of earlier pushes. */
Test(shared_newest, the_newest_go_first_where_that_is_wanted)
{
    taken t = {0};
    uint8_t prints[2][CW_SHARED_PRINT];
    uint8_t fates[2] = {CW_SHARED_OWED, CW_SHARED_OWED};
    cw_shared_request two[2];
    static const char *const urls[] = {"h/3", "h/4"};
    push_at(&pair.a, "h/other level", 1, 0);
    push_one(&pair.a, "h/1", 2);
    push_one(&pair.a, "h/2", 2);
    for (size_t i = 0; i < 2; i++) {
        print_of(urls[i], prints[i]);
        two[i] = (cw_shared_request){
            .origin = crawl_slice_from("h"), .print = prints[i], .level = 2, .bytes = crawl_slice_from(urls[i])};
    }
    answered a = {.base = pair.base};
    bool has_news = false;
    cr_assert_eq(cw_shared_push(pair.a.shared, two, 2, fates, &has_news, on_answered, &a), CRAWL_OK);
    event_base_dispatch(pair.base);
    cr_expect_not(has_news, "the host had requests");
    cr_assert(take_host(&pair.a, "h", 4, &t));
    cr_expect_str_eq(t.items.data, "h/other level h/3 h/4 h/2 ");
    cw_shared_write write = write_of("h", &t);
    write.is_end = true;
    cr_assert(write_it(&pair.a, &write, &t));
    push_one(&pair.a, "h/5", 2);
    cr_assert(take_host(&pair.a, "h", 9, &t));
    cr_expect_str_eq(t.items.data, "h/other level h/5 h/3 h/4 h/2 h/1 ", "%s", t.items.data);
    expect_sound(&pair.a);
    crawl_buf_free(&t.items);
}

Test(shared, what_comes_back_keeps_its_place_or_waits_for_its_date)
{
    taken t = {0};
    push_one(&pair.a, "h/1", 1);
    push_one(&pair.a, "h/2", 1);
    push_one(&pair.a, "h/3", 1);
    push_one(&pair.a, "h/4", 1);
    push_at(&pair.a, "h/5", 1, START_MS + 700);
    cr_assert(take_host(&pair.a, "h", 3, &t));
    const cw_shared_change changes[] = {
        {.how = CW_SHARED_BACK, .id = t.first_id + 1},
        {.how = CW_SHARED_BACK, .id = t.first_id, .at_ms = START_MS + 500},
        {.how = CW_SHARED_AGAIN, .id = t.first_id + 2, .bytes = crawl_slice_from("h/new"), .level = 1},
    };
    cw_shared_write write = write_of("h", &t);
    write.changes = changes;
    write.change_count = 3;
    write.more = 9;
    cr_assert(write_it(&pair.a, &write, &t));
    cr_expect_str_eq(t.items.data, "h/2 h/new h/4 ", "%s", t.items.data);
    expect_sound(&pair.a);
    set_now(800);
    write = write_of("h", &t);
    write.more = 9;
    cr_assert(write_it(&pair.a, &write, &t));
    cr_expect_str_eq(t.items.data, "h/1 h/5 ", "%s", t.items.data);
    write.more = 0;
    write.is_end = true;
    cr_assert(write_it(&pair.a, &write, &t));
    expect_sound(&pair.a);
    crawl_buf_free(&t.items);
}

Test(shared, a_host_whose_worker_died_is_taken_over_after_the_lease_and_its_pause)
{
    taken t = {0};
    taken other = {0};
    const crawl_slice record = crawl_slice_from("robots");
    push_one(&pair.a, "h/1", 1);
    push_one(&pair.a, "h/2", 1);
    cr_assert(take_host(&pair.a, "h", 9, &t));
    cw_shared_write write = write_of("h", &t);
    write.pause_ms = 300;
    write.record = &record;
    cr_assert(write_it(&pair.a, &write, &t));
    set_now(LEASE_MS - 1);
    cr_expect_not(take_host(&pair.b, "h", 9, &other));
    set_now(LEASE_MS); /* the session ends, and the pause begins */
    cr_expect_not(take_host(&pair.b, "h", 9, &other));
    cr_expect_eq(other.next_ms, START_MS + LEASE_MS + 300);
    expect_sound(&pair.a);
    set_now(LEASE_MS + 300);
    cr_assert(take_host(&pair.b, "h", 9, &other));
    cr_expect_str_eq(other.items.data, "h/1 h/2 ");
    cr_expect_str_eq(other.record, "robots");
    cr_expect_eq(other.pause_ms, 300);
    cr_expect_gt(other.token, t.token);

    /* The first worker wakes up: everything that it writes is refused. */
    const crawl_slice wrong = crawl_slice_from("wrong");
    const cw_shared_change done = {.how = CW_SHARED_FINISHED, .id = other.first_id};
    write = write_of("h", &t);
    write.changes = &done;
    write.change_count = 1;
    write.record = &wrong;
    write.is_end = true;
    cr_expect_not(write_it(&pair.a, &write, &t));
    cw_shared_look look = look_at(&pair.a);
    cr_expect_eq(look.figures.stale, 1);
    cr_expect_eq(look.figures.lost, 1);
    cr_expect_eq(look.figures.held, 2);
    write = write_of("h", &other);
    write.is_end = true;
    cr_expect(write_it(&pair.b, &write, &other));
    cr_assert(take_host(&pair.b, "h", 9, &other));
    cr_expect_str_eq(other.record, "robots");
    crawl_buf_free(&t.items);
    crawl_buf_free(&other.items);
}

Test(shared, a_heartbeat_moves_the_deadline_of_sessions_that_are_still_its_workers)
{
    enum { NOW_US = 5000000 };
    taken t = {0};
    taken other = {0};
    push_one(&pair.a, "h/1", 1);
    push_one(&pair.a, "other/1", 1);
    cr_assert(take_host(&pair.a, "h", 9, &t));
    cr_expect_eq(t.until_us, LEASE_MS * 900); /* before the deadline, which is computed from a later time */
    cw_shared_hold holds[] = {
        {.origin = crawl_slice_from("h"), .token = t.token},
        {.origin = crawl_slice_from("other"), .token = 77},
    };
    answered a = {.base = pair.base};
    set_now(900);
    cr_assert_eq(cw_shared_renew(pair.a.shared, holds, 2, NOW_US, on_answered, &a), CRAWL_OK);
    event_base_dispatch(pair.base);
    cr_assert_eq(a.fault, CRAWL_REDIS_OK, "%s", a.words);
    cr_expect_not(holds[0].is_lost);
    cr_expect_eq(holds[0].until_us, NOW_US + LEASE_MS * 900);
    cr_expect(holds[1].is_lost);
    set_now(900 + LEASE_MS - 1);
    cr_expect_not(take_host(&pair.b, "h", 9, &other));
    set_now(900 + LEASE_MS);
    cr_expect(take_host(&pair.b, "h", 9, &other));
    crawl_buf_free(&t.items);
    crawl_buf_free(&other.items);
}

static void on_fed(void *user, crawl_redis_fault fault, const char *words, uint64_t feeders)
{
    seen_whole *s = user;
    cr_assert_eq(fault, CRAWL_REDIS_OK, "%s", words);
    s->feeders = feeders;
    event_base_loopbreak(s->base);
}

static uint64_t feed(worker *w, bool feeding)
{
    seen_whole s = {.base = w->base};
    cr_assert_eq(cw_shared_feed(w->shared, feeding, on_fed, &s), CRAWL_OK);
    event_base_dispatch(w->base);
    return s.feeders;
}

Test(shared, is_drained_when_nothing_is_queued_held_or_to_come)
{
    taken t = {0};
    cr_expect(look_at(&pair.b).is_drained);
    cr_expect_eq(join_as(&pair.a, "order", "bfs", true).err, CRAWL_OK);
    cr_expect_not(look_at(&pair.b).is_drained); /* a has seeds */
    push_one(&pair.a, "h/1", 1);
    cr_expect_eq(feed(&pair.a, false), 0);
    cr_expect_not(look_at(&pair.b).is_drained);
    cr_assert(take_host(&pair.a, "h", 9, &t));
    cr_expect_not(look_at(&pair.b).is_drained); /* a may find more */
    const cw_shared_change done = {.how = CW_SHARED_FINISHED, .id = t.first_id};
    cw_shared_write write = write_of("h", &t);
    write.changes = &done;
    write.change_count = 1;
    cr_assert(write_it(&pair.a, &write, &t));
    cr_expect_not(look_at(&pair.b).is_drained); /* the session may still push */
    write.is_end = true;
    cr_assert(write_it(&pair.a, &write, &t));
    cr_expect(look_at(&pair.b).is_drained);
    /* A worker that dies with seeds has none after its lease. */
    cr_expect_eq(feed(&pair.a, true), 1);
    set_now(LEASE_MS - 1);
    cr_expect_not(look_at(&pair.b).is_drained);
    set_now(LEASE_MS);
    cr_expect(look_at(&pair.b).is_drained);
    crawl_buf_free(&t.items);
}

typedef struct seen_tickets {
    struct event_base *base;
    cw_shared_tickets tickets;
} seen_tickets;

static void on_tickets(void *user, const cw_shared_tickets *tickets)
{
    seen_tickets *s = user;
    cr_assert_eq(tickets->fault, CRAWL_REDIS_OK, "%s", tickets->words);
    s->tickets = *tickets;
    event_base_loopbreak(s->base);
}

/* Takes tickets out of a hundred. */
static cw_shared_tickets take_tickets(worker *w, uint64_t wanted, uint64_t used)
{
    const cw_shared_wish wish = {.limit = 100, .wanted = wanted, .used = used, .bytes = 10 * used};
    seen_tickets s = {.base = w->base};
    cr_assert_eq(cw_shared_take_tickets(w->shared, &wish, on_tickets, &s), CRAWL_OK);
    event_base_dispatch(w->base);
    return s.tickets;
}

Test(shared, tickets_are_never_more_than_there_are)
{
    cw_shared_tickets a = take_tickets(&pair.a, 5, 0);
    cr_expect_eq(a.had, 5);
    cr_expect_eq(a.left, 95);
    a = take_tickets(&pair.a, 5, 0); /* no answer came, and it asks again */
    cr_expect_eq(a.had, 5);
    cw_shared_tickets b = take_tickets(&pair.b, 1000, 0); /* a quarter of its half */
    cr_expect_eq(b.had, 12);
    cr_expect_eq(b.left, 83);
    while (b.left)
        b = take_tickets(&pair.b, 1000, 0);
    cr_expect_eq(b.had, 95);
    cr_expect_eq(b.others, 5);
    a = take_tickets(&pair.a, 10, 3);
    cr_expect_eq(a.had, 5);
    cr_expect_eq(a.others, 95);
    a = take_tickets(&pair.a, 3, 3); /* returns its unused ones */
    cr_expect_eq(a.had, 3);
    cr_expect_eq(a.left, 2);
    b = take_tickets(&pair.b, 97, 90);
    cr_expect_eq(b.had, 96);
    b = take_tickets(&pair.b, 97, 90);
    cr_expect_eq(b.had, 97);
    cr_expect_eq(b.others, 0);
    cr_expect_eq(b.bytes, 930);
    a = take_tickets(&pair.a, 4, 3);
    cr_expect_eq(a.had, 3);
    cr_expect_eq(a.others, 7);
    set_now(LEASE_MS + 1); /* b died: its tickets belong to nobody, and nobody waits for them */
    a = take_tickets(&pair.a, 4, 3);
    cr_expect_eq(a.had, 3);
    cr_expect_eq(a.left + a.others, 0);
    expect_sound(&pair.a);
}

static uint64_t take_of_place(worker *w, const char *place, uint64_t wanted)
{
    const cw_shared_wish wish = {.place = crawl_slice_from(place), .limit = 100, .wanted = wanted};
    seen_tickets s = {.base = w->base};
    cr_assert_eq(cw_shared_take_tickets(w->shared, &wish, on_tickets, &s), CRAWL_OK);
    event_base_dispatch(w->base);
    return s.tickets.had;
}

Test(shared, each_place_has_tickets_of_its_own)
{
    cr_expect_eq(take_tickets(&pair.a, 5, 0).had, 5);
    cr_expect_eq(take_of_place(&pair.a, "host a", 2), 2);
    cr_expect_eq(take_of_place(&pair.a, "host b", 3), 3);
    cr_expect_eq(take_of_place(&pair.a, "host a", 7), 7);
    cr_expect_eq(take_of_place(&pair.a, "", 6), 6); /* of all pages */
}

Test(shared, the_servers_own_time_is_taken_where_none_is_said)
{
    taken t = {0};
    set_now(-START_MS);
    push_one(&pair.a, "h/1", 1);
    cr_assert(take_host(&pair.a, "h", 9, &t));
    cr_expect_gt(t.next_ms, 1700000000000); /* the deadline, at the real time */
    crawl_buf_free(&t.items);
}

Test(shared, a_chain_grows_and_keeps_its_promise)
{
    enum { KEYS = 1500 };
    uint8_t(*prints)[CW_SHARED_PRINT] = malloc(KEYS * sizeof *prints);
    cw_shared_request *requests = calloc(KEYS, sizeof *requests);
    uint8_t *fates = calloc(2, KEYS);
    answered a = {0};
    cw_shared_options options = worker_options("c");
    stop_worker(&pair.a);
    options.capacity = 1;
    start_worker(&pair.a, pair.base, &pair.server, options);
    for (unsigned i = 0; i < KEYS; i++) {
        char text[24];
        snprintf(text, sizeof text, "h/%u", i);
        print_of(text, prints[i]);
        requests[i] = (cw_shared_request){.origin = crawl_slice_from("h"), .print = prints[i]};
    }
    a.base = pair.base;
    bool has_news = false;
    for (unsigned pass = 0; pass < 2; pass++) {
        cr_assert_eq(cw_shared_push(pair.a.shared, requests, KEYS, fates + pass * KEYS, &has_news, on_answered, &a),
                     CRAWL_OK);
        event_base_dispatch(pair.base);
        cr_assert_eq(a.fault, CRAWL_REDIS_OK, "%s", a.words);
    }
    for (unsigned i = 0; i < KEYS; i++) {
        cr_assert_eq(fates[i], CW_SHARED_QUEUED, "key %u", i); /* at a rate of 1e-6 */
        cr_assert_eq(fates[KEYS + i], CW_SHARED_WAS_SEEN, "key %u", i);
    }
    cw_shared_look look = look_at(&pair.a);
    cr_expect_gt(look.figures.links, 2);
    cr_expect_eq(look.figures.queued, KEYS);
    expect_sound(&pair.a);
    free(prints);
    free(requests);
    free(fates);
}

static void count_violation(void *, const char *)
{
}

Test(shared, a_check_finds_what_is_broken)
{
    static const char *const commands[][3] = {
        {"DEL", "queue:h:0000000000000001", NULL},
        {"DEL", "hosts", NULL},
        {"DEL", "levels:h", NULL},
        {"HSET", "figures", "queued"},
        {"HSET", "host:h", "token"},
        {"DEL", "seen:0", NULL},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char name[80];
        ask(&pair.a, on_any, pair.base, "FLUSHALL", NULL, NULL);
        cr_assert_eq(join_as(&pair.a, "order", "bfs", false).err, CRAWL_OK);
        push_one(&pair.a, "h/1", 1);
        expect_sound(&pair.a);
        snprintf(name, sizeof name, "{test:%u}:%s", cw_shared_partition(crawl_slice_from("h")), commands[i][1]);
        cr_assert_eq(
            crawl_redis_send_texts(pair.a.redis, on_any, pair.base, commands[i][0], name, commands[i][2], "9", NULL),
            CRAWL_OK);
        event_base_dispatch(pair.base);
        cr_expect_gt(violations_of(&pair.a, count_violation), 0, "%s", name);
    }
}
