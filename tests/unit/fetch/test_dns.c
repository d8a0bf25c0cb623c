/* Names that the system resolves: getaddrinfo is this program's own, so that nothing depends on a network, and one name never resolves. */
#include "tests/unit/fetch/fixture.h"

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool stuck;    /* a thread waits in getaddrinfo */
static bool released; /* it may go */
static unsigned lookups;

static int resolve_stuck(void)
{
    pthread_mutex_lock(&lock);
    stuck = true;
    pthread_cond_broadcast(&changed);
    while (!released)
        pthread_cond_wait(&changed, &lock);
    stuck = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return EAI_NONAME;
}

__attribute__((visibility("default"))) int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                                                       struct addrinfo **out)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (node && strcmp(node, "stuck.test") == 0)
        return resolve_stuck();
    if (node && strcmp(node, "here.test") == 0) {
        pthread_mutex_lock(&lock);
        lookups++;
        pthread_mutex_unlock(&lock);
        return real("127.0.0.1", service, hints, out);
    }
    return EAI_NONAME;
}

static const script_answer ok[] = {
    {NULL, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", 0, SCRIPT_CLOSE, false}, {0}};

static fixture f;

static void open_fixture(void)
{
    crawl_fetch_options options;
    crawl_fetch_options_init(&options);
    options.timeout_ms = 100;
    options.resolver = CRAWL_RESOLVER_SYSTEM;
    fixture_open(&f, ok, &options);
}

static void close_fixture(void)
{
    fixture_close(&f);
}

TestSuite(dns, .init = open_fixture, .fini = close_fixture, .timeout = 20);

static crawl_slice url_of(const char *host)
{
    static char url[80];
    snprintf(url, sizeof url, "http://%s:%u/", host, script_server_port(f.server));
    return crawl_slice_from(url);
}

static void release_stuck(void)
{
    pthread_mutex_lock(&lock);
    released = true;
    pthread_cond_broadcast(&changed);
    while (stuck)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

Test(dns, unknown_name)
{
    outcome o;
    fixture_run(&f, "", (crawl_fetch_request){.url = url_of("nosuch.invalid")}, &o);
    expect_error(&o, CRAWL_FETCH_DNS);
    cr_expect_eq(o.started, 0);
    crawl_buf_free(&o.body);
}

Test(dns, name_is_remembered)
{
    outcome o;
    for (int i = 0; i < 3; i++) {
        fixture_run(&f, "", (crawl_fetch_request){.url = url_of("here.test")}, &o);
        expect_error(&o, CRAWL_FETCH_OK);
        crawl_buf_free(&o.body);
    }
    cr_expect_eq(script_server_accepts(f.server), 3);
    cr_expect_eq(lookups, 1);
}

/* The resolver's thread is not waited for: the transfer times out, others go on, and the fetcher can be freed. */
Test(dns, name_that_hangs_stops_nobody)
{
    outcome hangs, other;
    fixture_start(&f, "", (crawl_fetch_request){.url = url_of("stuck.test")}, &hangs);
    fixture_run(&f, "/", (crawl_fetch_request){0}, &other);
    expect_error(&other, CRAWL_FETCH_OK);
    fixture_wait(&f, &hangs);
    expect_error(&hangs, CRAWL_FETCH_TIMEOUT);
    crawl_buf_free(&hangs.body);
    crawl_buf_free(&other.body);
    fixture_start(&f, "", (crawl_fetch_request){.url = url_of("stuck.test")}, &hangs);
    event_base_loop(f.base, EVLOOP_NONBLOCK);
    crawl_fetcher_free(f.fetcher);
    f.fetcher = NULL;
    release_stuck();
}
