/* Which cookies are stored and sent (RFC 6265, 5.3 and 5.4; rfc6265bis, 5.7 and 5.8); limits, and which cookies make
 * room. */
#include "fetch/cookies/cookie_shard.h"
#include "fetch/cookies/cookie_store.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define NOW ((int64_t)1700000000000)
#define ROOM ((size_t)256 << 20)

static cw_cookie_cookies *cookies;

static void init(void)
{
    cookies = cw_cookies_create(ROOM);
    cr_assert_not_null(cookies);
}

static void fini(void)
{
    cw_cookies_free(cookies);
}

TestSuite(cookie_store, .init = init, .fini = fini);

static crawl_err set_at(const char *url, const char *field, int64_t now_ms)
{
    cw_cookie_place place;
    cr_assert_eq(cw_cookie_place_of(crawl_slice_from(url), &place), CRAWL_OK, "%s", url);
    return cw_cookies_set(cookies, &place, crawl_slice_from(field), now_ms);
}

static crawl_err set(const char *url, const char *field)
{
    return set_at(url, field, NOW);
}

/* Returns the cookies sent to a URL, valid until the next call. */
static const char *sent_at(const char *url, const char *given, int64_t now_ms)
{
    static char text[16384];
    cw_cookie_place place;
    crawl_buf out = {0};
    cr_assert_eq(cw_cookie_place_of(crawl_slice_from(url), &place), CRAWL_OK, "%s", url);
    cr_assert_eq(cw_cookies_get(cookies, &place, crawl_slice_from(given), now_ms, &out), CRAWL_OK);
    snprintf(text, sizeof text, "%s", out.data ? out.data : "");
    crawl_buf_free(&out);
    return text;
}

static const char *sent(const char *url)
{
    return sent_at(url, "", NOW);
}

static cw_cookies_stats stats(void)
{
    cw_cookies_stats stats;
    cw_cookies_stats_get(cookies, &stats);
    return stats;
}

/* ---- one response, one request ---- */

typedef struct row {
    const char *from, *field, *to, *sent;
} row;

static const row rows[] = {
    /* hosts that receive it */
    {"http://example.com/", "a=b", "http://example.com/", "a=b"},
    {"http://example.com/", "a=b", "http://EXAMPLE.com./", "a=b"},
    {"http://example.com/", "a=b", "https://example.com:8443/x", "a=b"},
    {"http://example.com/", "a=b", "http://www.example.com/", ""},
    {"http://www.example.com/", "a=b", "http://example.com/", ""},
    {"http://www.example.com/", "a=b; Domain=example.com", "http://example.com/", "a=b"},
    {"http://www.example.com/", "a=b; Domain=.Example.Com", "http://x.y.example.com/", "a=b"},
    {"http://www.example.com/", "a=b; Domain=example.com", "http://aexample.com/", ""},
    {"http://example.com/", "a=b; Domain=www.example.com", "http://www.example.com/", ""},
    {"http://a.example.com/", "a=b; Domain=b.example.com", "http://b.example.com/", ""},
    {"http://example.com/", "a=b; Domain=other.org", "http://example.com/", ""},
    {"http://example.com/", "a=b; Domain=\xc3\xa4.com", "http://example.com/", ""},
    {"http://example.com/", "a=b; Domain=example.com.", "http://example.com/", ""},
    {"http://a.example.com/", "a=b; Domain=b; Domain=", "http://a.example.com/", "a=b"},
    /* public suffixes */
    {"http://example.com/", "a=b; Domain=com", "http://example.com/", ""},
    {"http://example.co.uk/", "a=b; Domain=co.uk", "http://example.co.uk/", ""},
    {"http://www.example.co.uk/", "a=b; Domain=example.co.uk", "http://example.co.uk/", "a=b"},
    {"http://me.github.io/", "a=b; Domain=github.io", "http://you.github.io/", ""},
    {"http://github.io/", "a=b; Domain=github.io", "http://github.io/", "a=b"},
    {"http://github.io/", "a=b; Domain=github.io", "http://me.github.io/", ""},
    {"http://com/", "a=b; Domain=com", "http://com/", "a=b"},
    {"http://a.localhost/", "a=b; Domain=localhost", "http://b.localhost/", ""},
    /* addresses */
    {"http://192.0.2.1/", "a=b", "http://192.0.2.1/", "a=b"},
    {"http://192.0.2.1/", "a=b; Domain=192.0.2.1", "http://192.0.2.1/", "a=b"},
    {"http://192.0.2.1/", "a=b; Domain=2.1", "http://192.0.2.1/", ""},
    {"http://192.0.2.1/", "a=b; Domain=0.2.1", "http://7.0.2.1/", ""},
    {"http://[2001:db8::1]/", "a=b", "http://[2001:db8::1]:81/", "a=b"},
    /* paths */
    {"http://example.com/x/y", "a=b", "http://example.com/x", "a=b"},
    {"http://example.com/x/y", "a=b", "http://example.com/x/z/w?q", "a=b"},
    {"http://example.com/x/y", "a=b", "http://example.com/xy", ""},
    {"http://example.com/x/y", "a=b; Path=/", "http://example.com/q", "a=b"},
    {"http://example.com/", "a=b; Path=/z", "http://example.com/z/", "a=b"},
    {"http://example.com/", "a=b; Path=/z/", "http://example.com/z", ""},
    {"http://example.com/x/y", "a=b; Path=z", "http://example.com/x/", "a=b"},
    {"http://example.com/x?/y/z", "a=b", "http://example.com/", "a=b"},
    /* TLS */
    {"https://example.com/", "a=b; Secure", "https://example.com/", "a=b"},
    {"https://example.com/", "a=b; Secure", "http://example.com/", ""},
    {"http://example.com/", "a=b; Secure", "https://example.com/", ""},
    {"http://localhost/", "a=b; Secure", "http://localhost/", "a=b"},
    {"http://127.0.0.1/", "a=b; Secure", "http://127.0.0.1/", "a=b"},
    {"http://a.localhost/", "a=b; Secure", "http://a.localhost/", ""},
    /* prefixes */
    {"https://example.com/", "__Secure-a=b; Secure", "https://example.com/", "__Secure-a=b"},
    {"https://example.com/", "__Secure-a=b", "https://example.com/", ""},
    {"http://example.com/", "__secure-a=b; Secure", "https://example.com/", ""},
    {"https://example.com/", "__SECURE-a=b", "https://example.com/", ""},
    {"https://example.com/", "__Host-a=b; Secure; Path=/", "https://example.com/", "__Host-a=b"},
    {"https://example.com/", "__Host-a=b; Path=/", "https://example.com/", ""},
    {"https://example.com/", "__Host-a=b; Secure", "https://example.com/", ""},
    {"https://example.com/", "__Host-a=b; Secure; Path=/x", "https://example.com/x", ""},
    {"https://example.com/", "__Host-a=b; Secure; Path=/; Domain=example.com", "https://example.com/", ""},
    {"https://github.io/", "__Host-a=b; Secure; Path=/; Domain=github.io", "https://github.io/", "__Host-a=b"},
    {"https://example.com/", "__host-a=b; Path=/", "https://example.com/", ""},
    {"https://example.com/", "__Host-a", "https://example.com/", ""},
    {"https://example.com/", "=__Secure-a=b; Secure", "https://example.com/", ""},
    {"https://example.com/", "__Hosta=b", "https://example.com/", "__Hosta=b"},
    /* names, values, times */
    {"http://example.com/", "b", "http://example.com/", "b"},
    {"http://example.com/", "=b=c", "http://example.com/", "b=c"},
    {"http://example.com/", "a=", "http://example.com/", "a="},
    {"http://example.com/", "a=\"b; c\"", "http://example.com/", "a=\"b"},
    {"http://example.com/", "a=b; HttpOnly", "http://example.com/", "a=b"},
    {"http://example.com/", "a=b; SameSite=Strict", "http://example.com/", "a=b"},
    {"http://example.com/", "a=b; Max-Age=0", "http://example.com/", ""},
    {"http://example.com/", "a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://example.com/", ""},
};

Test(cookie_store, one_answer_one_request)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fini();
        init();
        set(rows[i].from, rows[i].field);
        cr_expect_str_eq(sent(rows[i].to), rows[i].sent, "row %zu: %s from %s to %s: %s", i, rows[i].field,
                         rows[i].from, rows[i].to, sent(rows[i].to));
    }
}

Test(cookie_store, longer_paths_first_then_older_ones)
{
    set("http://www.example.com/", "a=1; Path=/");
    set("http://www.example.com/", "b=2; Path=/x/y");
    set("http://www.example.com/", "c=3; Path=/x; Domain=example.com");
    set("http://www.example.com/", "d=4; Path=/; Domain=example.com");
    set("http://www.example.com/", "e=5; Path=/x");
    set("http://www.example.com/", "a=6; Path=/");
    cr_expect_str_eq(sent("http://www.example.com/x/y/z"), "b=2; c=3; e=5; a=6; d=4", "%s",
                     sent("http://www.example.com/x/y/z"));
}

Test(cookie_store, name_domain_path_and_whose_hosts_make_a_cookie)
{
    set("http://example.com/", "a=1");
    set("http://example.com/", "a=2; Domain=example.com");
    set("http://example.com/", "a=3; Path=/x");
    set("http://example.com/", "A=4");
    set("http://example.com/", "a=longer than before");
    cr_expect_str_eq(sent("http://example.com/x"), "a=3; a=longer than before; a=2; A=4");
    cr_expect_eq(stats().cookies, 4);
    set("http://example.com/", "a=; Max-Age=0; Domain=example.com");
    cr_expect_str_eq(sent("http://example.com/"), "a=longer than before; A=4");
    set("http://example.com/", "a=; Max-Age=0");
    set("http://example.com/", "A=; Max-Age=0");
    set("http://example.com/", "a=; Max-Age=0; Path=/x");
    cr_expect_str_eq(sent("http://example.com/x"), "");
    cr_expect_eq(stats().cookies, 0);
    cr_expect_eq(stats().bytes, 0);
}

Test(cookie_store, time_passes)
{
    set("http://example.com/", "a=1; Max-Age=10");
    set("http://example.com/", "b=2; Expires=Tue, 14 Nov 2023 22:13:30 GMT");
    set("http://example.com/", "c=3");
    set("http://example.com/", "d=4; Max-Age=999999999");
    cr_expect_str_eq(sent_at("http://example.com/", "", NOW + 9999), "a=1; b=2; c=3; d=4");
    cr_expect_str_eq(sent_at("http://example.com/", "", NOW + 10000), "c=3; d=4");
    cr_expect_eq(stats().cookies, 2, "what has expired is forgotten when it is met");
    int64_t days = (int64_t)400 * 86400 * 1000;
    cr_expect_str_eq(sent_at("http://example.com/", "", NOW + days - 1), "c=3; d=4");
    cr_expect_str_eq(sent_at("http://example.com/", "", NOW + days), "c=3");
}

Test(cookie_store, secure_ones_are_left_alone)
{
    set("https://example.com/x/", "a=1; Secure; Path=/x");
    cr_expect_eq(set("http://example.com/x/", "a=2; Path=/x"), CRAWL_REFUSED);
    cr_expect_eq(set("http://example.com/x/", "a=2; Path=/x/y"), CRAWL_REFUSED);
    cr_expect_eq(set("http://example.com/x/", "a=; Max-Age=0; Path=/x"), CRAWL_REFUSED);
    cr_expect_eq(set("http://example.com/x/", "a=2; Path=/"), CRAWL_OK, "it stands behind the secure one");
    cr_expect_eq(set("http://example.com/x/", "b=2; Path=/x"), CRAWL_OK);
    cr_expect_eq(set("http://www.example.com/x/", "a=2; Path=/x; Domain=example.com"), CRAWL_REFUSED,
                 "from below, too");
    cr_expect_str_eq(sent("https://example.com/x"), "a=1; b=2; a=2");
    set("https://example.com/", "c=1; Secure; Domain=example.com; Max-Age=10");
    cr_expect_eq(set("http://www.example.com/", "c=2"), CRAWL_REFUSED);
    cr_expect_eq(set_at("http://www.example.com/", "c=2", NOW + 10000), CRAWL_OK, "it has expired");
    cr_expect_eq(set("https://example.com/x/", "a=3; Path=/x"), CRAWL_OK);
    cr_expect_str_eq(sent("http://example.com/x"), "a=3; b=2; a=2");
}

Test(cookie_store, what_the_request_has_of_its_own_goes_before)
{
    set("http://example.com/", "a=1");
    set("http://example.com/", "b=2");
    set("http://example.com/", "cc=3");
    cr_expect_str_eq(sent_at("http://example.com/", "x=0; b=9;c=8", NOW), "a=1; cc=3");
}

/* ---- bounds ---- */

static crawl_err set_number(const char *url, const char *format, unsigned number)
{
    char field[256];
    snprintf(field, sizeof field, format, number);
    return set(url, field);
}

Test(cookie_store, of_a_host_the_least_recently_used_goes)
{
    for (unsigned i = 0; i < CW_COOKIES_OF_HOST; i++)
        set_number("https://example.com/", i ? "c%u=1; Path=/x" : "c%u=1; Path=/used", i);
    sent("https://example.com/used");
    set("https://example.com/", "more=1; Path=/x");
    cr_expect_eq(stats().cookies, CW_COOKIES_OF_HOST);
    cr_expect_str_eq(sent("https://example.com/used"), "c0=1");
    cr_expect_null(strstr(sent("https://example.com/x"), "c1="));
    cr_expect_not_null(strstr(sent("https://example.com/x"), "c2=1"));
    cr_expect_not_null(strstr(sent("https://example.com/x"), "more=1"));
    cr_expect_eq(stats().dropped, 1);
    set("https://example.com/", "wide=1; Domain=example.com; Path=/x");
    cr_expect_eq(stats().cookies, CW_COOKIES_OF_HOST + 1, "those for hosts below it have a bound of their own");
}

Test(cookie_store, of_a_host_the_expired_go_first_and_then_those_without_tls)
{
    set("https://example.com/", "plain=1");
    set("https://example.com/", "young=1; Max-Age=10; Secure");
    for (unsigned i = 2; i < CW_COOKIES_OF_HOST; i++)
        set_number("https://example.com/", "c%u=1; Secure", i);
    set_at("https://example.com/", "d=1; Secure", NOW + 10000);
    cr_expect_not_null(strstr(sent("https://example.com/"), "plain=1"));
    cr_expect_null(strstr(sent("https://example.com/"), "young=1"));
    cr_expect_eq(stats().dropped, 0);
    set_at("https://example.com/", "e=1; Secure", NOW + 10000);
    cr_expect_null(strstr(sent("https://example.com/"), "plain=1"));
    cr_expect_not_null(strstr(sent("https://example.com/"), "c2=1"));
}

Test(cookie_store, of_a_domain)
{
    for (unsigned i = 0; i < 2 * CW_COOKIES_OF_DOMAIN; i++)
        set_number("https://www.example.com/", "c%u=1; Domain=example.com", i);
    cr_expect_eq(stats().cookies, CW_COOKIES_OF_DOMAIN);
    cr_expect_not_null(strstr(sent("https://example.com/"), "c359=1"));
}

static void own(const char *domain, const char *name, int64_t expires_ms)
{
    const cw_cookie_words words = {.name = crawl_slice_from(name),
                                   .value = crawl_slice_from("own"),
                                   .path = crawl_slice_from("/"),
                                   .expires_ms = expires_ms,
                                   .flags = CW_COOKIE_OWN | CW_COOKIE_HOST_ONLY};
    cr_assert_eq(cw_cookies_put(cookies, crawl_slice_from(domain), &words, NOW), CRAWL_OK);
}

Test(cookie_store, the_users_own_stay)
{
    cw_cookies_limit(cookies, 100000);
    own("example.com", "login", CW_COOKIE_SESSION);
    own("other.example", "login", CW_COOKIE_SESSION);
    for (unsigned i = 0; i < 10000; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://h%u.evil%u.example/", i, i % 50);
        set(url, "flood=1");
        set_number("http://example.com/", "c%u=1", i);
    }
    cr_expect_not_null(strstr(sent("http://example.com/"), "login=own"));
    cr_expect_str_eq(sent("http://other.example/"), "login=own");
    cr_expect_leq(stats().bytes, 102000);
    cr_expect_gt(stats().dropped, 10000);
    set("http://example.com/", "login=theirs; Path=/");
    cr_expect_not_null(strstr(sent("http://example.com/"), "login=theirs"));
    set("http://other.example/", "login=; Max-Age=0");
    cr_expect_str_eq(sent("http://other.example/"), "");
}

Test(cookie_store, one_domain_has_its_part_and_no_more)
{
    cw_cookies_limit(cookies, 1000000);
    for (unsigned i = 0; i < 20; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://good%u.example/", i);
        set(url, "good=1");
    }
    for (unsigned i = 0; i < 20000; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://h%u.evil.example/", i);
        set(url, "flood=0123456789012345678901234567890123456789");
        sent("http://h0.evil.example/");
    }
    cr_expect_leq(stats().bytes, 1000000 / CW_COOKIE_SITE_PART + 20 * 300);
    cr_expect_gt(stats().bytes, 1000000 / CW_COOKIE_SITE_PART / 2);
    for (unsigned i = 0; i < 20; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://good%u.example/", i);
        cr_expect_str_eq(sent(url), "good=1");
    }
    cr_expect_str_neq(sent("http://h0.evil.example/"), "", "what is used stays");
    cr_expect_str_neq(sent("http://h19999.evil.example/"), "");
    cr_expect_str_eq(sent("http://h1.evil.example/"), "");
}

Test(cookie_store, many_domains_have_all_the_room)
{
    cw_cookies_limit(cookies, 1000000);
    for (unsigned i = 0; i < 20000; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://site%u.example/", i);
        set(url, "a=1");
        sent("http://site0.example/");
        cr_assert_leq(stats().bytes, 1001000);
    }
    cr_expect_gt(stats().bytes, 950000);
    cr_expect_str_eq(sent("http://site0.example/"), "a=1");
    cr_expect_str_eq(sent("http://site19999.example/"), "a=1");
}

Test(cookie_store, a_header_has_8190_bytes)
{
    char field[4200];
    memset(field, 'x', sizeof field);
    for (unsigned i = 0; i < 3; i++) {
        memcpy(field, i == 0 ? "a=" : i == 1 ? "b=" : "c=", 2);
        strcpy(field + 4090, i == 0 ? "; Path=/x" : "");
        cr_expect_eq(set("http://example.com/x/y", field), CRAWL_OK);
    }
    const char *both = sent("http://example.com/x/y");
    cr_expect_eq(strlen(both), 2 * 4090 + 2);
    cr_expect_eq(strncmp(both, "a=", 2), 0);
    cr_expect_not_null(strstr(both, "; b="));
}

/* ---- all ---- */

Test(cookie_store, writing_meets_each_once)
{
    char url[64];
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(url, sizeof url, "http://h%u.example.com/", i);
        set(url, "a=1");
        own(url + strlen("http://"), "never", 1); /* has expired */
    }
    own("h5.example.com", "own", CW_COOKIE_SESSION);
    crawl_buf theirs = {0}, mine = {0};
    cr_assert_eq(cw_cookies_write(cookies, false, NOW, &theirs), CRAWL_OK);
    cr_assert_eq(cw_cookies_write(cookies, true, NOW, &mine), CRAWL_OK);
    unsigned lines = 0;
    for (size_t i = 0; i < theirs.size; i++)
        lines += theirs.data[i] == '\n';
    cr_expect_eq(lines, 1000);
    cr_expect_not_null(strstr(theirs.data, "h999.example.com\tFALSE\t/\tFALSE\t0\ta\t1\n"));
    cr_expect_str_eq(mine.data, "h5.example.com\tFALSE\t/\tFALSE\t0\town\town\n");
    crawl_buf_free(&theirs);
    crawl_buf_free(&mine);
}

Test(cookie_store, registrable_domains)
{
    static const char *const cases[][2] = {{"a.b.example.co.uk", "example.co.uk"},
                                           {"co.uk", "co.uk"},
                                           {"localhost", "localhost"},
                                           {"1.2.3.4", "1.2.3.4"},
                                           {"::1", "::1"},
                                           {"x.y.github.io", "y.github.io"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crawl_slice site = cw_cookie_site_of(crawl_slice_from(cases[i][0]));
        cr_expect(crawl_slice_equal(site, crawl_slice_from(cases[i][1])), "%s: %.*s", cases[i][0], (int)site.size,
                  site.data);
    }
}
