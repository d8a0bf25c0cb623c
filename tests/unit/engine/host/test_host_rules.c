/* Which sections apply to an origin, and their values for it. */
#include "config/config_values.h"
#include "crawler/engine/host/rules/host_rules.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

static crawl_config config;
static cw_host_book *book;
static crawl_error error;

static void init(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    book = NULL;
    error = (crawl_error){0};
}

static void fini(void)
{
    cw_host_book_free(book);
    cw_config_clear(&config);
}

TestSuite(host_rules, .init = init, .fini = fini);

static void set(const char *key, const char *value)
{
    cr_assert_eq(crawl_config_set(&config, key, value, &error), CRAWL_OK, "%s", error.message);
}

static void make(void)
{
    cr_assert_eq(cw_host_book_create(&config, &book, &error), CRAWL_OK, "%s", error.message);
}

static const cw_host_rules *rules(const char *origin)
{
    const cw_host_rules *found = cw_host_book_find(book, crawl_slice_from(origin));
    cr_assert_not_null(found);
    return found;
}

static void name_seed(const char *text)
{
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK);
    cr_assert_eq(cw_host_book_name(book, url), CRAWL_OK);
    crawl_url_free(url);
}

static void add_user(const char *text, const char *user, const char *password)
{
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK);
    cr_assert_eq(cw_host_book_add_user(book, url, crawl_slice_from(user), crawl_slice_from(password)), CRAWL_OK);
    crawl_url_free(url);
}

static void expect_headers(const char *origin, const char *wanted)
{
    const char *found = rules(origin)->access.headers;
    cr_expect_str_eq(found ? found : "", wanted, "%s", origin);
}

Test(host_rules, without_sections_all_hosts_share_the_defaults)
{
    set("crawl.max_pages_per_host", "9");
    make();
    const cw_host_rules *one = rules("http://a");
    cr_expect_eq(one, rules("https://b:8080"));
    cr_expect_not(one->has_access);
    cr_expect_eq(one->delay_ms, -1);
    cr_expect_eq(one->per_host, config.per_host);
    cr_expect_eq(one->max_pages, 9);
    cr_expect(one->share == 1);
    cr_expect_not(cw_host_book_limit_pages(book));
    cr_expect_eq(cw_host_book_most_at_once(book), config.per_host);
}

Test(host_rules, numbers_hold_key_by_key)
{
    set("host *.example.com.delay", "1s");
    set("host *.example.com.share", "2");
    set("host *.b.example.com.delay", "2s");
    set("host a.b.example.com.per_host", "9");
    set("host a.b.example.com:8080.delay", "0ms");
    set("host https://a.b.example.com.max_pages", "5");
    make();
    cr_expect_eq(rules("http://a.b.example.com")->delay_ms, 2000);
    cr_expect_eq(rules("http://a.b.example.com:8080")->delay_ms, 0);
    cr_expect_eq(rules("http://a.b.example.com")->per_host, 9);
    cr_expect_eq(rules("http://a.b.example.com")->max_pages, 0);
    cr_expect_eq(rules("https://a.b.example.com")->max_pages, 5);
    cr_expect(rules("https://a.b.example.com")->share == 2);
    cr_expect_eq(rules("http://b.example.com")->delay_ms, 1000);
    cr_expect_eq(rules("http://example.com")->delay_ms, -1);
    cr_expect_eq(rules("http://badexample.com")->delay_ms, -1);
    cr_expect(cw_host_book_limit_pages(book));
    cr_expect_eq(cw_host_book_most_at_once(book), 9);
}

Test(host_rules, what_identifies_goes_where_the_name_means)
{
    set("host plain.test.header", "X: plain");
    set("host http://scheme.test.header", "X: scheme");
    set("host port.test:81.header", "X: port");
    set("host *.wild.test.header", "X: wild");
    make();
    expect_headers("https://plain.test", "X: plain\n");
    expect_headers("http://plain.test", "");
    expect_headers("https://plain.test:444", "");
    expect_headers("http://scheme.test", "X: scheme\n");
    expect_headers("https://scheme.test", "");
    expect_headers("http://scheme.test:81", "");
    expect_headers("http://port.test:81", "X: port\n");
    expect_headers("https://port.test:81", "X: port\n");
    expect_headers("http://port.test", "");
    expect_headers("https://a.wild.test", "X: wild\n");
    expect_headers("https://wild.test", "");
    name_seed("http://plain.test:444/x");
    name_seed("http://b.wild.test/");
    expect_headers("http://plain.test:444", "X: plain\n");
    expect_headers("https://plain.test:444", "");
    expect_headers("http://b.wild.test", "X: wild\n");
    expect_headers("http://c.wild.test", "");
}

Test(host_rules, headers_by_name)
{
    set("fetch.header", "A: all");
    set("fetch.header", "B: all");
    set("fetch.header", "C: all");
    set("host *.test.header", "a: wild");
    set("host *.test.header", "D: wild");
    set("host h.test.header", "d: own");
    set("host h.test.header", "B:");
    make();
    expect_headers("https://h.test", "d: own\na: wild\nC: all\nB: \n");
    expect_headers("https://i.test", "a: wild\nD: wild\nB: all\nC: all\n");
    expect_headers("http://h.test", "A: all\nB: all\nC: all\n");
}

Test(host_rules, the_most_particular_authorization)
{
    set("host *.test.user", "u");
    set("host *.test.password", "p");
    set("host b.test.bearer", "token");
    set("host c.test.password", "q");
    set("host d.test.header", "Authorization: own");
    set("host e.test.user", "e");
    make();
    expect_headers("https://a.test", "Authorization: Basic dTpw\n");
    expect_headers("https://b.test", "Authorization: Bearer token\n");
    expect_headers("https://c.test", "Authorization: Basic dTpx\n");
    expect_headers("https://d.test", "Authorization: own\n");
    expect_headers("https://e.test", "Authorization: Basic ZTpw\n");
    add_user("https://b.test/x", "u", "p");
    add_user("https://b.test/y", "u", "p");
    expect_headers("https://b.test", "Authorization: Basic dTpw\n");
    add_user("https://b.test", "u", "q");
    expect_headers("https://b.test", "Authorization: Basic dTpx\n");
    expect_headers("http://b.test", "");
}

Test(host_rules, proxies_and_certificates)
{
    char file[] = "/tmp/crawl-host-rules-XXXXXX";
    int fd = mkstemp(file);
    cr_assert_geq(fd, 0);
    close(fd);
    set("fetch.proxy", "http://p:1");
    set("fetch.no_proxy", "off.test");
    set("fetch.client_cert", file);
    set("fetch.client_key", file);
    set("host own.test.proxy", "socks5://q:2");
    set("host direct.test.proxy", "direct");
    set("host cert.test.client_cert", file);
    make();
    cr_expect_str_eq(rules("http://a.test")->access.proxy, "http://p:1");
    cr_expect_null(rules("http://off.test")->access.proxy);
    cr_expect_str_eq(rules("http://own.test")->access.proxy, "socks5://q:2");
    cr_expect_null(rules("http://direct.test")->access.proxy);
    cr_expect_not_null(rules("https://a.test")->access.client_key);
    cr_expect_not_null(rules("https://cert.test")->access.client_cert);
    cr_expect_null(rules("https://cert.test")->access.client_key);
    cr_expect_not_null(rules("http://cert.test")->access.client_key);
    unlink(file);
}

Test(host_rules, names_are_those_of_urls)
{
    set("host \xc3\xbc"
        "ber.test:443.delay",
        "1s");
    set("host [0:0::1]:8080.delay", "2s");
    set("host 0x7f.1.delay", "3s");
    make();
    cr_expect_eq(rules("https://xn--ber-goa.test")->delay_ms, 1000);
    cr_expect_eq(rules("http://[::1]:8080")->delay_ms, 2000);
    cr_expect_eq(rules("http://127.0.0.1")->delay_ms, 3000);
}

Test(host_rules, a_group_stands_for_a_section_of_each_of_its_hosts)
{
    set("group shop.hosts", "*.Shop.example, a.example https://b.example:8443");
    set("group shop.delay", "2s");
    set("group shop.rate_limit", "1M");
    set("group other.hosts", "c.example");
    set("host x.shop.example.delay", "3s");
    set("host y.shop.example.rate_limit", "2M");
    set("host a.example.per_host", "7");
    make();
    const char *members[] = {"http://w.shop.example", "https://x.shop.example", "http://y.shop.example:81",
                             "http://a.example", "https://b.example:8443"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        cr_expect(crawl_slice_equal(rules(members[i])->group, crawl_slice_from("shop")), "%s", members[i]);
    cr_expect(crawl_slice_equal(rules("http://c.example")->group, crawl_slice_from("other")));
    const char *others[] = {"http://shop.example", "http://b.example", "http://b.a.example"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect_eq(rules(others[i])->group.size, 0, "%s", others[i]);
    cr_expect_eq(rules("http://w.shop.example")->delay_ms, 2000);
    cr_expect_eq(rules("http://x.shop.example")->delay_ms, 3000);
    cr_expect_eq(rules("http://a.example")->delay_ms, 2000);
    cr_expect_eq(rules("http://a.example")->per_host, 7);
    cr_assert_not_null(rules("http://a.example")->group_rate);
    cr_expect_eq(crawl_fetch_rate_get(rules("http://a.example")->group_rate), 1000000);
    cr_expect_eq(rules("http://a.example")->group_rate, rules("http://w.shop.example")->group_rate);
    cr_expect_null(rules("http://y.shop.example")->group_rate, "it has its own");
    cr_expect_null(rules("http://c.example")->group_rate);
}

Test(host_rules, mistakes_of_groups)
{
    static const char *const cases[][3] = {
        {"group shop.delay", "1s", "[group shop] needs hosts, as hosts = *.shop.example a.example"},
        {"group shop.hosts", " , ", "[group shop] needs hosts, as hosts = *.shop.example a.example"},
        {"group shop.hosts", "a.example b.example/c", "[group shop]: not a host name: b.example/c"},
        {"group shop.hosts", "a.example *", "[group shop]: not a host name: *"},
        {"host shop.hosts", "a.example", "[host shop] hosts: only a [group NAME] has hosts"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set(cases[i][0], cases[i][1]);
        cr_expect_eq(cw_host_book_create(&config, &book, &error), CRAWL_EINVAL, "%s", cases[i][1]);
        cr_expect_str_eq(error.message, cases[i][2]);
        fini();
        init();
    }
}

Test(host_rules, mistakes)
{
    set("host c.password_file", "/nowhere/at/all");
    cr_expect_eq(cw_host_book_create(&config, &book, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message, "[host c] password_file: /nowhere/at/all: No such file or directory");
    cr_expect_null(book);
    fini();
    init();
    set("host a.user", "u:v");
    cr_expect_eq(cw_host_book_create(&config, &book, &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "[host a] user: a user name cannot contain a colon (RFC 7617, 2)");
    fini();
    init();
    set("host 1.2.3.4.5.delay", "1s");
    cr_expect_eq(cw_host_book_create(&config, &book, &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "[host 1.2.3.4.5]: not a host name: 1.2.3.4.5");
}
