/* Parameters are learned, and forgotten. */
#include "crawler/engine/scope/variants.h"

#include "config/config_values.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define NOW_MS ((int64_t)1795946445 * 1000)

static crawl_config config;
static crawl_url *url;
static cw_scope_variants *variants;
static crawl_buf told;

static void setup(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cr_assert_eq(cw_scope_variants_create(&config, &variants), CRAWL_OK);
    url = crawl_url_create();
    cr_assert_not_null(url);
    told = (crawl_buf){0};
}

static void teardown(void)
{
    cw_scope_variants_free(variants);
    crawl_url_free(url);
    cw_config_clear(&config);
    crawl_buf_free(&told);
}

TestSuite(variants, .init = setup, .fini = teardown);

static void parse(const char *text)
{
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK, "%s", text);
}

static bool learn(const char *text, int status, const char *body)
{
    parse(text);
    return cw_scope_variants_learn(variants, url, status, crawl_slice_from(body), NOW_MS, &told);
}

static bool passes(const char *text)
{
    parse(text);
    return cw_scope_variants_pass(variants, url);
}

/* Learns for pages 1 to `count` of a path that v changes nothing. Returns true if that is reported. */
static bool learn_pages(const char *path, unsigned count)
{
    bool tells = false;
    char text[80];
    char body[80];
    for (unsigned i = 1; i <= count; i++) {
        for (unsigned v = 1; v <= 2; v++) {
            snprintf(text, sizeof text, "https://a.test%s?id=%u&v=%u", path, i, v);
            snprintf(body, sizeof body, "page %u <a href='?id=%u&amp;v=%u'>", i, i, v);
            tells = learn(text, 200, body) || tells;
        }
    }
    return tells;
}

Test(variants, a_parameter_that_changes_nothing)
{
    cr_expect_not(learn_pages("/p", CW_SCOPE_VARIANTS_PROOF - 1));
    cr_expect(passes("https://a.test/p?id=3&v=9"));
    cr_expect(learn_pages("/p", CW_SCOPE_VARIANTS_PROOF));
    cr_expect(crawl_slice_equal(crawl_buf_slice(&told), crawl_slice_from("v")));
    cr_expect_not(passes("https://a.test/p?id=3&v=8"));
    cr_expect_not(passes("https://a.test/p?v=8&id=3"), "the order of parameters does not count");
    cr_expect(passes("https://a.test/p?id=3&v=2"), "it was asked for: the queue knows it");
    cr_expect(passes("https://a.test/p?id=3"), "it has no such parameter");
}

Test(variants, a_further_page_is_asked_for_once)
{
    learn_pages("/p", CW_SCOPE_VARIANTS_PROOF);
    cr_expect(passes("https://a.test/p?id=99&v=1"));
    cr_expect_not(passes("https://a.test/p?id=99&v=2"));
    cr_expect(passes("https://a.test/p?id=99&v=1"));
    cr_expect(passes("https://a.test/p?id=77"));
    cr_expect_not(passes("https://a.test/p?id=77&v=1"), "the page without the parameter counts");
}

Test(variants, other_names_beside_it)
{
    learn_pages("/p", CW_SCOPE_VARIANTS_PROOF);
    cr_expect(passes("https://a.test/p?v=3"));
    cr_expect(passes("https://a.test/p?v=4"));
    cr_expect(passes("https://a.test/p?id=3&lang=de&v=8"));
    cr_expect(passes("https://b.test/p?id=3&v=8"));
}

Test(variants, another_path_is_tried_once)
{
    learn_pages("/p", CW_SCOPE_VARIANTS_PROOF);
    cr_expect(passes("https://a.test/q?id=1&v=1"));
    cr_expect(passes("https://a.test/q?id=1&v=2"), "tried");
    cr_expect_not(passes("https://a.test/q?id=1&v=3"));
    learn("https://a.test/q?id=1&v=1", 200, "one");
    learn("https://a.test/q?id=1&v=2", 200, "two");
    cr_expect(passes("https://a.test/q?id=1&v=3"), "it changes pages there");
    cr_expect(passes("https://a.test/p?id=3&v=9"), "and is not trusted any more");
}

Test(variants, one_page_that_differs)
{
    learn("https://a.test/p?id=50&v=1", 200, "one");
    learn("https://a.test/p?id=50&v=2", 200, "two");
    cr_expect_not(learn_pages("/p", 2 * CW_SCOPE_VARIANTS_PROOF));
    cr_expect(passes("https://a.test/p?id=3&v=9"));
}

Test(variants, pages_told_apart_by_a_parameter)
{
    char text[80];
    for (unsigned i = 0; i < 4 * CW_SCOPE_VARIANTS_PROOF; i++) {
        snprintf(text, sizeof text, "https://a.test/viewtopic.php?t=%u", i);
        learn(text, 200, text);
    }
    cr_expect(passes("https://a.test/viewtopic.php?t=999"));
}

Test(variants, one_page_under_many_values_proves_nothing)
{
    char text[80];
    for (unsigned i = 0; i < 4 * CW_SCOPE_VARIANTS_PROOF; i++) {
        snprintf(text, sizeof text, "https://a.test/app?id=%u", i);
        learn(text, 200, "please wait");
    }
    cr_expect(passes("https://a.test/app?id=999"));
}

Test(variants, the_page_without_it_must_be_the_same)
{
    learn_pages("/p", CW_SCOPE_VARIANTS_PROOF - 1);
    learn("https://a.test/p?id=50", 200, "one");
    learn("https://a.test/p?id=50&v=1", 200, "two");
    cr_expect_not(learn_pages("/p", CW_SCOPE_VARIANTS_PROOF));
}

Test(variants, failures)
{
    char text[80];
    for (unsigned i = 0; i < 4 * CW_SCOPE_VARIANTS_PROOF; i++) {
        snprintf(text, sizeof text, "https://a.test/p?id=%u&v=%u", i / 2, i % 2);
        learn(text, 404, "nothing here");
    }
    cr_expect(passes("https://a.test/p?id=3&v=9"), "pages that are not there prove nothing");
    learn("https://a.test/p?id=40&v=1", 503, "busy");
    learn("https://a.test/p?id=40&v=2", 429, "busy");
    cr_expect(learn_pages("/p2", CW_SCOPE_VARIANTS_PROOF), "they did not count against it");
    learn("https://a.test/p2?id=40&v=1", 200, "page");
    learn("https://a.test/p2?id=40&v=2", 404, "page");
    cr_expect_not(passes("https://a.test/p2?id=3&v=9"), "a path that has proved it is not looked at again");
    learn("https://a.test/p3?id=40&v=1", 200, "page");
    learn("https://a.test/p3?id=40&v=2", 404, "page");
    cr_expect(passes("https://a.test/p2?id=3&v=9"));
}

Test(variants, more_than_one_or_any_number)
{
    cr_assert_eq(crawl_config_set(&config, "crawl.max_variants", "3", NULL), CRAWL_OK);
    learn_pages("/p", CW_SCOPE_VARIANTS_PROOF);
    cr_expect(passes("https://a.test/p?id=99&v=1"));
    cr_expect(passes("https://a.test/p?id=99&v=2"));
    cr_expect(passes("https://a.test/p?id=99&v=3"));
    cr_expect_not(passes("https://a.test/p?id=99&v=4"));
    cr_assert_eq(crawl_config_set(&config, "crawl.max_variants", "0", NULL), CRAWL_OK);
    cr_expect_not(learn_pages("/r", CW_SCOPE_VARIANTS_PROOF));
}

Test(variants, beyond_the_limits)
{
    const char *many = "https://a.test/p?a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&v=";
    char text[120];
    for (unsigned i = 0; i < 64; i++) {
        snprintf(text, sizeof text, "%s%u", many, i);
        cr_expect_not(learn(text, 200, "x"));
    }
    for (unsigned i = 0; i < 2 * CW_SCOPE_VARIANTS_PER_HOST_MAX; i++) {
        snprintf(text, sizeof text, "https://c.test/p?name%u=1", i);
        cr_expect_not(learn(text, 200, "x"));
    }
    cr_expect(learn_pages("/p", CW_SCOPE_VARIANTS_PROOF), "the host before is another");
}
