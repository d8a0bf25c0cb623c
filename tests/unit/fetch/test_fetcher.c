/* Transfers from start to end: responses, callbacks, cancelling, connections. */
#include "tests/unit/fetch/fixture.h"

#define OK_HEAD "HTTP/1.1 200 OK\r\n"
#define OK_BODY OK_HEAD "Content-Length: 4\r\nX-Test: yes \r\n\r\nbody"

static const script_answer answers[] = {
    {"/", OK_BODY, 0, SCRIPT_KEEP, false},
    {"/moved", "HTTP/1.1 301 Moved\r\nLocation: /\r\nX-Test: there\r\nContent-Length: 4\r\n\r\nnote", 0, SCRIPT_KEEP,
     false},
    {"/early", "HTTP/1.1 103 Early Hints\r\nX-Test: no\r\n\r\n" OK_BODY, 0, SCRIPT_KEEP, false},
    {"/chunked", OK_HEAD "Transfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2;x=y\r\ndy\r\n0\r\nX-Test: trailer\r\n\r\n", 0,
     SCRIPT_KEEP, false},
    {"/until-close", "HTTP/1.0 200 OK\r\n\r\nbody", 0, SCRIPT_CLOSE, false},
    {"/none", "HTTP/1.1 204 No Content\r\n\r\n", 0, SCRIPT_KEEP, false},
    {"/long", OK_HEAD "Content-Length: 4\r\n\r\nbody and more", 0, SCRIPT_CLOSE, false},
    {"/hold", "", 0, SCRIPT_HOLD, false},
    {"/half", OK_HEAD "Content-Length: 10\r\n\r\nhalf", 0, SCRIPT_HOLD, false},
    {"/once", OK_BODY, 0, SCRIPT_KEEP, true},
    {"/set-cookie", OK_HEAD "Set-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n", 0, SCRIPT_KEEP, false},
    {0},
};

static fixture f;

static void open_fixture(void)
{
    fixture_open(&f, answers, NULL);
}

static void close_fixture(void)
{
    fixture_close(&f);
}

TestSuite(fetcher, .init = open_fixture, .fini = close_fixture, .timeout = 20);

/* ---- responses ---- */

Test(fetcher, status_header_body)
{
    outcome o;
    fixture_get(&f, "/", &o);
    expect_error(&o, CRAWL_FETCH_OK);
    cr_expect_eq(o.status, 200);
    cr_expect_eq(o.version, 11);
    cr_expect_eq(o.header_count, 2);
    cr_expect_str_eq(o.header, "yes");
    expect_body(&o, "body");
    cr_expect_str_eq(o.ip, "127.0.0.1");
    cr_expect_eq(o.wire_bytes, sizeof OK_BODY - 1);
    cr_expect_gt(o.elapsed_ms, 0);
    crawl_buf_free(&o.body);
}

Test(fetcher, shapes_of_answers)
{
    const struct {
        const char *path;
        int status;
        int version;
        const char *header;
        const char *body;
    } rows[] = {
        {"/moved", 301, 11, "there", "note"},  {"/early", 200, 11, "yes", "body"}, {"/chunked", 200, 11, "", "body"},
        {"/until-close", 200, 10, "", "body"}, {"/none", 204, 11, "", ""},         {"/long", 200, 11, "", "body"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        outcome o;
        fixture_get(&f, rows[i].path, &o);
        expect_error(&o, CRAWL_FETCH_OK);
        cr_expect_eq(o.status, rows[i].status, "%s", rows[i].path);
        cr_expect_eq(o.headers_status, rows[i].status, "%s", rows[i].path);
        cr_expect_eq(o.headers_seen, 1, "%s", rows[i].path);
        cr_expect_eq(o.version, rows[i].version, "%s", rows[i].path);
        cr_expect_str_eq(o.header, rows[i].header, "%s", rows[i].path);
        expect_body(&o, rows[i].body);
        crawl_buf_free(&o.body);
    }
    cr_expect_eq(script_server_requests(f.server), sizeof rows / sizeof *rows, "a redirect was followed");
}

Test(fetcher, head_has_no_body)
{
    outcome o;
    fixture_run(&f, "/moved",
                (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .method = crawl_slice_from("HEAD")}, &o);
    expect_error(&o, CRAWL_FETCH_OK);
    cr_expect_eq(o.status, 301);
    cr_expect_str_eq(o.header, "there");
    expect_body(&o, "");
    crawl_buf_free(&o.body);
}

Test(fetcher, names_below_localhost_need_no_dns)
{
    outcome o;
    char url[80];
    snprintf(url, sizeof url, "http://some.name.localhost:%u/", script_server_port(f.server));
    fixture_run(&f, "", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = crawl_slice_from(url)}, &o);
    expect_error(&o, CRAWL_FETCH_OK);
    cr_expect_str_eq(o.ip, "127.0.0.1");
    cr_expect_not_null(strstr(script_server_last(f.server), "\r\nHost: some.name.localhost:"));
    crawl_buf_free(&o.body);
}

Test(fetcher, header_lookup)
{
    crawl_header headers[] = {{crawl_slice_from("A"), crawl_slice_from("1")},
                              {crawl_slice_from("a"), crawl_slice_from("2")}};
    crawl_response response = {.size = sizeof response, .headers = headers, .header_count = 2};
    cr_expect(crawl_slice_equal(crawl_response_header(&response, "a"), crawl_slice_from("1")));
    cr_expect_null(crawl_response_header(&response, "ab").data);
}

/* ---- responses that are kept ---- */

typedef struct kept {
    unsigned done;
    const crawl_response *response;
} kept;

static void keep(void *user, const crawl_response *response)
{
    kept *k = user;
    k->done++;
    k->response = response;
    crawl_fetch_keep(f.fetcher, response);
}

static void start_kept(kept *k)
{
    crawl_fetch_request request = {.size = sizeof request, .url = fixture_url(&f, "/"), .on_done = keep, .user = k};
    cr_assert_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_OK);
    while (!k->done)
        event_base_loop(f.base, EVLOOP_ONCE);
}

static uint64_t body_bytes(void)
{
    crawl_fetcher_stats stats;
    crawl_fetcher_stats_get(f.fetcher, &stats);
    return stats.body_bytes;
}

Test(fetcher, kept_answer_outlives_its_connection_and_its_end)
{
    kept k = {0};
    start_kept(&k);
    cr_expect_eq(crawl_fetcher_running(f.fetcher), 0);
    cr_expect_gt(body_bytes(), 0);
    for (int i = 0; i < 3; i++) {
        outcome o;
        fixture_get(&f, "/moved", &o);
        expect_body(&o, "note");
        crawl_buf_free(&o.body);
    }
    crawl_fetch_cancel_all(f.fetcher);
    event_base_loop(f.base, EVLOOP_NONBLOCK);
    cr_expect_eq(script_server_accepts(f.server), 1, "the connection serves others meanwhile");
    cr_expect_eq(k.done, 1);
    cr_expect_eq(k.response->status, 200);
    cr_expect(crawl_slice_equal(k.response->body, crawl_slice_from("body")));
    cr_expect(crawl_slice_equal(crawl_response_header(k.response, "X-Test"), crawl_slice_from("yes")));
    cr_expect_str_eq(k.response->ip, "127.0.0.1");
    crawl_fetch_give_back(f.fetcher, k.response);
    cr_expect_eq(body_bytes(), 0);
}

Test(fetcher, free_with_a_kept_answer)
{
    kept k = {0};
    start_kept(&k);
}

static void keep_and_give_back(void *user, const crawl_response *response)
{
    unsigned *done = user;
    ++*done;
    crawl_fetch_keep(f.fetcher, response);
    crawl_fetch_give_back(f.fetcher, response);
}

Test(fetcher, an_answer_may_be_given_back_in_its_own_callback)
{
    unsigned done = 0;
    crawl_fetch_request request = {
        .size = sizeof request, .url = fixture_url(&f, "/"), .on_done = keep_and_give_back, .user = &done};
    cr_assert_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_OK);
    while (!done)
        event_base_loop(f.base, EVLOOP_ONCE);
    outcome first, second;
    fixture_start(&f, "/", (crawl_fetch_request){.size = sizeof request}, &first);
    fixture_start(&f, "/moved", (crawl_fetch_request){.size = sizeof request}, &second);
    cr_expect_neq(first.id, second.id);
    while (!first.done || !second.done)
        event_base_loop(f.base, EVLOOP_ONCE);
    expect_body(&first, "body");
    expect_body(&second, "note");
    crawl_buf_free(&first.body);
    crawl_buf_free(&second.body);
}

/* ---- callbacks ---- */

Test(fetcher, on_start_comes_once_and_before_the_request)
{
    outcome o;
    for (unsigned i = 0; i < 3; i++) {
        fixture_get(&f, "/", &o);
        cr_expect_eq(o.started, 1);
        cr_expect_eq(o.requests_at_start, i);
        crawl_buf_free(&o.body);
    }
    cr_expect_eq(script_server_accepts(f.server), 1);
}

static bool refuse(void *user, const crawl_response *response)
{
    fixture_headers(user, response);
    return false;
}

Test(fetcher, body_that_is_not_wanted_is_not_waited_for)
{
    outcome o;
    fixture_run(&f, "/half", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .on_headers = refuse}, &o);
    expect_error(&o, CRAWL_FETCH_OK);
    cr_expect_eq(o.status, 200);
    cr_expect_eq(o.headers_status, 200);
    expect_body(&o, "");
    crawl_buf_free(&o.body);
}

typedef struct chain {
    fixture *fixture;
    unsigned left;
    unsigned done;
    unsigned depth;
} chain;

static void chain_next(void *user, const crawl_response *response)
{
    chain *c = user;
    cr_expect_eq(response->error, CRAWL_FETCH_OK, "%s", response->error_text);
    cr_assert_eq(c->depth++, 0, "on_done within on_done");
    c->done++;
    if (c->left > 0) {
        c->left--;
        crawl_fetch_request request = {
            .size = sizeof request, .url = fixture_url(c->fixture, "/"), .on_done = chain_next, .user = c};
        cr_assert_eq(crawl_fetch(c->fixture->fetcher, &request, NULL), CRAWL_OK);
    }
    c->depth--;
}

Test(fetcher, many_over_few_connections)
{
    chain c = {.fixture = &f, .left = 200 - 4};
    crawl_fetch_request request = {
        .size = sizeof request, .url = fixture_url(&f, "/"), .on_done = chain_next, .user = &c};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_OK);
    cr_expect_eq(crawl_fetcher_running(f.fetcher), 4);
    while (c.done < 200)
        event_base_loop(f.base, EVLOOP_ONCE);
    cr_expect_eq(crawl_fetcher_running(f.fetcher), 0);
    cr_expect_eq(script_server_requests(f.server), 200);
    cr_expect_leq(script_server_accepts(f.server), 4);
}

Test(fetcher, many_at_once)
{
    chain c = {.fixture = &f};
    crawl_fetch_request request = {
        .size = sizeof request, .url = fixture_url(&f, "/"), .on_done = chain_next, .user = &c};
    for (int i = 0; i < 200; i++)
        cr_assert_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_OK);
    while (c.done < 200)
        event_base_loop(f.base, EVLOOP_ONCE);
    cr_expect_eq(script_server_requests(f.server), 200);
    /* Connections are kept: a second round with as many as are kept needs no new one. */
    unsigned accepts = script_server_accepts(f.server);
    for (unsigned i = 0; i < f.options.max_connections; i++)
        cr_assert_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_OK);
    while (c.done < 200 + f.options.max_connections)
        event_base_loop(f.base, EVLOOP_ONCE);
    cr_expect_eq(script_server_accepts(f.server), accepts);
}

/* Idle connections above the limit are closed, and kept ones are used. */
Test(fetcher, idle_connections_are_limited)
{
    crawl_fetch_options options = f.options;
    options.max_connections = 3;
    crawl_fetcher *saved = f.fetcher;
    cr_assert_eq(crawl_fetcher_create(f.base, &options, &f.fetcher, NULL), CRAWL_OK);
    chain c = {.fixture = &f};
    crawl_fetch_request request = {
        .size = sizeof request, .url = fixture_url(&f, "/"), .on_done = chain_next, .user = &c};
    for (int i = 0; i < 50; i++)
        cr_assert_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_OK);
    while (c.done < 50 || script_server_open(f.server) > 3)
        event_base_loop(f.base, EVLOOP_ONCE);
    cr_expect_eq(script_server_open(f.server), 3);
    unsigned accepts = script_server_accepts(f.server);
    c.left = 20;
    cr_assert_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_OK);
    while (c.done < 71)
        event_base_loop(f.base, EVLOOP_ONCE);
    cr_expect_eq(script_server_accepts(f.server), accepts);
    crawl_fetcher_free(f.fetcher);
    f.fetcher = saved;
}

Test(fetcher, a_connection_that_is_not_wanted_again_is_closed)
{
    chain c = {.fixture = &f};
    crawl_fetch_request request = {
        .size = sizeof request, .url = fixture_url(&f, "/"), .on_done = chain_next, .user = &c, .close = true};
    for (unsigned i = 1; i <= 3; i++) {
        cr_assert_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_OK);
        while (c.done < i)
            event_base_loop(f.base, EVLOOP_ONCE);
        cr_expect_eq(script_server_accepts(f.server), i);
    }
}

static void start_from_callback(void *user)
{
    outcome *pair = user;
    pair[0].started++;
    crawl_fetch_request request = {
        .size = sizeof request, .url = fixture_url(&f, "/"), .on_done = fixture_done, .user = &pair[1]};
    cr_assert_eq(crawl_fetch(f.fetcher, &request, &pair[1].id), CRAWL_OK);
}

Test(fetcher, fetch_from_within_libcurl)
{
    outcome pair[2] = {{0}, {.fixture = &f}};
    fixture_run(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .on_start = start_from_callback},
                pair);
    fixture_wait(&f, &pair[1]);
    expect_error(&pair[0], CRAWL_FETCH_OK);
    expect_error(&pair[1], CRAWL_FETCH_OK);
    crawl_buf_free(&pair[0].body);
    crawl_buf_free(&pair[1].body);
}

/* ---- cancelling ---- */

Test(fetcher, cancel_before_it_starts)
{
    outcome o;
    fixture_start(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &o);
    cr_expect_eq(crawl_fetch_cancel(f.fetcher, o.id), CRAWL_OK);
    cr_expect_eq(crawl_fetch_cancel(f.fetcher, o.id), CRAWL_OK);
    cr_expect_eq(o.done, 0);
    fixture_wait(&f, &o);
    expect_error(&o, CRAWL_FETCH_CANCELLED);
    cr_expect_eq(o.started, 0);
    cr_expect_eq(o.elapsed_ms, 0);
    cr_expect_eq(crawl_fetch_cancel(f.fetcher, o.id), CRAWL_ABSENT);
    cr_expect_eq(crawl_fetch_cancel(f.fetcher, 0), CRAWL_ABSENT);
    cr_expect_eq(script_server_accepts(f.server), 0);
    crawl_buf_free(&o.body);
}

Test(fetcher, cancel_while_it_waits_for_an_answer)
{
    outcome o;
    fixture_start(&f, "/hold", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &o);
    fixture_wait_requests(&f, 1);
    cr_expect_eq(crawl_fetch_cancel(f.fetcher, o.id), CRAWL_OK);
    cr_expect_eq(o.done, 0);
    fixture_wait(&f, &o);
    expect_error(&o, CRAWL_FETCH_CANCELLED);
    cr_expect_str_eq(o.ip, "127.0.0.1");
    crawl_buf_free(&o.body);
}

static void cancel_at_start(void *user)
{
    outcome *o = user;
    fixture_started(o);
    cr_expect_eq(crawl_fetch_cancel(f.fetcher, o->id), CRAWL_OK);
}

static bool cancel_at_headers(void *user, const crawl_response *response)
{
    outcome *o = user;
    fixture_headers(o, response);
    cr_expect_eq(crawl_fetch_cancel(f.fetcher, o->id), CRAWL_OK);
    return true;
}

Test(fetcher, cancel_from_within_libcurl)
{
    outcome o;
    fixture_run(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .on_start = cancel_at_start}, &o);
    expect_error(&o, CRAWL_FETCH_CANCELLED);
    cr_expect_eq(script_server_requests(f.server), 0);
    crawl_buf_free(&o.body);
    fixture_run(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .on_headers = cancel_at_headers},
                &o);
    expect_error(&o, CRAWL_FETCH_CANCELLED);
    cr_expect_eq(o.status, 200);
    expect_body(&o, "");
    crawl_buf_free(&o.body);
    fixture_get(&f, "/", &o);
    expect_error(&o, CRAWL_FETCH_OK);
    crawl_buf_free(&o.body);
}

/* Each transfer that ends cancels all others: running, waiting, or done but not yet reported. */
static void cancel_others(void *user, const crawl_response *response)
{
    unsigned *counts = user;
    counts[response->error == CRAWL_FETCH_CANCELLED]++;
    crawl_fetch_cancel_all(f.fetcher);
}

Test(fetcher, cancel_all_from_on_done)
{
    unsigned counts[2] = {0};
    crawl_fetch_request request = {.size = sizeof request, .on_done = cancel_others, .user = counts};
    for (int i = 0; i < 20; i++) {
        request.url = fixture_url(&f, i % 2 ? "/" : "/hold");
        cr_assert_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_OK);
    }
    while (crawl_fetcher_running(f.fetcher) > 0)
        event_base_loop(f.base, EVLOOP_ONCE);
    cr_expect_eq(counts[0], 1);
    cr_expect_eq(counts[1], 19);
}

static void never_done(void *, const crawl_response *)
{
    cr_assert_fail("on_done after free");
}

Test(fetcher, free_with_transfers_in_every_state)
{
    crawl_fetcher *fetcher;
    cr_assert_eq(crawl_fetcher_create(f.base, &f.options, &fetcher, NULL), CRAWL_OK);
    crawl_fetch_request request = {.size = sizeof request, .url = fixture_url(&f, "/hold"), .on_done = never_done};
    uint64_t cancelled;
    for (int i = 0; i < 5; i++)
        cr_assert_eq(crawl_fetch(fetcher, &request, &cancelled), CRAWL_OK);
    fixture_wait_requests(&f, 5);
    request.url = fixture_url(&f, "/");
    cr_assert_eq(crawl_fetch(fetcher, &request, NULL), CRAWL_OK);
    cr_assert_eq(crawl_fetch_cancel(fetcher, cancelled), CRAWL_OK);
    crawl_fetcher_free(fetcher);
    outcome o;
    fixture_get(&f, "/", &o);
    expect_error(&o, CRAWL_FETCH_OK);
    crawl_buf_free(&o.body);
}

/* ---- connections and cookies ---- */

/* More often than the five times that libcurl 7 repeats requests of one handle. */
Test(fetcher, connection_that_just_closed_is_replaced)
{
    outcome o;
    for (unsigned i = 1; i <= 12; i++) {
        fixture_get(&f, "/once", &o);
        expect_error(&o, CRAWL_FETCH_OK);
        expect_body(&o, "body");
        cr_expect_eq(o.started, 1);
        cr_expect_eq(script_server_accepts(f.server), i);
        crawl_buf_free(&o.body);
    }
    cr_expect_eq(script_server_requests(f.server), 23);
}

Test(fetcher, fresh_connection_asks_once)
{
    outcome o;
    for (unsigned i = 1; i <= 3; i++) {
        fixture_run(&f, "/once", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .fresh_connection = true},
                    &o);
        expect_error(&o, CRAWL_FETCH_OK);
        cr_expect_eq(script_server_accepts(f.server), i);
        cr_expect_eq(script_server_requests(f.server), i);
        crawl_buf_free(&o.body);
    }
}

static bool cookie_comes_back(bool cookies)
{
    crawl_fetch_options options = f.options;
    options.cookies = cookies;
    crawl_fetcher *saved = f.fetcher;
    outcome first, second;
    cr_assert_eq(crawl_fetcher_create(f.base, &options, &f.fetcher, NULL), CRAWL_OK);
    fixture_get(&f, "/set-cookie", &first);
    crawl_buf_free(&first.body);
    /* Two at once, so that one of them uses another handle. */
    fixture_start(&f, "/hold", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &first);
    fixture_get(&f, "/", &second);
    expect_error(&second, CRAWL_FETCH_OK);
    crawl_fetcher_free(f.fetcher);
    f.fetcher = saved;
    crawl_buf_free(&first.body);
    crawl_buf_free(&second.body);
    return strstr(script_server_last(f.server), "\r\nCookie: a=b\r\n") != NULL;
}

Test(fetcher, cookies_only_when_asked_for)
{
    cr_expect_not(cookie_comes_back(false));
    cr_expect(cookie_comes_back(true));
}

Test(fetcher, environment_names_no_proxy)
{
    setenv("http_proxy", "http://127.0.0.1:1/", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1/", 1);
    outcome o;
    fixture_get(&f, "/", &o);
    expect_error(&o, CRAWL_FETCH_OK);
    crawl_buf_free(&o.body);
}

/* The loop has no events of ours once all is done, although connections are kept. */
Test(fetcher, loop_ends_when_idle)
{
    outcome o;
    fixture_get(&f, "/", &o);
    crawl_buf_free(&o.body);
    script_server_stop(f.server);
    f.server = NULL;
    cr_expect_eq(event_base_dispatch(f.base), 1);
}
