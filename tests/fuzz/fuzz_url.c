/* Any bytes as a URL, relative to a base if there is a newline, in one of a few document encodings. Besides memory
 * safety, checks that a parsed URL parses to itself, that the canonical form is its own canonical form, and that both
 * ways to get the origin agree. */
#include <crawl/url.h>

#include <stdint.h>
#include <stdlib.h>

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static void check_again(const crawl_url *url, crawl_url *again)
{
    CHECK(crawl_url_parse(again, crawl_url_href(url), NULL, NULL) == CRAWL_OK);
    CHECK(crawl_slice_equal(crawl_url_href(again), crawl_url_href(url)));
    CHECK(crawl_slice_equal(crawl_url_hostname(again), crawl_url_hostname(url)));
    CHECK(crawl_slice_equal(crawl_url_path(again), crawl_url_path(url)));
    CHECK(crawl_slice_equal(crawl_url_query(again), crawl_url_query(url)));
    CHECK(crawl_url_has_fragment(again) == crawl_url_has_fragment(url));
}

static void check_canonical(const crawl_url *url, crawl_url *again)
{
    crawl_buf once = {0};
    crawl_buf twice = {0};
    CHECK(crawl_url_canonical(url, &once) == CRAWL_OK);
    CHECK(crawl_url_parse(again, crawl_buf_slice(&once), NULL, NULL) == CRAWL_OK);
    CHECK(crawl_slice_equal(crawl_url_href(again), crawl_buf_slice(&once)));
    CHECK(crawl_url_canonical(again, &twice) == CRAWL_OK);
    CHECK(crawl_slice_equal(crawl_buf_slice(&once), crawl_buf_slice(&twice)));
    CHECK(!memchr(once.data, '\n', once.size));
    crawl_buf_free(&once);
    crawl_buf_free(&twice);
}

static void check_origin(const crawl_url *url)
{
    crawl_buf origin = {0};
    crawl_buf scratch = {0};
    crawl_slice cut;
    bool http = crawl_url_is_http(url);
    CHECK(crawl_url_origin(url, &origin) == (http ? CRAWL_OK : CRAWL_EINVAL));
    CHECK(crawl_href_origin(crawl_url_request(url), &scratch, &cut) == (http ? CRAWL_OK : CRAWL_EINVAL));
    CHECK(!http || crawl_slice_equal(cut, crawl_buf_slice(&origin)));
    CHECK(!http || crawl_url_effective_port(url) <= 65535);
    crawl_buf_free(&origin);
    crawl_buf_free(&scratch);
}

static void check(const crawl_url *url)
{
    crawl_url *again = crawl_url_create();
    CHECK(again);
    check_again(url, again);
    check_origin(url);
    if (crawl_url_is_http(url))
        check_canonical(url, again);
    crawl_url_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const charsets[] = {NULL,   "windows-1252", "shift_jis", "iso-2022-jp", "gbk",
                                           "big5", "euc-jp",       "gb18030",   "koi8-u"};
    const char *charset = size ? charsets[data[0] % (sizeof charsets / sizeof *charsets)] : NULL;
    crawl_url *url = crawl_url_create();
    CHECK(url);
    crawl_slice input = crawl_slice_of(data, size);
    const char *split = size ? memchr(data, '\n', size) : NULL;
    bool based = false;
    if (split) {
        based = crawl_url_parse(url, crawl_slice_of(data, (size_t)(split - input.data)), NULL, NULL) == CRAWL_OK;
        input = crawl_slice_of(split + 1, (size_t)(input.data + size - split - 1));
    }
    /* The base is the URL object itself; both arguments may be the same. */
    if (crawl_url_parse(url, input, based ? url : NULL, charset) == CRAWL_OK || based)
        check(url);
    crawl_url_free(url);
    return 0;
}
