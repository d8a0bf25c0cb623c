#include "base/header.h"

#include "base/bytes.h"

#include <criterion/criterion.h>

static const char *refused(const char *line)
{
    return cw_header_refused(crawl_slice_from(line));
}

Test(header, what_can_be_sent)
{
    cr_expect_null(refused("X-A: b"));
    cr_expect_null(refused("X-A:"));
    cr_expect_null(refused("x:\tb\tc"));
    cr_expect_null(refused("Authorization: Basic x"));
    cr_expect_null(refused("Name: caf\xc3\xa9"));
}

Test(header, of_pages_without_a_language_that_is_ours)
{
    const crawl_slice lines = crawl_slice_from("X-Own: 1\naccept-language: de\nOrigin: a\n");
    crawl_buf out = {0};
    cr_expect_eq(cw_header_append_of_page(lines, NULL, &out), CRAWL_OK);
    cr_expect_eq(cw_header_append_of_page(lines, "X: 1\nAccept-Language: fr\n", &out), CRAWL_OK);
    cr_expect_str_eq(out.data, "X-Own: 1\naccept-language: de\nOrigin: a\nX-Own: 1\nOrigin: a\n");
    crawl_buf_free(&out);
}

Test(header, what_cannot)
{
    const char *lines[] = {"",
                           "X",
                           ": b",
                           "a b: c",
                           "X\r: b",
                           "X: a\rb",
                           "X: a\nb",
                           "X: a\x7f",
                           "Host: a",
                           "hOST: a",
                           "Content-Length: 1",
                           "Transfer-Encoding: chunked",
                           "Connection: close",
                           "TE: trailers",
                           "Upgrade: h2c",
                           "Proxy-Authorization: x",
                           "Expect: 100-continue",
                           "Keep-Alive: 1",
                           ":authority: a"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect_not_null(refused(lines[i]), "%s", lines[i]);
    cr_expect_not_null(cw_header_refused(crawl_slice_of("X: a\0b", 6)));
}

Test(header, names_tell_secrets)
{
    const char *secret[] = {"Authorization", "Cookie",          "X-API-Key", "x-auth-token",
                            "Session-Id",    "X-Amz-Signature", "MyPassword"};
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        cr_expect(cw_header_is_secret(crawl_slice_from(secret[i])), "%s", secret[i]);
    cr_expect_not(cw_header_is_secret(crawl_slice_from("Accept-Language")));
    cr_expect(cw_header_is_personal(crawl_slice_from("cookie")));
    cr_expect_not(cw_header_is_personal(crawl_slice_from("X-Api-Key")));
}

/* RFC 4648, 10 */
Test(base64, the_vectors_of_the_rfc)
{
    const char *vectors[][2] = {{"", ""},
                                {"f", "Zg=="},
                                {"fo", "Zm8="},
                                {"foo", "Zm9v"},
                                {"foob", "Zm9vYg=="},
                                {"fooba", "Zm9vYmE="},
                                {"foobar", "Zm9vYmFy"},
                                {"\xff\xfe\xfd", "//79"}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        crawl_buf out = {0};
        cr_assert_eq(cw_base64_append(crawl_slice_from(vectors[i][0]), &out), CRAWL_OK);
        cr_expect(crawl_slice_equal(crawl_buf_slice(&out), crawl_slice_from(vectors[i][1])), "%s", vectors[i][0]);
        crawl_buf_free(&out);
    }
}

Test(base64, is_decoded_up_to_what_is_no_digit)
{
    static const struct {
        const char *text, *others, *bytes;
        size_t digits;
    } rows[] = {
        {"", "+/", "", 0},
        {"Zg==", "+/", "f", 2},
        {"Zm8=", "+/", "fo", 3},
        {"Zm9v", "+/", "foo", 4},
        {"Zm9vYg", "+/", "foob", 6},
        {"Zm9v!Zm9v", "+/", "foo", 4},
        {"Z", "+/", "", 1},
        {"+/+/", "+/", "\xfb\xff\xbf", 4},
        {"-_-_", "-_", "\xfb\xff\xbf", 4},
        {"Zm9v-_", "+/", "foo", 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[16] = "";
        size_t size = 99;
        cr_expect_eq(cw_base64_decode(crawl_slice_from(rows[i].text), rows[i].others, out, &size), rows[i].digits, "%s",
                     rows[i].text);
        cr_expect(size == strlen(rows[i].bytes) && memcmp(out, rows[i].bytes, size) == 0, "%s", rows[i].text);
    }
}

Test(header, text_of_a_field_has_no_control_character_but_tabs)
{
    static const char ok[] = "a\tb \x80\xff ~ of more bytes than are looked at in one go, which are sixteen";
    for (int c = 0; c < 256; c++) {
        char text[sizeof ok];
        for (size_t at = 0; at < sizeof ok - 1; at += 13) {
            memcpy(text, ok, sizeof ok);
            text[at] = (char)c;
            bool expected = c == '\t' || (c >= ' ' && c != 0x7f);
            cr_expect_eq(cw_is_field_text(crawl_slice_of(text, sizeof ok - 1)), expected, "byte %d at %zu", c, at);
        }
    }
    cr_expect(cw_is_field_text((crawl_slice){0}));
}
