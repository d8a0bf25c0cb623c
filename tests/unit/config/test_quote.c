/* Quoted values. */
#include "config/quote.h"

#include <criterion/criterion.h>

static const struct {
    const char *in;
    const char *out;
    bool more;
} good[] = {
    {"plain", "plain", false},
    {"", "", false},
    {"a\"b", "a\"b", false},
    {"back\\slash", "back\\slash", false},
    {"\"\"", "", false},
    {"\" a \"", " a ", false},
    {"\"a\\\\b\\\"c\\n\\r\\t\\x3B\"", "a\\b\"c\n\r\t;", false},
    {"\"first\" \\", "first", true},
    {"\"first\"\\", "first", true},
    {"\"a ;b\" ; a comment", "a ;b", false},
    {"\"a\" \\ ; a comment", "a", true},
};

Test(quote, values_are_unquoted)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        crawl_buf out = {0};
        const char *why;
        size_t where;
        bool more = !good[i].more;
        cr_expect_eq(cw_config_unquote(crawl_slice_from(good[i].in), &out, &more, &why, &where), CRAWL_OK, "%s",
                     good[i].in);
        cr_expect_str_eq(out.data ? out.data : "", good[i].out);
        cr_expect_eq(more, good[i].more);
        crawl_buf_free(&out);
    }
}

static const struct {
    const char *in;
    const char *why;
} bad[] = {
    {"\"open", "closing quote"},
    {"\"a\" b", "nothing but a backslash"},
    {"\"a\";b", "nothing but a backslash"},
    {"\"a\" \\ b", "nothing but a backslash"},
    {"\"\\q\"", "unknown escape"},
    {"\"\\", "unknown escape"},
    {"\"\\x4\"", "two hexadecimal digits"},
    {"\"\\x", "two hex"},
    {"\"\\x4g\"", "two hexadecimal"},
    {"\"\\x00\"", "NUL"},
    {"\"", "closing quote"},
};

Test(quote, what_is_wrong_is_said)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        crawl_buf out = {0};
        const char *why = "";
        size_t where = 0;
        bool more;
        cr_expect_eq(cw_config_unquote(crawl_slice_from(bad[i].in), &out, &more, &why, &where), CRAWL_EPARSE, "%s",
                     bad[i].in);
        cr_expect_not_null(strstr(why, bad[i].why), "%s: %s", bad[i].in, why);
        cr_expect(where >= 1 && where <= strlen(bad[i].in));
        crawl_buf_free(&out);
    }
}

Test(quote, values_that_can_stand_as_they_are_do)
{
    static const char *const rows[] = {"plain", "a b", "a;b", "^https?://[^/]+/(a|b)$", "caf\xc3\xa9", "a\"b", "end\\"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf out = {0};
        cr_expect_eq(cw_config_quote(crawl_slice_from(rows[i]), 0, 100, &out), CRAWL_OK);
        cr_expect_str_eq(out.data, rows[i]);
        crawl_buf_free(&out);
    }
}

Test(quote, the_others_are_quoted)
{
    static const char *const rows[][2] = {
        {" a", "\" a\""},   {"a ", "\"a \""},      {"a ;b", "\"a ;b\""},  {";a", "\";a\""},
        {"\"", "\"\\\"\""}, {"a\tb", "\"a\\tb\""}, {"\x01", "\"\\x01\""}, {"a\nb\\ ", "\"a\\nb\\\\ \""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf out = {0};
        cr_expect_eq(cw_config_quote(crawl_slice_from(rows[i][0]), 0, 100, &out), CRAWL_OK);
        cr_expect_str_eq(out.data, rows[i][1]);
        crawl_buf_free(&out);
    }
}

Test(quote, a_long_value_is_split_into_short_lines)
{
    char value[1000];
    memset(value, 'x', sizeof value);
    crawl_buf out = {0};
    cr_assert_eq(crawl_buf_append_text(&out, "name = "), CRAWL_OK);
    cr_assert_eq(cw_config_quote(crawl_slice_of(value, sizeof value), out.size, 100, &out), CRAWL_OK);
    size_t lines = 0, kept = 0;
    for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        cr_expect_leq(strlen(line), 100);
        for (char *at = line; *at; at++)
            kept += *at == 'x';
    }
    cr_expect_eq(kept, sizeof value);
    cr_expect_gt(lines, 10);
    crawl_buf_free(&out);
}
