/* Guarantees of <crawl/url.h> beyond the standard's parsing: failures, aliasing, limits, parts, origins. */
#include "tests/unit/parse/url_help.h"

Test(url, is_empty_when_new)
{
    crawl_url *url = crawl_url_create();
    cr_assert(url);
    ASSERT_TEXT(crawl_url_href(url), "");
    ASSERT_TEXT(crawl_url_request(url), "");
    ASSERT_TEXT(crawl_url_scheme(url), "");
    ASSERT_TEXT(crawl_url_path(url), "");
    cr_assert_not(crawl_url_has_query(url));
    cr_assert_not(crawl_url_has_fragment(url));
    cr_assert_not(crawl_url_is_http(url));
    cr_assert_eq(crawl_url_effective_port(url), 0);
    crawl_url_free(url);
    crawl_url_free(NULL);
}

Test(url, has_parts)
{
    crawl_url *url = parsed("https://us:pw@Example.com:8443/a/b?q=1#top");
    ASSERT_TEXT(crawl_url_href(url), "https://us:pw@example.com:8443/a/b?q=1#top");
    ASSERT_TEXT(crawl_url_request(url), "https://us:pw@example.com:8443/a/b?q=1");
    ASSERT_TEXT(crawl_url_scheme(url), "https");
    ASSERT_TEXT(crawl_url_username(url), "us");
    ASSERT_TEXT(crawl_url_password(url), "pw");
    ASSERT_TEXT(crawl_url_hostname(url), "example.com");
    ASSERT_TEXT(crawl_url_port(url), "8443");
    ASSERT_TEXT(crawl_url_path(url), "/a/b");
    ASSERT_TEXT(crawl_url_query(url), "q=1");
    ASSERT_TEXT(crawl_url_fragment(url), "top");
    crawl_url_free(url);
}

Test(url, tells_an_empty_query_from_none)
{
    crawl_url *url = parsed("http://h/?#");
    cr_assert(crawl_url_has_query(url));
    cr_assert(crawl_url_has_fragment(url));
    ASSERT_TEXT(crawl_url_query(url), "");
    ASSERT_TEXT(crawl_url_request(url), "http://h/?");
    cr_assert_eq(crawl_url_parse(url, SLICE("http://h/"), NULL, NULL), CRAWL_OK);
    cr_assert_not(crawl_url_has_query(url));
    cr_assert_not(crawl_url_has_fragment(url));
    crawl_url_free(url);
}

Test(url, stays_as_it_was_on_failure)
{
    crawl_url *url = parsed("http://h:81/a?b#c");
    static const char *const bad[] = {"http://",     "http://h:99999/",   "relative",
                                      "http://[1::", "http://1.2.3.4.5/", "http://a b/"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_eq(crawl_url_parse(url, crawl_slice_from(bad[i]), NULL, NULL), CRAWL_EPARSE, "%s", bad[i]);
        ASSERT_TEXT(crawl_url_href(url), "http://h:81/a?b#c");
        ASSERT_TEXT(crawl_url_port(url), "81");
        ASSERT_TEXT(crawl_url_fragment(url), "c");
    }
    crawl_url_free(url);
}

Test(url, may_be_its_own_base_and_input)
{
    crawl_url *url = parsed("http://h/a/b/c?q#f");
    cr_assert_eq(crawl_url_parse(url, SLICE("../x?y"), url, NULL), CRAWL_OK);
    ASSERT_TEXT(crawl_url_href(url), "http://h/a/x?y");
    cr_assert_eq(crawl_url_parse(url, SLICE("#z"), url, NULL), CRAWL_OK);
    ASSERT_TEXT(crawl_url_href(url), "http://h/a/x?y#z");
    cr_assert_eq(crawl_url_parse(url, crawl_url_path(url), url, NULL), CRAWL_OK);
    ASSERT_TEXT(crawl_url_href(url), "http://h/a/x");
    cr_assert_eq(crawl_url_parse(url, SLICE("http://["), url, NULL), CRAWL_EPARSE);
    ASSERT_TEXT(crawl_url_href(url), "http://h/a/x");
    crawl_url_free(url);
}

Test(url, takes_an_empty_base_as_none)
{
    crawl_url *base = crawl_url_create();
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, SLICE("a"), base, NULL), CRAWL_EPARSE);
    cr_assert_eq(crawl_url_parse(url, SLICE("http://h"), base, NULL), CRAWL_OK);
    crawl_url_free(base);
    crawl_url_free(url);
}

Test(url, copies)
{
    crawl_url *from = parsed("http://u@h/a?b#c");
    crawl_url *to = parsed("mailto:x");
    cr_assert_eq(crawl_url_copy(to, from), CRAWL_OK);
    cr_assert_eq(crawl_url_parse(from, SLICE("ftp://other/"), NULL, NULL), CRAWL_OK);
    ASSERT_TEXT(crawl_url_href(to), "http://u@h/a?b#c");
    ASSERT_TEXT(crawl_url_query(to), "b");
    cr_assert_eq(crawl_url_copy(to, to), CRAWL_OK);
    ASSERT_TEXT(crawl_url_href(to), "http://u@h/a?b#c");
    crawl_url_free(from);
    crawl_url_free(to);
}

static crawl_err parse_filled(crawl_url *url, char byte, size_t size)
{
    static const char prefix[] = "http://h/?";
    char *text = malloc(size);
    cr_assert(text);
    memset(text, byte, size);
    memcpy(text, prefix, sizeof prefix - 1);
    crawl_err err = crawl_url_parse(url, crawl_slice_of(text, size), NULL, "iso-2022-jp");
    free(text);
    return err;
}

Test(url, refuses_what_is_too_long)
{
    crawl_url *url = parsed("http://h/");
    cr_assert_eq(parse_filled(url, 'a', CRAWL_URL_MAX_INPUT + 1), CRAWL_EPARSE);
    ASSERT_TEXT(crawl_url_href(url), "http://h/");
    cr_assert_eq(parse_filled(url, 'a', CRAWL_URL_MAX_INPUT), CRAWL_OK);
    cr_assert_eq(crawl_url_href(url).size, CRAWL_URL_MAX_INPUT);
    crawl_url_free(url);
}

/* Each byte is a broken sequence, and each of them is escaped. */
Test(url, has_room_for_the_largest_growth_of_bytes)
{
    crawl_url *url = crawl_url_create();
    cr_assert_eq(parse_filled(url, '\xff', CRAWL_URL_MAX_INPUT), CRAWL_OK);
    cr_assert_eq(crawl_url_query(url).size, (CRAWL_URL_MAX_INPUT - 10) * strlen("%FF"));
    crawl_url_free(url);
}

Test(url, escapes_broken_utf8)
{
    check_href("http://h/\xff?\xc3#\xe2\x82", NULL, NULL, "http://h/%FF?%C3#%E2%82");
    check_href("http://h/\xc3\t\xa9", NULL, NULL, "http://h/%C3%A9");
    check_href("http://h/\xed\xa0\x80", NULL, NULL, "http://h/%ED%A0%80");
    check_href("http://h\xff/", NULL, NULL, "failure");
}

Test(url, escapes_nul)
{
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, SLICE("http://h/a\0b?\0c#\0d"), NULL, NULL), CRAWL_OK);
    ASSERT_TEXT(crawl_url_href(url), "http://h/a%00b?%00c#%00d");
    cr_assert_eq(crawl_url_parse(url, SLICE("http://a\0b/"), NULL, NULL), CRAWL_EPARSE);
    cr_assert_eq(crawl_url_parse(url, SLICE("http://\xc3\xbc\0/"), NULL, NULL), CRAWL_EPARSE);
    crawl_url_free(url);
}

Test(url, leaves_other_schemes_alone)
{
    static const char *const others[] = {"mailto:a@b", "javascript:void(0)", "data:text/html,x", "tel:+1",
                                         "about:blank"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        crawl_url *url = parsed("http://h/a");
        cr_assert_eq(crawl_url_parse(url, crawl_slice_from(others[i]), url, NULL), CRAWL_OK);
        cr_assert_not(crawl_url_is_http(url));
        check_href(others[i], "http://h/a", NULL, others[i]);
        crawl_buf out = {0};
        cr_assert_eq(crawl_url_origin(url, &out), CRAWL_EINVAL);
        cr_assert_eq(crawl_url_canonical(url, &out), CRAWL_EINVAL);
        cr_assert_eq(out.size, 0);
        crawl_url_free(url);
    }
}

Test(url, knows_the_port_in_use)
{
    static const struct {
        const char *input;
        unsigned port;
    } cases[] = {
        {"http://h/", 80},  {"https://h/", 443},       {"https://h:443/", 443}, {"http://h:443/", 443},
        {"http://h:0/", 0}, {"http://h:65535", 65535}, {"ftp://h/", 21},        {"ws://h/", 80},
        {"foo://h/", 0},    {"foo://h:7/", 7},         {"mailto:x", 0},         {"http://h:00080/", 80},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crawl_url *url = parsed(cases[i].input);
        cr_expect_eq(crawl_url_effective_port(url), cases[i].port, "%s", cases[i].input);
        crawl_url_free(url);
    }
}

Test(url, has_an_origin)
{
    crawl_url *url = parsed("https://u:p@H:8443/a@b?c");
    crawl_buf out = {0};
    cr_assert_eq(crawl_buf_append_text(&out, "> "), CRAWL_OK);
    cr_assert_eq(crawl_url_origin(url, &out), CRAWL_OK);
    ASSERT_TEXT(crawl_buf_slice(&out), "> https://h:8443");
    crawl_buf_free(&out);
    crawl_url_free(url);
}

Test(url, cuts_the_origin_from_a_serialization)
{
    crawl_buf scratch = {0};
    crawl_slice out;
    crawl_slice plain = SLICE("http://h:81/a@b");
    cr_assert_eq(crawl_href_origin(plain, &scratch, &out), CRAWL_OK);
    ASSERT_TEXT(out, "http://h:81");
    cr_assert_eq(out.data, plain.data, "a slice of the input");
    cr_assert_eq(scratch.size, 0);
    cr_assert_eq(crawl_href_origin(SLICE("https://u:p@h/a"), &scratch, &out), CRAWL_OK);
    ASSERT_TEXT(out, "https://h");
    static const char *const bad[] = {"", "http://", "http:///", "ftp://h/", "http://h", "http://u@/", "mailto:x/"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(crawl_href_origin(crawl_slice_from(bad[i]), &scratch, &out), CRAWL_EINVAL, "%s", bad[i]);
    ASSERT_TEXT(out, "https://h");
    crawl_buf_free(&scratch);
}
