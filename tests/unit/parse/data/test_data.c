/* Statements of pages about themselves, as rows: a page, and its JSON. Rows of microdata and RDFa name the part of the
 * standard that they test. */
#include <crawl/data.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static crawl_data *data;
static crawl_tree *tree;
static crawl_page *parsed;
static crawl_url *base;

static void set_up(void)
{
    data = crawl_data_create();
    tree = crawl_tree_create();
    parsed = crawl_page_create();
    base = crawl_url_create();
    cr_assert(data && tree && parsed && base);
    cr_assert_eq(crawl_url_parse(base, crawl_slice_from("https://a.example/b/c"), NULL, NULL), CRAWL_OK);
    crawl_page_set_data(parsed, true);
}

static void tear_down(void)
{
    crawl_data_free(data);
    crawl_tree_free(tree);
    crawl_page_free(parsed);
    crawl_url_free(base);
}

TestSuite(data, .init = set_up, .fini = tear_down);

static const char *read_of(crawl_slice html)
{
    crawl_slice json = {0};
    cr_assert_eq(crawl_page_parse(parsed, html, base, NULL), CRAWL_OK);
    crawl_tree_set(tree, html, crawl_page_charset(parsed));
    cr_assert_eq(crawl_data_read(data, parsed, tree, &json), CRAWL_OK);
    return json.size ? json.data : "";
}

typedef struct row {
    const char *html;
    const char *json;
} row;

static void expect_rows(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_expect_str_eq(read_of(crawl_slice_from(rows[i].html)), rows[i].json, "%s\n%s", rows[i].html,
                         read_of(crawl_slice_from(rows[i].html)));
}

#define EXPECT(rows) expect_rows(rows, sizeof rows / sizeof *rows)

Test(data, of_the_page_itself)
{
    static const row rows[] = {
        {"", ""},
        {"<p>nothing to say", ""},
        {"<html lang=en-GB><p>x", "{\"lang\":\"en-GB\"}"},
        {"<meta name=description content=' '><meta name=description content=second>", ""},
        {"<meta name=DESCRIPTION content=' a \n b '><meta name=description content=second>",
         "{\"description\":\"a b\"}"},
        {"<link rel='nofollow Canonical' href='../x#y'><link rel=canonical href=z>",
         "{\"canonical\":\"https://a.example/x#y\"}"},
        {"<link rel=canonical href='http://[x'>", ""},
        {"<link rel='canonical alternate license' hreflang=de href='&#32;&#10;'><link rel=canonical href=z>",
         "{\"canonical\":\"https://a.example/b/z\"}"},
        {"<a href=/no rel=nofollow>x</a><a rel=license>x</a><a rel='nofollow LICENSE' href=/l?a&amp;b>x</a>"
         "<link rel=license href=/second>",
         "{\"license\":\"https://a.example/l?a&b\"}"},
        {"<link rel='license' href=by><a rel=license href=/second>", "{\"license\":\"https://a.example/b/by\"}"},
        {"<link rel=alternate hreflang=de href=/de><link rel=alternate hreflang=fr>"
         "<link rel=alternate href='' hreflang=it>"
         "<link rel=alternate href=/f type=a>"
         "<link rel='alternate' hreflang=x-default href='http://[x'><link hreflang=nl href=/nl>",
         "{\"hreflang\":[{\"lang\":\"de\",\"url\":\"https://a.example/de\"}]}"},
        {"<h1> A <b>b</b>\n c</h1><h2>no</h2><h1><img alt></h1><h1>\"d\"</h1>", "{\"h1\":[\"A b c\",\"\\\"d\\\"\"]}"},
        {"<meta property=og:title content=T><meta property=og:image content=1><meta name=og:image content=2>"
         "<meta property=twitter:card content=x><meta property=og:url>",
         "{\"opengraph\":{\"og:title\":[\"T\"],\"og:image\":[\"1\",\"2\"]}}"},
        {"<img src=x alt><img src=../y?a=b><img src='data:image/png;base64,AAAA'><img><p alt>x<input type=IMAGE src=z>"
         "<input type=text src=n><input type=image src=o alt=go><template><img src=t></template><img src='http://[x'>",
         "{\"no_alt\":[\"https://a.example/y?a=b\",\"data:image/png;base64\",\"\",\"https://a.example/b/z\",\"\"]}"},
        {"<h1>&nbsp; &nbsp;</h1><h1>&nbsp;a</h1>", "{\"h1\":[\"\u00a0a\"]}"},
        {"<template><h1>not shown</h1></template><h1>shown</h1>", "{\"h1\":[\"shown\"]}"},
    };
    EXPECT(rows);
}

/* HTML standard, 13.2.6.4.7: the attributes of further <html> go to the first; the contents of <template>, SVG or text
 * say nothing about the page. */
Test(data, where_elements_count)
{
    static const row rows[] = {
        {"<p>x<html lang=de><html lang=fr>", "{\"lang\":\"de\"}"},
        {"<html xml:lang=it><html lang=' a&#98; '>", "{\"lang\":\"ab\"}"},
        {"<html xml:lang=it>", "{\"lang\":\"it\"}"},
        {"<template><meta name=description content=a><link rel=canonical href=b><html lang=c><script "
         "type=application/ld+json>1</script><p itemscope></template>",
         ""},
        {"<svg><link rel=canonical href=b /><html lang=c /><script type=application/ld+json>1</script></svg>", ""},
        {"<svg><meta name=description content=a>", "{\"description\":\"a\"}"},
        {"<svg><foreignObject><link rel=canonical href=/b>", "{\"canonical\":\"https://a.example/b\"}"},
        {"<textarea><h1>a</h1></textarea><title><meta name=description content=a></title>", ""},
        {"<image src=/a><svg><image src=b /><input type=image src=c /><img src='/&#100;'>",
         "{\"no_alt\":[\"https://a.example/a\",\"https://a.example/d\"]}"},
        {"<meta NAME=descri&#112;tion CONTENT='a &amp; b'><meta name=og:a property=' OG:b ' content=&lt;>",
         "{\"description\":\"a & b\",\"opengraph\":{\"OG:b\":[\"<\"]}}"},
    };
    EXPECT(rows);
}

/* HTML standard, 13.2.6.4.7, by start and end tags. */
Test(data, where_headings_end)
{
    static const row rows[] = {
        {"<h1>a<h2>b</h2>c", "{\"h1\":[\"a\"]}"},
        {"<h1>a</h3>b", "{\"h1\":[\"a\"]}"},
        {"<h1>a<h1>b", "{\"h1\":[\"a\",\"b\"]}"},
        {"<h1>10<sup>6</sup>5 H<sub>2</sub>O 2<sup>&minus;3</sup>", "{\"h1\":[\"10 6 5 H2O 2 \xe2\x88\x92"
                                                                    "3\"]}"},
        {"<h1>a<p>b<h1>c", "{\"h1\":[\"a b\",\"c\"]}"},
        {"<h1>a <div>b<h1>c</h1></div> d</h1>", "{\"h1\":[\"a b c d\",\"c\"]}"},
        {"<h1>a<p>b<div>c<h1>d", "{\"h1\":[\"a b c d\",\"d\"]}"},
        {"<h1><span>a<h2>b</h2></span>c</h1>", "{\"h1\":[\"a b c\"]}"},
        {"<div><h1>a</div>b", "{\"h1\":[\"a\"]}"},
        {"<div><h1>a<div>b</div>c</div>d", "{\"h1\":[\"a b c\"]}"},
        {"<td><h1>a<td>b", "{\"h1\":[\"a\"]}"},
        {"<h1>a<table><tr><td>b</div></h1><td>c</table>d</h1>e", "{\"h1\":[\"a b c d\"]}"},
        {"<a><h1>a</a>b</span></p>c</body>d</h1>e", "{\"h1\":[\"ab cd\"]}"},
        {"<h1><b>a<div>b</b>c</div>d</h1>e", "{\"h1\":[\"a bc d\"]}"},
        {"<h1>a<svg><g/><title>b</title><style>c</style></svg><br/>d</h1>e", "{\"h1\":[\"ab d\"]}"},
        {"<h1>a<svg><h1>b</h1>", "{\"h1\":[\"a\",\"b\"]}"},
        {"<h1>a<script>b</script><template>c<h1>d</h1></template></template>e<!--f-->&amp;&nbsp;</h1>",
         "{\"h1\":[\"ae&\302\240\"]}"},
        {"<h1/>a</h1>b", "{\"h1\":[\"a\"]}"},
    };
    EXPECT(rows);
}

/* The tree is another page's, which shows where it is used. */
Test(data, the_tree_is_built_for_items_alone)
{
    static const row rows[] = {
        {"<h1>a</h1>", "{\"h1\":[\"a\"]}"},
        {"<meta property=og:a content=b>", "{\"opengraph\":{\"og:a\":[\"b\"]}}"},
        {"<i itemprop=a property=b resource=c>", ""},
        {"<i ITEMSCOPE>", "{\"microdata\":[{\"properties\":{}}]}"},
        {"<i typeof>", "{\"microdata\":[{\"properties\":{}}]}"},
        {"<i resource=a>", "{\"microdata\":[{\"properties\":{}}]}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_slice json = {0};
        cr_assert_eq(crawl_page_parse(parsed, crawl_slice_from(rows[i].html), base, NULL), CRAWL_OK);
        crawl_tree_set(tree, crawl_slice_from("<p itemscope>"), NULL);
        cr_assert_eq(crawl_data_read(data, parsed, tree, &json), CRAWL_OK);
        cr_expect_str_eq(json.size ? json.data : "", rows[i].json, "%s", rows[i].html);
    }
}

#define LD "<script type='application/ld+json'>"

/* XML 1.0, 2.7 and 4.4: any element may be closed where it begins; in a CDATA section nothing is markup, and outside of
 * it references count in each element. */
Test(data, xhtml)
{
    static const row rows[] = {
        {"<html xml:lang='de'><h1/><p>a</p><script type='application/ld+json'/><h1>b<span/>c</h1></html>",
         "{\"lang\":\"de\",\"h1\":[\"bc\"],\"json_ld_broken\":1}"},
        {"<h1>a<![CDATA[ <b>&amp;</b> ]]>c &amp; d</h1>", "{\"h1\":[\"a <b>&amp;</b> c & d\"]}"},
        {"<h1><![CDATA[a</h1>]]></h1><![CDATA[<h1>b</h1>]]><p><![CDATA[c]]></p>", "{\"h1\":[\"a</h1>\"]}"},
        {"<h1>a<script><![CDATA[b]]></script><svg><style><![CDATA[c]]></style></svg></h1>", "{\"h1\":[\"a\"]}"},
        {LD "<![CDATA[{\"a\": \"b &amp; <c>\"}]]></script>", "{\"json_ld\":[{\"a\":\"b &amp; <c>\"}]}"},
        {LD "\n<![CDATA[\n[1,]]>2]\n</script>" LD "[&quot;&lt;&quot;]</script>", "{\"json_ld\":[[1,2],[\"<\"]]}"},
        {LD "//<![CDATA[\n{}\n//]]></script>", "{\"json_ld\":[{}]}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const crawl_slice html = crawl_slice_from(rows[i].html);
        crawl_slice json = {0};
        cr_assert_eq(crawl_page_parse_as(parsed, CRAWL_DOCUMENT_XHTML, html, base, NULL), CRAWL_OK);
        crawl_tree_set(tree, html, NULL);
        cr_assert_eq(crawl_data_read(data, parsed, tree, &json), CRAWL_OK);
        cr_expect_str_eq(json.size ? json.data : "", rows[i].json, "%s", rows[i].html);
    }
}

Test(data, a_long_section_of_a_heading_is_cut)
{
    crawl_buf html = {0};
    crawl_slice json = {0};
    cr_assert_eq(crawl_buf_append_text(&html, "<h1>a<![CDATA["), CRAWL_OK);
    for (unsigned i = 0; i < CRAWL_DATA_MAX_VALUE / 2; i++)
        cr_assert_eq(crawl_buf_append_text(&html, "\303\244"), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&html, "]]><![CDATA[b]]></h1>"), CRAWL_OK);
    cr_assert_eq(crawl_page_parse_as(parsed, CRAWL_DOCUMENT_XHTML, crawl_buf_slice(&html), base, NULL), CRAWL_OK);
    cr_assert_eq(crawl_data_read(data, parsed, tree, &json), CRAWL_OK);
    const char *end = strstr(json.data, "\"],\"cut\":true}");
    cr_assert_not_null(end);
    cr_expect_eq(strncmp(end - 2, "\303\244", 2), 0, "a character is whole");
    crawl_buf_free(&html);
}

Test(data, of_a_page_that_was_parsed_without_it)
{
    crawl_slice json = {0};
    crawl_page_set_data(parsed, false);
    cr_expect_str_empty(read_of(crawl_slice_from("<html lang=de><h1>a</h1><p itemscope>")));
    crawl_page_set_data(parsed, true);
    cr_expect_str_eq(read_of(crawl_slice_from("<h1>a</h1>")), "{\"h1\":[\"a\"]}");
    cr_assert_eq(crawl_page_parse_as(parsed, CRAWL_DOCUMENT_FEED, crawl_slice_from("<rss>"), base, NULL), CRAWL_OK);
    cr_assert_eq(crawl_data_read(data, parsed, tree, &json), CRAWL_OK);
    cr_expect_eq(json.size, 0, "nothing of the page before");
}

Test(data, translations_of_headers)
{
    crawl_slice json;
    crawl_slice html = crawl_slice_from("<link rel=alternate hreflang=de href=/de>");
    cr_assert_eq(crawl_page_parse(parsed, html, base, NULL), CRAWL_OK);
    cr_assert_eq(crawl_data_add_translation(parsed, crawl_slice_from(" fr"), crawl_slice_from("https://f.example/")),
                 CRAWL_OK);
    cr_assert_eq(crawl_data_add_translation(parsed, crawl_slice_from("\xff"), crawl_slice_from("https://b.example/")),
                 CRAWL_OK);
    cr_assert_eq(crawl_data_read(data, parsed, tree, &json), CRAWL_OK);
    cr_expect_str_eq(json.data, "{\"hreflang\":[{\"lang\":\"de\",\"url\":\"https://a.example/de\"},"
                                "{\"lang\":\"fr\",\"url\":\"https://f.example/\"}]}");
}

Test(data, scripts_of_json)
{
    static const row rows[] = {
        {"<script type='application/ld+json'>\n{ \"a\" : [ 1, \"</b>&amp;\" ] }\n</script>",
         "{\"json_ld\":[{\"a\":[1,\"</b>&amp;\"]}]}"},
        {"<script type='APPLICATION/LD+JSON; x=y'>1</script><script>2</script><script type=application/ld+json>[]"
         "</script>",
         "{\"json_ld\":[[]],\"json_ld_broken\":1}"},
        {"<script type=application/ld+json><!--<script>\"</script>\"--></script><script type=application/ld+json>[2]"
         "</script>",
         "{\"json_ld\":[[2]],\"json_ld_broken\":1}"},
        {"<script type=application/ld+json>{\"a\":1,}</script><script type=application/ld+json></script>",
         "{\"json_ld_broken\":2}"},
        /* Hidden from browsers without scripts. */
        {LD "<!--\n{\"a\":\"-->\"}\n//--></script>" LD "/* <![CDATA[ */ [1] /* ]]> */</script>",
         "{\"json_ld\":[{\"a\":\"-->\"},[1]]}"},
        {LD "// <![CDATA[\n[[2]]\n// ]]></script>" LD "<!-- x --></script>" LD "//</script>" LD "/*</script>",
         "{\"json_ld\":[[[2]]],\"json_ld_broken\":3}"},
    };
    EXPECT(rows);
}

/* schema.org/isAccessibleForFree, of the page and of its parts, not of others that it lists. */
Test(data, paywalls)
{
    static const struct {
        const char *json;
        bool is_paywalled;
    } cases[] = {
        {"{\"isAccessibleForFree\":false}", true},
        {"{\"isAccessibleForFree\":\"False\"}", true},
        {"{\"isAccessibleForFree\":\"https://schema.org/False\"}", true},
        {"[{},{\"isAccessibleForFree\":false}]", true},
        {"{\"@graph\":[{\"a\":1},{\"isAccessibleForFree\":false}]}", true},
        {"{\"hasPart\":{\"isAccessibleForFree\":false,\"cssSelector\":\".x\"}}", true},
        {"{\"hasPart\":[{\"isAccessibleForFree\":\"true\"},{\"isAccessibleForFree\":\"false\"}]}", true},
        {"{\"isAccessibleForFree\":true}", false},
        {"{\"isAccessibleForFree\":\"True\"}", false},
        {"{\"name\":\"isAccessibleForFree: false\"}", false},
        {"{\"itemListElement\":[{\"isAccessibleForFree\":false}]}", false},
        {"{\"isAccessibleForFree\":null}", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char html[512], json[512];
        snprintf(html, sizeof html, LD "%s</script>", cases[i].json);
        snprintf(json, sizeof json, "{%s\"json_ld\":[%s]}", cases[i].is_paywalled ? "\"paywalled\":true," : "",
                 cases[i].json);
        const row rows[] = {{html, json}};
        EXPECT(rows);
    }
}

/* HTML standard, 5.2.4 "Values" and 5.2.5.2 "Converting HTML to other formats: JSON". */
Test(data, values_of_microdata)
{
    static const row rows[] = {
        {"<p itemscope><b itemprop=a content=12.50>12,50 EUR</b><a itemprop=b href=c content=d></a></p>",
         "{\"microdata\":[{\"properties\":{\"a\":[\"12.50\"],\"b\":[\"d\"]}}]}"},
        {"<div itemscope><meta itemprop=a content=' x '><meta itemprop=a></div>",
         "{\"microdata\":[{\"properties\":{\"a\":[\" x \",\"\"]}}]}"},
        {"<div itemscope><img alt itemprop=i src=p><video itemprop=i src=q></video><a itemprop=i href=r>t</a>"
         "<link itemprop=i href=s><object itemprop=i data=t></object><iframe itemprop=i src=u></iframe>"
         "<a itemprop=i>t</a><img alt itemprop=i src='http://['></div>",
         "{\"microdata\":[{\"properties\":{\"i\":[\"https://a.example/b/p\",\"https://a.example/b/q\","
         "\"https://a.example/b/r\",\"https://a.example/b/s\",\"https://a.example/b/t\",\"https://a.example/b/u\",\"\","
         "\"\"]}}]}"},
        {"<div itemscope><data itemprop=d value=1>one</data><meter itemprop=d value=2>two</meter>"
         "<time itemprop=d datetime=2024-05-06>6</time><time itemprop=d>7 May</time><b itemprop=d> x\n y </b></div>",
         "{\"microdata\":[{\"properties\":{\"d\":[\"1\",\"2\",\"2024-05-06\",\"7 May\",\"x y\"]}}]}"},
        {"<div itemscope><h2 itemprop=a>a<br>b</h2><div itemprop=a><p>c</p><p>d<i>e</i></p><script>s</script></div>"
         "</div>",
         "{\"microdata\":[{\"properties\":{\"a\":[\"a b\",\"c de\"]}}]}"},
    };
    EXPECT(rows);
}

/* HTML standard, 5.2.2 "Items", 5.2.3 "Names: the itemprop attribute", 5.2.5.1 "Associating names with items". */
Test(data, items_of_microdata)
{
    static const row rows[] = {
        {"<div itemscope></div>", "{\"microdata\":[{\"properties\":{}}]}"},
        {"<div itemprop=a>no item around it</div>", ""},
        {"<div itemscope><b itemprop=a>Levi&#146;s &check; A&ampB</b><meta itemprop=b content='&#150;&amp;lt;'></div>",
         "{\"microdata\":[{\"properties\":{\"a\":[\"Levi\u2019s \u2713 A&B\"],\"b\":[\"\u2013&lt;\"]}}]}"},
        {"<div itemscope itemid=urn:a></div>", "{\"microdata\":[{\"properties\":{}}]}"},
        {"<div itemscope itemtype='http://t/a http://t/b' itemid=x></div>",
         "{\"microdata\":[{\"type\":[\"http://t/a\",\"http://t/b\"],\"id\":\"https://a.example/b/x\",\"properties\":{}}"
         "]}"},
        /* Names separated by spaces, with a value for each; the same name twice. */
        {"<div itemscope><p itemprop='a b a A'>1</p></div>",
         "{\"microdata\":[{\"properties\":{\"a\":[\"1\"],\"b\":[\"1\"],\"A\":[\"1\"]}}]}"},
        {"<div itemscope><p itemprop='b a'>1</p><p itemprop=a>2</p></div>",
         "{\"microdata\":[{\"properties\":{\"b\":[\"1\"],\"a\":[\"1\",\"2\"]}}]}"},
        /* A nested item that is no property is separate, and its properties are its own. */
        {"<div itemscope><div itemscope><p itemprop=a>1</p></div><p itemprop=b>2</p></div>",
         "{\"microdata\":[{\"properties\":{\"b\":[\"2\"]}},{\"properties\":{\"a\":[\"1\"]}}]}"},
        {"<div itemscope><div itemprop=x itemscope itemtype=t><p itemprop=a>1</p></div></div>",
         "{\"microdata\":[{\"properties\":{\"x\":[{\"type\":[\"t\"],\"properties\":{\"a\":[\"1\"]}}]}}]}"},
        /* Referenced elements: in the order of the document, each once, the first of an identifier. */
        {"<p id=q itemprop=a>0</p><div itemscope itemref='z q q none'><p itemprop=a>1</p></div><p id=z><b itemprop=a>2"
         "</b></p><p id=z itemprop=a>3</p>",
         "{\"microdata\":[{\"properties\":{\"a\":[\"0\",\"1\",\"2\"]}}]}"},
        /* An item that references itself, which is no property of its own; and two that reference each other. */
        {"<div itemscope itemref=a><div id=a itemprop=p itemscope itemref=a></div></div>",
         "{\"microdata\":[{\"properties\":{\"p\":[{\"properties\":{}}]}}]}"},
        {"<div itemscope itemref=a></div><div id=a itemprop=p itemscope itemref=b></div>"
         "<div id=b itemprop=q itemscope itemref=a></div>",
         "{\"microdata\":[{\"properties\":{\"p\":[{\"properties\":{\"q\":[{\"properties\":{\"p\":[\"ERROR\"]}}]}}]}}]}"},
    };
    EXPECT(rows);
}

/* Names and declared prefixes take steps as elements do: comparing each with each would take minutes. */
Test(data, of_an_element_with_very_many_names, .timeout = 60)
{
    static const char *const attributes[] = {"<p itemscope><b itemprop='", "<p typeof=t><b property='",
                                             "<p typeof=t vocab='v:'><b property='", "<p prefix='"};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        crawl_buf html = {0};
        cr_assert_eq(crawl_buf_append_text(&html, attributes[i]), CRAWL_OK);
        for (unsigned name = 0; name < 150000; name++)
            cr_assert_eq(crawl_buf_printf(&html, i < 3 ? "%x " : "%x: v: ", name), CRAWL_OK);
        for (unsigned name = 0; name < 150000 && i >= 3; name++)
            cr_assert_eq(crawl_buf_printf(&html, name ? "z:%x " : "' typeof=t><b property='%x ", name), CRAWL_OK);
        cr_assert_eq(crawl_buf_append_text(&html, "'>1</b>"), CRAWL_OK);
        const char *json = read_of(crawl_buf_slice(&html));
        cr_expect_eq(strstr(json, "\"cut\":true") != NULL, i != 1, "%zu: %.200s", i, json);
        crawl_buf_free(&html);
    }
}

/* Attributes take steps too: a property searches those of all elements around it. */
Test(data, inside_elements_with_very_many_attributes, .timeout = 60)
{
    crawl_buf html = {0};
    for (unsigned i = 0; i < 240; i++) {
        cr_assert_eq(crawl_buf_append_text(&html, "<div"), CRAWL_OK);
        for (unsigned name = 0; name < 1000; name++)
            cr_assert_eq(crawl_buf_printf(&html, " a%u", name), CRAWL_OK);
        cr_assert_eq(crawl_buf_append_text(&html, ">"), CRAWL_OK);
    }
    cr_assert_eq(crawl_buf_append_text(&html, "<p typeof=t>"), CRAWL_OK);
    for (unsigned i = 0; i < 8000; i++)
        cr_assert_eq(crawl_buf_append_text(&html, "<b property=x></b>"), CRAWL_OK);
    const char *json = read_of(crawl_buf_slice(&html));
    cr_expect_not_null(strstr(json, "\"cut\":true"), "%.200s", json);
    crawl_buf_free(&html);
}

/* RDFa Lite 1.1, 2.1 to 2.5, and RDFa Core 1.1, 7.4 (CURIEs) and 7.5 (values). */
Test(data, rdfa_lite)
{
    static const row rows[] = {
        {"<p vocab='http://s/' typeof=Person><i property=name>Ann</i> <a property=url href=x>t</a></p>",
         "{\"rdfa\":[{\"type\":[\"http://s/Person\"],\"properties\":{\"http://s/name\":[\"Ann\"],"
         "\"http://s/url\":[\"https://a.example/b/x\"]}}]}"},
        {"<p vocab='http://s/' resource='#me' typeof=P><i property=k typeof=Q><b property=n>1</b></i></p>",
         "{\"rdfa\":[{\"type\":[\"http://s/P\"],\"id\":\"https://a.example/b/c#me\",\"properties\":{\"http://s/k\":["
         "{\"type\":[\"http://s/Q\"],\"properties\":{\"http://s/n\":[\"1\"]}}]}}]}"},
        {"<p prefix='ov: http://o/ x: http://x/' typeof=ov:A><i property='ov:a X:b foaf:c http://d/e none'>1</i></p>",
         "{\"rdfa\":[{\"type\":[\"http://o/A\"],\"properties\":{\"http://o/a\":[\"1\"],\"http://x/b\":[\"1\"],"
         "\"http://xmlns.com/foaf/0.1/c\":[\"1\"],\"http://d/e\":[\"1\"]}}]}"},
        {"<div vocab='http://s/'><p typeof=P><i vocab='http://t/' property=a content=' c '>x</i>"
         "<time property=b datetime=2024>y</time><i property=d resource=_:n>z</i><img alt property=e src=i></p></div>",
         "{\"rdfa\":[{\"type\":[\"http://s/P\"],\"properties\":{\"http://t/a\":[\" c \"],\"http://s/b\":[\"2024\"],"
         "\"http://s/d\":[\"_:n\"],\"http://s/e\":[\"https://a.example/b/i\"]}}]}"},
        /* A nested item that is no property; a resource without a type; statements about the page are left out. */
        {"<div vocab='http://s/'><i property=a>page</i><p typeof=P><q resource=r><b property=n>1</b></q></p></div>",
         "{\"rdfa\":[{\"type\":[\"http://s/P\"],\"properties\":{}},{\"id\":\"https://a.example/b/r\",\"properties\":{"
         "\"http://s/n\":[\"1\"]}}]}"},
        {"<div vocab='http://s/' typeof=P><ul property=a><li>1<li>2</ul></div>",
         "{\"rdfa\":[{\"type\":[\"http://s/P\"],\"properties\":{\"http://s/a\":[\"1 2\"]}}]}"},
        {"<p vocab='' typeof=P><i property=a>1</i></p>", "{\"rdfa\":[{\"properties\":{}}]}"},
    };
    EXPECT(rows);
}

/* --- limits --- */

static crawl_slice repeat(crawl_buf *out, const char *text, size_t size)
{
    crawl_buf_clear(out);
    while (out->size < size)
        cr_assert_eq(crawl_buf_append_text(out, text), CRAWL_OK);
    return crawl_buf_slice(out);
}

Test(data, pages_made_to_exhaust_are_bounded)
{
    static const char *const parts[] = {
        "<h1>a heading",
        "<h1><div>a heading",
        "<h1>a</h1>",
        "<h1><b></i>",
        "<html lang=a xml:lang=b>",
        "<meta property=og:a content=b>",
        "<div itemscope itemprop=a>x",
        "<div itemprop=a>x",
        "<div itemscope itemref='a b'><p id=a itemprop=x itemscope itemref=b><p id=b itemprop=y itemscope itemref=a>",
        "<div typeof=a property=b prefix='a: b c: d'>",
        "<i property=a:b>",
        "<script type=application/ld+json>[[[[[[1,2,\"a\"]]]]]]</script>",
        "<link rel=alternate hreflang=a href=b>",
    };
    crawl_buf page = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *json = read_of(repeat(&page, parts[i], 100000));
        cr_expect_leq(strlen(json), 2 * CRAWL_DATA_MAX_BYTES, "%s", parts[i]);
    }
    crawl_buf_free(&page);
}

Test(data, what_is_beyond_is_left_out_and_said)
{
    crawl_buf page = {0};
    const char *json = read_of(repeat(&page, "<h1>a heading of a long page</h1>", 400000));
    cr_expect_leq(strlen(json), CRAWL_DATA_MAX_BYTES + 100);
    cr_expect_geq(strlen(json), CRAWL_DATA_MAX_BYTES - 100);
    cr_expect_not_null(strstr(json, "long page\"],\"cut\":true}"));
    crawl_buf script = {0};
    repeat(&script, "<script type=application/ld+json>[", 1);
    for (size_t i = 0; i < 40000; i++)
        cr_assert_eq(crawl_buf_append_text(&script, "\"value\",\n"), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&script, "1]</script><h1>h</h1>"), CRAWL_OK);
    cr_expect_str_eq(read_of(crawl_buf_slice(&script)), "{\"h1\":[\"h\"],\"cut\":true}");
    cr_expect_str_eq(read_of(crawl_slice_from("<h1>h</h1>")), "{\"h1\":[\"h\"]}", "nothing of the page before");
    crawl_buf_free(&script);
    crawl_buf_free(&page);
}

/* Whatever the size of the page, an item loses the values at its end, never all of them. */
Test(data, an_item_that_is_too_long_is_cut)
{
    crawl_buf html = {0};
    for (size_t less = 0; less < 200; less++) {
        repeat(&html, "<div itemscope><i itemprop=a itemscope>", 1);
        for (unsigned i = 0; i < 16; i++) {
            size_t size = CRAWL_DATA_MAX_VALUE - (i ? 0 : less);
            cr_assert_eq(crawl_buf_append_text(&html, "<b itemprop=b>"), CRAWL_OK);
            cr_assert_eq(crawl_buf_reserve(&html, size), CRAWL_OK);
            memset(html.data + html.size, 'v', size);
            html.size += size;
            cr_assert_eq(crawl_buf_append_text(&html, "</b>"), CRAWL_OK);
        }
        const char *json = read_of(crawl_buf_slice(&html));
        cr_expect_not_null(strstr(json, "{\"a\":[{\"properties\":{\"b\":[\"vvv"), "%zu: %.200s", less, json);
    }
    crawl_buf_free(&html);
}

/* Each property has the name of its vocabulary. */
Test(data, names_are_bounded)
{
    crawl_buf vocab = {0}, properties = {0}, html = {0};
    repeat(&vocab, "v", 16000);
    repeat(&properties, "<b property=a>x</b>", 19 * 5000);
    cr_assert_eq(crawl_buf_printf(&html, "<div vocab=%s><i typeof=b>%s", vocab.data, properties.data), CRAWL_OK);
    cr_expect_not_null(strstr(read_of(crawl_buf_slice(&html)), ",\"cut\":true}"));
    crawl_buf_free(&vocab);
    crawl_buf_free(&properties);
    crawl_buf_free(&html);
}

Test(data, items_that_are_too_deep_are_null)
{
    crawl_buf page = {0};
    crawl_buf html = {0};
    repeat(&page, "<i itemprop=a itemscope>", 24 * (CRAWL_DATA_MAX_DEPTH + 3));
    cr_assert_eq(crawl_buf_printf(&html, "<div itemscope>%s", page.data), CRAWL_OK);
    const char *json = read_of(crawl_buf_slice(&html));
    cr_expect_not_null(strstr(json, "{\"a\":[null]}"), "%s", json);
    cr_expect_not_null(strstr(json, ",\"cut\":true}"));
    crawl_buf_free(&html);
    crawl_buf_free(&page);
}
