/* The connection, against a server that says what a test tells it to, on the test's own loop. */
#include "base/bytes.h"

#include <crawl/redis.h>
#include <criterion/criterion.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#define TIME "*2\r\n$10\r\n1700000000\r\n$6\r\n250000\r\n"

/* What is said to a command that begins with a word; the first row that fits. */
typedef struct row {
    const char *word; /* NULL: behind the last */
    const char *said; /* NULL: the connection is closed; "": nothing, for ever */
    bool once;        /* then the row is passed over */
} row;

typedef struct world {
    struct event_base *base;
    struct evconnlistener *listener;
    struct bufferevent *peers[16];
    unsigned peer_count;
    row rows[12];
    crawl_buf log; /* the commands, each ended by a semicolon */
    crawl_redis_url url;
    crawl_redis *redis;
    crawl_buf answers;
    crawl_buf states;
    unsigned rooms;
    size_t answered;
    size_t expected;
} world;

/* Takes a command, an array of texts, off the input: its words apart by blanks. False: not all there. */
static bool take_command(struct evbuffer *input, crawl_buf *out)
{
    size_t size = evbuffer_get_length(input);
    const char *at = (const char *)evbuffer_pullup(input, -1);
    const char *end = at + size;
    const char *line = size ? memchr(at, '\n', size) : NULL;
    if (!line)
        return false;
    long count = strtol(at + 1, NULL, 10);
    const char *next = line + 1;
    crawl_buf_clear(out);
    for (long i = 0; i < count; i++) {
        line = next < end ? memchr(next, '\n', (size_t)(end - next)) : NULL;
        long length = line ? strtol(next + 1, NULL, 10) : 0;
        if (!line || end - line < length + 3)
            return false;
        crawl_buf_printf(out, "%s%.*s", i ? " " : "", (int)length, line + 1);
        next = line + length + 3;
    }
    evbuffer_drain(input, (size_t)(next - at));
    return true;
}

static row *row_of(world *w, const char *command)
{
    for (row *r = w->rows; r->word; r++)
        if (r->said != r->word && strncmp(command, r->word, strlen(r->word)) == 0)
            return r;
    return NULL;
}

static void on_command(struct bufferevent *bev, void *user)
{
    world *w = user;
    crawl_buf command = {0};
    while (take_command(bufferevent_get_input(bev), &command)) {
        crawl_buf_printf(&w->log, "%s;", command.data);
        row *r = row_of(w, command.data);
        const char *said = r ? r->said : strncmp(command.data, "TIME", 4) == 0 ? TIME : "+OK\r\n";
        if (r && r->once)
            r->said = r->word; /* spent */
        if (!said) {
            for (unsigned i = 0; i < w->peer_count; i++)
                w->peers[i] = w->peers[i] == bev ? NULL : w->peers[i];
            bufferevent_free(bev);
            break;
        }
        bufferevent_write(bev, said, strlen(said));
    }
    crawl_buf_free(&command);
}

static void on_peer_event(struct bufferevent *bev, short what, void *user)
{
    world *w = user;
    (void)what;
    for (unsigned i = 0; i < w->peer_count; i++)
        w->peers[i] = w->peers[i] == bev ? NULL : w->peers[i];
    bufferevent_free(bev);
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *from, int size, void *user)
{
    (void)listener;
    (void)from;
    (void)size;
    world *w = user;
    struct bufferevent *bev = bufferevent_socket_new(w->base, fd, BEV_OPT_CLOSE_ON_FREE);
    cr_assert_lt(w->peer_count, 16);
    w->peers[w->peer_count++] = bev;
    bufferevent_setcb(bev, on_command, NULL, on_peer_event, w);
    bufferevent_enable(bev, EV_READ | EV_WRITE);
}

static void on_state(void *user, crawl_redis_fault fault, const char *words)
{
    world *w = user;
    crawl_buf_printf(&w->states, "%d %s;", (int)fault, words);
}

static void on_room(void *user)
{
    world *w = user;
    w->rooms++;
}

static void on_answer(void *user, const crawl_redis_answer *said)
{
    world *w = user;
    if (said->fault)
        crawl_buf_printf(&w->answers, "%d %s;", (int)said->fault, said->words);
    else if (said->reply->type == CRAWL_REDIS_NUMBER)
        crawl_buf_printf(&w->answers, "%lld;", (long long)said->reply->number);
    else
        crawl_buf_printf(&w->answers, "%.*s;", (int)said->reply->text.size, said->reply->text.data);
    if (++w->answered == w->expected)
        event_base_loopbreak(w->base);
}

static void open_world(world *w, const char *place, const char *password, int64_t timeout_ms)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    char text[80];
    crawl_error error = {0};
    w->base = event_base_new();
    w->listener = evconnlistener_new_bind(w->base, on_accept, w, LEV_OPT_CLOSE_ON_FREE, 16, (struct sockaddr *)&address,
                                          sizeof address);
    cr_assert(w->listener);
    getsockname(evconnlistener_get_fd(w->listener), (struct sockaddr *)&address, &size);
    snprintf(text, sizeof text, place, ntohs(address.sin_port));
    cr_assert_eq(crawl_redis_url_parse(crawl_slice_from(text), (const char *const[]){NULL}, &w->url, &error), CRAWL_OK,
                 "%s", error.message);
    const crawl_redis_options options = {
        .base = w->base,
        .url = &w->url,
        .password = password,
        .name = "me",
        .timeout_ms = timeout_ms,
        .on_state = on_state,
        .on_room = on_room,
        .user = w,
    };
    cr_assert_eq(crawl_redis_open(&options, &w->redis, &error), CRAWL_OK, "%s", error.message);
}

static void close_world(world *w)
{
    crawl_redis_free(w->redis);
    for (unsigned i = 0; i < w->peer_count; i++)
        if (w->peers[i])
            bufferevent_free(w->peers[i]);
    evconnlistener_free(w->listener);
    crawl_redis_url_free(&w->url);
    event_base_loop(w->base, EVLOOP_NONBLOCK); /* what libevent frees late */
    event_base_free(w->base);
    crawl_buf_free(&w->log);
    crawl_buf_free(&w->answers);
    crawl_buf_free(&w->states);
}

/* Until so many more answers have come. */
static void run(world *w, size_t answers)
{
    w->expected = w->answered + answers;
    event_base_dispatch(w->base);
}

static void ask(world *w, const char *command)
{
    cr_assert_eq(crawl_redis_send_texts(w->redis, on_answer, w, command, NULL), CRAWL_OK);
}

Test(client, greets_first_and_answers_in_order)
{
    world w = {.rows = {{"A", ":1\r\n", false}, {"B", "$2\r\nbb\r\n", false}, {"C", "-ERR c\r\n", false}}};
    open_world(&w, "redis://eve@127.0.0.1:%u/3", "hush", 0);
    ask(&w, "A");
    ask(&w, "B");
    ask(&w, "C");
    cr_assert_eq(crawl_redis_pending(w.redis), 3);
    run(&w, 3);
    cr_assert_str_eq(w.log.data, "AUTH eve hush;SELECT 3;CLIENT SETNAME me;TIME;A;B;C;");
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
    cr_assert_str_eq(w.log.data, "CLIENT SETNAME me;TIME;A;");
    int64_t later_us;
    cr_assert_eq(crawl_redis_time(w.redis, 5000000, &time_us, &bound_us), CRAWL_OK);
    cr_assert_eq(crawl_redis_time(w.redis, 5000123, &later_us, &bound_us), CRAWL_OK);
    cr_assert_eq(later_us, time_us + 123);
    cr_assert(bound_us >= 0);
    close_world(&w);
}

Test(client, reports_what_was_under_way_as_unknown_and_keeps_what_waits)
{
    world w = {.rows = {{"B", NULL, true}, {"A", ":1\r\n", false}, {"C", ":3\r\n", false}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    ask(&w, "A");
    run(&w, 1);
    ask(&w, "B"); /* at which the server closes the connection */
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
    world w = {.rows = {{"TIME", NULL, true}, {"A", ":1\r\n", false}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    ask(&w, "A");
    run(&w, 1);
    cr_assert_str_eq(w.log.data, "CLIENT SETNAME me;TIME;CLIENT SETNAME me;TIME;A;");
    cr_assert_str_eq(w.answers.data, "1;");
    cr_assert(strstr(w.states.data, "3 the server closed the connection;0 ;"), "%s", w.states.data);
    close_world(&w);
}

Test(client, gives_up_a_server_that_does_not_answer)
{
    world w = {.rows = {{"A", "", true}, {"B", ":2\r\n", false}}};
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
    world w = {.rows = {{"A", "HTTP/1.1 400\r\n", true}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    ask(&w, "A");
    run(&w, 1);
    cr_assert(strstr(w.answers.data, "1 no RESP"), "%s", w.answers.data);
    cr_assert(strstr(w.states.data, "0 ;4 no RESP"), "%s", w.states.data);
    close_world(&w);
}

Test(client, ends_at_an_answer_too_many)
{
    world w = {.rows = {{"A", ":1\r\n:2\r\n", true}, {"B", ":3\r\n", false}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    ask(&w, "A");
    run(&w, 1);
    ask(&w, "B");
    run(&w, 1);
    cr_assert(strstr(w.states.data, "nobody had asked for"), "%s", w.states.data);
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
        {"TIME", ":1\r\n", "4 its TIME is none"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        world w = {.rows = {{rows[i].word, rows[i].said, false}}};
        open_world(&w, "redis://127.0.0.1:%u/1", "wrong", 0);
        crawl_redis_free(w.redis);
        const crawl_redis_options options = {
            .base = w.base, .url = &w.url, .password = "wrong", .on_state = stop_at_fault, .user = &w};
        cr_assert_eq(crawl_redis_open(&options, &w.redis, NULL), CRAWL_OK);
        event_base_dispatch(w.base);
        cr_expect(strstr(w.states.data, rows[i].state) == w.states.data, "%s: %s", rows[i].state, w.states.data);
        cr_expect_not(strstr(w.states.data, "wrong"));
        close_world(&w);
    }
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
    world w = {.rows = {{"A", "", false}}};
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    ask(&w, "A");
    for (unsigned turn = 0; turn < 50 && !(w.log.data && strstr(w.log.data, "A;")); turn++)
        event_base_loop(w.base, EVLOOP_ONCE);
    crawl_redis_free(w.redis);
    cr_assert_str_eq(w.answers.data, "1 the connection was lost before the answer came;");
    const crawl_redis_options options = {.base = w.base, .url = &w.url};
    cr_assert_eq(crawl_redis_open(&options, &w.redis, NULL), CRAWL_OK);
    ask(&w, "B");
    crawl_redis_free(w.redis);
    w.redis = NULL;
    cr_assert(strstr(w.answers.data, ";2 the request was never sent;"), "%s", w.answers.data);
    close_world(&w);
}

Test(client, runs_a_script_by_its_name_and_sends_it_where_it_is_not_known)
{
    world w = {.rows = {{"EVALSHA", "-NOSCRIPT No matching script.\r\n", true}, {"EVAL", ":9\r\n", false}}};
    crawl_redis_script *script;
    const crawl_slice arguments[] = {crawl_slice_from("key"), crawl_slice_from("x")};
    cr_assert_eq(crawl_redis_script_create("nine", 2, "return 9", &script), CRAWL_OK);
    open_world(&w, "redis://127.0.0.1:%u", NULL, 0);
    cr_assert_eq(crawl_redis_eval(w.redis, script, 1, arguments, 2, on_answer, &w), CRAWL_OK);
    run(&w, 1);
    cr_assert(strstr(w.log.data, "TIME;EVALSHA "), "%s", w.log.data);
    cr_assert(strstr(w.log.data, "1 key x;EVAL -- crawl nine 2\nreturn 9 1 key x;"), "%s", w.log.data);
    cr_assert_eq(crawl_redis_eval(w.redis, script, 1, arguments, 2, on_answer, &w), CRAWL_OK);
    run(&w, 1);
    cr_assert_str_eq(w.answers.data, "9;9;");
    close_world(&w);
    crawl_redis_script_free(script);
}
