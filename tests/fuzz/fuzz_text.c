/* Pages of any bytes as text; the first byte chooses the charset, the kind of document, the form and whether all text
 * is wanted. */
#include "base/utf8.h"

#include <crawl/text.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static crawl_slice make(crawl_text_maker *maker, crawl_slice html, const crawl_text_options *options)
{
    crawl_slice text;
    require(crawl_text_make(maker, html, options, &text) == CRAWL_OK);
    require(text.size <= CRAWL_TEXT_MAX);
    require(cw_utf8_valid_prefix(text) == text.size);
    require(!text.size || text.data[text.size - 1] == '\n');
    return text;
}

/* Compares the links, titles and robots directives of two pages. */
static void require_same_page(const crawl_page *a, const crawl_page *b)
{
    size_t count, other;
    const crawl_link *links = crawl_page_links(a, &count);
    const crawl_link *others = crawl_page_links(b, &other);
    require(count == other);
    for (size_t i = 0; i < count; i++)
        require(crawl_slice_equal(links[i].href, others[i].href) && links[i].kind == others[i].kind &&
                crawl_slice_equal(links[i].text, others[i].text));
    require(crawl_slice_equal(crawl_page_title(a), crawl_page_title(b)));
    require(crawl_page_robots(a) == crawl_page_robots(b));
}

/* One pass for text and links must give the same as two passes. */
static void make_with_links(crawl_slice html, const crawl_text_options *options, crawl_slice alone, bool every)
{
    crawl_text_maker *maker = crawl_text_maker_create();
    crawl_page *pages[2] = {crawl_page_create(), crawl_page_create()};
    crawl_slice text;
    require(maker && pages[0] && pages[1]);
    for (size_t i = 0; i < 2; i++) {
        crawl_page_set_kinds(pages[i], every ? CRAWL_LINK_EVERY : CRAWL_LINK_PAGES);
        crawl_page_set_text(pages[i], every ? CRAWL_TEXT_LINKS : 0);
    }
    require(crawl_text_make_with_links(maker, html, options, pages[0], &text) == CRAWL_OK);
    require(crawl_slice_equal(text, alone));
    require(crawl_page_parse_as(pages[1], options->document, html, options->url, options->charset) == CRAWL_OK);
    require_same_page(pages[0], pages[1]);
    crawl_text_maker_free(maker);
    crawl_page_free(pages[0]);
    crawl_page_free(pages[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const charsets[] = {NULL, "utf-8", "windows-1252", "utf-16le"};
    unsigned choice = size ? data[0] : 0;
    crawl_text_maker *maker = crawl_text_maker_create();
    crawl_url *url = crawl_url_create();
    require(maker && url);
    require(crawl_url_parse(url, crawl_slice_from("http://h.example/d/p"), NULL, NULL) == CRAWL_OK);
    crawl_text_options options = {
        .size = sizeof options,
        .form = choice & 1 ? CRAWL_TEXT_FORM_MARKDOWN : CRAWL_TEXT_FORM_PLAIN,
        .all = choice & 2,
        .document = choice & 4 ? CRAWL_DOCUMENT_XHTML : CRAWL_DOCUMENT_HTML,
        .url = choice & 8 ? url : NULL,
        .charset = charsets[choice >> 4 & 3],
    };
    crawl_slice html = size ? crawl_slice_of(data + 1, size - 1) : crawl_slice_of("", 0);
    size_t once = make(maker, html, &options).size;
    crawl_slice again = make(maker, html, &options);
    require(again.size == once); /* memory of the first call is reused */
    make_with_links(html, &options, again, choice & 64);
    crawl_text_maker_free(maker);
    crawl_url_free(url);
    return 0;
}
