/* Any bytes as a page: what it says of itself is JSON that a reader of another hand takes, within the maxima, and the
 * same at a second time. */
#include <crawl/data.h>

#include <jansson.h>
#include <stdlib.h>

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_data *reader = crawl_data_create();
    crawl_tree *tree = crawl_tree_create();
    crawl_url *base = crawl_url_create();
    crawl_slice json = {0};
    crawl_buf first = {0};
    CHECK(reader && tree && base);
    CHECK(crawl_url_parse(base, crawl_slice_from("http://a.example/b"), NULL, NULL) == CRAWL_OK);
    crawl_tree_set(tree, crawl_slice_of(data, size), NULL);
    CHECK(crawl_data_read(reader, tree, base, NULL, &json) == CRAWL_OK);
    CHECK(json.size <= 2 * CRAWL_DATA_MAX_BYTES);
    json_t *read = json.size ? json_loadb(json.data, json.size, 0, NULL) : json_object();
    CHECK(json_is_object(read));
    json_decref(read);
    CHECK(crawl_buf_append(&first, json.data, json.size) == CRAWL_OK);
    CHECK(crawl_data_read(reader, tree, base, NULL, &json) == CRAWL_OK);
    CHECK(crawl_slice_equal(crawl_buf_slice(&first), json));
    crawl_buf_free(&first);
    crawl_url_free(base);
    crawl_tree_free(tree);
    crawl_data_free(reader);
    return 0;
}
