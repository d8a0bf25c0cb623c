/* Messages: no control characters reach a terminal. */
#include "tools/common/say.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdlib.h>

static void expect_quoted(crawl_slice text, const char *expected)
{
    crawl_buf out = {0};
    char *printed = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&printed, &size);
    cr_assert_eq(crawl_buf_append_text(&out, ""), CRAWL_OK);
    cr_assert_eq(cw_escape(text, &out), CRAWL_OK);
    cr_expect_str_eq(out.data ? out.data : "", expected);
    cw_tool_escape_print(text, file);
    fclose(file);
    cr_expect_str_eq(printed, expected);
    free(printed);
    crawl_buf_free(&out);
}

Test(tool_say, control_bytes_and_what_is_no_utf_8_are_escaped)
{
    static const char *const table[][2] = {
        {"http://h/a b?c=\"d\\e'", "http://h/a b?c=\"d\\e'"},
        {"\x1b[31m\a\t\r\n\x7f", "\\x1b[31m\\x07\\x09\\x0d\\x0a\\x7f"},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xc2\x9b"
         "2J\xc2\x80\xc2\x9f\xc2\xa0",
         "\\xc2\\x9b2J\\xc2\\x80\\xc2\\x9f\xc2\xa0"},
        {"\x9b \xff\xfe", "\\x9b \\xff\\xfe"},
        {"\xc0\x80 \xe2\x82 \xed\xa0\x80", "\\xc0\\x80 \\xe2\\x82 \\xed\\xa0\\x80"},
        {"\xe2\x82", "\\xe2\\x82"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        expect_quoted(crawl_slice_from(table[i][0]), table[i][1]);
    expect_quoted(crawl_slice_of("a\0b", 3), "a\\x00b");
}

Test(tool_say, a_message_is_one_line_whatever_it_quotes, .init = cr_redirect_stderr)
{
    cw_tool_say(NULL, "%s:%d: %s", "seeds\x1b]0;x\a", 3, "a\ncrawl: done");
    cw_tool_say("url", "line %d", 1);
    fflush(stderr);
    cr_assert_stderr_eq_str("crawl: seeds\\x1b]0;x\\x07:3: a\\x0acrawl: done\ncrawl url: line 1\n");
}
