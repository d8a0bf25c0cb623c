/* The steps of the HTML standard for <meta http-equiv=refresh>, a row per branch. */
#include "parse/page/page_values.h"

#include <crawl/links.h>

#include <criterion/criterion.h>

static const struct row {
    const char *content;
    double delay; /* negative: no refresh */
    const char *href;
} rows[] = {
    {"5", 5, ""},
    {"0", 0, ""},
    {"  7  ", 7, ""},
    {"5;", 5, ""},
    {"5; ", 5, ""},
    {"5;url=/a", 5, "/a"},
    {"5; URL=/a", 5, "/a"},
    {"5,url=/a", 5, "/a"},
    {"5 url=/a", 5, "/a"},
    {"5 /a", 5, "/a"},
    {"5;/a", 5, "/a"},
    {"5;;url=/a", 5, ";url=/a"},
    {"\t5\n;\furl\r=\t/a ", 5, "/a"},
    {"5;url='/a'", 5, "/a"},
    {"5;url=\"/a b\" c", 5, "/a b"},
    {"5;url='/a", 5, "/a"},
    {"5;url='/a\"b'", 5, "/a\"b"},
    {"5;'/a'", 5, "/a"},
    {"5;url", 5, "url"},
    {"5;urlx=/a", 5, "urlx=/a"},
    {"5;ur=/a", 5, "ur=/a"},
    {"5;u", 5, "u"},
    {"5;url 'a'", 5, "url 'a'"}, /* no "=": the quotes are part of the URL */
    {"5;url=", 5, ""},
    {"5;url=''", 5, ""},
    {"0.9;url=a", 0, "a"},
    {"1.5.2;url=a", 1, "a"},
    {".5;url=a", 0, "a"},
    {".", 0, ""},
    {"", -1, ""},
    {"   ", -1, ""},
    {"url=/a", -1, ""},
    {"-1;url=/a", -1, ""},
    {"+1;url=/a", -1, ""},
    {"5x;url=/a", -1, ""},
    {"5s", -1, ""},
    {"\xd9\xa5;url=/a", -1, ""}, /* a digit, but not ASCII */
    {"99999999999999999999;url=a", CW_PAGE_MAX_REFRESH_DELAY, "a"},
};

Test(refresh, standard_steps)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double delay = -1;
        crawl_slice href = crawl_slice_from("");
        crawl_err err = crawl_refresh_header(crawl_slice_from(rows[i].content), &delay, &href);
        cr_expect_eq(err, rows[i].delay < 0 ? CRAWL_EPARSE : CRAWL_OK, "\"%s\": %s", rows[i].content,
                     crawl_strerror(err));
        cr_expect_eq(delay, rows[i].delay, "\"%s\": delay %g", rows[i].content, delay);
        cr_expect(crawl_slice_equal(href, crawl_slice_from(rows[i].href)), "\"%s\": href \"%.*s\"", rows[i].content,
                  (int)href.size, href.data);
    }
}

Test(refresh, the_longest_run_of_digits_stays_finite)
{
    char digits[4001];
    memset(digits, '9', 4000);
    digits[4000] = '\0';
    double delay = 0;
    crawl_slice href;
    cr_assert_eq(crawl_refresh_header(crawl_slice_from(digits), &delay, &href), CRAWL_OK);
    cr_assert_eq(delay, CW_PAGE_MAX_REFRESH_DELAY);
}
