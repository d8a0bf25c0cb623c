/* Private addresses are not connected to unless the fetcher or the request allows it, not even by a connection that
 * another request has left open. */
#include "tests/unit/fetch/fixture.h"

#include <dlfcn.h>
#include <netdb.h>

/* Replaces the system's: the name both.test has a link-local address, which no name may lead to, and one of our own. */
__attribute__((visibility("default"))) int getaddrinfo(const char *node, const char *service,
                                                       const struct addrinfo *hints, struct addrinfo **out)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (!node || strcmp(node, "both.test") != 0)
        return real(node, service, hints, out);
    int failed = real("169.254.0.1", service, hints, out);
    while (!failed && *out)
        out = &(*out)->ai_next;
    return failed ? failed : real("127.0.0.1", service, hints, out);
}

static const script_answer answers[] = {
    {.path = NULL, .bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
    {0},
};

static fixture f;

/* Replaces the fixture's fetcher, which allows all. */
static void open_guarded(void)
{
    fixture_open(&f, answers, NULL);
    crawl_fetcher_free(f.fetcher);
    f.options.allow_private = false;
    cr_assert_eq(crawl_fetcher_create(f.base, &f.options, &f.fetcher, NULL), CRAWL_OK);
}

static void close_guarded(void)
{
    fixture_close(&f);
}

TestSuite(guard, .init = open_guarded, .fini = close_guarded);

Test(guard, refuses_loopback)
{
    outcome o;
    fixture_get(&f, "/", &o);
    cr_expect_eq(o.error, CRAWL_FETCH_PRIVATE);
    cr_expect_str_eq(crawl_fetch_error_name(o.error), "private");
    cr_expect_eq(o.started, 0);
    cr_expect_eq(script_server_accepts(f.server), 0);
    crawl_buf_free(&o.body);
}

Test(guard, refuses_names_that_lead_there)
{
    static const char *const hosts[] = {"localhost", "a.localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        char url[128];
        outcome o = {.fixture = &f};
        snprintf(url, sizeof url, "http://%s:%u/", hosts[i], script_server_port(f.server));
        crawl_fetch_request request = {
            .size = sizeof request, .url = crawl_slice_from(url), .on_done = fixture_done, .user = &o};
        cr_assert_eq(crawl_fetch(f.fetcher, &request, NULL), CRAWL_OK);
        fixture_wait(&f, &o);
        cr_expect_eq(o.error, CRAWL_FETCH_PRIVATE, "%s: %s", hosts[i], crawl_fetch_error_name(o.error));
        crawl_buf_free(&o.body);
    }
    cr_expect_eq(script_server_accepts(f.server), 0);
}

Test(guard, a_request_may_allow_it_for_itself_alone)
{
    outcome o;
    fixture_run(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .allow_private = true}, &o);
    cr_expect_eq(o.error, CRAWL_FETCH_OK, "%s", o.text);
    cr_expect_eq(o.status, 200);
    crawl_buf_free(&o.body);
    cr_expect_eq(script_server_open(f.server), 1, "the connection stays open");
    fixture_get(&f, "/", &o);
    cr_expect_eq(o.error, CRAWL_FETCH_PRIVATE, "and is not used by those who may not");
    cr_expect_eq(script_server_requests(f.server), 1);
    crawl_buf_free(&o.body);
}

Test(guard, is_no_reason_if_another_address_of_the_host_fails, .timeout = 20)
{
    crawl_fetcher_free(f.fetcher);
    f.options.allow_private = true;
    f.options.resolver = CRAWL_RESOLVER_SYSTEM;
    cr_assert_eq(crawl_fetcher_create(f.base, &f.options, &f.fetcher, NULL), CRAWL_OK);
    const struct {
        unsigned port;
        crawl_fetch_error error;
    } rows[] = {{script_server_port(f.server), CRAWL_FETCH_OK}, {1, CRAWL_FETCH_CONNECT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        outcome o = {.fixture = &f};
        char url[64];
        snprintf(url, sizeof url, "http://both.test:%u/", rows[i].port);
        fixture_run(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = crawl_slice_from(url)},
                    &o);
        cr_expect_eq(o.error, rows[i].error, "%s", o.text);
        crawl_buf_free(&o.body);
    }
}
