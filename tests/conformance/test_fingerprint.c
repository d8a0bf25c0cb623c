/* Tests fingerprints of Scrapy's requests, by way of w3lib's canonical URL: those fixed in Scrapy's own tests, and
 * those that Scrapy computed. */
#include "tests/support/jsonl.h"

#include "base/bytes.h"

#include <crawl/fingerprint.h>
#include <crawl/url.h>

#include <criterion/criterion.h>
#include <stdio.h>

enum { MAX_HEADERS = 16 };

typedef struct fixture {
    crawl_fingerprinter *fingerprinter;
    crawl_buf canonical;
    crawl_fingerprint_header headers[MAX_HEADERS];
    size_t header_count;
    crawl_slice include[MAX_HEADERS];
    size_t include_count;
    char method[32];
} fixture;

static crawl_slice text_of(const json_t *value)
{
    return crawl_slice_of(json_string_value(value), json_string_length(value));
}

static void read_headers(fixture *f, const json_t *row)
{
    const char *name;
    json_t *values;
    f->header_count = f->include_count = 0;
    json_object_foreach(json_object_get(row, "headers"), name, values)
    {
        for (size_t i = 0; i < json_array_size(values); i++) {
            cr_assert(f->header_count < MAX_HEADERS);
            f->headers[f->header_count++] =
                (crawl_fingerprint_header){crawl_slice_from(name), text_of(json_array_get(values, i))};
        }
    }
    const json_t *include = json_object_get(row, "include_headers");
    for (size_t i = 0; i < json_array_size(include); i++)
        f->include[f->include_count++] = text_of(json_array_get(include, i));
}

static crawl_slice upper_method(fixture *f, const json_t *row)
{
    const char *method = jsonl_text(row, "method");
    size_t size = strlen(method);
    cr_assert(size < sizeof f->method);
    for (size_t i = 0; i < size; i++)
        f->method[i] = method[i] >= 'a' && method[i] <= 'z' ? (char)(method[i] - 'a' + 'A') : method[i];
    return crawl_slice_of(f->method, size);
}

static bool check_canonical(fixture *f, jsonl *file, const json_t *row, const char *field)
{
    const crawl_canonical_options options = {
        .size = sizeof options,
        .profile = CRAWL_PROFILE_W3LIB,
        .keep_fragment = json_is_true(json_object_get(row, "keep_fragments")),
    };
    crawl_slice url = jsonl_bytes(file, row, field);
    if (!url.data)
        return true;
    crawl_buf_clear(&f->canonical);
    crawl_err err = crawl_text_canonical(url, &options, &f->canonical);
    if (!err && crawl_slice_equal(crawl_buf_slice(&f->canonical), jsonl_bytes(file, row, "canonical_url")))
        return true;
    jsonl_fail(row, field, crawl_buf_slice(&f->canonical));
    return false;
}

static void check_row(fixture *f, jsonl *file, const json_t *row)
{
    if (!check_canonical(f, file, row, "request_url") || !check_canonical(f, file, row, "url"))
        return;
    read_headers(f, row);
    const crawl_fingerprint_options options = {
        .size = sizeof options,
        .kind = strcmp(jsonl_text(row, "implementation"), "2.6") == 0 ? CRAWL_FINGERPRINT_SCRAPY_26
                                                                      : CRAWL_FINGERPRINT_SCRAPY_27,
        .include_headers = f->include,
        .include_count = f->include_count,
    };
    crawl_buf body = {0};
    cr_assert_eq(cw_hex_decode(crawl_slice_from(jsonl_text(row, "body_hex")), &body), CRAWL_OK);
    crawl_fingerprint fingerprint;
    char hex[41];
    cr_assert_eq(crawl_fingerprint_by(f->fingerprinter, &options, upper_method(f, row), crawl_buf_slice(&f->canonical),
                                      crawl_buf_slice(&body), f->headers, f->header_count, &fingerprint),
                 CRAWL_OK);
    crawl_fingerprint_hex(&fingerprint, hex);
    if (strcmp(hex, jsonl_text(row, "sha1")) != 0)
        jsonl_fail(row, "sha1", crawl_slice_from(hex));
    crawl_buf_free(&body);
}

static void check_file(const char *name, unsigned rows)
{
    jsonl *file = jsonl_open(name);
    fixture f = {.fingerprinter = crawl_fingerprinter_create()};
    for (const json_t *row; (row = jsonl_next(file));)
        check_row(&f, file, row);
    jsonl_expect(rows);
    crawl_fingerprinter_free(f.fingerprinter);
    crawl_buf_free(&f.canonical);
}

Test(fingerprint, known_to_scrapy)
{
    check_file("fingerprint/scrapy-known.jsonl", 10);
}

Test(fingerprint, given_by_scrapy)
{
    check_file("fingerprint/scrapy-generated.jsonl", 168);
}
