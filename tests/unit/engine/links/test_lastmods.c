/* Whether the dates of a sitemap are meaningful (links/lastmods.h). */
#include "crawler/engine/links/lastmods.h"

#include <criterion/criterion.h>

#define DAY ((int64_t)24 * 3600 * 1000)
#define NOW (1000 * DAY)

/* Returns the count after a reading of these dates, terminated by 0, when it was `before`. */
static uint8_t judge(uint8_t before, const int64_t *dates)
{
    cw_links_lastmods lastmods = {0};
    for (; *dates; dates++)
        cr_assert_eq(cw_links_lastmods_take(&lastmods, NULL, NULL, *dates, *dates, NOW), CRAWL_OK);
    uint8_t after = cw_links_lastmods_judge(&lastmods, before);
    cw_links_lastmods_free(&lastmods);
    return after;
}

#define DATES(...) ((const int64_t[]){__VA_ARGS__, 0})

Test(lastmods, dates_that_differ_and_are_not_all_of_now_are_believed)
{
    for (uint8_t before = 0; before <= CW_LINKS_LASTMODS_SUSPECT; before++)
        cr_expect_eq(judge(before, DATES(NOW, NOW - DAY - 1)), 0);
}

Test(lastmods, equal_dates_and_dates_of_now_are_suspicious)
{
    const int64_t *suspicious[] = {DATES(NOW - 9 * DAY, NOW - 9 * DAY), DATES(NOW, NOW - DAY),
                                   DATES(NOW - 5, NOW + DAY, NOW)};
    for (size_t i = 0; i < sizeof suspicious / sizeof *suspicious; i++) {
        cr_expect_eq(judge(0, suspicious[i]), 1);
        cr_expect_eq(judge(1, suspicious[i]), 2);
        cr_expect_eq(judge(2, suspicious[i]), 2);
    }
}

Test(lastmods, fewer_than_two_dates_tell_nothing)
{
    cr_expect_eq(judge(1, DATES(NOW)), 1);
    cr_expect_eq(judge(0, DATES(0)), 0);
}

Test(lastmods, a_date_without_a_time_is_the_end_of_its_day)
{
    crawl_sitemap_entry entry = {.lastmod = NOW / 1000, .lastmod_text = crawl_slice_from("1972-09-27")};
    cr_expect_eq(cw_links_lastmods_until_ms(&entry), NOW + DAY - 1);
    entry.lastmod_text = crawl_slice_from("1972-09-27T00:00Z");
    cr_expect_eq(cw_links_lastmods_until_ms(&entry), NOW);
}

Test(lastmods, pages_with_their_sites_are_kept_but_not_dates_of_the_future)
{
    cw_links_lastmods lastmods = {0};
    crawl_fingerprint page = {.bytes = {1}};
    crawl_url *url = crawl_url_create();
    const char *urls[] = {"http://a.example/1", "http://a.example/2", "https://a.example/", "http://b.example/"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        cr_assert_eq(crawl_url_parse(url, crawl_slice_from(urls[i]), NULL, NULL), CRAWL_OK);
        cr_assert_eq(cw_links_lastmods_take(&lastmods, url, &page, NOW - (int64_t)i, NOW - (int64_t)i, NOW), CRAWL_OK);
    }
    cr_assert_eq(cw_links_lastmods_take(&lastmods, url, &page, NOW, NOW + 1, NOW), CRAWL_OK);
    cr_expect_eq(lastmods.count, 4);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&lastmods.origins),
                                crawl_slice_from("http://a.example\nhttps://a.example\nhttp://b.example\n")));
    cw_links_lastmods_free(&lastmods);
    crawl_url_free(url);
}
