/* The canonical form of w3lib, compared with the program's results; the conformance data has its own test cases. */
#include "tests/unit/parse/url_help.h"

static void check_by(crawl_canonical_options options, const char *input, const char *expected)
{
    crawl_buf got = {0};
    options.profile = CRAWL_PROFILE_W3LIB;
    cr_assert_eq(crawl_text_canonical(crawl_slice_from(input), &options, &got), CRAWL_OK, "%s", input);
    cr_expect_str_eq(got.data, expected, "%s: got %s", input, got.data);
    crawl_buf_free(&got);
}

static void check(const char *input, const char *expected)
{
    check_by((crawl_canonical_options){.size = sizeof(crawl_canonical_options)}, input, expected);
}

Test(canonical_w3lib, keeps_what_the_url_standard_drops)
{
    check("http://h:80/a/../b/./c", "http://h:80/a/../b/./c");
    check("http://H:/", "http://h/");
    check("http://U:P@H/", "http://U:P@h/");
    check("HTTP:\\\\h\\a", "http:///%5C%5Ch%5Ca");
    check("http:a", "http:///a");
    check("mailto:a@b", "mailto:a@b");
    check("?b&a", "/?a=&b=");
    check("", "/");
    check("//h", "//h/");
}

Test(canonical_w3lib, path)
{
    check("http://h/%7e%2f%3f%2F%25%2c%e9", "http://h/~%2F%3F%2F%,%E9");
    check("http://h/%zz%4%", "http://h/%zz%4%");
    check("http://h/a b\"<>^`{}|[]", "http://h/a%20b%22%3C%3E%5E%60%7B%7D|[]");
    check("http://h/\xc3\xa9", "http://h/%C3%A9");
    check("http://h/%252f", "http://h/%2f");
    check("http://h/a\tb\nc", "http://h/abc");
}

/* Parameters of the last segment are escaped, not unescaped; an empty one is removed. */
Test(canonical_w3lib, parameters_of_the_path)
{
    check("http://h/a;p%2c b", "http://h/a;p%2c%20b");
    check("http://h/a;%2c/b", "http://h/a;,/b");
    check("http://h/a;", "http://h/a");
    check("foo://h/a;p%2c", "foo://h/a;p,");
}

Test(canonical_w3lib, query_and_fragment)
{
    check("http://h/?b=%2B+&a=%zz&=&c", "http://h/?=&a=%25zz&b=%2B+&c=");
    check("http://h/?#f", "http://h/");
    check_by((crawl_canonical_options){.size = sizeof(crawl_canonical_options), .keep_fragment = true},
             "http://h/?#a b%e9#", "http://h/#a%20b%e9#");
    check_by((crawl_canonical_options){.size = sizeof(crawl_canonical_options), .drop_blank = true},
             "http://h/?b=&a=2&c&=3", "http://h/?=3&a=2");
}

Test(canonical_w3lib, hosts_by_idna_2003)
{
    check("http://fa\xc3\x9f.de/", "http://fass.de/");
    check("http://a\xe3\x80\x82\xc3\xa9/", "http://a.xn--9ca/");
    check("http://\xc3\xa9..de/", "http://\xc3\xa9..de/");
    check("http://\xc3\xa9./", "http://xn--9ca./");
    check("http://u\xc3\xa9@h\xc3\xa9:80/", "http://u\xc3\xa9@xn--h-bga:80/");
}

Test(canonical_w3lib, charset)
{
    check_by((crawl_canonical_options){.size = sizeof(crawl_canonical_options), .charset = "latin1"},
             "http://h/\xc3\xa9?\xc3\xa9", "http://h/%C3%A9?%E9=");
    check_by((crawl_canonical_options){.size = sizeof(crawl_canonical_options), .charset = "cp1252"},
             "http://h/?\xe2\x82\xac", "http://h/?%80=");
    check_by((crawl_canonical_options){.size = sizeof(crawl_canonical_options), .charset = "ascii"},
             "http://h/?\xc3\xa9", "http://h/?%C3%A9=");
    check_by((crawl_canonical_options){.size = sizeof(crawl_canonical_options), .charset = "no-such"},
             "http://h/?\xc3\xa9", "http://h/?%C3%A9=");
    check_by((crawl_canonical_options){.size = sizeof(crawl_canonical_options), .charset = "iso-2022-jp"},
             "http://h/?\xe3\x81\x82", "http://h/?%1B%24B%24%22%1B%28B=");
}

Test(canonical_w3lib, of_a_url)
{
    const crawl_canonical_options options = {.size = sizeof options, .profile = CRAWL_PROFILE_W3LIB};
    crawl_buf got = {0};
    crawl_url *url = parsed("http://h:80/a/../b%2cc?b&a#f");
    cr_assert_eq(crawl_url_canonical_by(url, &options, &got), CRAWL_OK);
    cr_expect_str_eq(got.data, "http://h/b,c?a=&b=");
    crawl_url_free(url);
    url = parsed("ftp://h/");
    cr_expect_eq(crawl_url_canonical_by(url, &options, &got), CRAWL_EINVAL);
    crawl_url_free(url);
    crawl_buf_free(&got);
}

Test(canonical_w3lib, refuses_a_host_with_one_bracket)
{
    const crawl_canonical_options options = {.size = sizeof options, .profile = CRAWL_PROFILE_W3LIB};
    crawl_buf got = {0};
    cr_assert_eq(crawl_buf_append_text(&got, "before"), CRAWL_OK);
    cr_expect_eq(crawl_text_canonical(SLICE("http://[::1/"), &options, &got), CRAWL_EPARSE);
    cr_expect_eq(crawl_text_canonical(SLICE("http://::1]/"), &options, &got), CRAWL_EPARSE);
    cr_expect_str_eq(got.data, "before");
    crawl_buf_free(&got);
}

Test(canonical_w3lib, nul_is_a_byte_like_others)
{
    const crawl_canonical_options options = {.size = sizeof options, .profile = CRAWL_PROFILE_W3LIB};
    crawl_buf got = {0};
    cr_expect_eq(crawl_text_canonical(SLICE("http://h/a\0b?c\0d"), &options, &got), CRAWL_OK);
    cr_expect_str_eq(got.data, "http://h/a%00b?c%00d=");
    crawl_buf_free(&got);
}
