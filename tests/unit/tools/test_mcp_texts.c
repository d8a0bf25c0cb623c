/* Foreign texts as a model receives them, and arguments of its calls. */
#include "tools/mcp/mcp.h"
#include "tools/mcp/outgoing.h"

#include <criterion/criterion.h>

static void cleans(const char *text, const char *expected)
{
    json_t *clean = cw_mcp_clean(crawl_slice_from(text));
    cr_expect_str_eq(json_string_value(clean), expected);
    json_decref(clean);
}

Test(mcp_texts, what_is_not_seen_is_taken_out)
{
    cleans("a\tb\nc", "a\tb\nc");
    cleans("a\x01\x1b[31m\x7f\xc2\x85", "a[31m");
    cleans("\xe2\x80\xaegnp.exe\xe2\x80\xac", "gnp.exe");           /* right to left */
    cleans("a\xf3\xa0\x81\xa9\xf3\xa0\x81\xa7z", "az");             /* tags */
    cleans("x\xe2\x81\xa6y\xe2\x81\xa9\xef\xbb\xbf\xc2\xad", "xy"); /* isolates, byte order mark, soft hyphen */
    cleans("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb"); /* joined */
    cleans("a\xffz", "a\xef\xbf\xbdz");
}

Test(mcp_texts, marks_cannot_be_foretold)
{
    json_t *one = cw_mcp_marked(crawl_slice_from("text")), *two = cw_mcp_marked(crawl_slice_from("text"));
    cr_expect(strstr(json_string_value(one), "\ntext\n--- END "));
    cr_expect_str_neq(json_string_value(one), json_string_value(two));
    json_decref(one);
    json_decref(two);
}

static void refuses(const char *schema_text, const char *arguments_text, const char *words)
{
    char wrong[256] = "";
    json_t *schema = json_loads(schema_text, 0, NULL), *arguments = json_loads(arguments_text, 0, NULL);
    cr_assert(schema && arguments);
    cr_expect_eq(cw_mcp_arguments_check(schema, arguments, wrong), !words, "%s: %s", arguments_text, wrong);
    cr_expect_str_eq(wrong, words ? words : "");
    json_decref(schema);
    json_decref(arguments);
}

Test(mcp_texts, arguments)
{
    static const char schema[] =
        "{\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9},\"m\":{\"type\":\"integer\",\"minimum\":0},"
        "\"s\":{\"type\":\"string\",\"maxLength\":3},\"e\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]},\"b\":{\"type\":\"boolean\"},"
        "\"l\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"maxLength\":3},\"maxItems\":2}},\"required\":[\"s\"]}";
    refuses(schema, "{\"s\":\"abc\",\"n\":9,\"m\":0,\"e\":\"b\",\"b\":true,\"l\":[\"x\"]}", NULL);
    refuses(schema, "{}", "s: expected a value");
    refuses(schema, "{\"s\":\"abcd\"}", "s: expected a shorter text");
    refuses(schema, "{\"s\":\"a\",\"n\":10}", "n: expected a number from 1 to 9");
    refuses(schema, "{\"s\":\"a\",\"m\":-1}", "m: expected a number from 0 on");
    refuses(schema, "{\"s\":\"a\",\"n\":1.5}", "n: expected integer");
    refuses(schema, "{\"s\":\"a\",\"e\":\"c\"}", "e: expected one of a b");
    refuses(schema, "{\"s\":\"a\",\"b\":1}", "b: expected boolean");
    refuses(schema, "{\"s\":\"a\",\"l\":[1]}", "l: expected a list of strings");
    refuses(schema, "{\"s\":\"a\",\"l\":[\"x\",\"y\",\"z\"]}", "l: expected 0 to 2 of them");
    refuses(schema, "{\"s\":\"a\",\"l\":[\"xxxx\"]}", "l: expected a shorter text");
    refuses(schema, "{\"s\":\"a\",\"x\":1}", "x: no such argument");
}
