/* Options of a fetcher: defaults and refusals. */
#include <crawl/fetch.h>

#include <criterion/criterion.h>
#include <event2/event.h>
#include <stdlib.h>

static crawl_err try_options(const crawl_fetch_options *options, crawl_error *error)
{
    struct event_base *base = event_base_new();
    crawl_fetcher *fetcher = NULL;
    crawl_err err = crawl_fetcher_create(base, options, &fetcher, error);
    cr_expect_eq(err == CRAWL_OK, fetcher != NULL);
    crawl_fetcher_free(fetcher);
    event_base_free(base);
    return err;
}

Test(settings, defaults)
{
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    cr_expect_eq(options.timeout_ms, 60000);
    cr_expect_eq(options.connect_timeout_ms, 15000);
    cr_expect_eq(options.low_speed_ms, 20000);
    cr_expect_eq(options.low_speed_bytes, 100);
    cr_expect_eq(options.max_header_bytes, 262144);
    cr_expect_eq(options.max_body_bytes, 16777216);
    cr_expect_eq(options.max_connections, 64);
    cr_expect_eq(options.resolver, CRAWL_RESOLVER_EVDNS);
    cr_expect_eq(options.dns_timeout_ms, 10000);
    cr_expect_null(options.dns_servers);
    cr_expect(options.http2 && !options.cookies && !options.insecure);
    cr_expect_eq(try_options(&options, NULL), CRAWL_OK);
}

Test(settings, refused)
{
    crawl_fetch_options good;
    crawl_fetch_options_init(&good, sizeof good);
    crawl_fetch_options bad[13];
    for (size_t i = 0; i < 13; i++)
        bad[i] = good;
    bad[0].timeout_ms = -1;
    bad[1].connect_timeout_ms = (int64_t)1 << 40;
    bad[2].low_speed_ms = -1;
    bad[3].low_speed_bytes = -1;
    bad[4].max_header_bytes = 0;
    bad[5].max_connections = 0;
    bad[6].user_agent = "a\r\nX: y";
    bad[7].accept = "a\nX: y";
    bad[8].dns_timeout_ms = 9;
    bad[9].dns_timeout_ms = (int64_t)1 << 40;
    bad[10].dns_servers = "192.0.2.1, ns.example";
    bad[11].dns_servers = "192.0.2.1:99999";
    bad[12].dns_servers = "192.0.2.1;192.0.2.2";
    for (size_t i = 0; i < 13; i++) {
        crawl_error error = {0};
        cr_expect_eq(try_options(&bad[i], &error), CRAWL_EINVAL, "row %zu", i);
        cr_expect_eq(error.code, CRAWL_EINVAL);
        cr_expect_neq(error.message[0], '\0');
    }
}

Test(settings, name_servers)
{
    static const char *const good[] = {"", "192.0.2.1", "192.0.2.1:53, 192.0.2.2", "[2001:db8::1]:5353 2001:db8::2",
                                       " , "};
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        crawl_error error = {0};
        options.dns_servers = good[i];
        cr_expect_eq(try_options(&options, &error), CRAWL_OK, "%s: %s", good[i], error.message);
    }
}

Test(settings, certificates_that_cannot_be_read)
{
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    options.ca_file = "/nonexistent/ca.pem";
    crawl_error error = {0};
    cr_expect_eq(try_options(&options, &error), CRAWL_EIO);
    cr_expect_not_null(strstr(error.message, "/nonexistent/ca.pem"));
}

/* libcurl accepts no text of more than 8 MB. */
Test(settings, what_libcurl_does_not_take_is_said_at_once_and_is_no_want_of_memory)
{
    enum { TOO_LONG = 9 * 1000 * 1000 };
    char *text = malloc(TOO_LONG + 1);
    memset(text, 'a', TOO_LONG);
    text[TOO_LONG] = '\0';
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    options.user_agent = text;
    crawl_error error = {0};
    cr_expect_eq(try_options(&options, &error), CRAWL_EINVAL);
    cr_expect_not_null(strstr(error.message, "libcurl does not take"), "%s", error.message);
    free(text);
}

Test(settings, nothing_to_work_with)
{
    crawl_fetcher *fetcher = NULL;
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    cr_expect_eq(crawl_fetcher_create(NULL, &options, &fetcher, NULL), CRAWL_EINVAL);
    crawl_fetcher_free(NULL);
}
