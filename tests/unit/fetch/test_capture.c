/* The bytes on the wire, as an archive keeps them. */
#include "tests/unit/fetch/fixture.h"

#define GZIPPED "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00\x00"

static const script_answer answers[] = {
    {.path = "/plain", .bytes = "HTTP/1.1 200 Fine\r\nContent-Length: 5\r\nX-Odd:  a  b \r\n\r\nhello"},
    {.path = "/chunked",
     .bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTail: end\r\n\r\n"},
    {.path = "/gzip",
     .bytes = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n" GZIPPED,
     .size = 63 + 25},
    {.path = "/interim",
     .bytes = "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"},
    {.path = "/last", .bytes = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlast", .once = true},
    {.path = "/long", .bytes = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789"},
    {.path = NULL, .bytes = "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"},
    {0},
};

static fixture f;

typedef struct wire {
    unsigned done;
    bool cut;
    crawl_buf sent, header, body, decoded;
} wire;

static void copy(crawl_buf *to, crawl_slice from)
{
    crawl_buf_clear(to);
    cr_assert_eq(crawl_buf_append(to, from.data, from.size), CRAWL_OK);
}

static void on_done(void *user, const crawl_response *response)
{
    wire *w = user;
    w->done++;
    w->cut = response->received_cut;
    copy(&w->sent, response->sent);
    copy(&w->header, response->received_header);
    copy(&w->body, response->received_body);
    copy(&w->decoded, response->body);
}

static void run(wire *w, const char *path, crawl_fetch_request request)
{
    w->done = 0;
    request.url = fixture_url(&f, path);
    request.on_done = on_done;
    request.user = w;
    cr_assert_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_OK);
    while (!w->done)
        event_base_loop(f.base, EVLOOP_ONCE);
}

static void expect(const crawl_buf *got, const char *bytes, size_t size)
{
    cr_expect(got->size == size && memcmp(got->data, bytes, size) == 0, "got %zu bytes: %.*s", got->size,
              (int)got->size, got->data);
}

static void close_wire(wire *w)
{
    crawl_buf_free(&w->sent);
    crawl_buf_free(&w->header);
    crawl_buf_free(&w->body);
    crawl_buf_free(&w->decoded);
    fixture_close(&f);
}

static const crawl_fetch_request with_capture = {.size = sizeof with_capture, .capture = true};

Test(capture, header_and_body_as_they_came)
{
    wire w = {0};
    fixture_open(&f, answers, NULL);
    run(&w, "/plain", with_capture);
    const char header[] = "HTTP/1.1 200 Fine\r\nContent-Length: 5\r\nX-Odd:  a  b \r\n\r\n";
    expect(&w.header, header, sizeof header - 1);
    expect(&w.body, "hello", 5);
    expect(&w.sent, script_server_last(f.server), strlen(script_server_last(f.server)));
    cr_expect_not(w.cut);
    close_wire(&w);
}

Test(capture, chunks_and_trailers_stay)
{
    wire w = {0};
    fixture_open(&f, answers, NULL);
    run(&w, "/chunked", with_capture);
    const char body[] = "3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTail: end\r\n\r\n";
    expect(&w.body, body, sizeof body - 1);
    expect(&w.decoded, "hello", 5);
    close_wire(&w);
}

Test(capture, codings_stay)
{
    wire w = {0};
    fixture_open(&f, answers, NULL);
    run(&w, "/gzip", with_capture);
    expect(&w.body, GZIPPED, 25);
    expect(&w.decoded, "hello", 5);
    close_wire(&w);
}

Test(capture, the_final_answer_counts)
{
    wire w = {0};
    fixture_open(&f, answers, NULL);
    run(&w, "/interim", with_capture);
    const char header[] = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n";
    expect(&w.header, header, sizeof header - 1);
    expect(&w.body, "x", 1);
    close_wire(&w);
}

Test(capture, what_is_sent_has_its_body)
{
    wire w = {0};
    fixture_open(&f, answers, NULL);
    run(&w, "/form",
        (crawl_fetch_request){.size = sizeof(crawl_fetch_request),
                              .capture = true,
                              .method = crawl_slice_from("POST"),
                              .body = crawl_slice_from("a=1&b=2")});
    cr_assert_geq(w.sent.size, 11);
    expect(&w.sent, script_server_last(f.server), strlen(script_server_last(f.server)));
    cr_expect_eq(memcmp(w.sent.data, "POST /form ", 11), 0);
    cr_expect_eq(memcmp(w.sent.data + w.sent.size - 7, "a=1&b=2", 7), 0);
    close_wire(&w);
}

/* A kept connection had died, so the request is repeated on another, and is captured once. */
Test(capture, a_request_sent_again_stands_once)
{
    wire w = {0};
    fixture_open(&f, answers, NULL);
    run(&w, "/last", with_capture);
    run(&w, "/last", with_capture);
    cr_expect_eq(script_server_accepts(f.server), 2);
    expect(&w.sent, script_server_last(f.server), strlen(script_server_last(f.server)));
    expect(&w.body, "last", 4);
    close_wire(&w);
}

Test(capture, stops_at_the_limit_of_the_body)
{
    wire w = {0};
    fixture_open(&f, answers, NULL);
    run(&w, "/long",
        (crawl_fetch_request){
            .size = sizeof(crawl_fetch_request), .capture = true, .max_body_bytes = 8, .cut_body = true});
    expect(&w.body, "01234567", 8);
    expect(&w.decoded, "01234567", 8);
    cr_expect(w.cut);
    close_wire(&w);
}

Test(capture, is_off_unless_asked_for_and_off_again)
{
    wire w = {0};
    fixture_open(&f, answers, NULL);
    run(&w, "/plain", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)});
    cr_expect_eq(w.sent.size + w.header.size + w.body.size, 0);
    run(&w, "/plain", with_capture);
    cr_expect_gt(w.sent.size, 0);
    run(&w, "/plain", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)});
    cr_expect_eq(w.sent.size + w.header.size + w.body.size, 0);
    expect(&w.decoded, "hello", 5);
    close_wire(&w);
}
