/* The place of a server, and when it is tried again. */
#include "redis/redis_server.h"

#include <crawl/sys/redis.h>
#include <criterion/criterion.h>
#include <stdio.h>

static const char *const names[] = {"list", "stream", NULL};

/* Prints the URL as read, on one line. */
static void print(const crawl_redis_url *url, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s%s:%u db %u user %s list %s stream %s", url->tls ? "tls " : "",
             url->path ? url->path : "", url->path ? " " : "", url->host ? url->host : "-", url->port, url->db,
             url->user ? url->user : "-", url->values[0] ? url->values[0] : "-", url->values[1] ? url->values[1] : "-");
}

Test(url, reads_each_form)
{
    static const char *const rows[][2] = {
        {"redis://h", "h:6379 db 0 user - list - stream -"},
        {"redis://h/", "h:6379 db 0 user - list - stream -"},
        {"redis://H.example:7000/3?list=a:b", "h.example:7000 db 3 user - list a:b stream -"},
        {"redis://h:80", "h:80 db 0 user - list - stream -"},
        {"redis://h:443", "h:443 db 0 user - list - stream -"},
        {"rediss://me@h?stream=x%20y&list=%7Ba%7D", "tls h:6379 db 0 user me list {a} stream x y"},
        {"redis://[::1]:6380/15", "::1:6380 db 15 user - list - stream -"},
        {"redis://127.1", "127.0.0.1:6379 db 0 user - list - stream -"},
        {"unix:/run/redis/redis.sock?db=2&list=k", "/run/redis/redis.sock -:0 db 2 user - list k stream -"},
        {"unix:///run/r.sock", "/run/r.sock -:0 db 0 user - list - stream -"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_redis_url url;
        crawl_error error = {0};
        char got[300];
        cr_assert_eq(crawl_redis_url_parse(crawl_slice_from(rows[i][0]), names, &url, &error), CRAWL_OK, "%s: %s",
                     rows[i][0], error.message);
        print(&url, got, sizeof got);
        cr_expect_str_eq(got, rows[i][1]);
        cr_expect(crawl_redis_is_url(rows[i][0]));
        crawl_redis_url_free(&url);
    }
}

Test(url, says_what_is_wrong)
{
    char long_path[200] = "unix:/";
    memset(long_path + 6, 'a', 150);
    const char *const rows[][2] = {
        {"redis://me:secret@h", "a password in it would be visible"},
        {"redis://:secret@h", "a password in it would be visible"},
        {"redis://", "not a URL"},
        {"redis://h:99999", "not a URL"},
        {"redis://h/x", "DB is not a number: x"},
        {"redis://h/1/2", "DB is not a number"},
        {"redis://h/1234567", "DB is not a number"},
        {"redis://h?lists=a", "no \"lists\"; known are list, stream"},
        {"redis://h?list=", "list is empty"},
        {"redis://h?list=%00", "has a NUL"},
        {"redis://h?list=a#b", "%23"},
        {"http://h", "expected redis://"},
        {"unix:run/x", "unix:/PATH"},
        {long_path, "too long"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_redis_url url;
        crawl_error error = {0};
        cr_expect_eq(crawl_redis_url_parse(crawl_slice_from(rows[i][0]), names, &url, &error), CRAWL_EPARSE, "%s",
                     rows[i][0]);
        cr_expect(strstr(error.message, rows[i][1]), "%s: %s", rows[i][0], error.message);
        cr_expect_not(strstr(error.message, "secret"));
    }
}

Test(timing, waits_longer_after_each_failure_and_never_long)
{
    static const int64_t wholes[] = {100, 100, 200, 400, 800, 1600, 3200, 5000, 5000};
    for (unsigned failures = 0; failures < sizeof wholes / sizeof *wholes; failures++)
        for (uint64_t salt = 0; salt < 10000; salt += 7) {
            int64_t ms = cw_redis_backoff_ms(failures, salt);
            cr_assert(ms >= wholes[failures] / 2 && ms <= wholes[failures], "%u: %lld", failures, (long long)ms);
        }
    cr_assert_neq(cw_redis_backoff_ms(3, 1), cw_redis_backoff_ms(3, 2));
}

Test(timing, has_the_servers_time_within_its_bound)
{
    /* Asked at 1,000, answered at 1,400: the server said 900,000 some time in between. */
    cw_redis_clock clock = cw_redis_clock_of(1000, 1400, 900000);
    cr_assert(clock.known);
    cr_assert_eq(clock.bound_us, 200);
    for (int64_t said_at = 1000; said_at <= 1400; said_at += 50) {
        int64_t truth = 900000 + 5000 - said_at; /* at 5,000 */
        int64_t told = 5000 + clock.offset_us;
        cr_assert(told - truth <= clock.bound_us && truth - told <= clock.bound_us);
    }
}
