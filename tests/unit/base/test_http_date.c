/* Dates of HTTP and of nginx, and Retry-After, in English whatever the locale. */
#include "base/text/date_scan.h"
#include "base/text/http_date.h"

#include <criterion/criterion.h>
#include <locale.h>

#define NOW (784111777 * (int64_t)1000) /* Sun, 06 Nov 1994 08:49:37 GMT */

static int64_t date_of(const char *text, int64_t now_ms)
{
    int64_t ms = -1;
    return cw_http_date(crawl_slice_from(text), now_ms, &ms) ? ms : -1;
}

static void expect_now(void)
{
    cr_expect_eq(date_of("Sun, 06 Nov 1994 08:49:37 GMT", NOW), NOW);
    cr_expect_eq(date_of("Sunday, 06-Nov-94 08:49:37 GMT", NOW), NOW);
    cr_expect_eq(date_of("Sun Nov  6 08:49:37 1994", NOW), NOW);
}

Test(http_date, three_forms)
{
    expect_now();
    cr_expect_eq(date_of("sun, 6 nov 1994 08:49:37 GMT", NOW), NOW);
    cr_expect_eq(date_of("Tue, 29 Feb 2000 00:00:00 GMT", NOW), 951782400 * (int64_t)1000);
    cr_expect_eq(date_of("Sat, 31 Dec 2016 23:59:60 GMT", NOW), 1483228800 * (int64_t)1000);
    cr_expect_eq(date_of("Thu, 01 Jan 1970 00:00:00 GMT", NOW), 0);
}

/* Dates are read in every installed locale; each has other names of days and months. */
Test(http_date, in_any_locale)
{
    static const char *const names[] = {"C",           "de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8",
                                        "ja_JP.UTF-8", "ru_RU.UTF-8", "ar_SA.UTF-8", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]))
            expect_now();
}

Test(http_date, forms_of_other_standards)
{
    static const char *const forms[] = {
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 10:49:37 +0200",
        "Sun, 06 Nov 1994 08:49:37 Z",
        "1994-11-06T08:49:37Z",
        "1994-11-06T09:49:37.000+01:00",
        "1994-11-06 08:49:37 +0000",
        "1994-11-06 08:49:37Z",
        "1994-11-06 08:49:37 UTC",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        cr_expect_eq(date_of(forms[i], NOW), NOW, "%s", forms[i]);
    cr_expect_eq(date_of("1994-11-06T08:49:37.25Z", NOW), NOW + 250);
}

Test(http_date, others_are_none)
{
    static const char *const bad[] = {"",
                                      "Sun",
                                      "Sun, 06 Nov 1994 08:49:37",
                                      "Sun, 06 Nov 1994 08:49:37 GMT ",
                                      "Son, 06 Nov 1994 08:49:37 GMT",
                                      "So, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Okt 1994 08:49:37 GMT",
                                      "Sun, 00 Nov 1994 08:49:37 GMT",
                                      "Sun, 31 Nov 1994 08:49:37 GMT",
                                      "Sun, 29 Feb 1900 08:49:37 GMT",
                                      "Sun, 06 Nov 94 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 24:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:60:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:61 GMT",
                                      "Sun, 06 Nov 1994 08:49:-1 GMT",
                                      "Sun, -6 Nov 1994 08:49:37 GMT",
                                      "Sun, 06Nov 1994 08:49:37 GMT",
                                      "Sun, 06-Nov-94 08:49:37 GMT",
                                      "Sunday, 06-Nov-1994 08:49:37 GMT",
                                      "784111777"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(date_of(bad[i], NOW), -1, "%s", bad[i]);
}

/* RFC 9110, 5.6.7: a year that seems more than 50 years ahead is in the past. */
Test(http_date, a_year_by_two_digits_is_near)
{
    static const struct {
        const char *now;
        const char *date;
        const char *is;
    } rows[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-00 08:49:37 GMT", "Mon, 06 Nov 2000 08:49:37 GMT"},
        {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-44 08:49:37 GMT", "Sun, 06 Nov 2044 08:49:37 GMT"},
        {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-44 08:49:38 GMT", "Mon, 06 Nov 1944 08:49:38 GMT"},
        {"Sun, 22 Nov 2026 00:00:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"},
        {"Sun, 22 Nov 2026 00:00:00 GMT", "Sunday, 22-Nov-27 00:00:08 GMT", "Mon, 22 Nov 2027 00:00:08 GMT"},
        {"Sun, 22 Nov 2060 00:00:00 GMT", "Sunday, 01-Jan-05 00:00:00 GMT", "Thu, 01 Jan 2105 00:00:00 GMT"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(date_of(rows[i].date, date_of(rows[i].now, 0)), date_of(rows[i].is, 0), "row %zu", i);
}

Test(http_date, of_nginx)
{
    cw_date_parts date;
    static const char form[] = "[%d/%b/%Y:%H:%M:%S %z]";
    cr_assert(cw_date_scan(crawl_slice_from("[06/Nov/1994:10:19:37 +0130]"), form, &date));
    cr_expect_eq(cw_date_seconds(&date) * 1000, NOW);
    cr_assert(cw_date_scan(crawl_slice_from("[05/Nov/1994:23:49:37 -0900]"), form, &date));
    cr_expect_eq(cw_date_seconds(&date) * 1000, NOW);
    static const char *const bad[] = {"[06/Nov/1994:10:19:37 0130]", "[06/Nov/1994:10:19:37 +013]",
                                      "[06/Nov/1994:10:19:37 +0130", "06/Nov/1994:10:19:37 +0130"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_not(cw_date_scan(crawl_slice_from(bad[i]), form, &date), "%s", bad[i]);
}

Test(http_date, of_iso_8601)
{
    cw_date_parts date;
    static const char form[] = "%Y-%m-%dT%H:%M:%S%f%z";
    static const struct {
        const char *text;
        int ms;
    } good[] = {
        {"1994-11-06T08:49:37Z", 0},      {"1994-11-06T10:19:37+01:30", 0},     {"1994-11-05T23:49:37-0900", 0},
        {"1994-11-06T08:49:37.25Z", 250}, {"1994-11-06T08:49:37.0009+0000", 0}, {"1994-11-06T08:49:37.999999Z", 999},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_assert(cw_date_scan(crawl_slice_from(good[i].text), form, &date), "%s", good[i].text);
        cr_expect_eq(cw_date_seconds(&date) * 1000, NOW, "%s", good[i].text);
        cr_expect_eq(date.ms, good[i].ms, "%s", good[i].text);
    }
    static const char *const bad[] = {
        "1994-11-06T08:49:37",      "1994-13-06T08:49:37Z",       "1994-00-06T08:49:37Z",
        "1994-11-31T08:49:37Z",     "1994-11-06T08:49:37.Z",      "1994-11-06T08:49:37+01",
        "1994-11-06T08:49:37+01:0", "1994-11-06T08:49:37+01:000", "1994-1-06T08:49:37Z"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_not(cw_date_scan(crawl_slice_from(bad[i]), form, &date), "%s", bad[i]);
}

Test(http_date, forms_of_retry_after)
{
    static const struct {
        const char *value;
        int64_t ms;
    } rows[] = {
        {"0", 0},
        {" 120 ", 120000},
        {"Sun, 06 Nov 1994 08:49:47 GMT", 10000},
        {"Sunday, 06-Nov-94 08:49:47 GMT", 10000},
        {"Sun Nov  6 08:49:47 1994", 10000},
        {"Sun, 06 Nov 1994 08:49:27 GMT", 0},
        {"", -1},
        {"soon", -1},
        {"12 apples", -1},
        {"1.5", 2000},
        {"2.0", 2000},
        {"2.", 2000},
        {"0.00001", 1000},
        {"1.5.5", -1},
        {"1.5s", 2000},
        {"3s", 3000},
        {"3 seconds", 3000},
        {"\"3\"", 3000},
        {"3\"", -1},
        {"\"", -1},
        {"s", -1},
        {"3 minutes", -1},
        {"Sun, 06 Nov 1994 08:49:47 +0000", 10000},
        {"1994-11-06T08:49:47Z", 10000},
        {"-5", -1},
        {"784111787", 10000}, /* the time itself, in seconds since 1970 */
        {"784111786.5", 10000},
        {"784111767", 0},
        {"31622400", 366 * 24 * 3600 * 1000LL},
        {"700000000", 366 * 24 * 3600 * 1000LL},
        {"99999999999999999999999", 366 * 24 * 3600 * 1000LL},
        {"Sun, 06 Nov 2094 08:49:37 GMT", 366 * 24 * 3600 * 1000LL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(cw_http_retry_after(crawl_slice_from(rows[i].value), NOW), rows[i].ms, "\"%s\"", rows[i].value);
}
