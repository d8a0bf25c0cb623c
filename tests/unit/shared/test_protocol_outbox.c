/* Links of pages on their way into a shared crawl: a page ends when all of its links are there, whatever happens to the
 * connection meanwhile. */
#include "tests/unit/shared/protocol_help.h"

#include "shared/protocol/outbox.h"

typedef struct world {
    server server;
    struct event_base *base;
    worker a, b;
    cw_shared_outbox *outbox;
    unsigned ended;
    cw_shared_page_links links;
    crawl_redis_fault fault;
    unsigned faults;
} world;

static void on_fault(void *user, crawl_redis_fault fault, const char *words)
{
    world *w = user;
    (void)words;
    w->fault = fault;
    w->faults++;
    event_base_loopbreak(w->base);
}

static void open_world(world *w)
{
    start_server(&w->server);
    w->base = event_base_new();
    start_worker(&w->a, w->base, &w->server, worker_options("a"));
    start_worker(&w->b, w->base, &w->server, worker_options("b"));
    cr_assert_eq(join_as(&w->a, "order", "bfs", false).err, CRAWL_OK);
    cr_assert_eq(join_as(&w->b, "order", "bfs", false).err, CRAWL_OK);
    const cw_shared_outbox_options options = {
        .shared = w->a.shared, .remembers = 1000, .on_fault = on_fault, .user = w};
    cr_assert_eq(cw_shared_outbox_create(&options, &w->outbox), CRAWL_OK);
}

static void close_world(world *w)
{
    stop_worker(&w->a);
    cw_shared_outbox_free(w->outbox);
    stop_worker(&w->b);
    stop_loop(w->base);
    stop_server(&w->server);
}

static crawl_err add(cw_shared_page *page, const char *url, bool is_forced)
{
    uint8_t print[CW_SHARED_PRINT];
    print_of(url, print);
    const cw_shared_request request = {.origin = crawl_slice_of(url, strcspn(url, "/")),
                                       .print = print,
                                       .level = 1,
                                       .is_forced = is_forced,
                                       .bytes = crawl_slice_from(url)};
    return cw_shared_page_add(page, &request);
}

static void on_end(void *user, const cw_shared_page_links *links)
{
    world *w = user;
    w->ended++;
    w->links = *links;
    event_base_loopbreak(w->base);
}

static cw_shared_page *page_of(world *w, const char *const *urls)
{
    cw_shared_page *page = cw_shared_page_begin(w->outbox);
    cr_assert(page);
    for (; *urls; urls++)
        cr_assert_eq(add(page, *urls, false), CRAWL_OK);
    return page;
}

static const char *const three[] = {"h/1", "other/1", "h/2", NULL};

Test(shared_outbox, a_page_ends_when_all_of_its_links_are_there)
{
    world w = {0};
    taken t = {0};
    open_world(&w);
    push_one(&w.b, "other/1", 1);
    cw_shared_page *page = page_of(&w, three);
    cr_expect_gt(cw_shared_outbox_bytes(w.outbox), 0);
    cw_shared_page_end(page, on_end, &w);
    cr_expect_eq(w.ended, 0);
    cw_shared_outbox_flush(w.outbox);
    cr_expect_eq(crawl_redis_pending(w.a.redis), 2, "a script for each partition");
    while (!w.ended)
        event_base_loop(w.base, EVLOOP_ONCE);
    cr_expect_eq(w.links.queued, 2);
    cr_expect_eq(w.links.seen, 1);
    cr_expect_eq(cw_shared_outbox_bytes(w.outbox), 0);
    cr_assert(take_host(&w.b, "h", 9, &t));
    cr_expect_str_eq(t.items.data, "h/1 h/2 ");
    crawl_buf_free(&t.items);
    close_world(&w);
}

Test(shared_outbox, what_was_answered_is_asked_for_no_second_time)
{
    world w = {0};
    open_world(&w);
    cw_shared_page_end(page_of(&w, three), on_end, &w);
    cw_shared_outbox_flush(w.outbox);
    while (w.ended < 1)
        event_base_loop(w.base, EVLOOP_ONCE);
    cw_shared_page *page = cw_shared_page_begin(w.outbox);
    cr_expect_eq(add(page, "h/1", false), CRAWL_EXISTS);
    cr_expect_eq(add(page, "other/1", false), CRAWL_EXISTS);
    cr_expect_eq(add(page, "h/2", true), CRAWL_OK); /* a further visit */
    cw_shared_page_end(page, on_end, &w);
    cr_expect_eq(w.ended, 1);
    cw_shared_outbox_flush(w.outbox);
    while (w.ended < 2)
        event_base_loop(w.base, EVLOOP_ONCE);
    cr_expect_eq(w.links.seen, 2);
    cr_expect_eq(w.links.queued, 1);
    cw_shared_page_end(cw_shared_page_begin(w.outbox), on_end, &w); /* one without links */
    cr_expect_eq(w.ended, 3);
    close_world(&w);
}

Test(shared_outbox, what_two_pages_have_is_sent_once_and_both_wait_for_it)
{
    world w = {0};
    open_world(&w);
    cw_shared_page *first = page_of(&w, three);
    cw_shared_page *second = page_of(&w, three);
    uint64_t bytes = cw_shared_outbox_bytes(w.outbox);
    cr_expect_eq(add(second, "h/1", false), CRAWL_OK); /* once more, on the same page */
    cr_expect_lt(cw_shared_outbox_bytes(w.outbox) - bytes, 32, "a link takes more");
    cw_shared_page_end(second, on_end, &w);
    cr_expect_eq(w.ended, 0);
    cw_shared_outbox_flush(w.outbox);
    while (w.ended < 1)
        event_base_loop(w.base, EVLOOP_ONCE);
    cr_expect_eq(w.links.seen, 4);
    cr_expect_eq(w.links.queued, 0);
    cw_shared_page_end(first, on_end, &w);
    cr_expect_eq(w.ended, 2);
    cr_expect_eq(w.links.queued, 3);
    cr_expect_eq(cw_shared_outbox_bytes(w.outbox), 0);
    cr_expect_eq(look_at(&w.b).figures.refused, 0, "the server was asked once");
    close_world(&w);
}

/* There are more links than the memory holds. It forgets some, which are then asked again. */
Test(shared_outbox, remembers_the_last_ones)
{
    enum { LINKS = 4000 };
    world w = {0};
    unsigned known = 0;
    char url[32];
    open_world(&w);
    cw_shared_page *page = cw_shared_page_begin(w.outbox);
    for (unsigned i = 0; i < LINKS; i++) {
        snprintf(url, sizeof url, "h/%u", i);
        cr_assert_eq(add(page, url, false), CRAWL_OK);
    }
    cw_shared_page_end(page, on_end, &w);
    while (!w.ended) {
        cw_shared_outbox_flush(w.outbox);
        event_base_loop(w.base, EVLOOP_ONCE);
    }
    cr_expect_eq(w.links.queued, LINKS);
    page = cw_shared_page_begin(w.outbox);
    for (unsigned i = 0; i < LINKS; i++) {
        snprintf(url, sizeof url, "h/%u", i);
        crawl_err err = add(page, url, false);
        cr_assert(!err || err == CRAWL_EXISTS);
        known += err == CRAWL_EXISTS;
    }
    cr_expect(known > 800 && known <= 1024, "%u", known);
    cw_shared_page_end(page, NULL, NULL);
    close_world(&w);
}

Test(shared_outbox, goes_again_where_the_answer_was_lost)
{
    world w = {0};
    taken t = {0};
    cw_shared_look look;
    signal(SIGPIPE, SIG_IGN); /* as the program does */
    open_world(&w);
    cw_shared_page_end(page_of(&w, three), on_end, &w);
    /* The server has both scripts when it closes the connection, and executes none, one or both of them. */
    cr_assert_eq(crawl_redis_send_texts(w.b.redis, NULL, NULL, "CLIENT", "KILL", "TYPE", "normal", NULL), CRAWL_OK);
    cw_shared_outbox_flush(w.outbox);
    while (!w.ended) {
        event_base_loop(w.base, EVLOOP_ONCE);
        cw_shared_outbox_flush(w.outbox);
    }
    cr_expect_eq(w.links.queued + w.links.seen, 3);
    look = look_at(&w.b);
    cr_expect_eq(look.figures.queued, 3);
    cr_assert(take_host(&w.b, "h", 9, &t));
    cr_expect_str_eq(t.items.data, "h/1 h/2 ");
    crawl_buf_free(&t.items);
    close_world(&w);
}

/* A server that writes before it answers is killed: answered pushes are there, the rest is sent again, and its workers
 * keep their sessions. */
Test(shared_outbox, outlives_a_kill_of_the_server)
{
    world w = {.server.is_durable = true};
    taken t = {0};
    taken other = {0};
    cw_shared_look look;
    signal(SIGPIPE, SIG_IGN);
    open_world(&w);
    push_one(&w.b, "h/0", 1);
    cr_assert(take_host(&w.b, "h", 1, &t));
    cw_shared_page_end(page_of(&w, three), on_end, &w);
    cw_shared_outbox_flush(w.outbox);
    event_base_loop(w.base, EVLOOP_NONBLOCK);
    kill_server(&w.server);
    run_server(&w.server);
    while (!w.ended) {
        event_base_loop(w.base, EVLOOP_ONCE);
        cw_shared_outbox_flush(w.outbox);
    }
    cr_expect_eq(w.links.queued + w.links.seen, 3);
    look = look_at(&w.b);
    cr_expect_eq(look.figures.queued, 3);
    cr_expect_eq(look.figures.held, 1);
    expect_sound(&w.b);
    cr_expect_not(take_host(&w.a, "h", 1, &other));
    const cw_shared_change done = {.how = CW_SHARED_FINISHED, .id = t.first_id};
    cw_shared_write write = write_of("h", &t);
    write.changes = &done;
    write.change_count = 1;
    write.more = 9;
    cr_expect(write_it(&w.b, &write, &t));
    cr_expect_str_eq(t.items.data, "h/1 h/2 ");
    crawl_buf_free(&t.items);
    crawl_buf_free(&other.items);
    close_world(&w);
}

static void on_set(void *user, const crawl_redis_answer *said)
{
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    event_base_loopbreak(user);
}

static void set_memory(world *w, const char *bytes)
{
    cr_assert_eq(crawl_redis_send_texts(w->b.redis, on_set, w->base, "CONFIG", "SET", "maxmemory", bytes, NULL),
                 CRAWL_OK);
    event_base_dispatch(w->base);
}

Test(shared_outbox, waits_while_the_server_is_full_and_goes_on)
{
    world w = {0};
    cw_shared_look look;
    open_world(&w);
    set_memory(&w, "1");
    cw_shared_page_end(page_of(&w, three), on_end, &w);
    cw_shared_outbox_flush(w.outbox);
    while (crawl_redis_pending(w.a.redis))
        event_base_loop(w.base, EVLOOP_ONCE);
    cr_expect_eq(w.fault, CRAWL_REDIS_OOM);
    cr_expect_eq(w.ended, 0);
    look = look_at(&w.b);
    cr_expect_eq(look.figures.queued, 0);
    expect_sound(&w.b);
    set_memory(&w, "0");
    cw_shared_outbox_flush(w.outbox);
    while (!w.ended)
        event_base_loop(w.base, EVLOOP_ONCE);
    cr_expect_eq(w.links.queued, 3);
    close_world(&w);
}

/* Requests that are queued though they were seen would be queued once more with each sending. */
Test(shared_outbox, what_waits_for_replicas_is_not_sent_again)
{
    world w = {0};
    taken t = {0};
    open_world(&w);
    w.a.shared->options.replicas = 1;
    cw_shared_page *page = cw_shared_page_begin(w.outbox);
    cr_expect_eq(add(page, "h/1", true), CRAWL_OK);
    cw_shared_page_end(page, on_end, &w);
    while (w.faults < 3) {
        cw_shared_outbox_flush(w.outbox);
        event_base_loop(w.base, EVLOOP_ONCE);
    }
    cr_expect_eq(w.fault, CRAWL_REDIS_NOREPLICAS);
    cr_expect_eq(w.ended, 0);
    cr_assert(take_host(&w.b, "h", 9, &t));
    cr_expect_str_eq(t.items.data, "h/1 ");
    crawl_buf_free(&t.items);
    close_world(&w);
}

Test(shared_outbox, is_freed_with_what_is_not_acknowledged)
{
    world w = {0};
    open_world(&w);
    cw_shared_page_end(page_of(&w, three), on_end, &w);
    cw_shared_page_end(page_of(&w, three), NULL, NULL);
    cw_shared_outbox_flush(w.outbox);
    cw_shared_page_end(page_of(&w, three), on_end, &w);
    close_world(&w);
    cr_expect_eq(w.ended, 0);
}
