/* Any bytes as two URLs and a Content-Type, one per line. The paths must stay inside the copy, and two URLs must never
 * share one, even if case is ignored. */
#include "base/bytes.h"
#include "crawler/output/mirror/path.h"

#include <stdint.h>
#include <stdlib.h>

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static void check_path(crawl_slice path)
{
    CHECK(path.size <= CW_MIRROR_MAX_PATH && path.data[0] != '.');
    while (path.size) {
        crawl_slice name = cw_cut(&path, '/');
        CHECK(name.size && name.size <= CW_MIRROR_MAX_NAME);
        CHECK(!cw_ends_with(name, ".") && cw_find_any(name, "\\:*?\"<>| ") == name.size);
        for (size_t i = 0; i < name.size; i++)
            CHECK(name.data[i] > ' ' && name.data[i] < 0x7f);
    }
}

static bool make(crawl_slice href, crawl_slice type, crawl_url *url, crawl_buf *path)
{
    if (crawl_url_parse(url, href, NULL, NULL) || cw_mirror_path(CW_MIRROR_MARK, url, type, path))
        return false;
    check_path(crawl_buf_slice(path));
    return true;
}

/* Compares the parts from which the path is made. */
static bool is_same(const crawl_url *a, const crawl_url *b)
{
    return crawl_slice_equal(crawl_url_scheme(a), crawl_url_scheme(b)) &&
           crawl_slice_equal(crawl_url_hostname(a), crawl_url_hostname(b)) &&
           crawl_slice_equal(crawl_url_port(a), crawl_url_port(b)) &&
           crawl_slice_equal(crawl_url_path(a), crawl_url_path(b)) &&
           crawl_slice_equal(crawl_url_query(a), crawl_url_query(b)) &&
           crawl_url_has_query(a) == crawl_url_has_query(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_slice rest = crawl_slice_of((const char *)data, size);
    crawl_slice hrefs[2] = {cw_cut_line(&rest), cw_cut_line(&rest)};
    crawl_url *urls[2] = {crawl_url_create(), crawl_url_create()};
    crawl_buf paths[2] = {{0}, {0}};
    bool both = make(hrefs[0], rest, urls[0], &paths[0]) && make(hrefs[1], rest, urls[1], &paths[1]);
    if (both && !is_same(urls[0], urls[1]))
        CHECK(!cw_equal_nocase(crawl_buf_slice(&paths[0]), crawl_buf_slice(&paths[1])));
    for (int i = 0; i < 2; i++) {
        crawl_url_free(urls[i]);
        crawl_buf_free(&paths[i]);
    }
    return 0;
}
