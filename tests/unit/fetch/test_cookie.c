/* Set-Cookie fields (RFC 6265, 5.1 and 5.2, and rfc6265bis, 5.6), and how places, domains and paths match.
 * */
#include "fetch/cookies/cookie.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define NOW ((int64_t)1700000000000)
#define DAYS_400 ((int64_t)400 * 86400 * 1000)
#define SESSION CW_COOKIE_SESSION
#define PAST INT64_MIN

/* ---- dates ---- */

typedef struct date_row {
    const char *text;
    int64_t seconds;
} date_row;

#define NONE INT64_MIN

static const date_row dates[] = {
    {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
    {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
    {"Sun Nov  6 08:49:37 1994", 784111777},
    {"6 November 1994 8:49:37", 784111777},
    {"08:49:37 6 nov 94", 784111777},
    {"1994 nov 6 08:49:37", 784111777}, /* four digits are no day */
    {"nov 6 1994 08:49:37x", 784111777},
    {"06nd Novxyz 1994zz 08:49:37junk", 784111777},
    {"Sun,06/Nov/1994@08:49:37", 784111777},
    {"Sun Nov 6 08:49:37 1994 PST", 784111777}, /* zones are ignored */
    {"Sun Nov 6 08:49:37 1994 +0500", 784111777},
    {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
    {"01 Jan 69 00:00:00", 3124224000},
    {"01 Jan 70 00:00:00", 0},
    {"01 Jan 99 00:00:00", 915148800},
    {"01 Jan 00 00:00:00", 946684800},
    {"29 Feb 2000 23:59:59", 951868799},
    {"29 Feb 2023 00:00:00", NONE},
    {"29 Feb 1900 00:00:00", NONE},
    {"31 Apr 2020 00:00:00", NONE},
    {"31 Dec 9999 23:59:59", 253402300799},
    {"01 Jan 1601 00:00:00", -11644473600},
    {"31 Dec 1600 23:59:59", NONE},
    {"00 Jan 2020 00:00:00", NONE},
    {"32 Jan 2020 00:00:00", NONE},
    {"01 Jan 2020 24:00:00", NONE},
    {"01 Jan 2020 23:60:00", NONE},
    {"01 Jan 2020 23:59:60", NONE},
    {"01 Jan 2020 1:2:3", 1577840523},
    {"01 Jan 2020 001:2:3", NONE},
    {"01 Jan 2020 1:2:003", NONE},
    {"01 Jan 2020 1:2", NONE},
    {"001 Jan 2020 00:00:00", NONE}, /* three digits are no day; the first two-digit year is then a day */
    {"01 Jan 120 00:00:00", NONE},   /* the year 120 */
    {"01 Jan 12020 00:00:00", NONE},
    {"01 Ja 2020 00:00:00", NONE},
    {"Jan 2020 00:00:00", NONE},
    {"01 2020 00:00:00", NONE},
    {"01 Jan 00:00:00", NONE},
    {"01 Jan 2020", NONE},
    {"", NONE},
    {" ,;-", NONE},
    {"0", NONE},
    {"\xe4 01 Jan 2020 00:00:00", 1577836800},
    {"01 Jan 2020 00:00:00 02 Feb 2021 11:11:11", 1577836800}, /* the first of each counts */
};

Test(cookie, dates)
{
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        int64_t ms = -1;
        crawl_err err = cw_cookie_date(crawl_slice_from(dates[i].text), &ms);
        bool none = dates[i].seconds == NONE;
        cr_expect_eq(err, none ? CRAWL_EPARSE : CRAWL_OK, "\"%s\"", dates[i].text);
        cr_expect(none || ms == dates[i].seconds * 1000, "\"%s\": %lld", dates[i].text, (long long)ms);
    }
}

/* ---- fields ---- */

typedef struct field_row {
    const char *text;
    const char *name, *value, *path, *domain; /* name NULL: the field is ignored */
    int64_t expires;
    unsigned flags;
} field_row;

static const field_row fields[] = {
    {"a=b", "a", "b", "", "", SESSION, 0},
    {"  a \t=\t b  ; x", "a", "b", "", "", SESSION, 0},
    {"a=", "a", "", "", "", SESSION, 0},
    {"=b", "", "b", "", "", SESSION, 0},
    {"b", "", "b", "", "", SESSION, 0},
    {"", NULL, NULL, NULL, NULL, 0, 0},
    {"=", NULL, NULL, NULL, NULL, 0, 0},
    {" ; Path=/", NULL, NULL, NULL, NULL, 0, 0},
    {"a=b=c", "a", "b=c", "", "", SESSION, 0},
    {"a==", "a", "=", "", "", SESSION, 0},
    {"==b", "", "=b", "", "", SESSION, 0},
    {"a=\"b c\"", "a", "\"b c\"", "", "", SESSION, 0},
    {"a=b, c=d", "a", "b, c=d", "", "", SESSION, 0},
    {"a b=c d", "a b", "c d", "", "", SESSION, 0},
    {"a=\xc3\xa4", "a", "\xc3\xa4", "", "", SESSION, 0},
    {"a=b\x01", NULL, NULL, NULL, NULL, 0, 0},
    {"a=b; Path=/\x7f", NULL, NULL, NULL, NULL, 0, 0},
    {"a=b\tc", NULL, NULL, NULL, NULL, 0, 0}, /* allowed by the draft; no file could hold it */
    {"a\tb=c", NULL, NULL, NULL, NULL, 0, 0},
    {"a=b; Path=/x\ty", NULL, NULL, NULL, NULL, 0, 0},
    {"a=b;Secure;HttpOnly", "a", "b", "", "", SESSION, CW_COOKIE_SECURE | CW_COOKIE_HTTP_ONLY},
    {"a=b; sEcUrE=no ;\thttponly=", "a", "b", "", "", SESSION, CW_COOKIE_SECURE | CW_COOKIE_HTTP_ONLY},
    {"a=b; Secure2; Http Only; SameSite=None; Partitioned;;; =;", "a", "b", "", "", SESSION, 0},
    {"a=b; Path=/x", "a", "b", "/x", "", SESSION, 0},
    {"a=b; path = /x y ", "a", "b", "/x y", "", SESSION, 0},
    {"a=b; Path=x", "a", "b", "", "", SESSION, 0},
    {"a=b; Path=/x; Path=", "a", "b", "", "", SESSION, 0},
    {"a=b; Path=x; Path=/y", "a", "b", "/y", "", SESSION, 0},
    {"a=b; Path=\"/x\"", "a", "b", "", "", SESSION, 0},
    {"a=b; Domain=Example.COM", "a", "b", "", "example.com", SESSION, 0},
    {"a=b; Domain=.example.com", "a", "b", "", "example.com", SESSION, 0},
    {"a=b; Domain=..example.com", "a", "b", "", ".example.com", SESSION, 0},
    {"a=b; Domain=x.example; Domain=", "a", "b", "", "", SESSION, 0},
    {"a=b; Domain=.", "a", "b", "", "", SESSION, 0},
    {"a=b; Max-Age=60", "a", "b", "", "", NOW + 60000, 0},
    {"a=b; max-age = 60", "a", "b", "", "", NOW + 60000, 0},
    {"a=b; Max-Age=0", "a", "b", "", "", PAST, 0},
    {"a=b; Max-Age=-1", "a", "b", "", "", PAST, 0},
    {"a=b; Max-Age=-", "a", "b", "", "", SESSION, 0},
    {"a=b; Max-Age=", "a", "b", "", "", SESSION, 0},
    {"a=b; Max-Age=+60", "a", "b", "", "", SESSION, 0},
    {"a=b; Max-Age=6 0", "a", "b", "", "", SESSION, 0},
    {"a=b; Max-Age=6.5", "a", "b", "", "", SESSION, 0},
    {"a=b; Max-Age=\"60\"", "a", "b", "", "", SESSION, 0},
    {"a=b; Max-Age=34560000", "a", "b", "", "", NOW + DAYS_400, 0},
    {"a=b; Max-Age=34560001", "a", "b", "", "", NOW + DAYS_400, 0},
    {"a=b; Max-Age=99999999999999999999999999", "a", "b", "", "", NOW + DAYS_400, 0},
    {"a=b; Max-Age=60; Max-Age=70", "a", "b", "", "", NOW + 70000, 0},
    {"a=b; Max-Age=60; Max-Age=x", "a", "b", "", "", NOW + 60000, 0},
    {"a=b; Expires=Tue, 14 Nov 2023 22:15:00 GMT", "a", "b", "", "", 1700000100000, 0},
    {"a=b; Expires=Tue, 14 Nov 2023 22:15:00 GMT; Max-Age=5", "a", "b", "", "", NOW + 5000, 0},
    {"a=b; Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a", "b", "", "", NOW + 5000, 0},
    {"a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a", "b", "", "", 0, 0},
    {"a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "a", "b", "", "", NOW + DAYS_400, 0},
    {"a=b; Expires=tomorrow", "a", "b", "", "", SESSION, 0},
    {"a=b; Expires", "a", "b", "", "", SESSION, 0},
};

static void expect_slice(crawl_slice slice, const char *expected, const char *text)
{
    cr_expect(crawl_slice_equal(slice, crawl_slice_from(expected)), "\"%s\": \"%.*s\", not \"%s\"", text,
              (int)slice.size, slice.data, expected);
}

Test(cookie, fields)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const field_row *row = &fields[i];
        cw_cookie_field field;
        crawl_err err = cw_cookie_parse(crawl_slice_from(row->text), NOW, &field);
        cr_expect_eq(err, row->name ? CRAWL_OK : CRAWL_EPARSE, "\"%s\"", row->text);
        if (err || !row->name)
            continue;
        expect_slice(field.words.name, row->name, row->text);
        expect_slice(field.words.value, row->value, row->text);
        expect_slice(field.words.path, row->path, row->text);
        expect_slice(crawl_slice_of(field.domain, field.domain_size), row->domain, row->text);
        cr_expect_eq(field.words.expires_ms, row->expires, "\"%s\": %lld", row->text,
                     (long long)field.words.expires_ms);
        cr_expect_eq(field.words.flags, row->flags, "\"%s\"", row->text);
    }
}

/* Parses before, count times a byte, after. */
static crawl_err parse_long(const char *before, size_t count, const char *after, cw_cookie_field *field,
                            crawl_buf *text)
{
    crawl_buf_clear(text);
    crawl_buf_append_text(text, before);
    for (size_t i = 0; i < count; i++)
        crawl_buf_append_char(text, 'x');
    crawl_buf_append_text(text, after);
    return cw_cookie_parse(crawl_buf_slice(text), NOW, field);
}

Test(cookie, sizes)
{
    cw_cookie_field field;
    crawl_buf text = {0};
    cr_expect_eq(parse_long("a=", 4095, "", &field, &text), CRAWL_OK);
    cr_expect_eq(parse_long("a=", 4096, "", &field, &text), CRAWL_EPARSE);
    cr_expect_eq(parse_long("", 4096, "=", &field, &text), CRAWL_OK);
    cr_expect_eq(parse_long("", 4096, "=b", &field, &text), CRAWL_EPARSE);
    cr_expect_eq(parse_long("a=", 4095, "; Secure; Path=/y", &field, &text), CRAWL_OK);
    cr_expect_eq(field.words.path.size, 2);
    cr_expect_eq(parse_long("a=b; Path=/", 1023, "", &field, &text), CRAWL_OK);
    cr_expect_eq(field.words.path.size, 1024);
    cr_expect_eq(parse_long("a=b; Path=/y; Path=/", 1024, "", &field, &text), CRAWL_OK);
    cr_expect_eq(field.words.path.size, 2, "the longer one is ignored");
    cr_expect_eq(parse_long("a=b; Domain=", 253, "", &field, &text), CRAWL_OK);
    cr_expect_eq(parse_long("a=b; Domain=", 254, "", &field, &text), CRAWL_EPARSE, "no host has it");
    cr_expect_eq(parse_long("a=b; Domain=", 1025, "", &field, &text), CRAWL_OK, "the attribute is ignored");
    crawl_buf_free(&text);
}

/* ---- places ---- */

typedef struct place_row {
    const char *url, *host, *path; /* host NULL: none */
    bool secure, address;
} place_row;

static const place_row places[] = {
    {"http://example.com", "example.com", "/", false, false},
    {"https://Example.COM./a/b?c/d#e", "example.com", "/a/b", true, false},
    {"http://u:p@example.com:8080/x", "example.com", "/x", false, false},
    {"http://u:p@w@example.com?q", "example.com", "/", false, false},
    {"http://example.com#/f", "example.com", "/", false, false},
    {"http://[2001:db8::1]:80/", "2001:db8::1", "/", false, true},
    {"http://[::1]/", "::1", "/", true, true},
    {"http://127.0.0.1:1/", "127.0.0.1", "/", true, true},
    {"http://127.0.0.2/", "127.0.0.2", "/", false, true},
    {"HTTP://localhost/", "localhost", "/", true, false},
    {"http://a.localhost/", "a.localhost", "/", false, false},
    {"http://1.2.3.example/", "1.2.3.example", "/", false, false},
    {"ftp://example.com/", NULL, NULL, false, false},
    {"http:///", NULL, NULL, false, false},
    {"", NULL, NULL, false, false},
};

Test(cookie, places)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const place_row *row = &places[i];
        cw_cookie_place place;
        crawl_err err = cw_cookie_place_of(crawl_slice_from(row->url), &place);
        cr_expect_eq(err, row->host ? CRAWL_OK : CRAWL_EPARSE, "%s", row->url);
        if (err || !row->host)
            continue;
        cr_expect_str_eq(place.host, row->host);
        cr_expect_eq(place.host_size, strlen(row->host));
        expect_slice(place.path, row->path, row->url);
        cr_expect(place.secure == row->secure && place.is_address == row->address, "%s", row->url);
    }
}

/* ---- matching ---- */

typedef struct match_row {
    const char *of, *by;
    bool matches;
} match_row;

static const match_row domains[] = {
    {"example.com", "example.com", true},
    {"a.example.com", "example.com", true},
    {"a.b.example.com", "example.com", true},
    {"example.com", "a.example.com", false},
    {"aexample.com", "example.com", false},
    {"example.com.", "example.com", false},
    {"example.org", "example.com", false},
    {"a.example.com", "", false},
    {"1.2.3.4", "3.4", false},
    {"1.2.3.4", "1.2.3.4", true},
    {"::1", "::1", true},
    {"a..com", ".com", true},
};

static const match_row paths[] = {
    {"/", "/", true},   {"/a", "/", true},      {"/a/b", "/a", true},  {"/a/b", "/a/", true},
    {"/a", "/a", true}, {"/ab", "/a", false},   {"/a", "/a/", false},  {"/A", "/a", false},
    {"/", "/a", false}, {"/a//b", "/a/", true}, {"/%61", "/a", false},
};

Test(cookie, matches)
{
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        crawl_slice host = crawl_slice_from(domains[i].of);
        cr_expect_eq(cw_cookie_domain_match(host, cw_cookie_is_address(host), crawl_slice_from(domains[i].by)),
                     domains[i].matches, "%s %s", domains[i].of, domains[i].by);
    }
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        cr_expect_eq(cw_cookie_path_match(crawl_slice_from(paths[i].of), crawl_slice_from(paths[i].by)),
                     paths[i].matches, "%s %s", paths[i].of, paths[i].by);
}

Test(cookie, default_paths)
{
    static const char *const rows[][2] = {{"/", "/"}, {"/a", "/"},  {"/a/", "/a"}, {"/a/b", "/a"},
                                          {"", "/"},  {"a/b", "/"}, {"//", "/"},   {"/a//", "/a/"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_slice(cw_cookie_default_path(crawl_slice_from(rows[i][0])), rows[i][1], rows[i][0]);
}
