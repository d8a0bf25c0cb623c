#include "crawler/program/live/course/timeline.h"

#include <criterion/criterion.h>
#include <jansson.h>

static cw_live_journal journal;

static void add(const char *url, int status, const char *error)
{
    const crawl_record record = {
        .size = sizeof record,
        .url = crawl_slice_from(url),
        .status = status,
        .depth = 2,
        .fetched_at_ms = 1795000000123,
        .elapsed_ms = 12.5,
        .content_type = crawl_slice_from("Text/HTML ; charset=utf-8"),
        .bytes = 300,
        .error = error,
        .error_text = error ? "no\nanswer" : "",
    };
    cw_live_journal_add(&journal, &record);
}

static json_t *written(uint64_t after, size_t most, uint64_t *last)
{
    crawl_buf text = {0};
    cw_writer out = {.out = &text};
    *last = cw_live_journal_write(&journal, after, most, &out);
    cr_assert_eq(out.err, CRAWL_OK);
    cr_expect_null(memchr(text.data, '\n', text.size), "an event is one line");
    json_t *list = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, NULL);
    cr_assert(json_is_array(list), "%s", text.data);
    crawl_buf_free(&text);
    return list;
}

static json_int_t number_at(const json_t *list, size_t index)
{
    return json_integer_value(json_object_get(json_array_get(list, index), "number"));
}

static const char *text_at(const json_t *list, size_t index, const char *field)
{
    const char *text = json_string_value(json_object_get(json_array_get(list, index), field));
    return text ? text : "(null)";
}

TestSuite(live_journal);

Test(live_journal, says_what_a_request_came_to)
{
    uint64_t last;
    cw_live_journal_init(&journal);
    json_t *list = written(0, 10, &last);
    cr_expect_eq(json_array_size(list), 0);
    cr_expect_eq(last, 0);
    json_decref(list);
    add("http://a.example/", 200, NULL);
    add("http://b.example/", 0, "timeout");
    list = written(0, 10, &last);
    cr_assert_eq(json_array_size(list), 2);
    cr_expect_eq(last, 2);
    cr_expect_eq(number_at(list, 0), 1);
    cr_expect_str_eq(text_at(list, 0, "url"), "http://a.example/");
    cr_expect_str_eq(text_at(list, 0, "type"), "Text/HTML");
    cr_expect_str_eq(text_at(list, 0, "error"), "(null)");
    cr_expect_str_eq(text_at(list, 0, "at"), "2026-11-18T11:06:40.123Z");
    cr_expect_eq(json_real_value(json_object_get(json_array_get(list, 0), "elapsed_ms")), 12.5);
    cr_expect_str_eq(text_at(list, 1, "error"), "timeout");
    cr_expect_str_eq(text_at(list, 1, "words"), "no\nanswer");
    json_decref(list);
    list = written(1, 10, &last);
    cr_expect_eq(json_array_size(list), 1);
    json_decref(list);
    cw_live_journal_free(&journal);
}

Test(live_journal, who_reads_late_gets_the_last_ones)
{
    uint64_t last;
    cw_live_journal_init(&journal);
    for (unsigned i = 0; i < CW_LIVE_REQUESTS + 50; i++)
        add("http://a.example/", 200, NULL);
    json_t *list = written(0, 2 * CW_LIVE_REQUESTS, &last);
    cr_expect_eq(last, CW_LIVE_REQUESTS + 50);
    cr_assert_eq(json_array_size(list), CW_LIVE_REQUESTS);
    cr_expect_eq(number_at(list, 0), 51);
    cr_expect_eq(number_at(list, CW_LIVE_REQUESTS - 1), CW_LIVE_REQUESTS + 50);
    json_decref(list);
    list = written(100, 7, &last);
    cr_assert_eq(json_array_size(list), 7);
    cr_expect_eq(number_at(list, 6), CW_LIVE_REQUESTS + 50);
    json_decref(list);
    cw_live_journal_free(&journal);
}

Test(live_journal, what_is_too_long_is_cut)
{
    uint64_t last;
    char url[2 * CW_LIVE_URL];
    memset(url, 'a', sizeof url - 1);
    url[sizeof url - 1] = '\0';
    cw_live_journal_init(&journal);
    add(url, 0, "of a class whose name is far longer than any that the engine has ever had so far");
    add("http://a.example/\xff", 200, NULL);
    json_t *list = written(0, 10, &last);
    cr_expect_eq(strlen(text_at(list, 0, "url")), CW_LIVE_URL - 1);
    cr_expect(json_is_true(json_object_get(json_array_get(list, 0), "cut")));
    cr_expect_eq(strlen(text_at(list, 0, "error")), CW_LIVE_TYPE - 1);
    cr_expect_str_eq(text_at(list, 1, "url"), "http://a.example/\xef\xbf\xbd");
    json_decref(list);
    cw_live_journal_free(&journal);
}
