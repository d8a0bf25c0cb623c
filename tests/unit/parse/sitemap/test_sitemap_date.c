/* Dates of sitemaps and feeds. */
#include "parse/sitemap/sitemap_private.h"

#include <criterion/criterion.h>

Test(sitemap_date, forms)
{
    static const struct {
        const char *text;
        int64_t expected;
    } rows[] = {
        {"1970", 0},
        {"1970-01", 0},
        {"1970-02-01", 31 * 86400},
        {"2024-02-29", 1709164800},
        {"2000-03-01T00:00:00Z", 951868800},
        {"2024-02-01T10:20:30+02:00", 1706775630},
        {"2024-02-01t10:20z", 1706782800},
        {"2024-02-01 10:20:30", 1706782830},
        {"2024-02-01T10:20:30.123-0700", 1706808030},
        {"2024-02-01T10:20:30 +0000", 1706782830},
        {"2024-02-01 10:20:30 UTC", 1706782830},
        {"2024-02-01 10:20:30 +0200 EET", 1706775630},
        {"2024-02-01 10:20:30 EST", 1706800830},
        {"2024-05-06+02:00", 1714946400},
        {"2024-05-06-0500", 1714971600},
        {"2024-05-06Z", 1714953600},
        {"1969-12-31T23:59:59Z", -1},
        {"1900-03-01", -2203891200},
        {"Thu, 05 Jan 2023 12:34:50 GMT", 1672922090},
        {"Thu, 05 Jan 2023 12:34:50 GMT+0200", 1672914890},
        {"Thu, 05 Jan 2023 12:34:50 +0200 (EET)", 1672914890},
        {"5 Jan 2023 12:34 EST", 1672940040},
        {"Thu, 05 January 23 12:34:50 +0100", 1672918490},
        {"Thursday, 05-Jan-23 12:34:50 GMT", 1672922090},
        {"05 Jan 99", 915494400},
        {"2023-02-29", CRAWL_SITEMAP_NO_DATE},
        {"2023-13-01", CRAWL_SITEMAP_NO_DATE},
        {"2023-00-01", CRAWL_SITEMAP_NO_DATE},
        {"2023-01-01T25:00", CRAWL_SITEMAP_NO_DATE},
        {"2023-01-01T10", CRAWL_SITEMAP_NO_DATE},
        {"2023-01-01T10:00:00x", CRAWL_SITEMAP_NO_DATE},
        {"2023-01-01-", CRAWL_SITEMAP_NO_DATE},
        {"2023-01-01+02:00 10:00", CRAWL_SITEMAP_NO_DATE},
        {"2023-01-01 and more", CRAWL_SITEMAP_NO_DATE},
        {"2024-02-01 10:20:30 PM", CRAWL_SITEMAP_NO_DATE},
        {"0000", CRAWL_SITEMAP_NO_DATE},
        {"", CRAWL_SITEMAP_NO_DATE},
        {"yesterday", CRAWL_SITEMAP_NO_DATE},
        {"99999999999999999999", CRAWL_SITEMAP_NO_DATE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t got = cw_sitemap_date(crawl_slice_from(rows[i].text));
        cr_expect_eq(got, rows[i].expected, "%s: got %lld", rows[i].text, (long long)got);
    }
}
