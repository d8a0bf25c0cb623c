#include "crawler/program/live/course/breakdown.h"
#include "crawler/program/live/course/timeline.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>

static cw_live_breakdown all;
static cw_live_timeline line;

static void add(uint32_t depth, int status, const char *type, const char *error)
{
    const crawl_record record = {
        .size = sizeof record,
        .url = crawl_slice_from("http://a.example/x"),
        .parent = crawl_slice_from("http://a.example/"),
        .status = status,
        .depth = depth,
        .content_type = crawl_slice_from(type),
        .error = error,
        .error_text = error ? "in words" : "",
        .fetched_at_ms = 1795000000000,
    };
    cw_live_breakdown_add(&all, &record);
}

static json_t *read_json(crawl_buf *text)
{
    json_t *object = json_loadb(text->data, text->size, JSON_REJECT_DUPLICATES, NULL);
    cr_assert(json_is_object(object), "%s", text->data);
    crawl_buf_free(text);
    return object;
}

static json_t *written(void)
{
    crawl_buf text = {0};
    cw_writer out = {.out = &text};
    cw_live_breakdown_write(&all, &out);
    cr_assert_eq(out.err, CRAWL_OK);
    return read_json(&text);
}

static json_int_t number(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

Test(live_breakdown, depths_types_and_errors)
{
    cw_live_breakdown_init(&all);
    add(0, 200, "text/html; charset=utf-8", NULL);
    add(2, 200, "TEXT/html", NULL);
    add(2, 404, NULL, NULL);
    add(99, 200, "image/png", NULL);
    add(1, 0, NULL, "timeout");
    json_t *object = written();
    const json_t *depths = json_object_get(object, "depths");
    cr_assert_eq(json_array_size(depths), 3);
    cr_expect_eq(json_integer_value(json_array_get(depths, 0)), 1);
    cr_expect_eq(json_integer_value(json_array_get(depths, 1)), 0, "what had no answer has no depth here");
    cr_expect_eq(json_integer_value(json_array_get(depths, 2)), 2);
    cr_expect_eq(number(object, "deeper"), 1);
    const json_t *types = json_object_get(object, "types");
    cr_assert_eq(json_array_size(types), 2);
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(types, 0), "type")), "text/html");
    cr_expect_eq(number(json_array_get(types, 0), "count"), 2);
    cr_expect_eq(number(object, "untyped"), 1);
    const json_t *errors = json_object_get(object, "errors");
    cr_assert_eq(json_array_size(errors), 2);
    const json_t *kind = json_array_get(errors, 1);
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(errors, 0), "kind")), "404");
    cr_expect_str_eq(json_string_value(json_object_get(kind, "kind")), "timeout");
    const json_t *example = json_array_get(json_object_get(kind, "examples"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(example, "parent")), "http://a.example/");
    cr_expect_str_eq(json_string_value(json_object_get(example, "words")), "in words");
    json_decref(object);
    cw_live_breakdown_free(&all);
}

Test(live_breakdown, what_strangers_name_is_bounded)
{
    char name[40];
    cw_live_breakdown_init(&all);
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "text/x-%u", i);
        add(1, 400 + (int)i, name, NULL);
    }
    for (unsigned i = 0; i < 3; i++)
        add(1, 400, "text/x-0", NULL);
    json_t *object = written();
    cr_expect_eq(json_array_size(json_object_get(object, "types")), CW_LIVE_TYPES);
    cr_expect_eq(number(object, "other_types"), 1000 - CW_LIVE_TYPES);
    const json_t *errors = json_object_get(object, "errors");
    cr_assert_eq(json_array_size(errors), CW_LIVE_KINDS);
    cr_expect_eq(number(object, "other_errors"), 1000 - CW_LIVE_KINDS);
    cr_expect_eq(number(json_array_get(errors, 0), "count"), 4);
    cr_expect_eq(json_array_size(json_object_get(json_array_get(errors, 0), "examples")), 4);
    json_decref(object);
    cw_live_breakdown_free(&all);
}

Test(live_timeline, is_as_long_for_weeks_as_for_minutes)
{
    enum { SECONDS = 100000 };
    crawl_engine_stats stats = {0};
    for (int i = 0; i < SECONDS; i++) {
        stats.elapsed_ms = (int64_t)i * 1000;
        stats.pages = 3 * (uint64_t)i;
        cw_live_timeline_add(&line, &stats);
    }
    crawl_buf text = {0};
    cw_writer out = {.out = &text};
    cw_live_timeline_write(&line, &out);
    json_t *object = read_json(&text);
    const json_t *elapsed = json_object_get(object, "elapsed_s");
    const json_t *pages = json_object_get(object, "pages");
    size_t count = json_array_size(elapsed);
    cr_expect(count >= CW_LIVE_POINTS / 2 && count <= CW_LIVE_POINTS, "%zu", count);
    cr_expect_eq(json_array_size(pages), count);
    cr_expect_eq(json_number_value(json_array_get(elapsed, 0)), 0, "the beginning stays");
    double apart = json_number_value(json_array_get(elapsed, 1));
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(json_number_value(json_array_get(elapsed, i)), apart * (double)i);
        cr_expect_eq(json_number_value(json_array_get(pages, i)), 3 * apart * (double)i);
    }
    cr_expect_leq(SECONDS - json_number_value(json_array_get(elapsed, count - 1)), 2 * apart);
    json_decref(object);
}
