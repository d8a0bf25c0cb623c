/* Where a text ceases to be ASCII, by each implementation. */
#include "base/utf8.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void expect_prefix(const char *data, size_t size, size_t prefix)
{
    crawl_slice text = crawl_slice_of(data, size);
    cr_assert_eq(cw_ascii_prefix(text), prefix, "%zu bytes, %zu of them ASCII", size, prefix);
    cr_assert_eq(cw_ascii_prefix_portably(text), prefix, "%zu bytes, %zu of them ASCII, portably", size, prefix);
}

Test(ascii, ends_at_the_first_byte_above_it)
{
    enum { MOST = 200 };
    for (size_t size = 1; size <= MOST; size++) {
        char *text = malloc(size); /* exactly that long, to reveal a read beyond its end */
        cr_assert_not_null(text);
        memset(text, 0x7f, size);
        expect_prefix(text, size, size);
        for (size_t at = size; at-- > 0;) { /* later bytes are above ASCII as well */
            text[at] = at % 2 ? (char)0x80 : (char)0xff;
            expect_prefix(text, size, at);
        }
        free(text);
    }
    expect_prefix("", 0, 0);
    expect_prefix(NULL, 0, 0);
}
