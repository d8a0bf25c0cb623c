/* parse/charset/charset_decode.c, charset_utf8.c: bytes of a page as UTF-8. */
#include "base/utf8.h"
#include "parse/charset/charset.h"

#include <criterion/criterion.h>
#include <xxhash.h>

typedef struct row {
    const char *charset;
    const char *bytes;
    const char *expected;
} row;

static void expect_row(cw_charset_decoder *decoder, crawl_buf *storage, const char *charset, crawl_slice bytes,
                       const char *expected)
{
    crawl_slice text;
    cr_assert_eq(cw_charset_decode(decoder, charset, bytes, storage, &text), CRAWL_OK);
    cr_expect(crawl_slice_equal(text, crawl_slice_from(expected)), "%s: \"%.*s\", not \"%s\"", charset, (int)text.size,
              text.data, expected);
}

Test(charset_decode, each_way_of_decoding)
{
    static const row rows[] = {
        {"utf-8", "a\xc3\xa9", "aé"},
        {"utf-8", "\xef\xbb\xbfmark", "mark"},
        {"utf-8",
         "a\xff"
         "b",
         "a\uFFFD"
         "b"},
        {"utf-8", "\xe2\x82", "\uFFFD"},
        {"utf-8", "\xe2\x82<", "\uFFFD<"},
        {"utf-8", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"}, /* a surrogate */
        {"utf-8", "\xc0\xaf", "\uFFFD\uFFFD"},           /* an overlong form */
        {"utf-8", "\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
        {"windows-1252", "\x80\xe9\x81\xa0", "€é\xc2\x81\xc2\xa0"},
        {"x-user-defined", "a\x80\xff", "a\xef\x9e\x80\xef\x9f\xbf"},
        {"replacement", "<a href=x>", "\uFFFD"},
        {"replacement", "", ""},
        {"iso-8859-2", "\xb1\x80", "ą\xc2\x80"},
        {"iso-8859-8-i", "\xe0", "א"},
        {"windows-1251", "\xcf\xf0\x98", "Пр\xc2\x98"},
        {"windows-1253", "\xe1\xaa", "α\uFFFD"},
        {"windows-874", "\xa1\x80", "ก€"},
        {"koi8-r", "\xf0", "П"},
        {"koi8-u", "\xa4\xae", "єў"},
        {"ibm866", "\x8f", "П"},
        {"macintosh", "\x8e\xdb", "é€"},
        {"x-mac-cyrillic", "\x8f\xa2\xff", "ПҐ€"},
        {"gbk", "\xb6\xab\x80", "东€"},
        {"gbk", "\xb6<a", "\uFFFD<a"},
        {"gb18030", "\x81\x30\x81\x30", "\xc2\x80"},
        {"gb18030", "\x81\x30\xb6\xab", "\uFFFD0东"},
        {"gb18030", "\x84\x32\xa5\x30", "\uFFFD"},
        {"big5", "\xa4\xa4", "中"},
        {"big5", "\xf9\x81\xa4\xa4\x80", "\uFFFD中\uFFFD"},
        {"euc-kr", "\xc9\x80\xb0\xa1", "\uFFFD가"},
        {"euc-jp", "\x8f\xa1\x85\xf6<\xc6\xfc", "\uFFFD\uFFFD<日"},
        {"euc-jp", "\x8f\xff\xa0", "\uFFFD\uFFFD"},
        {"euc-jp", "\x8f\x43\x8b\xe0<", "\uFFFDC\uFFFD\uFFFD<"},
        {"euc-jp", "\x8f\x8f\xc6\xfc", "\uFFFD日"},
        {"gb18030", "\x81\x39\xff\x30", "\uFFFD9\uFFFD0"},
        {"euc-jp", "\xc6\xfc", "日"},
        {"euc-jp", "\x8e\xb1", "ｱ"},
        {"iso-2022-jp", "\x1b$B\x46|\x1b(Ba", "日a"},
        {"iso-2022-jp", "a\x1b(I1_`\x1b(Bb\x1b$B\x46|", "aｱﾟ\uFFFDb日"},
        {"iso-2022-jp", "\x1b$B\x46\x1b(Ba\x1b$B\x46|\x1b$B\x1b$@\x46|", "\uFFFDa日日"},
        {"shift_jis", "\xfd\x93\xfa", "\uFFFD日"},
        {"shift_jis", "\x93\xfa\\~", "日\\~"},
        {"shift_jis", "\x93", "\uFFFD"},
        {"euc-kr", "\xc7\xd1\x81\x41", "한갂"},
        {"no-such-encoding", "a\xe9", "a\uFFFD"},
    };
    cw_charset_decoder decoder = {0};
    crawl_buf storage = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_row(&decoder, &storage, rows[i].charset, crawl_slice_from(rows[i].bytes), rows[i].expected);
    cw_charset_decoder_close(&decoder);
    crawl_buf_free(&storage);
}

Test(charset_decode, utf16)
{
    cw_charset_decoder decoder = {0};
    crawl_buf storage = {0};
    expect_row(&decoder, &storage, "utf-16le",
               crawl_slice_of("\xff\xfe"
                              "a\0\xac\x20",
                              6),
               "a€");
    expect_row(&decoder, &storage, "utf-16be", crawl_slice_of("\0a\x20\xac", 4), "a€");
    expect_row(&decoder, &storage, "utf-16be", crawl_slice_of("\xd8\x3d\xde\x00", 4), "😀");
    expect_row(&decoder, &storage, "utf-16be", crawl_slice_of("\xd8\x3d\0a", 4),
               "\uFFFD"
               "a");
    expect_row(&decoder, &storage, "utf-16be", crawl_slice_of("\xde\x00\xd8\x3d", 4), "\uFFFD\uFFFD");
    expect_row(&decoder, &storage, "utf-16le", crawl_slice_of("a\0b", 3), "a\uFFFD");
    crawl_buf_free(&storage);
}

Test(charset_decode, well_formed_utf8_is_not_copied)
{
    cw_charset_decoder decoder = {0};
    crawl_buf storage = {0};
    crawl_slice bytes = crawl_slice_from("\xef\xbb\xbf日本");
    crawl_slice text;
    cr_assert_eq(cw_charset_decode(&decoder, "utf-8", bytes, &storage, &text), CRAWL_OK);
    cr_expect_eq(text.data, bytes.data + 3);
    cr_expect_eq(storage.capacity, 0);
}

/* Appends the decoded bytes unless some of them are invalid. Returns 1 if it appended them. */
static size_t add_valid(cw_charset_decoder *decoder, const char *charset, crawl_slice bytes, crawl_buf *out)
{
    crawl_buf storage = {0};
    crawl_slice text;
    cr_assert_eq(cw_charset_decode(decoder, charset, bytes, &storage, &text), CRAWL_OK);
    bool is_valid = !memmem(text.data, text.size, CW_UTF8_REPLACEMENT_TEXT, 3);
    if (is_valid)
        cr_assert_eq(crawl_buf_append(out, text.data, text.size), CRAWL_OK);
    crawl_buf_free(&storage);
    return is_valid;
}

static void expect_sum(const char *what, crawl_buf *text, size_t count, size_t wanted, uint64_t sum)
{
    uint64_t made = XXH3_64bits(text->data, text->size);
    cr_expect_eq(count, wanted, "%s: %zu", what, count);
    cr_expect_eq(made, sum, "%s: 0x%llx", what, (unsigned long long)made);
    crawl_buf_free(text);
}

/* Every pair of bytes that the indexes of the Encoding Standard decode to one character or two: their number, and the
 * XXH3 of all of them in UTF-8. The numbers come from another implementation of the standard, Chromium's, except for
 * its errors: four characters of Big5 that are two code points each, and the first one of EUC-JP. */
Test(charset_decode, all_characters_of_two_bytes)
{
    static const struct {
        const char *charset;
        size_t count;
        uint64_t sum;
    } rows[] = {
        {"gbk", 23940, 0xd824c6f11890a608},   {"gb18030", 23940, 0xd824c6f11890a608},
        {"big5", 18594, 0x87eea4b6ca50c153},  {"shift_jis", 18676, 0x488f2da261b0e7dc},
        {"euc-jp", 7399, 0x43a27057e5abf49e}, {"euc-kr", 17048, 0xba09aacd95e9d414},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cw_charset_decoder decoder = {0};
        crawl_buf text = {0};
        size_t count = 0;
        for (unsigned pair = 0x8100; pair < 0xff00; pair++) {
            const char bytes[] = {(char)(pair >> 8), (char)pair};
            if ((pair & 0xff) >= 0x30)
                count += add_valid(&decoder, rows[i].charset, crawl_slice_of(bytes, 2), &text);
        }
        expect_sum(rows[i].charset, &text, count, rows[i].count, rows[i].sum);
        cw_charset_decoder_close(&decoder);
    }
}

/* The same for JIS X 0212 in EUC-JP, and for JIS X 0208 in ISO-2022-JP. */
Test(charset_decode, all_characters_of_jis)
{
    cw_charset_decoder decoder = {0};
    crawl_buf text = {0};
    size_t count = 0;
    for (unsigned pair = 0xa1a1; pair < 0xff00; pair++) {
        const char bytes[] = {'\x8f', (char)(pair >> 8), (char)pair};
        if ((pair & 0xff) >= 0xa1 && (pair & 0xff) < 0xff)
            count += add_valid(&decoder, "euc-jp", crawl_slice_of(bytes, 3), &text);
    }
    expect_sum("euc-jp, 3 bytes", &text, count, 6067, 0xe8bfee798ae77c85);
    count = 0;
    for (unsigned pair = 0x2121; pair < 0x7f00; pair++) {
        const char bytes[] = {'\x1b', '$', 'B', (char)(pair >> 8), (char)pair};
        if ((pair & 0xff) >= 0x21 && (pair & 0xff) < 0x7f)
            count += add_valid(&decoder, "iso-2022-jp", crawl_slice_of(bytes, 5), &text);
    }
    expect_sum("iso-2022-jp", &text, count, 7336, 0xcaab5d716a4ecf3d);
    cw_charset_decoder_close(&decoder);
}

/* A page that ends in the middle of a shift state must not reach into the next. */
Test(charset_decode, a_converter_starts_anew)
{
    cw_charset_decoder decoder = {0};
    crawl_buf storage = {0};
    expect_row(&decoder, &storage, "iso-2022-jp", crawl_slice_from("\x1b$B\x46|"), "日");
    expect_row(&decoder, &storage, "iso-2022-jp", crawl_slice_from("F|"), "F|");
    cw_charset_decoder_close(&decoder);
    crawl_buf_free(&storage);
}

/* More than one step of iconv, with broken bytes at any place of it. */
Test(charset_decode, long_input)
{
    enum { SIZE = 100000 };
    cw_charset_decoder decoder = {0};
    crawl_buf storage = {0};
    crawl_buf bytes = {0};
    for (int i = 0; i < SIZE; i++)
        cr_assert_eq(crawl_buf_append(&bytes, i % 7 ? "\xb6\xab" : "\xff ", 2), CRAWL_OK);
    crawl_slice text;
    cr_assert_eq(cw_charset_decode(&decoder, "gbk", crawl_buf_slice(&bytes), &storage, &text), CRAWL_OK);
    size_t broken = (SIZE + 6) / 7;
    cr_expect_eq(text.size, (SIZE - broken) * 3 + broken * 4, "%zu", text.size);
    cr_expect_eq(cw_utf8_valid_prefix(text), text.size);
    cw_charset_decoder_close(&decoder);
    crawl_buf_free(&storage);
    crawl_buf_free(&bytes);
}

Test(charset_utf8, valid_prefix)
{
    static const struct {
        const char *text;
        size_t valid;
    } rows[] = {
        {"", 0},
        {"abc", 3},
        {"0123456789abcdef\xff", 16},
        {"é", 2},
        {"\xc3", 0},
        {"a\x80", 1},
        {"\xe0\xa0\x80", 3},
        {"\xe0\x9f\x80", 0},
        {"\xed\x9f\xbf", 3},
        {"\xed\xa0\x80", 0},
        {"\xf0\x90\x80\x80", 4},
        {"\xf0\x8f\xbf\xbf", 0},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\xf4\x90\x80\x80", 0},
        {"\xf5\x80\x80\x80", 0},
        {"\xc1\xbf", 0},
        {"日本\xe6\x97", 6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(cw_utf8_valid_prefix(crawl_slice_from(rows[i].text)), rows[i].valid, "row %zu", i);
}

Test(charset_utf8, plausible_if_only_the_end_is_cut)
{
    cr_expect(cw_utf8_plausible(crawl_slice_from("日本\xe6\x97")));
    cr_expect(cw_utf8_plausible(crawl_slice_from("\xf0\x9f\x98")));
    cr_expect_not(cw_utf8_plausible(crawl_slice_from("\xe6\x97 ")));
    cr_expect_not(cw_utf8_plausible(crawl_slice_from("a\x97")));
    cr_expect_not(cw_utf8_plausible(crawl_slice_from("\xff")));
}
