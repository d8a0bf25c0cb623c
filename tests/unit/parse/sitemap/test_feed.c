/* parse/sitemap/feed.c: links of RSS and Atom; and recognizing feeds. */
#include <crawl/links.h>

#include <criterion/criterion.h>

static crawl_page *page;
static crawl_url *page_url;

static void open_page(void)
{
    page = crawl_page_create();
    page_url = crawl_url_create();
    cr_assert(page && page_url);
    cr_assert_eq(crawl_url_parse(page_url, crawl_slice_from("http://h.example/feed"), NULL, NULL), CRAWL_OK);
}

static void close_page(void)
{
    crawl_page_free(page);
    crawl_url_free(page_url);
}

TestSuite(feed, .init = open_page, .fini = close_page);

static void expect_text(const char *what, crawl_slice got, const char *expected)
{
    cr_expect(crawl_slice_equal(got, crawl_slice_from(expected)), "%s: \"%.*s\", not \"%s\"", what, (int)got.size,
              got.data, expected);
}

/* Each "tag href rel", separated by "|". */
static void expect_links(const char *xml, const char *expected)
{
    cr_assert_eq(crawl_page_parse_as(page, CRAWL_DOCUMENT_FEED, crawl_slice_from(xml), page_url, NULL), CRAWL_OK);
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    crawl_buf got = {0};
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(crawl_buf_printf(&got, "%s%s %.*s %.*s", i ? "|" : "", links[i].tag, (int)links[i].href.size,
                                      links[i].href.data, (int)links[i].rel.size, links[i].rel.data),
                     CRAWL_OK);
    expect_text(xml, crawl_buf_slice(&got), expected);
    crawl_buf_free(&got);
}

Test(feed, atom)
{
    expect_links(
        "<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom' xml:base='/a/'><title type='text'>A &amp; B</title>"
        "<link rel='self' href='self.atom'/><entry><title>of an entry</title><link href=' 1?a&amp;b '/>"
        "<link rel='enclosure' href='2.mp3'/></entry></feed>",
        "link self.atom self|link 1?a&b alternate|link 2.mp3 enclosure");
    expect_text("base", crawl_url_href(crawl_page_base(page)), "http://h.example/a/");
    expect_text("title", crawl_page_title(page), "A & B");
}

/* RFC 4287, 2: xml:base of an element, relative to the one around it. */
Test(feed, bases_of_elements)
{
    expect_links("<feed xml:base='/a/'><entry xml:base='b/'><link href='1'/><link href='2' xml:base='c/'/>"
                 "<content xml:base='http://o.example/x'><div/></content><link href='3'/></entry>"
                 "<entry><link href='4'/></entry><entry xml:base='d/'><entry><link href='5'/></entry></feed>",
                 "link http://h.example/a/b/1 alternate|link http://h.example/a/b/c/2 alternate|"
                 "link http://h.example/a/b/3 alternate|link 4 alternate|link 5 alternate");
    expect_text("base", crawl_url_href(crawl_page_base(page)), "http://h.example/a/");
    expect_links("<rss><channel><item xml:base='data:x'><link>1</link></item><item xml:base='/e/'>"
                 "<enclosure url='2.mp3'/><link> http://[x </link></item></channel></rss>",
                 "link 1 alternate|enclosure http://h.example/e/2.mp3 enclosure|link http://[x alternate");
}

/* RSS 2.0: a guid is a permalink unless isPermaLink="false". It is read if the item has no link. */
Test(feed, guids)
{
    expect_links(
        "<rss><channel><link>http://h.example/</link>"
        "<item><guid>http://o/1</guid><enclosure url='x.mp3'/></item>"
        "<item><guid isPermaLink='true'><![CDATA[ https://o/2?a&b ]]></guid><atom:link rel='self' href='s'/></item>"
        "<item><guid>http://o/no</guid><link>/3</link></item><item><link>/4</link><guid>http://o/no</guid></item>"
        "<item><guid isPermaLink = ' false'>http://o/no</guid></item><item><guid>tag:5</guid></item>"
        "<item><guid/><guid>6</guid></item><item><guid>http://o/7</guid></channel></rss>",
        "link http://h.example/ alternate|enclosure x.mp3 enclosure|link http://o/1 alternate|link s self|"
        "link https://o/2?a&b alternate|link /3 alternate|link /4 alternate|link http://o/7 alternate");
}

/* Declarations are skipped, and the text of entities does not belong to the feed. */
Test(feed, doctype_with_a_subset)
{
    expect_links("<!DOCTYPE rss [<!ENTITY nbsp \"&#160;\"><!ENTITY x "
                 "'<b/><link>http://no.example/</link>'>]><rss><channel><title>a&x;</title>"
                 "<link>http://h.example/</link></channel></rss>",
                 "link http://h.example/ alternate");
    expect_text("title", crawl_page_title(page), "a&x;");
    expect_links("<!DOCTYPE rss SYSTEM 'x><rss><link>http://h.example/</link></rss>",
                 "link http://h.example/ alternate");
}

Test(feed, rss)
{
    expect_links(
        "<rss version='2.0'><channel><title>T</title><link>http://h.example/</link><atom:link href='feed' rel='self'/>"
        "<item><link><!-- c --><![CDATA[ http://h.example/?a&b ]]></link><enclosure url='x.mp3' length='1' type='audio/mpeg'/>"
        "</item><item><link>\n/y?a&amp;b\n</link></item><item><link/><link></link></item></channel></rss>",
        "link http://h.example/ alternate|link feed self|link http://h.example/?a&b alternate|enclosure x.mp3 enclosure|"
        "link /y?a&b alternate");
    expect_text("base", crawl_url_href(crawl_page_base(page)), "http://h.example/feed");
    expect_text("title", crawl_page_title(page), "T");
}

Test(feed, broken)
{
    static const char *const feeds[] = {"",
                                        "<",
                                        "<link>",
                                        "<link",
                                        "<link href='x'",
                                        "<link><![CDATA[",
                                        "<link><!--",
                                        "<enclosure>",
                                        "<title>",
                                        "<a:><:link><link:/>",
                                        "<!-- <link>x</link> -->",
                                        "<![CDATA[<link>x</link>]]>",
                                        "text"};
    for (size_t i = 0; i < sizeof feeds / sizeof feeds[0]; i++)
        expect_links(feeds[i], "");
    expect_links("<link>x", "link x alternate");
    expect_links("<link><![CDATA[x", "link x alternate");
}

Test(feed, a_link_of_a_megabyte)
{
    crawl_buf xml = {0};
    cr_assert_eq(crawl_buf_append_text(&xml, "<link>"), CRAWL_OK);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(crawl_buf_printf(&xml, "%01000d&amp;", i), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&xml, "</link><link>x</link>"), CRAWL_OK);
    expect_links(xml.data, "link x alternate");
    crawl_buf_free(&xml);
}

Test(feed, documents_by_type)
{
    static const struct {
        const char *type;
        crawl_document document;
    } rows[] = {
        {"text/html", CRAWL_DOCUMENT_HTML},
        {" Text/HTML ; charset=utf-8", CRAWL_DOCUMENT_HTML},
        {"application/xhtml+xml", CRAWL_DOCUMENT_XHTML},
        {"application/atom+xml;type=feed", CRAWL_DOCUMENT_FEED},
        {"application/rss+xml", CRAWL_DOCUMENT_FEED},
        {"application/rdf+xml", CRAWL_DOCUMENT_FEED},
        {"text/plain", CRAWL_DOCUMENT_OTHER},
        {"", CRAWL_DOCUMENT_OTHER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(crawl_document_of_content_type(crawl_slice_from(rows[i].type)), rows[i].document, "%s",
                     rows[i].type);
    cr_expect_eq(crawl_document_of_content_type((crawl_slice){0}), CRAWL_DOCUMENT_OTHER);
}
