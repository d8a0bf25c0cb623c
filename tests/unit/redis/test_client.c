/* The connection, with a server that answers as a test says, on the test's own loop. */
#include "base/bytes.h"
#include "tests/unit/redis/peer_help.h"

Test(client, greets_first_and_answers_in_order)
{
    world w = {.peer.rows = {{"A", ":1\r\n", false}, {"B", "$2\r\nbb\r\n", false}, {"C", "-ERR c\r\n", false}}};
    open_world(&w, "redis://eve@127.0.0.1:%u/3", "hush", 0);
    ask(&w, "A");
    ask(&w, "B");
    ask(&w, "C");
    cr_assert_eq(crawl_redis_pending(w.redis), 3);
    run(&w, 3);
    cr_assert_str_eq(w.peer.log.data, "AUTH eve hush;SELECT 3;CLIENT SETNAME me;TIME;CLUSTER SLOTS;A;B;C;");
    cr_assert_str_eq(w.answers.data, "1;bb;19 ERR c;");
    cr_assert_str_eq(w.states.data, "0 ;");
    cr_assert_eq(crawl_redis_pending(w.redis), 0);
    close_world(&w);
}

Test(client, has_the_servers_time)
{
    world w = {0};
    int64_t time_us;
    int64_t bound_us;
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    cr_assert_eq(crawl_redis_time(w.redis, 0, &time_us, &bound_us), CRAWL_ABSENT);
    ask(&w, "A");
    run(&w, 1);
    cr_assert_str_eq(w.peer.log.data, "CLIENT SETNAME me;TIME;CLUSTER SLOTS;A;");
    int64_t later_us;
    cr_assert_eq(crawl_redis_time(w.redis, 5000000, &time_us, &bound_us), CRAWL_OK);
    cr_assert_eq(crawl_redis_time(w.redis, 5000123, &later_us, &bound_us), CRAWL_OK);
    cr_assert_eq(later_us, time_us + 123);
    cr_assert(bound_us >= 0);
    close_world(&w);
}

Test(client, reports_what_was_under_way_as_unknown_and_keeps_what_waits)
{
    world w = {.peer.rows = {{"B", NULL, true}, {"A", ":1\r\n", false}, {"C", ":3\r\n", false}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    ask(&w, "A");
    run(&w, 1);
    ask(&w, "B"); /* here the server closes the connection */
    ask(&w, "C"); /* was sent too */
    run(&w, 2);
    cr_assert(strncmp(w.answers.data, "1;1 ", 4) == 0, "%s", w.answers.data);
    cr_assert_null(strstr(w.answers.data, ";3;"), "%s", w.answers.data);
    ask(&w, "C");
    run(&w, 1);
    cr_assert(cw_ends_with(crawl_buf_slice(&w.answers), ";3;"), "%s", w.answers.data);
    close_world(&w);
}

Test(client, sends_what_waited_when_the_server_is_back)
{
    world w = {.peer.rows = {{"TIME", NULL, true}, {"A", ":1\r\n", false}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    ask(&w, "A");
    run(&w, 1);
    cr_assert_str_eq(w.peer.log.data, "CLIENT SETNAME me;TIME;CLIENT SETNAME me;TIME;CLUSTER SLOTS;A;");
    cr_assert_str_eq(w.answers.data, "1;");
    cr_assert(strstr(w.states.data, "3 the server closed the connection;0 ;"), "%s", w.states.data);
    close_world(&w);
}

Test(client, gives_up_a_server_that_does_not_answer)
{
    world w = {.peer.rows = {{"A", "", true}, {"B", ":2\r\n", false}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 50);
    ask(&w, "A");
    run(&w, 1);
    cr_assert_str_eq(w.answers.data, "1 the server does not answer;");
    ask(&w, "B");
    run(&w, 1);
    cr_assert_str_eq(w.answers.data, "1 the server does not answer;2;");
    close_world(&w);
}

Test(client, ends_at_what_is_no_resp)
{
    world w = {.peer.rows = {{"A", "HTTP/1.1 400\r\n", true}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    ask(&w, "A");
    run(&w, 1);
    cr_assert(strstr(w.answers.data, "1 not RESP"), "%s", w.answers.data);
    cr_assert(strstr(w.states.data, "0 ;4 not RESP"), "%s", w.states.data);
    close_world(&w);
}

Test(client, ends_at_an_answer_too_many)
{
    world w = {.peer.rows = {{"A", ":1\r\n:2\r\n", true}, {"B", ":3\r\n", false}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    ask(&w, "A");
    run(&w, 1);
    ask(&w, "B");
    run(&w, 1);
    cr_assert(strstr(w.states.data, "unexpected answer"), "%s", w.states.data);
    close_world(&w);
}

static void stop_at_fault(void *user, crawl_redis_fault fault, const char *words)
{
    world *w = user;
    on_state(user, fault, words);
    event_base_loopbreak(w->base);
}

Test(client, tells_why_it_is_not_let_in)
{
    static const struct {
        const char *word, *said, *state;
    } rows[] = {
        {"AUTH", "-WRONGPASS invalid username-password pair\r\n", "14 WRONGPASS"},
        {"TIME", "-NOAUTH Authentication required.\r\n", "13 NOAUTH"},
        {"TIME", "-LOADING Redis is loading\r\n", "5 LOADING"},
        {"SELECT", "-ERR DB index is out of range\r\n", "19 ERR DB"},
        {"AUTH", "-ERR max number of clients reached\r\n", "3 ERR max number"},
        {"TIME", ":1\r\n", "4 its answer to TIME is invalid"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        world w = {.peer.rows = {{rows[i].word, rows[i].said, false}}};
        open_world(&w, "redis://127.0.0.1:%u/1", "wrong", 0);
        crawl_redis_free(w.redis);
        const crawl_redis_options options = {.size = sizeof options,
                                             .base = w.base,
                                             .url = &w.url,
                                             .password = "wrong",
                                             .on_state = stop_at_fault,
                                             .user = &w};
        cr_assert_eq(crawl_redis_open(&options, &w.redis, NULL), CRAWL_OK);
        event_base_dispatch(w.base);
        cr_expect(strstr(w.states.data, rows[i].state) == w.states.data, "%s: %s", rows[i].state, w.states.data);
        cr_expect_not(strstr(w.states.data, "wrong"));
        close_world(&w);
    }
}

/* After a connection that was lost without a word, the next one listens before it greets. */
Test(client, waits_for_a_server_without_room_for_it)
{
    world w = {.peer = {.rows = {{"CLIENT SETNAME", NULL, true}, {"A", ":1\r\n", false}},
                        .welcomes = {NULL, "-ERR max number of clients reached\r\n"}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    ask(&w, "A");
    run(&w, 1);
    cr_expect_str_eq(w.answers.data, "1;");
    cr_expect(strstr(w.states.data, ";3 ERR max number of clients reached;0 ;"), "%s", w.states.data);
    close_world(&w);
}

Test(client, refuses_more_than_may_be_under_way_and_says_when_there_is_room)
{
    world w = {0};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    for (size_t i = 0; i < CRAWL_REDIS_REQUESTS_MAX; i++)
        ask(&w, "A");
    cr_assert_eq(crawl_redis_send_texts(w.redis, on_answer, &w, "A", NULL), CRAWL_FULL);
    cr_assert_eq(w.rooms, 0);
    run(&w, CRAWL_REDIS_REQUESTS_MAX);
    event_base_loop(w.base, EVLOOP_NONBLOCK);
    cr_assert_eq(w.rooms, 1);
    cr_assert_eq(crawl_redis_send_texts(w.redis, on_answer, &w, "A", NULL), CRAWL_OK);
    run(&w, 1);
    close_world(&w);
}

Test(client, bounds_the_bytes_under_way)
{
    world w = {0};
    static char large[CRAWL_REDIS_BYTES_MAX / 4];
    const crawl_slice arguments[] = {crawl_slice_from("A"), crawl_slice_of(large, sizeof large)};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(crawl_redis_send(w.redis, arguments, 2, on_answer, &w), CRAWL_OK);
    cr_assert_eq(crawl_redis_send(w.redis, arguments, 2, on_answer, &w), CRAWL_FULL);
    close_world(&w);
}

Test(client, ends_all_when_it_is_freed)
{
    world w = {.peer.rows = {{"A", "", false}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    ask(&w, "A");
    for (unsigned turn = 0; turn < 50 && !(w.peer.log.data && strstr(w.peer.log.data, "A;")); turn++)
        event_base_loop(w.base, EVLOOP_ONCE);
    crawl_redis_free(w.redis);
    cr_assert_str_eq(w.answers.data, "1 the connection was lost before the answer came;");
    const crawl_redis_options options = {.size = sizeof options, .base = w.base, .url = &w.url};
    cr_assert_eq(crawl_redis_open(&options, &w.redis, NULL), CRAWL_OK);
    ask(&w, "B");
    crawl_redis_free(w.redis);
    w.redis = NULL;
    cr_assert(strstr(w.answers.data, ";2 the request was never sent;"), "%s", w.answers.data);
    close_world(&w);
}

Test(client, runs_a_script_by_its_name_and_sends_it_where_it_is_not_known)
{
    world w = {.peer.rows = {{"EVALSHA", "-NOSCRIPT No matching script.\r\n", true}, {"EVAL", ":9\r\n", false}}};
    crawl_redis_script *script;
    const crawl_slice arguments[] = {crawl_slice_from("key"), crawl_slice_from("x")};
    cr_assert_eq(crawl_redis_script_create("nine", 2, "return 9", &script), CRAWL_OK);
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    cr_assert_eq(crawl_redis_eval(w.redis, script, 1, arguments, 2, on_answer, &w), CRAWL_OK);
    run(&w, 1);
    cr_assert(strstr(w.peer.log.data, "TIME;CLUSTER SLOTS;EVALSHA "), "%s", w.peer.log.data);
    cr_assert(strstr(w.peer.log.data, "1 key x;EVAL -- crawl nine 2\nreturn 9 1 key x;"), "%s", w.peer.log.data);
    cr_assert_eq(crawl_redis_eval(w.redis, script, 1, arguments, 2, on_answer, &w), CRAWL_OK);
    run(&w, 1);
    cr_assert_str_eq(w.answers.data, "9;9;");
    close_world(&w);
    crawl_redis_script_free(script);
}
