/* Tests that one pass gives the same text and links as two separate ones. */
#include <crawl/text.h>

#include <criterion/criterion.h>

static crawl_text_maker *maker;
static crawl_page *page;
static crawl_url *url;
static crawl_text_options options;

static void setup(void)
{
    maker = crawl_text_maker_create();
    page = crawl_page_create();
    url = crawl_url_create();
    cr_assert(maker && page && url);
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("http://h.example/d/p"), NULL, NULL), CRAWL_OK);
    options = (crawl_text_options){.size = sizeof(crawl_text_options),
                                   .form = CRAWL_TEXT_FORM_MARKDOWN,
                                   .document = CRAWL_DOCUMENT_HTML,
                                   .url = url};
}

static void teardown(void)
{
    crawl_text_maker_free(maker);
    crawl_page_free(page);
    crawl_url_free(url);
}

TestSuite(text_with_links, .init = setup, .fini = teardown);

static crawl_slice make(crawl_slice html)
{
    crawl_slice text;
    cr_assert_eq(crawl_text_make_with_links(maker, html, &options, page, &text), CRAWL_OK);
    return text;
}

static void expect_text(const char *html, const char *expected)
{
    crawl_slice text = make(crawl_slice_from(html));
    cr_expect(crawl_slice_equal(text, crawl_slice_from(expected)), "%s: %.*s", html, (int)text.size, text.data);
}

static const crawl_link *only_link(void)
{
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    cr_assert_eq(count, 1);
    return links;
}

Test(text_with_links, one_call_gives_both)
{
    expect_text("<title>T</title><base href=/b/><h1>A</h1><p>b <a href=x>c</a>",
                "# A\n\nb [c](http://h.example/b/x)\n");
    cr_expect(crawl_slice_equal(crawl_page_title(page), crawl_slice_from("T")));
    cr_expect(crawl_slice_equal(only_link()->href, crawl_slice_from("x")));
    cr_expect(crawl_slice_equal(crawl_url_href(crawl_page_base(page)), crawl_slice_from("http://h.example/b/")));
}

Test(text_with_links, by_either_extractor)
{
    crawl_page_set_extractor(page, CRAWL_EXTRACTOR_LIBXML2);
    expect_text("<p>b <a href=x>c</a>", "b [c](http://h.example/d/x)\n");
    cr_expect(crawl_slice_equal(only_link()->href, crawl_slice_from("x")));
}

Test(text_with_links, with_the_texts_of_links_and_with_parts)
{
    crawl_page_set_text(page, CRAWL_TEXT_LINKS);
    crawl_page_set_kinds(page, CRAWL_LINK_PAGES | CRAWL_LINK_PARTS);
    expect_text("<style>@import 's';</style><p>b <a href=x>c</a> <b>d</b>", "b [c](http://h.example/d/x) **d**\n");
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    cr_assert_eq(count, 2);
    cr_expect(crawl_slice_equal(links[0].href, crawl_slice_from("s")));
    cr_expect(crawl_slice_equal(links[1].text, crawl_slice_from("c")));
}

Test(text_with_links, the_encoding_that_the_page_declares_holds_for_both)
{
    const char *html = "<meta charset=windows-1252><p>\xe4 <a href='?\xe4'>b</a>";
    expect_text(html, "\xc3\xa4 [b](http://h.example/d/p?%E4)\n");
    cr_expect_str_eq(crawl_page_charset(page), "windows-1252");
    cr_expect(crawl_slice_equal(only_link()->href, crawl_slice_from("?\xc3\xa4")));
}

/* The tag has too many attributes to be split once for all readers. */
Test(text_with_links, attributes_behind_many_others_count)
{
    crawl_buf html = {0};
    cr_assert_eq(crawl_buf_append_text(&html, "<p>a <a"), CRAWL_OK);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(crawl_buf_printf(&html, " x%d=y", i), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&html, " href=z style='background:url(s)'>b</a> <p c hidden>c<p>d"), CRAWL_OK);
    crawl_page_set_kinds(page, CRAWL_LINK_PAGES | CRAWL_LINK_PARTS);
    crawl_slice text = make(crawl_buf_slice(&html));
    cr_expect(crawl_slice_equal(text, crawl_slice_from("a [b](http://h.example/d/z)\n\nd\n")), "%.*s", (int)text.size,
              text.data);
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    cr_assert_eq(count, 2);
    cr_expect(crawl_slice_equal(links[0].href, crawl_slice_from("s")));
    cr_expect(crawl_slice_equal(links[1].href, crawl_slice_from("z")));
    crawl_buf_free(&html);
}

Test(text_with_links, what_is_too_long_for_a_text_has_all_its_links)
{
    crawl_buf html = {0};
    while (html.size <= CRAWL_TEXT_MAX_INPUT)
        cr_assert_eq(crawl_buf_append_text(&html, "<p>some words of a long page"), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&html, "<p><a href=x>behind</a>"), CRAWL_OK);
    crawl_slice together = make(crawl_buf_slice(&html));
    cr_expect(crawl_text_is_cut(maker));
    cr_expect(crawl_slice_equal(only_link()->href, crawl_slice_from("x")));
    crawl_text_maker *other = crawl_text_maker_create();
    crawl_slice alone;
    cr_assert(other && crawl_text_make(other, crawl_buf_slice(&html), &options, &alone) == CRAWL_OK);
    cr_expect(crawl_slice_equal(together, alone));
    crawl_text_maker_free(other);
    crawl_buf_free(&html);
    expect_text("<p>a", "a\n");
    cr_expect_not(crawl_text_is_cut(maker));
}

Test(text_with_links, what_is_no_page_is_refused_and_leaves_the_page_before)
{
    crawl_slice text;
    make(crawl_slice_from("<a href=x>"));
    options.document = CRAWL_DOCUMENT_FEED;
    cr_expect_eq(crawl_text_make_with_links(maker, crawl_slice_from("<rss>"), &options, page, &text), CRAWL_EINVAL);
    cr_expect(crawl_slice_equal(only_link()->href, crawl_slice_from("x")));
}
