/* Members picked from JSON: each kind of value, names in any order and spelling, and errors, which jansson refuses too.
 */
#include "base/json/json_read.h"
#include "base/json/pick.h"

#include <criterion/criterion.h>
#include <math.h>

enum { A, B, NAMES };

static const crawl_slice names[NAMES] = {[A] = CW_JSON_NAME("a"), [B] = CW_JSON_NAME("b\"\u00fc")};

static bool pick(const char *text, cw_json_value *values)
{
    return cw_json_pick(crawl_slice_from(text), names, NAMES, values);
}

static bool is(crawl_slice text, const char *expected)
{
    return crawl_slice_equal(text, crawl_slice_from(expected));
}

Test(json_pick, kinds)
{
    static const struct {
        const char *text;
        cw_json_kind kind;
    } rows[] = {
        {"{}", CW_JSON_MISSING},
        {"{\"b\":1}", CW_JSON_MISSING},
        {"{\"c\":{\"a\":1}}", CW_JSON_MISSING},
        {" { \"a\" : null } ", CW_JSON_NULL},
        {"{\"a\":false}", CW_JSON_FALSE},
        {"{\"x\":[1,{\"a\":[]}],\"a\":true}", CW_JSON_TRUE},
        {"{\"a\":-0.5e+1}", CW_JSON_NUMBER},
        {"{\"a\":\"\"}", CW_JSON_STRING},
        {"{\"a\":[ ]}", CW_JSON_ARRAY},
        {"{\"a\":1,\"a\":{}}", CW_JSON_OBJECT},
        {"{\"\\u0061\":null}", CW_JSON_NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cw_json_value values[NAMES];
        cr_expect(pick(rows[i].text, values), "%s", rows[i].text);
        cr_expect_eq(values[A].kind, rows[i].kind, "%s", rows[i].text);
        cr_expect_eq(values[B].kind, CW_JSON_MISSING);
    }
}

Test(json_pick, names_are_found_in_any_order_and_spelling)
{
    static const char *const texts[] = {"{\"a\":1,\"b\\\"\u00fc\":2}", "{\"b\\u0022\\u00FC\":2,\"c\":0,\"a\":1}",
                                        "{\"a\":0,\"b\\\"\u00fc\":0,\"a\":1,\"b\\\"\\u00fc\":2}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cw_json_value values[NAMES];
        cr_expect(pick(texts[i], values), "%s", texts[i]);
        cr_expect(cw_json_number(&values[A]) == 1 && cw_json_number(&values[B]) == 2, "%s", texts[i]);
    }
}

Test(json_pick, texts_stay_where_they_are)
{
    const char *text =
        "{\"a\":\"plain\",\"b\\\"\u00fc\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\ude00 behind all of them\"}";
    cw_json_value values[NAMES];
    crawl_buf decoded = {0};
    cr_assert(pick(text, values));
    cr_expect_null(cw_json_decoded(&values[B], &decoded).data, "there is no room");
    cr_assert_eq(crawl_buf_reserve(&decoded, strlen(text)), CRAWL_OK);
    crawl_slice first = cw_json_decoded(&values[B], &decoded);
    cr_expect(is(cw_json_decoded(&values[A], &decoded), "plain"));
    cr_expect(is(first, "\"\\/\b\f\n\r\t\u00e4\U0001f600 behind all of them"));
    cr_expect_eq(first.data, decoded.data);
    cr_expect_null(cw_json_decoded(&(cw_json_value){.kind = CW_JSON_NUMBER}, &decoded).data);
    crawl_buf_free(&decoded);
}

Test(json_pick, numbers_are_the_nearest)
{
    static const char *const numbers[] = {"0",
                                          "-0",
                                          "7",
                                          "-12.5",
                                          "54.914",
                                          "0.1",
                                          "1795469019339.149",
                                          "123456789012345",
                                          "9007199254740993",
                                          "18446744073709551617",
                                          "0.30000000000000000000000004",
                                          "1e22",
                                          "5E-324",
                                          "1e-999"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[64];
        cw_json_value values[NAMES];
        snprintf(text, sizeof text, "{\"a\":%s}", numbers[i]);
        cr_expect(pick(text, values), "%s", text);
        cr_expect(cw_json_number(&values[A]) == strtod(numbers[i], NULL), "%s", text);
    }
}

Test(json_pick, elements)
{
    cw_json_value values[NAMES], element;
    cr_assert(pick("{\"a\":[\"x\", [1,2] ,{\"y\":[3]},4 ]}", values));
    static const char *const expected[] = {"x", "[1,2]", "{\"y\":[3]}", "4"};
    crawl_slice rest = values[A].bytes;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect(cw_json_next_element(&rest, &element) && is(element.bytes, expected[i]), "%s", expected[i]);
    cr_expect_not(cw_json_next_element(&rest, &element));
}

Test(json_pick, elements_that_are_objects)
{
    static const struct {
        const char *text;
        int objects;
        const char *rest;
    } rows[] = {{"[{\"a\":1},{\"c\":0} , { \"c\":[],\"a\":3 } ]", 3, "]"},
                {"[]", 0, "]"},
                {"[{\"a\":1},2,{\"a\":3}]", 1, "2,{\"a\":3}]"},
                {"[{\"a\":1} {\"a\":2}]", 1, "{\"a\":2}]"},
                {"[{\"a\":1},{\"a\":}]", 1, "}]"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cw_json_value values[NAMES];
        crawl_slice rest = crawl_slice_from(rows[i].text);
        int count = 0;
        for (; cw_json_next_pick(&rest, names, NAMES, values); count++)
            cr_expect(cw_json_number(&values[A]) == (count == 1 ? 0 : count + 1), "%s", rows[i].text);
        cr_expect(count == rows[i].objects && is(rest, rows[i].rest), "%s: %d", rows[i].text, count);
    }
}

/* Strings are skipped eight bytes at a time. */
Test(json_pick, strings_end_at_any_byte)
{
    static const char plain[] = "abcdefg!\u00fc\x7f~#[]{}:,\u20ac0123456789";
    for (size_t size = 0; size < sizeof plain; size++) {
        char text[64];
        cw_json_value values[NAMES];
        crawl_slice expected = crawl_slice_of(plain, size);
        snprintf(text, sizeof text, "{\"a\":\"%.*s\",\"c\":1}", (int)size, plain);
        cr_expect(pick(text, values) && crawl_slice_equal(values[A].bytes, expected), "%s", text);
        snprintf(text, sizeof text, "{\"a\":\"%.*s\\n\"}", (int)size, plain);
        cr_expect(pick(text, values) && values[A].has_escapes && values[A].bytes.size == size + 2, "%s", text);
        snprintf(text, sizeof text, "{\"a\":\"%.*s\x1f\"}", (int)size, plain);
        cr_expect_not(pick(text, values), "%s", text);
    }
}

Test(json_pick, what_jansson_refuses_is_refused)
{
    static const char *const bad[] = {
        "",
        " ",
        "1",
        "[]",
        "{",
        "{]",
        "{}{}",
        "{} x",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{1:1}",
        "{\"a\":01}",
        "{\"a\":-}",
        "{\"a\":+1}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":1e}",
        "{\"a\":1e+}",
        "{\"a\":1e999}",
        "{\"x\":[-1e999]}",
        "{\"a\":nul}",
        "{\"a\":True}",
        "{\"a\":nullx}",
        "{\"a\":\"",
        "{\"a\":\"\t\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\u0000\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00\"}",
        "{\"a\":\"\\ud800\\u0041\"}",
        "{\"a\":[1,]}",
        "{\"a\":[1}",
        "{\"a\":[[[\"]}",
        "\xef\xbb\xbf{}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cw_json_value values[NAMES];
        cr_expect_not(pick(bad[i], values), "%s", bad[i]);
        json_t *read = cw_json_read(crawl_slice_from(bad[i]), NULL);
        cr_expect_not(json_is_object(read), "%s", bad[i]);
        json_decref(read);
    }
}

Test(json_pick, levels_are_those_of_jansson)
{
    for (size_t levels = 2040; levels < 2056; levels++) {
        cw_json_value values[NAMES];
        crawl_buf text = {0};
        cr_assert(!crawl_buf_append_text(&text, "{\"a\":"));
        for (size_t i = 0; i < 2 * levels; i++)
            cr_assert(!crawl_buf_append_char(&text, i < levels ? '[' : ']'));
        cr_assert(!crawl_buf_append_char(&text, '}'));
        json_t *read = cw_json_read(crawl_buf_slice(&text), NULL);
        cr_expect_eq(cw_json_pick(crawl_buf_slice(&text), names, NAMES, values), read != NULL, "%zu", levels);
        json_decref(read);
        crawl_buf_free(&text);
    }
}

Test(json_pick, a_number_of_many_digits)
{
    for (size_t digits = 290; digits < 320; digits++) {
        cw_json_value values[NAMES];
        crawl_buf text = {0};
        cr_assert(!crawl_buf_append_text(&text, "{\"a\":"));
        for (size_t i = 0; i < digits; i++)
            cr_assert(!crawl_buf_append_char(&text, '9'));
        cr_assert(!crawl_buf_append_char(&text, '}'));
        bool is_finite = digits < 309;
        cr_expect_eq(cw_json_pick(crawl_buf_slice(&text), names, NAMES, values), is_finite, "%zu", digits);
        cr_expect(!is_finite || cw_json_number(&values[A]) == strtod(text.data + strlen("{\"a\":"), NULL));
        crawl_buf_free(&text);
    }
}
