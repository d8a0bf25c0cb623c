/* Pages of any bytes as text: the first one chooses the charset, the kind of document, the form and whether all of it
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const charsets[] = {NULL, "utf-8", "windows-1252", "utf-16le"};
    unsigned choice = size ? data[0] : 0;
    crawl_text_maker *maker = crawl_text_maker_create();
    crawl_url *url = crawl_url_create();
    require(maker && url);
    require(crawl_url_parse(url, crawl_slice_from("http://h.example/d/p"), NULL, NULL) == CRAWL_OK);
    crawl_text_options options = {
        .form = choice & 1 ? CRAWL_TEXT_FORM_MARKDOWN : CRAWL_TEXT_FORM_PLAIN,
        .all = choice & 2,
        .document = choice & 4 ? CRAWL_DOCUMENT_XHTML : CRAWL_DOCUMENT_HTML,
        .url = choice & 8 ? url : NULL,
        .charset = charsets[choice >> 4 & 3],
    };
    crawl_slice html = size ? crawl_slice_of(data + 1, size - 1) : crawl_slice_of("", 0);
    size_t once = make(maker, html, &options).size;
    require(make(maker, html, &options).size == once); /* its memory is used again */
    crawl_text_maker_free(maker);
    crawl_url_free(url);
    return 0;
}
