/* Parameters and session ids left out of canonical forms. */
#include "tests/unit/parse/url_help.h"

static crawl_drop_params *list_of(const char *list)
{
    crawl_drop_params *drop = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_drop_params_create(crawl_slice_from(list), &drop, &error), CRAWL_OK, "%s: %s", list,
                 error.message);
    return drop;
}

static void check_profile(crawl_profile profile, const char *list, const char *input, const char *expected)
{
    crawl_drop_params *drop = list_of(list);
    const crawl_canonical_options options = {.size = sizeof options, .profile = profile, .drop = drop};
    crawl_buf once = {0};
    crawl_buf twice = {0};
    cr_assert_eq(crawl_text_canonical(crawl_slice_from(input), &options, &once), CRAWL_OK);
    cr_expect_str_eq(once.data, expected, "%s without %s: got %s", input, list, once.data);
    cr_assert_eq(crawl_text_canonical(crawl_buf_slice(&once), &options, &twice), CRAWL_OK);
    cr_expect_str_eq(twice.data, once.data, "%s without %s", input, list);
    crawl_drop_params_free(drop);
    crawl_buf_free(&once);
    crawl_buf_free(&twice);
}

static void check(const char *list, const char *input, const char *expected)
{
    check_profile(CRAWL_PROFILE_DEFAULT, list, input, expected);
}

Test(canonical_drop, names)
{
    check("a", "http://h/?a=1&b=2&a", "http://h/?b=2");
    check("a b", "http://h/?a=1&b=2", "http://h/");
    check(" a,b\tc ", "http://h/?d&c&b&a", "http://h/?d=");
    check("a", "http://h/?A=1&aa=2&%61=3", "http://h/?A=1&aa=2");
    check("", "http://h/?b&a", "http://h/?a=&b=");
    check("b", "http://h/?c&b&a", "http://h/?a=&c=");
    check("a b c d e f g h", "http://h/?h=1&g=1&i=1&a=1&d=1", "http://h/?i=1");
}

Test(canonical_drop, names_are_compared_decoded)
{
    check("\xc3\xa9", "http://h/?\xc3\xa9=1&%c3%a9=2&e=3", "http://h/?e=3");
    check("a[b]", "http://h/?a[b]=1&a%5Bb%5D=2&a=3", "http://h/?a=3");
    check("a+b", "http://h/?a+b=1&a%20b=2&a=3", "http://h/?a=3");
}

Test(canonical_drop, prefixes)
{
    check("utm_*", "http://h/?utm_source=a&utm_=b&utm=c&xutm_a=d&UTM_a=e", "http://h/?UTM_a=e&utm=c&xutm_a=d");
    check("a* b", "http://h/?a=1&ab=2&b=3&c=4", "http://h/?c=4");
}

Test(canonical_drop, only_the_query_changes)
{
    check("a", "http://a:a@a/a;a=1/a?a=a#a=1", "http://a:a@a/a;a=1/a");
    check("a", "http://h/?", "http://h/");
}

Test(canonical_drop, tracking)
{
    check("@tracking", "http://h/?utm_source=a&gclid=b&fbclid=c&id=4", "http://h/?id=4");
    check("@tracking id", "http://h/?utm_source=a&gclid=b&id=4&x", "http://h/?x=");
}

Test(canonical_drop, sessions_in_the_query)
{
    check("@sessions", "http://h/?PHPSESSID=0123456789abcdef0123456789abcdef&a=1", "http://h/?a=1");
    check("@sessions", "http://h/?XTCsid=0123456789abcdef&xtcsid=x&sap-sessionid=SID%3aANON%3ah", "http://h/?xtcsid=x");
    check("@sessions", "http://h/?phpsessid=x&JSessionId=&ASPSESSIONIDQQAARRBB=ABC&cfid=1&CFTOKEN=2&a", "http://h/?a=");
    check("@sessions", "http://h/?sid=5&sessionid=hello", "http://h/?sessionid=hello&sid=5");
    check("@sessions", "http://h/?sid=0123456789abcdef&sessionid=a1b2c3d4-a1b2c3d4-e5", "http://h/");
    check("@sessions", "http://h/?sid=abcdefghijklmnopq&sid=0123456789abcde",
          "http://h/?sid=0123456789abcde&sid=abcdefghijklmnopq");
}

Test(canonical_drop, sessions_in_the_path)
{
    check("@sessions", "http://h/a;jsessionid=ABC123?b=1", "http://h/a?b=1");
    check("@sessions", "http://h/a;JSESSIONID=A.node1;v=2/b;jsessionid=C/c", "http://h/a;v=2/b/c");
    check("@sessions", "http://h/;jsessionid=", "http://h/");
    check("@sessions", "http://h/a;jsessionid", "http://h/a;jsessionid");
    check("@sessions", "http://h/(S(4hqa0555fwsecu455xqckv45))/m.aspx", "http://h/m.aspx");
    check("@sessions", "http://h/(A(4hqa0555fwsecu455xqckv45)S(4hqa0555fwsecu455xqckv45))/m", "http://h/m");
    check("@sessions", "http://h/(S(4hqa0555fwsecu455xqckv4))/m", "http://h/(S(4hqa0555fwsecu455xqckv4))/m");
    check("@sessions", "http://h/(S(4hqa0555fwsecu455xqckv45))", "http://h/(S(4hqa0555fwsecu455xqckv45))");
    check("PHPSESSID", "http://h/a;jsessionid=ABC123", "http://h/a;jsessionid=ABC123");
}

/* The rest of a segment must not lead elsewhere. */
Test(canonical_drop, no_dot_segments_come_about)
{
    check("@sessions", "http://h/a/..;jsessionid=x/b", "http://h/a/..;jsessionid=x/b");
    check("@sessions", "http://h/.;jsessionid=x", "http://h/.;jsessionid=x");
    check("@sessions", "http://h/...;jsessionid=x", "http://h/...");
    check("@sessions", "http://h/a.;jsessionid=x", "http://h/a.");
}

Test(canonical_drop, profile_w3lib)
{
    check_profile(CRAWL_PROFILE_W3LIB, "utm_*", "http://h:80/a/../b?utm_a=1&b=2", "http://h:80/a/../b?b=2");
    check_profile(CRAWL_PROFILE_W3LIB, "@sessions", "http://h/?PHPSESSID=1", "http://h/");
}

Test(canonical_drop, refuses_what_is_no_list)
{
    static const char *const lists[] = {"*", "a*b", "**", "@session", "a @", "*a", "a b*c d"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        crawl_drop_params *drop = NULL;
        crawl_error error = {0};
        cr_expect_eq(crawl_drop_params_create(crawl_slice_from(lists[i]), &drop, &error), CRAWL_EPARSE, "%s", lists[i]);
        cr_expect(error.message[0] && !drop, "%s", lists[i]);
    }
    crawl_drop_params_free(NULL);
}
