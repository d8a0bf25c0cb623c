/* The guard against endless sites, limit by limit. */
#include "config/config_values.h"
#include "crawler/engine/scope/trap.h"
#include "crawler/engine/scope/url_looks.h"

#include <criterion/criterion.h>
#include <stdio.h>

static crawl_config config;
static crawl_url *url;
static cw_scope_trap *trap;
static cw_host_table *table;
static cw_host_book *book; /* NULL: no host has its own rules */

static void setup(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    url = crawl_url_create();
    cr_assert_not_null(url);
    table = cw_host_table_create(0);
    cr_assert_not_null(table);
    book = NULL;
}

static void teardown(void)
{
    cw_scope_trap_free(trap);
    cw_host_table_free(table);
    crawl_url_free(url);
    cw_config_clear(&config);
}

TestSuite(trap, .init = setup, .fini = teardown);

static void create(void)
{
    cr_assert_eq(cw_scope_trap_create(&config, &trap), CRAWL_OK);
}

static void parse(const char *text)
{
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK, "%s", text);
}

/* Returns the record of the host of `url`, as a visit has it. */
static cw_host_record *host(void)
{
    crawl_buf origin = {0};
    bool first;
    cr_assert_eq(crawl_url_origin(url, &origin), CRAWL_OK);
    cw_host_record *one = cw_host_table_get(table, crawl_buf_slice(&origin));
    crawl_buf_free(&origin);
    cr_assert_not_null(one);
    if (book)
        cr_assert_not_null(cw_host_record_rules(one, book, &first));
    return one;
}

static crawl_trap shape(const char *text)
{
    parse(text);
    return cw_scope_shape_judge(&config, url);
}

static crawl_trap check(const char *text)
{
    parse(text);
    return cw_scope_trap_check(trap, url, crawl_url_href(url));
}

static crawl_trap take(const char *text)
{
    crawl_trap full;
    parse(text);
    cr_assert_eq(cw_scope_trap_take(trap, host(), 0, &full), CRAWL_OK);
    return full;
}

static void expect(crawl_trap got, crawl_trap wanted, const char *text)
{
    cr_expect_eq(got, wanted, "%s: \"%s\"", text, crawl_trap_name(got));
}

Test(trap, the_defaults_let_real_sites_pass)
{
    static const char *const real[] = {
        "http://a.example/",
        "http://a.example/2020/01/01/01/01",
        "http://a.example/a/b/a/b/a/b",
        "http://a.example/docs/docs/docs/api/api",
        "http://a.example//x//y//",
        "http://a.example/a/very/deep/but/honest/path/with/many/different/segments/in/it/index.html?with=query&and=more",
    };
    for (size_t i = 0; i < sizeof real / sizeof *real; i++)
        expect(shape(real[i]), CRAWL_TRAP_NONE, real[i]);
}

Test(trap, repeated_segments_and_sequences)
{
    config.max_repeats = 3;
    expect(shape("http://a.example/x/x/x"), CRAWL_TRAP_NONE, "three times");
    expect(shape("http://a.example/x/x/x/x"), CRAWL_TRAP_REPEATS, "four times");
    expect(shape("http://a.example/b/x/x/x/x/c.html"), CRAWL_TRAP_REPEATS, "in the middle");
    expect(shape("http://a.example/x/y/x/y/x/y"), CRAWL_TRAP_NONE, "two segments, three times");
    expect(shape("http://a.example/x/y/x/y/x/y/x/z"), CRAWL_TRAP_NONE, "and a half");
    expect(shape("http://a.example/x/y/x/y/x/y/x/y"), CRAWL_TRAP_REPEATS, "two segments, four times");
    expect(shape("http://a.example/a/b/c/a/b/c/a/b/c/a/b/c"), CRAWL_TRAP_REPEATS, "three segments");
    expect(shape("http://a.example/x/1/x/2/x/3/x/4/x/5"), CRAWL_TRAP_NONE, "not in a row");
    expect(shape("http://a.example/x/xx/xxx/xxxx"), CRAWL_TRAP_NONE, "others");
    expect(shape("http://a.example/?q=x/x/x/x/x"), CRAWL_TRAP_NONE, "a query is no path");
    config.max_repeats = 0;
    config.max_path_depth = 0;
    expect(shape("http://a.example/x/x/x/x/x/x/x/x/x/x/x/x"), CRAWL_TRAP_NONE, "off");
}

Test(trap, length_and_depth)
{
    config.max_url = 30;
    expect(shape("http://a.example/123456789012"), CRAWL_TRAP_NONE, "29 bytes");
    expect(shape("http://a.example/1234567890123"), CRAWL_TRAP_NONE, "30 bytes");
    expect(shape("http://a.example/12345678901234"), CRAWL_TRAP_LENGTH, "31 bytes");
    expect(shape("http://a.example/123#fragments-are-never-sent"), CRAWL_TRAP_NONE, "fragment");
    config.max_path_depth = 3;
    expect(shape("http://a.example/1/2/3"), CRAWL_TRAP_NONE, "three");
    expect(shape("http://a.example/1/2/3/"), CRAWL_TRAP_NONE, "the slash at the end is none");
    expect(shape("http://a.example/1/2/3/4"), CRAWL_TRAP_DEPTH, "four");
}

Test(trap, a_hostile_path_is_looked_at_in_bounds)
{
    static char text[CRAWL_URL_MAX_INPUT];
    config.max_url = config.max_path_depth = 0;
    int at = snprintf(text, sizeof text, "http://a.example");
    for (size_t i = 0; (size_t)at + 8 < sizeof text; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "/%zu", i % 17);
    expect(shape(text), CRAWL_TRAP_NONE, "a period of 17");
    config.max_path_depth = 1000;
    expect(shape(text), CRAWL_TRAP_DEPTH, "thousands of segments");
}

Test(trap, distinct_queries_of_a_path)
{
    config.max_queries = 3;
    create();
    static const char *const first[] = {"http://a.example/s?q=1", "http://a.example/s?q=2", "http://a.example/s?q=3"};
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < 3; i++)
            expect(check(first[i]), CRAWL_TRAP_NONE, "the same ones again count once");
    expect(check("http://a.example/s?q=4"), CRAWL_TRAP_QUERIES, "a fourth");
    expect(check("http://a.example/s"), CRAWL_TRAP_NONE, "no query");
    expect(check("http://a.example/t?q=4"), CRAWL_TRAP_NONE, "another path");
    expect(check("http://b.example/s?q=4"), CRAWL_TRAP_NONE, "another host");
    expect(check(first[0]), CRAWL_TRAP_NONE, "one of the first");
}

Test(trap, pages_of_a_host)
{
    config.max_pages_per_host = 2;
    create();
    expect(take("http://a.example/1"), CRAWL_TRAP_NONE, "first");
    expect(check("http://a.example/3"), CRAWL_TRAP_NONE, "links until the limit is reached");
    expect(take("https://a.example:444/2"), CRAWL_TRAP_NONE, "second, by another port");
    expect(take("http://a.example/3"), CRAWL_TRAP_HOST_PAGES, "third");
    expect(check("http://a.example/4"), CRAWL_TRAP_HOST_PAGES, "links after");
    expect(take("http://www.a.example/1"), CRAWL_TRAP_NONE, "another host");
    parse("http://a.example/2");
    cw_scope_trap_return(trap, host(), 0);
    expect(take("http://a.example/3"), CRAWL_TRAP_NONE, "one was given back");
    expect(take("http://a.example/4"), CRAWL_TRAP_HOST_PAGES, "full again");
}

Test(trap, a_host_may_have_its_own_limit)
{
    crawl_error error;
    cr_assert_eq(crawl_config_set(&config, "host a.example.max_pages", "1", &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(cw_host_book_create(&config, &book, &error), CRAWL_OK, "%s", error.message);
    create();
    cw_scope_trap_set_hosts(trap, book);
    expect(take("http://a.example/1"), CRAWL_TRAP_NONE, "first");
    expect(take("http://a.example/2"), CRAWL_TRAP_HOST_PAGES, "second");
    expect(check("http://a.example/3"), CRAWL_TRAP_HOST_PAGES, "a link");
    expect(take("http://b.example/1"), CRAWL_TRAP_NONE, "another host has no limit");
    expect(take("http://b.example/2"), CRAWL_TRAP_NONE, "nor later");
    parse("http://a.example/1");
    cw_scope_trap_return(trap, host(), 0);
    expect(take("http://a.example/2"), CRAWL_TRAP_NONE, "one was given back");
    cw_host_book_free(book);
}

/* Starts another process on the same frontier. */
static void begin_anew(crawl_frontier *frontier)
{
    cw_scope_trap_free(trap);
    cw_host_table_free(table);
    table = cw_host_table_create(0);
    create();
    cr_assert_eq(cw_scope_trap_keep(trap, frontier), CRAWL_OK);
}

Test(trap, pages_that_are_over_count_in_later_runs)
{
    crawl_frontier_options options;
    crawl_frontier *frontier = NULL;
    crawl_frontier_options_init(&options, sizeof options);
    cr_assert_eq(crawl_frontier_create(&options, &frontier, NULL), CRAWL_OK);
    config.max_pages_per_host = 3;
    config.max_pages_per_domain = 4;
    begin_anew(frontier);
    expect(take("http://a.site.example/1"), CRAWL_TRAP_NONE, "first");
    cr_assert_eq(cw_scope_trap_settle(trap, host()), CRAWL_OK);
    expect(take("http://a.site.example/2"), CRAWL_TRAP_NONE, "second, in flight at the end");
    begin_anew(frontier);
    for (int i = 2; i <= 3; i++) {
        expect(take("http://a.site.example/2"), CRAWL_TRAP_NONE, "second and third");
        cr_assert_eq(cw_scope_trap_settle(trap, host()), CRAWL_OK);
    }
    begin_anew(frontier);
    expect(take("http://a.site.example/4"), CRAWL_TRAP_HOST_PAGES, "fourth of the host");
    expect(check("http://a.site.example/5"), CRAWL_TRAP_HOST_PAGES, "a link");
    expect(take("http://b.site.example/1"), CRAWL_TRAP_NONE, "fourth of the domain");
    expect(take("http://c.site.example/1"), CRAWL_TRAP_DOMAIN_PAGES, "fifth of the domain");
    crawl_frontier_free(frontier);
}

Test(trap, queries_count_in_later_runs)
{
    crawl_frontier_options options;
    crawl_frontier *frontier = NULL;
    crawl_frontier_options_init(&options, sizeof options);
    cr_assert_eq(crawl_frontier_create(&options, &frontier, NULL), CRAWL_OK);
    config.max_queries = 3;
    begin_anew(frontier);
    expect(check("http://a.example/s?q=1"), CRAWL_TRAP_NONE, "first");
    cr_assert_eq(cw_scope_trap_flush(trap), CRAWL_OK);
    expect(check("http://a.example/s?q=1"), CRAWL_TRAP_NONE, "again");
    expect(check("http://a.example/s?q=2"), CRAWL_TRAP_NONE, "second");
    cr_assert_eq(cw_scope_trap_flush(trap), CRAWL_OK);
    expect(check("http://a.example/s?q=lost"), CRAWL_TRAP_NONE, "the last moment of a run that is killed");
    for (int run = 0; run < 2; run++) {
        begin_anew(frontier);
        expect(check("http://a.example/s?q=3"), CRAWL_TRAP_NONE, "third");
        expect(check("http://a.example/s?q=4"), CRAWL_TRAP_QUERIES, "fourth");
        expect(check("http://a.example/s?q=1"), CRAWL_TRAP_NONE, "one of the first run");
        expect(check("http://a.example/t?q=4"), CRAWL_TRAP_NONE, "another path");
        cr_assert_eq(cw_scope_trap_flush(trap), CRAWL_OK);
    }
    config.max_queries = 4;
    begin_anew(frontier);
    expect(check("http://a.example/s?q=4"), CRAWL_TRAP_NONE, "a limit of more");
    expect(check("http://a.example/s?q=5"), CRAWL_TRAP_QUERIES, "and no more");
    crawl_frontier_free(frontier);
}

Test(trap, many_queries_fit_into_notes)
{
    enum { QUERIES = 70000 }; /* of 32 bytes: more than one note holds */
    char text[64];
    crawl_frontier_options options;
    crawl_frontier *frontier = NULL;
    crawl_frontier_options_init(&options, sizeof options);
    cr_assert_eq(crawl_frontier_create(&options, &frontier, NULL), CRAWL_OK);
    config.max_queries = QUERIES;
    begin_anew(frontier);
    for (int i = 0; i < QUERIES; i++) {
        snprintf(text, sizeof text, "http://a.example/s?q=%d", i);
        cr_assert_eq(check(text), CRAWL_TRAP_NONE);
    }
    cr_assert_eq(cw_scope_trap_flush(trap), CRAWL_OK);
    begin_anew(frontier);
    expect(check("http://a.example/s?q=69999"), CRAWL_TRAP_NONE, "the last one");
    expect(check("http://a.example/s?q=70000"), CRAWL_TRAP_QUERIES, "one more");
    crawl_frontier_free(frontier);
}

Test(trap, pages_of_a_registrable_domain)
{
    config.max_pages_per_domain = 2;
    create();
    expect(take("http://a.site.co.uk/"), CRAWL_TRAP_NONE, "first");
    expect(take("http://b.site.co.uk/"), CRAWL_TRAP_NONE, "second");
    expect(take("http://site.co.uk/"), CRAWL_TRAP_DOMAIN_PAGES, "third");
    expect(check("http://c.site.co.uk/x"), CRAWL_TRAP_DOMAIN_PAGES, "links after");
    expect(take("http://other.co.uk/"), CRAWL_TRAP_NONE, "co.uk is no domain that one can register");
    expect(take("http://192.0.2.1/"), CRAWL_TRAP_NONE, "an address");
}

Test(trap, every_limit_has_the_name_of_its_setting)
{
    crawl_error error;
    for (int i = 1; i < CRAWL_TRAP_COUNT; i++)
        cr_expect_eq(
            crawl_config_set(&config, crawl_trap_name((crawl_trap)i), i == CRAWL_TRAP_LENGTH ? "1KiB" : "7", &error),
            CRAWL_OK, "%s", crawl_trap_name((crawl_trap)i));
    cr_expect_str_eq(crawl_trap_name(CRAWL_TRAP_NONE), "");
}
