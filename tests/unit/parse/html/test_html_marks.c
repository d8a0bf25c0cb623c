/* parse/html/html_marks.c: each of this processor's ways to make marks, against one byte at a time. */
#include "parse/html/html_marks.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void mark_plainly(const char *at, cw_html_marks *out)
{
    *out = (cw_html_marks){0};
    for (unsigned i = 0; i < CW_MARKS_BLOCK; i++) {
        unsigned char c = (unsigned char)at[i];
        out->open |= (uint64_t)(c == '<') << i;
        out->close |= (uint64_t)(c == '>') << i;
        out->quote |= (uint64_t)(c == '"') << i;
        out->apostrophe |= (uint64_t)(c == '\'') << i;
        out->slash |= (uint64_t)(c == '/') << i;
        out->stop |= (uint64_t)(c == '=' || c <= ' ' || c >= 0x80) << i;
    }
}

/* The memory ends with the blocks, so that a sanitizer sees a read after them. Nothing may be written after the marks
 * either. */
static void expect_same(const char *bytes, size_t blocks)
{
    cw_html_marker markers[CW_HTML_MARKERS];
    size_t count = cw_html_all_markers(markers);
    cw_html_marks *marks = malloc((blocks ? blocks : 1) * sizeof *marks);
    cr_assert(marks && count >= 1);
    for (size_t m = 0; m < count; m++) {
        memset(marks, 0x55, (blocks ? blocks : 1) * sizeof *marks);
        markers[m](bytes, blocks, marks);
        for (size_t i = 0; i < blocks; i++) {
            cw_html_marks plain;
            mark_plainly(bytes + i * CW_MARKS_BLOCK, &plain);
            cr_assert(memcmp(&plain, &marks[i], sizeof plain) == 0, "marker %zu, block %zu of %zu", m, i, blocks);
        }
    }
    free(marks);
}

Test(marks, every_byte_in_every_place)
{
    for (int c = 0; c < 256; c++) {
        for (size_t place = 0; place < CW_MARKS_BLOCK; place++) {
            char block[CW_MARKS_BLOCK];
            memset(block, place % 2 ? 'x' : '<', sizeof block); /* neighbours that are marked, and that are not */
            block[place] = (char)c;
            expect_same(block, 1);
        }
    }
}

Test(marks, every_alignment_and_count)
{
    uint32_t random = 1;
    for (size_t blocks = 0; blocks < 5; blocks++) {
        for (size_t before = 0; before < CW_MARKS_BLOCK; before++) {
            char *bytes = malloc(before + blocks * CW_MARKS_BLOCK + 1);
            cr_assert(bytes);
            for (size_t i = 0; i < before + blocks * CW_MARKS_BLOCK; i++) {
                random = random * 1664525u + 1013904223u;
                bytes[i] = random >> 31 ? "<>\"'/= "[(random >> 16) % 7] : (char)(random >> 24);
            }
            bytes = realloc(bytes, before + blocks * CW_MARKS_BLOCK + !blocks);
            expect_same(bytes + before, blocks);
            free(bytes);
        }
    }
}

Test(marks, the_best_is_one_of_all)
{
    cw_html_marker markers[CW_HTML_MARKERS];
    size_t count = cw_html_all_markers(markers);
    cr_expect_eq(markers[0], cw_html_mark_portably);
    cr_expect_eq(cw_html_best_marker(), markers[count - 1]);
}
