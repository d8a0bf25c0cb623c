/* Scrapy's fingerprints beyond the conformance data: the hashed texts, in full. */
#include "frontier/fingerprint/fingerprint_scrapy.h"

#include <criterion/criterion.h>

#define SLICE(literal) crawl_slice_of(literal, sizeof(literal) - 1)

static void check(crawl_fingerprint_kind kind, cw_fingerprint_scrapy_request request, crawl_slice expected)
{
    crawl_buf text = {0};
    cr_assert_eq(cw_fingerprint_scrapy_write(&request, kind, &text), CRAWL_OK);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&text), expected), "got %.*s", (int)text.size, text.data);
    crawl_buf_free(&text);
}

static const crawl_fingerprint_header headers[] = {
    {{"B", 1}, {"2", 1}},
    {{"a", 1}, {"1", 1}},
    {{"b", 1}, {"3", 1}},
    {{"c", 1}, {"", 0}},
};

static const crawl_slice include[] = {{"C", 1}, {"b", 1}, {"x", 1}, {"B", 1}};

static const cw_fingerprint_scrapy_request request = {
    .method = {"POST", 4},
    .url = {"http://h/", 9},
    .body = {"a\xff", 2},
    .headers = headers,
    .header_count = 4,
    .include = include,
    .include_count = 4,
};

Test(fingerprint_scrapy, text_of_2_6)
{
    check(CRAWL_FINGERPRINT_SCRAPY_26, request,
          SLICE("POSThttp://h/a\xff"
                "b23cb23"));
    check(CRAWL_FINGERPRINT_SCRAPY_26, (cw_fingerprint_scrapy_request){.method = SLICE("GET"), .url = SLICE("u")},
          SLICE("GETu"));
}

Test(fingerprint_scrapy, text_of_2_7)
{
    check(
        CRAWL_FINGERPRINT_SCRAPY_27, request,
        SLICE(
            "{\"body\": \"61ff\", \"headers\": {\"62\": [\"32\", \"33\"], \"63\": [\"\"]}, \"method\": \"POST\", \"url\": "
            "\"http://h/\"}"));
    check(CRAWL_FINGERPRINT_SCRAPY_27, (cw_fingerprint_scrapy_request){.method = SLICE("GET"), .url = SLICE("u")},
          SLICE("{\"body\": \"\", \"headers\": {}, \"method\": \"GET\", \"url\": \"u\"}"));
}

Test(fingerprint_scrapy, text_of_scrapy_redis)
{
    check(CRAWL_FINGERPRINT_SCRAPY_REDIS, request,
          SLICE("{\"body\": \"61ff\", \"method\": \"POST\", \"url\": \"http://h/\"}"));
    check(CRAWL_FINGERPRINT_SCRAPY_REDIS, (cw_fingerprint_scrapy_request){.method = SLICE("GET"), .url = SLICE("u")},
          SLICE("{\"body\": \"\", \"method\": \"GET\", \"url\": \"u\"}"));
}

/* The text has the form of Python's json.dumps. */
Test(fingerprint_scrapy, text_escaped_as_json)
{
    check(CRAWL_FINGERPRINT_SCRAPY_27,
          (cw_fingerprint_scrapy_request){
              .method = SLICE("GET"), .url = SLICE("\"\\/\n\r\t\b\f\x01\x7f\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xa9\xff")},
          SLICE("{\"body\": \"\", \"headers\": {}, \"method\": \"GET\", \"url\": "
                "\"\\\"\\\\/\\n\\r\\t\\b\\f\\u0001\x7f\\u00e9\\u20ac\\ud83d\\udca9\\u00ff\"}"));
}

Test(fingerprint_scrapy, kinds_differ_and_hash_what_is_written)
{
    crawl_fingerprinter *f = crawl_fingerprinter_create();
    crawl_fingerprint got, expected;
    const crawl_fingerprint_options old = {.size = sizeof old, .kind = CRAWL_FINGERPRINT_SCRAPY_26};
    const crawl_fingerprint_options new = {.size = sizeof new, .kind = CRAWL_FINGERPRINT_SCRAPY_27};
    const crawl_fingerprint_options ours = {.size = sizeof ours, .kind = CRAWL_FINGERPRINT_DEFAULT};
    crawl_slice none = {0};
    cr_assert_eq(crawl_fingerprint_by(f, &old, none, SLICE("http://h/"), SLICE("b"), NULL, 0, &got), CRAWL_OK);
    cr_assert_eq(crawl_fingerprint_bytes(f, SLICE("GEThttp://h/b"), &expected), CRAWL_OK);
    cr_expect_arr_eq(got.bytes, expected.bytes, CRAWL_FINGERPRINT_SIZE);
    cr_assert_eq(crawl_fingerprint_by(f, &new, none, SLICE("http://h/"), SLICE("b"), NULL, 0, &got), CRAWL_OK);
    cr_expect_arr_neq(got.bytes, expected.bytes, CRAWL_FINGERPRINT_SIZE);
    cr_assert_eq(crawl_fingerprint_by(f, &ours, none, SLICE("http://h/"), SLICE("b"), headers, 4, &got), CRAWL_OK);
    cr_assert_eq(crawl_fingerprint_request(f, none, SLICE("http://h/"), SLICE("b"), &expected), CRAWL_OK);
    cr_expect_arr_eq(got.bytes, expected.bytes, CRAWL_FINGERPRINT_SIZE);
    crawl_fingerprinter_free(f);
}
