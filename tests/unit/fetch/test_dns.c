/* Names that the system resolves, also for evdns: this program replaces getaddrinfo, so nothing depends on a network,
 * and one name never resolves. */
#include "tests/unit/fetch/fixture.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool stuck;    /* a thread waits in getaddrinfo */
static bool released; /* it may return */
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

__attribute__((visibility("default"))) int getaddrinfo(const char *node, const char *service,
                                                       const struct addrinfo *hints, struct addrinfo **out)
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
    crawl_fetch_options_init(&options, sizeof options);
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
    fixture_run(&f, "", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = url_of("nosuch.invalid")},
                &o);
    expect_error(&o, CRAWL_FETCH_DNS);
    cr_expect_eq(o.started, 0);
    crawl_buf_free(&o.body);
}

Test(dns, name_is_remembered)
{
    outcome o;
    for (int i = 0; i < 3; i++) {
        fixture_run(&f, "", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = url_of("here.test")}, &o);
        expect_error(&o, CRAWL_FETCH_OK);
        crawl_buf_free(&o.body);
    }
    cr_expect_eq(script_server_accepts(f.server), 3);
    cr_expect_eq(lookups, 1);
}

/* A name server whose answers do not fit into a datagram (TC, RFC 1035, 4.1.1): it returns each question with that bit.
 */
typedef struct cut_server {
    struct event *event;
    char address[32];
    unsigned questions;
} cut_server;

static void cut_answer(evutil_socket_t fd, short, void *user)
{
    cut_server *server = user;
    unsigned char packet[512];
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    ssize_t got = recvfrom(fd, packet, sizeof packet, 0, (struct sockaddr *)&from, &size);
    cr_assert_gt(got, 12);
    packet[2] |= 0x82; /* QR, TC */
    server->questions++;
    cr_expect_eq(sendto(fd, packet, (size_t)got, 0, (struct sockaddr *)&from, size), got);
}

static void cut_server_start(cut_server *server, struct event_base *base)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *)&here, sizeof here), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&here, &size), 0);
    snprintf(server->address, sizeof server->address, "127.0.0.1:%u", ntohs(here.sin_port));
    server->event = event_new(base, fd, EV_READ | EV_PERSIST, cut_answer, server);
    cr_assert_eq(event_add(server->event, NULL), 0);
}

static void cut_server_stop(cut_server *server)
{
    close(event_get_fd(server->event));
    event_free(server->event);
}

Test(dns, an_answer_that_was_cut_is_left_to_the_system)
{
    cut_server server = {0};
    outcome o;
    cut_server_start(&server, f.base);
    crawl_fetcher_free(f.fetcher);
    f.options.resolver = CRAWL_RESOLVER_EVDNS;
    f.options.dns_servers = server.address;
    f.options.timeout_ms = 5000;
    cr_assert_eq(crawl_fetcher_create(f.base, &f.options, &f.fetcher, NULL), CRAWL_OK);
    for (int i = 0; i < 3; i++) {
        fixture_run(&f, "", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = url_of("here.test")}, &o);
        expect_error(&o, CRAWL_FETCH_OK);
        crawl_buf_free(&o.body);
    }
    cr_expect_eq(server.questions, 2, "of IPv4 and IPv6, once");
    cr_expect_eq(lookups, 1);
    crawl_fetcher_stats stats;
    crawl_fetcher_stats_get(f.fetcher, &stats);
    cr_expect_eq(stats.names_asked, 1);
    cr_expect_eq(stats.names_cached, 2);
    cr_expect_eq(stats.waiting_for_names + stats.names_failed, 0);
    cut_server_stop(&server);
}

Test(dns, a_transfer_that_waits_for_a_name_can_be_cancelled)
{
    cut_server server = {0};
    outcome first, second;
    cut_server_start(&server, f.base);
    event_del(server.event); /* silent */
    crawl_fetcher_free(f.fetcher);
    f.options.resolver = CRAWL_RESOLVER_EVDNS;
    f.options.dns_servers = server.address;
    cr_assert_eq(crawl_fetcher_create(f.base, &f.options, &f.fetcher, NULL), CRAWL_OK);
    fixture_start(&f, "", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = url_of("here.test")},
                  &first);
    fixture_start(&f, "", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = url_of("here.test")},
                  &second);
    crawl_fetcher_stats stats;
    do {
        event_base_loop(f.base, EVLOOP_ONCE);
        crawl_fetcher_stats_get(f.fetcher, &stats);
    } while (stats.waiting_for_names < 2);
    cr_expect_eq(stats.names_asked, 1);
    cr_expect_eq(crawl_fetch_cancel(f.fetcher, first.id), CRAWL_OK);
    fixture_wait(&f, &first);
    expect_error(&first, CRAWL_FETCH_CANCELLED);
    cr_expect_eq(second.done, 0);
    crawl_fetcher_stats_get(f.fetcher, &stats);
    cr_expect_eq(stats.waiting_for_names, 1);
    crawl_fetcher_free(f.fetcher); /* with a waiting transfer */
    f.fetcher = NULL;
    event_base_loop(f.base, EVLOOP_NONBLOCK);
    cr_expect_eq(second.done, 0);
    crawl_buf_free(&first.body);
    cut_server_stop(&server);
}

/* The resolver's thread is not waited for: the transfer times out, others continue, and the fetcher can be freed. */
Test(dns, name_that_hangs_stops_nobody)
{
    outcome hangs, other;
    fixture_start(&f, "", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = url_of("stuck.test")},
                  &hangs);
    fixture_run(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &other);
    expect_error(&other, CRAWL_FETCH_OK);
    fixture_wait(&f, &hangs);
    expect_error(&hangs, CRAWL_FETCH_TIMEOUT);
    crawl_buf_free(&hangs.body);
    crawl_buf_free(&other.body);
    fixture_start(&f, "", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = url_of("stuck.test")},
                  &hangs);
    event_base_loop(f.base, EVLOOP_NONBLOCK);
    crawl_fetcher_free(f.fetcher);
    f.fetcher = NULL;
    release_stuck();
}
