/* See html_element.h. */
#include "parse/html_element.h"

#include "base/bytes.h"

#include <stdlib.h>

const char *const cw_html_attribute_names[CW_AT_COUNT] = {"href", "src", "rel", "name", "content", "http-equiv"};

enum { OUT = CW_EL_LEAVES_FOREIGN, LINK = CW_AT_HREF | CW_AT_REL, META = CW_AT_NAME | CW_AT_CONTENT | CW_AT_HTTP_EQUIV };

/* Sorted by name. The ones with OUT alone are the standard's list for "parsing tokens in foreign content". */
static const cw_html_element elements[] = {
    {"a", CW_EL_WANTED, LINK, CW_ID_A},
    {"annotation-xml", 0, 0, CW_ID_ANNOTATION_XML},
    {"area", CW_EL_WANTED, LINK, 0},
    {"b", OUT, 0, 0},
    {"base", CW_EL_WANTED | CW_EL_METADATA, CW_AT_HREF, CW_ID_BASE},
    {"big", OUT, 0, 0},
    {"blockquote", OUT, 0, 0},
    {"body", OUT, 0, CW_ID_DOCUMENT},
    {"br", OUT, 0, 0},
    {"center", OUT, 0, 0},
    {"code", OUT, 0, 0},
    {"dd", OUT, 0, 0},
    {"desc", CW_EL_SVG_POINT, 0, 0},
    {"div", OUT, 0, 0},
    {"dl", OUT, 0, 0},
    {"dt", OUT, 0, 0},
    {"em", OUT, 0, 0},
    {"embed", OUT, 0, 0},
    {"font", 0, 0, CW_ID_FONT},
    {"foreignobject", CW_EL_SVG_POINT, 0, 0},
    {"frame", CW_EL_WANTED, CW_AT_SRC, 0},
    {"h1", OUT, 0, 0},
    {"h2", OUT, 0, 0},
    {"h3", OUT, 0, 0},
    {"h4", OUT, 0, 0},
    {"h5", OUT, 0, 0},
    {"h6", OUT, 0, 0},
    {"head", OUT, 0, CW_ID_DOCUMENT},
    {"hr", OUT, 0, 0},
    {"i", OUT, 0, 0},
    {"iframe", CW_EL_WANTED | CW_EL_RAW, CW_AT_SRC, 0},
    {"img", OUT, 0, 0},
    {"li", OUT, 0, 0},
    {"link", CW_EL_WANTED, LINK, 0},
    {"listing", OUT, 0, 0},
    {"math", CW_EL_FOREIGN, 0, 0},
    {"menu", OUT, 0, 0},
    {"meta", CW_EL_WANTED | CW_EL_METADATA | OUT, META, 0},
    {"mi", CW_EL_MATH_POINT, 0, 0},
    {"mn", CW_EL_MATH_POINT, 0, 0},
    {"mo", CW_EL_MATH_POINT, 0, 0},
    {"ms", CW_EL_MATH_POINT, 0, 0},
    {"mtext", CW_EL_MATH_POINT, 0, 0},
    {"nobr", OUT, 0, 0},
    {"noembed", CW_EL_RAW, 0, 0},
    {"noframes", CW_EL_RAW, 0, 0},
    {"noscript", 0, 0, CW_ID_NOSCRIPT},
    {"ol", OUT, 0, 0},
    {"p", OUT, 0, 0},
    {"plaintext", CW_EL_RAW, 0, CW_ID_PLAINTEXT},
    {"pre", OUT, 0, 0},
    {"ruby", OUT, 0, 0},
    {"s", OUT, 0, 0},
    {"script", CW_EL_RAW, 0, CW_ID_SCRIPT},
    {"small", OUT, 0, 0},
    {"span", OUT, 0, 0},
    {"strike", OUT, 0, 0},
    {"strong", OUT, 0, 0},
    {"style", CW_EL_RAW, 0, 0},
    {"sub", OUT, 0, 0},
    {"sup", OUT, 0, 0},
    {"svg", CW_EL_FOREIGN, 0, CW_ID_SVG},
    {"table", OUT, 0, 0},
    {"template", 0, 0, CW_ID_TEMPLATE},
    {"textarea", CW_EL_RAW, 0, 0},
    {"title", CW_EL_RAW | CW_EL_METADATA | CW_EL_SVG_POINT, 0, CW_ID_TITLE},
    {"tt", OUT, 0, 0},
    {"u", OUT, 0, 0},
    {"ul", OUT, 0, 0},
    {"var", OUT, 0, 0},
    {"xmp", CW_EL_RAW, 0, 0},
};

enum { LONGEST = 14 };

static int compare(const void *key, const void *row)
{
    return strcmp(key, ((const cw_html_element *)row)->name);
}

const cw_html_element *cw_html_element_named(crawl_slice name)
{
    char lower[LONGEST + 1];
    if (name.size > LONGEST)
        return NULL;
    for (size_t i = 0; i < name.size; i++)
        lower[i] = (char)cw_lower((unsigned char)name.data[i]);
    lower[name.size] = '\0';
    if (strlen(lower) != name.size)
        return NULL;
    return bsearch(lower, elements, sizeof elements / sizeof elements[0], sizeof elements[0], compare);
}

unsigned cw_html_attribute_named(crawl_slice name)
{
    for (unsigned i = 0; i < CW_AT_COUNT; i++)
        if (cw_equal_nocase(name, crawl_slice_from(cw_html_attribute_names[i])))
            return 1u << i;
    return 0;
}
