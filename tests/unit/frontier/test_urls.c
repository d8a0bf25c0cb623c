/* Many URLs in one call: crawl_fingerprint_urls and crawl_frontier_push_urls give the results of single calls. */
#include "tests/unit/frontier/help.h"

static crawl_fingerprinter *fingerprinter;

static void set_up(void)
{
    fingerprinter = crawl_fingerprinter_create();
    cr_assert(fingerprinter);
}

static void tear_down(void)
{
    crawl_fingerprinter_free(fingerprinter);
}

TestSuite(urls, .init = set_up, .fini = tear_down);

enum { COUNT = 4 };

static void texts(crawl_slice out[COUNT])
{
    const char *const given[COUNT] = {"http://A.example/?b&a#f", "no url", "http://a.example/?b&a", "//b.example/c"};
    for (int i = 0; i < COUNT; i++)
        out[i] = crawl_slice_from(given[i]);
}

Test(urls, fingerprints_are_those_of_canonical_forms)
{
    crawl_slice urls[COUNT];
    crawl_fingerprint many[COUNT];
    crawl_fingerprint one;
    uint8_t valid[COUNT];
    crawl_slice none = {0};
    texts(urls);
    cr_assert_eq(crawl_fingerprint_urls(fingerprinter, CRAWL_FINGERPRINT_DEFAULT, urls, COUNT, many, valid), CRAWL_OK);
    cr_assert_arr_eq(valid, ((uint8_t[]){1, 0, 1, 0}), COUNT);
    crawl_slice canonical = crawl_slice_from("http://a.example/?a=&b=");
    cr_assert_eq(crawl_fingerprint_request(fingerprinter, none, canonical, none, &one), CRAWL_OK);
    cr_expect_arr_eq(many[0].bytes, one.bytes, sizeof one.bytes);
    cr_expect_arr_eq(many[2].bytes, one.bytes, sizeof one.bytes);
    cr_expect_arr_eq(many[1].bytes, ((uint8_t[sizeof one.bytes]){0}), sizeof one.bytes);
}

Test(urls, scrapy_takes_any_text)
{
    crawl_slice urls[COUNT];
    crawl_fingerprint many[COUNT];
    crawl_fingerprint one;
    uint8_t valid[COUNT];
    crawl_slice none = {0};
    crawl_fingerprint_options options = {.size = sizeof options, .kind = CRAWL_FINGERPRINT_SCRAPY_27};
    texts(urls);
    cr_assert_eq(crawl_fingerprint_urls(fingerprinter, options.kind, urls, COUNT, many, valid), CRAWL_OK);
    cr_assert_arr_eq(valid, ((uint8_t[]){1, 1, 1, 1}), COUNT);
    cr_assert_eq(crawl_fingerprint_by(fingerprinter, &options, none, crawl_slice_from("no%20url"), none, NULL, 0, &one),
                 CRAWL_OK);
    cr_expect_arr_eq(many[1].bytes, one.bytes, sizeof one.bytes);
}

Test(urls, pushed_are_parsed_resolved_and_seen)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    crawl_slice urls[COUNT];
    uint8_t results[COUNT];
    size_t accepted;
    crawl_request like = {.depth = 3, .tag = 7, .url = crawl_slice_from("not read")};
    texts(urls);
    cr_assert_eq(crawl_frontier_push_urls(f, fingerprinter, urls, COUNT, &like,
                                          crawl_slice_from("https://p.example/d/"), results, &accepted, 0),
                 CRAWL_OK);
    cr_expect_eq(accepted, 3, "%zu", accepted);
    cr_assert_arr_eq(results, ((uint8_t[]){CRAWL_PUSHED_NEW, CRAWL_PUSHED_NEW, CRAWL_PUSHED_SEEN, CRAWL_PUSHED_NEW}),
                     COUNT);
    const char *const expected[] = {"http://a.example/?b&a", "https://p.example/d/no%20url", "https://b.example/c"};
    for (int i = 0; i < 3; i++) {
        crawl_lease lease;
        cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
        cr_expect(crawl_slice_equal(lease.url, crawl_slice_from(expected[i])), "%.*s", (int)lease.url.size,
                  lease.url.data);
        cr_expect(crawl_slice_equal(lease.parent, crawl_slice_from("https://p.example/d/")));
        cr_expect_eq(lease.depth, 3);
        cr_expect_eq(lease.tag, 7);
    }
    crawl_frontier_free(f);
}

Test(urls, without_a_parent_relative_ones_are_none)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    crawl_slice urls[COUNT];
    uint8_t results[COUNT];
    texts(urls);
    cr_assert_eq(crawl_frontier_push_urls(f, fingerprinter, urls, COUNT, NULL, (crawl_slice){0}, results, NULL, 0),
                 CRAWL_OK);
    cr_assert_arr_eq(
        results, ((uint8_t[]){CRAWL_PUSHED_NEW, CRAWL_PUSHED_INVALID, CRAWL_PUSHED_SEEN, CRAWL_PUSHED_INVALID}), COUNT);
    cr_assert_eq(crawl_frontier_push_urls(f, fingerprinter, NULL, 0, NULL, (crawl_slice){0}, NULL, NULL, 0), CRAWL_OK);
    crawl_frontier_free(f);
}
