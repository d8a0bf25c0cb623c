#include "config/config_values.h"
#include "crawler/engine/scope/keep.h"

#include <criterion/criterion.h>

static crawl_config config;
static cw_scope_keep *keep;
static cw_scope_matcher *matcher;

static void setup(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    matcher = cw_scope_matcher_create();
    cr_assert_not_null(matcher);
}

static void teardown(void)
{
    cw_scope_keep_free(keep);
    cw_scope_matcher_free(matcher);
    cw_config_clear(&config);
}

TestSuite(keep, .init = setup, .fini = teardown);

static void set(const char *key, const char *value)
{
    crawl_error error = {0};
    cr_assert_eq(crawl_config_set(&config, key, value, &error), CRAWL_OK, "%s", error.message);
}

static void start(void)
{
    crawl_error error = {0};
    cr_assert_eq(cw_scope_keep_create("keep", &config.keep, &config.keep_types, &keep, &error), CRAWL_OK, "%s",
                 error.message);
}

static bool has_url(const char *url)
{
    const char *stopped;
    bool has = cw_scope_keep_has_url(keep, matcher, crawl_slice_from(url), &stopped);
    cr_expect_null(stopped);
    return has;
}

static bool has_type(const char *type)
{
    return cw_scope_keep_has_type(keep, crawl_slice_from(type));
}

Test(keep, everything_without_an_object)
{
    start();
    cr_expect_null(keep);
}

Test(keep, one_pattern_of_several_is_enough)
{
    set("output.keep", "/a");
    set("output.keep", "[.]pdf$");
    start();
    cr_expect(has_url("http://x/a"));
    cr_expect(has_url("http://x/b.pdf"));
    cr_expect_not(has_url("http://x/b"));
    cr_expect(has_type("")); /* no type was given */
}

Test(keep, types)
{
    set("output.keep_type", "application/PDF");
    set("output.keep_type", "image/*");
    start();
    cr_expect(has_type("application/pdf"));
    cr_expect(has_type(" Application/Pdf ; charset=x"));
    cr_expect(has_type("IMAGE/png"));
    cr_expect_not(has_type("image/"));
    cr_expect_not(has_type("images/png"));
    cr_expect_not(has_type("application/pdfx"));
    cr_expect_not(has_type(""));
    cr_expect(has_url("http://x/")); /* no pattern was given */
}

Test(keep, what_is_no_type)
{
    const char *const wrong[] = {"pdf", "", "*/*", "*/pdf", "a/", "/b", "a/b;c=d", "a b/c", "a/b/c"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(crawl_config_set(&config, "output.keep_type", wrong[i], NULL), CRAWL_EPARSE, "%s", wrong[i]);
    cr_expect_eq(config.keep_types.count, 0);
}

Test(keep, a_match_without_end_keeps_unless_another_pattern_decides)
{
    const crawl_slice url = crawl_slice_from("http://x/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!");
    const char *stopped;
    set("output.keep", "(a+)+$");
    start();
    cr_expect(cw_scope_keep_has_url(keep, matcher, url, &stopped));
    cr_expect_str_eq(stopped, "(a+)+$");
    cw_scope_keep_free(keep);
    set("output.keep", "!$");
    start();
    cr_expect(cw_scope_keep_has_url(keep, matcher, url, &stopped));
    cr_expect_null(stopped);
}

Test(keep, an_error_names_the_pattern)
{
    crawl_error error = {0};
    set("output.keep", "(");
    cr_expect_eq(cw_scope_keep_create("keep", &config.keep, &config.keep_types, &keep, &error), CRAWL_EPARSE);
    cr_expect(strstr(error.message, "keep \"(\""), "%s", error.message);
}
