#include "crawler/program/live/live_hosts.h"

#include <criterion/criterion.h>

static const char *const allowed[] = {
    "127.0.0.1",      "127.0.0.1:8080", "192.0.2.7:1",      "[::1]",    "[::1]:8080",    "localhost",
    "LocalHost:8080", "a.localhost",    "a.b.localhost:80", "view.lan", "VIEW.lan:8080", "127.0.0.1:",
};

static const char *const refused[] = {
    "",
    ":80",
    "example.com",
    "example.com:8080",
    "127.0.0.1.example.com",
    "localhost.example.com",
    "notlocalhost",
    ".localhost",
    "view.lan.example.com",
    "other.view.lan",
    "::1",
    "[::1",
    "[::1]x",
    "[::1]x:80",
    "127.0.0.1:80@a.com",
    "127.0.0.1:80:80",
    "[127.0.0.1]",
    "127.1",
    "2130706433",
    "0x7f.1",
    "localhost:80a",
    "example.com#[::1]:1",
    "[example.com]",
};

Test(live_host, addresses_and_names_of_this_machine)
{
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        cr_expect(cw_live_host_allowed(crawl_slice_from(allowed[i]), "view.lan"), "%s", allowed[i]);
}

Test(live_host, names_of_others)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        cr_expect_not(cw_live_host_allowed(crawl_slice_from(refused[i]), "view.lan"), "%s", refused[i]);
    cr_expect_not(cw_live_host_allowed(crawl_slice_from(NULL), "view.lan"));
    cr_expect_not(cw_live_host_allowed(crawl_slice_from("view.lan"), "127.0.0.1"));
}

Test(live_host, an_origin_is_our_own_where_the_host_header_names_it)
{
    static const struct {
        const char *origin, *host;
        bool is_own;
    } rows[] = {
        {"http://127.0.0.1:8080", "127.0.0.1:8080", true},
        {"https://crawl.example", "crawl.example", true},
        {"http://LOCALHOST:8080", "localhost:8080", true},
        {"http://127.0.0.1:8081", "127.0.0.1:8080", false},
        {"http://evil.example", "127.0.0.1:8080", false},
        {"http://127.0.0.1:8080.evil.example", "127.0.0.1:8080", false},
        {"null", "127.0.0.1:8080", false},
        {"ftp://127.0.0.1:8080", "127.0.0.1:8080", false},
        {"http://", "", false},
        {"", "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(cw_live_origin_is_own(crawl_slice_from(rows[i].origin), crawl_slice_from(rows[i].host)),
                     rows[i].is_own, "%s at %s", rows[i].origin, rows[i].host);
}
