/* Strict-Transport-Security: the field, and the hosts that it applies to. */
#include "crawler/engine/host/hsts.h"

#include "base/clock.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/parts.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

Test(hsts, fields)
{
    static const struct {
        const char *text;
        int64_t age; /* -1: none */
        bool subdomains;
    } cases[] = {
        {"max-age=31536000", 31536000, false},
        {" max-age = 10 ; includeSubDomains", 10, true},
        {"includesubdomains; MAX-AGE=\"20\"; preload", 20, true},
        {"max-age=0", 0, false},
        {"max-age=5; x=\";max-age=9\"", 5, false},
        {";; max-age=7;", 7, false},
        {"max-age=99999999999999999999999", (int64_t)100 * 366 * 86400, false},
        {"", -1, false},
        {"max-age", -1, false},
        {"max-age=", -1, false},
        {"max-age=1x", -1, false},
        {"max-age=-1", -1, false},
        {"max-age=1; max-age=2", -1, false},
        {"includeSubDomains", -1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cw_host_hsts_policy policy = {-1, false};
        cr_expect_eq(cw_host_hsts_parse(crawl_slice_from(cases[i].text), &policy), cases[i].age >= 0, "%s",
                     cases[i].text);
        cr_expect_eq(policy.max_age_s, cases[i].age, "%s", cases[i].text);
        cr_expect_eq(policy.subdomains, cases[i].subdomains, "%s", cases[i].text);
    }
}

static crawl_err set(cw_host_hsts *hsts, const char *host, int64_t until_ms, bool subdomains)
{
    return cw_host_hsts_set(hsts, crawl_slice_from(host), 0, until_ms, subdomains);
}

static bool holds(cw_host_hsts *hsts, const char *host, int64_t now_ms)
{
    return cw_host_hsts_holds(hsts, crawl_slice_from(host), now_ms);
}

Test(hsts, hosts)
{
    const int64_t day_ms = 86400 * 1000;
    cw_host_hsts *hsts = cw_host_hsts_create();
    cr_expect_not(holds(hsts, "a.test", 0));
    cr_expect_eq(set(hsts, "a.test", 10 * day_ms, false), CRAWL_OK);
    cr_expect_eq(set(hsts, "b.test", 10 * day_ms, true), CRAWL_OK);
    cr_expect(holds(hsts, "a.test", 0));
    cr_expect(holds(hsts, "x.y.b.test", 0));
    cr_expect_not(holds(hsts, "x.a.test", 0));
    cr_expect_not(holds(hsts, "xb.test", 0));
    cr_expect_not(holds(hsts, "test", 0));
    cr_expect_not(holds(hsts, "a.test", 10 * day_ms));
    cr_expect_eq(set(hsts, "a.test", 10 * day_ms + 5, false), CRAWL_EXISTS);
    cr_expect_eq(set(hsts, "a.test", 10 * day_ms, true), CRAWL_OK);
    cr_expect(holds(hsts, "x.a.test", 0));
    cr_expect_eq(set(hsts, "a.test", 0, false), CRAWL_OK); /* max-age=0 */
    cr_expect_not(holds(hsts, "a.test", 0));
    cr_expect_eq(set(hsts, "unknown.test", 0, false), CRAWL_EXISTS, "there is nothing to end");
    cr_expect_eq(set(hsts, "web1", 10 * day_ms, true), CRAWL_OK);
    cr_expect_eq(set(hsts, "127.0.0.1", 10 * day_ms, true), CRAWL_REFUSED);
    cr_expect_eq(set(hsts, "[::1]", 10 * day_ms, true), CRAWL_REFUSED);
    cw_host_hsts_free(hsts);
}

Test(hsts, a_short_policy_ends_and_is_renewed_as_a_long_one)
{
    const int64_t hour_ms = 3600 * 1000;
    cw_host_hsts *hsts = cw_host_hsts_create();
    crawl_slice host = crawl_slice_from("a.test");
    cr_expect_eq(cw_host_hsts_set(hsts, host, 0, hour_ms, false), CRAWL_OK);
    cr_expect_eq(cw_host_hsts_set(hsts, host, 1000, hour_ms + 1000, false), CRAWL_EXISTS);
    cr_expect_eq(cw_host_hsts_set(hsts, host, hour_ms / 2, hour_ms / 2 + hour_ms, false), CRAWL_OK);
    cr_expect(holds(hsts, "a.test", hour_ms + 1));
    cr_expect_eq(cw_host_hsts_set(hsts, host, hour_ms, hour_ms, false), CRAWL_OK, "max-age=0, with half an hour left");
    cr_expect_not(holds(hsts, "a.test", hour_ms));
    cr_expect_eq(cw_host_hsts_set(hsts, host, hour_ms, hour_ms, false), CRAWL_EXISTS);
    cw_host_hsts_free(hsts);
}

/* Reads a note of another process, with a policy until this time. */
static void recall(crawl_engine *engine, int64_t until_ms)
{
    char note[40];
    snprintf(note, sizeof note, "%" PRId64 " 0", until_ms);
    cr_assert_eq(crawl_frontier_note_set(engine->frontier, crawl_slice_from("#hsts a.test"), crawl_slice_from(note)),
                 CRAWL_OK);
    cr_assert_eq(cw_host_upgrade_recall(engine), CRAWL_OK);
}

Test(hsts, a_policy_that_another_process_has_seen_end_ends_here_too)
{
    static crawl_engine engine;
    crawl_frontier_options options;
    int64_t now_ms = cw_wall_ms();
    crawl_frontier_options_init(&options, sizeof options);
    cr_assert_eq(crawl_frontier_create(&options, &engine.frontier, NULL), CRAWL_OK);
    engine.hsts = cw_host_hsts_create();
    recall(&engine, now_ms + 3600 * 1000);
    cr_expect(holds(engine.hsts, "a.test", now_ms));
    recall(&engine, now_ms);
    cr_expect_not(holds(engine.hsts, "a.test", now_ms));
    cw_host_hsts_free(engine.hsts);
    crawl_frontier_free(engine.frontier);
}

Test(hsts, there_is_a_most_of_hosts)
{
    cw_host_hsts *hsts = cw_host_hsts_create();
    char name[32];
    for (unsigned i = 0; i <= CW_HOST_HSTS_MAX_HOSTS; i++) {
        snprintf(name, sizeof name, "%u.test", i);
        cr_assert_eq(set(hsts, name, INT64_MAX, false), i < CW_HOST_HSTS_MAX_HOSTS ? CRAWL_OK : CRAWL_FULL);
    }
    cr_expect(holds(hsts, "7.test", 0));
    cw_host_hsts_free(hsts);
}
