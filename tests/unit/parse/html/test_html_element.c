/* parse/html/html_element.c: rows are found by name, and the quick look that skips most tags skips none of them. */
#include "parse/html/html_element.h"

#include <criterion/criterion.h>

static bool is_passed(const char *name)
{
    size_t size = strlen(name);
    return cw_html_passed_sizes[(unsigned char)*name] >> (size < CW_HTML_SIZE_UNKNOWN ? size : CW_HTML_SIZE_UNKNOWN) &
           1;
}

Test(element, by_name)
{
    static const char *const names[] = {
        "a",      "area",   "audio", "base", "body",     "embed",    "form",     "frame",    "iframe", "image",
        "img",    "input",  "link",  "math", "meta",     "noembed",  "noframes", "noscript", "object", "plaintext",
        "script", "source", "style", "svg",  "template", "textarea", "title",    "track",    "video",  "xmp",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        crawl_slice name = crawl_slice_from(names[i]);
        const cw_html_element *element = cw_html_element_named(name, false);
        cr_assert(element, "%s", names[i]);
        cr_expect_str_eq(element->name, names[i]);
        cr_expect_eq(element->size, name.size);
        cr_expect_not(is_passed(names[i]), "%s", names[i]);
        cr_expect_eq(cw_html_element_named(name, true), element);
    }
    cr_expect_not(is_passed("A"));
    cr_expect_not(is_passed("IFrame"));
    cr_expect_str_eq(cw_html_element_named(crawl_slice_from("IFrame"), false)->name, "iframe");
}

Test(element, inside_foreign_content_only)
{
    static const char *const names[] = {
        "annotation-xml", "foreignObject", "desc", "font", "head", "mi", "mtext", "p", "var", "h6"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cr_expect_null(cw_html_element_named(crawl_slice_from(names[i]), false), "%s", names[i]);
        cr_expect(cw_html_element_named(crawl_slice_from(names[i]), true), "%s", names[i]);
    }
}

Test(element, others)
{
    static const char *const names[] = {"",        "ab",      "as",     "h7", "x-a",
                                        "scripts", "iframes", "a:href", "{",  "svg\xc3\xa9"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_expect_null(cw_html_element_named(crawl_slice_from(names[i]), true), "%s", names[i]);
    static const char *const passed[] = {"div", "DIV", "p", "h1", "td", "blockquote", "/a", "/annotation-xml-and-more"};
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        cr_expect(is_passed(passed[i]), "%s", passed[i]);
    static const char *const looked_at[] = {"annotation-xml-and-more", "!--", "?xml", " a", "\xc3\xa9"};
    for (size_t i = 0; i < sizeof looked_at / sizeof looked_at[0]; i++)
        cr_expect_not(is_passed(looked_at[i]), "%s", looked_at[i]);
}

Test(element, attributes_among_those_wanted)
{
    cr_expect_eq(cw_html_attribute_named(crawl_slice_from("HREF"), CW_AT_HREF | CW_AT_REL), CW_AT_HREF);
    cr_expect_eq(cw_html_attribute_named(crawl_slice_from("http-equiv"), CW_AT_HTTP_EQUIV | CW_AT_BACKGROUND),
                 CW_AT_HTTP_EQUIV);
    cr_expect_eq(cw_html_attribute_named(crawl_slice_from("href"), CW_AT_REL), 0);
    cr_expect_eq(cw_html_attribute_named(crawl_slice_from("hre"), CW_AT_HREF), 0);
    cr_expect_eq(cw_html_attribute_named((crawl_slice){0}, CW_AT_HREF), 0);
    for (unsigned i = 0; i < CW_AT_COUNT; i++)
        cr_expect_eq(cw_html_attribute_named(cw_html_attribute_names[i], ~0u), 1u << i, "%s",
                     cw_html_attribute_names[i].data);
}
