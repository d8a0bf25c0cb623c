/* parse/css/css_token.c: a row for each rule of CSS Syntax level 3, section 4, written from its text. A token is shown
 * as its type, its name with escapes decoded, and its number. */
#include "parse/css/css_token.h"

#include <criterion/criterion.h>

static const char *const names[CW_CSS_TYPES] = {
    "ident", "function", "at", "hash", "string", "bad-string", "url", "bad-url", "delim", "number",
    "%",     "dim",      "ws", "CDO",  "CDC",    ":",          ";",   ",",       "open",  "close",
};

static void show(const cw_css_token *token, crawl_buf *out)
{
    bool named = token->name.data;
    crawl_buf_printf(out, "%s%s", out->size ? " " : "", names[token->type]);
    if (token->type >= CW_CSS_NUMBER && token->type <= CW_CSS_DIMENSION)
        crawl_buf_printf(out, "<%.*s>", (int)(token->raw.size - token->name.size), token->raw.data);
    if (named) {
        crawl_buf_append_char(out, '<');
        cw_css_decode_name(token->name, token->type == CW_CSS_STRING, out);
        crawl_buf_append_char(out, '>');
    }
    if (token->type == CW_CSS_HASH && token->id)
        crawl_buf_append_text(out, "id");
    if (token->type == CW_CSS_DELIM || token->type == CW_CSS_OPEN || token->type == CW_CSS_CLOSE)
        crawl_buf_append(out, token->raw.data, token->raw.size);
}

static void expect(crawl_slice css, const char *expected)
{
    crawl_buf out = {0};
    cw_css_scanner scanner = {css.data, css.data + css.size};
    const char *at = css.data;
    for (cw_css_token token; cw_css_next(&scanner, &token);) {
        cr_expect_geq(token.raw.data, at);
        cr_expect_gt(token.raw.size, 0);
        at = token.raw.data + token.raw.size;
        cr_expect_eq(at, scanner.at);
        show(&token, &out);
    }
    cr_expect_str_eq(out.data ? out.data : "", expected, "%.*s: %s, not %s", (int)css.size, css.data,
                     out.data ? out.data : "", expected);
    crawl_buf_free(&out);
}

#define RAW(text)              \
    {                          \
        text, sizeof(text) - 1 \
    }

typedef struct row {
    crawl_slice css;
    const char *expected;
} row;

static void expect_all(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(rows[i].css, rows[i].expected);
}

Test(css_token, consume_a_token)
{
    static const row rows[] = {
        {RAW(""), ""},
        {RAW(" \t\r\n\f a"), "ws ident<a>"},
        {RAW("a/**/b/* * / */c/*d"), "ident<a> ident<b> ident<c>"},
        {RAW("/**//***/;/*"), ";"},
        {RAW("/"), "delim/"},
        {RAW("(){}[],:;"), "open( close) open{ close} open[ close] , : ;"},
        {RAW("#a #1 #-a #- #\\31 # #\\\n"),
         "hash<a>id ws hash<1> ws hash<-a>id ws hash<-> ws hash<1>id delim# ws delim# delim\\ ws"},
        {RAW("@a @-b @--c @\\64 @1 @"), "at<a> ws at<-b> ws at<--c> ws at<d> delim@ number<1> ws delim@"},
        {RAW("<!-- --> <!- --"), "CDO ws CDC ws delim< delim! delim- ws ident<-->"},
        {RAW("-->"), "CDC"},
        {RAW("--->a"), "ident<---> delim> ident<a>"},
        {RAW("\\"), "ident<\uFFFD>"},
        {RAW("\\\n"), "delim\\ ws"},
        {RAW("\\\f"), "delim\\ ws"},
        {RAW("a|b~=c!"), "ident<a> delim| ident<b> delim~ delim= ident<c> delim!"},
        {RAW("\x01"), "delim\x01"},
    };
    expect_all(rows, sizeof rows / sizeof rows[0]);
}

Test(css_token, numbers)
{
    static const row rows[] = {
        {RAW("1 +1 -1 .5 +.5 -.5 1.5"), "number<1> ws number<+1> ws number<-1> ws number<.5> ws number<+.5> ws "
                                        "number<-.5> ws number<1.5>"},
        {RAW("1. 1.."), "number<1> delim. ws number<1> delim. delim."},
        {RAW("1e3 1E+3 1.5e-3"), "number<1e3> ws number<1E+3> ws number<1.5e-3>"},
        {RAW("1e 1e+ 1e-a"), "dim<1><e> ws dim<1><e> delim+ ws dim<1><e-a>"},
        {RAW("1%1px1--a"), "%<1%> dim<1><px1--a>"},
        {RAW("1\\70 x 1- 1-a"), "dim<1><px> ws number<1> delim- ws dim<1><-a>"},
        {RAW("+ - . +. -. +a"), "delim+ ws delim- ws delim. ws delim+ delim. ws delim- delim. ws delim+ ident<a>"},
        {RAW("12\\\n"), "number<12> delim\\ ws"},
    };
    expect_all(rows, sizeof rows / sizeof rows[0]);
}

Test(css_token, names_and_escapes)
{
    static const row rows[] = {
        {RAW("-a --a -\\61 _a a-1"), "ident<-a> ws ident<--a> ws ident<-a_a> ws ident<a-1>"},
        {RAW("\\66oo \\000066oo \\0000666"), "ident<foo> ws ident<foo> ws ident<f6>"},
        {RAW("\\66 oo|\\66\r\noo|\\66\n\noo"), "ident<foo> delim| ident<foo> delim| ident<f> ws ident<oo>"},
        {RAW("\\g\\-\\{\\\xc3\xa9"), "ident<g-{\xc3\xa9>"},
        {RAW("\\0 \\d800 \\110000 a"), "ident<\uFFFD\uFFFD\uFFFDa>"},
        {RAW("\\10ffff"), "ident<\U0010FFFF>"},
        {RAW("\xc3\xa9\xe2\x82\xac"), "ident<\u00e9\u20ac>"},
        {RAW("a\0b\\\0c"), "ident<a\uFFFDb\uFFFDc>"},
        {RAW("\xff"), "ident<\uFFFD>"},
        {RAW("f( F\\67(-f("), "function<f> ws function<Fg> function<-f>"},
    };
    expect_all(rows, sizeof rows / sizeof rows[0]);
}

Test(css_token, strings)
{
    static const row rows[] = {
        {RAW("'a\"b'\"c'd\""), "string<a\"b> string<c'd>"},
        {RAW("\"\""), "string<>"},
        {RAW("\"a"), "string<a>"},
        {RAW("\"a\\"), "string<a>"},
        {RAW("'a\\\nb\\\r\nc\\\fd\\\re'"), "string<abcde>"},
        {RAW("'\\'\\\"\\\\'"), "string<'\"\\>"},
        {RAW("'\\61\\62 c'"), "string<abc>"},
        {RAW("'a\nb'c"), "bad-string<a> ws ident<b> string<c>"},
        {RAW("'a\r\nb"), "bad-string<a> ws ident<b>"},
        {RAW("'/*'*/"), "string</*> delim* delim/"},
        {RAW("'a\0'"), "string<a\uFFFD>"},
    };
    expect_all(rows, sizeof rows / sizeof rows[0]);
}

Test(css_token, urls)
{
    static const row rows[] = {
        {RAW("url(a) url( a\n) url() URL(a)"), "url<a> ws url<a> ws url<> ws url<a>"},
        {RAW("u\\72l(a) \\55 RL(a)"), "url<a> ws url<a>"},
        {RAW("url(a"), "url<a>"},
        {RAW("url( a "), "url<a>"},
        {RAW("url("), "url<>"},
        {RAW("url(a\\"), "url<a\uFFFD>"},
        {RAW("url(a\\)b\\(\\ )"), "url<a)b( >"},
        {RAW("url('a') url(  \"b\""), "function<url> string<a> close) ws function<url> ws string<b>"},
        {RAW("url(a b)c"), "bad-url<a> ident<c>"},
        {RAW("url(a'b)c"), "bad-url<a> ident<c>"},
        {RAW("url(a(b)c"), "bad-url<a> ident<c>"},
        {RAW("url(a\x01)b"), "bad-url<a> ident<b>"},
        {RAW("url(a\x7f\\)b)c"), "bad-url<a> ident<c>"},
        {RAW("url(a\\\nb)c"), "bad-url<a> ident<c>"},
        {RAW("url(a b"), "bad-url<a>"},
        {RAW("url(/*a*/)"), "url</*a*/>"},
        {RAW("url(a\0b)"), "url<a\uFFFDb>"},
        {RAW("src(a) url-prefix(a)"), "function<src> ident<a> close) ws function<url-prefix> ident<a> close)"},
    };
    expect_all(rows, sizeof rows / sizeof rows[0]);
}

Test(css_token, words)
{
    cr_expect(cw_css_is_named(crawl_slice_from("ImPort"), "import"));
    cr_expect(cw_css_is_named(crawl_slice_from("\\69 mpor\\000074"), "import"));
    cr_expect_not(cw_css_is_named(crawl_slice_from("impor"), "import"));
    cr_expect_not(cw_css_is_named(crawl_slice_from("imports"), "import"));
    cr_expect_not(cw_css_is_named(crawl_slice_from("\u212amport"), "kmport"), "only ASCII has no case");
    cr_expect(cw_css_is_coded(crawl_slice_from("a\\b")));
    cr_expect(cw_css_is_coded(crawl_slice_of("a\0", 2)));
    cr_expect(cw_css_is_coded(crawl_slice_from("\xff")));
    cr_expect_not(cw_css_is_coded(crawl_slice_from("\u00e9")));
}
