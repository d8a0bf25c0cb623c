/* parse/html/html_reference.c: character references in text, and text escaped. Those in attributes are in
 * test_page_html.c. */
#include "parse/html/html_reference.h"
#include "parse/html/html_reference_table.h"

#include <criterion/criterion.h>

static crawl_buf out;

static void expect_decoded(crawl_slice raw, cw_html_place place, const char *expected)
{
    crawl_buf_clear(&out);
    cr_assert_eq(cw_html_decode(&out, raw, place), CRAWL_OK);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&out), crawl_slice_from(expected)), "%.*s: \"%s\", not \"%s\"",
              (int)raw.size, raw.data, out.data, expected);
    cr_expect_leq(out.size, raw.size * CW_HTML_DECODED_GROWTH, "%.*s", (int)raw.size, raw.data);
}

static void free_out(void)
{
    crawl_buf_free(&out);
}

TestSuite(reference, .fini = free_out);

Test(reference, in_text_the_longest_name_counts)
{
    static const char *const rows[][2] = {
        {"&notit;", "¬it;"},
        {"&notin;", "∉"},
        {"&amp=&ampx", "&=&x"},
        {"&copyright", "©right"},
        {"&nosuch;", "&nosuch;"},
        {"&lt;b&gt", "<b>"},
        {"&&amp;&", "&&&"},
        {"&frac12", "½"},
        {"&frac1", "&frac1"},
        {"&AMP&Amp;", "&&Amp;"},
        {"&ThickSpace;", "\u205f\u200a"},
        {"&fjlig;", "fj"},
        {"&Tab;", "\t"},
        {"&amp", "&"},
        {"&a", "&a"},
        {"&#65", "A"},
        {"&#x41 &#", "A &#"},
        {"&zwnj;", "\u200c"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_decoded(crawl_slice_from(rows[i][0]), CW_IN_TEXT, rows[i][1]);
}

Test(reference, nul_is_left_out_of_text)
{
    static const char raw[] = "a\0&amp;\0b\0";
    const crawl_slice slice = {raw, sizeof raw - 1};
    expect_decoded(slice, CW_IN_TEXT, "a&b");
    expect_decoded(slice, CW_IN_TITLE, "a\ufffd&\ufffdb\ufffd");
    expect_decoded(slice, CW_IN_ATTRIBUTE, "a\ufffd&\ufffdb\ufffd");
}

/* Each name of the table is found, and has the value that its record gives. */
Test(reference, every_name)
{
    char raw[CW_REFERENCE_LONGEST + 3];
    const char *record = cw_reference_records;
    for (size_t i = 0; i < CW_REFERENCES; i++, record += strlen(record) + 1) {
        size_t size = strcspn(record, ";&");
        cr_assert_leq(size, CW_REFERENCE_LONGEST);
        raw[0] = '&';
        memcpy(raw + 1, record, size);
        raw[size + 1] = ';';
        expect_decoded(crawl_slice_of(raw, size + 2), CW_IN_TEXT, record + size + 1);
        expect_decoded(crawl_slice_of(raw, size + 2), CW_IN_ATTRIBUTE, record + size + 1);
        if (record[size] == '&')
            expect_decoded(crawl_slice_of(raw, size + 1), CW_IN_ATTRIBUTE, record + size + 1);
    }
}

Test(reference, text_is_escaped)
{
    crawl_buf_clear(&out);
    cr_assert_eq(cw_html_escape(&out, crawl_slice_from("<a href=\"?a&b\">'x'")), CRAWL_OK);
    cr_expect_str_eq(out.data, "&lt;a href=&quot;?a&amp;b&quot;&gt;&#39;x&#39;");
    cr_expect(cw_html_is_literal(crawl_slice_from("<a>\"'")));
    cr_expect(cw_html_is_literal((crawl_slice){0}));
    cr_expect_not(cw_html_is_literal(crawl_slice_from("0123456789abcdef&")));
    cr_expect_not(cw_html_is_literal(crawl_slice_of("0123456789abcdefghijklmnopqrstuvw\0", 34)));
}
