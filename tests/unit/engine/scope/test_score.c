/* The score of links with order = best. */
#include "crawler/engine/scope/url_looks.h"

#include <criterion/criterion.h>

static int32_t score(const char *text, uint32_t depth, bool from_seed_host)
{
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK, "%s", text);
    int32_t value = cw_scope_score(url, depth, from_seed_host);
    crawl_url_free(url);
    return value;
}

Test(score, each_weight)
{
    cr_expect_eq(score("http://a.example/", 0, true), 0);
    cr_expect_eq(score("http://a.example/page", 0, true), 0);
    cr_expect_eq(score("http://a.example/page", 1, true), -100);
    cr_expect_eq(score("http://a.example/page", 1, false), -130);
    cr_expect_eq(score("http://a.example/a/b/page", 1, true), -120);
    cr_expect_eq(score("http://a.example/page?x=1", 1, true), -125);
    cr_expect_eq(score("http://a.example/page?x=1&y=2&z=3", 1, true), -135);
    cr_expect_eq(score("http://a.example/page?", 1, true), -100, "an empty query is none");
    cr_expect_eq(
        score("http://a.example/0123456789012345678901234567890123456789012345678901234567890123456789", 0, true), 0,
        "87 bytes");
    cr_expect_eq(
        score("http://a.example/01234567890123456789012345678901234567890123456789012345678901234567890123", 0, true),
        -1, "91 bytes");
}

/* The first must precede the second. */
static const struct {
    const char *first;
    uint32_t first_depth;
    const char *second;
    uint32_t second_depth;
} pairs[] = {
    {"http://a.example/about", 1, "http://a.example/about", 2},
    {"http://a.example/products/lamp", 1, "http://a.example/products?sort=price&page=7", 1},
    {"http://a.example/news/2026/11/21/title", 1, "http://a.example/x", 2},
    {"http://a.example/x", 2, "http://a.example/s?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9&j=0&k=1&l=2&m=3&n=4&o=5&p=6&q=7",
     1},
};

Test(score, what_comes_first)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        cr_expect_gt(score(pairs[i].first, pairs[i].first_depth, true),
                     score(pairs[i].second, pairs[i].second_depth, true), "%s before %s", pairs[i].first,
                     pairs[i].second);
}

Test(score, there_is_a_least)
{
    cr_expect_eq(score("http://a.example/", UINT32_MAX, false), CW_SCOPE_SCORE_LEAST);
}
