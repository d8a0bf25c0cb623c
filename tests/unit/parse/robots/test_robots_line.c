#include "parse/robots/robots_private.h"

#include <crawl/robots.h>
#include <criterion/criterion.h>

static void assert_line(cw_robots_reader *reader, cw_robots_directive directive, unsigned number, const char *text,
                        const char *value)
{
    cw_robots_line line;
    cr_assert(cw_robots_next(reader, &line));
    cr_assert_eq(line.directive, directive, "line %u: %d", number, line.directive);
    cr_assert_eq(line.number, number);
    cr_assert(crawl_slice_equal(line.text, crawl_slice_from(text)), "line %u: %.*s", number, (int)line.text.size,
              line.text.data);
    cr_assert(crawl_slice_equal(line.value, crawl_slice_from(value)), "line %u: %.*s", number, (int)line.value.size,
              line.value.data);
}

static void assert_one(const char *text, cw_robots_directive directive, const char *value)
{
    cw_robots_reader reader = cw_robots_read(crawl_slice_from(text));
    assert_line(&reader, directive, 1, text, value);
}

Test(robots_line, directives)
{
    assert_one("User-agent: a", CW_ROBOTS_USER_AGENT, "a");
    assert_one("ALLOW:/a", CW_ROBOTS_ALLOW, "/a");
    assert_one("disallow\t:\t/a:b", CW_ROBOTS_DISALLOW, "/a:b");
    assert_one("Crawl-Delay: 1", CW_ROBOTS_CRAWL_DELAY, "1");
    assert_one("Sitemap: http://h/", CW_ROBOTS_SITEMAP, "http://h/");
    assert_one("Disallow:", CW_ROBOTS_DISALLOW, "");
    assert_one("Disallowed: /", CW_ROBOTS_UNKNOWN, "/");
    assert_one(": /", CW_ROBOTS_UNKNOWN, "/");
    assert_one("<a href='http://h'>", CW_ROBOTS_UNKNOWN, "//h'>");
}

Test(robots_line, missing_colon)
{
    assert_one("disallow /a", CW_ROBOTS_DISALLOW, "/a");
    assert_one("User-agent \t a", CW_ROBOTS_USER_AGENT, "a");
    assert_one("disallow", CW_ROBOTS_NOTHING, "");
    assert_one("disallow /a /b", CW_ROBOTS_NOTHING, "");
    assert_one("some words", CW_ROBOTS_NOTHING, "");
}

Test(robots_line, ends_comments_and_numbers)
{
    cw_robots_reader reader =
        cw_robots_read(crawl_slice_from("\n# x\r\n\r\rallow: /a # b: c\r\n  allow : /b\t\n\rallow: /c"));
    assert_line(&reader, CW_ROBOTS_NOTHING, 1, "", "");
    assert_line(&reader, CW_ROBOTS_NOTHING, 2, "", "");
    assert_line(&reader, CW_ROBOTS_NOTHING, 3, "", "");
    assert_line(&reader, CW_ROBOTS_NOTHING, 4, "", "");
    assert_line(&reader, CW_ROBOTS_ALLOW, 5, "allow: /a", "/a");
    assert_line(&reader, CW_ROBOTS_ALLOW, 6, "allow : /b", "/b");
    assert_line(&reader, CW_ROBOTS_NOTHING, 7, "", "");
    assert_line(&reader, CW_ROBOTS_ALLOW, 8, "allow: /c", "/c");
    cw_robots_line line = {.number = 77};
    cr_assert_not(cw_robots_next(&reader, &line));
    cr_assert_eq(line.number, 77);
}

Test(robots_line, byte_order_marks)
{
    static const char *const marks[] = {"", "\xef", "\xef\xbb", "\xef\xbb\xbf"};
    for (size_t i = 0; i < 4; i++) {
        crawl_buf body = {0};
        crawl_buf_printf(&body, "%sallow: /", marks[i]);
        cw_robots_reader reader = cw_robots_read(crawl_buf_slice(&body));
        assert_line(&reader, CW_ROBOTS_ALLOW, 1, "allow: /", "/");
        crawl_buf_free(&body);
    }
    assert_one("\xbb\xbf"
               "allow: /",
               CW_ROBOTS_UNKNOWN, "/");
    cw_robots_line line;
    cw_robots_reader only = cw_robots_read(crawl_slice_from(marks[3]));
    cr_assert_not(cw_robots_next(&only, &line));
    cw_robots_reader nothing = cw_robots_read((crawl_slice){0});
    cr_assert_not(cw_robots_next(&nothing, &line));
}

Test(robots_line, nul_is_a_byte_like_others)
{
    cw_robots_line line;
    cw_robots_reader reader = cw_robots_read(crawl_slice_of("allow: /a\0b\n\0allow: /", 22));
    cr_assert(cw_robots_next(&reader, &line));
    cr_assert(crawl_slice_equal(line.value, crawl_slice_of("/a\0b", 4)));
    cr_assert(cw_robots_next(&reader, &line));
    cr_assert_eq(line.directive, CW_ROBOTS_UNKNOWN);
}

Test(robots_line, long_lines_are_cut)
{
    for (int over = 0; over < 2; over++) {
        crawl_buf body = {0};
        cw_robots_line line;
        crawl_buf_printf(&body, "allow: %0*d\nallow: /next", CW_ROBOTS_MAX_LINE - 7 + over, 0);
        cw_robots_reader reader = cw_robots_read(crawl_buf_slice(&body));
        cr_assert(cw_robots_next(&reader, &line));
        cr_assert_eq(line.text.size, CW_ROBOTS_MAX_LINE);
        cr_assert_eq(line.cut, over);
        cr_assert(cw_robots_next(&reader, &line));
        cr_assert_eq(line.number, 2);
        cr_assert_not(line.cut);
        cr_assert(crawl_slice_equal(line.value, crawl_slice_from("/next")));
        crawl_buf_free(&body);
    }
}
