/* Everything that a server could make too long or too large. */
#include "tests/unit/fetch/fixture.h"

#include <zlib.h>

#define OK_HEAD "HTTP/1.1 200 OK\r\n"

TestSuite(limits, .timeout = 20);

static crawl_fetch_options defaults(void)
{
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    return options;
}

/* Sends one GET of / with these options, answered with these bytes. */
static void run(crawl_fetch_options options, crawl_slice answer, script_end end, crawl_fetch_request request,
                outcome *o)
{
    const script_answer answers[] = {{NULL, answer.data, answer.size, end, false}, {0}};
    fixture f;
    fixture_open(&f, answers, &options);
    fixture_run(&f, "/", request, o);
    fixture_close(&f);
}

static void expect_run(crawl_fetch_options options, crawl_slice answer, crawl_fetch_error error)
{
    outcome o;
    run(options, answer, SCRIPT_KEEP, (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &o);
    expect_error(&o, error);
    crawl_buf_free(&o.body);
}

Test(limits, whole_time)
{
    crawl_fetch_options options = defaults();
    options.timeout_ms = 50;
    outcome o;
    run(options, crawl_slice_from(OK_HEAD "Content-Length: 9\r\n\r\nhalf"), SCRIPT_HOLD,
        (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &o);
    expect_error(&o, CRAWL_FETCH_TIMEOUT);
    expect_body(&o, "half");
    cr_expect_eq(o.status, 200);
    crawl_buf_free(&o.body);
}

Test(limits, low_speed)
{
    crawl_fetch_options options = defaults();
    options.low_speed_ms = 1000;
    outcome o;
    run(options, crawl_slice_from(OK_HEAD "Content-Length: 9\r\n\r\nhalf"), SCRIPT_HOLD,
        (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &o);
    expect_error(&o, CRAWL_FETCH_TIMEOUT);
    expect_body(&o, "half");
    cr_expect_lt(o.elapsed_ms, 15000);
    crawl_buf_free(&o.body);
}

static void fill(crawl_buf *out, char c, size_t count)
{
    cr_assert_eq(crawl_buf_reserve(out, count), CRAWL_OK);
    memset(out->data + out->size, c, count);
    out->size += count;
    out->data[out->size] = '\0';
}

/* Makes a response whose header has lines of `size` bytes each. */
static void make_header(crawl_buf *out, unsigned lines, size_t size)
{
    cr_assert_eq(crawl_buf_append_text(out, OK_HEAD), CRAWL_OK);
    while (lines--) {
        cr_assert_eq(crawl_buf_append_text(out, "X: "), CRAWL_OK);
        fill(out, 'h', size - 5);
        cr_assert_eq(crawl_buf_append_text(out, "\r\n"), CRAWL_OK);
    }
    cr_assert_eq(crawl_buf_append_text(out, "Content-Length: 2\r\n\r\nok"), CRAWL_OK);
}

Test(limits, header)
{
    const struct {
        uint64_t limit;
        unsigned lines;
        size_t size;
        crawl_fetch_error error;
    } rows[] = {
        {1000, 9, 100, CRAWL_FETCH_OK},
        {1000, 11, 100, CRAWL_FETCH_TOO_LARGE},
        {1000, 1, 2000, CRAWL_FETCH_TOO_LARGE},
        {256 * 1024, 1, 90 * 1024, CRAWL_FETCH_OK},
        {256 * 1024, 1, 150 * 1024, CRAWL_FETCH_TOO_LARGE}, /* libcurl's own limit for a line */
        {1024 * 1024, 1, 1024 * 1024, CRAWL_FETCH_TOO_LARGE},
        {1024 * 1024, 10000, 100, CRAWL_FETCH_TOO_LARGE}, /* and for all lines */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf answer = {0};
        crawl_fetch_options options = defaults();
        options.max_header_bytes = rows[i].limit;
        make_header(&answer, rows[i].lines, rows[i].size);
        expect_run(options, crawl_buf_slice(&answer), rows[i].error);
        crawl_buf_free(&answer);
    }
}

Test(limits, interim_answers_count)
{
    crawl_buf answer = {0};
    crawl_fetch_options options = defaults();
    options.max_header_bytes = 2000;
    for (int i = 0; i < 100; i++)
        cr_assert_eq(crawl_buf_append_text(&answer, "HTTP/1.1 102 Processing\r\n\r\n"), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&answer, OK_HEAD "Content-Length: 0\r\n\r\n"), CRAWL_OK);
    expect_run(options, crawl_buf_slice(&answer), CRAWL_FETCH_TOO_LARGE);
    crawl_buf_free(&answer);
}

Test(limits, trailers_count)
{
    crawl_buf answer = {0};
    crawl_fetch_options options = defaults();
    options.max_header_bytes = 2000;
    cr_assert_eq(crawl_buf_append_text(&answer, OK_HEAD "Transfer-Encoding: chunked\r\n\r\n0\r\n"), CRAWL_OK);
    for (int i = 0; i < 200; i++)
        cr_assert_eq(crawl_buf_append_text(&answer, "Trailer: 1\r\n"), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&answer, "\r\n"), CRAWL_OK);
    expect_run(options, crawl_buf_slice(&answer), CRAWL_FETCH_TOO_LARGE);
    crawl_buf_free(&answer);
}

Test(limits, extensions_of_chunks_count)
{
    crawl_buf answer = {0};
    crawl_fetch_options options = defaults();
    options.max_header_bytes = 2000;
    cr_assert_eq(crawl_buf_append_text(&answer, OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"), CRAWL_OK);
    for (int i = 0; i < 20; i++) {
        cr_assert_eq(crawl_buf_append_text(&answer, "1;"), CRAWL_OK);
        fill(&answer, 'x', 80);
        cr_assert_eq(crawl_buf_append_text(&answer, "\r\nb\r\n"), CRAWL_OK);
    }
    crawl_buf longer = {0};
    cr_assert_eq(crawl_buf_append(&longer, answer.data, answer.size), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&longer, "1;"), CRAWL_OK);
    fill(&longer, 'x', 400);
    cr_assert_eq(crawl_buf_append_text(&answer, "0\r\n\r\n"), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&longer, "\r\nb\r\n0\r\n\r\n"), CRAWL_OK);
    expect_run(options, crawl_buf_slice(&answer), CRAWL_FETCH_OK);
    expect_run(options, crawl_buf_slice(&longer), CRAWL_FETCH_TOO_LARGE);
    crawl_buf_free(&answer);
    crawl_buf_free(&longer);
}

/* The limit is that of libcurl 8, which refuses more than 5000 lines; earlier versions have none. */
Test(limits, header_lines)
{
    crawl_buf answer = {0};
    crawl_fetch_options options = defaults();
    make_header(&answer, 4900, 10);
    expect_run(options, crawl_buf_slice(&answer), CRAWL_FETCH_OK);
    crawl_buf_clear(&answer);
    make_header(&answer, 5100, 10);
    expect_run(options, crawl_buf_slice(&answer), CRAWL_FETCH_TOO_LARGE);
    crawl_buf_free(&answer);
}

Test(limits, body)
{
    static const char answer[] = OK_HEAD "Content-Length: 10\r\n\r\n0123456789";
    const struct {
        uint64_t of_fetcher;
        uint64_t of_request;
        bool cut;
        crawl_fetch_error error;
        const char *body;
    } rows[] = {
        {10, 0, false, CRAWL_FETCH_OK, "0123456789"}, {9, 0, false, CRAWL_FETCH_TOO_LARGE, "012345678"},
        {9, 0, true, CRAWL_FETCH_OK, "012345678"},    {9, 20, false, CRAWL_FETCH_OK, "0123456789"},
        {0, 3, false, CRAWL_FETCH_TOO_LARGE, "012"},  {0, 0, false, CRAWL_FETCH_OK, "0123456789"},
        {0, 3, true, CRAWL_FETCH_OK, "012"},          {10, 10, true, CRAWL_FETCH_OK, "0123456789"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_fetch_options options = defaults();
        options.max_body_bytes = rows[i].of_fetcher;
        crawl_fetch_request request = {
            .size = sizeof request, .max_body_bytes = rows[i].of_request, .cut_body = rows[i].cut};
        outcome o;
        run(options, crawl_slice_from(answer), SCRIPT_KEEP, request, &o);
        expect_error(&o, rows[i].error);
        expect_body(&o, rows[i].body);
        cr_expect_eq(o.body_cut, rows[i].cut && strlen(rows[i].body) < 10);
        crawl_buf_free(&o.body);
    }
}

static void gzip_zeros(crawl_buf *out, size_t count)
{
    crawl_buf zeros = {0};
    fill(&zeros, '\0', count);
    z_stream z = {.next_in = (Bytef *)zeros.data, .avail_in = (uInt)count};
    cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(crawl_buf_reserve(out, deflateBound(&z, count)), CRAWL_OK);
    z.next_out = (Bytef *)out->data + out->size;
    z.avail_out = (uInt)(out->capacity - out->size);
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->size += z.total_out;
    deflateEnd(&z);
    crawl_buf_free(&zeros);
}

Test(limits, compressed_body_counts_decoded)
{
    enum { DECODED = 16 << 20 };
    crawl_buf packed = {0};
    crawl_buf answer = {0};
    gzip_zeros(&packed, DECODED);
    cr_assert_eq(
        crawl_buf_printf(&answer, OK_HEAD "Content-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", packed.size),
        CRAWL_OK);
    cr_assert_eq(crawl_buf_append(&answer, packed.data, packed.size), CRAWL_OK);
    crawl_fetch_options options = defaults();
    options.max_body_bytes = 100000;
    outcome o;
    run(options, crawl_buf_slice(&answer), SCRIPT_KEEP, (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &o);
    expect_error(&o, CRAWL_FETCH_TOO_LARGE);
    cr_expect_eq(o.body.size, 100000);
    crawl_buf_free(&o.body);
    run(options, crawl_buf_slice(&answer), SCRIPT_KEEP,
        (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .max_body_bytes = DECODED}, &o);
    expect_error(&o, CRAWL_FETCH_OK);
    cr_expect_eq(o.body.size, DECODED);
    cr_expect_lt(o.wire_bytes, 100000);
    crawl_buf_free(&o.body);
    crawl_buf_free(&answer);
    crawl_buf_free(&packed);
}

/* ---- memory of all bodies ---- */

typedef struct keeper {
    fixture f;
    const crawl_response *kept;
} keeper;

static void keep(void *user, const crawl_response *response)
{
    keeper *k = user;
    k->kept = response;
    crawl_fetch_keep(k->f.fetcher, response);
}

static bool one_waits(const keeper *k)
{
    crawl_fetcher_stats stats;
    crawl_fetcher_stats_get(k->f.fetcher, &stats);
    return stats.bodies_waiting == 1;
}

Test(limits, body_of_a_kept_answer_counts_until_it_is_given_back)
{
    crawl_buf answer = {0};
    cr_assert_eq(crawl_buf_append_text(&answer, OK_HEAD "Content-Length: 1048576\r\n\r\n"), CRAWL_OK);
    fill(&answer, 'b', 1 << 20);
    const script_answer answers[] = {{NULL, answer.data, answer.size, SCRIPT_KEEP, false}, {0}};
    crawl_fetch_options options = defaults();
    options.max_bodies_bytes = 1;
    keeper k = {0};
    fixture_open(&k.f, answers, &options);
    crawl_fetch_request request = {.size = sizeof request, .url = fixture_url(&k.f, "/"), .on_done = keep, .user = &k};
    cr_assert_eq(crawl_fetch(k.f.fetcher, &request, NULL), CRAWL_OK);
    while (!k.kept)
        event_base_loop(k.f.base, EVLOOP_ONCE);
    outcome o;
    fixture_start(&k.f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &o);
    while (!one_waits(&k) && !o.done)
        event_base_loop(k.f.base, EVLOOP_ONCE);
    cr_expect_eq(o.done, 0);
    crawl_fetch_give_back(k.f.fetcher, k.kept);
    fixture_wait(&k.f, &o);
    expect_error(&o, CRAWL_FETCH_OK);
    cr_expect_eq(o.body.size, 1 << 20);
    crawl_buf_free(&o.body);
    fixture_close(&k.f);
    crawl_buf_free(&answer);
}
