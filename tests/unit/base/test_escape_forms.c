/* A foreign text in the forms of a report. */
#include "base/text/escape.h"

#include <criterion/criterion.h>

typedef struct sample {
    const char *text, *html, *csv;
} sample;

static void expect(void (*escape)(cw_writer *, crawl_slice), const char *text, const char *expected)
{
    crawl_buf escaped = {0};
    cw_writer out = {.out = &escaped};
    escape(&out, crawl_slice_from(text));
    cr_expect_str_eq(escaped.data ? escaped.data : "", expected, "of %s", text);
    crawl_buf_free(&escaped);
}

Test(escape_forms, samples)
{
    static const sample samples[] = {
        {"", "", ""},
        {"plain", "plain", "plain"},
        {"<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;",
         "<script>alert('x')</script>"},
        {"\"><b>&amp;", "&quot;&gt;&lt;b&gt;&amp;amp;", "\"\"\"><b>&amp;\""},
        {"a,b", "a,b", "\"a,b\""},
        {"a;b", "a;b", "\"a;b\""},
        {"=1+1", "=1+1", "'=1+1"},
        {"+1", "+1", "'+1"},
        {"-1", "-1", "'-1"},
        {"@SUM(A1,\"x\")", "@SUM(A1,&quot;x&quot;)", "\"'@SUM(A1,\"\"x\"\")\""},
        {";=1", ";=1", "\"';=1\""},
        {"\xef\xbc\x9d"
         "1",
         "\xef\xbc\x9d"
         "1",
         "'\xef\xbc\x9d"
         "1"},
        {"a=b", "a=b", "a=b"},
        {"\t=1", "\xef\xbf\xbd=1", "' =1"},
        {"a\r\nb",
         "a\xef\xbf\xbd\xef\xbf\xbd"
         "b",
         "a  b"},
        {"\x1b[31m\x7f", "\xef\xbf\xbd[31m\xef\xbf\xbd", "\xef\xbf\xbd[31m\xef\xbf\xbd"},
        {"caf\xc3\xa9 \xe2\x82\xac", "caf\xc3\xa9 \xe2\x82\xac", "caf\xc3\xa9 \xe2\x82\xac"},
        {"bad \xff\xc3 utf-8", "bad \xef\xbf\xbd\xef\xbf\xbd utf-8", "bad \xef\xbf\xbd\xef\xbf\xbd utf-8"},
        {"c1 \xc2\x85", "c1 \xef\xbf\xbd", "c1 \xef\xbf\xbd"},
        {"\xe2\x80\xaegpj.exe", "\xef\xbf\xbdgpj.exe", "\xef\xbf\xbdgpj.exe"},
        {"\xd7\x90\xe2\x80\x8f!\xd8\x9c", "\xd7\x90\xe2\x80\x8f!\xd8\x9c", "\xd7\x90\xe2\x80\x8f!\xd8\x9c"},
        {"\xe2\x81\xa7\xd7\x90\xe2\x81\xa9 \xe2\x80\xab\xd7\x90\xe2\x80\xac\xef\xbb\xbf", "\xd7\x90 \xd7\x90",
         "\xd7\x90 \xd7\x90"},
        {"\xe2\x81\xa6=1", "=1", "'=1"},
        {"\xe2\x80\x8e=1", "\xe2\x80\x8e=1", "'\xe2\x80\x8e=1"},
        {"\xe2\x80\xa8=1", " =1", "' =1"},
        {"a\xe2\x80\xa8z\xe2\x80\xa9.", "a z .", "a z ."},
        {"\xef\xbf\xbf", "\xef\xbf\xbd", "\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        expect(cw_escape_html, samples[i].text, samples[i].html);
        expect(cw_escape_csv, samples[i].text, samples[i].csv);
    }
}

Test(escape_forms, bytes_of_zero)
{
    crawl_buf text = {0};
    cw_writer out = {.out = &text};
    cw_escape_html(&out, crawl_slice_of("a\0b", 3));
    cr_expect_str_eq(text.data, "a\xef\xbf\xbd"
                                "b");
    crawl_buf_free(&text);
}
