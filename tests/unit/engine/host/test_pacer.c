/* The gate for all hosts, with a clock of the test's own: pauses, holds, and hosts that share an address. */
#include "crawler/engine/host/steer.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define MS 1000

static int64_t now_us = 1000000;
static cw_host_pacer *pacer;
static cw_host_table *table;

static int64_t clock_us(void)
{
    return now_us;
}

static void create_after(bool per_ip, bool resumed)
{
    crawl_config config;
    cr_assert_eq(crawl_config_init(&config), CRAWL_OK);
    cw_host_pacer_options options = {.rules = cw_host_pace_rules_of(&config),
                                     .per_ip = per_ip,
                                     .per_host = 2,
                                     .max_hosts = 1000,
                                     .resumed = resumed,
                                     .clock_us = clock_us};
    crawl_config_free(&config);
    table = cw_host_table_create(options.max_hosts);
    pacer = cw_host_pacer_create(&options);
    cr_assert_not_null(pacer);
}

static void create(bool per_ip)
{
    create_after(per_ip, false);
}

static void teardown(void)
{
    cw_host_pacer_free(pacer);
    cw_host_table_free(table);
}

TestSuite(pacer, .fini = teardown);

static cw_host_record *host(const char *name)
{
    return cw_host_table_get(table, crawl_slice_from(name));
}

#define A host("http://a")
#define B host("http://b")
#define IP crawl_slice_from("192.0.2.1")

static cw_host_pacer_effect end(cw_host_record *one, int status, int64_t retry_after_ms, cw_host_pass *pass)
{
    crawl_response response = {.status = status, .error_text = "", .ip = ""};
    if (!status)
        response.error = CRAWL_FETCH_CONNECT;
    return cw_host_pacer_done(pacer, one, &response, retry_after_ms * MS, pass);
}

Test(pacer, hosts_have_paces_of_their_own)
{
    create(false);
    cw_host_pass a;
    cw_host_pass b;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &a), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &a), CRAWL_OK);
    cr_expect_eq(a.started_us, now_us);
    cr_expect_eq(cw_host_pacer_admit(pacer, B, NULL, &b), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, B, IP, &b), CRAWL_OK);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &b), CW_ADMIT_WAIT);
    cr_expect_eq(b.wait_us, 250 * MS);
}

Test(pacer, a_hold_stops_what_was_admitted_before)
{
    create(false);
    cw_host_pass first;
    cw_host_pass second;
    cw_host_pacer_admit(pacer, A, NULL, &first);
    cw_host_pacer_start(pacer, A, IP, &first);
    now_us += 300 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cw_host_pacer_effect effect = end(A, 429, 2000, &first);
    cr_expect_eq(effect.hold_us, 2000 * MS);
    cr_expect_eq(effect.hold_by, CW_HOLD_RETRY_AFTER);
    now_us += 500 * MS;
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_AGAIN);
    cr_expect_eq(second.wait_us, 1500 * MS);
    cr_expect_eq(second.started_us, 0);
    now_us += 1500 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_OK);
}

Test(pacer, what_is_on_its_way_is_not_held_for_ever)
{
    create(false);
    cw_host_pass first;
    cw_host_pass second;
    cw_host_pacer_admit(pacer, A, NULL, &first);
    cw_host_pacer_start(pacer, A, IP, &first);
    now_us += 300 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    end(A, 429, 99999999000, &first);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_AGAIN);
    cr_expect_eq(second.wait_us, 0, "it comes back at once, and");
    cw_host_pacer_unasked(pacer, A, &second);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_REFUSE);
    cr_expect_eq(second.refused_by, CW_HOLD_RETRY_AFTER);
    cr_expect(strstr(second.words, "politeness.max_retry_delay"), "%s", second.words);
    now_us += 99999700000 * (int64_t)MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_WAIT, "300 s are left, which is not too long");
}

Test(pacer, what_is_on_its_way_to_a_host_that_is_given_up_comes_back_at_once)
{
    create(false);
    cw_host_pass pass;
    cw_host_pass on_way;
    for (int i = 0; i < 10; i++) {
        now_us += 1000000 * (int64_t)MS;
        cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
        if (i == 9)
            cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &on_way), CW_ADMIT_GO);
        end(A, 0, -1, &pass);
    }
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &on_way), CRAWL_AGAIN);
    cr_expect_eq(on_way.wait_us, 0);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &on_way), CW_ADMIT_REFUSE);
    cr_expect_eq(on_way.refused_by, CW_HOLD_GIVEN_UP);
}

Test(pacer, a_moment_that_is_far_is_looked_at_before)
{
    enum { HOSTS = 100 };
    create(true);
    cw_host_pass pass[HOSTS];
    char name[32];
    for (int i = 0; i < HOSTS; i++) {
        snprintf(name, sizeof name, "http://%d", i);
        cr_assert_eq(cw_host_pacer_admit(pacer, host(name), NULL, &pass[i]), CW_ADMIT_GO,
                     "its address is not known yet");
        cr_expect_eq(cw_host_pacer_start(pacer, host(name), IP, &pass[i]), i ? CRAWL_AGAIN : CRAWL_OK);
    }
    cr_expect_eq(pass[1].wait_us, 250 * MS);
    cr_expect_eq(pass[HOSTS - 1].wait_us, 8000 * MS, "not the 24.75 s until its moment");
}

Test(pacer, the_frontier_is_told_of_a_pause_once)
{
    create(false);
    cw_host_pacer_effect effect = cw_host_pacer_crawl_delay(pacer, A, 3000 * MS);
    cr_expect(effect.pause_changed);
    cr_expect_eq(effect.pause_us, 3000 * MS);
    cr_expect_not(cw_host_pacer_crawl_delay(pacer, A, 3000 * MS).pause_changed);
    cw_host_pass pass;
    cw_host_pacer_admit(pacer, A, NULL, &pass);
    cr_expect_eq(pass.pause_us, 3000 * MS);
    cr_expect_eq(pass.by, CW_PACE_CRAWL_DELAY);
    effect = cw_host_pacer_crawl_delay(pacer, A, 0);
    cr_expect(effect.pause_changed);
    cr_expect_eq(effect.pause_us, 250 * MS);
}

Test(pacer, a_vain_connection_is_a_request)
{
    create(false);
    cw_host_pass pass;
    cw_host_pacer_admit(pacer, A, NULL, &pass);
    now_us += 900 * MS;
    end(A, 0, -1, &pass);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_WAIT);
    cr_expect_gt(pass.wait_us, 0);
}

Test(pacer, a_host_that_is_given_up_says_why)
{
    create(false);
    cw_host_pass pass = {0};
    for (int i = 0; i < 10; i++) {
        now_us += 1000000 * (int64_t)MS;
        cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
        end(A, 0, -1, &pass);
    }
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_REFUSE);
    cr_expect(strstr(pass.words, "10 failures in a row") && strstr(pass.words, "connect"), "%s", pass.words);
    cw_host_hold_by by;
    cr_expect_eq(cw_host_pacer_held(pacer, A, &by), 1800 * 1000 * (int64_t)MS);
    cr_expect_eq(by, CW_HOLD_GIVEN_UP);
}

Test(pacer, beyond_max_hosts_the_delay_alone_holds)
{
    create(false);
    cw_host_pass pass;
    char name[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "http://%d", i);
        cr_assert_eq(cw_host_pacer_admit(pacer, host(name), NULL, &pass), CW_ADMIT_GO);
    }
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
    cr_expect_eq(pass.pause_us, 250 * MS);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &pass), CRAWL_OK);
    cr_expect_eq(end(A, 200, -1, &pass).pause_changed, false);
}

/* A host as the frontier and the engine would treat it: one request on its way to the gate at a time, the next due when
 * the gate said. */
typedef struct client {
    char origin[32];
    int64_t due_us;
    int64_t ends_us;
    int64_t connects_us; /* admitted, connecting until then; 0: not */
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

/* Runs so many hosts at one address for a minute; the least distance between two requests there. */
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

Test(pacer, hosts_at_one_address_share_its_pause_and_none_is_left_out)
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

Test(pacer, without_it_each_host_has_its_own_pause)
{
    client clients[4];
    create(false);
    cr_expect_lt(run_at_one_address(clients, 4, 0), 250 * MS);
    for (unsigned i = 0; i < 4; i++)
        cr_expect_geq(clients[i].asked, 200);
}

Test(pacer, the_limit_at_once_holds_for_an_address)
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

/* Per address, 3 at once and 30 ms apart. */
static void create_loose(bool private_too)
{
    crawl_config config;
    cr_assert_eq(crawl_config_init(&config), CRAWL_OK);
    cw_host_pacer_options options = {.rules = cw_host_pace_rules_of(&config),
                                     .per_host = 2,
                                     .per_address = 3,
                                     .address_pause_us = 30 * MS,
                                     .per_address_private = private_too,
                                     .clock_us = clock_us};
    crawl_config_free(&config);
    table = cw_host_table_create(options.max_hosts);
    pacer = cw_host_pacer_create(&options);
    cr_assert_not_null(pacer);
}

/* How many of so many new hosts at an address may leave there in one moment, and how many if each is 30 ms after the
 * one before. */
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
        cr_expect(!leaves || !pass.place || (pass.address_limit == 3 && pass.address_pause_us == 30 * MS));
        left += leaves;
    }
    return left;
}

Test(pacer, an_address_of_the_internet_has_a_loose_limit_and_pause_of_its_own)
{
    create_loose(false);
    cr_expect_eq(leave("9.9.9.9", 64, 0), 1, "the next comes after the pause");
    cr_expect_eq(leave("8.8.8.8", 64, 30 * MS), 3, "no more at once");
    cr_expect_eq(leave("127.0.0.1", 64, 0), 64, "a seed named it");
    cr_expect_eq(leave("2001:4860:4860::8888", 64, 30 * MS), 3);
}

Test(pacer, what_a_host_has_for_itself_its_address_has_too)
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

Test(pacer, a_private_address_has_them_if_it_is_wanted)
{
    create_loose(true);
    cr_expect_eq(leave("127.0.0.1", 64, 30 * MS), 3);
}

Test(pacer, after_another_process_hosts_count_as_asked_just_now)
{
    create_after(false, true);
    cw_host_pass pass;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_WAIT);
    cr_expect_eq(pass.wait_us, 250 * MS);
    now_us += 250 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &pass), CRAWL_OK);
    cw_host_pacer_effect effect = end(A, 200, -1, &pass);
    cr_expect(effect.pause_changed, "the frontier may have another one");
    cr_expect_eq(effect.pause_us, 250 * MS);
    now_us += 250 * MS;
    cw_host_pacer_admit(pacer, A, NULL, &pass);
    cw_host_pacer_start(pacer, A, IP, &pass);
    cr_expect_not(end(A, 200, -1, &pass).pause_changed);
}

Test(pacer, holds_of_another_process_are_kept)
{
    create_after(false, true);
    cw_host_pass pass;
    cw_host_hold_by by;
    cw_host_pacer_hold(pacer, A, 5000 * MS);
    cr_expect_eq(cw_host_pacer_held(pacer, A, &by), 5000 * MS);
    cr_expect_eq(by, CW_HOLD_RETRY_AFTER);
    cw_host_pacer_hold(pacer, A, 3000 * MS);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_WAIT);
    cr_expect_eq(pass.wait_us, 5000 * MS);
}

Test(pacer, a_host_has_its_own_delay_and_limit)
{
    crawl_config config;
    cr_assert_eq(crawl_config_init(&config), CRAWL_OK);
    config.delay_ms = 250;
    config.adaptive = false;
    cw_host_pacer_options options = {
        .rules = cw_host_pace_rules_of(&config), .per_host = 4, .limits = true, .clock_us = clock_us};
    crawl_config_free(&config);
    table = cw_host_table_create(options.max_hosts);
    pacer = cw_host_pacer_create(&options);
    cr_assert_not_null(pacer);
    const cw_host_rules rules = {.delay_ms = 1000, .per_host = 1};
    atomic_store(&A->rules, &rules);
    cw_host_pass first, second, other[5];
    cr_assert_eq(cw_host_pacer_admit(pacer, A, NULL, &first), CW_ADMIT_GO);
    cr_expect_eq(first.pause_us, 1000 * MS);
    cr_expect_eq(first.limit, 1);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_WAIT); /* one at once */
    cr_assert_eq(cw_host_pacer_start(pacer, A, IP, &first), CRAWL_OK);
    end(A, 200, -1, &first);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_WAIT); /* the pause */
    cr_expect_eq(second.wait_us, 1000 * MS);
    now_us += 1000 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cw_host_pacer_unasked(pacer, A, &second);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO); /* the turn came back */
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(cw_host_pacer_admit(pacer, B, NULL, &other[i]), CW_ADMIT_GO);
        cr_expect_eq(other[i].pause_us, 250 * MS);
    }
    cr_expect_eq(cw_host_pacer_admit(pacer, B, NULL, &other[4]), CW_ADMIT_WAIT);
    end(B, 0, -1, &other[0]);
    now_us += 250 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, B, NULL, &other[4]), CW_ADMIT_GO);
}

static void answer(const char *origin, int status, int64_t took_us)
{
    cw_host_pass pass;
    now_us += 1000 * 1000 * 1000;
    cr_assert_eq(cw_host_pacer_admit(pacer, host(origin), NULL, &pass), CW_ADMIT_GO);
    cr_assert_eq(cw_host_pacer_start(pacer, host(origin), IP, &pass), CRAWL_OK);
    now_us += took_us;
    end(host(origin), status, -1, &pass);
}

static bool has_share(const char *origin, uint32_t share, bool has_room)
{
    cw_host_pass pass;
    const cw_host_claim claim = {.share = share, .has_room = has_room};
    (void)cw_host_pacer_admit(pacer, host(origin), &claim, &pass);
    cw_host_pacer_unasked(pacer, host(origin), &pass);
    return !pass.no_share;
}

Test(pacer, a_new_host_has_its_even_share_of_the_connections)
{
    create(false);
    cw_host_pass pass;
    cr_expect(has_share("http://a", 1, false));
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
    cr_expect_not(has_share("http://a", 1, true));
    cr_expect(has_share("http://a", 2, false));
    cw_host_pacer_unasked(pacer, A, &pass);
    cr_expect(has_share("http://a", 1, true));
    cw_host_pacer_unasked(pacer, A, &pass);
    cr_expect(has_share("http://a", 1, true), "counted once");
    answer("http://a", 200, MS);
    answer("http://a", 200, MS);
    now_us += 1000 * 1000 * 1000;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
    cr_expect(has_share("http://a", 1, false), "it has answered, and is not new any more");
    end(A, 200, -1, &pass);
}

Test(pacer, a_slow_host_has_its_share_of_what_slow_hosts_have)
{
    create(false);
    answer("http://a", 200, MS);
    answer("http://a", 200, 999 * MS);
    cr_expect(has_share("http://a", 1, false));
    answer("http://a", 200, 1000 * MS);
    cr_expect_not(has_share("http://a", 1, false));
    cr_expect(has_share("http://a", 1, true));
    answer("http://a", 200, MS);
    cr_expect(has_share("http://a", 1, false), "one answer in time");
    cw_host_pacer_slow(pacer, A);
    cr_expect_not(has_share("http://a", 1, false));
    cw_host_pass pass;
    now_us += 1000 * 1000 * 1000;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
    cr_expect(pass.slow);
    crawl_response cancelled = {.error = CRAWL_FETCH_CANCELLED, .error_text = "", .ip = ""};
    cw_host_pacer_done(pacer, A, &cancelled, -1, &pass);
    cr_expect_not(has_share("http://a", 1, false), "one that went back says nothing");
    cr_expect(has_share("http://a", 1, true));
}

Test(pacer, a_host_that_is_given_up_needs_no_share)
{
    create(false);
    cw_host_pass pass;
    for (int i = 0; i < 10; i++)
        answer("http://a", 0, 2000 * MS);
    cr_expect(has_share("http://a", 1, false));
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_REFUSE);
}

Test(pacer, a_host_without_a_share_is_looked_at_less_and_less)
{
    create(false);
    cw_host_pass pass;
    const cw_host_claim none = {.share = 1};
    int64_t waits[7];
    answer("http://a", 200, 2000 * MS);
    for (int i = 0; i < 7; i++) {
        cr_expect_eq(cw_host_pacer_admit(pacer, A, &none, &pass), CW_ADMIT_WAIT);
        cr_expect(pass.no_share);
        waits[i] = pass.wait_us / MS;
    }
    cr_expect_arr_eq(waits, ((int64_t[]){250, 500, 1000, 2000, 4000, 8000, 8000}), sizeof waits);
    cr_expect(has_share("http://a", 1, true));
    cr_expect_eq(cw_host_pacer_admit(pacer, A, &none, &pass), CW_ADMIT_WAIT);
    cr_expect_eq(pass.wait_us, 250 * MS);
}

/* ---- what whoever runs the crawl changes ---- */

static crawl_host_pace look(cw_host_record *one)
{
    crawl_host_pace pace;
    cr_assert_eq(cw_host_steer_look(pacer, one, now_us, &pace), CRAWL_OK);
    return pace;
}

Test(pacer, a_block_stops_what_was_leased_and_what_was_admitted)
{
    create(false);
    cw_host_pass first;
    cw_host_pass second;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &first), CW_ADMIT_GO);
    cr_expect_eq(cw_host_steer_block(A, true), CRAWL_OK);
    cr_expect(cw_host_steer_is_blocked(A));
    cr_expect_not(cw_host_steer_is_blocked(B));
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &first), CRAWL_AGAIN);
    cr_expect_gt(first.wait_us, 0);
    cw_host_pacer_unasked(pacer, A, &first);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_WAIT);
    cr_expect_gt(second.wait_us, 0);
    cr_expect(look(A).is_blocked);
    cr_expect_eq(look(A).asked, 0);
    cr_expect_eq(look(A).running, 0);
    cr_expect_eq(cw_host_pacer_admit(pacer, B, NULL, &second), CW_ADMIT_GO);
    cr_expect_eq(cw_host_steer_block(A, false), CRAWL_OK);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_OK);
}

Test(pacer, an_answer_tells_that_its_host_is_blocked_by_now)
{
    create(false);
    cw_host_pass pass;
    cw_host_pacer_admit(pacer, A, NULL, &pass);
    cw_host_pacer_start(pacer, A, IP, &pass);
    cw_host_steer_block(A, true);
    cr_expect(end(A, 200, -1, &pass).is_blocked);
}

/* From the request before to the next one that is let through. */
static int64_t pause_of(cw_host_record *one)
{
    cw_host_pass pass;
    cw_host_admission admission = cw_host_pacer_admit(pacer, one, NULL, &pass);
    return admission == CW_ADMIT_WAIT ? pass.wait_us : 0;
}

static void ask(cw_host_record *one)
{
    cw_host_pass pass;
    cr_assert_eq(cw_host_pacer_admit(pacer, one, NULL, &pass), CW_ADMIT_GO);
    cr_assert_eq(cw_host_pacer_start(pacer, one, IP, &pass), CRAWL_OK);
}

Test(pacer, delays_are_changed_for_all_and_for_one)
{
    create(false);
    cw_host_pacer_effect effect;
    ask(A);
    ask(B);
    cr_expect_eq(pause_of(A), 250 * MS);
    cw_host_pacer_set_delay(pacer, 2000 * MS);
    cr_expect_eq(pause_of(A), 2000 * MS);
    cr_expect_eq(cw_host_steer_delay(A, 100 * MS), CRAWL_OK);
    effect = cw_host_pacer_look(pacer, A);
    cr_expect(effect.pause_changed);
    cr_expect_eq(effect.pause_us, 100 * MS);
    cr_expect_eq(pause_of(A), 100 * MS);
    cr_expect_eq(pause_of(B), 2000 * MS);
    cr_expect_eq(look(A).delay_us, 100 * MS);
    cr_expect_str_eq(look(A).pause_by, "delay");
    cr_expect_eq(cw_host_steer_delay(A, -1), CRAWL_OK);
    cr_expect_eq(cw_host_pacer_look(pacer, A).pause_us, 2000 * MS);
    cr_expect_lt(look(A).delay_us, 0);
}

Test(pacer, what_a_host_asks_for_holds_whatever_the_delay)
{
    create(false);
    ask(A);
    cw_host_pacer_crawl_delay(pacer, A, 5000 * MS);
    cr_expect_eq(cw_host_steer_delay(A, 0), CRAWL_OK);
    cr_expect_eq(pause_of(A), 5000 * MS);
}
