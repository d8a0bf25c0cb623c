/* URLs replaced in pages and style sheets; all other bytes stay. */
#include "base/bytes.h"

#include <crawl/rewrite.h>
#include <criterion/criterion.h>
#include <stdlib.h>

/* URLs below https://h.example/in/ are in the copy, at their path without "in"; "&" and "'" stay, to be escaped. */
static crawl_err link_to(void *, const crawl_url *target, crawl_buf *out, bool *is_local)
{
    crawl_slice href = crawl_url_href(target);
    *is_local = cw_take_text(&href, "https://h.example/in/");
    return crawl_buf_append(out, href.data, href.size);
}

static crawl_err rewrite(const char *charset, crawl_document document, crawl_slice bytes, bool css, crawl_buf *out)
{
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("https://h.example/in/page"), NULL, NULL), CRAWL_OK);
    crawl_rewrite how = {.size = sizeof how, .url = url, .charset = charset, .lazy = CRAWL_PAGE_LAZY, .link = link_to};
    crawl_err err = css ? crawl_rewrite_css(&how, bytes, out) : crawl_rewrite_page(&how, document, bytes, out);
    crawl_url_free(url);
    return err;
}

static void check(const char *charset, crawl_document document, bool css, const char *before, const char *after)
{
    crawl_buf out = {0};
    cr_assert_eq(rewrite(charset, document, crawl_slice_from(before), css, &out), CRAWL_OK);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&out), crawl_slice_from(after)), "%s\n  became   %s\n  expected %s",
              before, out.data ? out.data : "", after);
    crawl_buf_free(&out);
}

static const char *const pages[][2] = {
    /* A value that is not a URL stays, byte by byte. */
    {"", ""},
    {"a < b &amp; c", "a < b &amp; c"},
    {"<P  Class = x\t>\r\n<!-- <a href=x> --></P >", "<P  Class = x\t>\r\n<!-- <a href=x> --></P >"},
    {"<script>'<a href=\"x\">'</script><title><a href=x></title>",
     "<script>'<a href=\"x\">'</script><title><a href=x></title>"},
    {"<a href=\"#part\">", "<a href=\"#part\">"},
    {"<a href=\"\"><a href><a href=", "<a href=\"\"><a href><a href="},
    /* With a base, an empty link leads to the base; elements that load something load nothing. */
    {"<base href=\"/in/other/\"><a href=\"\">e</a><area href=''><a href><a href= ><img src=\"\">",
     "<base href=\"\"><a href=\"other/\">e</a><area href='other/'><a href><a href= ><img src=\"\">"},
    {"<a href=\"\">e</a><base href=\"/in/other/\">", "<a href=\"other/\">e</a><base href=\"\">"},
    {"<base href=\"/in/other/\"><p style=\"a:url('')\">", "<base href=\"\"><p style=\"a:url('')\">"},
    {"<base href=\"page\"><a href=\"\">e</a>", "<base href=\"\"><a href=\"\">e</a>"},
    {"<a href=\"mailto:a@b\"><a href=\"javascript:x()\"><img src=\"data:,x\">",
     "<a href=\"mailto:a@b\"><a href=\"javascript:x()\"><img src=\"data:,x\">"},
    {"<a href=\"http://[\">", "<a href=\"http://[\">"},
    /* Quotes, references. */
    {"<a href=\"/in/x\">", "<a href=\"x\">"},
    {"<A HREF = '/in/x' >", "<A HREF = 'x' >"},
    {"<a href=/in/x>", "<a href=\"x\">"},
    {"<a href=/in/x/>", "<a href=\"x/\">"},
    {"<a class=a href=/in/x?a=1&b=2 id=b>", "<a class=a href=\"x?a=1&amp;b=2\" id=b>"},
    {"<a href='/in/x?a=1&amp;b=2&#x27;'>", "<a href='x?a=1&amp;b=2%27'>"},
    {"<a href='/in/it&#39;s'>", "<a href='it&#39;s'>"},
    {"<a href=\" /in/a b \">", "<a href=\"a%20b\">"},
    {"<a href=\"//o.example/x\">", "<a href=\"https://o.example/x\">"},
    {"<a href=\"/in/page#part\">", "<a href=\"page#part\">"},
    /* Elements and attributes. */
    {"<img src=/in/a srcset='/in/a 1x, /in/b.png 2x,/in/c'>", "<img src=\"a\" srcset='a 1x, b.png 2x,c'>"},
    {"<link rel=preload imagesrcset=\"/in/a 100w\">", "<link rel=preload imagesrcset=\"a 100w\">"},
    {"<video poster=/in/p><source src=/in/s><track src=/in/t>",
     "<video poster=\"p\"><source src=\"s\"><track src=\"t\">"},
    {"<object data=/in/o><p data=/in/o>", "<object data=\"o\"><p data=/in/o>"},
    {"<form action=/in/a><button formaction=/in/b>", "<form action=\"a\"><button formaction=\"b\">"},
    {"<table background=/in/a><img data-src=/in/b>", "<table background=\"a\"><img data-src=\"b\">"},
    {"<div data-bg-src=/in/b data-image=/hero-42 data-bg='url(/in/c)' data-Lazy-Srcset='/in/d 2x, /out 3x'>",
     "<div data-bg-src=\"b\" data-image=/hero-42 data-bg='url(&quot;c&quot;)' data-Lazy-Srcset='d 2x, https://h.example/out 3x'>"},
    {"<div data-background='{\"a\": 1}' data-unknown=/in/b>", "<div data-background='{\"a\": 1}' data-unknown=/in/b>"},
    {"<svg><use xlink:href='/in/a#b'/><image href=/in/c /></svg>",
     "<svg><use xlink:href='a#b'/><image href=\"c\" /></svg>"},
    {"<svg><g filter='url(/in/a#f)' fill=url(#b) mask=none></g></svg><p filter='url(/in/a)'>",
     "<svg><g filter='url(&quot;a#f&quot;)' fill=url(#b) mask=none></g></svg><p filter='url(/in/a)'>"},
    {"<meta http-equiv=refresh content='5; url=/in/x'>", "<meta http-equiv=refresh content='5; url=x'>"},
    {"<meta name=description content='5; url=/in/x'>", "<meta name=description content='5; url=/in/x'>"},
    /* CSS. */
    {"<p style=\"background:url('/in/a')\">", "<p style=\"background:url(&quot;a&quot;)\">"},
    {"<style>@import '/in/a';p{background:url(/in/b)}</style><a href=/in/c>",
     "<style>@import \"a\";p{background:url(\"b\")}</style><a href=\"c\">"},
    {"<svg><style>p{background:url(/in/b)}<a href=/in/c></style></svg><a href=/in/d>",
     "<svg><style>p{background:url(\"b\")}<a href=/in/c></style></svg><a href=\"d\">"},
    {"<style>p{background:url(/in/b)", "<style>p{background:url(\"b\")"},
    /* A page in a page. */
    {"<iframe srcdoc=\"<a href='/in/a'>&amp;amp;</a>\">",
     "<iframe srcdoc=\"&lt;a href=&#39;a&#39;&gt;&amp;amp;&lt;/a&gt;\">"},
    /* Parts that would prevent it from being shown. */
    {"<base href=/in/d/ target=x><a href=e><a href=#p>", "<base href=\"\" target=x><a href=\"d/e\"><a href=\"d/#p\">"},
    {"<a href=e><base href=/in/d/>", "<a href=\"d/e\"><base href=\"\">"},
    {"<base href=/in/d/><base href=/in/f/><a href=e>", "<base href=\"\"><base href=\"\"><a href=\"d/e\">"},
    {"<a href=e><base href=/in/d&#x2f;><base href=/in/f/><a href=e>",
     "<a href=\"d/e\"><base href=\"\"><base href=\"\"><a href=\"d/e\">"},
    /* A fragment alone is a part of the page itself, whatever the base, in CSS and in elements of SVG but links. */
    {"<base href=/in/d/><svg><use href=#p /><use xlink:href=' #p'/><g fill=url(#p) style='mask:url(#p)'/></svg>",
     "<base href=\"\"><svg><use href=#p /><use xlink:href=' #p'/><g fill=url(#p) style='mask:url(#p)'/></svg>"},
    {"<base href=/in/d/><style>p{filter:url(#p)}</style><svg><a href=#p><image href=e />",
     "<base href=\"\"><style>p{filter:url(#p)}</style><svg><a href=\"d/#p\"><image href=\"d/e\" />"},
    {"<base href=page><a href=e><a href=#p>", "<base href=\"\"><a href=\"e\"><a href=#p>"},
    {"<base target=x><base href=data:,x><base href=/in/d/><a href=e>",
     "<base target=x><base href=\"\"><base href=\"\"><a href=\"e\">"},
    {"<noscript><base href=/in/d/></noscript><template><base href=/in/d/></template><a href=e>",
     "<noscript><base href=\"\"></noscript><template><base href=\"\"></template><a href=\"e\">"},
    {"<iframe srcdoc=\"<base href=/in/d/><a href=e>\"></iframe><a href=e>",
     "<iframe srcdoc=\"&lt;base href=&quot;&quot;&gt;&lt;a href=&quot;e&quot;&gt;\"></iframe><a href=\"e\">"},
    {"<script integrity=x src=/in/a crossorigin></script>",
     "<script data-integrity=x src=\"a\" data-crossorigin></script>"},
    {"<script integrity=x src=//o.example/></script>", "<script integrity=x src=\"https://o.example/\"></script>"},
    {"<meta http-equiv=Content-Security-Policy content=\"default-src 'self'\">",
     "<meta data-http-equiv=Content-Security-Policy content=\"default-src 'self'\">"},
};

Test(rewrite, pages)
{
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        check(NULL, CRAWL_DOCUMENT_HTML, false, pages[i][0], pages[i][1]);
}

/* A look-up of http-equiv for each of these would take quadratic time. */
Test(rewrite, many_attributes)
{
    crawl_buf html = {0}, out = {0};
    crawl_buf_append_text(&html, "<meta");
    for (int i = 0; i < 500 * 1000; i++)
        crawl_buf_append_text(&html, " content=x");
    crawl_buf_append_text(&html, " http-equiv=refresh content='1;url=/in/x'>");
    cr_assert_eq(rewrite("utf-8", CRAWL_DOCUMENT_HTML, crawl_buf_slice(&html), false, &out), CRAWL_OK);
    cr_expect(cw_ends_with(crawl_buf_slice(&out), " http-equiv=refresh content='1;url=x'>"));
    crawl_buf_free(&html);
    crawl_buf_free(&out);
}

Test(rewrite, xml)
{
    check(NULL, CRAWL_DOCUMENT_XHTML, false,
          "<!DOCTYPE svg [<!ENTITY a \"<a href='/in/x'/>\">]><svg><a href='/in/x'/></svg>",
          "<!DOCTYPE svg [<!ENTITY a \"<a href='/in/x'/>\">]><svg><a href='x'/></svg>");
    check(NULL, CRAWL_DOCUMENT_XHTML, false, "<svg><style>p{background:url(/in/b?c&d)}</style></svg>",
          "<svg><style>p{background:url(\"b?c&amp;d\")}</style></svg>");
    check(NULL, CRAWL_DOCUMENT_XHTML, false, "<svg><style><![CDATA[p{background:url(/in/b?c&d)}]]></style></svg>",
          "<svg><style><![CDATA[p{background:url(\"b?c&d\")}]]></style></svg>");
    check(
        NULL, CRAWL_DOCUMENT_XHTML, false,
        "<?xml version='1.0'?><?xml-stylesheet href='/in/a?b&amp;c' title='d'?><!-- e -->\n<svg><use href='/in/f'/></svg>",
        "<?xml version='1.0'?><?xml-stylesheet href='a?b&amp;c' title='d'?><!-- e -->\n<svg><use href='f'/></svg>");
    check(NULL, CRAWL_DOCUMENT_XHTML, false, "<?xml-stylesheet href='//o.example/a'?><?xml-stylesheet href='#b'?><a/>",
          "<?xml-stylesheet href='https://o.example/a'?><?xml-stylesheet href='#b'?><a/>");
    check(NULL, CRAWL_DOCUMENT_HTML, false, "<?xml-stylesheet href='/in/a'?><p>", "<?xml-stylesheet href='/in/a'?><p>");
}

Test(rewrite, encodings)
{
    /* The page's encoding shapes the query, and all other bytes stay. */
    check(NULL, CRAWL_DOCUMENT_HTML, false, "<meta charset=windows-1251>\xcf<a href=\"/in/x?\xcf\">",
          "<meta charset=windows-1251>\xcf<a href=\"x?%CF\">");
    check(NULL, CRAWL_DOCUMENT_HTML, false,
          "<meta charset=windows-1251><p style=\"content:'\xcf';background:url(/in/a)\">",
          "<meta charset=windows-1251><p style=\"content:&#39;&#1055;&#39;;background:url(&quot;a&quot;)\">");
    check(NULL, CRAWL_DOCUMENT_HTML, false, "<meta charset=shift_jis>\x83\x5c<a href=/in/x>",
          "<meta charset=shift_jis>\x83\x5c<a href=\"x\">");
    /* An encoding known only from the server is declared, unless the page says the same. */
    check("utf-8", CRAWL_DOCUMENT_HTML, false, "<!DOCTYPE html><p>", "\xef\xbb\xbf<!DOCTYPE html><p>");
    check("utf-8", CRAWL_DOCUMENT_HTML, false, "<meta charset=utf-8><p>", "<meta charset=utf-8><p>");
    check("windows-1251", CRAWL_DOCUMENT_HTML, false, "<!DOCTYPE html><html><head id=a>\xcf",
          "<!DOCTYPE html><html><head id=a><meta charset=\"windows-1251\">\xcf");
    check("windows-1251", CRAWL_DOCUMENT_HTML, false, "<!DOCTYPE html><p>\xcf",
          "<!DOCTYPE html><meta charset=\"windows-1251\"><p>\xcf");
    /* A page whose bytes are not ASCII-compatible becomes UTF-8. */
    check("iso-2022-jp", CRAWL_DOCUMENT_HTML, false, "\x1b$B$\"\x1b(B<a href=/in/x>",
          "\xef\xbb\xbf\xe3\x81\x82<a href=\"x\">");
}

Test(rewrite, sheets)
{
    check(NULL, CRAWL_DOCUMENT_OTHER, true,
          "/* url(/in/a) */ @import url( /in/b ) print;\r\np { background: url(#c), url('#d') }",
          "/* url(/in/a) */ @import url( \"b\" ) print;\r\np { background: url(#c), url('#d') }");
    check(NULL, CRAWL_DOCUMENT_OTHER, true, "", "");
    /* In another encoding the bytes stay, unless a URL is not ASCII. */
    check(NULL, CRAWL_DOCUMENT_OTHER, true, "@charset \"shift_jis\";/*\x93\xfa*/b{c:url(/in/d)}",
          "@charset \"shift_jis\";/*\x93\xfa*/b{c:url(\"d\")}");
    check(NULL, CRAWL_DOCUMENT_OTHER, true, "@charset \"shift_jis\";/*\x93\xfa*/b{c:url(/in/\x93\xfa)}",
          "\xef\xbb\xbf@charset \"shift_jis\";/*\u65e5*/b{c:url(\"%E6%97%A5\")}");
    check("windows-1252", CRAWL_DOCUMENT_OTHER, true, "b{c:url(/in/\xe9?\xe9)}",
          "\xef\xbb\xbf"
          "b{c:url(\"%C3%A9?%C3%A9\")}");
}

/* A file has to declare an encoding that only the server has declared. */
Test(rewrite, encodings_of_sheets_and_scripts)
{
    static const struct {
        const char *charset, *before, *after;
    } rows[] = {
        {"windows-1251", "a='\xcf'",
         "\xef\xbb\xbf"
         "a='\u041f'"},
        {"utf-8", "a='\xd0\x9f'",
         "\xef\xbb\xbf"
         "a='\u041f'"},
        {"windows-1251", "\xef\xbb\xbf a='\xd0\x9f'", "\xef\xbb\xbf a='\xd0\x9f'"},
        {"windows-1251", "a='b'", "a='b'"},
        {"iso-2022-jp", "a='\x1b$B$\"\x1b(B'",
         "\xef\xbb\xbf"
         "a='\u3042'"},
        {"utf-8",
         "\xff\xfe"
         "a",
         "\xff\xfe"
         "a"},
        {NULL, "a='\xcf'", "a='\xcf'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf out = {0};
        cr_assert_eq(crawl_rewrite_script(rows[i].charset, crawl_slice_from(rows[i].before), &out), CRAWL_OK);
        cr_expect_str_eq(out.data, rows[i].after, "%zu", i);
        crawl_buf_free(&out);
    }
    check("windows-1251", CRAWL_DOCUMENT_OTHER, true, "b::after{content:'\xcf'}",
          "\xef\xbb\xbf"
          "b::after{content:'\u041f'}");
    check("utf-8", CRAWL_DOCUMENT_OTHER, true, "b{}", "b{}");
    check("iso-2022-jp", CRAWL_DOCUMENT_OTHER, true, "b{content:'\x1b$B$\"\x1b(B'}",
          "\xef\xbb\xbf"
          "b{content:'\u3042'}");
}

/* XML has no <meta>: a file in another encoding than it declares becomes UTF-8. */
Test(rewrite, encodings_of_xml)
{
    static const char *const rows[][3] = {
        {"windows-1251", "<svg><a href='/in/x'>\xcf</a></svg>", "\xef\xbb\xbf<svg><a href='x'>\u041f</a></svg>"},
        {"windows-1251", "<html><meta charset='windows-1251'/>\xcf</html>",
         "\xef\xbb\xbf<html><meta charset='windows-1251'/>\u041f</html>"},
        {"utf-8", "<?xml version='1.0' encoding='koi8-r'?><a>\u041f</a>",
         "\xef\xbb\xbf<?xml version='1.0' encoding='koi8-r'?><a>\u041f</a>"},
        {"utf-8", "<svg>\u041f</svg>", "<svg>\u041f</svg>"},
        {NULL, "<?xml version='1.0' encoding='koi8-r'?><a>\xf0</a>",
         "<?xml version='1.0' encoding='koi8-r'?><a>\xf0</a>"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(rows[i][0], CRAWL_DOCUMENT_XHTML, false, rows[i][1], rows[i][2]);
}

static crawl_err refuse(void *, const crawl_url *, crawl_buf *, bool *)
{
    return CRAWL_EIO;
}

Test(rewrite, that_fails_leaves_nothing)
{
    crawl_buf out = {0};
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("https://h.example/"), NULL, NULL), CRAWL_OK);
    crawl_rewrite how = {.size = sizeof how, .url = url, .link = refuse};
    cr_assert_eq(crawl_buf_append_text(&out, "before"), CRAWL_OK);
    cr_expect_eq(crawl_rewrite_page(&how, CRAWL_DOCUMENT_HTML, crawl_slice_from("text<a href=x>"), &out), CRAWL_EIO);
    cr_expect_str_eq(out.data, "before");
    crawl_url_free(url);
    crawl_buf_free(&out);
}
