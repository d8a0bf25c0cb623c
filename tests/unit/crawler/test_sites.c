#include "crawler/sites.h"

#include <criterion/criterion.h>

static cw_sites *sites;
static crawl_url *url;
static const crawl_slice origin = {"http://a.example", 16};

static void setup(void)
{
    sites = cw_sites_create();
    url = crawl_url_create();
}

static void teardown(void)
{
    crawl_url_free(url);
    cw_sites_free(sites);
}

TestSuite(sites, .init = setup, .fini = teardown);

static cw_site_answer check(const char *text, int64_t now)
{
    cw_site_answer answer;
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK);
    cr_assert_eq(cw_sites_check(sites, origin, url, false, now, &answer), CRAWL_OK);
    return answer;
}

static crawl_robots *robots(const char *text)
{
    crawl_robots *parsed = NULL;
    cr_assert_eq(crawl_robots_parse(crawl_slice_from(text), crawl_slice_from("crawl"), &parsed), CRAWL_OK);
    return parsed;
}

Test(sites, one_fetches_the_others_wait)
{
    cr_expect_eq(check("http://a.example/x", 0).verdict, CW_SITE_FETCH_ROBOTS);
    cr_expect_eq(check("http://a.example/x", 1).verdict, CW_SITE_PENDING);
    cw_sites_settle(sites, 0, NULL, false, CRAWL_CLASS_ROBOTS, NULL, 2);
    cr_expect_eq(check("http://a.example/x", 3).verdict, CW_SITE_ALLOWED);
}

Test(sites, the_rule_that_decided_is_named)
{
    check("http://a.example/", 0);
    cw_sites_settle(sites, 0, robots("User-agent: *\nDisallow: /private\n"), false, CRAWL_CLASS_ROBOTS, NULL, 0);
    cr_expect_eq(check("http://a.example/public", 1).verdict, CW_SITE_ALLOWED);
    cw_site_answer answer = check("http://a.example/private/x", 1);
    cr_expect_eq(answer.verdict, CW_SITE_REFUSED);
    cr_expect_eq(answer.error_class, CRAWL_CLASS_ROBOTS);
    cr_expect(strstr(answer.words, "line 2") && strstr(answer.words, "Disallow: /private"), "%s", answer.words);
}

Test(sites, unreachable_keeps_its_reason)
{
    check("http://a.example/", 0);
    cw_sites_settle(sites, 0, NULL, true, CRAWL_CLASS_DNS, "no such name", 0);
    cw_site_answer answer = check("http://a.example/", 1);
    cr_expect_eq(answer.verdict, CW_SITE_REFUSED);
    cr_expect_eq(answer.error_class, CRAWL_CLASS_DNS);
    cr_expect_str_eq(answer.words, "no such name");
}

Test(sites, verdicts_expire)
{
    check("http://a.example/", 0);
    cw_sites_settle(sites, 0, NULL, false, CRAWL_CLASS_ROBOTS, NULL, 0);
    cr_expect_eq(check("http://a.example/", CW_ROBOTS_MAX_AGE_MS - 1).verdict, CW_SITE_ALLOWED);
    cr_expect_eq(check("http://a.example/", CW_ROBOTS_MAX_AGE_MS).verdict, CW_SITE_FETCH_ROBOTS);
}

Test(sites, staying_away_ends)
{
    check("http://a.example/", 0);
    cw_sites_settle(sites, 0, NULL, false, CRAWL_CLASS_ROBOTS, NULL, 0);
    cr_assert_eq(cw_sites_stay_away(sites, origin, 5000), CRAWL_OK);
    cr_expect_eq(check("http://a.example/", 4999).error_class, CRAWL_CLASS_RETRY_AFTER);
    cr_expect_eq(check("http://a.example/", 5000).verdict, CW_SITE_ALLOWED);
}

Test(sites, without_robots_nothing_is_fetched)
{
    cw_site_answer answer;
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("http://a.example/"), NULL, NULL), CRAWL_OK);
    cr_assert_eq(cw_sites_check(sites, origin, url, true, 0, &answer), CRAWL_OK);
    cr_expect_eq(answer.verdict, CW_SITE_ALLOWED);
}

Test(sites, sitemaps_of_robots_are_told_once)
{
    crawl_buf lines = {0};
    crawl_robots *robots = NULL;
    check("http://a.example/", 0);
    cr_assert_eq(
        crawl_robots_parse(crawl_slice_from("Sitemap: http://b/1.xml\nSitemap: /2.xml\n"), crawl_slice_from("crawl"), &robots),
        CRAWL_OK);
    cw_sites_settle(sites, 0, robots, false, CRAWL_CLASS_ROBOTS, NULL, 0);
    cr_expect_eq(cw_sites_sitemaps(sites, origin, &lines), CRAWL_OK);
    cr_expect_str_eq(lines.data, "http://b/1.xml\n/2.xml\n");
    cr_expect_eq(cw_sites_sitemaps(sites, origin, &lines), CRAWL_EXISTS);
    cr_expect_eq(cw_sites_sitemaps(sites, crawl_slice_from("http://c.example"), &lines), CRAWL_OK);
    cr_expect_str_eq(lines.data, "http://b/1.xml\n/2.xml\n");
    crawl_buf_free(&lines);
}

Test(sites, sitemaps_of_a_site_have_a_maximum)
{
    for (unsigned i = 0; i < CW_SITEMAPS_MAX; i++)
        cr_assert_eq(cw_sites_take_sitemap(sites, origin), CRAWL_OK);
    cr_expect_eq(cw_sites_take_sitemap(sites, origin), CRAWL_FULL);
    cr_expect_eq(cw_sites_take_sitemap(sites, crawl_slice_from("http://c.example")), CRAWL_OK);
}

Test(sites, many)
{
    for (unsigned i = 0; i < 1000; i++) {
        char text[64];
        cw_site_answer answer;
        snprintf(text, sizeof text, "http://h%u.example", i);
        cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK);
        cr_assert_eq(cw_sites_check(sites, crawl_slice_from(text), url, false, 0, &answer), CRAWL_OK);
        cr_expect_eq(answer.site, i);
        cr_expect(crawl_slice_equal(cw_sites_origin(sites, i), crawl_slice_from(text)));
    }
    cr_expect_eq(cw_sites_origin(sites, 1000).size, 0);
}
