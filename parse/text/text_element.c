/* See text_element.h. */
#include "parse/text/text_element.h"

#include "base/bytes.h"

/* Sorted by name. */
static const cw_text_element elements[] = {
    {"a", CW_ROLE_LINK, 0},
    {"address", CW_ROLE_BLOCK, 0},
    {"annotation", CW_ROLE_DROPPED, 0},
    {"annotation-xml", CW_ROLE_DROPPED, 0},
    {"article", CW_ROLE_ARTICLE, 0},
    {"aside", CW_ROLE_ASIDE, 0},
    {"audio", CW_ROLE_DROPPED, 0},
    {"b", CW_ROLE_STRONG, 0},
    {"base", CW_ROLE_BASE, 0},
    {"blockquote", CW_ROLE_QUOTE, 0},
    {"br", CW_ROLE_BREAK, 0},
    {"button", CW_ROLE_DROPPED, 0},
    {"canvas", CW_ROLE_DROPPED, 0},
    {"caption", CW_ROLE_BLOCK, 0},
    {"center", CW_ROLE_BLOCK, 0},
    {"code", CW_ROLE_CODE, 0},
    {"datalist", CW_ROLE_DROPPED, 0},
    {"dd", CW_ROLE_DETAIL, 0},
    {"del", CW_ROLE_DELETED, 0},
    {"details", CW_ROLE_BLOCK, 0},
    {"dialog", CW_ROLE_DROPPED, 0},
    {"dir", CW_ROLE_LIST, 0},
    {"div", CW_ROLE_BLOCK, 0},
    {"dl", CW_ROLE_TERMS, 0},
    {"dt", CW_ROLE_TERM, 0},
    {"em", CW_ROLE_EMPHASIS, 0},
    {"fieldset", CW_ROLE_BLOCK, 0},
    {"figcaption", CW_ROLE_BLOCK, 0},
    {"figure", CW_ROLE_BLOCK, 0},
    {"footer", CW_ROLE_FOOTER, 0},
    {"form", CW_ROLE_BLOCK, 0},
    {"h1", CW_ROLE_HEADING, 1},
    {"h2", CW_ROLE_HEADING, 2},
    {"h3", CW_ROLE_HEADING, 3},
    {"h4", CW_ROLE_HEADING, 4},
    {"h5", CW_ROLE_HEADING, 5},
    {"h6", CW_ROLE_HEADING, 6},
    {"header", CW_ROLE_HEADER, 0},
    {"hgroup", CW_ROLE_BLOCK, 0},
    {"hr", CW_ROLE_RULE, 0},
    {"i", CW_ROLE_EMPHASIS, 0},
    {"image", CW_ROLE_IMAGE, 0},
    {"img", CW_ROLE_IMAGE, 0},
    {"kbd", CW_ROLE_CODE, 0},
    {"legend", CW_ROLE_BLOCK, 0},
    {"li", CW_ROLE_ITEM, 0},
    {"listing", CW_ROLE_PRE, 0},
    {"main", CW_ROLE_MAIN, 0},
    {"menu", CW_ROLE_LIST, 0},
    {"nav", CW_ROLE_NAV, 0},
    {"noscript", CW_ROLE_DROPPED, 0},
    {"ol", CW_ROLE_ORDERED, 0},
    {"optgroup", CW_ROLE_DROPPED, 0},
    {"option", CW_ROLE_DROPPED, 0},
    {"p", CW_ROLE_PARAGRAPH, 0},
    {"pre", CW_ROLE_PRE, 0},
    {"s", CW_ROLE_DELETED, 0},
    {"samp", CW_ROLE_CODE, 0},
    {"search", CW_ROLE_NAV, 0},
    {"section", CW_ROLE_BLOCK, 0},
    {"select", CW_ROLE_DROPPED, 0},
    {"strike", CW_ROLE_DELETED, 0},
    {"strong", CW_ROLE_STRONG, 0},
    {"summary", CW_ROLE_BLOCK, 0},
    {"svg", CW_ROLE_DROPPED, 0},
    {"table", CW_ROLE_TABLE, 0},
    {"tbody", CW_ROLE_ROWS, 0},
    {"td", CW_ROLE_CELL, 0},
    {"template", CW_ROLE_DROPPED, 0},
    {"tfoot", CW_ROLE_ROWS, 0},
    {"th", CW_ROLE_CELL, 1},
    {"thead", CW_ROLE_ROWS, 0},
    {"tr", CW_ROLE_ROW, 0},
    {"tt", CW_ROLE_CODE, 0},
    {"ul", CW_ROLE_LIST, 0},
    {"video", CW_ROLE_DROPPED, 0},
};

enum { ELEMENTS = sizeof elements / sizeof elements[0] };

/* Is name, in any case, this one in lower case? */
static bool is_named(crawl_slice name, const char *lower)
{
    size_t i = 0;
    while (i < name.size && lower[i] && cw_lower((unsigned char)name.data[i]) == (unsigned char)lower[i])
        i++;
    return i == name.size && !lower[i];
}

/* Where the names begin that start with a, b, ..., z, and the end; the tests hold it against the table. */
_Static_assert(ELEMENTS == 76, "starts is of another table");

static const uint8_t starts[27] = {0,  7,  12, 16, 25, 26, 31, 31, 40, 43, 43, 44, 47, 49,
                                   51, 54, 56, 56, 56, 65, 74, 75, 76, 76, 76, 76, 76};

const cw_text_element *cw_text_element_named(crawl_slice name)
{
    if (cw_is(name, "span")) /* a third of all tags, and in no row */
        return NULL;
    unsigned letter = name.size ? (unsigned)(name.data[0] | 0x20) - (unsigned)'a' : 26u;
    if (letter >= 26)
        return NULL;
    for (unsigned i = starts[letter]; i < starts[letter + 1]; i++)
        if (is_named(name, elements[i].name))
            return &elements[i];
    return NULL;
}
