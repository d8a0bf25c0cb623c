/* Rows of CSV: each cell has the value of the same field in the record's JSON line. */
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/text/escape.h"

#include <crawl/output.h>

#include <criterion/criterion.h>

static void put_value(cw_writer *out, const json_t *value)
{
    size_t i;
    const char *name;
    json_t *word;
    const char *before = "";
    if (json_is_string(value))
        cw_escape_csv(out, crawl_slice_of(json_string_value(value), json_string_length(value)));
    else if (json_is_integer(value))
        cw_json_put_int(out, json_integer_value(value));
    else if (json_is_real(value))
        cw_json_put_real(out, json_real_value(value));
    else if (json_is_boolean(value))
        cw_put_text(out, json_is_true(value) ? "true" : "false");
    json_array_foreach(value, i, word)
    {
        cw_put_text(out, i ? " " : "");
        cw_escape_csv(out, crawl_slice_from(json_string_value(word)));
    }
    json_object_foreach((json_t *)(uintptr_t)value, name, word)
    {
        if (json_is_string(word))
            cw_put_format(out, "%s%s=%s", before, name, json_string_value(word));
        before = json_is_string(word) ? " " : before;
    }
}

/* Expects the row of a line, read back. */
static void expect_row(const crawl_buf *line, const char *const *columns, const crawl_buf *row)
{
    crawl_buf text = {0};
    cw_writer wanted = {.out = &text};
    json_t *object = cw_json_read(crawl_buf_slice(line), NULL);
    cr_assert(json_is_object(object), "%s", line->data);
    for (size_t i = 0; columns[i]; i++) {
        cw_put_text(&wanted, i ? "," : "");
        put_value(&wanted, json_object_get(object, columns[i]));
    }
    cw_put_char(&wanted, '\r');
    cr_expect_str_eq(row->data, text.data);
    json_decref(object);
    crawl_buf_free(&text);
}

static void expect_record(const crawl_record *record, const char *body)
{
    crawl_buf line = {0};
    crawl_buf row = {0};
    cr_assert_eq(crawl_record_json(record, body, (crawl_slice){0}, &line), CRAWL_OK);
    cr_assert_eq(crawl_record_csv(record, body, &row), CRAWL_OK);
    expect_row(&line, crawl_record_columns(), &row);
    crawl_buf_free(&line);
    crawl_buf_free(&row);
}

static const char *const texts[] = {
    "",         "plain",        "a,b;c",           "\"quoted\"",     "=1+1",
    "-1",       "@a",           "two\nlines\ttab", "\xe2\x82x cut",  "\xff\xfe\xe2\x82",
    "\xc3\xa4", "\xe2\x80\xae", "\x7f\x01",        "text/html; a=b", "\xf0\x9f\x98\x80",
};

enum { TEXTS = sizeof texts / sizeof *texts };

static crawl_slice text_of(size_t i)
{
    return crawl_slice_from(texts[i % TEXTS]);
}

Test(csv, a_record_says_the_same_as_its_line)
{
    for (size_t i = 0; i < 16 * (size_t)TEXTS; i++) {
        const crawl_record record = {
            .size = sizeof record,
            .url = text_of(i),
            .canonical = text_of(i + 1),
            .method = text_of(i + 2),
            .status = (int)i,
            .depth = (uint32_t)i,
            .external = i & 1,
            .requisite = i & 2,
            .parent = text_of(i + 3),
            .fetched_at_ms = 1700000000000 + (int64_t)i,
            .elapsed_ms = (double)i / 7,
            .ip = texts[(i + 4) % TEXTS],
            .content_type = text_of(i + 5),
            .content_type_header = text_of(i + 12),
            .charset = i & 1 ? "UTF-8" : NULL,
            .bytes = i << 20,
            .has_digest = i & 4,
            .title = text_of(i + 6),
            .robots = (unsigned)i % 4,
            .links = i,
            .links_cut = i & 8,
            .fresh = i / 2,
            .redirect = text_of(i + 7),
            .error = i & 2 ? "timeout" : NULL,
            .error_text = texts[(i + 8) % TEXTS],
            .attempt = 1,
            .visit = 2,
            .change = (crawl_change)(i % 3),
            .duplicate_of = text_of(i + 9),
            .near_duplicate_of = text_of(i + 10),
            .distance = 3,
            .has_simhash = i & 4,
            .simhash = i * 0x9e3779b97f4a7c15u,
            .fields = crawl_slice_from("{\"a\":{\"b\":1}}"),
            .data = crawl_slice_from("{\"c\":1}"),
            .text = text_of(i + 11),
            .refused = (unsigned)i % 8 & ~((unsigned)i / 8 % 8),
            .granted = (unsigned)i / 8 % 8,
            .withheld = i & 1 ? "train" : NULL,
            .preferences = crawl_slice_from("[]"),
        };
        expect_record(&record, i & 1 ? "ab/cdef" : NULL);
    }
}

Test(csv, an_edge_says_the_same_as_its_line)
{
    for (size_t i = 0; i < (size_t)TEXTS * CRAWL_EDGE_COUNT; i++) {
        const crawl_link link = {
            .tag = "a", .attr = "href", .rel = text_of(i), .text = text_of(i + 1), .nofollow = i & 1};
        const crawl_edge edge = {
            .size = sizeof edge,
            .link = i % 5 ? &link : NULL,
            .from = text_of(i + 2),
            .to = text_of(i + 3),
            .depth = (uint32_t)i,
            .requisite = i & 2,
            .verdict = (crawl_edge_verdict)(i % CRAWL_EDGE_COUNT),
        };
        crawl_buf line = {0};
        crawl_buf row = {0};
        cr_assert_eq(crawl_edge_json(&edge, &line), CRAWL_OK);
        cr_assert_eq(crawl_edge_csv(&edge, &row), CRAWL_OK);
        expect_row(&line, crawl_edge_columns(), &row);
        crawl_buf_free(&line);
        crawl_buf_free(&row);
    }
}
