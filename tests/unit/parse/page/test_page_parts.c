/* parse/page/page_parts.c: links that any tag may have. A link is shown as tag.attr=href. */
#include <crawl/links.h>
#include <criterion/criterion.h>

static crawl_page *page;

/* The last of the extractors that must find the same in the same order. libxml2 reports elements of its table later
 * than other tags. */
static crawl_extractor last = CRAWL_EXTRACTOR_LIBXML2;

static void open_page(void)
{
    page = crawl_page_create();
    cr_assert_not_null(page);
    crawl_page_set_kinds(page, CRAWL_LINK_EVERY);
    cr_assert_eq(crawl_page_set_lazy(page, "data-src  data-srcset data-bg"), CRAWL_OK);
}

static void close_page(void)
{
    crawl_page_free(page);
}

TestSuite(page_parts, .init = open_page, .fini = close_page);

static void show(crawl_buf *out)
{
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    crawl_buf_clear(out);
    for (size_t i = 0; i < count; i++)
        crawl_buf_printf(out, "%s%s.%s=%.*s", i ? " " : "", links[i].tag, links[i].attr, (int)links[i].href.size,
                         links[i].href.data);
}

static void expect(crawl_document document, const char *const rows[][2], size_t count)
{
    crawl_buf out = {0};
    for (size_t i = 0; i < count; i++) {
        for (int extractor = CRAWL_EXTRACTOR_SCAN; extractor <= (int)last; extractor++) {
            crawl_page_set_extractor(page, (crawl_extractor)extractor);
            cr_assert_eq(crawl_page_parse_as(page, document, crawl_slice_from(rows[i][0]), NULL, "utf-8"), CRAWL_OK);
            show(&out);
            cr_expect_str_eq(out.data ? out.data : "", rows[i][1], "%s: %s", rows[i][0], out.data);
        }
    }
    crawl_buf_free(&out);
}

#define EXPECT(rows) expect(CRAWL_DOCUMENT_HTML, rows, sizeof(rows) / sizeof(rows)[0])

Test(page_parts, styles)
{
    static const char *const rows[][2] = {
        {"<style>@import 'a';b{c:url(d)}@font-face{src:url(e)}</style>",
         "style.@import=a style.url=d style.@font-face=e"},
        {"<style>a{b:url(c)}", "style.url=c"},
        {"<p style='a:url(&quot;b&quot;);c:url(d)'><b STYLE=e:url(f)>", "*.style=b *.style=d *.style=f"},
        {"<p style='@import url(no)' title='a:url(no)'><textarea><b style=a:url(no)></textarea>"
         "<!--<b style=a:url(no)>-->",
         ""},
        {"<p style='a:url(data:no) url(#no)'>", ""},
    };
    EXPECT(rows);
}

/* In SVG and XML a <style> has references and CDATA sections; in HTML it has neither. */
Test(page_parts, styles_of_svg_and_of_xml)
{
    static const char *const html[][2] = {
        {"<svg><style>@import 'a'; b{c:url(d)}</style><a href=e>", "style.@import=a style.url=d a.href=e"},
        {"<svg><style><![CDATA[@import 'a'; b{c:url(d&amp;e)}]]></style><style>f{g:url(&quot;h&amp;i&quot;)}</style>",
         "style.@import=a style.url=d&amp;e style.url=h&i"},
        {"<svg><style>a{b:url(c)}<style>d{e:url(f)}</style></svg>", "style.url=c style.url=f"},
        {"<svg><style/><a href=b></svg><math><style>a{b:url(no)}</style></math>", "a.href=b"},
        {"<style>a{b:url('c&amp;d')}</style>", "style.url=c&amp;d"},
    };
    static const char *const xml[][2] = {
        {"<html><style><![CDATA[@import 'a'; b{c:url(d)}]]></style><style>/*<![CDATA[*/@import 'e';/*]]>*/"
         "</style></html>",
         "style.@import=a style.url=d style.@import=e"},
    };
    static const char *const svg[][2] = {
        {"<?xml version='1.0'?><svg><style>@import 'a';</style><image xlink:href='b'/><a href='c'/><style/></svg>",
         "style.@import=a image.xlink:href=b a.href=c"},
    };
    EXPECT(html);
    expect(CRAWL_DOCUMENT_XHTML, xml, sizeof xml / sizeof xml[0]);
    expect(CRAWL_DOCUMENT_SVG, svg, sizeof svg / sizeof svg[0]);
}

Test(page_parts, style_sheets_of_xml)
{
    static const char *const rows[][2] = {
        {"<?xml version='1.0'?>\n<?xml-stylesheet type='text/css' href='a?b=1&amp;c=2'?>"
         "<!-- <?xml-stylesheet href='no'?> -->"
         "<!DOCTYPE x [<?xml-stylesheet href='no'?>]><?xml-stylesheet\nhref=\"d\" title='e'?><html/>"
         "<?xml-stylesheet href='no'?>",
         "xml-stylesheet.href=a?b=1&c=2 xml-stylesheet.href=d"},
        {"<?xml-stylesheet href='#no'?><?xml-stylesheet title='no'?>"
         "<?xml-stylesheets href='no'?><?xml-stylesheet?><html/>",
         ""},
        {"<?xml-stylesheet href='no'", ""},
    };
    static const char *const html[][2] = {{"<?xml-stylesheet href='no'?><p>", ""}};
    expect(CRAWL_DOCUMENT_XHTML, rows, sizeof rows / sizeof rows[0]);
    expect(CRAWL_DOCUMENT_SVG, rows, sizeof rows / sizeof rows[0]);
    expect(CRAWL_DOCUMENT_FEED, rows, sizeof rows / sizeof rows[0]);
    EXPECT(html);
    crawl_page_set_kinds(page, CRAWL_LINK_ALL);
    static const char *const none[][2] = {{"<?xml-stylesheet href='no'?><html/>", ""}};
    expect(CRAWL_DOCUMENT_XHTML, none, 1);
}

Test(page_parts, a_json_feed)
{
#define FEED(members) "\n{\"version\":\"https:\\/\\/jsonfeed.org\\/version\\/1.1\",\"title\":\"T\"" members "}"
    static const char *const rows[][2] = {
        {FEED(",\"home_page_url\":\"a\",\"next_url\":\"b\\/c\",\"items\":[{\"url\":\"d\",\"external_url\":\"e\"},"
              "{\"url\":1},{\"id\":\"no\",\"attachments\":[{\"url\":\"f\"}]},{\"url\":\"g\"}]"),
         "link.href=a link.href=b/c link.href=d link.href=e enclosure.url=f link.href=g"},
        {FEED(",\"items\":{\"url\":\"no\"}"), ""},
        {"{\"version\":\"1\",\"items\":[{\"url\":\"no\"}]}", ""},
        {FEED(",\"items\":[{\"url\":\"no\"}"), ""},
    };
    expect(CRAWL_DOCUMENT_FEED, rows, sizeof rows / sizeof rows[0]);
    cr_assert_eq(crawl_page_parse_as(page, CRAWL_DOCUMENT_FEED, crawl_slice_from(rows[0][0]), NULL, NULL), CRAWL_OK);
    cr_expect(crawl_slice_equal(crawl_page_title(page), crawl_slice_from("T")));
}

Test(page_parts, attributes_of_few_pages)
{
    static const char *const rows[][2] = {
        {"<link rel=preload as=image imagesrcset='a 1x, b 2x'>", "link.imagesrcset=a link.imagesrcset=b"},
        {"<table background=a><tr background=b><td background=c><p background=no>",
         "table.background=a tr.background=b td.background=c"},
        {"<form method=post><button formaction=no><button formaction=a formmethod=get></form><form action=b><input "
         "type=submit formaction=c><input formaction=no formmethod=post>",
         "button.formaction=a form.action=b input.formaction=c"},
        {"<svg><image href=a /><use xlink:href=b#c /><use href='#no'/><feImage href=d /></svg><use href=no>",
         "image.href=a use.xlink:href=b#c feimage.href=d"},
        {"<svg><g filter='url(a#f)' mask=\"url('b')\"><path clip-path=url(&quot;c&quot;) fill=url(#no) stroke=red "
         "marker-end=URL(d) cursor='url(e), url(f), auto'/></g></svg><p filter=url(no) mask=url(no)>",
         "*.filter=a#f *.mask=b *.clip-path=c *.marker-end=d *.cursor=e *.cursor=f"},
    };
    last = CRAWL_EXTRACTOR_SCAN;
    EXPECT(rows);
}

Test(page_parts, rel_of_a_set)
{
    size_t count;
    cr_assert_eq(
        crawl_page_parse(page, crawl_slice_from("<link imagesrcset='a, b' rel='x no&#102;ollow'>"), NULL, NULL),
        CRAWL_OK);
    const crawl_link *links = crawl_page_links(page, &count);
    cr_assert_eq(count, 2);
    for (size_t i = 0; i < count; i++) {
        cr_expect(links[i].nofollow);
        cr_expect(crawl_slice_equal(links[i].rel, crawl_slice_from("x nofollow")));
    }
}

Test(page_parts, what_scripts_read)
{
    static const char *const rows[][2] = {
        {"<img data-src=a DATA-SRCSET='b 1x, c 2x'><div data-bg=d><div data-bg=\"url('e')\">",
         "*.data-src=a *.data-srcset=b *.data-srcset=c *.data-bg=d *.data-bg=e"},
        {"<img data-src='{no}' data-bg='a b' data-other=no data-srcset=''>", ""},
    };
    EXPECT(rows);
    cr_assert_eq(crawl_page_set_lazy(page, NULL), CRAWL_OK);
    static const char *const none[][2] = {{"<img data-src=no>", ""}};
    EXPECT(none);
    crawl_buf names = {0};
    for (unsigned i = 0; i < CRAWL_PAGE_MAX_LAZY; i++)
        crawl_buf_printf(&names, "%sx%u", i ? " " : "", i);
    cr_assert_eq(crawl_page_set_lazy(page, names.data), CRAWL_OK);
    crawl_buf_append_text(&names, " data-src");
    cr_expect_eq(crawl_page_set_lazy(page, names.data), CRAWL_EINVAL, "one too many");
    static const char *const most[][2] = {{"<img x31=a data-src=no>", "*.x31=a"}};
    EXPECT(most);
    crawl_buf_free(&names);
}

Test(page_parts, documents_inside)
{
    static const char *const rows[][2] = {
        {"<iframe srcdoc='<base href=//no/><title>no</title><meta name=robots content=none><link rel=canonical href=a>"
         "<p style=b:url(c)>'></iframe>",
         "link.href=a *.style=c"},
        {"<form><iframe srcdoc='<button formaction=a><form method=post>'></iframe><button formaction=b></form>",
         "button.formaction=a button.formaction=b"},
        {"<form method=post><iframe srcdoc='<button formaction=a>'></iframe><button formaction=no></form>",
         "button.formaction=a"},
        {"<iframe srcdoc='<iframe srcdoc=\"<img src=&amp;quot;a&amp;quot;>\"></iframe>'></iframe>", "img.src=a"},
    };
    crawl_page_set_extractor(page, CRAWL_EXTRACTOR_SCAN);
    EXPECT(rows);
    cr_expect_eq(crawl_page_title(page).size, 0);
    cr_expect_eq(crawl_page_robots(page), 0);
    cr_expect_eq(crawl_page_canonical(page).size, 0);
}

Test(page_parts, a_style_sheet)
{
    static const char *const rows[][2] = {
        {"@import 'a'; b{c:url(d)} @font-face{src:url(e)} <a href=no>", "css.@import=a css.url=d css.@font-face=e"},
        {"\xef\xbb\xbf@import 'a';", "css.@import=a"},
    };
    expect(CRAWL_DOCUMENT_CSS, rows, sizeof rows / sizeof rows[0]);
    cr_expect_eq(crawl_document_of_content_type(crawl_slice_from("text/CSS; charset=utf-8")), CRAWL_DOCUMENT_CSS);
    cr_assert_eq(crawl_page_parse_as(page, CRAWL_DOCUMENT_CSS, crawl_slice_from("a{b:url(\xe9)}"), NULL, "latin1"),
                 CRAWL_OK);
    cr_expect_str_eq(crawl_page_charset(page), "windows-1252");
    size_t count;
    cr_expect(crawl_slice_equal(crawl_page_links(page, &count)->href, crawl_slice_from("\u00e9")));
}

Test(page_parts, not_asked_for)
{
    static const char *const rows[][2] = {
        {"<style>a{b:url(no)}</style><p style=a:url(no)><td background=no><iframe srcdoc='<img src=no>'></iframe>", ""},
    };
    crawl_page_set_kinds(page, CRAWL_LINK_ALL);
    EXPECT(rows);
    crawl_page_set_kinds(page, CRAWL_LINK_SVG);
    EXPECT(rows);
}

/* Expects the ids of a page, each followed by "|". */
static void expect_ids(const char *html, const char *expected)
{
    bool cut;
    char shown[256];
    for (int extractor = CRAWL_EXTRACTOR_SCAN; extractor <= CRAWL_EXTRACTOR_LIBXML2; extractor++) {
        crawl_page_set_extractor(page, (crawl_extractor)extractor);
        cr_assert_eq(crawl_page_parse(page, crawl_slice_from(html), NULL, "utf-8"), CRAWL_OK);
        crawl_slice ids = crawl_page_ids(page, &cut);
        cr_assert_lt(ids.size, sizeof shown);
        for (size_t i = 0; i < ids.size; i++)
            shown[i] = ids.data[i] ? ids.data[i] : '|';
        shown[ids.size] = '\0';
        cr_expect_str_eq(shown, expected, "%s: %s", html, shown);
        cr_expect_not(cut);
    }
}

Test(page_parts, ids)
{
    static const char *const rows[][2] = {
        {"<h1 id=a>x</h1><p ID='b c'><a name=d href=x><A NAME=e id=e><a id=f name=g>", "a|b c|d|e|f|g|"},
        {"<p id=a&eacute;&amp;b id=no><p id=''><p id><a name=''>", "a\xc3\xa9&b|"},
        {"<p name=no><input name=no><map name=no><!--<p id=no>--><textarea><p id=no></textarea>"
         "<script><p id=no></script>",
         ""},
        {"<svg id=a><g id='b'/></svg><template id=c><p id=d></template><noscript><p id=e></noscript>", "a|b|c|e|"},
        {"<iframe id=a srcdoc='<p id=no>'></iframe><p id=b", "a|"},
    };
    crawl_page_set_ids(page, true);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_ids(rows[i][0], rows[i][1]);
    crawl_page_set_kinds(page, CRAWL_LINK_A);
    expect_ids("<style>a{b:url(no)}</style><p id=a style='b:url(no)'>", "a|");
    size_t count;
    crawl_page_links(page, &count);
    cr_assert_eq(count, 0, "the walk over every tag finds no links that are not wanted");
    crawl_page_set_ids(page, false);
    expect_ids("<p id=a>", "");
}

Test(page_parts, ids_beyond_the_maximum_are_left_out)
{
    bool cut;
    crawl_buf html = {0};
    crawl_page_set_ids(page, true);
    for (int i = 0; i < 40000; i++)
        crawl_buf_printf(&html, "<p id=number-%d>", i);
    cr_assert_eq(crawl_page_parse(page, crawl_buf_slice(&html), NULL, "utf-8"), CRAWL_OK);
    crawl_slice ids = crawl_page_ids(page, &cut);
    cr_assert(cut);
    cr_assert_leq(ids.size, CRAWL_PAGE_MAX_IDS);
    cr_assert_gt(ids.size, CRAWL_PAGE_MAX_IDS - 20);
    cr_assert_eq(ids.data[ids.size - 1], '\0');
    crawl_buf_free(&html);
}
