/* JSON that is copied: invalid texts are refused, and an independent reader reads the result as the original. */
#include "parse/data/data_json.h"

#include <crawl/data.h>

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>

static bool copy(const char *text, crawl_buf *out)
{
    cw_writer writer = {.out = out};
    crawl_buf_clear(out);
    bool is_json = cw_data_json_copy(crawl_slice_from(text), &writer);
    cr_assert_eq(writer.err, CRAWL_OK);
    return is_json;
}

Test(data_json, is_copied_without_space)
{
    static const char *const rows[][2] = {
        {" { \"a\" :\t[ 1 , -0.5e-3,true ,false,null ] , \"b\":{ } }\r\n",
         "{\"a\":[1,-0.5e-3,true,false,null],\"b\":{}}"},
        {"[\"a b\\n\\u00e9\\/\"]", "[\"a b\\n\\u00e9\\/\"]"},
        {"[\"\\ud83d\\ude00 \\ud83d \\ude00 \\ud83d\\u0041 \\u0000\"]",
         "[\"\\ud83d\\ude00 \xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd\\u0041 \xef\xbf\xbd\"]"},
        {"{\"a\nb\":\"\t\r\n\\n\x01\"}", "{\"a\\nb\":\"\\t\\r\\n\\n\\u0001\"}"},
        {"[123456789012345678,1234567890123456789,-0]", "[123456789012345678,1234567890123456789.0,-0]"},
        {" []", "[]"},
    };
    crawl_buf out = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect(copy(rows[i][0], &out), "%s", rows[i][0]);
        cr_expect_str_eq(out.data, rows[i][1]);
        json_t *read = json_loads(out.data, JSON_DECODE_ANY, NULL);
        cr_expect_not_null(read, "%s", out.data);
        json_decref(read);
    }
    crawl_buf_free(&out);
}

Test(data_json, what_is_none_is_refused)
{
    static const char *const rows[] = {
        "",
        " ",
        "{",
        "[1,]",
        "[1 2]",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "'a'",
        "[01]",
        "[1.]",
        "[.5]",
        "[+1]",
        "[1e]",
        "[-]",
        "[tru]",
        "[\"a",
        "[\"\\x\"]",
        "[\"\\u12",
        "[\"\\u12g4\"]",
        "[1];",
        "[1] 2",
        "/* a */ [1]",
        "<!-- [1] -->",
        "[1e309]",
        "[1e9999999]",
        "[NaN]",
        "[1}",
        "{\"a\":}",
        "0",
        "null",
        "\"a\"",
        "[\"a\n",
        "\xef\xbb\xbf{}",
    };
    crawl_buf out = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_not(copy(rows[i], &out), "%s", rows[i]);
    crawl_buf_free(&out);
}

Test(data_json, levels_have_a_maximum)
{
    char text[2 * CRAWL_DATA_MAX_LEVELS + 3];
    crawl_buf out = {0};
    for (size_t levels = CRAWL_DATA_MAX_LEVELS; levels <= CRAWL_DATA_MAX_LEVELS + 1; levels++) {
        memset(text, '[', levels);
        memset(text + levels, ']', levels);
        text[2 * levels] = '\0';
        cr_expect_eq(copy(text, &out), levels == CRAWL_DATA_MAX_LEVELS);
    }
    crawl_buf_free(&out);
}
