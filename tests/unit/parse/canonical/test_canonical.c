/* Canonical forms. */
#include "tests/unit/parse/url_help.h"

static crawl_buf canonical_of(crawl_slice input)
{
    crawl_buf out = {0};
    crawl_url *url = crawl_url_create();
    cr_assert(url);
    cr_assert_eq(crawl_url_parse(url, input, NULL, NULL), CRAWL_OK);
    cr_assert_eq(crawl_url_canonical(url, &out), CRAWL_OK);
    crawl_url_free(url);
    return out;
}

/* Expects the result to be its own canonical form, too. */
static void check(const char *input, const char *expected)
{
    crawl_buf once = canonical_of(crawl_slice_from(input));
    crawl_buf twice = canonical_of(crawl_buf_slice(&once));
    cr_expect_str_eq(once.data, expected, "%s: got %s", input, once.data);
    cr_expect_str_eq(twice.data, once.data, "%s", input);
    crawl_buf_free(&once);
    crawl_buf_free(&twice);
}

Test(canonical, drops_and_keeps)
{
    check("HTTP://U:P@H:80#f", "http://U:P@h/");
    check("http://h:8080/a?#", "http://h:8080/a");
    check("http://h/a/../b//c/", "http://h/b//c/");
    check("http://h./", "http://h./");
}

Test(canonical, path_escapes)
{
    check("http://h/%7e%41%2d%5F%2E", "http://h/~A-_.");
    check("http://h/a%2fb%3a", "http://h/a%2Fb%3A");
    check("http://h/%", "http://h/%25");
    check("http://h/%zz%4", "http://h/%25zz%254");
    check("http://h/%2541", "http://h/%2541");
    check("http://h/%%341", "http://h/%2541");
    check("http://h/\xc3\xa9%c3%a9", "http://h/%C3%A9%C3%A9");
    check("http://h/a+b@:!$&'()*,;=", "http://h/a+b@:!$&'()*,;=");
}

Test(canonical, query_escapes)
{
    check("http://h/?a+b=%20", "http://h/?a+b=+");
    check("http://h/?a%2Bb=%2b", "http://h/?a%2Bb=%2B");
    check("http://h/?%61=%7e*", "http://h/?a=~%2A");
    check("http://h/?a=b=c", "http://h/?a=b%3Dc");
    check("http://h/?a%3d=%26", "http://h/?a%3D=%26");
    check("http://h/?%zz=%", "http://h/?%25zz=%25");
    check("http://h/?\xc3\xa9", "http://h/?%C3%A9=");
    check("http://h/?q=%0a%00", "http://h/?q=%0A%00");
    check("http://h/?a;b", "http://h/?a%3Bb=");
}

Test(canonical, query_pairs)
{
    check("http://h/?", "http://h/");
    check("http://h/?&&", "http://h/");
    check("http://h/?=", "http://h/?=");
    check("http://h/?a", "http://h/?a=");
    check("http://h/?&a&&b&", "http://h/?a=&b=");
    check("http://h/?b&a", "http://h/?a=&b=");
    check("http://h/?=1&=", "http://h/?=&=1");
}

/* By decoded bytes: "!" precedes "+", which precedes "0"; a name precedes its extensions. */
Test(canonical, query_order)
{
    check("http://h/?b=2&a=3&b=1&a=", "http://h/?a=&a=3&b=1&b=2");
    check("http://h/?0&%2B&%21&+&%20%20", "http://h/?+=&++=&%21=&%2B=&0=");
    check("http://h/?ab=1&a=2&a%21=3", "http://h/?a=2&a%21=3&ab=1");
    check("http://h/?%FF=&~=&%7F=&z=", "http://h/?z=&~=&%7F=&%FF=");
    check("http://h/?%2A&%29&%1F", "http://h/?%1F=&%29=&%2A=");
    check("http://h/?a=1%20&a=1&a=1!", "http://h/?a=1&a=1+&a=1%21");
}

/* Pairs whose order depends on every byte of long names, far more than fit on the stack; sorting must not be quadratic.
 */
Test(canonical, many_pairs)
{
    enum { PAIRS = 30000 };
    crawl_buf input = {0};
    cr_assert_eq(crawl_buf_append_text(&input, "http://h/?"), CRAWL_OK);
    for (unsigned i = 0; i < PAIRS; i++)
        cr_assert_eq(crawl_buf_append(&input, i % 2 ? "b&" : "a&", 2), CRAWL_OK);
    crawl_buf once = canonical_of(crawl_buf_slice(&input));
    cr_assert_eq(once.size, strlen("http://h/?") + 3 * PAIRS - 1);
    const char *pairs = once.data + strlen("http://h/?");
    for (unsigned i = 0; i < PAIRS; i++)
        cr_assert_eq(pairs[3 * i], i < PAIRS / 2 ? 'a' : 'b', "%u", i);
    crawl_buf_free(&input);
    crawl_buf_free(&once);
}

Test(canonical, reversed_pairs)
{
    crawl_buf input = {0};
    crawl_buf expected = {0};
    cr_assert_eq(crawl_buf_append_text(&input, "http://h/?"), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&expected, "http://h/?"), CRAWL_OK);
    for (unsigned i = 0; i < 5000; i++) {
        cr_assert_eq(crawl_buf_printf(&input, "n%04u&", 4999 - i), CRAWL_OK);
        cr_assert_eq(crawl_buf_printf(&expected, "%sn%04u=", i ? "&" : "", i), CRAWL_OK);
    }
    crawl_buf once = canonical_of(crawl_buf_slice(&input));
    cr_assert(crawl_slice_equal(crawl_buf_slice(&once), crawl_buf_slice(&expected)));
    crawl_buf_free(&input);
    crawl_buf_free(&expected);
    crawl_buf_free(&once);
}

Test(canonical, appends)
{
    crawl_buf out = {0};
    crawl_url *url = parsed("http://h/?b&a");
    cr_assert_eq(crawl_buf_append_text(&out, "GET "), CRAWL_OK);
    cr_assert_eq(crawl_url_canonical(url, &out), CRAWL_OK);
    cr_assert_str_eq(out.data, "GET http://h/?a=&b=");
    crawl_url_free(url);
    crawl_buf_free(&out);
}
