/* Which host a URL asks for, and whether DNS is asked for it. */
#include "fetch/host.h"

#include <criterion/criterion.h>
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
        {"http://a.localhost/", CW_HOST_DIRECT, "", 0, 80},
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
