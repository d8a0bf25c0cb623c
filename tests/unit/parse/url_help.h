/* Shared by the URL tests: parsing and comparing in one line. */
#pragma once

#include <crawl/url.h>
#include <criterion/criterion.h>
#include <stdlib.h>

/* Makes a slice of a literal, which may contain NULs. */
#define SLICE(literal) crawl_slice_of(literal, sizeof(literal) - 1)

#define ASSERT_TEXT(got, expected)                                                                        \
    do {                                                                                                  \
        crawl_slice got_ = (got);                                                                         \
        crawl_slice expected_ = SLICE(expected);                                                          \
        cr_assert(crawl_slice_equal(got_, expected_), "%s is \"%.*s\"", #got, (int)got_.size, got_.data); \
    } while (0)

static inline crawl_url *parsed(const char *input)
{
    crawl_url *url = crawl_url_create();
    cr_assert(url);
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(input), NULL, NULL), CRAWL_OK, "%s", input);
    return url;
}

/* Returns the serialization of input, or "failure". The caller frees it. */
static inline char *href_of(const char *input, const char *base, const char *charset)
{
    crawl_url *url = crawl_url_create();
    cr_assert(url);
    if (base)
        cr_assert_eq(crawl_url_parse(url, crawl_slice_from(base), NULL, NULL), CRAWL_OK, "%s", base);
    crawl_err err = crawl_url_parse(url, crawl_slice_from(input), base ? url : NULL, charset);
    cr_assert(err == CRAWL_OK || err == CRAWL_EPARSE);
    char *text = strdup(err ? "failure" : crawl_url_href(url).data);
    crawl_url_free(url);
    return text;
}

static inline void check_href(const char *input, const char *base, const char *charset, const char *expected)
{
    char *got = href_of(input, base, charset);
    cr_expect_str_eq(got, expected, "%s with base %s: got %s, expected %s", input, base ? base : "none", got, expected);
    free(got);
}
