/* Invalid and incomplete responses: each with its class, its message, and the part that came before. */
#include "tests/unit/fetch/fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OK_HEAD "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"

/* A complete message, whose content is the start of an uncompressed meta-block (RFC 7932, 9.2). */
#define BR_CUT OK_HEAD "Content-Encoding: br\r\nContent-Length: 9\r\n\r\n\xc0\x00\x10<p>bro"

TestSuite(errors, .timeout = 20);

/* The error that socket() returns; 0: it works. */
static int no_socket_errno;

int socket(int domain, int type, int protocol)
{
    if (no_socket_errno) {
        errno = no_socket_errno;
        return -1;
    }
    return (int)syscall(SYS_socket, domain, type, protocol);
}

static const struct row {
    script_answer answer;
    crawl_fetch_error error;
    int status;
    const char *body;
} rows[] = {
    {{"/short", OK_HEAD "Content-Length: 10\r\n\r\nshort", 0, SCRIPT_CLOSE, false}, CRAWL_FETCH_RESET, 200, "short"},
    {{"/cut-chunk", CHUNKED "5\r\nhello\r\n", 0, SCRIPT_CLOSE, false}, CRAWL_FETCH_RESET, 200, "hello"},
    {{"/cut-header", OK_HEAD "Content-", 0, SCRIPT_CLOSE, false}, CRAWL_FETCH_RESET, 200, ""},
    {{"/empty", "", 0, SCRIPT_CLOSE, false}, CRAWL_FETCH_RESET, 0, ""},
    {{"/reset", "", 0, SCRIPT_RESET, false}, CRAWL_FETCH_RESET, 0, ""},
    {{"/bad-chunk", CHUNKED "5\r\nhello\r\nzz\r\n", 0, SCRIPT_CLOSE, false}, CRAWL_FETCH_PROTOCOL, 200, "hello"},
    {{"/http09", "<title>no header</title>", 0, SCRIPT_CLOSE, false}, CRAWL_FETCH_PROTOCOL, 0, ""},
    {{"/ssh", "SSH-2.0-OpenSSH_9.2\r\n", 0, SCRIPT_HOLD, false}, CRAWL_FETCH_PROTOCOL, 0, ""},
    {{"/switch", "HTTP/1.1 101 Switching Protocols\r\n\r\n", 0, SCRIPT_HOLD, false}, CRAWL_FETCH_PROTOCOL, 0, ""},
    {{"/plain-gzip", OK_HEAD "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain", 0, SCRIPT_KEEP, false},
     CRAWL_FETCH_PROTOCOL,
     200,
     ""},
    {{"/unknown", OK_HEAD "Content-Encoding: wild\r\nContent-Length: 5\r\n\r\nplain", 0, SCRIPT_KEEP, false},
     CRAWL_FETCH_OK,
     200,
     "plain"},
    {{"/chunk-junk", CHUNKED "5\r\nhello, more\r\n0\r\n\r\n", 0, SCRIPT_KEEP, false},
     CRAWL_FETCH_PROTOCOL,
     200,
     "hello"},
    {{"/plus-length", OK_HEAD "Content-Length: +5\r\n\r\nhello", 0, SCRIPT_KEEP, false}, CRAWL_FETCH_PROTOCOL, 200, ""},
    {{"/two-lengths", OK_HEAD "Content-Length: 5\r\nContent-Length: 7\r\n\r\nhello", 0, SCRIPT_CLOSE, false},
     CRAWL_FETCH_PROTOCOL,
     200,
     ""},
    {{"/folded-first", OK_HEAD " fold: 1\r\nContent-Length: 5\r\n\r\nhello", 0, SCRIPT_KEEP, false},
     CRAWL_FETCH_PROTOCOL,
     200,
     ""},
    {{"/transfer-gzip", OK_HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 0, SCRIPT_KEEP,
      false},
     CRAWL_FETCH_PROTOCOL,
     200,
     ""},
    {{"/identity", OK_HEAD "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", 0, SCRIPT_CLOSE, false},
     CRAWL_FETCH_OK,
     200,
     "hello"},
    {{"/br-cut", BR_CUT, sizeof BR_CUT - 1, SCRIPT_KEEP, false}, CRAWL_FETCH_PROTOCOL, 200, "<p>bro"},
    {{"/unknown-empty", OK_HEAD "Content-Encoding: wild\r\nContent-Length: 0\r\n\r\n", 0, SCRIPT_KEEP, false},
     CRAWL_FETCH_OK,
     200,
     ""},
};

Test(errors, each_class)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        script_answer answers[] = {rows[i].answer, {0}};
        fixture f;
        outcome o;
        fixture_open(&f, answers, NULL);
        fixture_get(&f, answers[0].path, &o);
        cr_expect_eq(o.error, rows[i].error, "%s: %s (%s)", answers[0].path, crawl_fetch_error_name(o.error), o.text);
        cr_expect_eq(o.text[0] == '\0', rows[i].error == CRAWL_FETCH_OK, "%s: words %s", answers[0].path, o.text);
        cr_expect_eq(o.status, rows[i].status, "%s: status %d", answers[0].path, o.status);
        cr_expect_str_eq(o.body.data ? o.body.data : "", rows[i].body, "%s", answers[0].path);
        cr_expect_eq(o.started, 1, "%s", answers[0].path);
        crawl_buf_free(&o.body);
        fixture_close(&f);
    }
}

/* Versions of libcurl before 8.2 would continue the last header of the response before, which they have freed. */
Test(errors, a_folded_first_line_on_a_handle_that_had_an_answer)
{
    static const script_answer answers[] = {
        {"/page", OK_HEAD "X-A: 1\r\nX-B: 2\r\nContent-Length: 5\r\n\r\nhello", 0, SCRIPT_KEEP, false},
        {"/fold", OK_HEAD " fold: 1\r\nContent-Length: 5\r\n\r\nhello", 0, SCRIPT_KEEP, false},
        {"/tab", OK_HEAD "\tfold: 1\r\nContent-Length: 5\r\n\r\nhello", 0, SCRIPT_KEEP, false},
        {"/interim", "HTTP/1.1 103 Early Hints\r\nX-A: 1\r\n\r\n" OK_HEAD " fold: 1\r\n\r\n", 0, SCRIPT_CLOSE, false},
        {"/later", OK_HEAD "X-A: 1\r\n fold\r\nContent-Length: 5\r\n\r\nhello", 0, SCRIPT_KEEP, false},
        {0},
    };
    fixture f;
    fixture_open(&f, answers, NULL);
    for (size_t i = 0; answers[i].path; i++) {
        outcome page, o;
        fixture_get(&f, "/page", &page);
        expect_body(&page, "hello");
        crawl_buf_free(&page.body);
        fixture_get(&f, answers[i].path, &o);
        bool good = i == 0 || strcmp(answers[i].path, "/later") == 0;
        cr_expect_eq(o.error, good ? CRAWL_FETCH_OK : CRAWL_FETCH_PROTOCOL, "%s: %s", answers[i].path, o.text);
        cr_expect_eq(o.status, 200, "%s", answers[i].path);
        crawl_buf_free(&o.body);
    }
    fixture_close(&f);
}

#define PART "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/9\r\nContent-Length: 4\r\n\r\npart"

Test(errors, a_part_of_a_page_is_no_page_unless_it_was_asked_for)
{
    static const script_answer answers[] = {{NULL, PART, 0, SCRIPT_KEEP, false}, {0}};
    static const crawl_fetch_access access = {.size = sizeof access, .headers = "range: bytes=0-3\n"};
    const struct {
        crawl_fetch_request request;
        crawl_fetch_error error;
    } cases[] = {
        {{.size = sizeof(crawl_fetch_request), .method = {0}}, CRAWL_FETCH_PROTOCOL},
        {{.size = sizeof(crawl_fetch_request), .cut_body = true, .max_body_bytes = 2}, CRAWL_FETCH_PROTOCOL},
        {{.size = sizeof(crawl_fetch_request), .headers = crawl_slice_from("X-Range: bytes=0-3\n")},
         CRAWL_FETCH_PROTOCOL},
        {{.size = sizeof(crawl_fetch_request), .headers = crawl_slice_from("Range: bytes=0-3\n")}, CRAWL_FETCH_OK},
        {{.size = sizeof(crawl_fetch_request), .access = &access}, CRAWL_FETCH_OK},
        {{.size = sizeof(crawl_fetch_request), .method = {0}}, CRAWL_FETCH_PROTOCOL}, /* after one that had one */
    };
    fixture f;
    fixture_open(&f, answers, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome o;
        fixture_run(&f, "/", cases[i].request, &o);
        expect_error(&o, cases[i].error);
        cr_expect_eq(o.status, 206);
        expect_body(&o, cases[i].request.cut_body ? "pa" : "part");
        crawl_buf_free(&o.body);
    }
    fixture_close(&f);
}

Test(errors, a_part_that_is_all_of_the_page_is_the_page)
{
    static const script_answer answers[] = {
        {"/all", "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/4\r\nContent-Length: 4\r\n\r\npart", 0,
         SCRIPT_KEEP, false},
        {"/coded",
         "HTTP/1.1 206 P\r\nContent-Range: bytes 0-3/4\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n0\r\n\r\n", 0,
         SCRIPT_KEEP, false},
        {"/less", "HTTP/1.1 206 P\r\nContent-Range: bytes 0-4/5\r\nContent-Length: 4\r\n\r\npart", 0, SCRIPT_KEEP,
         false},
        {"/none", "HTTP/1.1 206 P\r\nContent-Length: 4\r\n\r\npart", 0, SCRIPT_KEEP, false},
        {0}};
    fixture f;
    fixture_open(&f, answers, NULL);
    for (size_t i = 0; answers[i].path; i++) {
        outcome o;
        fixture_get(&f, answers[i].path, &o);
        expect_error(&o, i < 2 ? CRAWL_FETCH_OK : CRAWL_FETCH_PROTOCOL);
        expect_body(&o, "part");
        crawl_buf_free(&o.body);
    }
    fixture_close(&f);
}

/* The header of a redirect has its target. */
Test(errors, a_redirect_needs_no_whole_body)
{
#define MOVED "HTTP/1.1 302 Found\r\nLocation: /there\r\n"
    static const script_answer answers[] = {
        {"/ends", MOVED "Content-Length: 9\r\n\r\nhell", 0, SCRIPT_CLOSE, false},
        {"/hangs", MOVED "Content-Length: 9\r\n\r\nhell", 0, SCRIPT_KEEP, false},
        {"/chunks", MOVED "Transfer-Encoding: chunked\r\n\r\nno chunk\r\n", 0, SCRIPT_KEEP, false},
        {"/lengths", MOVED "Content-Length: 9\r\nContent-Length: 4\r\n\r\nhell", 0, SCRIPT_CLOSE, false},
        {"/nowhere", "HTTP/1.1 302 Found\r\nContent-Length: 9\r\n\r\nhell", 0, SCRIPT_CLOSE, false},
        {"/page", OK_HEAD "Location: /there\r\nContent-Length: 9\r\n\r\nhell", 0, SCRIPT_CLOSE, false},
        {0},
    };
    static const crawl_fetch_error errors[] = {CRAWL_FETCH_OK,       CRAWL_FETCH_OK,    CRAWL_FETCH_OK,
                                               CRAWL_FETCH_PROTOCOL, CRAWL_FETCH_RESET, CRAWL_FETCH_RESET};
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    options.timeout_ms = 300;
    fixture f;
    fixture_open(&f, answers, &options);
    for (size_t i = 0; answers[i].path; i++) {
        outcome o;
        fixture_get(&f, answers[i].path, &o);
        cr_expect_eq(o.error, errors[i], "%s: %s", answers[i].path, o.text);
        crawl_buf_free(&o.body);
    }
    fixture_close(&f);
#undef MOVED
}

/* An https URL behind a proxy: before the tunnel stands, nothing is known of the host. */
Test(errors, what_a_proxy_answers_in_place_of_a_tunnel)
{
    static const struct {
        const char *bytes;
        script_end end;
    } answers[] = {
        {"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", SCRIPT_KEEP},
        {"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\nno", SCRIPT_CLOSE},
        {"", SCRIPT_CLOSE},
        {"", SCRIPT_RESET},
        {"SSH-2.0-OpenSSH_9.2\r\n", SCRIPT_CLOSE},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const script_answer script[] = {{NULL, answers[i].bytes, 0, answers[i].end, false}, {0}};
        fixture f;
        outcome o;
        char proxy[64];
        fixture_open(&f, script, NULL);
        snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", script_server_port(f.server));
        const crawl_fetch_access access = {.size = sizeof access, .proxy = proxy};
        fixture_run(&f, "",
                    (crawl_fetch_request){.size = sizeof(crawl_fetch_request),
                                          .url = crawl_slice_from("https://name.invalid/"),
                                          .access = &access},
                    &o);
        cr_expect_eq(o.error, CRAWL_FETCH_CONNECT, "%s: %s (%s)", answers[i].bytes, crawl_fetch_error_name(o.error),
                     o.text);
        cr_expect_eq(o.started, 0);
        crawl_buf_free(&o.body);
        fixture_close(&f);
    }
}

/* Returns a port that was ours a moment ago, and where nothing listens. */
static unsigned closed_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *)&address, size), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
}

Test(errors, nobody_listens)
{
    static const script_answer none[] = {{0}};
    fixture f;
    outcome o;
    char url[64];
    fixture_open(&f, none, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", closed_port());
    fixture_run(&f, "", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = crawl_slice_from(url)}, &o);
    expect_error(&o, CRAWL_FETCH_CONNECT);
    cr_expect_eq(o.status, 0);
    cr_expect_eq(o.started, 0);
    cr_expect_str_eq(o.ip, "");
    crawl_buf_free(&o.body);
    fixture_close(&f);
}

Test(errors, host_that_no_resolver_takes)
{
    static const script_answer none[] = {{0}};
    fixture f;
    outcome o;
    fixture_open(&f, none, NULL);
    fixture_run(
        &f, "",
        (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = crawl_slice_from("http://a!b.example/")}, &o);
    expect_error(&o, CRAWL_FETCH_DNS);
    crawl_buf_free(&o.body);
    fixture_close(&f);
}

Test(errors, no_tls_behind_https)
{
    static const script_answer plain[] = {{"", "220 this is no TLS\r\n", 0, SCRIPT_HOLD, false}, {0}};
    fixture f;
    outcome o;
    char url[64];
    fixture_open(&f, plain, NULL);
    snprintf(url, sizeof url, "https://127.0.0.1:%u/", script_server_port(f.server));
    fixture_run(&f, "", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = crawl_slice_from(url)}, &o);
    expect_error(&o, CRAWL_FETCH_TLS);
    cr_expect_eq(o.started, 0);
    crawl_buf_free(&o.body);
    fixture_close(&f);
}

static int taken[2000];
static size_t taken_count;

/* Takes all descriptors that are left. */
static void take_descriptors(void)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 1000;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while ((taken[taken_count] = dup(0)) >= 0)
        taken_count++;
}

static void give_descriptors_back(void)
{
    while (taken_count > 0)
        close(taken[--taken_count]);
}

Test(errors, no_descriptor_left_is_a_local_failure)
{
    static const script_answer none[] = {{0}};
    fixture f;
    outcome o;
    fixture_open(&f, none, NULL);
    fixture_start(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &o);
    take_descriptors();
    fixture_wait(&f, &o);
    give_descriptors_back();
    expect_error(&o, CRAWL_FETCH_NO_SOCKET);
    crawl_buf_free(&o.body);
    fixture_close(&f);
}

static void on_pause_end(evutil_socket_t, short, void *user)
{
    *(bool *)user = true;
}

/* Returns how often the loop turns in 50 ms. */
static unsigned turns(struct event_base *base)
{
    const struct timeval pause = {.tv_usec = 50000};
    unsigned count = 0;
    bool is_over = false;
    struct event *timer = evtimer_new(base, on_pause_end, &is_over);
    evtimer_add(timer, &pause);
    for (; !is_over; count++)
        event_base_loop(base, EVLOOP_ONCE);
    event_free(timer);
    return count;
}

Test(errors, no_descriptor_left_to_ask_for_a_name_is_no_failure_of_the_name)
{
    static const script_answer page[] = {{NULL, OK_HEAD "Content-Length: 2\r\n\r\nok", 0, SCRIPT_KEEP, false}, {0}};
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    options.dns_servers = "127.0.0.1:9";
    options.max_connections = 1;
    fixture f;
    outcome o;
    fixture_open(&f, page, &options);
    fixture_get(&f, "/", &o);
    crawl_buf_free(&o.body);
    cr_expect_eq(script_server_open(f.server), 1);
    take_descriptors();
    fixture_run(&f, "",
                (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = crawl_slice_from("http://a.test/")},
                &o);
    give_descriptors_back();
    expect_error(&o, CRAWL_FETCH_NO_SOCKET);
    crawl_buf_free(&o.body);
    while (script_server_open(f.server)) /* idle connections make room */
        event_base_loop(f.base, EVLOOP_ONCE);
    cr_expect_lt(turns(f.base), 100, "a connection that was closed is still watched");
    fixture_close(&f);
}

Test(errors, a_socket_that_the_system_refuses_is_named_by_its_reason)
{
    static const struct {
        int reason;
        crawl_fetch_error error;
        const char *words;
    } cases[] = {
        {EACCES, CRAWL_FETCH_LOCAL, "no socket: Permission denied"},
        {ENOBUFS, CRAWL_FETCH_NO_SOCKET, "no socket: No buffer space available"},
        {EMFILE, CRAWL_FETCH_NO_SOCKET, "no socket: Too many open files"},
        {EAFNOSUPPORT, CRAWL_FETCH_CONNECT, NULL},
        {EPROTONOSUPPORT, CRAWL_FETCH_CONNECT, NULL},
    };
    static const script_answer none[] = {{0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        outcome o;
        fixture_open(&f, none, NULL);
        fixture_start(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &o);
        no_socket_errno = cases[i].reason;
        fixture_wait(&f, &o);
        no_socket_errno = 0;
        expect_error(&o, cases[i].error);
        if (cases[i].words)
            cr_expect_str_eq(o.text, cases[i].words);
        crawl_buf_free(&o.body);
        fixture_close(&f);
    }
}
