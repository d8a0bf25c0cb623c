/* Which name server is asked, and from which port: time is an argument, and packets to servers on 127.0.0.0/8 are read
 * by nobody. */
#include "fetch/names/servers.h"

#include <criterion/criterion.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <netinet/in.h>

enum { SECOND = 1000, HOUR = 3600 * SECOND };

static struct event_base *base;
static cw_dns_servers servers;

static void open_servers(void)
{
    base = event_base_new();
    cr_assert_eq(cw_dns_servers_init(&servers, base, "127.0.0.1:5301, 127.0.0.2 [::1]:5303", NULL), CRAWL_OK);
    cr_assert_eq(cw_dns_servers_count(&servers), 3);
}

static void close_servers(void)
{
    cw_dns_servers_free(&servers);
    event_base_free(base);
}

TestSuite(servers, .init = open_servers, .fini = close_servers, .timeout = 20);

static cw_dns_server *at(size_t index)
{
    return (cw_dns_server *)(void *)servers.list.data + index;
}

static void lose(size_t index, unsigned questions, int64_t now_ms)
{
    while (questions--)
        cw_dns_server_lost(at(index), false, now_ms);
}

static void expect_turns(size_t first, size_t second, size_t third)
{
    cr_expect_eq(cw_dns_servers_next(&servers, NULL), at(first));
    cr_expect_eq(cw_dns_servers_next(&servers, NULL), at(second));
    cr_expect_eq(cw_dns_servers_next(&servers, NULL), at(third));
}

Test(servers, a_port_that_is_not_given_is_53)
{
    cr_expect_eq(ntohs(((struct sockaddr_in *)&at(0)->address)->sin_port), 5301);
    cr_expect_eq(ntohs(((struct sockaddr_in *)&at(1)->address)->sin_port), 53);
    cr_expect_eq(ntohs(((struct sockaddr_in6 *)&at(2)->address)->sin6_port), 5303);
}

Test(servers, words_that_are_no_addresses)
{
    static const char *const texts[] = {"ns.example", "127.0.0.1 x", "127.0.0.1:99999",
                                        "1111111111111111111111111111111111111111111111111111111111111111111111111111"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cw_dns_servers none;
        crawl_error error = {0};
        cr_expect_eq(cw_dns_servers_init(&none, base, texts[i], &error), CRAWL_EINVAL, "%s", texts[i]);
        cr_expect(strstr(error.message, "is not the address of a name server"), "%s", error.message);
        cw_dns_servers_free(&none);
    }
}

Test(servers, each_has_its_turn)
{
    expect_turns(0, 1, 2);
    expect_turns(0, 1, 2);
    cr_expect_eq(cw_dns_servers_next(&servers, at(0)), at(1), "not the one whose turn it is");
    expect_turns(2, 0, 1);
}

Test(servers, a_silent_one_is_passed_over)
{
    lose(1, 2, 0);
    expect_turns(0, 1, 2);
    lose(1, 1, 0);
    expect_turns(0, 2, 0);
    cw_dns_server_lost(at(2), true, 0);
    expect_turns(0, 0, 0);
    cr_expect_eq(cw_dns_servers_next(&servers, at(0)), at(0), "there is no other");
    cw_dns_server_heard(at(1));
    expect_turns(1, 0, 1);
}

Test(servers, an_answer_between_two_losses)
{
    lose(0, 2, 0);
    cw_dns_server_heard(at(0));
    lose(0, 2, 0);
    expect_turns(0, 1, 2);
}

Test(servers, when_all_are_silent_all_are_asked)
{
    for (size_t i = 0; i < 3; i++)
        lose(i, 3, 0);
    expect_turns(0, 1, 2);
    cr_expect_null(cw_dns_servers_probe(&servers, HOUR));
}

Test(servers, probes_come_in_growing_pauses)
{
    static const int64_t pauses[] = {10, 30, 90, 270, 810, 2430, 3600, 3600};
    int64_t now = 0;
    lose(1, 3, now);
    for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++) {
        now += pauses[i] * SECOND;
        cr_expect_null(cw_dns_servers_probe(&servers, now - 1));
        cr_expect_eq(cw_dns_servers_probe(&servers, now), at(1));
        lose(1, 1, now); /* the probe, or a pending question: neither delays the next one */
    }
    cw_dns_server_heard(at(1));
    cr_expect_null(cw_dns_servers_probe(&servers, now + HOUR));
    lose(1, 3, now);
    cr_expect_eq(cw_dns_servers_probe(&servers, now + 10 * SECOND), at(1));
}

Test(servers, what_is_known_outlives_a_list_that_is_read_again)
{
    lose(0, 3, 0);
    cw_dns_servers_reload(&servers, base);
    expect_turns(1, 2, 1);
}

/* ---- ports ---- */

Test(servers, a_port_is_closed_with_its_last_question)
{
    cw_dns_ports ports;
    cw_dns_ports_init(&ports, base, SECOND);
    cw_dns_port *first = cw_dns_ports_take(&ports, at(0), false);
    cr_expect_eq(cw_dns_ports_take(&ports, at(0), true), first);
    cw_dns_port *second = cw_dns_ports_take(&ports, at(0), false), *other = cw_dns_ports_take(&ports, at(1), false);
    cr_expect_neq(second, first);
    cr_expect_eq(ports.count, 3);
    cw_dns_port_leave(first);
    cr_expect_eq(ports.count, 3);
    cw_dns_port_leave(first);
    cw_dns_port_leave(other);
    cr_expect_eq(ports.count, 1);
    cw_dns_port_leave(second);
    cr_expect_eq(ports.count, 0);
    cw_dns_ports_free(&ports);
}

Test(servers, ports_are_bounded)
{
    enum { QUESTIONS = 100 };
    cw_dns_ports ports;
    cw_dns_port *taken[QUESTIONS];
    cw_dns_ports_init(&ports, base, SECOND);
    for (size_t i = 0; i < QUESTIONS; i++)
        taken[i] = cw_dns_ports_take(&ports, at(0), false);
    cr_expect_eq(ports.count, CW_DNS_PORTS_MAX);
    cw_dns_port *other = cw_dns_ports_take(&ports, at(1), false);
    cr_expect_eq(ports.count, CW_DNS_PORTS_MAX + 1, "a server without a port may have one");
    cw_dns_port_leave(other);
    cw_dns_port_leave(taken[0]);
    cw_dns_port_leave(taken[1]); /* the first port is closed: there is room for another one */
    taken[0] = cw_dns_ports_take(&ports, at(0), false);
    cr_expect_neq(taken[0], taken[QUESTIONS - 1]);
    cw_dns_port_leave(taken[0]);
    for (size_t i = 2; i < QUESTIONS; i++)
        cw_dns_port_leave(taken[i]);
    cr_expect_eq(ports.count, 0);
}

static void count_end(int code, char type, int count, int ttl, void *addresses, void *user)
{
    (void)type, (void)count, (void)ttl, (void)addresses;
    cr_expect_eq(code, DNS_ERR_SHUTDOWN);
    cw_dns_port_leave(*(cw_dns_port **)user);
    *(cw_dns_port **)user = NULL;
}

Test(servers, questions_outlive_their_ports)
{
    cw_dns_ports ports;
    cw_dns_ports_init(&ports, base, SECOND);
    cw_dns_port *port = cw_dns_ports_take(&ports, at(0), false);
    cr_assert_not_null(evdns_base_resolve_ipv4(port->dns, "a.test", DNS_QUERY_NO_SEARCH, count_end, &port));
    cw_dns_ports_free(&ports);
    cr_assert_not_null(port);
    event_base_loop(base, EVLOOP_NONBLOCK);
    cr_expect_null(port);
}
