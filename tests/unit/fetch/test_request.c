/* Requests on the wire, byte for byte, and those that are refused earlier. */
#include "tests/unit/fetch/fixture.h"

static const script_answer ok[] = {{NULL, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 0, SCRIPT_KEEP, false},
                                   {0}};

static fixture f;

static void open_fixture(void)
{
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    options.user_agent = "test/1";
    fixture_open(&f, ok, &options);
}

static void close_fixture(void)
{
    fixture_close(&f);
}

TestSuite(request, .init = open_fixture, .fini = close_fixture, .timeout = 20);

static void expect_sent(const char *part)
{
    cr_expect_not_null(strstr(script_server_last(f.server), part), "no %s in:\n%s", part, script_server_last(f.server));
}

static void expect_not_sent(const char *part)
{
    cr_expect_null(strstr(script_server_last(f.server), part), "%s in:\n%s", part, script_server_last(f.server));
}

static void run(crawl_fetch_request request)
{
    outcome o;
    fixture_run(&f, "/", request, &o);
    expect_error(&o, CRAWL_FETCH_OK);
    crawl_buf_free(&o.body);
}

Test(request, plain_get)
{
    run((crawl_fetch_request){.size = sizeof(crawl_fetch_request)});
    expect_sent("GET / HTTP/1.1\r\n");
    expect_sent("\r\nUser-Agent: test/1\r\n");
    expect_sent("\r\nAccept: text/html,");
    expect_sent("\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n");
    expect_not_sent("Cookie");
}

Test(request, target_is_sent_as_given)
{
    static const char *const targets[] = {
        "/a[]|^{}`\"<>\\", "/%2e%2E/../a/./b", "//x//",    "/?",        "/?a=[]|^{}%7e%7E&b&&",
        "/caf%c3%A9?%e9",  "/;p=1?q=a+b%20c",  "/a?b?c/d", "/%00%ff%zz"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        outcome o;
        char line[128];
        fixture_get(&f, targets[i], &o);
        expect_error(&o, CRAWL_FETCH_OK);
        snprintf(line, sizeof line, "GET %s HTTP/1.1\r\n", targets[i]);
        cr_expect_eq(strncmp(script_server_last(f.server), line, strlen(line)), 0, "%s became %.60s", targets[i],
                     script_server_last(f.server));
        crawl_buf_free(&o.body);
    }
}

/* libcurl 8 would leave an empty query out. */
Test(request, an_empty_query_stays)
{
    static const struct {
        const char *url, *proxy, *line;
    } rows[] = {
        {"http://127.0.0.1:%u/?", NULL, "GET /? HTTP/1.1\r\n"},
        {"http://127.0.0.1:%u/a/b?#c?", NULL, "GET /a/b? HTTP/1.1\r\n"},
        {"http://127.0.0.1:%u/", NULL, "GET / HTTP/1.1\r\n"},
        {"http://me:you@127.0.0.1:%u/a?", NULL, "GET /a? HTTP/1.1\r\n"},
        {"http://name.invalid/a@b?", "http://127.0.0.1:%u", "GET http://name.invalid/a@b? HTTP/1.1\r\n"},
        {"http://me:y%%40u@name.invalid:81/?", "127.0.0.1:%u", "GET http://name.invalid:81/? HTTP/1.1\r\n"},
        {"http://name.invalid/", "http://127.0.0.1:%u", "GET http://name.invalid/ HTTP/1.1\r\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char url[100], proxy[100];
        snprintf(url, sizeof url, rows[i].url, script_server_port(f.server));
        snprintf(proxy, sizeof proxy, rows[i].proxy ? rows[i].proxy : "", script_server_port(f.server));
        const crawl_fetch_access access = {.size = sizeof access, .proxy = rows[i].proxy ? proxy : NULL};
        run((crawl_fetch_request){
            .size = sizeof(crawl_fetch_request), .url = crawl_slice_from(url), .access = &access});
        cr_expect_eq(strncmp(script_server_last(f.server), rows[i].line, strlen(rows[i].line)), 0, "%s became %.60s",
                     url, script_server_last(f.server));
    }
}

Test(request, without_path_and_with_fragment)
{
    char url[64];
    snprintf(url, sizeof url, "HTTP://127.0.0.1:%u", script_server_port(f.server));
    run((crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = crawl_slice_from(url)});
    expect_sent("GET / HTTP/1.1\r\n");
    snprintf(url, sizeof url, "http://127.0.0.1:%u/a?b#c", script_server_port(f.server));
    run((crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = crawl_slice_from(url)});
    expect_sent("GET /a?b HTTP/1.1\r\n");
}

Test(request, user_and_password_of_the_url)
{
    char url[64];
    snprintf(url, sizeof url, "http://a:b%%40@127.0.0.1:%u/", script_server_port(f.server));
    run((crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = crawl_slice_from(url)});
    expect_sent("\r\nAuthorization: Basic YTpiQA==\r\n");
    run((crawl_fetch_request){.size = sizeof(crawl_fetch_request)});
    expect_not_sent("Authorization");
}

Test(request, post_with_headers_and_body)
{
    crawl_fetch_request request = {.size = sizeof request,
                                   .method = crawl_slice_from("POST"),
                                   .headers = crawl_slice_from("X-One: 1\nX-Empty:\naccept: a/b\nX-Last: 2"),
                                   .body = crawl_slice_of("q=1\0\r\n", 6)};
    run(request);
    expect_sent("POST / HTTP/1.1\r\n");
    expect_sent("\r\nX-One: 1\r\n");
    expect_sent("\r\nX-Empty:\r\n");
    expect_sent("\r\nX-Last: 2\r\n");
    expect_sent("\r\naccept: a/b\r\n");
    expect_sent("\r\nAccept-Encoding: ");
    expect_sent("\r\nContent-Length: 6\r\n");
    expect_sent("\r\n\r\nq=1");
    expect_not_sent("Accept: ");
    expect_not_sent("Content-Type");
}

Test(request, large_body_is_sent_without_asking_first)
{
    crawl_buf body = {0};
    cr_assert_eq(crawl_buf_reserve(&body, 3000000), CRAWL_OK);
    memset(body.data, 'b', 3000000);
    run((crawl_fetch_request){.size = sizeof(crawl_fetch_request),
                              .method = crawl_slice_from("PUT"),
                              .body = crawl_slice_of(body.data, 3000000)});
    expect_sent("PUT / HTTP/1.1\r\n");
    expect_sent("\r\nContent-Length: 3000000\r\n");
    expect_not_sent("Expect");
    cr_expect_eq(strlen(strstr(script_server_last(f.server), "\r\n\r\n")), 3000004);
    crawl_buf_free(&body);
}

Test(request, methods)
{
    const struct {
        const char *method;
        const char *body;
        const char *line;
    } rows[] = {{"HEAD", "", "HEAD / "},        {"DELETE", "", "DELETE / "}, {"POST", "", "POST / "},
                {"GET", "body", "GET / "},      {"get", "", "get / "},       {"OPTIONS", "x", "OPTIONS / "},
                {"PROPFIND", "", "PROPFIND / "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run((crawl_fetch_request){.size = sizeof(crawl_fetch_request),
                                  .method = crawl_slice_from(rows[i].method),
                                  .body = crawl_slice_from(rows[i].body)});
        cr_expect_eq(strncmp(script_server_last(f.server), rows[i].line, strlen(rows[i].line)), 0, "%s",
                     rows[i].method);
        if (*rows[i].body)
            cr_expect_str_eq(strstr(script_server_last(f.server), "\r\n\r\n") + 4, rows[i].body);
    }
    run((crawl_fetch_request){.size = sizeof(crawl_fetch_request), .method = crawl_slice_from("POST")});
    expect_sent("\r\nContent-Length: 0\r\n");
}

/* A handle that sent a special request sends a plain one next. */
Test(request, nothing_is_left_of_the_request_before)
{
    run((crawl_fetch_request){.size = sizeof(crawl_fetch_request), .method = crawl_slice_from("HEAD")});
    run((crawl_fetch_request){.size = sizeof(crawl_fetch_request),
                              .method = crawl_slice_from("POST"),
                              .headers = crawl_slice_from("X-A: 1\n"),
                              .body = crawl_slice_from("b")});
    run((crawl_fetch_request){.size = sizeof(crawl_fetch_request)});
    expect_sent("GET / HTTP/1.1\r\n");
    expect_sent("\r\nAccept: text/html,");
    expect_not_sent("X-A");
    expect_not_sent("Content-Length");
    cr_expect_str_eq(strstr(script_server_last(f.server), "\r\n\r\n"), "\r\n\r\n");
}

Test(request, refused)
{
    const struct {
        const char *url;
        const char *method;
        const char *headers;
        const char *body;
    } rows[] = {
        {"ftp://h/", "", "", ""},
        {"file:///etc/passwd", "", "", ""},
        {"", "", "", ""},
        {"http://", "", "", ""},
        {"//h/", "", "", ""},
        {"http://h/a b", "", "", ""},
        {"http://h/\r\nX: y", "", "", ""},
        {"http://h/\x7f", "", "", ""},
        {"http://h/", "GET /x HTTP/1.1\r\nA:", "", ""},
        {"http://h/", "G T", "", ""},
        {"http://h/", "HEAD", "", "body"},
        {"http://h/", "", "A: b\r\nC: d\n", ""},
        {"http://h/", "", "A: b\rC\n", ""},
        {"http://h/", "", "no colon\n", ""},
        {"http://h/", "", ": no name\n", ""},
        {"http://h/", "", "a b: c\n", ""},
        {"http://h/", "", "A: b\n\nC: d\n", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t id = 7;
        crawl_fetch_request request = {.size = sizeof request,
                                       .url = crawl_slice_from(rows[i].url),
                                       .method = crawl_slice_from(rows[i].method),
                                       .headers = crawl_slice_from(rows[i].headers),
                                       .body = crawl_slice_from(rows[i].body)};
        cr_expect_eq(crawl_fetch(f.fetcher, &request, &id), CRAWL_EINVAL, "row %zu", i);
        cr_expect_eq(id, 7);
    }
    crawl_fetch_request nul = {
        .size = sizeof nul, .url = crawl_slice_from("http://h/"), .headers = crawl_slice_of("A: b\0c\n", 7)};
    cr_expect_eq(crawl_fetch(f.fetcher, &nul, NULL), CRAWL_EINVAL);
    nul = (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = crawl_slice_of("http://h/\0x", 11)};
    cr_expect_eq(crawl_fetch(f.fetcher, &nul, NULL), CRAWL_EINVAL);
    cr_expect_eq(crawl_fetcher_running(f.fetcher), 0);
}

/* libcurl accepts no text of more than 8 MB: the request is at fault, not memory. */
Test(request, a_proxy_that_libcurl_does_not_take)
{
    enum { TOO_LONG = 9 * 1000 * 1000 };
    char *proxy = malloc(TOO_LONG + 1);
    memset(proxy, 'a', TOO_LONG);
    proxy[TOO_LONG] = '\0';
    const crawl_fetch_access access = {.size = sizeof access, .proxy = proxy};
    const crawl_fetch_request request = {
        .size = sizeof request, .url = crawl_slice_from("http://127.0.0.1/"), .access = &access};
    cr_expect_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_EINVAL);
    free(proxy);
}
