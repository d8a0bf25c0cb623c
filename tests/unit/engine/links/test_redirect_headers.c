/* Redirects keep headers, and URLs lose their users. */
#include "crawler/engine/links/redirect.h"
#include "crawler/engine/scope/url_looks.h"

#include <criterion/criterion.h>

static void expect(bool same_origin, bool becomes_get, const char *wanted)
{
    crawl_buf out = {0};
    const char *headers = "Authorization: a\nContent-Type: b\nX-Any: c\ncontent-language: d\nCookie: e";
    cr_assert_eq(cw_links_redirect_headers(crawl_slice_from(headers), same_origin, becomes_get, &out), CRAWL_OK);
    cr_expect_str_eq(out.data ? out.data : "", wanted);
    crawl_buf_free(&out);
}

Test(redirect_headers, by_origin_and_body)
{
    expect(true, false, "Authorization: a\nContent-Type: b\nX-Any: c\ncontent-language: d\nCookie: e\n");
    expect(true, true, "Authorization: a\nX-Any: c\nCookie: e\n");
    expect(false, false, "Content-Type: b\ncontent-language: d\n");
    expect(false, true, "");
}

Test(userinfo, is_taken_out)
{
    const char *cases[][4] = {
        {"http://u:p@a/x?y#z", "http://a/x?y#z", "u", "p"},
        {"https://u%40v:p%3a%2f@a:8080/@", "https://a:8080/@", "u@v", "p:/"},
        {"http://u@[::1]/", "http://[::1]/", "u", ""},
        {"http://:p@a/", "http://a/", "", "p"},
        {"http://u%4:%zz%2@a/", "http://a/", "u%4", "%zz%2"},
        {"http://a/u:p@b", "http://a/u:p@b", "", ""},
    };
    crawl_url *url = crawl_url_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crawl_buf user = {0}, password = {0};
        cr_assert_eq(crawl_url_parse(url, crawl_slice_from(cases[i][0]), NULL, NULL), CRAWL_OK);
        cr_assert_eq(cw_scope_userinfo_take(url, &user, &password), CRAWL_OK);
        cr_expect(crawl_slice_equal(crawl_url_href(url), crawl_slice_from(cases[i][1])), "%s", cases[i][0]);
        cr_expect_str_eq(user.data ? user.data : "", cases[i][2]);
        cr_expect_str_eq(password.data ? password.data : "", cases[i][3]);
        cr_expect_not(cw_scope_userinfo_is_there(url));
        crawl_buf_free(&user);
        crawl_buf_free(&password);
    }
    crawl_url_free(url);
}
