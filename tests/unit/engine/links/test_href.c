#include "crawler/engine/links/href.h"

#include <crawl/url.h>
#include <criterion/criterion.h>
#include <stdlib.h>

static crawl_url *base;
static crawl_url *url;

static void set_up(void)
{
    base = crawl_url_create();
    url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(base, crawl_slice_from("http://base.example:81/a/b?c"), NULL, NULL), CRAWL_OK);
}

static void tear_down(void)
{
    crawl_url_free(base);
    crawl_url_free(url);
}

TestSuite(href, .init = set_up, .fini = tear_down);

/* Expects the parser to agree with the quick look, unless that is unsure. */
static void hold_against_the_parser(crawl_slice href)
{
    cw_links_href look = cw_links_href_look(href);
    crawl_err err = crawl_url_parse(url, href, base, NULL);
    bool is_http = !err && crawl_url_is_http(url);
    bool right = look == CW_LINKS_HREF_UNSURE || (!err && is_http == (look != CW_LINKS_HREF_OTHER));
    cr_expect(right, "\"%.*s\": %d", (int)href.size, href.data, (int)look);
}

static const struct {
    const char *href;
    cw_links_href look;
} hrefs[] = {
    {"", CW_LINKS_HREF_RELATIVE},
    {"a.html", CW_LINKS_HREF_RELATIVE},
    {"../b/?q=http://x", CW_LINKS_HREF_RELATIVE},
    {"/", CW_LINKS_HREF_RELATIVE},
    {"/a:b", CW_LINKS_HREF_RELATIVE},
    {"#part", CW_LINKS_HREF_RELATIVE},
    {"?q", CW_LINKS_HREF_RELATIVE},
    {"1a:b", CW_LINKS_HREF_RELATIVE},
    {"a b:c", CW_LINKS_HREF_UNSURE},
    {"http://example.com", CW_LINKS_HREF_HTTP},
    {"HTTPS://WWW.Example.com:8443/a b#c", CW_LINKS_HREF_HTTP},
    {"http://a.localhost:4871/", CW_LINKS_HREF_HTTP},
    {"http://a.localhost:48713/", CW_LINKS_HREF_UNSURE},
    {"mailto:x@example.com", CW_LINKS_HREF_OTHER},
    {"javascript:void(0)", CW_LINKS_HREF_OTHER},
    {"data:image/png;base64,iVBORw0KGgo=", CW_LINKS_HREF_OTHER},
    {"tel:", CW_LINKS_HREF_OTHER},
    {"//example.com/", CW_LINKS_HREF_UNSURE},
    {"/\t/[bad", CW_LINKS_HREF_UNSURE},
    {"http:relative", CW_LINKS_HREF_UNSURE},
    {"http://[bad", CW_LINKS_HREF_UNSURE},
    {"http://user@example.com/", CW_LINKS_HREF_UNSURE},
    {"http://256.256.256.256/", CW_LINKS_HREF_UNSURE},
    {"http://a.0x1ff/", CW_LINKS_HREF_UNSURE},
    {"http://xn--a.example/", CW_LINKS_HREF_UNSURE},
    {"http://example.com:99999/", CW_LINKS_HREF_UNSURE},
    {"http://exa mple.com/", CW_LINKS_HREF_UNSURE},
    {"http://exam%70le.com/", CW_LINKS_HREF_UNSURE},
    {"java\tscript:x", CW_LINKS_HREF_UNSURE},
    {" mailto:x", CW_LINKS_HREF_UNSURE},
    {"x://[bad", CW_LINKS_HREF_UNSURE},
    {"file://[bad", CW_LINKS_HREF_UNSURE},
    {"ftp:[bad", CW_LINKS_HREF_UNSURE},
};

Test(href, table)
{
    for (size_t i = 0; i < sizeof hrefs / sizeof *hrefs; i++) {
        crawl_slice href = crawl_slice_from(hrefs[i].href);
        cr_expect_eq(cw_links_href_look(href), hrefs[i].look, "%s", hrefs[i].href);
        hold_against_the_parser(href);
    }
    hold_against_the_parser(crawl_slice_of("http\0://x", 9));
    hold_against_the_parser(crawl_slice_of("http://x\0/", 10));
}

/* Hostile pieces in any order: every sure answer agrees with the parser. */
Test(href, agrees_with_the_parser)
{
    static const char *const pieces[] = {"http", "https", "HTTP", "ftp", "file", "mailto", "x",  ":",        ":",  "/",
                                         "//",   "\\",    "@",    "[",   "]",    "::1",    ".",  "..",       "-",  "--",
                                         "xn--", "1",     "0x7f", "%41", "%",    "?",      "#",  "\t",       "\n", " ",
                                         "\x01", "\x80",  "+",    "a",   "com",  "65536",  "80", "\xc3\xa9", "_"};
    enum { ROUNDS = 300000, MOST = 8 };
    uint64_t state = 88172645463325252u;
    size_t sure = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char text[128] = "";
        size_t count = 1 + (size_t)round % MOST;
        for (size_t i = 0; i < count; i++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            strcat(text, pieces[state % (sizeof pieces / sizeof *pieces)]);
        }
        crawl_slice href = crawl_slice_from(text);
        hold_against_the_parser(href);
        sure += cw_links_href_look(href) != CW_LINKS_HREF_UNSURE;
    }
    cr_expect_gt(sure, ROUNDS / 4);
}
