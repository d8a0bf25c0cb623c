/* parse/page/link_header.c, page_words.c: headers that replace elements of a page. */
#include <crawl/links.h>

#include <criterion/criterion.h>

static void expect_text(const char *what, crawl_slice got, const char *expected)
{
    cr_expect(got.data && crawl_slice_equal(got, crawl_slice_from(expected)), "%s: \"%.*s\", not \"%s\"", what,
              (int)got.size, got.data, expected);
}

Test(link_header, one)
{
    static const char *const rows[][4] = {
        {"<x>", "x", "", ""},
        {" \t< x >; rel=next", "x", "next", ""},
        {"<x>; rel=\"next prev\"", "x", "next prev", ""},
        {"<x>;rel=a;rel=b", "x", "a", ""},
        {"<x> ; REL = \"a\" ; Anchor=\"#f\"", "x", "a", "#f"},
        {"<x>; title=\"a;b,c\\\"d>\"; rel=n", "x", "n", ""},
        {"<x,y;z>; rel=n", "x,y;z", "n", ""},
        {"<>; rel=self", "", "self", ""},
        {"<x>; rel", "x", "", ""},
        {"<x>; rel=", "x", "", ""},
        {"<x>; rel=\"a", "x", "a", ""},
        {"<x>;;; rel=a", "x", "a", ""},
        {"<x>; rel*=UTF-8''y; rel=a", "x", "a", ""},
        {"<x> junk; rel=a", "x", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        crawl_slice rest = crawl_slice_from(rows[i][0]);
        crawl_header_link link;
        cr_assert(crawl_link_header_next(&rest, &link), "%s", rows[i][0]);
        expect_text(rows[i][0], link.href, rows[i][1]);
        expect_text(rows[i][0], link.rel, rows[i][2]);
        expect_text(rows[i][0], link.anchor, rows[i][3]);
        cr_expect_not(crawl_link_header_next(&rest, &link), "%s: one more", rows[i][0]);
    }
}

Test(link_header, language)
{
    crawl_slice rest = crawl_slice_from("<x>; hreflang=de; rel=alternate; hreflang=fr, <y>; rel=alternate");
    crawl_header_link link;
    cr_assert(crawl_link_header_next(&rest, &link));
    expect_text("the first", link.hreflang, "de");
    cr_assert(crawl_link_header_next(&rest, &link));
    expect_text("none", link.hreflang, "");
}

Test(link_header, several)
{
    crawl_slice rest = crawl_slice_from(", <a>; rel=\"x,y\" , ,<b>,<c>; title=z; rel=canonical, d, <e>");
    crawl_header_link link;
    cr_assert(crawl_link_header_next(&rest, &link));
    expect_text("first", link.rel, "x,y");
    cr_assert(crawl_link_header_next(&rest, &link));
    expect_text("second", link.href, "b");
    cr_assert(crawl_link_header_next(&rest, &link));
    expect_text("third", link.rel, "canonical");
    cr_expect_not(crawl_link_header_next(&rest, &link), "what is no link ends the list");
}

Test(link_header, none)
{
    static const char *const values[] = {"", " ", ",", "x", "<", "<x", "rel=next; <x>"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        crawl_slice rest = crawl_slice_from(values[i]);
        crawl_header_link link;
        cr_expect_not(crawl_link_header_next(&rest, &link), "%s", values[i]);
    }
}

Test(link_header, refresh)
{
    double delay = -1;
    crawl_slice href;
    cr_assert_eq(crawl_refresh_header(crawl_slice_from("5; url=/x"), &delay, &href), CRAWL_OK);
    cr_expect_eq(delay, 5);
    expect_text("refresh", href, "/x");
    cr_expect_eq(crawl_refresh_header(crawl_slice_from("soon"), &delay, &href), CRAWL_EPARSE);
}

Test(link_header, robots_tag)
{
    enum { I = CRAWL_ROBOTS_NOINDEX, F = CRAWL_ROBOTS_NOFOLLOW };
    static const struct {
        const char *value;
        unsigned flags; /* of the agent "mine" */
        unsigned flags_of_nobody;
    } rows[] = {
        {"noindex", I, I},
        {"NoIndex, nofollow", I | F, I | F},
        {"noindex;nofollow", I | F, I | F},
        {"none", I | F, I | F},
        {"all", 0, 0},
        {"", 0, 0},
        {"mine: noindex", I, 0},
        {" Mine : noindex, nofollow", I | F, 0},
        {"other: noindex, nofollow", 0, 0},
        {"other: noindex, mine: nofollow", F, 0},
        {"noindex, other: nofollow", I, I},
        {"nofollow, mine: noindex, noarchive", I | F, F},
        {"max-snippet: 5, noindex", I, I},
        {"unavailable_after: Wednesday, 25-Jun-10 15:00:00 PST, noindex", I, I},
        {"mine:", 0, 0},
        {": noindex", I, I},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_expect_eq(crawl_robots_tag(crawl_slice_from(rows[i].value), "mine"), rows[i].flags, "%s", rows[i].value);
        cr_expect_eq(crawl_robots_tag(crawl_slice_from(rows[i].value), NULL), rows[i].flags_of_nobody, "%s",
                     rows[i].value);
    }
}
