#include "config/config_values.h"
#include "crawler/engine/scope/scope.h"

#include <criterion/criterion.h>

static crawl_config config;
static cw_scope *scope;
static cw_scope_reader *reader;
static crawl_url *url;

static void setup(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    url = crawl_url_create();
}

static void teardown(void)
{
    cw_scope_reader_free(reader);
    cw_scope_free(scope);
    crawl_url_free(url);
    cw_config_clear(&config);
}

TestSuite(scope, .init = setup, .fini = teardown);

static const crawl_url *parse(const char *text)
{
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK, "%s", text);
    return url;
}

static void start(crawl_scope kind, const char *seed)
{
    config.scope = kind;
    cr_assert_eq(cw_scope_create(&config, &scope, NULL), CRAWL_OK);
    reader = cw_scope_reader_create(scope);
    cr_assert_not_null(reader);
    if (seed)
        cr_assert_eq(cw_scope_add(scope, parse(seed)), CRAWL_OK);
}

static void expect(const char *text, bool inside)
{
    /* twice: the second answer may come from the reader's cache */
    cr_expect_eq(cw_scope_contains(reader, parse(text)), inside, "%s", text);
    cr_expect_eq(cw_scope_contains(reader, parse(text)), inside, "%s, again", text);
}

Test(scope, host)
{
    start(CRAWL_SCOPE_HOST, "http://www.example.com/a/b");
    expect("http://www.example.com/", true);
    expect("https://www.example.com:8443/x", true);
    expect("http://example.com/", false);
    expect("http://a.www.example.com/", false);
}

Test(scope, domain)
{
    start(CRAWL_SCOPE_DOMAIN, "http://www.example.co.uk/");
    expect("http://example.co.uk/", true);
    expect("https://a.b.example.co.uk/", true);
    expect("http://other.co.uk/", false);
    expect("http://co.uk/", false);
}

Test(scope, domain_of_addresses_and_names_without_one)
{
    start(CRAWL_SCOPE_DOMAIN, "http://127.0.0.1:8080/");
    expect("http://127.0.0.1/", true);
    expect("http://127.0.0.2/", false);
    expect("http://1.127.0.0.1.example/", false);
    cr_assert_eq(cw_scope_add(scope, parse("http://localhost/")), CRAWL_OK);
    expect("http://localhost:99/", true);
    cr_assert_eq(cw_scope_add(scope, parse("http://[::1]/")), CRAWL_OK);
    expect("http://[::1]:99/", true);
    expect("http://[::2]/", false);
}

Test(scope, prefix)
{
    start(CRAWL_SCOPE_PREFIX, "http://example.com/docs/index.html?x=1/2");
    expect("http://example.com/docs/", true);
    expect("http://example.com/docs/a/b/c", true);
    expect("http://example.com/docs", false);
    expect("http://example.com/docsets/", false);
    expect("http://example.com/", false);
    expect("https://example.com/docs/", false);
    expect("http://example.com:81/docs/", false);
}

Test(scope, any)
{
    start(CRAWL_SCOPE_ANY, NULL);
    expect("http://anything.example/", true);
}

Test(scope, widens_while_a_reader_remembers)
{
    start(CRAWL_SCOPE_HOST, "http://a.example/");
    expect("http://b.example/", false);
    cr_assert_eq(cw_scope_add(scope, parse("http://b.example/")), CRAWL_OK);
    expect("http://b.example/", true);
}

static bool passes(const char *text)
{
    const crawl_filter_rule *stopped;
    bool answer = cw_scope_passes(reader, crawl_slice_from(text), &stopped);
    cr_expect_null(stopped, "%s", text);
    return answer;
}

Test(scope, no_pattern_lets_all_pass)
{
    start(CRAWL_SCOPE_ANY, NULL);
    cr_expect(passes("http://a.example/"));
}

Test(scope, last_match_decides)
{
    crawl_config_set(&config, "crawl.exclude", "\\.pdf$", NULL);
    crawl_config_set(&config, "crawl.exclude", "/private/", NULL);
    crawl_config_set(&config, "crawl.include", "/private/open", NULL);
    start(CRAWL_SCOPE_ANY, NULL);
    cr_expect(passes("http://a.example/x"));
    cr_expect_not(passes("http://a.example/private/x"));
    cr_expect(passes("http://a.example/private/open.html"));
    cr_expect(passes("http://a.example/private/open.pdf"));
    cr_expect_not(passes("http://a.example/x.pdf"));
}

Test(scope, an_include_first_leaves_the_rest_out)
{
    crawl_config_set(&config, "crawl.include", "/docs/", NULL);
    crawl_config_set(&config, "crawl.exclude", "/docs/old/", NULL);
    start(CRAWL_SCOPE_ANY, NULL);
    cr_expect(passes("http://a.example/docs/x"));
    cr_expect_not(passes("http://a.example/docs/old/x"));
    cr_expect_not(passes("http://a.example/x"));
}

Test(scope, excludes_alone)
{
    crawl_config_set(&config, "crawl.exclude", "\\.pdf$", NULL);
    start(CRAWL_SCOPE_ANY, NULL);
    cr_expect(passes("http://a.example/x"));
    cr_expect_not(passes("http://a.example/x.pdf"));
}

Test(scope, bad_pattern_is_named)
{
    crawl_config_set(&config, "crawl.exclude", "a(b", NULL);
    crawl_error error = {0};
    cr_assert_eq(cw_scope_create(&config, &scope, &error), CRAWL_EPARSE);
    cr_expect(strstr(error.message, "a(b"), "%s", error.message);
    cr_expect(strstr(error.message, "at character"), "%s", error.message);
}

Test(scope, pattern_that_backtracks_without_end_is_stopped)
{
    static const char *const kinds[] = {"crawl.exclude", "crawl.include"};
    const crawl_slice endless =
        crawl_slice_from("http://b.example/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!delete");
    for (size_t i = 0; i < 2; i++) {
        const crawl_filter_rule *stopped = NULL;
        size_t index = 9;
        crawl_config_set(&config, "crawl.include", "b[.]example", NULL);
        crawl_config_set(&config, kinds[i], "((a+)+$)|delete", NULL);
        start(CRAWL_SCOPE_ANY, NULL);
        cr_expect_not(cw_scope_passes(reader, endless, &stopped));
        cr_assert_not_null(stopped);
        cr_expect_eq(stopped->include, i == 1);
        cr_expect_eq(cw_scope_rule_of(reader, endless, &index), CW_SCOPE_RULE_STOPPED);
        cr_expect_eq(index, 2 * i + 1);
        cr_expect(passes("http://b.example/"));
        cw_scope_reader_free(reader);
        cw_scope_free(scope);
        reader = NULL, scope = NULL;
    }
}

/* Practical patterns match long URLs to their end. */
Test(scope, long_urls_are_matched)
{
    static const char *const patterns[] = {"(/[^/]+){3,}x$", "^(?!.*logout).*$", "/([^/]+)/\\1/\\1/", "(\\w+-)+\\d+$",
                                           ".*foo.*bar.*baz"};
    enum { SIZE = 8000 };
    char text[SIZE + 1] = "http://a.example";
    for (size_t size = strlen(text); size < SIZE; size += strlen(text + size))
        snprintf(text + size, sizeof text - size, "/some-long-name/%zu", size);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        crawl_config_set(&config, "crawl.exclude", patterns[i], NULL);
    crawl_config_set(&config, "crawl.include", "nowhere", NULL);
    start(CRAWL_SCOPE_ANY, NULL);
    cr_expect_not(passes(text)); /* by the second */
}

Test(scope, which_rule_decides)
{
    size_t index = 9;
    cr_assert_eq(crawl_config_set(&config, "crawl.exclude", "[.]pdf$", NULL), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "crawl.include", "/keep/", NULL), CRAWL_OK);
    start(CRAWL_SCOPE_ANY, NULL);
    cr_expect_eq(cw_scope_rule_of(reader, crawl_slice_from("http://h/"), &index), CW_SCOPE_RULE_NONE);
    cr_expect_eq(index, 9);
    cr_expect(cw_scope_rule_of(reader, crawl_slice_from("http://h/a.pdf"), &index) == CW_SCOPE_RULE_DECIDES &&
              index == 0);
    cr_expect(cw_scope_rule_of(reader, crawl_slice_from("http://h/keep/a.pdf"), &index) == CW_SCOPE_RULE_DECIDES &&
              index == 1);
}

static void expect_place(crawl_scope kind, const char *text, const char *place)
{
    start(kind, NULL);
    cr_expect(crawl_slice_equal(cw_scope_place(reader, parse(text)), crawl_slice_from(place)), "%s", place);
    cw_scope_reader_free(reader);
    cw_scope_free(scope);
    reader = NULL;
    scope = NULL;
}

Test(scope, places)
{
    expect_place(CRAWL_SCOPE_HOST, "http://a.b.example.com:8080/c/d", "a.b.example.com");
    expect_place(CRAWL_SCOPE_DOMAIN, "http://a.b.example.com:8080/c/d", "example.com");
    expect_place(CRAWL_SCOPE_PREFIX, "http://a.b.example.com:8080/c/d", "http://a.b.example.com:8080/c/");
    expect_place(CRAWL_SCOPE_ANY, "http://a.b.example.com:8080/c/d", "");
}
