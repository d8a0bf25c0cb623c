/* The sockets of the loop: it notices one that libcurl closes silently, and keeps fewer when there are none left. */
#include "fetch/loop.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CROWD = 4 };

static int crowd[CROWD];

static int new_socket(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    cr_assert_geq(fd, 0);
    return fd;
}

/* Opens a server that accepts no connection, and has no room for one more in its queue. */
static int open_crowded_server(struct sockaddr_in *address)
{
    socklen_t size = sizeof *address;
    int fd = new_socket();
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    cr_assert_eq(bind(fd, (struct sockaddr *)address, sizeof *address), 0);
    cr_assert_eq(listen(fd, 0), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)address, &size), 0);
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = new_socket();
        (void)connect(crowd[i], (struct sockaddr *)address, sizeof *address);
    }
    return fd;
}

static curl_socket_t on_open(void *user, curlsocktype purpose, struct curl_sockaddr *address)
{
    int error;
    (void)purpose;
    return cw_fetch_loop_open(user, address, &error);
}

static void progress(void *)
{
}

static CURL *begin(cw_fetch_loop *loop, const struct sockaddr_in *address)
{
    char url[64];
    CURL *easy = curl_easy_init();
    cr_assert_not_null(easy);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(address->sin_port));
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, loop);
    cr_assert_eq(cw_fetch_loop_own_sockets(loop, easy), CURLE_OK);
    cr_assert_eq(curl_multi_add_handle(loop->multi, easy), CURLM_OK);
    return easy;
}

/* Turns the loop until libcurl waits for one of its own sockets. */
static int connecting_socket(const cw_fetch_loop *loop)
{
    for (;;) {
        event_base_loop(loop->base, EVLOOP_NONBLOCK);
        for (size_t fd = 0; fd < loop->socket_limit; fd++)
            if (loop->sockets[fd])
                return (int)fd;
    }
}

Test(loop, a_connection_that_was_given_up_is_not_idle, .timeout = 20)
{
    struct sockaddr_in address;
    cw_fetch_loop loop;
    struct event_base *base = event_base_new();
    int server = open_crowded_server(&address);
    cr_assert_eq(cw_fetch_loop_init(&loop, base, 8, progress, NULL), CRAWL_OK);
    CURL *easy = begin(&loop, &address);
    int fd = connecting_socket(&loop);
    event_base_loop(base, EVLOOP_NONBLOCK);
    curl_multi_remove_handle(loop.multi, easy);
    cr_expect_eq(fcntl(fd, F_GETFD), -1, "libcurl has closed it");
    cr_expect_eq(loop.idle_count, 0, "its number may be that of another thread's socket by now");
    cr_expect_null(loop.sockets[fd]);
    curl_easy_cleanup(easy);
    cw_fetch_loop_free(&loop);
    event_base_free(base);
    close(server);
    for (int i = 0; i < CROWD; i++)
        close(crowd[i]);
}

Test(loop, only_a_want_of_descriptors_makes_it_keep_fewer_connections)
{
    enum { MAX_IDLE = 8, UNKNOWN_FAMILY = AF_MAX };
    const struct curl_sockaddr unknown = {.family = UNKNOWN_FAMILY, .socktype = SOCK_STREAM};
    const struct curl_sockaddr known = {.family = AF_INET, .socktype = SOCK_STREAM};
    struct rlimit limit, none;
    cw_fetch_loop loop;
    int error = 0;
    struct event_base *base = event_base_new();
    cr_assert_eq(cw_fetch_loop_init(&loop, base, MAX_IDLE, progress, NULL), CRAWL_OK);
    cr_expect_eq(cw_fetch_loop_open(&loop, &unknown, &error), CURL_SOCKET_BAD);
    cr_expect_eq(error, EAFNOSUPPORT);
    cr_expect_eq(loop.max_idle, MAX_IDLE, "a system without IPv6");
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    cr_expect_eq(cw_fetch_loop_open(&loop, &known, &error), CURL_SOCKET_BAD);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    cr_expect_eq(error, EMFILE);
    cr_expect_eq(loop.max_idle, MAX_IDLE / 2);
    cw_fetch_loop_free(&loop);
    event_base_free(base);
}
