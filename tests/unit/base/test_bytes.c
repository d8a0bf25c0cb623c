#include "base/bytes.h"

#include <criterion/criterion.h>

Test(hex, encodes)
{
    char out[9];
    cw_hex_encode("\x00\x7f\x80\xff", 4, out);
    cr_assert_str_eq(out, "007f80ff");
    cw_hex_encode("", 0, out);
    cr_assert_str_eq(out, "");
}

Test(hex, every_byte_comes_back)
{
    unsigned char bytes[256];
    char digits[513];
    crawl_buf buf = {0};
    for (unsigned i = 0; i < 256; i++)
        bytes[i] = (unsigned char)i;
    cw_hex_encode(bytes, sizeof bytes, digits);
    cr_assert_eq(crawl_buf_append_text(&buf, "before"), CRAWL_OK);
    cr_assert_eq(cw_hex_decode(crawl_slice_from(digits), &buf), CRAWL_OK);
    cr_assert_eq(buf.size, 6 + 256);
    cr_assert_arr_eq(buf.data, "before", 6);
    cr_assert_arr_eq(buf.data + 6, bytes, 256);
    cr_assert_eq(buf.data[buf.size], '\0');
    crawl_buf_free(&buf);
}

Test(hex, either_case_and_nothing)
{
    crawl_buf buf = {0};
    cr_assert_eq(cw_hex_decode(crawl_slice_from("aAfF09"), &buf), CRAWL_OK);
    cr_assert_arr_eq(buf.data, "\xaa\xff\x09", 4);
    cr_assert_eq(cw_hex_decode(crawl_slice_from(""), &buf), CRAWL_OK);
    cr_assert_eq(buf.size, 3);
    crawl_buf_free(&buf);
}

Test(hex, refuses_what_is_none_and_changes_nothing)
{
    static const char *const bad[] = {"a", "abc", "0g", "g0", "0 ", "aa@@", "aa``", "//", "::", "\xb0\xb1"};
    crawl_buf buf = {0};
    cr_assert_eq(crawl_buf_append_text(&buf, "kept"), CRAWL_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_eq(cw_hex_decode(crawl_slice_from(bad[i]), &buf), CRAWL_EPARSE, "%s", bad[i]);
        cr_assert_eq(buf.size, 4);
        cr_assert_str_eq(buf.data, "kept");
    }
    crawl_buf_free(&buf);
}

/* RFC 4648, section 10, without the padding. */
Test(base32, vectors_of_the_rfc)
{
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "MY"},
                                             {"fo", "MZXQ"},
                                             {"foo", "MZXW6"},
                                             {"foob", "MZXW6YQ"},
                                             {"fooba", "MZXW6YTB"},
                                             {"foobar", "MZXW6YTBOI"}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        char out[17];
        cw_base32_encode(vectors[i][0], strlen(vectors[i][0]), out);
        cr_assert_str_eq(out, vectors[i][1]);
        char back[8] = {0};
        cr_assert(cw_base32_decode(crawl_slice_from(out), back, strlen(vectors[i][0])));
        cr_assert_str_eq(back, vectors[i][0]);
    }
}

Test(base32, other_digits_and_sizes_are_refused)
{
    char out[8];
    static const char *const wrong[] = {"", "MZXW6YT", "MZXW6YTBO", "MZXW6YT1", "MZXW6YT=", "MZXW6YT "};
    cr_expect(cw_base32_decode(crawl_slice_from("mzxW6YTB"), out, 5));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_not(cw_base32_decode(crawl_slice_from(wrong[i]), out, 5), "%s", wrong[i]);
}

/* Python's base64.b32encode(bytes(range(236, 256))): high bytes, the size of a SHA-1. */
Test(base32, twenty_high_bytes)
{
    unsigned char bytes[20];
    char out[33];
    for (unsigned i = 0; i < 20; i++)
        bytes[i] = (unsigned char)(236 + i);
    cw_base32_encode(bytes, sizeof bytes, out);
    cr_assert_str_eq(out, "5TW6537Q6HZPH5HV6337R6P27P6P37X7");
}

Test(ascii, classes_of_every_byte)
{
    for (unsigned i = 0; i < 256; i++) {
        unsigned char c = (unsigned char)i;
        bool alpha = (i >= 'A' && i <= 'Z') || (i >= 'a' && i <= 'z');
        const char *hex = "0123456789abcdef";
        char lower = i >= 'A' && i <= 'Z' ? (char)(i + 32) : (char)i;
        const char *digit = i ? strchr(hex, lower) : NULL;
        cr_assert_eq(cw_is_alpha(c), alpha, "%u", i);
        cr_assert_eq(cw_is_digit(c), i >= '0' && i <= '9', "%u", i);
        cr_assert_eq(cw_is_space(c), i == 9 || i == 10 || i == 12 || i == 13 || i == 32, "%u", i);
        cr_assert_eq(cw_lower(c), (unsigned char)lower, "%u", i);
        cr_assert_eq(cw_hex_value(c), digit ? (int)(digit - hex) : -1, "%u", i);
    }
}

Test(ascii, equal_nocase)
{
    cr_assert(cw_equal_nocase(crawl_slice_from("User-Agent"), crawl_slice_from("uSER-aGENT")));
    cr_assert(cw_equal_nocase(crawl_slice_from(NULL), crawl_slice_from("")));
    cr_assert_not(cw_equal_nocase(crawl_slice_from("ab"), crawl_slice_from("abc")));
    cr_assert_not(cw_equal_nocase(crawl_slice_from("@"), crawl_slice_from("`")));
    cr_assert_not(cw_equal_nocase(crawl_slice_from("\xc4"), crawl_slice_from("\xe4")));
}

Test(ascii, trim)
{
    static const char *const rows[][2] = {
        {"", ""}, {"  \t\r\n\f", ""}, {"a", "a"}, {" a b\n", "a b"}, {"\va\v", "\va\v"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert(crawl_slice_equal(cw_trim(crawl_slice_from(rows[i][0])), crawl_slice_from(rows[i][1])), "row %zu", i);
    cr_assert_eq(cw_trim(crawl_slice_from(NULL)).size, 0);
}

/* --- slices --- */

static void expect_slice(crawl_slice got, const char *expected)
{
    cr_expect(crawl_slice_equal(got, crawl_slice_from(expected)), "\"%.*s\", not \"%s\"", (int)got.size,
              got.data ? got.data : "", expected);
}

Test(slices, compared_with_words)
{
    static const char *const words[] = {"one", "Two"};
    crawl_slice text = crawl_slice_from("Content-Type");
    cr_expect(cw_starts_with(text, "Content") && !cw_starts_with(text, "content"));
    cr_expect(cw_starts_nocase(text, "content-") && !cw_starts_nocase(text, "content-types"));
    cr_expect(cw_ends_with(text, "Type") && !cw_ends_with(text, "type") && !cw_ends_with(text, "a Content-Type"));
    cr_expect(cw_is(text, "Content-Type") && !cw_is(text, "content-type") && cw_is_nocase(text, "content-type"));
    cr_expect(cw_is_among(crawl_slice_from("TWO"), words, 2) && !cw_is_among(crawl_slice_from("tw"), words, 2));
    static const struct {
        const char *text;
        const char *word;
        bool same;
    } rows[] = {
        {"", "", true},    {"a", "", false},   {"", "a", false},   {" ", "", false},
        {"A", "a", true},  {"a", "A", true},   {"[", "{", false},  {"@", "`", false},
        {"b", "a", false}, {"ab", "a", false}, {"aB", "Ab", true}, {"a[", "A{", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(cw_is_nocase(crawl_slice_from(rows[i].text), rows[i].word), rows[i].same, "%s %s", rows[i].text,
                     rows[i].word);
}

Test(slices, without_bytes_or_data)
{
    crawl_slice none = {0};
    cr_expect(cw_starts_with(none, "") && cw_ends_with(none, "") && !cw_starts_with(none, "a"));
    cr_expect(cw_find_char(none, 'a') == 0 && cw_find_last(none, 'a') == 0 && cw_find_any(none, "ab") == 0);
    cr_expect(cw_cut(&none, ',').size == 0 && cw_take_word(&none, true).size == 0 && cw_trim(none).size == 0);
    cr_expect(!cw_take_text(&none, "a") && cw_take_text(&none, "") && none.size == 0);
}

Test(slices, where_bytes_stand)
{
    crawl_slice text = crawl_slice_of("a:b\0:c", 6);
    cr_expect(cw_find_char(text, ':') == 1 && cw_find_last(text, ':') == 4);
    cr_expect(cw_find_char(text, 'x') == 6 && cw_find_last(text, 'x') == 6);
    cr_expect(cw_find_any(text, "cb") == 2 && cw_find_any(text, "xy") == 6, "a NUL is none of the bytes");
    cr_expect(cw_count_digits(crawl_slice_from("0129a1")) == 4 && cw_count_digits(text) == 0);
}

Test(slices, cut_piece_by_piece)
{
    crawl_slice rest = crawl_slice_from("a,,b\nc");
    expect_slice(cw_cut(&rest, ','), "a");
    expect_slice(cw_cut(&rest, ','), "");
    expect_slice(cw_cut_line(&rest), "b");
    expect_slice(cw_cut_line(&rest), "c");
    cr_expect_eq(rest.size, 0);
    rest = crawl_slice_from("abc");
    cr_expect(!cw_take_text(&rest, "abcd") && cw_take_text(&rest, "ab"));
    expect_slice(cw_take(&rest, 1), "c");
}

Test(slices, words)
{
    crawl_slice rest = crawl_slice_from(" a,b \t,c ");
    expect_slice(cw_take_word(&rest, false), "a,b");
    expect_slice(cw_take_word(&rest, false), ",c");
    expect_slice(cw_take_word(&rest, false), "");
    rest = crawl_slice_from(" a,b \t,c ");
    expect_slice(cw_take_word(&rest, true), "a");
    expect_slice(cw_take_word(&rest, true), "b");
    expect_slice(cw_take_word(&rest, true), "c");
    cr_expect_eq(cw_take_word(&rest, true).size, 0);
    cr_expect(cw_has_word(crawl_slice_from("a b"), crawl_slice_from("B"), false));
    cr_expect(cw_has_word(crawl_slice_from(" a,b"), crawl_slice_from("b"), true));
    cr_expect_not(cw_has_word(crawl_slice_from("a,b"), crawl_slice_from("b"), false));
    cr_expect_not(cw_has_word(crawl_slice_from("ab "), crawl_slice_from("b"), false));
    cr_expect_not(cw_has_word((crawl_slice){0}, (crawl_slice){0}, false));
    expect_slice(cw_trim(crawl_slice_from("\r\n a b\f\t")), "a b");
    expect_slice(cw_trim_start(crawl_slice_from(" a ")), "a ");
}

Test(slices, ports)
{
    cr_expect_eq(cw_port_of(crawl_slice_from("0")), 0);
    cr_expect_eq(cw_port_of(crawl_slice_from("00080")), 80);
    cr_expect_eq(cw_port_of(crawl_slice_from("65535")), 65535);
    cr_expect_eq(cw_port_of(crawl_slice_from("65536")), -1);
    cr_expect_eq(cw_port_of(crawl_slice_from("99999999999999999999")), -1);
    cr_expect_eq(cw_port_of(crawl_slice_from("8o")), -1);
    cr_expect_eq(cw_port_of(crawl_slice_from("")), -1);
}

Test(bytes, a_domain_has_itself_and_the_names_below_it)
{
    static const struct {
        const char *host, *domain;
        bool in;
    } cases[] = {{"localhost", "localhost", true},   {"A.LocalHost", "localhost", true},
                 {"alocalhost", "localhost", false}, {"host", "localhost", false},
                 {".localhost", "localhost", false}, {"", "localhost", false},
                 {"localhost.a", "localhost", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(cw_is_in_domain(crawl_slice_from(cases[i].host), crawl_slice_from(cases[i].domain)), cases[i].in,
                     "%s in %s", cases[i].host, cases[i].domain);
    cr_expect_not(cw_is_in_domain((crawl_slice){0}, crawl_slice_from("localhost")));
}

Test(bytes, text_is_found_where_it_stands_first)
{
    crawl_slice text = crawl_slice_from("http://a//b");
    cr_expect_eq(cw_find_text(text, "//"), 5);
    cr_expect_eq(cw_find_text(text, "///"), text.size);
    cr_expect_eq(cw_find_text((crawl_slice){0}, "//"), 0);
}

Test(bytes, letters_are_made_small_and_nothing_else)
{
    char lower[64];
    crawl_slice text = crawl_slice_from("AZaz09@[`{-\xc3\x84 WWW.Host0000017.EXAMPLE.com");
    cw_copy_lower(lower, text);
    cr_expect_str_eq(lower, "azaz09@[`{-\xc3\x84 www.host0000017.example.com");
    cw_copy_lower(lower, (crawl_slice){0});
    cr_expect_str_eq(lower, "");
}

Test(bytes, without_nuls_a_buffer_is_still_a_c_string)
{
    static const struct {
        crawl_slice text;
        const char *left;
    } rows[] = {
        {{"ab", 2}, "ab"}, {{"a\0b\0\0cd", 7}, "abcd"}, {{"\0\0ab", 4}, "ab"}, {{"ab\0", 3}, "ab"}, {{"\0", 1}, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf buf = {0};
        cr_assert_eq(crawl_buf_append(&buf, rows[i].text.data, rows[i].text.size), CRAWL_OK);
        cw_buf_drop_nuls(&buf);
        cr_expect_eq(buf.size, strlen(rows[i].left), "row %zu", i);
        cr_expect_str_eq(buf.data, rows[i].left, "row %zu", i);
        crawl_buf_free(&buf);
    }
    crawl_buf none = {0};
    cw_buf_drop_nuls(&none);
    cr_expect_eq(none.size, 0);
}
