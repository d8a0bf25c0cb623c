/* The keys of archives, beyond the conformance data. */
#include "tests/unit/parse/url_help.h"

static void check(const char *input, const char *expected)
{
    const crawl_canonical_options options = {.size = sizeof options, .profile = CRAWL_PROFILE_SURT};
    crawl_buf got = {0};
    cr_assert_eq(crawl_text_canonical(crawl_slice_from(input), &options, &got), CRAWL_OK, "%s", input);
    cr_expect_str_eq(got.data, expected, "%s: got %s", input, got.data);
    crawl_buf_free(&got);
}

Test(canonical_surt, hosts)
{
    check("http://www.example.com/", "com,example)/");
    check("http://WWW12.Example.com./", "com,example)/");
    check("http://www.com/", "com)/");
    check("http://wwwx.com/", "com,wwwx)/");
    check("http://user:pw@h.com:8080/", "com,h:8080)/");
    check("https://h.com:443/", "com,h)/");
    check("https://h.com:80/", "com,h:80)/");
    check("h.com:80/", "com,h)/");
    check("http://0x7f.1/", "1,0,0,127)/");
    check("http://[::1]:81/", "::1:81)/");
    check("http://b\xc3\xbc"
          "cher.de/",
          "de,xn--bcher-kva)/");
    check("http://a,b.de/", "de,a.b)/");
}

Test(canonical_surt, paths)
{
    check("http://h/A/B/", "h)/a/b");
    check("http://h//a//b", "h)/a/b");
    check("http://h/a/./b/../c", "h)/a/c");
    check("http://h/a/..", "h)/");
    check("http://h/../..", "h)/");
    check("http://h/a/b/../", "h)/a");
    check("http://h/%41%2541", "h)/aa");
    check("http://h/%", "h)/%25");
    check("http://h", "h)/");
    check("http://h/(4hqa0555fwsecu455xqckv45)/m.aspx", "h)/m.aspx");
    check("http://h/(4hqa0555fwsecu455xqckv45)/m.html", "h)/(4hqa0555fwsecu455xqckv45)/m.html");
}

Test(canonical_surt, queries)
{
    check("http://h/?B=2&a=1#f", "h)/?a=1&b=2");
    check("http://h/?", "h)/");
    check("http://h/?b&a&a=", "h)/?a&a=&b");
    check("http://h/?a=b=2&a=a", "h)/?a=a&a=b=2");
    check("http://h/?sid=0123456789abcdef0123456789abcdef", "h)/");
    check("http://h/?x=1&cfid=1&cftoken=2&y=2", "h)/?x=1&y=2");
    check("http://h/?cfid=1&x=2", "h)/?cfid=1&x=2");
    check("http://h/?ASPSESSIONIDAABBCCDD=ABCDEFGHIJKLMNOPQRSTUVWX&a", "h)/?a");
}

Test(canonical_surt, what_is_no_web_page)
{
    check("mailto:a@b.c", "mailto:a@b.c");
    check("dns:", ")");
    check("dns:WWW.h.com", "com,h,WWW)");
    check(" \t ", ")/");
}
