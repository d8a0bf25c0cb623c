/* The gate for hosts that share an address: its pause and its limit, for any of the hosts. */
#include "config/config_values.h"
#include "tests/unit/engine/host/pacer_help.h"

#include <stdio.h>

TestSuite(pacer_address, .fini = teardown);

/* A host as the frontier and the engine treat it: one request on its way to the gate at a time, the next due when the
 * gate says. */
typedef struct client {
    char origin[32];
    int64_t due_us;
    int64_t ends_us;
    int64_t connects_us; /* admitted, connecting until then; 0: not admitted */
    cw_host_pass on_way;
    cw_host_pass running;
    unsigned asked;
} client;

static void let_start(client *c, const char *ip, int64_t *last_us, int64_t *least_us)
{
    c->connects_us = 0;
    if (cw_host_pacer_start(pacer, host(c->origin), crawl_slice_from(ip), &c->on_way)) {
        cr_expect_gt(c->on_way.wait_us, 0);
        c->due_us = now_us + c->on_way.wait_us;
        return;
    }
    if (*last_us && now_us - *last_us < *least_us)
        *least_us = now_us - *last_us;
    *last_us = now_us;
    c->running = c->on_way;
    c->ends_us = now_us + 40 * MS;
    c->asked++;
}

static void turn(client *c, const char *ip, int64_t connect_us, int64_t *last_us, int64_t *least_us)
{
    if (c->ends_us && now_us >= c->ends_us) {
        end(host(c->origin), 200, -1, &c->running);
        c->ends_us = 0;
        c->due_us = now_us;
    }
    if (c->connects_us && now_us >= c->connects_us)
        let_start(c, ip, last_us, least_us);
    if (c->ends_us || c->connects_us || now_us < c->due_us)
        return;
    if (cw_host_pacer_admit(pacer, host(c->origin), NULL, &c->on_way) == CW_ADMIT_GO)
        c->connects_us = now_us + connect_us;
    else
        c->due_us = now_us + c->on_way.wait_us;
}

/* Runs `count` hosts at one address for a minute. Returns the least interval between two requests there. */
static int64_t run_at_one_address(client *clients, unsigned count, int64_t connect_us)
{
    int64_t last_us = 0;
    int64_t least_us = INT64_MAX;
    for (unsigned i = 0; i < count; i++) {
        clients[i] = (client){0};
        snprintf(clients[i].origin, sizeof clients[i].origin, "http://host%u", i);
    }
    for (int64_t until = now_us + 60000 * (int64_t)MS; now_us < until; now_us += 5 * MS)
        for (unsigned i = 0; i < count; i++)
            turn(&clients[i], "192.0.2.1", connect_us * (i % 3), &last_us, &least_us);
    return least_us;
}

Test(pacer_address, hosts_at_one_address_share_its_pause_and_none_is_left_out)
{
    enum { COUNT = 20 };
    client clients[COUNT];
    create(true);
    int64_t least = run_at_one_address(clients, COUNT, 15 * MS);
    cr_expect_geq(least, 250 * MS, "%lld us", (long long)least);
    unsigned total = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        cr_expect(clients[i].asked >= 6 && clients[i].asked <= 14, "host %u: %u", i, clients[i].asked);
        total += clients[i].asked;
    }
    cr_expect_geq(total, 220, "%u: the address is used nearly all of the time, 240 at most", total);
}

/* Puts a host into a group, as its rules would. */
static void join(const char *origin, const cw_host_rules *group)
{
    atomic_store(&host(origin)->rules, group);
}

Test(pacer_address, the_pause_runs_from_when_a_request_that_was_held_up_has_left)
{
    create(true);
    cw_host_pass a;
    cw_host_pass b;
    cw_host_pacer_admit(pacer, A, NULL, &a);
    cw_host_pacer_admit(pacer, B, NULL, &b);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &a), CRAWL_OK);
    now_us += 100 * MS;
    cr_expect_eq(cw_host_pacer_left(pacer, A, &a), CRAWL_OK);
    cr_expect_eq(cw_host_pacer_start(pacer, B, IP, &b), CRAWL_AGAIN);
    cr_expect_eq(b.wait_us, 250 * MS);
}

Test(pacer_address, what_is_held_up_for_longer_than_a_pause_lets_another_host_go_first)
{
    create(true);
    cw_host_pass a;
    cw_host_pass b;
    cw_host_pacer_admit(pacer, A, NULL, &a);
    cw_host_pacer_admit(pacer, B, NULL, &b);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &a), CRAWL_OK);
    now_us += 300 * MS;
    cr_expect_eq(cw_host_pacer_start(pacer, B, IP, &b), CRAWL_OK);
    cr_expect_eq(cw_host_pacer_left(pacer, A, &a), CRAWL_AGAIN);
    cr_expect_eq(a.wait_us, 250 * MS);
    cr_expect_eq(cw_host_pacer_left(pacer, B, &b), CRAWL_OK);
}

Test(pacer_address, hosts_of_a_group_share_its_pause_wherever_they_are)
{
    enum { COUNT = 6 };
    const cw_host_rules rules = {.delay_ms = 250, .per_host = 2, .share = 1, .group = crawl_slice_from("shop")};
    client clients[COUNT];
    int64_t last_us = 0;
    int64_t least_us = INT64_MAX;
    create(false);
    for (unsigned i = 0; i < COUNT; i++) {
        clients[i] = (client){0};
        snprintf(clients[i].origin, sizeof clients[i].origin, "http://host%u", i);
        join(clients[i].origin, &rules);
    }
    for (int64_t until = now_us + 60000 * (int64_t)MS; now_us < until; now_us += 5 * MS)
        for (unsigned i = 0; i < COUNT; i++)
            turn(&clients[i], i % 2 ? "192.0.2.1" : "198.51.100.7", 15 * MS * (i % 3), &last_us, &least_us);
    cr_expect_geq(least_us, 250 * MS, "%lld us", (long long)least_us);
    for (unsigned i = 0; i < COUNT; i++)
        cr_expect(clients[i].asked >= 30 && clients[i].asked <= 45, "host %u: %u", i, clients[i].asked);
}

Test(pacer_address, hosts_of_a_group_share_its_limit_and_others_have_their_own)
{
    const cw_host_rules rules = {.delay_ms = 250, .per_host = 2, .share = 1, .group = crawl_slice_from("shop")};
    const char *const names[4] = {"http://a", "http://b", "http://c", "http://d"};
    cw_host_pass pass[4];
    create(false);
    for (int i = 0; i < 3; i++)
        join(names[i], &rules);
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(cw_host_pacer_admit(pacer, host(names[i]), NULL, &pass[i]), CW_ADMIT_GO);
        cr_expect_eq(cw_host_pacer_start(pacer, host(names[i]), IP, &pass[i]), CRAWL_OK);
        now_us += 300 * MS;
    }
    cr_expect_eq(cw_host_pacer_admit(pacer, host(names[2]), NULL, &pass[2]), CW_ADMIT_WAIT, "without a connection");
    cr_expect_eq(cw_host_pacer_admit(pacer, host(names[3]), NULL, &pass[3]), CW_ADMIT_GO, "at the same address");
    cr_expect_eq(cw_host_pacer_start(pacer, host(names[3]), IP, &pass[3]), CRAWL_OK);
    end(A, 200, -1, &pass[0]);
    now_us += pass[2].wait_us;
    cr_expect_eq(cw_host_pacer_admit(pacer, host(names[2]), NULL, &pass[2]), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, host(names[2]), IP, &pass[2]), CRAWL_OK);
}

Test(pacer_address, without_it_each_host_has_its_own_pause)
{
    client clients[4];
    create(false);
    cr_expect_lt(run_at_one_address(clients, 4, 0), 250 * MS);
    for (unsigned i = 0; i < 4; i++)
        cr_expect_geq(clients[i].asked, 200);
}

Test(pacer_address, the_limit_at_once_holds_for_an_address)
{
    create(true);
    cw_host_pass pass[3];
    const char *const names[3] = {"http://a", "http://b", "http://c"};
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(cw_host_pacer_admit(pacer, host(names[i]), NULL, &pass[i]), CW_ADMIT_GO);
        cr_expect_eq(cw_host_pacer_start(pacer, host(names[i]), IP, &pass[i]), CRAWL_OK);
        now_us += 300 * MS;
    }
    cr_expect_eq(cw_host_pacer_admit(pacer, host(names[2]), NULL, &pass[2]), CW_ADMIT_GO,
                 "its address is not known yet");
    cr_expect_eq(cw_host_pacer_start(pacer, host(names[2]), IP, &pass[2]), CRAWL_AGAIN);
    end(A, 200, -1, &pass[0]);
    now_us += pass[2].wait_us;
    cr_expect_eq(cw_host_pacer_admit(pacer, host(names[2]), NULL, &pass[2]), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, host(names[2]), IP, &pass[2]), CRAWL_OK);
}

/* Creates a gate with a limit per address of 3 at once, 30 ms apart. */
static void create_loose(bool private_too)
{
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cw_host_pacer_options options = {.rules = cw_host_pace_rules_of(&config),
                                     .per_host = 2,
                                     .per_address = 3,
                                     .address_delay = 0.12,
                                     .per_address_private = private_too,
                                     .clock_us = clock_us};
    cw_config_clear(&config);
    table = cw_host_table_create(options.max_hosts);
    pacer = cw_host_pacer_create(&options);
    cr_assert_not_null(pacer);
}

/* Returns how many of `hosts` new hosts at an address may leave at one moment, or with each 30 ms after the one before.
 */
static unsigned leave(const char *ip, unsigned hosts, int64_t apart_us)
{
    unsigned left = 0;
    for (unsigned i = 0; i < hosts; i++, now_us += apart_us) {
        char name[32];
        cw_host_pass pass;
        snprintf(name, sizeof name, "http://%s/%u", ip, i);
        cr_assert_eq(cw_host_pacer_admit(pacer, host(name), NULL, &pass), CW_ADMIT_GO);
        bool leaves = cw_host_pacer_start(pacer, host(name), crawl_slice_from(ip), &pass) == CRAWL_OK;
        cr_expect(leaves || (pass.wait_us > 0 && pass.wait_us <= 8000 * MS), "%lld", (long long)pass.wait_us);
        cr_expect(!leaves || !pass.address || (pass.address_limit == 3 && pass.address_pause_us == 30 * MS));
        left += leaves;
    }
    return left;
}

Test(pacer_address, an_address_of_the_internet_has_a_loose_limit_and_pause_of_its_own)
{
    create_loose(false);
    cr_expect_eq(leave("9.9.9.9", 64, 0), 1, "the next comes after the pause");
    cr_expect_eq(leave("8.8.8.8", 64, 30 * MS), 3, "no more at once");
    cr_expect_eq(leave("127.0.0.1", 64, 0), 64, "a seed named it");
    cr_expect_eq(leave("2001:4860:4860::8888", 64, 30 * MS), 3);
}

Test(pacer_address, the_pause_of_an_address_follows_the_delay_of_all)
{
    create_loose(false);
    cw_host_pacer_set_delay(pacer, 2500 * MS);
    cw_host_pass pass[2];
    cr_assert_eq(cw_host_pacer_admit(pacer, A, NULL, &pass[0]), CW_ADMIT_GO);
    cr_assert_eq(cw_host_pacer_admit(pacer, B, NULL, &pass[1]), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, crawl_slice_from("9.9.9.9"), &pass[0]), CRAWL_OK);
    cr_expect_eq(cw_host_pacer_start(pacer, B, crawl_slice_from("9.9.9.9"), &pass[1]), CRAWL_AGAIN);
    cr_expect_eq(pass[0].address_pause_us, 300 * MS);
    cr_expect_eq(pass[1].wait_us, 300 * MS);
}

Test(pacer_address, what_a_host_has_for_itself_its_address_has_too)
{
    create_loose(false);
    cw_host_pass pass[6];
    const cw_host_rules rules = {.delay_ms = 0, .per_host = 5};
    atomic_store(&A->rules, &rules);
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(cw_host_pacer_admit(pacer, A, NULL, &pass[i]), CW_ADMIT_GO);
        cr_expect_eq(cw_host_pacer_start(pacer, A, crawl_slice_from("9.9.9.9"), &pass[i]), CRAWL_OK, "%d", i);
    }
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass[5]), CW_ADMIT_WAIT);
    cr_expect_eq(pass[0].address_limit, 5);
    cr_expect_eq(pass[0].address_pause_us, 0);
    cw_host_pass other;
    cr_assert_eq(cw_host_pacer_admit(pacer, B, NULL, &other), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, B, crawl_slice_from("9.9.9.9"), &other), CRAWL_AGAIN, "its limit is 3");
}

Test(pacer_address, a_private_address_has_them_if_it_is_wanted)
{
    create_loose(true);
    cr_expect_eq(leave("127.0.0.1", 64, 30 * MS), 3);
}
