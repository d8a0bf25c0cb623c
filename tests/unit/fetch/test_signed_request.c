/* A fetcher signs every request that leaves, exactly as it leaves, and once. */
#include "tests/unit/fetch/fixture.h"

#include "base/bytes.h"
#include "base/clock.h"

#include <crawl/identity.h>

#define AGENT "https://bot.example"

static const script_answer answers[] = {
    {"/once", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 0, SCRIPT_KEEP, true},
    {NULL, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 0, SCRIPT_KEEP, false},
    {0}};

static fixture f;
static crawl_identity *key, *held;
static crawl_keys *keys;
static unsigned made;
static crawl_err failure;

/* Signs with the key as if it were held elsewhere, and counts. */
static crawl_err sign_elsewhere(void *, crawl_slice, uint8_t signature[CRAWL_IDENTITY_SIGNATURE_SIZE])
{
    memset(signature, (int)++made, CRAWL_IDENTITY_SIGNATURE_SIZE);
    return failure;
}

static void open_fixture(void)
{
    crawl_fetch_options options;
    crawl_buf json = {0};
    crawl_fetch_options_init(&options, sizeof options);
    options.user_agent = "bot/1 (+https://bot.example/)";
    fixture_open(&f, answers, &options);
    cr_assert_eq(crawl_identity_generate(&key), CRAWL_OK);
    cr_assert_eq(crawl_identity_hold(crawl_identity_key(key), sign_elsewhere, NULL, &held), CRAWL_OK);
    const crawl_identity *all[] = {key};
    cr_assert_eq(crawl_directory_write(all, 1, &json), CRAWL_OK);
    cr_assert_eq(crawl_keys_parse(crawl_buf_slice(&json), &keys, NULL), CRAWL_OK);
    crawl_buf_free(&json);
}

static void close_fixture(void)
{
    fixture_close(&f);
    crawl_keys_free(keys);
    crawl_identity_free(held);
    crawl_identity_free(key);
}

TestSuite(signed_request, .init = open_fixture, .fini = close_fixture, .timeout = 20);

static crawl_signing by_key(void)
{
    return (crawl_signing){.size = sizeof(crawl_signing), .identity = key, .agent = AGENT, .http = true};
}

/* Verifies the request that the server read last, for the URL that it was sent to. */
static crawl_verification verify_last(const char *method, crawl_slice url, const char *body)
{
    crawl_header headers[24];
    crawl_slice rest = crawl_slice_from(script_server_last(f.server));
    crawl_message message = {.size = sizeof message,
                             .method = crawl_slice_from(method),
                             .url = url,
                             .body = crawl_slice_from(body),
                             .headers = headers};
    crawl_verification found;
    cw_cut_line(&rest);
    for (crawl_slice line = cw_trim(cw_cut_line(&rest)); line.size; line = cw_trim(cw_cut_line(&rest))) {
        cr_assert_lt(message.header_count, 24);
        headers[message.header_count].name = cw_cut(&line, ':');
        headers[message.header_count++].value = cw_trim(line);
    }
    cr_assert_eq(crawl_verify(&message, keys, cw_wall_ms() / 1000, &found), CRAWL_OK);
    return found;
}

static bool was_signed(void)
{
    return strstr(script_server_last(f.server), "\r\nSignature") != NULL;
}

Test(signed_request, is_what_really_leaves)
{
    static const struct {
        const char *method, *path, *headers, *body;
    } rows[] = {
        {"GET", "/", "", ""},
        {"GET", "/%2e%2E/../a/./b//c?d=[]&&#e", "", ""},
        {"GET", "/?", "", ""},
        {"HEAD", "/a", "", ""},
        {"GET", "/a", "If-None-Match: \"x\"\n", ""},
        {"POST", "/a?b", "Content-Type: text/plain\n", "body"},
        {"GET", "/last", "", ""}, /* a plain one after one with its own lines */
    };
    crawl_signing signing = by_key();
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        outcome o;
        size_t row = i / 2;
        signing.form = i % 2 ? CRAWL_SIGNING_STRING : CRAWL_SIGNING_DICTIONARY;
        crawl_slice url = fixture_url(&f, rows[row].path);
        fixture_run(&f, rows[row].path,
                    (crawl_fetch_request){.size = sizeof(crawl_fetch_request),
                                          .method = crawl_slice_from(rows[row].method),
                                          .headers = crawl_slice_from(rows[row].headers),
                                          .body = crawl_slice_from(rows[row].body),
                                          .signing = &signing},
                    &o);
        expect_error(&o, CRAWL_FETCH_OK);
        crawl_verification found = verify_last(rows[row].method, url, rows[row].body);
        cr_expect_eq(found.verdict, CRAWL_VERIFIED, "%zu: %s\n%s", i, found.why, script_server_last(f.server));
        cr_expect_not_null(strstr(script_server_last(f.server), "\r\nAccept: text/html"));
        crawl_buf_free(&o.body);
    }
}

Test(signed_request, leaves_no_lines_for_the_next)
{
    crawl_signing signing = by_key();
    for (unsigned i = 0; i < 6; i++) {
        outcome o;
        const char *headers = i < 3 ? "" : "X-Own: 1\n";
        fixture_run(&f, "/",
                    (crawl_fetch_request){.size = sizeof(crawl_fetch_request),
                                          .headers = crawl_slice_from(headers),
                                          .signing = i % 2 ? NULL : &signing},
                    &o);
        expect_error(&o, CRAWL_FETCH_OK);
        cr_expect_eq(was_signed(), i % 2 == 0, "%u", i);
        cr_expect_eq(strstr(script_server_last(f.server), "X-Own: 1") != NULL, i >= 3);
        crawl_buf_free(&o.body);
    }
}

/* libcurl repeats a request if the kept connection was just closed: with another nonce. */
Test(signed_request, that_libcurl_repeats_is_signed_anew)
{
    crawl_signing signing = by_key();
    signing.identity = held;
    for (unsigned i = 1; i <= 3; i++) {
        outcome o;
        fixture_run(&f, "/once", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .signing = &signing}, &o);
        expect_error(&o, CRAWL_FETCH_OK);
        crawl_buf_free(&o.body);
    }
    cr_expect_eq(script_server_requests(f.server), 5);
    cr_expect_eq(made, 5);
    /* The fifth signature is 64 times the byte 5. */
    cr_expect_not_null(strstr(script_server_last(f.server), "\r\nSignature: sig1=:BQUFBQUF"), "%s",
                       script_server_last(f.server));
}

Test(signed_request, goes_unsigned_over_plain_http_unless_told)
{
    crawl_signing signing = by_key();
    outcome o;
    signing.http = false;
    fixture_run(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .signing = &signing}, &o);
    expect_error(&o, CRAWL_FETCH_OK);
    cr_expect_not(was_signed());
    crawl_buf_free(&o.body);
    signing.http = true;
    signing.asked = "a=(\"@authority\")"; /* never because a server asks */
    fixture_run(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .signing = &signing}, &o);
    expect_error(&o, CRAWL_FETCH_OK);
    cr_expect_not(was_signed());
    crawl_buf_free(&o.body);
}

Test(signed_request, does_not_leave_where_it_cannot_be_signed)
{
    crawl_signing signing = by_key();
    outcome o;
    signing.identity = held;
    failure = CRAWL_ENET;
    fixture_run(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .signing = &signing}, &o);
    expect_error(&o, CRAWL_FETCH_LOCAL);
    cr_expect(strstr(o.text, "not signed"), "%s", o.text);
    cr_expect_eq(o.started, 0);
    cr_expect_eq(script_server_requests(f.server), 0);
    failure = CRAWL_OK;
    crawl_buf_free(&o.body);
}
