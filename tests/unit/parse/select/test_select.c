/* CSS selectors as XPath, evaluated by libxml2 on a small page: the matched elements, by their ids; and messages for
 * invalid selectors. */
#include <crawl/extract.h>

#include <criterion/criterion.h>
#include <libxml/HTMLparser.h>
#include <libxml/xpath.h>
#include <stdlib.h>

static const char page[] =
    "<html lang=en id=h><body id=b><div id=d1 class='x y'><p id=p1 class=x>one</p><p id=p2 title='A b'>two <b id=b1>it</b>"
    "</p><ul id=u><li id=l1 class=x>1</li><li id=l2>2</li><li id=l3 class=x>3</li></ul></div><div id=d2 lang=de-CH><p id=p3>"
    "</p><a id=a1 href=z>z</a><a id=a2>no</a></div></body></html>";

static const struct row {
    const char *css;
    const char *ids; /* separated by spaces; a text node is its content */
} rows[] = {
    {"p", "p1 p2 p3"},
    {"P", "p1 p2 p3"},
    {"*#p1, #p3", "p1 p3"},
    {".x", "d1 p1 l1 l3"},
    {"p.x", "p1"},
    {".x.y", "d1"},
    {"div > p", "p1 p2 p3"},
    {"body p", "p1 p2 p3"},
    {"p + p", "p2"},
    {"p ~ ul li", "l1 l2 l3"},
    {"div div", ""},
    {"html > body > div p b", "b1"},
    {"[title]", "p2"},
    {"[title='A b']", "p2"},
    {"[title='a b']", ""},
    {"[title='a b' i]", "p2"},
    {"[title~=b]", "p2"},
    {"[title~='A b']", ""},
    {"[title^=A]", "p2"},
    {"[title$=' b']", "p2"},
    {"[title*=' ']", "p2"},
    {"[title*='']", ""},
    {"[lang|=de]", "d2"},
    {"[lang|=d]", ""},
    {"p:lang(de)", "p3"},
    {"p:empty", "p3"},
    {":root", "h"},
    {"a:link", "a1"},
    {"li:first-child", "l1"},
    {"li:last-child", "l3"},
    {"b:only-child", "b1"},
    {"li:nth-child(2)", "l2"},
    {"li:nth-child(odd)", "l1 l3"},
    {"li:nth-child(-n+2)", "l1 l2"},
    {"li:nth-child( 2n + 1 )", "l1 l3"},
    {"li:nth-child(2 of .x)", "l3"},
    {"li:nth-last-child(1)", "l3"},
    {"a:nth-of-type(2)", "a2"},
    {"a:last-of-type", "a2"},
    {"ul:only-of-type", "u"},
    {"li:not(.x)", "l2"},
    {"p:not(.x, :empty)", "p2"},
    {"p:not(div > .x)", "p2 p3"},
    {":is(p, li).x", "p1 l1 l3"},
    {"div:has(> a)", "d2"},
    {"p:has(+ ul)", "p2"},
    {"div:has(ul .x)", "d1"},
    {"p:contains('it')", "p2"},
    {"a:hover", ""},
    {":scope > body > div:last-child", "d2"},
    {"> body > div", "d1 d2"},
    {"p#p2::text", "two "},
    {"p#p2 ::text", "two  it"},
    {"a::attr(href)", "z"},
    {"li/**/.x", "l1 l3"},
    {"#\\6c 1", "l1"},
    {"#l\\31", "l1"},
    {"#\\6c\r\n\\31", "l1"},
    {":is(li, a):not([id$='2']):not(:first-child)", "l3 a1"},
};

static void append_node(crawl_buf *found, const xmlNode *node)
{
    xmlChar *id = node->type == XML_ELEMENT_NODE ? xmlGetProp((xmlNode *)node, BAD_CAST "id")
                                                 : xmlNodeGetContent((xmlNode *)node);
    crawl_buf_printf(found, "%s%s", found->size ? " " : "", (const char *)id);
    xmlFree(id);
}

static void find(xmlDoc *document, const char *xpath, crawl_buf *found)
{
    xmlXPathContext *context = xmlXPathNewContext(document);
    context->node = xmlDocGetRootElement(document);
    xmlXPathObject *result = xmlXPathEvalExpression(BAD_CAST xpath, context);
    cr_assert(result, "%s", xpath);
    for (int i = 0; result->nodesetval && i < result->nodesetval->nodeNr; i++)
        append_node(found, result->nodesetval->nodeTab[i]);
    xmlXPathFreeObject(result);
    xmlXPathFreeContext(context);
}

Test(select, matches)
{
    xmlDoc *document = htmlReadMemory(page, sizeof page - 1, NULL, "utf-8", HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf xpath = {0};
        crawl_buf found = {0};
        crawl_error error = {0};
        cr_expect_eq(crawl_buf_append(&found, "", 0), CRAWL_OK);
        crawl_err err = crawl_select_xpath(crawl_slice_from(rows[i].css), &xpath, &error);
        cr_assert_eq(err, CRAWL_OK, "%s: %s", rows[i].css, error.message);
        find(document, xpath.data, &found);
        cr_expect_str_eq(found.data ? found.data : "", rows[i].ids, "%s: %s", rows[i].css, xpath.data);
        crawl_buf_free(&xpath);
        crawl_buf_free(&found);
    }
    xmlFreeDoc(document);
    xmlCleanupParser();
}

static const struct fault {
    const char *css;
    unsigned column;
    const char *words;
} faults[] = {
    {"", 1, "ends where an element"},
    {"a >", 4, "ends where an element"},
    {"a,,b", 3, "expected a selector"},
    {"a b)", 4, "expected a combinator"},
    {"svg|a", 4, "namespaces"},
    {"a[", 3, "the name of an attribute"},
    {"a[b=]", 5, "expected a value"},
    {"a[b='c]", 5, "no closing"},
    {"a[b='c\fd']", 7, "another line"},
    {"a[b='c\rd']", 7, "another line"},
    {"a[b='c' x]", 9, "expected \"]\""},
    {"a:frob", 2, "unknown pseudo-class"},
    {"a::before", 2, "unknown pseudo-element"},
    {"*:first-of-type", 16, "needs the element's name"},
    {"a:nth-child(-)", 14, "expected even, odd"},
    {":not(a", 7, "expected \")\""},
    {"a::text > b", 11, "nothing may follow"},
    {"a:is(:scope)", 6, ":scope may only begin"},
    {"a\x01", 2, "no page can contain"},
    {"a\xff", 2, "not UTF-8"},
};

Test(select, says_where_the_fault_is)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        crawl_buf xpath = {0};
        crawl_error error = {0};
        crawl_err err = crawl_select_xpath(crawl_slice_from(faults[i].css), &xpath, &error);
        cr_expect_eq(err, CRAWL_EPARSE, "%s", faults[i].css);
        cr_expect_eq(error.column, faults[i].column, "%s: %s", faults[i].css, error.message);
        cr_expect(strstr(error.message, faults[i].words), "%s: %s", faults[i].css, error.message);
        cr_expect_eq(xpath.size, 0);
        crawl_buf_free(&xpath);
    }
}

/* Translates "a" with before and behind around it, `times` times. */
static crawl_err translate_nested(const char *before, const char *behind, int times, crawl_error *error)
{
    crawl_buf css = {0};
    crawl_buf xpath = {0};
    for (int i = 0; i < times; i++)
        crawl_buf_append_text(&css, before);
    crawl_buf_append_text(&css, "a");
    for (int i = 0; i < times; i++)
        crawl_buf_append_text(&css, behind);
    crawl_err err = crawl_select_xpath(crawl_buf_slice(&css), &xpath, error);
    crawl_buf_free(&css);
    crawl_buf_free(&xpath);
    return err;
}

Test(select, has_limits)
{
    crawl_error error = {0};
    cr_expect_eq(translate_nested(":not(", ")", 16, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(translate_nested(":not(", ")", 17, &error), CRAWL_EPARSE);
    cr_expect(strstr(error.message, "16 nested selectors"), "%s", error.message);
    cr_expect_eq(translate_nested(":nth-child(3n+2 of ", ")", 3, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(translate_nested(":nth-child(3n+2 of ", ")", 14, &error), CRAWL_EPARSE);
    cr_expect(strstr(error.message, "is too complex"), "%s", error.message);
    cr_expect_eq(translate_nested("p ", "", 3000, &error), CRAWL_EPARSE);
    cr_expect(strstr(error.message, "longer than 4096"), "%s", error.message);
}
