/* parse/html_*.c: recognizing tags, by the HTML standard; each row is HTML and its links, separated by "|", which both
 * extractors find. */
#include <crawl/links.h>

#include <criterion/criterion.h>
#include <stdlib.h>

typedef struct row {
    crawl_slice html;
    const char *links;
} row;

/* A row; sizeof, since some contain NUL. */
#define ROW(html, links)               \
    {                                  \
        {html, sizeof html - 1}, links \
    }

static crawl_document document; /* HTML, or what a test sets */

static void join_links(const crawl_page *page, crawl_buf *out)
{
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    crawl_buf_clear(out);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(crawl_buf_append(out, links[i].href.data, links[i].href.size), CRAWL_OK);
        cr_assert_eq(crawl_buf_append_text(out, i + 1 < count ? "|" : ""), CRAWL_OK);
    }
}

static void expect_rows(const row *rows, size_t count)
{
    static const crawl_extractor extractors[] = {CRAWL_EXTRACTOR_SCAN, CRAWL_EXTRACTOR_LIBXML2};
    crawl_page *page = crawl_page_create();
    crawl_buf got = {0};
    cr_assert(page);
    crawl_page_set_kinds(page, CRAWL_LINK_PAGES);
    for (size_t i = 0; i < 2 * count; i++) {
        const row *r = &rows[i / 2];
        crawl_page_set_extractor(page, extractors[i % 2]);
        cr_assert_eq(crawl_page_parse_as(page, document, r->html, NULL, NULL), CRAWL_OK);
        join_links(page, &got);
        cr_expect(crawl_slice_equal(crawl_buf_slice(&got), crawl_slice_from(r->links)), "%s: %s: \"%.*s\", not \"%s\"",
                  i % 2 ? "libxml2" : "scan", r->html.data, (int)got.size, got.data, r->links);
    }
    crawl_buf_free(&got);
    crawl_page_free(page);
}

#define EXPECT_ROWS(rows) expect_rows(rows, sizeof(rows) / sizeof(rows)[0])

Test(html, comments_and_declarations)
{
    static const row rows[] = {
        ROW("<!-- <a href=no> --><a href=x>", "x"),
        ROW("<!--><a href=x>-->", "x"),
        ROW("<!---><a href=x>-->", "x"),
        ROW("<!--a--!><a href=x>", "x"),
        ROW("<!--!><a href=no>--><a href=x>", "x"),
        ROW("<!-- a > b - -> c --><a href=x>", "x"),
        ROW("<!-- <!-- --><a href=x>", "x"),
        ROW("<!-- <a href=no>", ""),
        ROW("<!-<a href=no><a href=x>", "x"),
        ROW("<!DOCTYPE html PUBLIC \"a>b\"><a href=x>", "x"),
        ROW("<?php \"<a href=no>\" ?><a href=x>", "x"),
        ROW("</ <a href=no><a href=x>", "x"),
        ROW("</><a href=x>", "x"),
        ROW("<![CDATA[<a href=no>]]><a href=x>", "x"),
        ROW("<!", ""),
        ROW("</", ""),
        ROW("<", ""),
    };
    EXPECT_ROWS(rows);
}

Test(html, tags_and_attributes)
{
    static const row rows[] = {
        ROW("1 < 2 <a href=x> < a href=no>", "x"),
        ROW("<a\thref=x><A\nHREF=y><a/href=z>", "x|y|z"),
        ROW("<ax href=no><a-b href=no><a: href=no>", ""),
        ROW("<a href=x y=z><a href='x y'><a href=\"x'y\">", "x|x y|x'y"),
        ROW("<a href = x ><a href\n=\n'y'>", "x|y"),
        ROW("<a href=x/><a href=y />", "x/|y"),
        ROW("<a href=x href=no HREF=no>", "x"),
        ROW("<a =href=no><a href=x>", "x"),
        ROW("<a hreff=no hre=no xhref=no data-href=no :href=no v-bind:href=no href.x=no>", ""),
        ROW("<a @click=\"go 'a' href=no\" (x)=\"b href=no\" #r *n='href=no ' href=x>", "x"),
        ROW("<a [href]='no' href=x>", "x"),
        ROW("<a \"href=no\" href=x>", "x"),
        ROW("<a title='>' href=x><a title=\"<a href=no>\">", "x"),
        ROW("<a title=a'b href=x>", "x"),
        ROW("<a href='x'rel=y><a title='t'href=z>", "x|z"),
        ROW("<a href=x<b>", "x<b"),
        ROW("<a href='x\ny'>", "x\ny"),
        ROW("<a href='&quot;>'>", "\">"),
        ROW("<a href=x", ""),
        ROW("<a href='x>", ""),
        ROW("<a href=x><a href=y ", "x"),
        ROW("</a href=no>", ""),
        ROW("<a\0 href=no><a hr\0ef=no><a href=x\0y>", "x\uFFFDy"),
        ROW("<a href=>", ""),
    };
    EXPECT_ROWS(rows);
}

Test(html, a_long_attribute_name_is_one)
{
    crawl_buf html = {0};
    cr_assert_eq(crawl_buf_append_text(&html, "<a "), CRAWL_OK);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(crawl_buf_append_char(&html, 'n'), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&html, "href=no>"), CRAWL_OK);
    row rows[] = {{crawl_buf_slice(&html), ""}};
    EXPECT_ROWS(rows);
    crawl_buf_free(&html);
}

Test(html, elements_of_text)
{
    static const row rows[] = {
        ROW("<script>'<a href=no>'</script><a href=x>", "x"),
        ROW("<style>/*<a href=no>*/</style><a href=x>", "x"),
        ROW("<textarea><a href=no></textarea><a href=x>", "x"),
        ROW("<title><a href=no></title><a href=x>", "x"),
        ROW("<xmp><a href=no></xmp><a href=x>", "x"),
        ROW("<noembed><a href=no></noembed><a href=x>", "x"),
        ROW("<noframes><a href=no></noframes><a href=x>", "x"),
        ROW("<iframe src=f><a href=no></iframe><a href=x>", "f|x"),
        ROW("<iframe src=f/><a href=no></iframe><a href=x>", "f/|x"),
        ROW("<noscript><a href=x></noscript>", "x"),
        ROW("<pre><a href=x></pre><listing><a href=y></listing>", "x|y"),
        ROW("<plaintext><a href=no></plaintext><a href=no>", ""),
        ROW("<SCRIPT></StyLe></script ><a href=x>", "x"),
        ROW("<script></scripts><a href=no></script\n><a href=x>", "x"),
        ROW("<script></script a='><a href=no>'><a href=x>", "x"),
        ROW("<script/><a href=no></script><a href=x>", "x"),
        ROW("<textarea></textarea/><a href=x>", "x"),
        ROW("<script><a href=no>", ""),
        ROW("<script></script", ""),
        ROW("<textarea><!-- </textarea><a href=x> -->", "x"),
    };
    EXPECT_ROWS(rows);
}

/* 13.2.5.20 "script data double escaped state" and around. */
Test(html, scripts_with_comments)
{
    static const row rows[] = {
        ROW("<script><!-- </script><a href=x>", "x"),
        ROW("<script><!-- <script> </script><a href=no> --></script><a href=x>", "x"),
        ROW("<script><!-- <script> --></script><a href=x>", "x"),
        ROW("<script><!-- <script> </script></script><a href=x>", "x"),
        ROW("<script><!--><script></script><a href=x>", "x"),
        ROW("<script><!---><script></script><a href=x>", "x"),
        ROW("<script><!-- <scripts> </script><a href=x>", "x"),
        ROW("<script><script></script><a href=x></script>", "x"),
    };
    EXPECT_ROWS(rows);
}

Test(html, svg_and_mathml)
{
    static const row rows[] = {
        ROW("<svg><a href=x></a></svg><a href=y>", "x|y"),
        ROW("<svg><style/><a href=x></svg>", "x"),
        ROW("<svg><script/></svg><a href=x>", "x"),
        ROW("<svg><title/></svg><a href=x>", "x"),
        ROW("<svg><style><a href=x></style></svg>", "x"),
        ROW("<svg><![CDATA[<a href=no>]]><a href=x></svg>", "x"),
        ROW("<svg></svg><![CDATA[<a href=no>]]><a href=x>", "x"),
        ROW("<svg><foreignObject><style><a href=no></style></foreignObject><style><a href=x>", "x"),
        ROW("<svg><desc><textarea><a href=no></textarea></desc></svg><a href=x>", "x"),
        ROW("<svg><p><style><a href=no></style><a href=x>", "x"),
        ROW("<svg><font><style><a href=x></style></svg>", "x"),
        ROW("<svg><font color=red><style><a href=no></style><a href=x>", "x"),
        ROW("<div><svg></div><style><a href=no></style><a href=x>", "x"),
        ROW("<svg></body><style><a href=x></style>", "x"),
        ROW("<svg/><style><a href=no></style><a href=x>", "x"),
        ROW("<svg><svg></svg><style><a href=x></style></svg>", "x"),
        ROW("<svg><iframe src=no></iframe><area href=no><link href=no></svg><a href=x>", "x"),
        ROW("<math><a href=no><mi><a href=x></mi></math>", "x"),
        ROW("<math><annotation-xml><a href=no></annotation-xml></math>", ""),
        ROW("<math><annotation-xml encoding='Text/HTML'><a href=x></annotation-xml></math>", "x"),
        ROW("<math><svg><a href=no></svg></math>", ""),
        ROW("<template><a href=x></template><a href=y>", "x|y"),
        ROW("<template><a href='{{a}}'><template></template><a href='b/${c}'></template><a href='{{y}}'>", "{{y}}"),
        ROW("<template><iframe src='{{a}}'></iframe><area href=x></template><a href='${y}'>", "x|${y}"),
    };
    EXPECT_ROWS(rows);
}

Test(html, character_references)
{
    static const row rows[] = {
        ROW("<a href='?a&amp;b&lt;&gt;&quot;&apos;'>", "?a&b<>\"'"),
        ROW("<a href='?a=1&copy=2&regx=3&amp=4&ampx'>", "?a=1&copy=2&regx=3&amp=4&ampx"),
        ROW("<a href='&copy;&copy&reg.&copy'>", "©©®.©"),
        ROW("<a href='?a&lang=en&sigma&lang'>", "?a&lang=en&sigma&lang"),
        ROW("<a href='&notit;&nosuch;&;&'>", "&notit;&nosuch;&;&"),
        ROW("<a href='&hearts;&euro;&Aacute&lang;'>", "♥€Á⟨"),
        ROW("<a href='http&colon;&sol;&sol;h&period;x&quest;a&equals;b&num;c'>", "http://h.x?a=b#c"),
        ROW("<a href='&AMP;&AMP&QUOT&COPY'>", "&&\"©"),
        ROW("<a href='&#65;&#x42;&#X43&#68 &#69x'>", "ABCD Ex"),
        ROW("<a href='&#128;&#x99;'>", "€™"),
        ROW("<a href='a&#0;&#xd800;&#x110000;&#99999999999999999999;'>", "a\uFFFD\uFFFD\uFFFD\uFFFD"),
        ROW("<a href='&#;&#x;&#xg&#'>", "&#;&#x;&#xg&#"),
        ROW("<a href='&#38;copy;&#34;'>", "&copy;\""),
        ROW("<a href='&#1;x'>", "\x01x"),
        ROW("<a href=?a&amp;b>", "?a&b"),
        ROW("<a href='&nges;&NotEqualTilde;&nGt;&Afr;&CounterClockwiseContourIntegral;'>", "⩾̸≂̸≫⃒𝔄∳"),
        ROW("<a href='&CounterClockwiseContourIntegralx;&amp'>", "&CounterClockwiseContourIntegralx;&"),
        ROW("<a href='&ampamp;&amp;amp;'>", "&ampamp;&amp;"),
        ROW("<a href='&notin;&not;in&notin'>", "∉¬in&notin"),
    };
    EXPECT_ROWS(rows);
}

/* For each of these, libxml2 alone would leave or close an element. */
Test(html, wild_structure)
{
    static const row rows[] = {
        ROW("<a href=1><p><a href=2><div><a href=3></p></a></div></a>", "1|2|3"),
        ROW("</html><a href=x></body></html><a href=y>", "x|y"),
        ROW("<table><a href=1><tr><a href=2><td><a href=3></table><a href=4>", "1|2|3|4"),
        ROW("<head><a href=1></head><head><a href=2><body><body><a href=3>", "1|2|3"),
        ROW("<b><i></b></i></p></br></form></a></title></script><a href=x>", "x"),
        ROW("<frame src=1><frameset><frame src=2></frameset><frame src=3>", "1|2|3"),
        ROW("\xef\xbb\xbf<a href=x>", "x"),
        ROW("\0\0<a href=x>\0", "x"),
        ROW("<a href=x></a>\x1a<a href=y>", "x|y"),
        ROW("<title>&</title><a href=x>", "x"),
        ROW("<title></title><title>]]></title><a href=x>", "x"),
    };
    EXPECT_ROWS(rows);
}

/* Blocks of 64 bytes and pieces of 16 are processed as one: a page gives the same result at any offset. */
Test(html, every_offset)
{
    static const char tail[] =
        "<a title='<a href=no>' href=\"x\" class=yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy >t</a ><!-- <a href=no> --><p "
        "class='>'>t<br/><A HREF=y></p><script>'<a href=no>'</script><a\nhref=z>";
    crawl_buf html = {0};
    for (size_t offset = 0; offset < 150; offset++) {
        crawl_buf_clear(&html);
        for (size_t i = 0; i < offset; i++)
            cr_assert_eq(crawl_buf_append_char(&html, " <>'"[i % 7 ? 0 : i % 4]), CRAWL_OK);
        cr_assert_eq(crawl_buf_append_text(&html, tail), CRAWL_OK);
        row rows[] = {{crawl_buf_slice(&html), "x|y|z"}};
        EXPECT_ROWS(rows);
    }
    crawl_buf_free(&html);
}

/* Cut off at every byte, as at a page's end: no read beyond it, and only complete links. */
Test(html, every_end)
{
    static const char whole[] =
        "<a href=x><svg><![CDATA[ ]]><a href='y'></svg><script><!-- <script> --></script><a href=\"z\">";
    static const char *const links[] = {"", "x", "x|y", "x|y|z"};
    for (size_t size = 0; size < sizeof whole; size++) {
        char *copy = size ? malloc(size) : NULL; /* without a NUL after it, for sanitizers */
        cr_assert(copy || !size);
        if (size)
            memcpy(copy, whole, size);
        size_t seen = (size >= 10) + (size >= 40) + (size + 1 == sizeof whole);
        row rows[] = {{{copy, size}, links[seen]}};
        EXPECT_ROWS(rows);
        free(copy);
    }
}

Test(html, documents_in_xml)
{
    static const row rows[] = {
        ROW("<script src='s'/><a href='x'/><title/><a href='y'/><iframe src='f'/><a href='z'/>", "x|y|f|z"),
        ROW("<p><![CDATA[<a href='no'>]]></p><a href='x'/>", "x"),
        ROW("<?xml version='1.0'?><!DOCTYPE html>"
            "<html xmlns='http://www.w3.org/1999/xhtml'><a href='?a&amp;b'/></html>",
            "?a&b"),
        ROW("<script>'<a href=no>'</script><a href='x'/>", "x"),
        ROW("<!DOCTYPE html [<!ENTITY no \"<b><a href='no'>]>\"> <!-- ' -->]><html><a href='x'>&no;</a></html>", "x"),
        ROW("<!DOCTYPE html PUBLIC 'a><html><a href='x'/></html>", "x"),
        ROW("<!DOCTYPE html PUBLIC 'a><html><input name='i[]'/><a href='x'/></html>", "x"),
    };
    document = CRAWL_DOCUMENT_XHTML;
    EXPECT_ROWS(rows);
}
