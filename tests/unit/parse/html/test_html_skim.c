/* parse/html/html_skim.c: skipped parts are irrelevant, at any place in a block or a part of a page. */
#include "tests/support/skimmed.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Arithmetic cannot recognize most of these tags and look-alikes. */
static const char *const pieces[] = {
    "<p>",
    "</p>",
    "<br/>",
    "<p class=\"x\">",
    "<p class=\"x\" id=\"y\">",
    "<p class='x'>",
    "<p title=\"a>b\">",
    "<p title='<a href=1>'>",
    "<p title='x> <a href=11>'>",
    "<p title=\"<a href=2>\">",
    "<p title=\"x> <a href=12>\">",
    "<p title=\"it's\">",
    "<p x=b=\"c e=\"> <a href=3>\">",
    "<p x=b=\"c e= \"> <a href=4>\">",
    "<p =\"x y=\"><a href=5>\">",
    "<p \"a\"=\"<a href=6>\">",
    "<p \"a\"=\"x> <a href=16>\">",
    "<p a\"b\" c=\"<a href=7>\">",
    "<p a\"b\" c=\"x> <a href=17>\">",
    "<p a=\"b\"c=\"<a href=8>\">",
    "<p a=\"b\"c=\"x> <a href=18>\">",
    "<p a=b\"c d=\"<a href=9>\">",
    "<p a=b\"c d=\"x> <a href=19>\">",
    "<p<a href=10>",
    "<p <a href=11>>",
    "<p class=\"x\"<a href=12>",
    "<p class=\"x\"x> <a href=112>",
    "</p title=\"<a href=13>\">",
    "</p title=\"x> <a href=113>\">",
    "</ \"<a href=14>\">",
    "</ \"x> <a href=114>\">",
    "</>",
    "<!-- \"<a href=15>\" -->",
    "<!-- \"x> <a href=115>\" -->",
    "<!x '<a href=16>'>",
    "<!x 'x> <a href=116>'>",
    "<?x \"<a href=17>\">",
    "<?x \"x> <a href=117>\">",
    "a < b \"<a href=18>\"",
    "a < b \"x> <a href=118>\"",
    "a<3\"",
    "<a href=\"x\">",
    "<A HREF=x/>",
    "<a>",
    "<a/href='x'>",
    "<area href=\"x\" rel=\"y\">",
    "<base href=x>",
    "<script src=\"x\"> if (a<b) \"<a href=19>\" </script>",
    "<title>\"<a>\"</title>",
    "<annotation-xml-that-is-long x=\"<a href=20>\">",
    "<annotation-xml-that-is-long x=\"x> <a href=120>\">",
    "<link\nhref=\"x\">",
    "<body\xc2\xa0x>",
    "<svg>",
    "text, it's \"text\", ",
    "\"",
    "'",
    ">",
    "=",
    " ",
};

enum { PIECES = sizeof pieces / sizeof pieces[0] };

/* Expects the right result for the page, in memory of its exact size, by each marker. */
static void expect_right(crawl_slice page)
{
    cw_html_marker markers[CW_HTML_MARKERS];
    size_t count = cw_html_all_markers(markers);
    char *copy = malloc(page.size ? page.size : 1);
    cr_assert(copy);
    if (page.size)
        memcpy(copy, page.data, page.size);
    for (size_t m = 0; m < count; m++)
        cr_assert(skims_right(markers[m], crawl_slice_of(copy, page.size)), "marker %zu: %.*s", m, (int)page.size,
                  page.data);
    free(copy);
}

static void append(crawl_buf *page, const char *text)
{
    cr_assert_eq(crawl_buf_append_text(page, text), CRAWL_OK);
}

static void fill(crawl_buf *page, size_t size)
{
    crawl_buf_clear(page);
    while (page->size < size)
        append(page, "x");
}

/* Around the end of a block, and of the part that is marked at a time. */
Test(skim, every_tag_across_every_edge)
{
    static const size_t edges[] = {CW_MARKS_BLOCK, (size_t)CW_MARKS_BLOCK * CW_SKIM_BLOCKS};
    crawl_buf page = {0};
    for (size_t edge = 0; edge < 2; edge++) {
        for (size_t i = 0; i < PIECES; i++) {
            for (size_t before = edges[edge] - 60; before < edges[edge] + 2; before++) {
                fill(&page, before);
                append(&page, pieces[i]);
                append(&page, "<a href=\"behind\"> \"<p>\" <img src='1'>");
                expect_right(crawl_buf_slice(&page));
            }
        }
    }
    crawl_buf_free(&page);
}

Test(skim, every_two_tags_and_every_end)
{
    crawl_buf page = {0};
    for (size_t i = 0; i < PIECES * PIECES; i++) {
        fill(&page, i % 70);
        append(&page, pieces[i % PIECES]);
        append(&page, pieces[i / PIECES]);
        append(&page, "<a href=\"behind\">");
        expect_right(crawl_buf_slice(&page));
        expect_right(crawl_slice_of(page.data, page.size - i % 40 % page.size));
    }
    crawl_buf_free(&page);
}

Test(skim, pages_at_random)
{
    crawl_buf page = {0};
    uint32_t random = 7;
    for (int i = 0; i < 3000; i++) {
        crawl_buf_clear(&page);
        random = random * 1664525u + 1013904223u;
        for (unsigned left = random >> 16 & 0xff; left; left--) {
            random = random * 1664525u + 1013904223u;
            append(&page, pieces[(random >> 8) % PIECES]);
        }
        expect_right(crawl_buf_slice(&page));
    }
    crawl_buf_free(&page);
}

/* A tag that no part of the page can hold, and pages without any. */
Test(skim, long_tags_and_none)
{
    crawl_buf page = {0};
    expect_right(crawl_buf_slice(&page));
    for (int quote = 0; quote < 2; quote++) {
        fill(&page, 10);
        append(&page, quote ? "<p title=\"" : "<p ");
        for (int i = 0; i < 3 * CW_MARKS_BLOCK * CW_SKIM_BLOCKS; i++)
            append(&page, i % 50 ? "y" : " ");
        append(&page, quote ? "<a href=in>\"><a href=out>" : "><a href=out>");
        expect_right(crawl_buf_slice(&page));
        expect_right(crawl_slice_of(page.data, page.size - 30));
    }
    crawl_buf_free(&page);
}
