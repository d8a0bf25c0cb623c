/* A jar that is one of several: its watcher is asked before any change, and the knowledge of others about a host
 * replaces its own, except cookies that were set later. */
#include <crawl/fetch.h>

#include <criterion/criterion.h>
#include <stdio.h>

#define NOW ((int64_t)1700000000000) /* 14 November 2023, in ms */
#define URL "http://www.shop.test:81/a/b"

static crawl_jar *jar;
static char told[200]; /* of the last call of the watch */
static unsigned calls;
static int64_t now_set;
static crawl_err answer;

static crawl_err on_set(void *user, const crawl_jar_source *source, crawl_jar_cookie *cookie)
{
    char host[CRAWL_JAR_HOST_MAX + 1];
    crawl_slice site;
    cr_expect_eq(user, &calls);
    calls++;
    cr_expect_eq(crawl_jar_host(crawl_slice_from(URL), host, &site), CRAWL_OK, "it may be called here");
    snprintf(told, sizeof told, "%.*s %s%s %s=%.*s %.*s", (int)source->origin.size,
             source->origin.size ? source->origin.data : "", source->is_known ? "known " : "",
             cookie->is_deleted ? "deleted" : "set", cookie->name.size ? "a" : "", (int)cookie->value.size,
             cookie->value.size ? cookie->value.data : "", (int)cookie->host.size, cookie->host.data);
    cr_expect_eq(cookie->host.data[cookie->host.size], '\0');
    if (!cookie->set_ms)
        cookie->set_ms = now_set;
    return answer;
}

static void init(void)
{
    const crawl_jar_watch watch = {.size = sizeof watch, .on_set = on_set, .user = &calls};
    cr_assert_eq(crawl_jar_create(true, &jar), CRAWL_OK);
    cr_assert_eq(crawl_jar_set_watch(jar, &watch), CRAWL_OK);
    now_set = 100;
    answer = CRAWL_OK;
}

static void fini(void)
{
    crawl_jar_free(jar);
}

TestSuite(jar_watch, .init = init, .fini = fini);

static crawl_err set_at(const char *field, int64_t now_ms)
{
    return crawl_jar_set(jar, crawl_slice_from(URL), crawl_slice_from(field), now_ms);
}

static void expect_told(const char *field, const char *what)
{
    told[0] = '\0';
    cr_expect_eq(set_at(field, NOW), CRAWL_OK);
    cr_expect_str_eq(told, what, "%s: %s", field, told);
}

static void expect_sent_at(const char *cookies, int64_t now_ms)
{
    crawl_buf out = {0};
    cr_expect_eq(crawl_jar_get(jar, crawl_slice_from(URL), (crawl_slice){0}, now_ms, &out), CRAWL_OK);
    cr_expect_str_eq(out.size ? out.data : "", cookies, "%s", out.size ? out.data : "");
    crawl_buf_free(&out);
}

static void expect_sent(const char *cookies)
{
    expect_sent_at(cookies, NOW);
}

Test(jar_watch, is_told_what_changes)
{
    expect_told("a=1", "http://www.shop.test:81 set a=1 www.shop.test");
    expect_told("a=1", "http://www.shop.test:81 known set a=1 www.shop.test");
    expect_told("a=2", "http://www.shop.test:81 set a=2 www.shop.test");
    expect_told("a=2; HttpOnly", "http://www.shop.test:81 set a=2 www.shop.test");
    expect_told("a=3; Domain=shop.test", "http://www.shop.test:81 set a=3 shop.test");
    expect_sent("a=2; a=3");
    expect_told("a=; Max-Age=0; Domain=shop.test", "http://www.shop.test:81 deleted a= shop.test");
    expect_told("a=; Max-Age=0; Domain=shop.test", "http://www.shop.test:81 known deleted a= shop.test");
    expect_sent("a=2");
}

Test(jar_watch, what_only_lasts_a_little_longer_is_known)
{
    expect_told("a=1; Max-Age=800", "http://www.shop.test:81 set a=1 www.shop.test");
    cr_expect_eq(set_at("a=1; Max-Age=800", NOW + 88000), CRAWL_OK);
    cr_expect_str_eq(told, "http://www.shop.test:81 known set a=1 www.shop.test");
    expect_sent_at("", NOW + 800000);
    cr_expect_eq(set_at("a=1; Max-Age=800", NOW + 90000), CRAWL_OK);
    cr_expect_str_eq(told, "http://www.shop.test:81 set a=1 www.shop.test");
    expect_sent_at("a=1", NOW + 800000);
    cr_expect_eq(set_at("a=1; Max-Age=700", NOW + 90000), CRAWL_OK);
    cr_expect_str_eq(told, "http://www.shop.test:81 set a=1 www.shop.test", "it ends sooner");
}

Test(jar_watch, may_refuse)
{
    answer = CRAWL_REFUSED;
    cr_expect_eq(set_at("a=1", NOW), CRAWL_REFUSED);
    expect_sent("");
    answer = CRAWL_OK;
    cr_expect_eq(set_at("a=1", NOW), CRAWL_OK);
    answer = CRAWL_REFUSED;
    cr_expect_eq(set_at("a=; Max-Age=0", NOW), CRAWL_REFUSED);
    expect_sent("a=1");
}

Test(jar_watch, is_told_of_a_file)
{
    const char *file = "shop.test\tTRUE\t/\tFALSE\t0\ta\t1\n";
    cr_expect_eq(crawl_jar_read(jar, "file", crawl_slice_from(file), false, NOW, NULL), CRAWL_OK);
    cr_expect_str_eq(told, " set a=1 shop.test");
    expect_sent("a=1");
}

static crawl_jar_cookie cookie(const char *name, const char *value, int64_t set_ms)
{
    return (crawl_jar_cookie){.name = crawl_slice_from(name),
                              .value = crawl_slice_from(value),
                              .path = crawl_slice_from("/"),
                              .expires_ms = INT64_MAX,
                              .is_host_only = true,
                              .set_ms = set_ms};
}

static void replace(const crawl_jar_cookie *cookies, size_t count, int64_t as_of_ms)
{
    cr_expect_eq(crawl_jar_replace(jar, crawl_slice_from("www.shop.test"), cookies, count, as_of_ms, NOW), CRAWL_OK);
}

Test(jar_watch, what_others_know_takes_the_place)
{
    cr_expect_eq(set_at("a=1; path=/", NOW), CRAWL_OK);
    cr_expect_eq(set_at("b=1; path=/", NOW), CRAWL_OK);
    unsigned before = calls;
    crawl_jar_cookie theirs[] = {cookie("a", "2", 150), cookie("c", "3", 50)};
    replace(theirs, 2, 200);
    expect_sent("a=2; c=3");
    theirs[1].is_deleted = true;
    replace(theirs, 2, 200);
    expect_sent("a=2");
    theirs[0].expires_ms = NOW - 1;
    replace(theirs, 2, 200);
    expect_sent("");
    cr_expect_eq(calls, before, "nobody is told what they know");
}

Test(jar_watch, what_was_set_later_here_stays_and_is_told_again)
{
    now_set = 300;
    cr_expect_eq(set_at("a=mine; path=/", NOW), CRAWL_OK);
    cr_expect_eq(set_at("b=mine; path=/", NOW), CRAWL_OK);
    unsigned before = calls;
    crawl_jar_cookie theirs[] = {cookie("a", "older", 299)};
    replace(theirs, 1, 300);
    expect_sent("a=mine; b=mine");
    cr_expect_eq(calls, before + 1);
    cr_expect_str_eq(told, " set a=mine www.shop.test");
    theirs[0].is_deleted = true;
    replace(theirs, 1, 300);
    cr_expect_eq(calls, before + 2);
    theirs[0] = cookie("a", "mine", 299);
    replace(theirs, 1, 300);
    cr_expect_eq(calls, before + 2, "it is the same");
    replace(NULL, 0, 301);
    expect_sent("");
}

/* A cookie that every response sets again, unchanged, is as new as the last of them. */
Test(jar_watch, what_is_set_again_was_set_later)
{
    cr_expect_eq(set_at("a=1; path=/", NOW), CRAWL_OK);
    now_set = 300;
    cr_expect_eq(set_at("a=1; path=/", NOW), CRAWL_OK);
    crawl_jar_cookie theirs[] = {cookie("a", "", 200)};
    theirs[0].is_deleted = true;
    replace(theirs, 1, 250);
    expect_sent("a=1");
}

Test(jar_watch, hosts_and_their_sites)
{
    static const struct {
        const char *url, *host, *site;
    } cases[] = {
        {"http://www.shop.example/a", "www.shop.example", "shop.example"},
        {"https://a.b.shop.co.uk:8443", "a.b.shop.co.uk", "shop.co.uk"},
        {"http://co.uk/", "co.uk", "co.uk"},
        {"http://localhost:80/", "localhost", "localhost"},
        {"http://127.0.0.1/", "127.0.0.1", "127.0.0.1"},
        {"http://[::1]:80/", "::1", "::1"},
        {"http://Shop.Example./", "shop.example", "shop.example"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char host[CRAWL_JAR_HOST_MAX + 1];
        crawl_slice site;
        cr_expect_eq(crawl_jar_host(crawl_slice_from(cases[i].url), host, &site), CRAWL_OK);
        cr_expect_str_eq(host, cases[i].host);
        cr_expect(crawl_slice_equal(site, crawl_slice_from(cases[i].site)), "%s", cases[i].url);
    }
    char host[CRAWL_JAR_HOST_MAX + 1];
    crawl_slice site;
    cr_expect_eq(crawl_jar_host(crawl_slice_from("ftp://a/"), host, &site), CRAWL_EPARSE);
}
