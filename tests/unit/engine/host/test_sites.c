#include "crawler/engine/host/sites.h"

#include <criterion/criterion.h>
#include <stdio.h>

static cw_host_sites *sites;
static cw_host_table *table;
static crawl_url *url;
static crawl_frontier *kept;
static const crawl_slice origin = {"http://a.example", 16};

static cw_host_record *host(crawl_slice name)
{
    return cw_host_table_get(table, name);
}

static cw_host_sites *create(const char *agent, uint64_t max_bytes)
{
    table = cw_host_table_create(0);
    cw_host_sites *made =
        cw_host_sites_create(&(cw_host_sites_options){.kept = kept, .agent = agent, .max_bytes = max_bytes});
    cr_assert_not_null(made);
    return made;
}

static void setup(void)
{
    kept = NULL;
    sites = create("crawl", 0);
    url = crawl_url_create();
}

static void setup_kept(void)
{
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    cr_assert_eq(crawl_frontier_create(&options, &kept, NULL), CRAWL_OK);
    sites = create("crawl", 1 << 20);
    url = crawl_url_create();
}

static void teardown(void)
{
    crawl_url_free(url);
    cw_host_sites_free(sites);
    cw_host_table_free(table);
    crawl_frontier_free(kept);
}

/* Starts the next process. */
static void again(const char *agent, uint64_t max_bytes)
{
    cw_host_sites_free(sites);
    cw_host_table_free(table);
    sites = create(agent, max_bytes);
}

TestSuite(sites, .init = setup, .fini = teardown);
TestSuite(kept_sites, .init = setup_kept, .fini = teardown);

static cw_host_site_answer check(const char *text, int64_t now)
{
    cw_host_site_answer answer;
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK);
    cr_assert_eq(cw_host_sites_check(sites, host(origin), url, false, false, now, &answer), CRAWL_OK);
    return answer;
}

static void settle_as(cw_host_site_settlement settlement, int64_t now)
{
    cr_assert_eq(cw_host_sites_settle(sites, host(origin), &settlement, now), CRAWL_OK);
}

static void settle(const char *text, int64_t now)
{
    cw_host_site_settlement settlement = {.body = crawl_slice_from(text)};
    if (text)
        cr_assert_eq(crawl_robots_parse(settlement.body, crawl_slice_from("crawl"), &settlement.robots), CRAWL_OK);
    settle_as(settlement, now);
}

static void hold(int64_t until)
{
    cr_assert_eq(cw_host_sites_hold(sites, host(origin), until), CRAWL_OK);
}

static cw_host_site_pace recalled(void)
{
    cw_host_site_pace pace;
    cr_assert_eq(cw_host_sites_recalled(sites, host(origin), &pace), CRAWL_OK);
    cw_host_site_pace unused;
    cr_expect_eq(cw_host_sites_recalled(sites, host(origin), &unused), CRAWL_ABSENT, "it is told once");
    return pace;
}

Test(sites, one_fetches_the_others_wait)
{
    cr_expect_eq(check("http://a.example/x", 0).verdict, CW_SITE_FETCH_ROBOTS);
    cr_expect_eq(check("http://a.example/x", 1).verdict, CW_SITE_PENDING);
    settle(NULL, 2);
    cr_expect_eq(check("http://a.example/x", 3).verdict, CW_SITE_ALLOWED);
}

Test(sites, the_rule_that_decided_is_named)
{
    check("http://a.example/", 0);
    settle("User-agent: *\nDisallow: /private\n", 0);
    cr_expect_eq(check("http://a.example/public", 1).verdict, CW_SITE_ALLOWED);
    cw_host_site_answer answer = check("http://a.example/private/x", 1);
    cr_expect_eq(answer.verdict, CW_SITE_REFUSED);
    cr_expect_eq(answer.error_class, CRAWL_CLASS_ROBOTS);
    cr_expect(strstr(answer.words, "line 2") && strstr(answer.words, "Disallow: /private"), "%s", answer.words);
}

Test(sites, unreachable_keeps_its_reason)
{
    check("http://a.example/", 0);
    settle_as((cw_host_site_settlement){.refused = true, .error_class = CRAWL_CLASS_DNS, .words = "no such name"}, 0);
    cw_host_site_answer answer = check("http://a.example/", 1);
    cr_expect_eq(answer.verdict, CW_SITE_REFUSED);
    cr_expect_eq(answer.error_class, CRAWL_CLASS_DNS);
    cr_expect_str_eq(answer.words, "no such name");
}

Test(sites, verdicts_expire)
{
    check("http://a.example/", 0);
    settle(NULL, 0);
    cr_expect_eq(check("http://a.example/", CW_HOST_ROBOTS_MAX_AGE_MS - 1).verdict, CW_SITE_ALLOWED);
    cr_expect_eq(check("http://a.example/", CW_HOST_ROBOTS_MAX_AGE_MS).verdict, CW_SITE_FETCH_ROBOTS);
}

Test(sites, staying_away_ends)
{
    check("http://a.example/", 0);
    settle(NULL, 0);
    cr_assert_eq(cw_host_sites_stay_away(sites, host(origin), 5000), CRAWL_OK);
    cr_expect_eq(check("http://a.example/", 4999).error_class, CRAWL_CLASS_RETRY_AFTER);
    cr_expect_eq(check("http://a.example/", 5000).verdict, CW_SITE_ALLOWED);
}

Test(sites, refusals_may_last_shorter)
{
    check("http://a.example/", 0);
    settle_as((cw_host_site_settlement){.refused = true, .error_class = CRAWL_CLASS_GIVEN_UP, .lasts_ms = 60000}, 0);
    cr_expect_eq(check("http://a.example/", 59999).error_class, CRAWL_CLASS_GIVEN_UP);
    cr_expect_eq(check("http://a.example/", 60000).verdict, CW_SITE_FETCH_ROBOTS);
}

Test(sites, without_robots_nothing_is_fetched)
{
    cw_host_site_answer answer;
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("http://a.example/"), NULL, NULL), CRAWL_OK);
    cr_assert_eq(cw_host_sites_check(sites, host(origin), url, true, false, 0, &answer), CRAWL_OK);
    cr_expect_eq(answer.verdict, CW_SITE_ALLOWED);
}

Test(sites, sitemaps_of_robots_are_told_once)
{
    crawl_buf lines = {0};
    check("http://a.example/", 0);
    settle("Sitemap: http://b/1.xml\nSitemap: /2.xml\n", 0);
    cr_expect_eq(cw_host_sites_sitemaps(sites, host(origin), &lines), CRAWL_OK);
    cr_expect_str_eq(lines.data, "http://b/1.xml\n/2.xml\n");
    cr_expect_eq(cw_host_sites_sitemaps(sites, host(origin), &lines), CRAWL_EXISTS);
    cr_expect_eq(cw_host_sites_sitemaps(sites, host(crawl_slice_from("http://c.example")), &lines), CRAWL_OK);
    cr_expect_str_eq(lines.data, "http://b/1.xml\n/2.xml\n");
    crawl_buf_free(&lines);
}

Test(sites, sitemaps_of_a_site_have_a_maximum)
{
    for (unsigned i = 0; i < CW_HOST_SITEMAPS_MAX; i++)
        cr_assert_eq(cw_host_sites_take_sitemap(sites, host(origin)), CRAWL_OK);
    cr_expect_eq(cw_host_sites_take_sitemap(sites, host(origin)), CRAWL_FULL);
    cr_expect_eq(cw_host_sites_take_sitemap(sites, host(crawl_slice_from("http://c.example"))), CRAWL_OK);
}

static cw_host_site_answer check_number(unsigned number)
{
    char text[64];
    cw_host_site_answer answer;
    snprintf(text, sizeof text, "http://h%u.example", number);
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK);
    cr_assert_eq(cw_host_sites_check(sites, host(crawl_slice_from(text)), url, false, false, 0, &answer), CRAWL_OK);
    return answer;
}

Test(sites, many)
{
    size_t count;
    uint64_t bytes;
    for (unsigned i = 0; i < 1000; i++)
        cr_expect_eq(check_number(i).verdict, CW_SITE_FETCH_ROBOTS);
    for (unsigned i = 0; i < 1000; i++)
        cr_expect_eq(check_number(i).verdict, CW_SITE_PENDING);
    cw_host_sites_held(sites, &count, &bytes);
    cr_expect_eq(count, 1000, "in memory alone none is dropped");
}

Test(sites, whose_robots_another_process_asks_for_are_pending)
{
    bool first = false;
    cr_assert_eq(cw_host_sites_asking(sites, host(origin), &first), CRAWL_OK);
    cr_expect(first);
    cr_assert_eq(cw_host_sites_asking(sites, host(origin), &first), CRAWL_OK);
    cr_expect(!first);
    cr_expect_eq(check("http://a.example/", 0).verdict, CW_SITE_PENDING);
}

Test(kept_sites, verdicts_outlive_the_process_until_they_expire)
{
    check("http://a.example/", 0);
    settle("User-agent: *\nDisallow: /private\n", 0);
    again("crawl", 1 << 20);
    cr_expect_eq(check("http://a.example/public", 1).verdict, CW_SITE_ALLOWED);
    cr_expect(strstr(check("http://a.example/private", 1).words, "line 2"));
    again("crawl", 1 << 20);
    cr_expect_eq(check("http://a.example/", CW_HOST_ROBOTS_MAX_AGE_MS).verdict, CW_SITE_FETCH_ROBOTS);
}

Test(kept_sites, a_robots_txt_is_read_again_for_another_agent)
{
    settle("User-agent: other\nDisallow: /\n", 0);
    again("crawl", 1 << 20);
    cr_expect_eq(check("http://a.example/", 1).verdict, CW_SITE_ALLOWED);
    again("other", 1 << 20);
    cr_expect_eq(check("http://a.example/", 1).verdict, CW_SITE_REFUSED);
}

Test(kept_sites, an_absent_and_an_empty_robots_txt_are_known)
{
    settle(NULL, 0);
    again("crawl", 1 << 20);
    cr_expect_eq(check("http://a.example/", 1).verdict, CW_SITE_ALLOWED);
    settle("", 0);
    again("crawl", 1 << 20);
    cr_expect_eq(check("http://a.example/", 1).verdict, CW_SITE_ALLOWED);
}

Test(kept_sites, refusals_keep_class_and_words)
{
    settle_as((cw_host_site_settlement){.refused = true, .error_class = CRAWL_CLASS_DNS, .words = "no such name"}, 0);
    again("crawl", 1 << 20);
    cw_host_site_answer answer = check("http://a.example/", 1);
    cr_expect_eq(answer.verdict, CW_SITE_REFUSED);
    cr_expect_eq(answer.error_class, CRAWL_CLASS_DNS);
    cr_expect_str_eq(answer.words, "no such name");
}

Test(kept_sites, dates_are_kept_beside_the_verdict)
{
    settle("User-agent: *\nDisallow: /private\n", 0);
    cr_assert_eq(cw_host_sites_stay_away(sites, host(origin), 5000), CRAWL_OK);
    hold(9000);
    again("crawl", 1 << 20);
    cr_expect_eq(check("http://a.example/", 4999).error_class, CRAWL_CLASS_RETRY_AFTER);
    cr_expect_eq(check("http://a.example/", 5000).verdict, CW_SITE_ALLOWED);
    cr_expect_eq(check("http://a.example/private", 5000).verdict, CW_SITE_REFUSED);
    cw_host_site_pace pace = recalled();
    cr_expect_eq(pace.hold_until_ms, 9000);
}

Test(kept_sites, holds_keep_the_latest_date)
{
    cw_host_site_pace pace;
    hold(9000);
    hold(5000);
    again("crawl", 1 << 20);
    pace = recalled();
    cr_expect_eq(pace.hold_until_ms, 9000);
    hold(9500);
    again("crawl", 1 << 20);
    pace = recalled();
    cr_expect_eq(pace.hold_until_ms, 9500);
    cr_assert_eq(cw_host_sites_stay_away(sites, host(origin), 12000), CRAWL_OK);
    again("crawl", 1 << 20);
    pace = recalled();
    cr_expect_eq(pace.hold_until_ms, 12000, "to stay away is a hold too");
}

Test(kept_sites, that_a_host_was_given_up_is_forgotten)
{
    settle_as(
        (cw_host_site_settlement){.refused = true, .error_class = CRAWL_CLASS_GIVEN_UP, .words = "ten times in a row"},
        0);
    cr_expect_eq(check("http://a.example/", 1).verdict, CW_SITE_REFUSED);
    again("crawl", 1 << 20);
    cr_expect_eq(check("http://a.example/", 1).verdict, CW_SITE_FETCH_ROBOTS);
}

Test(kept_sites, the_pace_of_a_note_is_told_once)
{
    cw_host_site_pace pace;
    settle("User-agent: *\nCrawl-delay: 2\n", 0);
    cr_expect_eq(cw_host_sites_recalled(sites, host(origin), &pace), CRAWL_ABSENT, "whoever settles it sees to it");
    again("crawl", 1 << 20);
    check("http://a.example/", 1);
    pace = recalled();
    cr_expect_float_eq(pace.crawl_delay, 2, 0);
    again("other", 1 << 20);
    settle("User-agent: *\n", 2);
    again("crawl", 1 << 20);
    pace = recalled();
    cr_expect_lt(pace.crawl_delay, 0);
    cr_expect_eq(cw_host_sites_recalled(sites, host(crawl_slice_from("http://b.example")), &pace), CRAWL_ABSENT,
                 "it has no note");
}

Test(kept_sites, sitemaps_are_asked_for_until_they_are_queued)
{
    crawl_buf lines = {0};
    settle("Sitemap: /1.xml\n", 0);
    cr_expect_eq(cw_host_sites_sitemaps(sites, host(origin), &lines), CRAWL_OK);
    again("crawl", 1 << 20);
    cr_expect_eq(cw_host_sites_sitemaps(sites, host(origin), &lines), CRAWL_OK);
    cr_expect_str_eq(lines.data, "/1.xml\n/1.xml\n");
    cr_expect_eq(cw_host_sites_sitemaps_queued(sites, host(origin)), CRAWL_OK);
    again("crawl", 1 << 20);
    cr_expect_eq(cw_host_sites_sitemaps(sites, host(origin), &lines), CRAWL_EXISTS);
    crawl_buf_free(&lines);
}

Test(kept_sites, sitemaps_are_counted_from_process_to_process)
{
    unsigned taken = 0;
    for (unsigned run = 0; run < 4; run++) {
        for (unsigned i = 0; i < CW_HOST_SITEMAPS_MAX / 3; i++)
            taken += cw_host_sites_take_sitemap(sites, host(origin)) == CRAWL_OK;
        again("crawl", 1 << 20);
    }
    cr_expect_leq(taken, CW_HOST_SITEMAPS_MAX);
    cr_expect_geq(taken, CW_HOST_SITEMAPS_MAX - 4 * 16, "%u", taken);
}

Test(kept_sites, beyond_the_budget_are_read_again)
{
    enum { BUDGET = 20000 };
    size_t count;
    uint64_t bytes;
    again("crawl", BUDGET);
    settle("User-agent: *\nDisallow: /private\n", 0);
    for (unsigned i = 0; i < 1000; i++)
        check_number(i);
    cw_host_sites_held(sites, &count, &bytes);
    cr_expect_leq(bytes, BUDGET);
    cr_expect(count > 10 && count < 500, "%zu", count);
    cr_expect_eq(check("http://a.example/private", 1).verdict, CW_SITE_REFUSED);
    cr_expect_eq(check("http://a.example/", 1).verdict, CW_SITE_ALLOWED);
}

Test(kept_sites, a_note_of_another_format_is_none)
{
    settle(NULL, 0);
    crawl_frontier_note_set(kept, origin, crawl_slice_from("something else"));
    again("crawl", 1 << 20);
    cr_expect_eq(check("http://a.example/", 1).verdict, CW_SITE_FETCH_ROBOTS);
}

Test(sites, a_look_asks_for_nothing_and_shows_the_rules)
{
    cw_host_site_look look;
    cw_host_site_answer answer;
    crawl_buf text = {0};
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("http://a.example/private/x"), NULL, NULL), CRAWL_OK);
    cr_assert_eq(cw_host_sites_look(sites, host(origin), url, 0, &look, &text), CRAWL_OK);
    cr_expect_eq(look.robots, CRAWL_HOST_ROBOTS_UNKNOWN);
    cr_expect_eq(look.answer.verdict, CW_SITE_FETCH_ROBOTS);
    cr_expect_eq(text.size, 0);
    cr_assert_eq(cw_host_sites_check(sites, host(origin), url, false, false, 0, &answer), CRAWL_OK);
    cr_expect_eq(answer.verdict, CW_SITE_FETCH_ROBOTS, "the look has left it to the crawl to ask");
    cw_host_site_settlement settlement = {.body = crawl_slice_from("User-agent: *\nDisallow: /private/\n")};
    cr_assert_eq(crawl_robots_parse(settlement.body, crawl_slice_from("crawl"), &settlement.robots), CRAWL_OK);
    cr_assert_eq(cw_host_sites_settle(sites, host(origin), &settlement, 0), CRAWL_OK);
    cr_assert_eq(cw_host_sites_look(sites, host(origin), url, 0, &look, &text), CRAWL_OK);
    cr_expect_eq(look.robots, CRAWL_HOST_ROBOTS_RULES);
    cr_expect_eq(look.answer.verdict, CW_SITE_REFUSED);
    cr_expect_str_eq(text.data, "2: Disallow: /private/\n");
    crawl_buf_free(&text);
}

Test(kept_sites, visits_in_vain_are_counted_from_process_to_process)
{
    unsigned vain = 99;
    settle("User-agent: *\nDisallow: /no\n", 0);
    for (unsigned i = 0; i <= CW_HOST_VAIN_MAX; i++) {
        cr_assert_eq(cw_host_sites_vain(sites, host(origin), &vain), CRAWL_OK);
        cr_expect_eq(vain, i);
        cr_assert_eq(cw_host_sites_hinted(sites, host(origin), false), CRAWL_OK);
        again("crawl", 1 << 20);
    }
    cr_assert_eq(cw_host_sites_vain(sites, host(origin), &vain), CRAWL_OK);
    cr_expect_eq(vain, CW_HOST_VAIN_MAX);
    cr_assert_eq(cw_host_sites_hinted(sites, host(origin), true), CRAWL_OK);
    again("crawl", 1 << 20);
    cr_assert_eq(cw_host_sites_vain(sites, host(origin), &vain), CRAWL_OK);
    cr_expect_eq(vain, 0);
    cr_expect_eq(check("http://a.example/no", 1).verdict, CW_SITE_REFUSED, "robots.txt is kept with it");
}

Test(kept_sites, after_a_host_has_left_its_note_is_the_truth)
{
    settle("", 0);
    cr_expect_eq(check("http://a.example/", 1).verdict, CW_SITE_ALLOWED);
    cw_host_sites *other =
        cw_host_sites_create(&(cw_host_sites_options){.kept = kept, .agent = "crawl", .max_bytes = 1 << 20});
    cw_host_table *others = cw_host_table_create(0);
    cw_host_record *there = cw_host_table_get(others, origin);
    cr_assert_eq(cw_host_sites_stay_away(other, there, 5000), CRAWL_OK);
    cr_expect_eq(check("http://a.example/", 1).verdict, CW_SITE_ALLOWED, "it has not left yet");
    cw_host_sites_leave(sites, host(origin));
    cr_expect_eq(check("http://a.example/", 1).error_class, CRAWL_CLASS_RETRY_AFTER);
    cw_host_record_release(there);
    cw_host_sites_free(other);
    cw_host_table_free(others);
}

Test(sites, a_pending_site_stays_when_its_host_leaves)
{
    bool first;
    cr_assert_eq(cw_host_sites_asking(sites, host(origin), &first), CRAWL_OK);
    cw_host_sites_leave(sites, host(origin));
    cr_assert_eq(cw_host_sites_asking(sites, host(origin), &first), CRAWL_OK);
    cr_expect_not(first);
}
