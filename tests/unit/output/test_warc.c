/* WARC files by the public calls alone, of exchanges that our engine has not made. */
#include "tests/support/folder.h"

#include <crawl/sys/warc.h>

#include <glob.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

static char prefix[64];
static crawl_warc *warc;
static crawl_error error;

static void set_up(void)
{
    make_folder();
    snprintf(prefix, sizeof prefix, "%s/a", folder);
}

TestSuite(warc, .init = set_up, .fini = remove_folder);

static void open_warc(void)
{
    crawl_warc_options options;
    crawl_warc_options_init(&options, sizeof options);
    options.prefix = prefix;
    options.text = "plain";
    cr_assert_eq(crawl_warc_open(&options, &warc, &error), CRAWL_OK, "%s", error.message);
}

Test(warc, exchange_without_an_answer_is_not_written)
{
    open_warc();
    cr_expect_eq(crawl_warc_write(warc, &(crawl_exchange){.size = sizeof(crawl_exchange)}), CRAWL_OK);
    cr_expect_eq(crawl_warc_close(warc, &error), CRAWL_OK);
}

/* By HTTP/2, which has no text of its own. */
static void write_http2(const char *sent)
{
    const crawl_response response = {
        .size = sizeof response,
        .status = 200,
        .http_version = 20,
        .ip = "127.0.0.1",
        .sent = crawl_slice_from(sent),
        .received_header = crawl_slice_from("HTTP/2 200 \r\nx: HTTP/2\r\n\r\n"),
    };
    const crawl_exchange exchange = {
        .size = sizeof exchange,
        .url = crawl_slice_from("http://a.example/HTTP/2"),
        .fetched_at_ms = 1700000000000,
        .response = &response,
    };
    cr_assert_eq(crawl_warc_write(warc, &exchange), CRAWL_OK);
}

static void write_ended(uint64_t number, const char *body, crawl_fetch_error failure)
{
    char head[128];
    int size = snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %zu\r\n\r\n",
                        strlen(body));
    const crawl_header header = {crawl_slice_from("Content-Type"), crawl_slice_from("text/html")};
    const crawl_response response = {
        .size = sizeof response,
        .status = 200,
        .error = failure,
        .headers = &header,
        .header_count = 1,
        .ip = "127.0.0.1",
        .sent = crawl_slice_from("GET /a HTTP/1.1\r\nHost: a.example\r\nAuthorization: Basic c2VjcmV0\r\n\r\n"),
        .received_header = crawl_slice_of(head, (size_t)size),
        .received_body = crawl_slice_from(body),
    };
    const crawl_exchange exchange = {
        .size = sizeof exchange,
        .url = crawl_slice_from("http://a.example/a"),
        .fetched_at_ms = 1700000000000,
        .number = number,
        .response = &response,
    };
    cr_assert_eq(crawl_warc_write(warc, &exchange), CRAWL_OK);
}

static void write_answer(uint64_t number, const char *body)
{
    write_ended(number, body, CRAWL_FETCH_OK);
}

/* Returns how many files match this pattern after the prefix. *text receives the text of the first; the caller frees
 * it. */
static size_t read_files(const char *pattern, char **text)
{
    enum { MOST = 1 << 16 };
    char whole[96];
    glob_t found = {0};
    snprintf(whole, sizeof whole, "%s%s", prefix, pattern);
    glob(whole, 0, NULL, &found);
    size_t count = found.gl_pathc;
    *text = calloc(1, MOST);
    if (count) {
        gzFile file = gzopen(found.gl_pathv[0], "rb");
        cr_assert(file && *text && gzread(file, *text, MOST - 1) > 0);
        gzclose(file);
    }
    globfree(&found);
    return count;
}

/* Copies the value of the n-th line that begins so. */
static void value_of(const char *text, const char *name, unsigned n, char value[64])
{
    const char *at = text;
    for (unsigned i = 0; at && i <= n; i++)
        at = strstr(i ? at + 1 : at, name);
    cr_assert(at && sscanf(at + strlen(name), " %63[^\r]", value) == 1, "%s %u", name, n);
}

Test(warc, records_of_an_exchange_that_is_made_by_hand)
{
    char *text;
    char answer[64], refers[64];
    const crawl_record about = {
        .size = sizeof about, .url = {"http://a.example/a", 18}, .exchange = 7, .text = {"what it says", 12}};
    open_warc();
    write_answer(7, "<p>body");
    cr_expect_eq(crawl_warc_write_metadata(warc, &about, "application/json", crawl_slice_from("{\"price\":5}")),
                 CRAWL_OK);
    cr_expect_eq(crawl_warc_write_metadata(warc, &about, "", (crawl_slice){0}), CRAWL_EINVAL);
    cr_expect_eq(crawl_warc_write_text(warc, &about), CRAWL_OK);
    cr_assert_eq(crawl_warc_close(warc, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(read_files("-*.warc.gz", &text), 1);
    cr_expect(strstr(text, "WARC-Type: response\r\n") && strstr(text, "<p>body"));
    cr_expect(strstr(text, "WARC-Type: request\r\n") && strstr(text, "Host: a.example") && !strstr(text, "c2VjcmV0"));
    cr_expect(strstr(text, "WARC-Type: metadata\r\n") && strstr(text, "{\"price\":5}"));
    value_of(text, "WARC-Record-ID:", 1, answer);
    value_of(text, "WARC-Refers-To:", 0, refers);
    cr_expect_str_eq(refers, answer, "metadata");
    free(text);
    cr_expect_eq(read_files("-*.warc.wet.gz", &text), 1);
    cr_expect(strstr(text, "WARC-Type: conversion\r\n") && strstr(text, "what it says"));
    value_of(text, "WARC-Refers-To:", 0, refers);
    cr_expect_str_eq(refers, answer, "text");
    free(text);
    cr_expect_eq(read_files("-*.cdxj", &text), 1);
    cr_expect_not_null(strstr(text, "\"status\": \"200\""));
    free(text);
}

Test(warc, messages_of_http_2_have_the_version_that_readers_expect)
{
    char *text;
    open_warc();
    write_http2("GET /HTTP/2?HTTP/2 HTTP/2\r\nHost: a.example\r\n\r\n");
    cr_assert_eq(crawl_warc_close(warc, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(read_files("-*.warc.gz", &text), 1);
    cr_expect_not_null(strstr(text, "\r\n\r\nGET /HTTP/2?HTTP/2 HTTP/1.1\r\nHost: a.example\r\n\r\n"));
    cr_expect_not_null(strstr(text, "\r\n\r\nHTTP/1.1 200 \r\nx: HTTP/2\r\n\r\n"));
    free(text);
}

Test(warc, a_rotation_finishes_the_file_and_the_next_record_begins_one)
{
    char *text;
    open_warc();
    write_answer(1, "one");
    cr_expect_eq(crawl_warc_rotate(warc), CRAWL_OK);
    cr_expect_eq(crawl_warc_rotate(warc), CRAWL_OK, "there is nothing to finish");
    cr_expect_eq(read_files("-*.warc.gz", &text), 1);
    free(text);
    cr_expect_eq(read_files("-*.cdxj", &text), 1);
    free(text);
    write_answer(2, "one");
    cr_assert_eq(crawl_warc_close(warc, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(read_files("-*.warc.gz", &text), 2);
    free(text);
    cr_expect_eq(read_files("-*-00001.warc.gz", &text), 1);
    cr_expect(strstr(text, "WARC-Type: revisit\r\n") != NULL, "a body of the file before is known");
    free(text);
}

Test(warc, a_file_without_its_first_record_is_removed)
{
    char *text;
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = RLIM_INFINITY};
    crawl_warc_options options;
    crawl_warc_options_init(&options, sizeof options);
    options.prefix = prefix;
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    setrlimit(RLIMIT_FSIZE, &none);
    crawl_err err = crawl_warc_open(&options, &warc, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    cr_expect_eq(err, CRAWL_EIO);
    cr_expect_not_null(strstr(error.message, prefix), "%s", error.message);
    cr_expect_eq(read_files("-*", &text), 0);
    free(text);
}

static void write_visit(const char *url, int status, int64_t at_ms, int64_t confirms_ms)
{
    const crawl_header header = {crawl_slice_from("ETag"), crawl_slice_from("\"1\"")};
    const crawl_response response = {
        .size = sizeof response,
        .status = status,
        .headers = &header,
        .header_count = 1,
        .ip = "127.0.0.1",
        .sent = crawl_slice_from("GET / HTTP/1.1\r\n\r\n"),
        .received_header = crawl_slice_from(status == 304 ? "HTTP/1.1 304 x\r\n\r\n" : "HTTP/1.1 200 OK\r\n\r\n"),
        .received_body = crawl_slice_from(status == 304 ? "" : "body"),
    };
    const crawl_exchange exchange = {.size = sizeof exchange,
                                     .url = crawl_slice_from(url),
                                     .fetched_at_ms = at_ms,
                                     .confirms_ms = confirms_ms,
                                     .number = (uint64_t)at_ms,
                                     .response = &response};
    cr_assert_eq(crawl_warc_write(warc, &exchange), CRAWL_OK);
}

Test(warc, a_304_that_confirms_a_revisit_record_names_its_original)
{
    char *text, value[64];
    open_warc();
    write_visit("http://a.example/", 200, 1700000001000, 0);
    write_visit("http://a.example/b", 200, 1700000002000, 0);
    write_visit("http://a.example/b", 304, 1700000003000, 1700000002000);
    write_visit("http://a.example/", 304, 1700000004000, 1700000001000);
    cr_assert_eq(crawl_warc_close(warc, &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(read_files("-*.warc.gz", &text), 1);
    for (unsigned i = 0; i < 3; i++) {
        value_of(text, "WARC-Refers-To-Target-URI:", i, value);
        cr_expect_str_eq(value, "http://a.example/");
        value_of(text, "WARC-Refers-To-Date:", i, value);
        cr_expect_eq(strncmp(value, "2023-11-14T22:13:21", 19), 0, "%s", value);
    }
    free(text);
}

Test(warc, options_that_are_not_filled_are_refused)
{
    crawl_warc_options options = {.prefix = prefix};
    cr_expect_eq(crawl_warc_open(&options, &warc, &error), CRAWL_EINVAL);
    crawl_warc_options_init(&options, sizeof options);
    cr_expect_eq(crawl_warc_open(&options, &warc, &error), CRAWL_EINVAL, "there is no prefix");
    options.prefix = "/nonexistent/a";
    cr_expect_eq(crawl_warc_open(&options, &warc, &error), CRAWL_EIO);
    cr_expect_not_null(strstr(error.message, "/nonexistent/a"), "%s", error.message);
}

Test(warc, the_body_of_an_answer_that_broke_off_is_no_original)
{
    char *text;
    open_warc();
    write_ended(1, "<p>body", CRAWL_FETCH_RESET);
    write_answer(2, "<p>body");
    write_answer(3, "<p>body");
    cr_assert_eq(crawl_warc_close(warc, &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(read_files("-*.warc.gz", &text), 1);
    const char *first = strstr(text, "WARC-Type: response\r\n");
    const char *second = first ? strstr(first + 1, "WARC-Type: response\r\n") : NULL;
    cr_expect_not_null(strstr(text, "WARC-Truncated: disconnect\r\n"));
    cr_assert_not_null(second, "the whole answer is there");
    cr_expect_not_null(strstr(second, "WARC-Type: revisit\r\n"), "and the original of the third");
    free(text);
}
