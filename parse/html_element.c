/* See html_element.h. */
#include "parse/html_element.h"

#include "base/bytes.h"

const crawl_slice cw_html_attribute_names[CW_AT_COUNT] = {{"href", 4}, {"src", 3},     {"rel", 3},
                                                          {"name", 4}, {"content", 7}, {"http-equiv", 10}};

enum { OUT = CW_EL_LEAVES_FOREIGN, LINK = CW_AT_HREF | CW_AT_REL, META = CW_AT_NAME | CW_AT_CONTENT | CW_AT_HTTP_EQUIV };

/* Sorted by name. The ones with OUT alone are the standard's list for "parsing tokens in foreign content". */
static const cw_html_element elements[] = {
    {"a", 1, CW_EL_WANTED, LINK, CW_ID_A},
    {"annotation-xml", 14, 0, 0, CW_ID_ANNOTATION_XML},
    {"area", 4, CW_EL_WANTED, LINK, 0},
    {"b", 1, OUT, 0, 0},
    {"base", 4, CW_EL_WANTED | CW_EL_METADATA, CW_AT_HREF, CW_ID_BASE},
    {"big", 3, OUT, 0, 0},
    {"blockquote", 10, OUT, 0, 0},
    {"body", 4, OUT, 0, CW_ID_DOCUMENT},
    {"br", 2, OUT, 0, 0},
    {"center", 6, OUT, 0, 0},
    {"code", 4, OUT, 0, 0},
    {"dd", 2, OUT, 0, 0},
    {"desc", 4, CW_EL_SVG_POINT, 0, 0},
    {"div", 3, OUT, 0, 0},
    {"dl", 2, OUT, 0, 0},
    {"dt", 2, OUT, 0, 0},
    {"em", 2, OUT, 0, 0},
    {"embed", 5, OUT, 0, 0},
    {"font", 4, 0, 0, CW_ID_FONT},
    {"foreignobject", 13, CW_EL_SVG_POINT, 0, 0},
    {"frame", 5, CW_EL_WANTED, CW_AT_SRC, 0},
    {"h1", 2, OUT, 0, 0},
    {"h2", 2, OUT, 0, 0},
    {"h3", 2, OUT, 0, 0},
    {"h4", 2, OUT, 0, 0},
    {"h5", 2, OUT, 0, 0},
    {"h6", 2, OUT, 0, 0},
    {"head", 4, OUT, 0, CW_ID_DOCUMENT},
    {"hr", 2, OUT, 0, 0},
    {"i", 1, OUT, 0, 0},
    {"iframe", 6, CW_EL_WANTED | CW_EL_RAW, CW_AT_SRC, 0},
    {"img", 3, OUT, 0, 0},
    {"li", 2, OUT, 0, 0},
    {"link", 4, CW_EL_WANTED, LINK, 0},
    {"listing", 7, OUT, 0, 0},
    {"math", 4, CW_EL_FOREIGN, 0, 0},
    {"menu", 4, OUT, 0, 0},
    {"meta", 4, CW_EL_WANTED | CW_EL_METADATA | OUT, META, 0},
    {"mi", 2, CW_EL_MATH_POINT, 0, 0},
    {"mn", 2, CW_EL_MATH_POINT, 0, 0},
    {"mo", 2, CW_EL_MATH_POINT, 0, 0},
    {"ms", 2, CW_EL_MATH_POINT, 0, 0},
    {"mtext", 5, CW_EL_MATH_POINT, 0, 0},
    {"nobr", 4, OUT, 0, 0},
    {"noembed", 7, CW_EL_RAW, 0, 0},
    {"noframes", 8, CW_EL_RAW, 0, 0},
    {"noscript", 8, 0, 0, CW_ID_NOSCRIPT},
    {"ol", 2, OUT, 0, 0},
    {"p", 1, OUT, 0, 0},
    {"plaintext", 9, CW_EL_RAW, 0, CW_ID_PLAINTEXT},
    {"pre", 3, OUT, 0, 0},
    {"ruby", 4, OUT, 0, 0},
    {"s", 1, OUT, 0, 0},
    {"script", 6, CW_EL_RAW, 0, CW_ID_SCRIPT},
    {"small", 5, OUT, 0, 0},
    {"span", 4, OUT, 0, 0},
    {"strike", 6, OUT, 0, 0},
    {"strong", 6, OUT, 0, 0},
    {"style", 5, CW_EL_RAW, 0, 0},
    {"sub", 3, OUT, 0, 0},
    {"sup", 3, OUT, 0, 0},
    {"svg", 3, CW_EL_FOREIGN, 0, CW_ID_SVG},
    {"table", 5, OUT, 0, 0},
    {"template", 8, 0, 0, CW_ID_TEMPLATE},
    {"textarea", 8, CW_EL_RAW, 0, 0},
    {"title", 5, CW_EL_RAW | CW_EL_METADATA | CW_EL_SVG_POINT, 0, CW_ID_TITLE},
    {"tt", 2, OUT, 0, 0},
    {"u", 1, OUT, 0, 0},
    {"ul", 2, OUT, 0, 0},
    {"var", 3, OUT, 0, 0},
    {"xmp", 3, CW_EL_RAW, 0, 0},
};

/* Where in elements the names begin that start with a, b, ..., z; and the end. */
static const uint8_t starts[] = {0,  3,  9,  11, 16, 18, 21, 21, 29, 32, 32, 32, 35, 43,
                                 47, 48, 51, 51, 52, 62, 67, 69, 70, 70, 71, 71, 71};

const cw_html_element *cw_html_element_named(crawl_slice name)
{
    char lower[sizeof elements[0].name] = {0};
    if (name.size > CW_HTML_LONGEST_NAME || name.size == 0)
        return NULL;
    for (size_t i = 0; i < name.size; i++)
        lower[i] = (char)cw_lower((unsigned char)name.data[i]);
    unsigned letter = (unsigned char)lower[0] - 'a';
    if (letter >= sizeof starts - 1)
        return NULL;
    for (const cw_html_element *row = elements + starts[letter]; row < elements + starts[letter + 1]; row++)
        if (row->size == name.size && memcmp(row->name, lower, sizeof lower) == 0)
            return row;
    return NULL;
}

unsigned cw_html_attribute_named(crawl_slice name)
{
    for (unsigned i = 0; i < CW_AT_COUNT; i++)
        if (cw_equal_nocase(name, cw_html_attribute_names[i]))
            return 1u << i;
    return 0;
}
