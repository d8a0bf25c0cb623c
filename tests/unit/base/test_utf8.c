/* UTF-8 against the Encoding standard: U+FFFD for each maximal part of a broken sequence. */
#include "base/utf8.h"

#include <criterion/criterion.h>

Test(utf8, each_character_there_and_back)
{
    for (uint32_t code = 0; code < 0x110000; code++) {
        char bytes[4];
        if (code >= 0xd800 && code < 0xe000)
            continue;
        size_t size = cw_utf8_encode(code, bytes);
        cw_utf8 next = cw_utf8_next(bytes, bytes + size);
        cr_assert(next.code == code && next.size == size && !next.broken && !next.cut, "U+%04X", code);
    }
}

Test(utf8, broken_sequences)
{
    static const struct {
        const char *bytes;
        size_t size;
        bool cut;
    } rows[] = {
        {"\x80", 1, false},
        {"\xc0\x80", 1, false},
        {"\xc2", 1, true},
        {"\xc2 ", 1, false},
        {"\xe2\x82", 2, true},
        {"\xe2\x82 ", 2, false},
        {"\xe0\x80\x80", 1, false},
        {"\xed\xa0\x80", 1, false},
        {"\xf0\x9f\x98", 3, true},
        {"\xf0\x80\x80\x80", 1, false},
        {"\xf4\x90\x80\x80", 1, false},
        {"\xff", 1, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cw_utf8 next = cw_utf8_next(rows[i].bytes, rows[i].bytes + strlen(rows[i].bytes));
        cr_expect(next.broken && next.code == CW_UTF8_REPLACEMENT, "row %zu", i);
        cr_expect(next.size == rows[i].size && next.cut == rows[i].cut, "row %zu: %u bytes", i, next.size);
    }
}

Test(utf8, repaired)
{
    crawl_buf out = {0};
    cr_assert_eq(cw_utf8_repair(crawl_slice_from("a\xe2\x82\xc3\xbc\xff\xff"), &out), CRAWL_OK);
    cr_expect_str_eq(out.data,
                     "a" CW_UTF8_REPLACEMENT_TEXT "\xc3\xbc" CW_UTF8_REPLACEMENT_TEXT CW_UTF8_REPLACEMENT_TEXT);
    crawl_buf_clear(&out);
    cr_assert_eq(cw_utf8_repair_bytes(crawl_slice_from("a\xe2\x82\xc3\xbc"), &out), CRAWL_OK);
    cr_expect_str_eq(out.data, "a" CW_UTF8_REPLACEMENT_TEXT CW_UTF8_REPLACEMENT_TEXT "\xc3\xbc");
    crawl_buf_free(&out);
}

Test(utf8, cut_at_a_character)
{
    crawl_slice text = crawl_slice_from("a\xe2\x82\xac");
    cr_expect_eq(cw_utf8_cut(text, 4).size, 4);
    cr_expect_eq(cw_utf8_cut(text, 3).size, 1);
    cr_expect_eq(cw_utf8_cut(text, 1).size, 1);
    cr_expect_eq(cw_utf8_cut(text, 0).size, 0);
}
