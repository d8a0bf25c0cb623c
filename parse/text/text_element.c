#include "parse/text/text_element.h"

#include "base/bytes.h"

/* Sorted by name. */
static const cw_text_element elements[] = {
    {"a", 1, CW_ROLE_LINK, 0},
    {"address", 7, CW_ROLE_BLOCK, 0},
    {"annotation", 10, CW_ROLE_DROPPED, 0},
    {"annotation-xml", 14, CW_ROLE_DROPPED, 0},
    {"article", 7, CW_ROLE_ARTICLE, 0},
    {"aside", 5, CW_ROLE_ASIDE, 0},
    {"audio", 5, CW_ROLE_DROPPED, 0},
    {"b", 1, CW_ROLE_STRONG, 0},
    {"base", 4, CW_ROLE_BASE, 0},
    {"blockquote", 10, CW_ROLE_QUOTE, 0},
    {"br", 2, CW_ROLE_BREAK, 0},
    {"button", 6, CW_ROLE_DROPPED, 0},
    {"canvas", 6, CW_ROLE_DROPPED, 0},
    {"caption", 7, CW_ROLE_BLOCK, 0},
    {"center", 6, CW_ROLE_BLOCK, 0},
    {"code", 4, CW_ROLE_CODE, 0},
    {"datalist", 8, CW_ROLE_DROPPED, 0},
    {"dd", 2, CW_ROLE_DETAIL, 0},
    {"del", 3, CW_ROLE_DELETED, 0},
    {"details", 7, CW_ROLE_BLOCK, 0},
    {"dialog", 6, CW_ROLE_BLOCK, 0},
    {"dir", 3, CW_ROLE_LIST, 0},
    {"div", 3, CW_ROLE_BLOCK, 0},
    {"dl", 2, CW_ROLE_TERMS, 0},
    {"dt", 2, CW_ROLE_TERM, 1},
    {"em", 2, CW_ROLE_EMPHASIS, 0},
    {"fieldset", 8, CW_ROLE_BLOCK, 0},
    {"figcaption", 10, CW_ROLE_CAPTION, 0},
    {"figure", 6, CW_ROLE_BLOCK, 0},
    {"footer", 6, CW_ROLE_FOOTER, 0},
    {"form", 4, CW_ROLE_BLOCK, 0},
    {"h1", 2, CW_ROLE_HEADING, 1},
    {"h2", 2, CW_ROLE_HEADING, 2},
    {"h3", 2, CW_ROLE_HEADING, 3},
    {"h4", 2, CW_ROLE_HEADING, 4},
    {"h5", 2, CW_ROLE_HEADING, 5},
    {"h6", 2, CW_ROLE_HEADING, 6},
    {"header", 6, CW_ROLE_HEADER, 0},
    {"hgroup", 6, CW_ROLE_BLOCK, 0},
    {"hr", 2, CW_ROLE_RULE, 0},
    {"i", 1, CW_ROLE_EMPHASIS, 0},
    {"image", 5, CW_ROLE_IMAGE, 0},
    {"img", 3, CW_ROLE_IMAGE, 0},
    {"kbd", 3, CW_ROLE_CODE, 0},
    {"legend", 6, CW_ROLE_BLOCK, 0},
    {"li", 2, CW_ROLE_ITEM, 0},
    {"listing", 7, CW_ROLE_PRE, 0},
    {"main", 4, CW_ROLE_MAIN, 0},
    {"menu", 4, CW_ROLE_LIST, 0},
    {"nav", 3, CW_ROLE_NAV, 0},
    {"noscript", 8, CW_ROLE_UNSCRIPTED, 0},
    {"ol", 2, CW_ROLE_ORDERED, 0},
    {"optgroup", 8, CW_ROLE_DROPPED, 0},
    {"option", 6, CW_ROLE_DROPPED, 0},
    {"p", 1, CW_ROLE_PARAGRAPH, 0},
    {"pre", 3, CW_ROLE_PRE, 0},
    {"q", 1, CW_ROLE_QUOTED, 0},
    {"rt", 2, CW_ROLE_READING, 0},
    {"ruby", 4, CW_ROLE_RUBY, 0},
    {"s", 1, CW_ROLE_DELETED, 0},
    {"samp", 4, CW_ROLE_CODE, 0},
    {"search", 6, CW_ROLE_NAV, 0},
    {"section", 7, CW_ROLE_BLOCK, 0},
    {"select", 6, CW_ROLE_DROPPED, 0},
    {"strike", 6, CW_ROLE_DELETED, 0},
    {"strong", 6, CW_ROLE_STRONG, 0},
    {"sub", 3, CW_ROLE_LOWERED, 0},
    {"summary", 7, CW_ROLE_BLOCK, 1},
    {"sup", 3, CW_ROLE_RAISED, 0},
    {"svg", 3, CW_ROLE_DROPPED, 0},
    {"table", 5, CW_ROLE_TABLE, 0},
    {"tbody", 5, CW_ROLE_ROWS, 0},
    {"td", 2, CW_ROLE_CELL, 0},
    {"template", 8, CW_ROLE_DROPPED, 0},
    {"tfoot", 5, CW_ROLE_ROWS, 0},
    {"th", 2, CW_ROLE_CELL, 1},
    {"thead", 5, CW_ROLE_ROWS, 0},
    {"tr", 2, CW_ROLE_ROW, 0},
    {"tt", 2, CW_ROLE_CODE, 0},
    {"ul", 2, CW_ROLE_LIST, 0},
    {"video", 5, CW_ROLE_DROPPED, 0},
    {"xmp", 3, CW_ROLE_PRE, 0},
};

enum { ELEMENTS = sizeof elements / sizeof elements[0] };

/* Indexes of the first names that begin with a, b, ..., z, and the end; a test checks them against the table. */
_Static_assert(ELEMENTS == 82, "starts is of another table");

static const uint8_t starts[27] = {0,  7,  12, 16, 25, 26, 31, 31, 40, 43, 43, 44, 47, 49,
                                   51, 54, 56, 57, 59, 70, 79, 80, 81, 81, 82, 82, 82};

const cw_text_element *cw_text_element_named(crawl_slice name)
{
    if (cw_is(name, "span")) /* a third of all tags, and not in the table */
        return NULL;
    unsigned letter = name.size ? (unsigned)(name.data[0] | 0x20) - (unsigned)'a' : 26u;
    if (letter >= 26)
        return NULL;
    for (unsigned i = starts[letter]; i < starts[letter + 1]; i++)
        if (elements[i].size == name.size && cw_has_letters(name, elements[i].name))
            return &elements[i];
    return NULL;
}
