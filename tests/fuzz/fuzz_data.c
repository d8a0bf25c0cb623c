/* Any bytes as a page. Its data must be JSON within the maxima that jansson reads, the same at a second reading, the
 * same from the pass that makes the text too, and the same from the other extractor. */
#include <crawl/data.h>
#include <crawl/text.h>

#include <jansson.h>
#include <stdlib.h>

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static crawl_page *new_page(crawl_extractor extractor)
{
    crawl_page *page = crawl_page_create();
    CHECK(page);
    crawl_page_set_data(page, true);
    crawl_page_set_extractor(page, extractor);
    return page;
}

/* Reads a parsed page. Its JSON must equal *first; for the first page it is stored there. */
static void read_page(crawl_page *page, crawl_slice html, crawl_buf *first, bool is_first)
{
    crawl_data *reader = crawl_data_create();
    crawl_tree *tree = crawl_tree_create();
    crawl_slice json = {0};
    CHECK(reader && tree);
    crawl_tree_set(tree, html, crawl_page_charset(page));
    for (int i = 0; i < 2; i++) {
        CHECK(crawl_data_read(reader, page, tree, &json) == CRAWL_OK);
        if (is_first && i == 0)
            CHECK(crawl_buf_append(first, json.data, json.size) == CRAWL_OK);
        CHECK(crawl_slice_equal(crawl_buf_slice(first), json));
    }
    crawl_tree_free(tree);
    crawl_data_free(reader);
}

static void check_json(crawl_slice json)
{
    CHECK(json.size <= 2 * CRAWL_DATA_MAX_BYTES);
    json_t *read = json.size ? json_loadb(json.data, json.size, 0, NULL) : json_object();
    CHECK(json_is_object(read));
    json_decref(read);
}

static void read_with_text(crawl_page *page, crawl_slice html, const crawl_url *url)
{
    const crawl_text_options options = {
        .size = sizeof options, .form = CRAWL_TEXT_FORM_PLAIN, .document = CRAWL_DOCUMENT_HTML, .url = url};
    crawl_text_maker *maker = crawl_text_maker_create();
    crawl_slice text;
    CHECK(maker && crawl_text_make_with_links(maker, html, &options, page, &text) == CRAWL_OK);
    crawl_text_maker_free(maker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_page *pages[] = {new_page(CRAWL_EXTRACTOR_SCAN), new_page(CRAWL_EXTRACTOR_SCAN),
                           new_page(CRAWL_EXTRACTOR_LIBXML2)};
    crawl_url *url = crawl_url_create();
    crawl_slice html = crawl_slice_of(data, size);
    crawl_buf json = {0};
    CHECK(url && crawl_url_parse(url, crawl_slice_from("http://a.example/b"), NULL, NULL) == CRAWL_OK);
    CHECK(crawl_page_parse(pages[0], html, url, NULL) == CRAWL_OK);
    read_with_text(pages[1], html, url);
    CHECK(crawl_page_parse(pages[2], html, url, NULL) == CRAWL_OK);
    for (size_t i = 0; i < 3; i++)
        read_page(pages[i], html, &json, i == 0);
    check_json(crawl_buf_slice(&json));
    for (size_t i = 0; i < 3; i++)
        crawl_page_free(pages[i]);
    crawl_buf_free(&json);
    crawl_url_free(url);
    return 0;
}
