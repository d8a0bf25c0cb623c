/* Pages that try to exhaust a crawler: no failure, a bounded answer, memory in proportion to the page. */
#include "tests/unit/parse/page/extractors.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <libxml/xmlmemory.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { MEGABYTE = 1000 * 1000 };

/* --- libxml2's memory, counted by its own hooks --- */

static size_t xml_now;
static size_t xml_peak;

static void count(size_t before, size_t after)
{
    xml_now += after - before;
    if (xml_now > xml_peak)
        xml_peak = xml_now;
}

static void *xml_malloc(size_t size)
{
    void *memory = malloc(size);
    count(0, memory ? malloc_usable_size(memory) : 0);
    return memory;
}

static void xml_free(void *memory)
{
    count(memory ? malloc_usable_size(memory) : 0, 0);
    free(memory);
}

static void *xml_realloc(void *memory, size_t size)
{
    size_t before = memory ? malloc_usable_size(memory) : 0;
    void *moved = realloc(memory, size);
    count(before, malloc_usable_size(moved));
    return moved;
}

static char *xml_strdup(const char *text)
{
    char *copy = xml_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* --- pages --- */

static crawl_page *page;
static crawl_buf html;

static void open_page(void)
{
    cr_assert_eq(xmlMemSetup(xml_free, xml_malloc, xml_realloc, xml_strdup), 0);
    page = crawl_page_create();
    cr_assert(page);
    /* Memory that libxml2 sets up once does not belong to the page. */
    crawl_page_set_extractor(page, CRAWL_EXTRACTOR_LIBXML2);
    cr_assert_eq(crawl_page_parse(page, crawl_slice_from("<a href=x>"), NULL, NULL), CRAWL_OK);
}

static void close_page(void)
{
    crawl_page_free(page);
    crawl_buf_free(&html);
}

TestSuite(scan, .init = open_page, .fini = close_page);
TestSuite(libxml2, .init = open_page, .fini = close_page);

static void put(const char *text)
{
    cr_assert_eq(crawl_buf_append_text(&html, text), CRAWL_OK);
}

/* Doubles the text at each step: the sanitized library is too slow for a call per copy. */
static void put_times(const char *text, size_t times)
{
    size_t size = strlen(text);
    size_t wanted = size * times;
    cr_assert_eq(crawl_buf_reserve(&html, wanted), CRAWL_OK);
    char *start = html.data + html.size;
    memcpy(start, text, size);
    for (size_t done = size; done < wanted; done *= 2)
        memcpy(start + done, start, done < wanted - done ? done : wanted - done);
    html.size += wanted;
    html.data[html.size] = '\0';
}

static size_t peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024;
}

/* Returns four times the page and a fixed part; or, for a page of many small links, the caller's result, a fifth more
 * and a megabyte, since a link takes less of the page than of memory. */
static size_t allowed_bytes(size_t links)
{
    size_t by_size = 4 * html.size + 4 * MEGABYTE;
    size_t by_links = links * sizeof(crawl_link) * 6 / 5 + MEGABYTE;
    return by_size > by_links ? by_size : by_links;
}

/* Parses, and expects memory to stay within the limit, libxml2's within a megabyte. Sanitizers keep freed memory, so
 * the total is checked without them only. */
static const crawl_link *parse(size_t *links)
{
    enum { LAST_ERROR = 1024 }; /* it keeps the message of the last error of each thread */
    size_t before = peak_bytes();
    xml_peak = xml_now;
    size_t xml_before = xml_now;
    cr_assert_eq(crawl_page_parse(page, crawl_buf_slice(&html), NULL, NULL), CRAWL_OK);
    cr_expect_leq(xml_peak - xml_before, MEGABYTE, "libxml2 took %zu bytes", xml_peak - xml_before);
    cr_expect_leq(xml_now - xml_before, LAST_ERROR, "libxml2 kept %zu bytes", xml_now - xml_before);
    size_t taken = peak_bytes() - before;
    const crawl_link *found = crawl_page_links(page, links);
    size_t allowed = allowed_bytes(*links);
#ifndef __SANITIZE_ADDRESS__
    cr_expect_leq(taken, allowed, "%zu bytes for a page of %zu with %zu links", taken, html.size, *links);
#endif
    (void)taken;
    (void)allowed;
    return found;
}

static void expect_links(size_t expected)
{
    size_t links;
    parse(&links);
    cr_expect_eq(links, expected, "%zu links, not %zu", links, expected);
}

EACH(an_attribute_of_ten_megabytes)
{
    crawl_page_set_extractor(page, extractor);
    put("<a href=1><a href='");
    put_times("0123456789", MEGABYTE);
    put("'><a title='");
    put_times("0123456789", MEGABYTE);
    put("' href=2><a ");
    put_times("nnnnnnnnnn", MEGABYTE);
    put("=x href=3>");
    expect_links(3);
}

EACH(an_href_as_long_as_allowed_and_one_byte_more)
{
    crawl_page_set_extractor(page, extractor);
    put("<a href='");
    put_times("&amp;", CRAWL_PAGE_MAX_HREF / 2);
    put_times("b", CRAWL_PAGE_MAX_HREF / 2);
    put("'><a href=' ");
    put_times("b", CRAWL_PAGE_MAX_HREF);
    put(" '><a href='");
    put_times("b", CRAWL_PAGE_MAX_HREF + 1);
    put("'>");
    size_t links;
    const crawl_link *link = parse(&links);
    cr_assert_eq(links, 2, "%zu", links);
    cr_expect_eq(link[0].href.size, CRAWL_PAGE_MAX_HREF);
    cr_expect_eq(link[1].href.size, CRAWL_PAGE_MAX_HREF);
}

EACH(a_hundred_thousand_elements_deep)
{
    crawl_page_set_extractor(page, extractor);
    put_times("<div><b><a href=x>", 50 * 1000);
    put_times("</i></a></section>", 50 * 1000);
    expect_links(50 * 1000);
}

/* A parser that searches the stack of open elements for each end tag takes quadratic time here. */
EACH(end_tags_that_match_nothing)
{
    crawl_page_set_extractor(page, extractor);
    put_times("<b>", MEGABYTE);
    put_times("</i>", MEGABYTE);
    put("<a href=x>");
    expect_links(1);
}

EACH(svg_a_hundred_thousand_deep)
{
    crawl_page_set_extractor(page, extractor);
    put_times("<svg><foreignObject><math><mi>", 100 * 1000);
    put_times("</desc></mn>", 100 * 1000);
    put("<a href=x>");
    expect_links(1);
}

EACH(a_million_links)
{
    crawl_page_set_extractor(page, extractor);
    put_times("<a href=x>", MEGABYTE);
    put("<title>kept</title><link rel=canonical href=/c><base href='http://h/'>");
    expect_links(CRAWL_PAGE_MAX_LINKS);
    cr_expect(crawl_page_links_cut(page));
    cr_expect(crawl_slice_equal(crawl_page_title(page), crawl_slice_from("kept")));
    cr_expect(crawl_slice_equal(crawl_page_canonical(page), crawl_slice_from("/c")));
    cr_expect(crawl_page_base(page) != NULL);
}

EACH(a_page_is_cut_beyond_the_last_link_that_fits)
{
    crawl_page_set_extractor(page, extractor);
    put_times("<a href=x>", CRAWL_PAGE_MAX_LINKS);
    put("<img src=data:x>");
    expect_links(CRAWL_PAGE_MAX_LINKS);
    cr_expect_not(crawl_page_links_cut(page));
    put("<a href=x>");
    expect_links(CRAWL_PAGE_MAX_LINKS);
    cr_expect(crawl_page_links_cut(page));
    crawl_buf_clear(&html);
    put("<a href=x>");
    expect_links(1);
    cr_expect_not(crawl_page_links_cut(page), "of another page");
}

EACH(a_hundred_thousand_candidates)
{
    crawl_page_set_extractor(page, extractor);
    for (int i = 0; i < 20; i++) {
        put("<img srcset='");
        put_times("x, ", 20 * 1000);
        put("'>");
    }
    expect_links(CRAWL_PAGE_MAX_LINKS);
}

/* They share their rel. */
EACH(candidates_with_a_long_rel)
{
    crawl_page_set_extractor(page, extractor);
    crawl_page_set_kinds(page, CRAWL_LINK_EVERY);
    for (int i = 0; i < 5; i++) {
        put("<link rel='");
        put_times("x ", 30 * 1000);
        put("nofollow' imagesrcset='");
        put_times("x, ", 20 * 1000);
        put("'>");
    }
    size_t links;
    const crawl_link *link = parse(&links);
    cr_assert_eq(links, CRAWL_PAGE_MAX_LINKS);
    cr_expect(link[links - 1].nofollow);
    cr_expect_eq(link[links - 1].rel.data, link[links - 2].rel.data);
}

EACH(references_throughout)
{
    crawl_page_set_extractor(page, extractor);
    for (int i = 0; i < 20; i++) {
        put("<a href='");
        put_times("&a&nGt;&#x41;&ampx;", 3 * 1000);
        put("'>");
    }
    expect_links(0); /* they are too long */
}

EACH(a_million_attributes)
{
    crawl_page_set_extractor(page, extractor);
    put("<a");
    for (int i = 0; i < MEGABYTE; i++) {
        char attribute[20];
        snprintf(attribute, sizeof attribute, " a%d", i);
        put(attribute);
    }
    put(" href=x>");
    expect_links(1);
}

/* A parser that looks up another attribute for each of these takes quadratic time. */
EACH(a_million_attributes_with_links)
{
    crawl_page_set_extractor(page, extractor);
    crawl_page_set_kinds(page, CRAWL_LINK_EVERY);
    static const char *const tags[] = {"<td", " background=x", "<button", " formaction=x", "<svg><image", " href=x"};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i += 2) {
        crawl_buf_clear(&html);
        put(tags[i]);
        put_times(tags[i + 1], MEGABYTE);
        put(">");
        expect_links(1);
    }
}

EACH(a_title_of_a_megabyte)
{
    crawl_page_set_extractor(page, extractor);
    put("<title>");
    put_times("é ", MEGABYTE / 3);
    put("</title><a href=x>");
    expect_links(1);
    crawl_slice title = crawl_page_title(page);
    cr_expect_leq(title.size, CRAWL_PAGE_MAX_TITLE);
    cr_expect_geq(title.size, CRAWL_PAGE_MAX_TITLE - 3);
    cr_expect_eq((unsigned char)title.data[title.size - 1], 0xa9, "cut inside a character, or a space left");
}

EACH(what_never_closes)
{
    crawl_page_set_extractor(page, extractor);
    static const char *const openings[] = {"<!--",           "<a ",     "<a href='", "<script><!--<script>",
                                           "<svg><![CDATA[", "<title>", "</",        "&"};
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        crawl_buf_clear(&html);
        put_times(openings[i], 2 * MEGABYTE / strlen(openings[i]));
        expect_links(0);
    }
}

/* The tag has more attributes than are split ahead. */
EACH(an_end_inside_the_last_of_many_attributes)
{
    crawl_page_set_extractor(page, extractor);
    crawl_page_set_kinds(page, CRAWL_LINK_EVERY);
    for (size_t i = 30; i < 40; i++) {
        crawl_buf_free(&html);
        put("<a href=x><a");
        put_times(" style='a:url(b)'", i);
        put(" href='y");
        expect_links(1);
    }
}

/* The subset of the first declaration takes the rest of the document. */
EACH(subsets_that_never_close)
{
    crawl_page_set_extractor(page, extractor);
    put_times("<![>", MEGABYTE);
    put("<a href=x></a><rss><channel><item><link>x</link>");
    static const crawl_document documents[] = {CRAWL_DOCUMENT_XHTML, CRAWL_DOCUMENT_SVG, CRAWL_DOCUMENT_FEED};
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        cr_assert_eq(crawl_page_parse_as(page, documents[i], crawl_buf_slice(&html), NULL, NULL), CRAWL_OK);
        size_t links;
        crawl_page_links(page, &links);
        cr_expect_eq(links, 0, "%zu links", links);
    }
}

EACH(a_large_page_is_not_held_on_to)
{
    crawl_page_set_extractor(page, extractor);
    put_times("<a href=0123456789012345678901234567890123456789>", 200 * 1000);
    expect_links(CRAWL_PAGE_MAX_LINKS);
    crawl_buf_free(&html);
    put("<a href=x>");
    size_t held = mallinfo2().uordblks + mallinfo2().hblkhd;
    expect_links(1);
    size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
#ifndef __SANITIZE_ADDRESS__
    cr_expect_leq(after + 10 * MEGABYTE, held, "%zu bytes, then %zu", held, after);
#endif
    (void)held;
    (void)after;
}

EACH(nothing_is_printed)
{
    crawl_page_set_extractor(page, extractor);
    cr_redirect_stderr();
    put("<a href=x\xff<<&&><p/><p/></q></></a b c=d><title>\x01&nosuch;</title><html><html><body><!DOCTYPE x><a "
        "href='&#1;&#xffff;'>");
    expect_links(2);
    fflush(stderr);
    cr_assert_stderr_eq_str("");
}
