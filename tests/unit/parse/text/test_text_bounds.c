/* Tests the maxima of a page's text, and the time that it takes. */
#include "parse/text/text_print.h"
#include "tests/unit/parse/text/one_maker.h"

TestSuite(text_bounds, .init = setup, .fini = teardown);

static crawl_slice repeat(crawl_buf *out, const char *text, size_t size)
{
    size_t one = strlen(text);
    cr_assert_eq(crawl_buf_reserve(out, size + one), CRAWL_OK);
    for (; out->size < size; out->size += one)
        memcpy(out->data + out->size, text, one);
    return crawl_buf_slice(out);
}

Test(text_bounds, pages_made_to_exhaust_are_bounded)
{
    static const char *const parts[] = {
        "<div>",  "<b>",        "</b>",    "<ul><li>", "<blockquote>", "<table><tr><td>",
        "<p>x",   "<a href=x>", "<code>`", "&#x41;",   "<svg>",        "<td colspan=99>",
        "</div>", "<h1>a",      "<pre>",   "<dd>x",    "<i>x",         "<table><tr><th>x<td>y</table>",
        "\xff",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        crawl_buf page = {0};
        crawl_slice html = repeat(&page, parts[i], 300000);
        cr_expect_leq(strlen(make_of(html)), CRAWL_TEXT_MAX, "%s", parts[i]);
        crawl_buf_free(&page);
    }
}

Test(text_bounds, links_as_long_as_a_long_base_are_left_out)
{
    crawl_buf page = {0};
    crawl_buf_append_text(&page, "<base href='http://h/");
    repeat(&page, "b", 3000);
    crawl_buf_append_text(&page, "/'><p><a href=x>a</a> <a href=/y>b</a>");
    cr_expect_str_eq(make_of(crawl_buf_slice(&page)), "a [b](http://h/y)\n");
    crawl_buf_free(&page);
}

Test(text_bounds, what_is_beyond_the_maxima_is_left_out_at_a_line)
{
    crawl_buf page = {0};
    crawl_slice html = repeat(&page, "<p>some words of a long page", CRAWL_TEXT_MAX_INPUT + 100000);
    const char *text = make_of(html);
    size_t size = strlen(text);
    cr_expect_leq(size, CRAWL_TEXT_MAX);
    cr_expect_geq(size, CRAWL_TEXT_MAX / 2);
    cr_expect_eq(text[size - 1], '\n');
    cr_expect(crawl_text_is_cut(maker));
    crawl_buf_free(&page);
    make_of(crawl_slice_from("<p>a short page"));
    cr_expect(!crawl_text_is_cut(maker));
}

Test(text_bounds, a_text_that_is_too_long_for_the_print_alone_is_cut)
{
    crawl_buf page = {0};
    crawl_slice html = repeat(&page, "<blockquote><ul><li>x</ul></blockquote>", 1900000);
    options.form = CRAWL_TEXT_FORM_MARKDOWN;
    make_of(html);
    cr_expect_not(crawl_text_is_cut(maker), "the page is read whole, and its text is short");
    crawl_buf_free(&page);
    html = repeat(&page, "<p>- 1. # x", 1900000); /* escaped, with empty lines between */
    cr_expect_leq(strlen(make_of(html)), CRAWL_TEXT_MAX);
    cr_expect(crawl_text_is_cut(maker));
    crawl_buf_free(&page);
}

/* A search that begins anew for each part of these takes minutes. */
Test(text_bounds, time_is_in_proportion_to_the_page, .timeout = 60)
{
    static const struct {
        size_t depth;
        const char *before;
        const char *part;
        size_t bytes;
        const char *after;
    } rows[] = {
        {250, "<p>word word word word word word word word word word", "<h2>a", 1000000, ""},
        {250, "<p>word word word word word word word word word word</div>", "<h2>a", 1000000, ""},
        {1, "<p>", "<b>x</b>y<a href=#>#</a>", 2000000, ""},
        {1, "<p>x<b>", "<i>\xc2\xa9</i>\xc2\xa9", 2000000, "</b>a"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf page = {0};
        repeat(&page, "<div>", rows[i].depth * strlen("<div>"));
        cr_assert_eq(crawl_buf_append_text(&page, rows[i].before), CRAWL_OK);
        repeat(&page, rows[i].part, rows[i].bytes);
        cr_assert_eq(crawl_buf_append_text(&page, rows[i].after), CRAWL_OK);
        make_of(crawl_buf_slice(&page));
        crawl_buf_free(&page);
    }
}

Test(text_bounds, lines_get_their_prefixes_up_to_the_maximum)
{
    enum { MOST = 100 };
    cw_text_tree tree = {0};
    uint32_t item, block;
    bool cut = false;
    crawl_buf out = {0};
    repeat(&tree.text, "a\n", 1000);
    cr_assert_eq(cw_text_tree_add_wrapper(&tree, &item), CRAWL_OK);
    *cw_text_wrapper_at(&tree, item) =
        (cw_text_wrapper){.parent = CW_TEXT_NONE, .number = 999999999, .kind = '1', .depth = 1};
    cr_assert_eq(cw_text_tree_add_block(&tree, &block), CRAWL_OK);
    *cw_text_block_at(&tree, block) =
        (cw_text_block){.size = 1000, .wrapper = item, .table = CW_TEXT_NONE, .kind = CW_BLOCK_PRE, .kept = true};
    cr_assert_eq(cw_text_print(&tree, false, MOST, &out, &cut), CRAWL_OK);
    cr_expect(cut);
    cr_expect_leq(out.size, MOST);
    cr_expect_lt(out.capacity, 1000);
    crawl_buf_free(&out);
    cw_text_tree_free(&tree);
}

Test(text_bounds, a_line_longer_than_the_maximum_is_cut_at_a_space)
{
    static const struct {
        const char *part;
        size_t most_lost;
    } rows[] = {{"word ", 5}, {"\xc3\xa9", 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf page = {0};
        crawl_slice html = repeat(&page, rows[i].part, CRAWL_TEXT_MAX + 100000);
        crawl_slice text;
        cr_assert_eq(crawl_text_make(maker, html, &options, &text), CRAWL_OK);
        cr_assert_leq(text.size, CRAWL_TEXT_MAX);
        cr_assert_geq(text.size, CRAWL_TEXT_MAX - rows[i].most_lost);
        cr_expect_eq((text.size - 1) % strlen(rows[i].part), strlen(rows[i].part) == 5 ? 4 : 0, "%zu", text.size);
        cr_expect_eq(text.data[text.size - 1], '\n');
        cr_expect(crawl_text_is_cut(maker));
        crawl_buf_free(&page);
    }
}

Test(text_bounds, what_is_no_page_is_refused)
{
    crawl_slice text;
    options.document = CRAWL_DOCUMENT_FEED;
    cr_expect_eq(crawl_text_make(maker, crawl_slice_from("<rss>"), &options, &text), CRAWL_EINVAL);
    options.document = CRAWL_DOCUMENT_HTML;
    options.form = CRAWL_TEXT_FORM_NONE;
    cr_expect_eq(crawl_text_make(maker, crawl_slice_from("<p>"), &options, &text), CRAWL_EINVAL);
}
