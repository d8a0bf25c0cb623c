/* The guard of the gRPC server: the token, and how long a peer may stay without one. */
#include "tools/serve/grpc/grpc.h"

#include <criterion/criterion.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

static const char token[] = "a token-of-20-bytes!";

static cw_grpc_guard *make_guard(const char *shown, int64_t hello_ms)
{
    const cw_grpc_guard_options options = {.token = shown, .hello_ms = hello_ms};
    cw_grpc_guard *guard = NULL;
    crawl_error error = {0};
    cr_assert_eq(cw_grpc_guard_create(&options, &guard, &error), CRAWL_OK, "%s", error.message);
    return guard;
}

Test(guard, admits_the_token_alone)
{
    cw_grpc_guard *guard = make_guard("0123456789abcdef", 1);
    const struct {
        const char *field;
        bool good;
    } cases[] = {
        {"Bearer 0123456789abcdef", true},   {"bearer  0123456789abcdef ", true}, {"Bearer 0123456789abcdeg", false},
        {"Bearer 0123456789abcde", false},   {"Bearer 0123456789abcdef0", false}, {"Bearer", false},
        {"Bearer0123456789abcdef", false},   {"Basic 0123456789abcdef", false},   {"", false},
        {"Bearer 1123456789abcdef0", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(cw_grpc_guard_admits(guard, crawl_slice_from(cases[i].field)), cases[i].good, "%s",
                     cases[i].field);
    cw_grpc_guard_free(guard);
}

Test(guard, refuses_tokens_that_are_weak_or_none)
{
    const char *const tokens[] = {"", "0123456789abcde", token, "0123456789abcdef\x7f", "0123456789abcdef\xc3\xa9"};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        const cw_grpc_guard_options options = {.token = tokens[i]};
        cw_grpc_guard *guard = NULL;
        crawl_error error = {0};
        cr_expect_eq(cw_grpc_guard_create(&options, &guard, &error), CRAWL_EINVAL, "%s", tokens[i]);
        cr_expect_null(strstr(error.message, "0123"), "a token is a secret: %s", error.message);
    }
}

Test(guard, asks_nobody_where_it_has_nothing_to_ask_for)
{
    cw_grpc_guard *guard = make_guard(NULL, 1000);
    cr_expect_eq(cw_grpc_guard_hello(guard), 0);
    cr_expect_eq(cw_grpc_guard_hello(NULL), 0);
    cr_expect_not(cw_grpc_guard_asks_token(guard));
    cw_grpc_guard_free(guard);
}

/* --- peers --- */

typedef struct scene {
    struct event_base *base;
    cw_grpc_guard *guard;
    cw_grpc_server *server;
    struct sockaddr_in at;
} scene;

static void open_scene(scene *s)
{
    static const cw_grpc_method *const methods[] = {NULL};
    socklen_t size = sizeof s->at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    s->at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    cr_assert_eq(bind(fd, (const struct sockaddr *)&s->at, size) || listen(fd, 4), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&s->at, &size), 0);
    s->base = event_base_new();
    s->guard = make_guard("0123456789abcdef", 30);
    cr_assert_eq(cw_grpc_server_create(s->base, fd, s->guard, methods, NULL, &s->server), CRAWL_OK);
}

static void close_scene(const scene *s)
{
    cw_grpc_server_free(s->server);
    cw_grpc_guard_free(s->guard);
    event_base_free(s->base);
}

static int meet(const scene *s, const char *bytes, size_t size)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(connect(fd, (const struct sockaddr *)&s->at, sizeof s->at), 0);
    cr_assert_eq(send(fd, bytes, size, 0), (ssize_t)size);
    return fd;
}

/* Returns true if the server ended the connection; earlier data is dropped. */
static bool is_ended(int fd)
{
    char bytes[512];
    ssize_t size = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    while (size > 0)
        size = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    return size == 0;
}

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";

/* A request to x for /x with the authorization "Bearer " and 16 bytes: POST, http, and three literal fields (RFC 7541,
 * 6.2). */
#define CALL(shown)                                     \
    "\0\0\x30\1\5\0\0\0\1\x83\x86\1\1x\x04\2/x\x10\x0d" \
    "authorization\x17"                                 \
    "Bearer " shown

static int meet_and_call(const scene *s, const char *call, size_t size)
{
    int fd = meet(s, preface, sizeof preface);
    cr_assert_eq(send(fd, call, size, 0), (ssize_t)size);
    return fd;
}

/* The last peer to connect is shut out last, so the others were judged by then. */
Test(guard, shuts_out_who_shows_nothing)
{
    static const char good[] = CALL("0123456789abcdef");
    static const char bad[] = CALL("0123456789abcdee");
    scene s;
    open_scene(&s);
    int trusted = meet_and_call(&s, good, sizeof good - 1);
    int silent = meet(&s, "", 0);
    int wrong = meet_and_call(&s, bad, sizeof bad - 1);
    while (!is_ended(silent) || !is_ended(wrong))
        event_base_loop(s.base, EVLOOP_ONCE);
    int last = meet(&s, preface, sizeof preface);
    while (!is_ended(last))
        event_base_loop(s.base, EVLOOP_ONCE);
    cr_expect_not(is_ended(trusted));
    const int peers[] = {trusted, silent, wrong, last};
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
        close(peers[i]);
    close_scene(&s);
}

static int option_of(int fd, int level, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    cr_expect_eq(getsockopt(fd, level, name, &value, &size), 0);
    return value;
}

/* Returns the server's end of a connection of this process. */
static int other_end(int fd)
{
    enum { FDS = 1000 };
    struct sockaddr_in own, peer;
    socklen_t size = sizeof own;
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&own, &size), 0);
    for (int other = 0; other < FDS; other++) {
        size = sizeof peer;
        if (getpeername(other, (struct sockaddr *)&peer, &size) == 0 && peer.sin_family == AF_INET &&
            peer.sin_port == own.sin_port)
            return other;
    }
    return -1;
}

Test(guard, looks_whether_a_silent_peer_is_still_there)
{
    scene s;
    open_scene(&s);
    int peer = meet(&s, preface, sizeof preface);
    event_base_loop(s.base, EVLOOP_ONCE);
    int fd = other_end(peer);
    cr_assert_geq(fd, 0);
    cr_expect_eq(option_of(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
    cr_expect_eq(option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE), 120);
    cr_expect_eq(option_of(fd, IPPROTO_TCP, TCP_KEEPINTVL), 30);
    cr_expect_eq(option_of(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 300000);
    close(peer);
    close_scene(&s);
}
