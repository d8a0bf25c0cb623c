/* Cached names, with time set by the test; and the hosts file. */
#include "fetch/names/names.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static crawl_name_cache *cache;
static cw_names_answer got;

static void open_cache(void)
{
    cache = cw_names_create(NULL);
    got = (cw_names_answer){0};
}

static void close_cache(void)
{
    crawl_name_cache_free(cache);
    crawl_buf_free(&got.addresses);
}

TestSuite(names, .init = open_cache, .fini = close_cache);

static void put(const char *name, cw_names_verdict verdict, const char *addresses, uint32_t ttl_s, int64_t now_ms)
{
    cw_names_answer answer = {.verdict = verdict, .ttl_s = ttl_s};
    cr_assert_eq(crawl_buf_append_text(&answer.addresses, addresses), CRAWL_OK);
    cw_names_put(cache, crawl_slice_from(name), &answer, now_ms);
    crawl_buf_free(&answer.addresses);
}

static bool knows(const char *name, int64_t now_ms)
{
    return cw_names_get(cache, crawl_slice_from(name), now_ms, &got) == CRAWL_OK;
}

Test(names, an_answer_holds_for_its_time)
{
    put("a.test", CW_NAME_KNOWN, "192.0.2.1", 300, 1000);
    cr_expect(knows("a.test", 1000));
    cr_expect_eq(got.verdict, CW_NAME_KNOWN);
    cr_expect_str_eq(got.addresses.data, "192.0.2.1");
    cr_expect(knows("a.test", 300999));
    cr_expect_not(knows("a.test", 301000));
    cr_expect_eq(cw_names_count(cache), 0, "what is over is forgotten");
    cr_expect_not(knows("b.test", 1000));
}

Test(names, a_newer_answer_replaces_an_older_one)
{
    put("a.test", CW_NAME_KNOWN, "192.0.2.1,192.0.2.2", 300, 0);
    put("a.test", CW_NAME_ABSENT, "", 300, 10);
    cr_expect(knows("a.test", 20));
    cr_expect_eq(got.verdict, CW_NAME_ABSENT);
    cr_expect_eq(got.addresses.size, 0);
    cr_expect_eq(cw_names_count(cache), 1);
}

Test(names, times_are_bounded)
{
    static const struct {
        cw_names_verdict verdict;
        uint32_t ttl_s;
        int64_t keep_ms;
    } rows[] = {
        {CW_NAME_KNOWN, 0, 1000},           {CW_NAME_KNOWN, 77, 77000},  {CW_NAME_KNOWN, UINT32_MAX, 3600000},
        {CW_NAME_ABSENT, 0, 1000},          {CW_NAME_ABSENT, 30, 30000}, {CW_NAME_ABSENT, 86400, 60000},
        {CW_NAME_EMPTY, UINT32_MAX, 60000}, {CW_NAME_FAILED, 300, 1000}, {CW_NAME_LATE, 300, 1000},
        {CW_NAME_SYSTEM, 1, 60000},         {CW_NAME_BAD, 300, 0},       {CW_NAME_MEMORY, 300, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cw_names_answer answer = {.verdict = rows[i].verdict, .ttl_s = rows[i].ttl_s};
        cr_expect_eq(cw_names_keep_ms(&answer), rows[i].keep_ms, "row %zu", i);
    }
    put("a.test", CW_NAME_MEMORY, "", 300, 0);
    cr_expect_eq(cw_names_count(cache), 0);
}

Test(names, there_is_a_most_of_them)
{
    char name[32];
    for (int i = 0; i < 100001; i++) {
        snprintf(name, sizeof name, "host%d.test", i);
        put(name, CW_NAME_KNOWN, "192.0.2.1", 300, 0);
    }
    cr_expect_eq(cw_names_count(cache), 100000);
    cr_expect_not(knows("host0.test", 1), "the oldest is forgotten");
    cr_expect(knows("host1.test", 1));
    cr_expect(knows("host100000.test", 1));
}

static const char hosts[] = "# comment\n"
                            "127.0.0.1\tlocalhost\n"
                            "192.0.2.7   Box.Example box # the box\r\n"
                            "2001:db8::7 box.example\n"
                            "not-an-address box.example\n"
                            "\n"
                            "192.0.2.8\n"
                            "  192.0.2.9 indented.example";

Test(names, hosts_file)
{
    char path[] = "/tmp/crawl-hosts-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0 && write(fd, hosts, sizeof hosts - 1) == (ssize_t)(sizeof hosts - 1));
    close(fd);
    crawl_name_cache_free(cache);
    cache = cw_names_create(path);
    unlink(path);
    cr_assert_not_null(cache);
    put("box.example", CW_NAME_ABSENT, "", 300, 0);
    cr_expect(knows("box.example", INT64_MAX));
    cr_expect_eq(got.verdict, CW_NAME_KNOWN);
    cr_expect_str_eq(got.addresses.data, "192.0.2.7,[2001:db8::7]");
    cr_expect(knows("box", 0));
    cr_expect_str_eq(got.addresses.data, "192.0.2.7");
    cr_expect(knows("indented.example", 0));
    cr_expect_not(knows("comment", 0));
    cr_expect_not(knows("the", 0));
}

Test(names, hosts_file_that_is_not_there)
{
    crawl_name_cache_free(cache);
    cache = cw_names_create("/nonexistent/hosts");
    cr_assert_not_null(cache);
    cr_expect_not(knows("localhost", 0));
}
