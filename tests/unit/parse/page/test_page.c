/* parse/page/page.c, page_build.c, page_links.c, page_words.c: the contents of a page through <crawl/links.h>, with
 * each extractor. */
#include "parse/page/page_values.h"
#include "tests/unit/parse/page/extractors.h"

#include <crawl/links.h>

#include <criterion/criterion.h>
#include <stdio.h>

static crawl_page *page;
static crawl_url *page_url;

static void open_page(void)
{
    page = crawl_page_create();
    page_url = crawl_url_create();
    cr_assert(page && page_url);
    cr_assert_eq(crawl_url_parse(page_url, crawl_slice_from("http://h.example/d/p?q"), NULL, NULL), CRAWL_OK);
}

static void close_page(void)
{
    crawl_page_free(page);
    crawl_url_free(page_url);
}

TestSuite(scan, .init = open_page, .fini = close_page);
TestSuite(libxml2, .init = open_page, .fini = close_page);

static void parse(const char *html)
{
    cr_assert_eq(crawl_page_parse(page, crawl_slice_from(html), page_url, NULL), CRAWL_OK);
}

static void expect_text(const char *what, crawl_slice got, const char *expected)
{
    cr_expect(crawl_slice_equal(got, crawl_slice_from(expected)), "%s: \"%.*s\", not \"%s\"", what, (int)got.size,
              got.data, expected);
}

static const crawl_link *only_link(void)
{
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    cr_assert_eq(count, 1, "%zu links", count);
    return links;
}

EACH(each_kind_of_link)
{
    static const struct {
        const char *html;
        const char *tag;
        const char *attr;
        crawl_link_kind kind;
    } rows[] = {
        {"<a href=x>", "a", "href", CRAWL_LINK_A},
        {"<AREA HREF=x>", "area", "href", CRAWL_LINK_AREA},
        {"<link rel=next href=x>", "link", "href", CRAWL_LINK_LINK},
        {"<frameset><frame src=x>", "frame", "src", CRAWL_LINK_FRAME},
        {"<iframe src=x></iframe>", "iframe", "src", CRAWL_LINK_IFRAME},
        {"<meta http-equiv=refresh content='0;url=x'>", "meta", "content", CRAWL_LINK_REFRESH},
        {"<img src=x>", "img", "src", CRAWL_LINK_IMG},
        {"<image src=x>", "img", "src", CRAWL_LINK_IMG},
        {"<img srcset='x 2x'>", "img", "srcset", CRAWL_LINK_IMG},
        {"<picture><source srcset=x></picture>", "source", "srcset", CRAWL_LINK_SOURCE},
        {"<audio><source src=x></audio>", "source", "src", CRAWL_LINK_SOURCE},
        {"<script src=x></script>", "script", "src", CRAWL_LINK_SCRIPT},
        {"<form action=x>", "form", "action", CRAWL_LINK_FORM},
        {"<form action=x method=get>", "form", "action", CRAWL_LINK_FORM},
        {"<video src=x>", "video", "src", CRAWL_LINK_VIDEO},
        {"<video poster=x>", "video", "poster", CRAWL_LINK_VIDEO},
        {"<audio src=x>", "audio", "src", CRAWL_LINK_AUDIO},
        {"<track src=x>", "track", "src", CRAWL_LINK_TRACK},
        {"<embed src=x>", "embed", "src", CRAWL_LINK_EMBED},
        {"<object data=x>", "object", "data", CRAWL_LINK_OBJECT},
        {"<input type=Image src=x>", "input", "src", CRAWL_LINK_INPUT},
        {"<body background=x>", "body", "background", CRAWL_LINK_BODY},
    };
    crawl_page_set_extractor(page, extractor);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        crawl_page_set_kinds(page, CRAWL_LINK_ALL);
        parse(rows[i].html);
        const crawl_link *link = only_link();
        expect_text(rows[i].html, link->href, "x");
        cr_expect_str_eq(link->tag, rows[i].tag);
        cr_expect_str_eq(link->attr, rows[i].attr);
        cr_expect_eq(link->kind, rows[i].kind);
        size_t count;
        crawl_page_set_kinds(page, ~(unsigned)rows[i].kind);
        parse(rows[i].html);
        crawl_page_links(page, &count);
        cr_expect_eq(count, 0, "%s: not asked for", rows[i].html);
    }
}

EACH(no_link_without_its_attribute)
{
    crawl_page_set_extractor(page, extractor);
    parse("<a src=x><a name=x><area><link src=x><iframe href=x></iframe><frame href=x><base><meta content='0;url=x'>"
          "<img href=x><script data=x></script><form href=x><form action=x method=POST><form action=x method=dialog>"
          "<input src=x><input type=submit src=x><object src=x></object><audio poster=x></audio><td background=x>");
    size_t count;
    crawl_page_links(page, &count);
    cr_expect_eq(count, 0, "%zu", count);
}

EACH(several_links_of_an_element)
{
    static const char *const expected[] = {"s", "1", "2,3", "4", "v", "p"};
    crawl_page_set_extractor(page, extractor);
    parse("<img srcset=',, 1 1x, 2,3 100w(a,b),DATA:,x 2x,, 4,' src=s><video src=v poster=' p '></video>");
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    cr_assert_eq(count, sizeof expected / sizeof expected[0], "%zu", count);
    for (size_t i = 0; i < count; i++)
        expect_text("link", links[i].href, expected[i]);
}

EACH(what_the_page_says_does_not_hang_on_kinds)
{
    double delay;
    crawl_slice href;
    crawl_page_set_extractor(page, extractor);
    crawl_page_set_kinds(page, 0);
    parse(
        "<base href=/b><link rel=canonical href=c><meta http-equiv=refresh content='1;r'><meta name=robots content=none><a "
        "href=x>");
    size_t count;
    crawl_page_links(page, &count);
    cr_expect_eq(count, 0);
    expect_text("base", crawl_url_href(crawl_page_base(page)), "http://h.example/b");
    expect_text("canonical", crawl_page_canonical(page), "c");
    cr_expect(crawl_page_refresh(page, &delay, &href));
    expect_text("refresh", href, "r");
    cr_expect_eq(crawl_page_robots(page), CRAWL_ROBOTS_NOINDEX | CRAWL_ROBOTS_NOFOLLOW);
}

EACH(values_are_trimmed_and_empty_ones_are_the_page_itself)
{
    crawl_page_set_extractor(page, extractor);
    parse("<a href=' \t\n\f\r x y \n'><a href=''><a href><a href='#f'><area href=' '>");
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    cr_assert_eq(count, 5);
    expect_text("trimmed", links[0].href, "x y");
    expect_text("empty", links[1].href, "");
    expect_text("without a value", links[2].href, "");
    expect_text("fragment", links[3].href, "#f");
    expect_text("white space", links[4].href, "");
}

/* HTML standard: an empty src is about:blank, an empty href of <link> nothing. */
EACH(empty_values_that_are_no_link)
{
    crawl_page_set_extractor(page, extractor);
    parse(
        "<iframe src=''></iframe><frame src><link href=''><img src='' srcset=' , '><script src=''></script><embed src=''>"
        "<object data=''></object><video src='' poster=''></video><body background=''>");
    size_t count;
    crawl_page_links(page, &count);
    cr_expect_eq(count, 0, "%zu", count);
}

EACH(rel_and_nofollow)
{
    crawl_page_set_extractor(page, extractor);
    static const struct {
        const char *rel;
        bool nofollow;
    } rows[] = {
        {"nofollow", true},          {"NoFollow", true},     {"ugc\tNOFOLLOW\nx", true}, {"nofollow,ugc", true},
        {"external,nofollow", true}, {"nofollowing", false}, {"no follow", false},       {"", false},
        {"nofollow\xc2\xa0", false}, /* a no-break space is no ASCII white space */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char html[100];
        snprintf(html, sizeof html, "<a href=x rel='%s'>", rows[i].rel);
        parse(html);
        expect_text("rel", only_link()->rel, rows[i].rel);
        cr_expect_eq(only_link()->nofollow, rows[i].nofollow, "%s", rows[i].rel);
    }
}

EACH(title)
{
    crawl_page_set_extractor(page, extractor);
    static const char *const rows[][2] = {
        {"<title>A b</title>", "A b"},
        {"<title> \n A \t\n b&nbsp;c  </title>", "A b\xc2\xa0"
                                                 "c"},
        {"<title>A &amp; B &lt;b&gt; &eacute; &copy &#x41;</title>", "A & B <b> é © A"},
        {"<title>A <b>b</b> <!-- c --></title>", "A <b>b</b> <!-- c -->"},
        {"<title></title><title>second</title>", ""},
        {"<title>first</title><title>second</title>", "first"},
        {"<svg><title>of a drawing</title></svg><title>of the page</title>", "of the page"},
        {"<template><title>of a template</title></template><title>of the page</title>", "of the page"},
        {"<body><p>x<title>late</title>", "late"},
        {"<title>never closed <a href=x>", "never closed <a href=x>"},
        {"<p>none", ""},
        {"<title>a\x01"
         "b</title>",
         "ab"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        parse(rows[i][0]);
        expect_text(rows[i][0], crawl_page_title(page), rows[i][1]);
    }
}

EACH(base)
{
    crawl_page_set_extractor(page, extractor);
    static const char *const rows[][2] = {
        {"", "http://h.example/d/p?q"},
        {"<base href='/e/'>", "http://h.example/e/"},
        {"<base href='//o.example/x'>", "http://o.example/x"},
        {"<base target=_top><base href=/one><base href=/two>", "http://h.example/one"},
        {"<a href=x><p><base href=/late>", "http://h.example/late"},
        {"<base href='http://['><base href=/two>", "http://h.example/d/p?q"},
        {"<base href='data:,x'>", "http://h.example/d/p?q"},
        {"<base href='javascript:x'>", "http://h.example/d/p?q"},
        {"<base href=''>", "http://h.example/d/p?q"},
        {"<template><base href=/no></template><base href=/yes>", "http://h.example/yes"},
        {"<noscript><base href=/no></noscript><base href=/yes>", "http://h.example/yes"},
        {"<!-- <base href=/no> --><base href=/yes>", "http://h.example/yes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        parse(rows[i][0]);
        cr_assert(crawl_page_base(page));
        expect_text(rows[i][0], crawl_url_href(crawl_page_base(page)), rows[i][1]);
    }
}

EACH(base_without_a_page_url)
{
    crawl_page_set_extractor(page, extractor);
    cr_assert_eq(crawl_page_parse(page, crawl_slice_from("<base href=/x>"), NULL, NULL), CRAWL_OK);
    cr_expect_null(crawl_page_base(page));
    cr_assert_eq(crawl_page_parse(page, crawl_slice_from("<base href='http://o.example'>"), NULL, NULL), CRAWL_OK);
    cr_assert(crawl_page_base(page));
    expect_text("absolute", crawl_url_href(crawl_page_base(page)), "http://o.example/");
}

EACH(robots)
{
    crawl_page_set_extractor(page, extractor);
    enum { I = CRAWL_ROBOTS_NOINDEX, F = CRAWL_ROBOTS_NOFOLLOW };
    static const struct {
        const char *html;
        unsigned flags;
    } rows[] = {
        {"<meta name=robots content=noindex>", I},
        {"<meta name=ROBOTS content='NoFollow'>", F},
        {"<meta content='noindex,nofollow' name=robots>", I | F},
        {"<meta content='noarchive; noindex ;nofollow' name=robots>", I | F},
        {"<meta name=robots content=none>", I | F},
        {"<meta name=robots content='index, follow, noarchive'>", 0},
        {"<meta name=robots content=noindex><meta name=robots content=nofollow>", I | F},
        {"<meta name=robots>", 0},
        {"<meta name=googlebot content=none>", 0},
        {"<meta http-equiv=robots content=none>", 0},
        {"<noscript><meta name=robots content=noindex></noscript>", I},
        {"<!-- <meta name=robots content=none> -->", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        parse(rows[i].html);
        cr_expect_eq(crawl_page_robots(page), rows[i].flags, "%s: %u", rows[i].html, crawl_page_robots(page));
    }
}

EACH(robots_of_an_agent)
{
    crawl_page_set_extractor(page, extractor);
    const char *html =
        "<meta name=robots content=noindex><meta name=Mine content=nofollow><meta name=other content=none>";
    parse(html);
    cr_expect_eq(crawl_page_robots(page), CRAWL_ROBOTS_NOINDEX);
    cr_assert_eq(crawl_page_set_agent(page, "mine"), CRAWL_OK);
    parse(html);
    cr_expect_eq(crawl_page_robots(page), CRAWL_ROBOTS_NOINDEX | CRAWL_ROBOTS_NOFOLLOW);
    cr_assert_eq(crawl_page_set_agent(page, NULL), CRAWL_OK);
    parse(html);
    cr_expect_eq(crawl_page_robots(page), CRAWL_ROBOTS_NOINDEX);
}

EACH(canonical)
{
    crawl_page_set_extractor(page, extractor);
    static const char *const rows[][2] = {
        {"<link rel=canonical href=/c>", "/c"},
        {"<link rel='x CANONICAL' href=' /c '>", "/c"},
        {"<link rel=canonical href=/one><link rel=canonical href=/two>", "/one"},
        {"<link rel=canonical><link rel=canonical href=''><link rel=canonical href=/c>", "/c"},
        {"<link rel=canonicals href=/c>", ""},
        {"<a rel=canonical href=/c>", ""},
        {"<p>", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        parse(rows[i][0]);
        expect_text(rows[i][0], crawl_page_canonical(page), rows[i][1]);
    }
}

EACH(refresh)
{
    crawl_page_set_extractor(page, extractor);
    double delay = -1;
    crawl_slice href;
    parse("<meta http-equiv=refresh content=x><meta http-equiv=REFRESH content='3; url=&#39;/n&#39;'>"
          "<meta http-equiv=refresh content='9;url=/o'>");
    cr_assert(crawl_page_refresh(page, &delay, &href));
    cr_expect_eq(delay, 3);
    expect_text("href", href, "/n");
    expect_text("as a link", only_link()->href, "/n");
    parse("<meta http-equiv=refresh content=7>");
    cr_assert(crawl_page_refresh(page, &delay, &href));
    cr_expect_eq(delay, 7);
    expect_text("itself", href, "");
    size_t count;
    crawl_page_links(page, &count);
    cr_expect_eq(count, 0, "no link to the base");
    parse("<meta name=refresh content='1;url=x'><template><meta http-equiv=refresh content='1;url=x'></template>");
    cr_expect_not(crawl_page_refresh(page, &delay, &href));
    cr_expect_eq(delay, 7, "written though there is none");
}

EACH(noscript_is_seen)
{
    crawl_page_set_extractor(page, extractor);
    parse("<noscript><a href=x></noscript>");
    expect_text("link", only_link()->href, "x");
}

EACH(nothing_stays_of_the_page_before)
{
    crawl_page_set_extractor(page, extractor);
    double delay;
    crawl_slice href;
    parse("<base href=/b><title>t</title><meta name=robots content=none><meta http-equiv=refresh content=1>"
          "<link rel=canonical href=c><a href=x>");
    parse("");
    size_t count;
    crawl_page_links(page, &count);
    cr_expect_eq(count, 0);
    expect_text("title", crawl_page_title(page), "");
    expect_text("canonical", crawl_page_canonical(page), "");
    expect_text("base", crawl_url_href(crawl_page_base(page)), "http://h.example/d/p?q");
    cr_expect_eq(crawl_page_robots(page), 0);
    cr_expect_not(crawl_page_refresh(page, &delay, &href));
}

EACH(a_new_page_is_empty)
{
    crawl_page_set_extractor(page, extractor);
    size_t count = 1;
    crawl_page_links(page, &count);
    cr_expect_eq(count, 0);
    cr_expect_null(crawl_page_base(page));
    cr_expect_str_eq(crawl_page_charset(page), "utf-8");
    crawl_page_free(NULL);
}

EACH(encodings_reach_the_links)
{
    crawl_page_set_extractor(page, extractor);
    static const struct {
        const char *html;
        const char *transport;
        const char *charset;
    } rows[] = {
        {"<a href=caf\xe9>", NULL, "windows-1252"},
        {"<a href=caf\xe9>", "ISO-8859-1", "windows-1252"},
        {"<meta charset=utf-8><a href=caf\xe9>", "latin1", "windows-1252"},
        {"<meta charset=iso-8859-2><a href=caf\xe9>", NULL, "iso-8859-2"},
        {"<meta charset=gbk><a href=caf\xc3\xa9>", "utf-8", "utf-8"},
        {"<a href=caf\xc3\xa9>", NULL, "utf-8"},
        {"\xef\xbb\xbf<a href=caf\xc3\xa9>", "latin1", "utf-8"},
        {"<a href=caf\x8e>", "macintosh", "macintosh"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert_eq(crawl_page_parse(page, crawl_slice_from(rows[i].html), page_url, rows[i].transport), CRAWL_OK);
        expect_text(rows[i].html, only_link()->href, "café");
        cr_expect_str_eq(crawl_page_charset(page), rows[i].charset);
    }
    cr_assert_eq(crawl_page_parse(page, crawl_slice_of("\xff\xfe<\0a\0 \0h\0r\0e\0f\0=\0\xe9\0>\0", 22), NULL, NULL),
                 CRAWL_OK);
    expect_text("UTF-16", only_link()->href, "é");
}

Test(page_words, directives)
{
    cr_expect_eq(cw_page_robots_directives(crawl_slice_from(" ,noindex , follow")), CRAWL_ROBOTS_NOINDEX);
    cr_expect_eq(cw_page_robots_directives((crawl_slice){0}), 0);
}
