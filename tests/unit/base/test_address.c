/* Addresses as texts. */
#include "base/net.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>

Test(address, is_read_as_inet_pton_does)
{
    static const struct {
        int family;
        const char *text, *bytes; /* NULL: invalid */
    } rows[] = {
        {AF_INET, "127.0.0.1", "\x7f\0\0\1"},
        {AF_INET, "255.255.255.255", "\xff\xff\xff\xff"},
        {AF_INET, "127.1", NULL},
        {AF_INET, "", NULL},
        {AF_INET, "::1", NULL},
        {AF_INET6, "127.0.0.1", NULL},
        {AF_INET6, "[::1]", NULL},
        {AF_INET6, "::1", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"},
        {AF_INET6, "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
         "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"},
        {AF_INET6, "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.2555", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char bytes[16];
        bool is_read = cw_address_read(rows[i].family, crawl_slice_from(rows[i].text), bytes);
        cr_expect_eq(is_read, rows[i].bytes != NULL, "%s", rows[i].text);
        if (is_read && rows[i].bytes)
            cr_expect_arr_eq(bytes, rows[i].bytes, rows[i].family == AF_INET ? 4 : 16, "%s", rows[i].text);
    }
}

Test(address, is_the_whole_text)
{
    unsigned char bytes[16];
    cr_expect(cw_address_read(AF_INET, crawl_slice_of("10.0.0.12", 8), bytes) && bytes[3] == 1);
    cr_expect_not(cw_address_read(AF_INET, crawl_slice_of("10.0.0.1\0b", 10), bytes));
    cr_expect_not(cw_address_read(AF_INET, (crawl_slice){0}, bytes));
}

Test(address, the_host_of_a_url)
{
    static const char *const rows[][3] = {
        {"http://a.example/path", "a.example", "/path"},
        {"http://a.example", "a.example", ""},
        {"http://a.example?q=http://b/", "a.example", "?q=http://b/"},
        {"http://a.example#/", "a.example", "#/"},
        {"https://a.example.:8443/", "a.example", "/"},
        {"https://user:word@a.example:80?@b", "a.example", "?@b"},
        {"http://[::1]:80/", "::1", "/"},
        {"127.0.0.1:80", "127.0.0.1", ""},
        {"http://./", ".", "/"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cw_authority parts = cw_authority_of(crawl_slice_from(rows[i][0]));
        cr_expect(crawl_slice_equal(parts.host, crawl_slice_from(rows[i][1])), "%s", rows[i][0]);
        cr_expect(crawl_slice_equal(parts.rest, crawl_slice_from(rows[i][2])), "%s", rows[i][0]);
    }
}

Test(address, of_a_host)
{
    static const char *const addresses[] = {"127.0.0.1", "[::1]", ""};
    static const char *const names[] = {"web1", "node.rack2", "1a", "a.1.test"};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        cr_expect(cw_address_is_host(crawl_slice_from(addresses[i])), "%s", addresses[i]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect_not(cw_address_is_host(crawl_slice_from(names[i])), "%s", names[i]);
}
