/* parse/css/css_urls.c and css_charset.c: the URLs of a style sheet, their purposes, and their places. */
#include <crawl/css.h>
#include <criterion/criterion.h>

typedef struct finding {
    const char *css;
    const char *expected; /* kind:url, separated by spaces */
} finding;

typedef struct output {
    crawl_slice css;
    crawl_buf found;
    crawl_buf replaced; /* the sheet with "N" in place of the N-th URL */
    size_t at;          /* start of the rest of the sheet that is not in replaced */
    unsigned count;
} output;

static crawl_err take(void *user, const crawl_css_url *url)
{
    static const char kinds[] = {[CRAWL_CSS_IMPORT] = 'i', [CRAWL_CSS_FONT] = 'f', [CRAWL_CSS_IMAGE] = 'p'};
    output *out = user;
    crawl_buf_printf(&out->found, "%s%c:%.*s", out->count ? " " : "", kinds[url->kind], (int)url->url.size,
                     url->url.data);
    cr_assert(url->at >= out->at && url->at + url->size <= out->css.size);
    crawl_buf_append(&out->replaced, out->css.data + out->at, url->at - out->at);
    crawl_buf_printf(&out->replaced, "\"%u\"", out->count++);
    out->at = url->at + url->size;
    return CRAWL_OK;
}

static void expect(crawl_css_form form, const finding *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        output out = {.css = crawl_slice_from(rows[i].css)};
        cr_assert_eq(crawl_css_urls(out.css, form, take, &out), CRAWL_OK);
        cr_expect_str_eq(out.found.data ? out.found.data : "", rows[i].expected, "%s: %s, not %s", rows[i].css,
                         out.found.data ? out.found.data : "", rows[i].expected);
        crawl_buf_free(&out.found);
        crawl_buf_free(&out.replaced);
    }
}

#define EXPECT(form, rows) expect(form, rows, sizeof(rows) / sizeof(rows)[0])

Test(css_urls, imports)
{
    static const finding rows[] = {
        {"@import 'a.css';@import \"b.css\" screen;@import url(c.css);", "i:a.css i:b.css i:c.css"},
        {"@IMPORT url( 'a' ) layer(x) supports(background: url(no)) print;", "i:a"},
        {"@\\69mport src('a')", "i:a"},
        {"@import 'a'", "i:a"},
        {"@charset \"utf-8\"; @layer x, y; <!-- @import 'a'; -->", "i:a"},
        {"@layer x {} @import 'no';", ""},
        {"@namespace url(no); @import 'no';", ""},
        {"@namespace x 'no'; a{b:url(c)}", "p:c"},
        {"a{} @import 'no';", ""},
        {"a @import 'no'; {} ", ""},
        {"@media print { @import 'no'; }", ""},
        {"@import foo 'no';@import url(var(--x) 'no');@import layer('no');@import;", ""},
        {"@import foo;@import 'a';", "i:a"},
        {"/* @import 'no'; */@import/**/'a'/**/;", "i:a"},
    };
    EXPECT(CRAWL_CSS_SHEET, rows);
}

Test(css_urls, values)
{
    static const finding rows[] = {
        {"a{background:url(a.png) no-repeat, url( 'b.png' );cursor:url(c.cur),auto}", "p:a.png p:b.png p:c.cur"},
        {"a{b:url('x' crossorigin(anonymous)) src('y') src(var(--z) 'no') url()}", "p:x p:y"},
        {"a{b:image-set('a' 1x, url(b) 2x, 'c' type('no'), url('d' 'no'))}", "p:a p:b p:c p:d"},
        {"a{b:-webkit-image-set(url(a) 1x)}", "p:a"},
        {"a{b:'no';c:format('no') attr('no')}", ""},
        {"a{b:url(#no);c:url(' #no');d:url(data:no);e:url(' DATA:no');f:url('  ')}", ""},
        {"@font-face{font-family:x;src:local('no'),url(a.woff2) format('no'),url('b.woff')}", "f:a.woff2 f:b.woff"},
        {"@media print{@font-face{src:url(a)} b{c:url(d)}}", "f:a p:d"},
        {"@supports (background: url(no)) { a { b: url(c) } }", "p:c"},
        {"@media { @supports (b: url(no)) { a { b: url(c) } } }", "p:c"},
        {"@document url(no) { a { b: url(c) } }", "p:c"},
        {"a[href='no'] b[c=url(no)] {} url(no)", ""},
        {"a{b:url(c\\20 d);e:url('f\\\ng')}", "p:c d p:fg"},
        {"a{b:url(c d);e:url(f)}", "p:f"},
        {"a{b:url('c\n);e:url(f)}", "p:f"},
        {"a{b:(]}url(c)}", "p:c"},
        {"a{&:hover{b:url(c)} d:url(e)}", "p:c p:e"},
        {"a{--x:{b:url(c)}}", "p:c"},
        {"a{b:url(\xff)}", "p:\xef\xbf\xbd"},
        {"a{b:url(c", "p:c"},
    };
    EXPECT(CRAWL_CSS_SHEET, rows);
}

Test(css_urls, declarations)
{
    static const finding rows[] = {
        {"background: url(a); mask: url(\"b\")", "p:a p:b"},
        {"@import 'no'; b: url(c)", "p:c"},
        {"", ""},
    };
    EXPECT(CRAWL_CSS_DECLARATIONS, rows);
}

Test(css_urls, places_can_be_replaced_by_strings)
{
    static const char css[] = "@import 'a\\\nb' x;@import url( c );"
                              "d{e:url(f\\)g) image-set(\"h\" 1x);i:url( 'j' k)}l{m:url(n";
    output out = {.css = crawl_slice_from(css)};
    cr_assert_eq(crawl_css_urls(out.css, CRAWL_CSS_SHEET, take, &out), CRAWL_OK);
    crawl_buf_append(&out.replaced, out.css.data + out.at, out.css.size - out.at);
    cr_expect_str_eq(out.replaced.data, "@import \"0\" x;@import url( \"1\" );"
                                        "d{e:url(\"2\") image-set(\"3\" 1x);i:url( \"4\" k)}"
                                        "l{m:url(\"5\"");
    crawl_buf_free(&out.found);
    crawl_buf_free(&out.replaced);
}

Test(css_urls, any_depth)
{
    crawl_buf css = {0};
    for (int i = 0; i < 5000; i++)
        crawl_buf_append_text(&css, i % 2 ? "a{" : "(b");
    crawl_buf_append_text(&css, "a{b:url(c)");
    output out = {.css = crawl_buf_slice(&css)};
    cr_assert_eq(crawl_css_urls(out.css, CRAWL_CSS_SHEET, take, &out), CRAWL_OK);
    cr_expect_str_eq(out.found.data, "p:c");
    crawl_buf_free(&css);
    crawl_buf_free(&out.found);
    crawl_buf_free(&out.replaced);
}

static crawl_err refuse(void *user, const crawl_css_url *)
{
    ++*(int *)user;
    return CRAWL_REFUSED;
}

Test(css_urls, the_caller_ends_the_search)
{
    int calls = 0;
    crawl_slice css = crawl_slice_from("a{b:url(c) url(d)}");
    cr_expect_eq(crawl_css_urls(css, CRAWL_CSS_SHEET, refuse, &calls), CRAWL_REFUSED);
    cr_expect_eq(calls, 1);
}

Test(css_urls, a_quoted_url_is_read_back)
{
    static const char url[] = "a\"b\\c\nd'e\x7f)\u20acf";
    crawl_buf css = {0};
    crawl_buf_append_text(&css, "a{b:url(");
    cr_assert_eq(crawl_css_quote(crawl_slice_from(url), &css), CRAWL_OK);
    cr_expect_str_eq(css.data, "a{b:url(\"a\\\"b\\\\c\\a d'e\\7f )\u20acf\"");
    output out = {.css = crawl_buf_slice(&css)};
    cr_assert_eq(crawl_css_urls(out.css, CRAWL_CSS_SHEET, take, &out), CRAWL_OK);
    cr_expect_str_eq(out.found.data, "p:a\"b\\c\nd'e\x7f)\u20acf");
    crawl_buf_free(&css);
    crawl_buf_free(&out.found);
    crawl_buf_free(&out.replaced);
}

Test(css_urls, encodings)
{
    static const struct {
        const char *bytes;
        const char *transport;
        const char *document;
        const char *expected;
    } rows[] = {
        {"a", NULL, NULL, "utf-8"},
        {"a", NULL, "koi8-r", "koi8-r"},
        {"@charset \"latin1\";", NULL, "koi8-r", "windows-1252"},
        {"@charset \"latin1\";", "gbk", "koi8-r", "gbk"},
        {"\xef\xbb\xbf@charset \"latin1\";", "gbk", "koi8-r", "utf-8"},
        {"\xff\xfe@", NULL, NULL, "utf-16le"},
        {"@charset \"utf-16be\";", NULL, NULL, "utf-8"},
        {"@charset \"nonsense\";", NULL, NULL, "utf-8"},
        {"@charset  \"latin1\";", NULL, NULL, "utf-8"},
        {"@charset 'latin1';", NULL, NULL, "utf-8"},
        {"@CHARSET \"latin1\";", NULL, NULL, "utf-8"},
        {"@charset \"latin1\" ;", NULL, NULL, "utf-8"},
        {" @charset \"latin1\";", NULL, NULL, "utf-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_str_eq(crawl_css_charset(crawl_slice_from(rows[i].bytes), rows[i].transport, rows[i].document),
                         rows[i].expected, "%s", rows[i].bytes);
}

Test(css_urls, decoding)
{
    crawl_buf storage = {0};
    crawl_slice text;
    cr_assert_eq(crawl_css_decode(crawl_slice_from("\xef\xbb\xbf"
                                                   "a\xc3\xa9"),
                                  "utf-8", &storage, &text),
                 CRAWL_OK);
    cr_expect(crawl_slice_equal(text, crawl_slice_from("a\xc3\xa9")));
    cr_expect_null(storage.data, "UTF-8 is not copied");
    cr_assert_eq(crawl_css_decode(crawl_slice_from("a\xe9"), "windows-1252", &storage, &text), CRAWL_OK);
    cr_expect(crawl_slice_equal(text, crawl_slice_from("a\xc3\xa9")));
    crawl_buf_free(&storage);
}
