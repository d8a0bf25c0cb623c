/* Which names libcurl is told to forget, and when: this program's own curl_easy_setopt sees CURLOPT_RESOLVE. A name
 * server of the test knows every name. */
#include "fetch/names/names.h"
#include "tests/unit/fetch/fixture.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#undef curl_easy_setopt

static crawl_buf told; /* the non-empty lines of CURLOPT_RESOLVE, each ended by a space */

static void tell(const struct curl_slist *line)
{
    for (; line; line = line->next)
        cr_assert_eq(crawl_buf_printf(&told, "%s ", line->data), CRAWL_OK);
}

__attribute__((visibility("default"))) CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...)
{
    CURLcode (*real)(CURL *, CURLoption, ...);
    *(void **)&real = dlsym(RTLD_NEXT, "curl_easy_setopt");
    va_list values;
    va_start(values, option);
    void *value = va_arg(values, void *); /* numbers take as much room */
    va_end(values);
    if (option == CURLOPT_RESOLVE)
        tell(value);
    return real(easy, option, value);
}

static const script_answer answers[] = {
    {"/held", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", 0, SCRIPT_HOLD, false},
    {NULL, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 0, SCRIPT_KEEP, false},
    {0},
};

static fixture f;
static struct event *name_server;

/* Answers each name with the address 127.0.0.1, and with none of IPv6 (RFC 1035, 4.1). */
static void on_question(evutil_socket_t fd, short what, void *user)
{
    static const unsigned char address[] = {0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 0, 0, 4, 127, 0, 0, 1};
    (void)what;
    (void)user;
    unsigned char packet[512 + sizeof address];
    struct sockaddr_storage from;
    socklen_t from_size = sizeof from;
    ssize_t got = recvfrom(fd, packet, 512, 0, (struct sockaddr *)&from, &from_size);
    cr_assert_gt(got, 16);
    size_t size = (size_t)got;
    bool v4 = packet[size - 3] == 1;
    packet[2] |= 0x80;
    packet[7] = v4;
    memcpy(packet + size, address, sizeof address);
    size += v4 ? sizeof address : 0;
    cr_expect_eq(sendto(fd, packet, size, 0, (struct sockaddr *)&from, from_size), (ssize_t)size);
}

static unsigned start_name_server(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *)&here, sizeof here), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&here, &size), 0);
    name_server = event_new(f.base, fd, EV_READ | EV_PERSIST, on_question, NULL);
    cr_assert_eq(event_add(name_server, NULL), 0);
    return ntohs(here.sin_port);
}

static void open_fixture(void)
{
    char address[32];
    fixture_open(&f, answers, NULL);
    snprintf(address, sizeof address, "127.0.0.1:%u", start_name_server());
    crawl_fetcher_free(f.fetcher);
    f.options.dns_servers = address;
    cr_assert_eq(crawl_fetcher_create(f.base, &f.options, &f.fetcher, NULL), CRAWL_OK);
}

static void close_fixture(void)
{
    close(event_get_fd(name_server));
    event_free(name_server);
    fixture_close(&f);
    crawl_buf_free(&told);
}

TestSuite(uses, .init = open_fixture, .fini = close_fixture, .timeout = 20);

static crawl_fetch_request to(const char *host, const char *path)
{
    static char url[120];
    snprintf(url, sizeof url, "http://%s:%u%s", host, script_server_port(f.server), path);
    return (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .url = crawl_slice_from(url)};
}

static void get(const char *host)
{
    outcome o;
    fixture_run(&f, "", to(host, "/"), &o);
    expect_error(&o, CRAWL_FETCH_OK);
    crawl_buf_free(&o.body);
}

/* Expects `lines`, with "@" in place of the port. */
static void expect_told(const char *lines)
{
    crawl_buf expected = {0};
    for (; *lines; lines++)
        cr_assert_eq(*lines == '@' ? crawl_buf_printf(&expected, "%u", script_server_port(f.server))
                                   : crawl_buf_append(&expected, lines, 1),
                     CRAWL_OK);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&told), crawl_buf_slice(&expected)), "told: %.*s", (int)told.size,
              told.data);
    crawl_buf_free(&expected);
    crawl_buf_clear(&told);
}

Test(uses, the_host_before_is_forgotten)
{
    get("a.localhost");
    get("a.localhost");
    expect_told("");
    get("b.localhost");
    expect_told("-a.localhost:@ ");
    get("127.0.0.1");
    expect_told("-b.localhost:@ ");
    get("c.test");
    expect_told("-127.0.0.1:@ +c.test:@:127.0.0.1 ");
    get("c.test");
    expect_told("+c.test:@:127.0.0.1 ");
    get("d.test");
    expect_told("-c.test:@ +d.test:@:127.0.0.1 ");
}

Test(uses, the_host_of_a_transfer_under_way_is_kept)
{
    outcome held;
    fixture_start(&f, "", to("a.localhost", "/held"), &held);
    fixture_wait_requests(&f, 1);
    get("a.localhost");
    get("b.localhost");
    expect_told("");
    cr_assert_eq(crawl_fetch_cancel(f.fetcher, held.id), CRAWL_OK);
    fixture_wait(&f, &held); /* its handle is the next one to be used */
    get("c.localhost");
    expect_told("-a.localhost:@ ");
    crawl_buf_free(&held.body);
}

Test(uses_alone, the_last_user_is_told)
{
    cw_names_uses *uses = cw_names_uses_create();
    crawl_slice a = crawl_slice_from("a:80"), b = crawl_slice_from("b:80");
    cr_assert_not_null(uses);
    for (int round = 0; round < 2; round++) {
        cr_expect_eq(cw_names_uses_add(uses, a), CRAWL_OK);
        cr_expect_eq(cw_names_uses_add(uses, a), CRAWL_OK);
        cr_expect_eq(cw_names_uses_add(uses, b), CRAWL_OK);
        cr_expect_not(cw_names_uses_drop(uses, a));
        cr_expect(cw_names_uses_drop(uses, b));
        cr_expect(cw_names_uses_drop(uses, a));
        cr_expect_not(cw_names_uses_drop(uses, a));
    }
    cr_expect_eq(cw_names_uses_add(uses, b), CRAWL_OK);
    cw_names_uses_free(uses);
}
