/* Lookups on an event loop that stalls for a while, as on a busy machine. This program has its own name server, which
 * is asked and answers when a test says so. */
#include "fetch/names/resolve.h"

#include <arpa/inet.h>
#include <crawl/fetch.h>
#include <criterion/criterion.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LOOKUPS = 450, QUESTIONS = 2 * LOOKUPS, PACKET = 512, ROUNDS = 10000 };

typedef struct question {
    struct sockaddr_in from;
    size_t size;
    unsigned char packet[PACKET];
} question;

static struct event_base *base;
static cw_dns_resolver *resolver;
static cw_dns_resolver_stats stats;
static cw_dns_wait waits[LOOKUPS];
static size_t told[CW_NAME_MEMORY + 1]; /* by verdict */
static int server;
static question questions[QUESTIONS];

static void on_ready(void *user, cw_dns_wait *wait, const cw_names_answer *answer, int64_t waited_ms)
{
    (void)user, (void)wait, (void)waited_ms;
    cr_assert_leq((size_t)answer->verdict, sizeof told / sizeof *told - 1);
    told[answer->verdict]++;
}

static void open_server(char address[32])
{
    const int room = 1 << 22;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    server = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    cr_assert_eq(setsockopt(server, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), 0);
    cr_assert_eq(bind(server, (struct sockaddr *)&here, sizeof here), 0);
    cr_assert_eq(getsockname(server, (struct sockaddr *)&here, &size), 0);
    snprintf(address, 32, "127.0.0.1:%u", ntohs(here.sin_port));
}

static void open_resolver(int64_t timeout_ms)
{
    static char address[32];
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    open_server(address);
    options.dns_servers = address;
    options.dns_timeout_ms = timeout_ms;
    base = event_base_new();
    cr_assert_eq(cw_dns_resolver_create(base, &options, &stats, on_ready, NULL, &resolver, NULL), CRAWL_OK);
}

static void close_resolver(void)
{
    cw_dns_resolver_free(resolver);
    event_base_loop(base, EVLOOP_NONBLOCK);
    event_base_free(base);
    close(server);
}

TestSuite(resolve, .fini = close_resolver, .timeout = 60);

static void ask(size_t number)
{
    char name[32];
    cw_names_answer answer = {0};
    int size = snprintf(name, sizeof name, "host%zu.test", number);
    cr_assert_not(cw_dns_resolver_ask(resolver, crawl_slice_of(name, (size_t)size), &waits[number], &answer));
}

/* Reads the questions. Returns their number. */
static size_t read_questions(void)
{
    size_t count = 0;
    for (; count < QUESTIONS; count++) {
        question *q = &questions[count];
        socklen_t size = sizeof q->from;
        ssize_t got = recvfrom(server, q->packet, PACKET, 0, (struct sockaddr *)&q->from, &size);
        if (got < 0)
            break;
        q->size = (size_t)got;
    }
    return count;
}

/* Answers that there is no such name: the question itself with other flags (RFC 1035, 4.1.1). */
static void answer_questions(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        question *q = &questions[i];
        q->packet[2] |= 0x80; /* QR */
        q->packet[3] |= 3;    /* NXDOMAIN */
        cr_assert_eq(sendto(server, q->packet, q->size, 0, (struct sockaddr *)&q->from, sizeof q->from),
                     (ssize_t)q->size);
    }
}

/* The answers wait in the buffers of sockets, each of which must have room for its own. */
Test(resolve, no_answer_is_lost_that_comes_while_the_loop_stands_still)
{
    size_t asked = 0;
    open_resolver(30 * 60 * 1000); /* no question is repeated within a test */
    for (size_t i = 0; i < LOOKUPS; i++)
        ask(i);
    for (size_t round = 0; round < ROUNDS && told[CW_NAME_ABSENT] < LOOKUPS; round++) {
        size_t count = read_questions();
        asked += count;
        answer_questions(count);
        event_base_loop(base, EVLOOP_NONBLOCK);
    }
    cr_expect_eq(told[CW_NAME_ABSENT], LOOKUPS, "%zu", told[CW_NAME_ABSENT]);
    cr_expect_eq(asked, QUESTIONS, "%zu", asked);
}

static void stand_still(void)
{
    const struct timespec moment = {.tv_nsec = 60 * 1000 * 1000};
    nanosleep(&moment, NULL);
}

static void ask_late(evutil_socket_t fd, short what, void *user)
{
    (void)fd, (void)what, (void)user;
    stand_still();
    ask(0);
}

static void on_stall(evutil_socket_t fd, short what, void *user)
{
    (void)fd, (void)what, (void)user;
    stand_still();
}

/* The time of a question is measured from the loop's last look at the clock, which is before the question. */
Test(resolve, a_silent_server_has_not_failed_for_a_loop_that_stood_still)
{
    const struct timeval at_once = {0}, before_the_first_third = {.tv_usec = 90 * 1000};
    open_resolver(300);
    event_base_once(base, -1, EV_TIMEOUT, ask_late, NULL, &at_once);
    event_base_once(base, -1, EV_TIMEOUT, on_stall, NULL, &before_the_first_third);
    while (!told[CW_NAME_LATE] && !told[CW_NAME_FAILED])
        event_base_loop(base, EVLOOP_ONCE);
    cr_expect_eq(told[CW_NAME_FAILED], 0);
}
