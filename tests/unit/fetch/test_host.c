/* The host of a URL, and whether DNS is asked for it. */
#include "fetch/fetch_host.h"

#include <criterion/criterion.h>
#include <curl/curl.h>
#include <stdio.h>

Test(host, kinds)
{
    static const struct {
        const char *host;
        cw_fetch_host_kind kind;
    } rows[] = {
        {"example.com", CW_HOST_NAME},
        {"example.com.", CW_HOST_NAME},
        {"intranet", CW_HOST_NAME},
        {"xn--bcher-kva.example", CW_HOST_NAME},
        {"a_b.example", CW_HOST_NAME},
        {"-a-.example", CW_HOST_NAME},
        {"1.example", CW_HOST_NAME},
        {"192.0.2.1", CW_HOST_DIRECT},
        {"[2001:db8::1]", CW_HOST_DIRECT},
        {"localhost", CW_HOST_DIRECT},
        {"a.localhost", CW_HOST_DIRECT},
        {"a.b.localhost", CW_HOST_DIRECT},
        {"localhost.", CW_HOST_LOCAL},
        {"a.localhost.", CW_HOST_LOCAL},
        {"a..localhost.", CW_HOST_BAD},
        {"notlocalhost", CW_HOST_NAME},
        {"localhost.example", CW_HOST_NAME},
        {"invalid", CW_HOST_NOWHERE},
        {"a.invalid", CW_HOST_NOWHERE},
        {"a.invalid.", CW_HOST_NOWHERE},
        {"a.onion", CW_HOST_NOWHERE},
        {"onion.example", CW_HOST_NAME},
        {"", CW_HOST_BAD},
        {".", CW_HOST_BAD},
        {"a..b", CW_HOST_BAD},
        {".a", CW_HOST_BAD},
        {"a..", CW_HOST_BAD},
        {"a b", CW_HOST_BAD},
        {"caf\xc3\xa9.example", CW_HOST_BAD},
        {"a*b.example", CW_HOST_BAD},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(cw_fetch_host_kind_of(crawl_slice_from(rows[i].host)), rows[i].kind, "%s", rows[i].host);
}

Test(host, lengths)
{
    char name[300];
    memset(name, 'a', sizeof name);
    for (size_t i = 63; i < sizeof name; i += 64)
        name[i] = '.';
    cr_expect_eq(cw_fetch_host_kind_of(crawl_slice_of(name, 63)), CW_HOST_NAME);
    cr_expect_eq(cw_fetch_host_kind_of(crawl_slice_of(name, 253)), CW_HOST_NAME);
    cr_expect_eq(cw_fetch_host_kind_of(crawl_slice_of(name, 254)), CW_HOST_BAD);
    name[63] = 'a';
    cr_expect_eq(cw_fetch_host_kind_of(crawl_slice_of(name, 64)), CW_HOST_BAD);
}

Test(host, of_urls)
{
    static const struct {
        const char *url;
        cw_fetch_host_kind kind;
        const char *text;
        size_t name_size;
        unsigned port;
    } rows[] = {
        {"http://example.com/", CW_HOST_NAME, "example.com", 11, 80},
        {"https://Example.COM./a?b", CW_HOST_NAME, "example.com.", 11, 443},
        {"http://user:p%40ss@example.com:8080?x=http://other.example/", CW_HOST_NAME, "example.com", 11, 8080},
        {"http://[2001:db8::1]:81/", CW_HOST_DIRECT, "", 0, 81},
        {"http://A.localhost/", CW_HOST_DIRECT, "a.localhost", 0, 80},
        {"http://LOCALHOST.:81/", CW_HOST_LOCAL, "localhost.", 9, 81},
        {"http://192.0.2.1:8080/", CW_HOST_DIRECT, "192.0.2.1", 0, 8080},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cw_fetch_host host;
        cr_assert_eq(cw_fetch_host_of_url(rows[i].url, &host), CRAWL_OK, "%s", rows[i].url);
        cr_expect_eq(host.kind, rows[i].kind, "%s", rows[i].url);
        cr_expect_eq(host.port, rows[i].port);
        cr_expect_str_eq(host.text, rows[i].text);
        cr_expect_eq(host.name_size, rows[i].name_size);
    }
    cw_fetch_host host;
    cr_expect_eq(cw_fetch_host_of_url("http://a:99999/", &host), CRAWL_EPARSE);
}

/* Formats the result of libcurl's parser as one text. */
static void by_libcurl(const char *url, char text[300])
{
    char *host = NULL, *port = NULL;
    CURLU *parsed = curl_url();
    snprintf(text, 300, "none");
    if (curl_url_set(parsed, CURLUPART_URL, url, CURLU_PATH_AS_IS) == CURLUE_OK &&
        curl_url_get(parsed, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
        curl_url_get(parsed, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK) {
        cw_fetch_host_kind kind = cw_fetch_host_kind_of(crawl_slice_from(host));
        bool has_text = kind == CW_HOST_NAME || kind == CW_HOST_LOCAL || (kind == CW_HOST_DIRECT && host[0] != '[');
        snprintf(text, 300, "%d %s %s", kind, has_text ? host : "", port);
    }
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(parsed);
}

/* Each combination of host, port and following character is read as libcurl reads it. */
Test(host, as_libcurl_reads_it)
{
    static const char *const hosts[] = {
        "example.com",
        "example.com.",
        "a_b-c.d",
        "localhost",
        "a.localhost",
        "127.0.0.1",
        "127.0.0.1.",
        "127.0.0.01",
        "127.1",
        "127.0.0.256",
        "1.2.3.4.5",
        "0x7f.1",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "2130706433",
        "4294967296",
        "1e1",
        "1.a",
        "a.1",
        "a.1.",
        "a..1",
        "..",
        ".",
        "",
        "1..",
        "1.2.3.4..",
        "a%2eb",
        "a!b",
        "user@name.de",
        "user:1@0x7f.1",
        "[::1]",
        "xn--a",
    };
    static const char *const ports[] = {"",       ":",      ":0",     ":80",     ":080", ":443",
                                        ":65535", ":65536", ":99999", ":123456", ":a"};
    static const char *const rests[] = {"", "/", "/a:1@b", "?q", "#f", "\\", "@h/", ".x/"};
    static const char *const schemes[] = {"http://", "https://"};
    enum { HOSTS = sizeof hosts / sizeof *hosts, PORTS = sizeof ports / sizeof *ports };
    enum { RESTS = sizeof rests / sizeof *rests };
    for (size_t i = 0; i < (size_t)2 * HOSTS * PORTS * RESTS; i++) {
        char url[96], expected[300], found[300] = "none";
        cw_fetch_host host;
        snprintf(url, sizeof url, "%s%s%s%s", schemes[i % 2], hosts[i / 2 % HOSTS], ports[i / 2 / HOSTS % PORTS],
                 rests[i / 2 / HOSTS / PORTS]);
        by_libcurl(url, expected);
        if (cw_fetch_host_of_url(url, &host) == CRAWL_OK)
            snprintf(found, sizeof found, "%d %s %u", host.kind, host.text, host.port);
        cr_expect_str_eq(found, expected, "%s", url);
    }
}
