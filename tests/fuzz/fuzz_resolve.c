/* A base and a reference, separated by a newline. Besides memory safety, checks that no base changes a resolved URL,
 * that the empty reference gives the base without its fragment, that a reference with only a fragment keeps everything
 * else, and that a failure leaves the URL unchanged. */
#include <crawl/url.h>

#include <stdint.h>
#include <stdlib.h>

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static void check_same(crawl_slice a, crawl_slice b)
{
    CHECK(crawl_slice_equal(a, b));
}

static bool is_opaque(const crawl_url *url)
{
    crawl_slice path = crawl_url_path(url);
    return path.size == 0 || path.data[0] != '/';
}

static void check_base(const crawl_url *base, crawl_url *url)
{
    crawl_err err = crawl_url_parse(url, (crawl_slice){0}, base, NULL);
    CHECK(err == CRAWL_OK || (err == CRAWL_EPARSE && is_opaque(base)));
    if (!err)
        check_same(crawl_url_href(url), crawl_url_request(base));
    CHECK(crawl_url_parse(url, crawl_slice_from("#f"), base, NULL) == CRAWL_OK);
    check_same(crawl_url_request(url), crawl_url_request(base));
    check_same(crawl_url_fragment(url), crawl_slice_from("f"));
}

/* Resolving a resolved URL against any base, or copying it, must not change it. */
static void check_resolved(const crawl_url *url, const crawl_url *base, crawl_url *other)
{
    CHECK(crawl_url_parse(other, crawl_url_href(url), base, NULL) == CRAWL_OK);
    check_same(crawl_url_href(other), crawl_url_href(url));
    CHECK(crawl_url_copy(other, url) == CRAWL_OK);
    check_same(crawl_url_href(other), crawl_url_href(url));
    CHECK(crawl_url_parse(other, crawl_slice_from("http://["), base, NULL) == CRAWL_EPARSE);
    check_same(crawl_url_href(other), crawl_url_href(url));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *start = (const char *)data;
    const char *split = size ? memchr(data, '\n', size) : NULL;
    if (!split)
        return 0;
    crawl_url *base = crawl_url_create();
    crawl_url *url = crawl_url_create();
    crawl_url *other = crawl_url_create();
    CHECK(base && url && other);
    crawl_slice reference = crawl_slice_of(split + 1, size - (size_t)(split + 1 - start));
    if (crawl_url_parse(base, crawl_slice_of(start, (size_t)(split - start)), NULL, NULL) == CRAWL_OK) {
        check_base(base, url);
        if (crawl_url_parse(url, reference, base, NULL) == CRAWL_OK)
            check_resolved(url, base, other);
    }
    crawl_url_free(base);
    crawl_url_free(url);
    crawl_url_free(other);
    return 0;
}
