#include "config/config_values.h"

#include <criterion/criterion.h>

static const struct {
    const char *text;
    const char *host; /* NULL: refused */
    unsigned port;
} cases[] = {
    {"127.0.0.1:8080", "127.0.0.1", 8080},
    {"[::1]:8080", "::1", 8080},
    {"[::]:0", "::", 0},
    {"[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", 80},
    {"localhost:8080", "localhost", 8080},
    {"crawler-1.example_net.org:65535", "crawler-1.example_net.org", 65535},
    {":8080", "127.0.0.1", 8080},
    {"8080", "127.0.0.1", 8080},
    {"0", "127.0.0.1", 0},
    {"0.0.0.0:8080", "0.0.0.0", 8080},
    {"", NULL, 0},
    {":", NULL, 0},
    {"127.0.0.1", NULL, 0},
    {"127.0.0.1:", NULL, 0},
    {"127.0.0.1:65536", NULL, 0},
    {"127.0.0.1:99999999999999999999", NULL, 0},
    {"127.0.0.1:-1", NULL, 0},
    {"127.0.0.1:80.0", NULL, 0},
    {"127.0.0.1:1k", NULL, 0},
    {"127.0.0.1: 80", NULL, 0},
    {"127.0.0:80", NULL, 0},
    {"256.0.0.1:80", NULL, 0},
    {"::1:80", NULL, 0},
    {"[::1]", NULL, 0},
    {"[]:80", NULL, 0},
    {"[::1:80", NULL, 0},
    {"[127.0.0.1]:80", NULL, 0},
    {"[::g]:80", NULL, 0},
    {".example.com:80", NULL, 0},
    {"exa mple:80", NULL, 0},
    {"http://localhost:80", NULL, 0},
    {"*:80", NULL, 0},
};

Test(listen, takes_what_it_says_and_nothing_else)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crawl_listen got = {"untouched", 7};
        crawl_err err = crawl_listen_parse(crawl_slice_from(cases[i].text), &got);
        cr_expect_eq(err, cases[i].host ? CRAWL_OK : CRAWL_EPARSE, "\"%s\"", cases[i].text);
        cr_expect_str_eq(got.host, cases[i].host ? cases[i].host : "untouched", "\"%s\"", cases[i].text);
        cr_expect_eq(got.port, cases[i].host ? cases[i].port : 7, "\"%s\"", cases[i].text);
    }
}

Test(listen, host_has_a_longest)
{
    char text[400];
    crawl_listen got;
    memset(text, 'a', sizeof text);
    memcpy(text + 255, ":80", 4);
    cr_expect_eq(crawl_listen_parse(crawl_slice_from(text), &got), CRAWL_OK);
    cr_expect_eq(strlen(got.host), 255);
    memcpy(text + 255, "a:80", 5);
    cr_expect_eq(crawl_listen_parse(crawl_slice_from(text), &got), CRAWL_EPARSE);
    cr_expect_eq(crawl_listen_parse(crawl_slice_of("a\0b:80", 6), &got), CRAWL_EPARSE);
}

Test(listen, is_a_key)
{
    crawl_config config;
    crawl_error error = {0};
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cr_expect_null(config.program.listen);
    cr_expect_eq(crawl_config_set(&config, "live.listen", "[::1]:0", &error), CRAWL_OK);
    cr_expect_str_eq(config.program.listen, "[::1]:0");
    cr_expect_eq(crawl_config_set(&config, "live.listen", "nowhere", &error), CRAWL_EPARSE);
    cr_expect_str_eq(
        error.message,
        "live.listen = nowhere: expected an address and a port, or a port of 127.0.0.1, as 127.0.0.1:8080, [::1]:8080, "
        "localhost:8080 or 8080");
    cr_expect_str_eq(config.program.listen, "[::1]:0");
    cr_expect_eq(crawl_config_set(&config, "live.listen", "", &error), CRAWL_OK);
    cr_expect_null(config.program.listen);
    cw_config_clear(&config);
}
