/* Quotes in messages: a terminal gets no control characters, and a reader no more than fits a line. */
#include "base/text/escape.h"

#include <criterion/criterion.h>

Test(escape, control_bytes_and_what_is_no_utf_8)
{
    static const char *const table[][2] = {
        {"http://h/a b?c=\"d\\e'", "http://h/a b?c=\"d\\e'"},
        {"\x1b[31m\a\t\r\n\x7f", "\\x1b[31m\\x07\\x09\\x0d\\x0a\\x7f"},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xc2\x9b\xc2\x80\xc2\x9f\xc2\xa0", "\\xc2\\x9b\\xc2\\x80\\xc2\\x9f\xc2\xa0"},
        {"\x9b \xff\xfe", "\\x9b \\xff\\xfe"},
        {"\xf0\x9f\x98", "\\xf0\\x9f\\x98"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        crawl_buf out = {0};
        cr_assert_eq(crawl_buf_append_text(&out, ""), CRAWL_OK);
        cr_assert_eq(cw_escape(crawl_slice_from(table[i][0]), &out), CRAWL_OK);
        cr_expect_str_eq(out.data, table[i][1]);
        cr_expect_str_eq(cw_excerpt_of(crawl_slice_from(table[i][0])).text, table[i][1]);
        crawl_buf_free(&out);
    }
}

Test(escape, an_excerpt_is_cut_between_characters)
{
    char text[CW_EXCERPT + 3];
    memset(text, 'a', sizeof text);
    cw_excerpt whole = cw_excerpt_of(crawl_slice_of(text, CW_EXCERPT));
    cr_expect(strlen(whole.text) == CW_EXCERPT && !strchr(whole.text, '.'));
    cr_expect_str_eq(cw_excerpt_of(crawl_slice_of(text, sizeof text)).text + CW_EXCERPT - 1, "a...");
    memcpy(text + CW_EXCERPT - 1, "\xe2\x82\xac", 3);
    cr_expect_str_eq(cw_excerpt_of(crawl_slice_of(text, CW_EXCERPT + 2)).text + CW_EXCERPT - 2, "a...");
    memset(text, '\n', sizeof text);
    cr_expect_eq(strlen(cw_excerpt_of(crawl_slice_of(text, sizeof text)).text), CW_EXCERPT + 3, "escapes count");
}
