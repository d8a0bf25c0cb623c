/* The nodes of a cluster: two servers that answer as a test says. Key "foo" is in slot 12182, "bar" in 5061. */
#include "redis/client.h"
#include "tests/unit/redis/peer_help.h"

#define NO_CLUSTER "-ERR This instance has cluster support disabled\r\n"

/* Returns the slots by the first node: its own up to 8191, and the other's; last is the last one served. */
static const char *slots_of(const world *w, char *text, size_t size, unsigned last)
{
    snprintf(text, size,
             "*2\r\n*3\r\n:0\r\n:8191\r\n*2\r\n$9\r\n127.0.0.1\r\n:%u\r\n"
             "*3\r\n:8192\r\n:%u\r\n*2\r\n$9\r\n127.0.0.1\r\n:%u\r\n",
             w->peer.port, last, w->other.port);
    return text;
}

/* Opens a world whose first node knows both, unless has_slots is false. */
static void open_nodes(world *w, char *slots, size_t size, bool has_slots)
{
    open_world(w, "redis://127.0.0.1:%u", NULL, 0);
    start_peer(&w->other, w->base);
    w->peer.rows[11] = (row){NULL, NULL, false};
    for (size_t i = 11; i > 0; i--)
        w->peer.rows[i] = w->peer.rows[i - 1];
    w->peer.rows[0] = (row){"CLUSTER", has_slots ? slots_of(w, slots, size, 16383) : NO_CLUSTER, false};
}

static void ask_for(world *w, const char *command, const char *key)
{
    cr_assert_eq(crawl_redis_send_texts(w->redis, on_answer, w, command, key, NULL), CRAWL_OK);
}

static void eval_for(world *w, const char *key)
{
    crawl_redis_script *script;
    const crawl_slice arguments[] = {crawl_slice_from(key)};
    cr_assert_eq(crawl_redis_script_create("nine", 1, "return 9", &script), CRAWL_OK);
    cr_assert_eq(crawl_redis_eval(w->redis, script, 1, arguments, 1, on_answer, w), CRAWL_OK);
    run(w, 1);
    crawl_redis_script_free(script);
}

static bool was_asked(const peer *p, const char *command)
{
    return p->log.data && strstr(p->log.data, command);
}

Test(nodes, each_request_goes_to_the_node_of_its_key)
{
    char slots[200];
    world w = {.peer.rows = {{"GET", ":1\r\n", false}}, .other.rows = {{"GET", ":2\r\n", false}}};
    open_nodes(&w, slots, sizeof slots, true);
    ask_for(&w, "PING", NULL);
    run(&w, 1);
    ask_for(&w, "GET", "bar");
    run(&w, 1);
    ask_for(&w, "GET", "foo");
    run(&w, 1);
    cr_assert_str_eq(w.answers.data, "OK;1;2;");
    cr_assert(was_asked(&w.other, "GET foo;"));
    cr_assert_not(was_asked(&w.other, "GET bar;"));
    cr_assert_str_eq(w.states.data, "0 ;", "all is well, once");
    close_world(&w);
}

Test(nodes, one_that_says_moved_is_not_asked_again)
{
    char moved[60];
    world w = {.other.rows = {{"GET", ":2\r\n", false}}};
    char none[1];
    open_nodes(&w, none, sizeof none, false);
    snprintf(moved, sizeof moved, "-MOVED 12182 127.0.0.1:%u\r\n", w.other.port);
    w.peer.rows[1] = (row){"GET", moved, true};
    for (int i = 0; i < 2; i++) {
        ask_for(&w, "GET", "foo");
        run(&w, 1);
    }
    cr_assert_str_eq(w.answers.data, "2;2;");
    cr_assert_eq(crawl_redis_pending(w.redis), 0);
    close_world(&w);
}

/* The node that had the slot answers still, but may never tell its replicas what was written. */
Test(nodes, a_slot_that_moves_counts_as_a_loss)
{
    char slots[200];
    char moved[60];
    world w = {.peer.rows = {{"GET", ":1\r\n", false}}, .other.rows = {{"GET", ":2\r\n", true}}};
    open_nodes(&w, slots, sizeof slots, true);
    ask_for(&w, "PING", NULL);
    run(&w, 1);
    ask_for(&w, "GET", "foo");
    run(&w, 1);
    uint64_t before = cw_redis_losses(w.redis);
    snprintf(moved, sizeof moved, "-MOVED 12182 127.0.0.1:%u\r\n", w.peer.port);
    w.other.rows[1] = (row){"GET", moved, true};
    ask_for(&w, "GET", "foo");
    run(&w, 1);
    cr_expect_str_eq(w.answers.data, "OK;2;1;");
    cr_expect_neq(cw_redis_losses(w.redis), before);
    close_world(&w);
}

Test(nodes, a_command_goes_where_ask_says_for_once_and_a_script_waits)
{
    char slots[200];
    char ask_at_other[60];
    world w = {.other.rows = {{"GET", ":2\r\n", false}}};
    open_nodes(&w, slots, sizeof slots, true);
    snprintf(ask_at_other, sizeof ask_at_other, "-ASK 5061 127.0.0.1:%u\r\n", w.other.port);
    w.peer.rows[1] = (row){"GET", ask_at_other, true};
    w.peer.rows[2] = (row){"GET", ":1\r\n", false};
    w.peer.rows[3] = (row){"EVALSHA", ask_at_other, true};
    w.peer.rows[4] = (row){"EVALSHA", ":9\r\n", false};
    ask_for(&w, "GET", "bar");
    run(&w, 1);
    ask_for(&w, "GET", "bar");
    run(&w, 1);
    cr_assert_str_eq(w.answers.data, "2;1;");
    cr_assert(was_asked(&w.other, "ASKING;GET bar;"), "%s", w.other.log.data);
    eval_for(&w, "bar");
    cr_assert_str_eq(w.answers.data, "2;1;9;");
    cr_assert_not(was_asked(&w.other, "EVAL"), "it may touch keys that have not been moved");
    close_world(&w);
}

Test(nodes, what_is_refused_for_a_moment_is_sent_again)
{
    char slots[200];
    world w = {.peer.rows = {{"GET", "-TRYAGAIN Multiple keys\r\n", true},
                             {"GET", "-CLUSTERDOWN The cluster is down\r\n", true},
                             {"GET", ":1\r\n", false}}};
    open_nodes(&w, slots, sizeof slots, true);
    ask_for(&w, "GET", "bar");
    run(&w, 1);
    cr_assert_str_eq(w.answers.data, "1;");
    close_world(&w);
}

Test(nodes, each_node_gets_a_script_that_it_does_not_know)
{
    char slots[200];
    world w = {.other.rows = {{"EVALSHA", "-NOSCRIPT No matching script.\r\n", true}, {"EVAL", ":9\r\n", false}}};
    open_nodes(&w, slots, sizeof slots, true);
    ask_for(&w, "PING", NULL);
    run(&w, 1);
    eval_for(&w, "foo");
    cr_assert_str_eq(w.answers.data, "OK;9;");
    cr_assert(was_asked(&w.other, "EVAL -- crawl nine 1\nreturn 9 1 foo;"), "%s", w.other.log.data);
    close_world(&w);
}

/* The other node dies; after a moment the first one says that it has all slots. */
Test(nodes, what_waits_for_a_dead_node_goes_to_the_one_that_takes_over)
{
    char slots[200];
    char all[100];
    world w = {.peer.rows = {{"GET", ":1\r\n", false}}, .other.rows = {{"GET", ":2\r\n", false}}};
    open_nodes(&w, slots, sizeof slots, true);
    ask_for(&w, "PING", NULL);
    run(&w, 1);
    ask_for(&w, "GET", "foo");
    run(&w, 1);
    silence_peer(&w.other);
    ask_for(&w, "GET", "foo"); /* sent before the loss is known */
    run(&w, 1);
    cr_assert(strstr(w.answers.data, "OK;2;1 "), "%s", w.answers.data);
    ask_for(&w, "GET", "foo");
    snprintf(all, sizeof all, "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:%u\r\n", w.peer.port);
    w.peer.rows[0].said = all;
    run(&w, 1);
    cr_assert(strstr(w.answers.data, ";1;"), "%s", w.answers.data);
    cr_assert(strncmp(w.states.data, "0 ;3 127.0.0.1:", 15) == 0, "%s", w.states.data);
    event_base_loop(w.base, EVLOOP_NONBLOCK);
    cr_assert_str_eq(w.states.data + w.states.size - 3, "0 ;", "%s", w.states.data);
    close_world(&w);
}

Test(nodes, slots_that_nobody_has_are_told)
{
    char slots[200];
    world w = {0};
    open_nodes(&w, slots, sizeof slots, true);
    w.peer.rows[0].said = slots_of(&w, slots, sizeof slots, 16000);
    ask_for(&w, "GET", "bar");
    run(&w, 1);
    cr_assert(strstr(w.states.data, "17 the cluster serves 16001 of its 16384 slots;"), "%s", w.states.data);
    close_world(&w);
}
