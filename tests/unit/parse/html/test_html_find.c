/* parse/html/html_find.h as on a processor that looks at one byte at a time; test_page_html.c has it as built. */
#undef __SSE2__
#include "parse/html/html_find.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { LONGEST = 200 };

/* Returns text without a NUL after it, for sanitizers: "x", with the wanted character at `at`. */
static char *text_with(size_t size, size_t at, char wanted)
{
    char *text = malloc(size);
    cr_assert(text);
    memset(text, 'x', size);
    if (at < size)
        text[at] = wanted;
    return text;
}

Test(find, every_place)
{
    for (size_t size = 1; size < LONGEST; size++) {
        for (size_t at = 0; at <= size; at += 1 + at / 20) {
            char *text = text_with(size, at, '=');
            const char *end = text + size;
            cr_assert_eq(cw_html_find(text, end, '='), text + at);
            cr_assert_eq(cw_html_find_either(text, end, '<', '='), text + at);
            cr_assert_eq(cw_html_find_either(text, end, '=', '<'), text + at);
            cr_assert_eq(cw_html_skip_name(text, end, CW_ENDS_LABEL), text + at);
            cr_assert_eq(cw_html_skip_name(text, end, CW_ENDS_NAME), end, "an element's name goes on");
            free(text);
        }
    }
}

Test(find, what_ends_a_name)
{
    for (int c = 0; c < 256; c++) {
        char text[40];
        memset(text, 'x', sizeof text);
        text[20] = (char)c;
        bool ends = c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == '/' || c == '>';
        cr_expect_eq(cw_html_skip_name(text, text + sizeof text, CW_ENDS_NAME) == text + 20, ends, "%d", c);
        cr_expect_eq(cw_html_skip_name(text, text + sizeof text, CW_ENDS_LABEL) == text + 20, ends || c == '=', "%d",
                     c);
    }
}
