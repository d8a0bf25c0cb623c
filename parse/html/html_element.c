#include "parse/html/html_element.h"

#include "base/bytes.h"

const crawl_slice cw_html_attribute_names[CW_AT_COUNT] = {
    {"href", 4},     {"src", 3},      {"rel", 3},    {"name", 4},     {"content", 7}, {"http-equiv", 10},
    {"srcset", 6},   {"action", 6},   {"poster", 6}, {"data", 4},     {"type", 4},    {"background", 10},
    {"encoding", 8}, {"color", 5},    {"face", 4},   {"size", 4},     {"method", 6},  {"charset", 7},
    {"url", 3},      {"xml:base", 8}, {"alt", 3},    {"hreflang", 8}, {"media", 5},   {"xlink:href", 10},
};

enum {
    OUT = CW_EL_LEAVES_FOREIGN,
    LINK = CW_AT_HREF | CW_AT_REL,
    META = CW_AT_NAME | CW_AT_CONTENT | CW_AT_HTTP_EQUIV,
    AREA = LINK | CW_AT_ALT,
    IMAGE = CW_AT_SRC | CW_AT_SRCSET | CW_AT_ALT,
    FORM = CW_AT_ACTION | CW_AT_METHOD | CW_AT_REL,
    INPUT = CW_AT_SRC | CW_AT_TYPE | CW_AT_ALT,
    VIDEO = CW_AT_SRC | CW_AT_POSTER,
    FONT = CW_AT_COLOR | CW_AT_FACE | CW_AT_SIZE,
};

/* The elements that decide something wherever they are, sorted by name. An <image> is an <img> (13.2.6.4.7). */
static const cw_html_element elements[] = {
    {"a", 1, CW_EL_WANTED, CW_ID_A, LINK | CW_AT_XLINK_HREF},
    {"area", 4, CW_EL_WANTED, CW_ID_AREA, AREA},
    {"audio", 5, CW_EL_WANTED, CW_ID_AUDIO, CW_AT_SRC},
    {"base", 4, CW_EL_WANTED | CW_EL_METADATA, CW_ID_BASE, CW_AT_HREF},
    {"body", 4, CW_EL_WANTED | OUT, CW_ID_BODY, CW_AT_BACKGROUND},
    {"embed", 5, CW_EL_WANTED | OUT, CW_ID_EMBED, CW_AT_SRC},
    {"form", 4, CW_EL_WANTED, CW_ID_FORM, FORM},
    {"frame", 5, CW_EL_WANTED, CW_ID_FRAME, CW_AT_SRC},
    {"iframe", 6, CW_EL_WANTED | CW_EL_RAW, CW_ID_IFRAME, CW_AT_SRC},
    {"image", 5, CW_EL_WANTED, CW_ID_IMG, IMAGE},
    {"img", 3, CW_EL_WANTED | OUT, CW_ID_IMG, IMAGE},
    {"input", 5, CW_EL_WANTED, CW_ID_INPUT, INPUT},
    {"link", 4, CW_EL_WANTED, CW_ID_LINK, LINK | CW_AT_TYPE | CW_AT_HREFLANG | CW_AT_MEDIA},
    {"math", 4, CW_EL_FOREIGN, CW_ID_OTHER, 0},
    {"meta", 4, CW_EL_WANTED | CW_EL_METADATA | OUT, CW_ID_META, META},
    {"noembed", 7, CW_EL_RAW, CW_ID_OTHER, 0},
    {"noframes", 8, CW_EL_RAW, CW_ID_OTHER, 0},
    {"noscript", 8, 0, CW_ID_NOSCRIPT, 0},
    {"object", 6, CW_EL_WANTED, CW_ID_OBJECT, CW_AT_DATA},
    {"plaintext", 9, CW_EL_RAW, CW_ID_PLAINTEXT, 0},
    {"script", 6, CW_EL_WANTED | CW_EL_RAW, CW_ID_SCRIPT, CW_AT_SRC},
    {"source", 6, CW_EL_WANTED, CW_ID_SOURCE, CW_AT_SRC | CW_AT_SRCSET},
    {"style", 5, CW_EL_RAW, CW_ID_STYLE, 0},
    {"svg", 3, CW_EL_FOREIGN, CW_ID_SVG, 0},
    {"template", 8, 0, CW_ID_TEMPLATE, 0},
    {"textarea", 8, CW_EL_RAW, CW_ID_OTHER, 0},
    {"title", 5, CW_EL_RAW | CW_EL_METADATA | CW_EL_SVG_POINT, CW_ID_TITLE, 0},
    {"track", 5, CW_EL_WANTED, CW_ID_TRACK, CW_AT_SRC},
    {"video", 5, CW_EL_WANTED, CW_ID_VIDEO, VIDEO},
    {"xmp", 3, CW_EL_RAW, CW_ID_XMP, 0},
};

/* Indices in elements of the names that start with a, b, ..., z; and the end. */
static const uint8_t starts[] = {0,  3,  5,  5,  5,  6,  8,  8,  8,  12, 12, 12, 13, 15,
                                 18, 19, 20, 20, 20, 24, 28, 28, 29, 29, 30, 30, 30};

/* The bits of a letter: a name may be skipped unless a row above with this letter has its size. */
#define LETTER(c, sizes_above) [c] = 0x7fff & ~(sizes_above), [(c) - 'a' + 'A'] = 0x7fff & ~(sizes_above)

const uint16_t cw_html_passed_sizes[256] = {
    ['/'] = 0xffff,
    LETTER('a', 1 << 1 | 1 << 4 | 1 << 5),
    LETTER('b', 1 << 4),
    LETTER('c', 0),
    LETTER('d', 0),
    LETTER('e', 1 << 5),
    LETTER('f', 1 << 4 | 1 << 5),
    LETTER('g', 0),
    LETTER('h', 0),
    LETTER('i', 1 << 3 | 1 << 5 | 1 << 6),
    LETTER('j', 0),
    LETTER('k', 0),
    LETTER('l', 1 << 4),
    LETTER('m', 1 << 4),
    LETTER('n', 1 << 7 | 1 << 8),
    LETTER('o', 1 << 6),
    LETTER('p', 1 << 9),
    LETTER('q', 0),
    LETTER('r', 0),
    LETTER('s', 1 << 3 | 1 << 5 | 1 << 6),
    LETTER('t', 1 << 5 | 1 << 8),
    LETTER('u', 0),
    LETTER('v', 1 << 5),
    LETTER('w', 0),
    LETTER('x', 1 << 3),
    LETTER('y', 0),
    LETTER('z', 0),
};

/* The elements that decide something only inside SVG and MathML. Elements with only OUT are the standard's list for
 * "parsing tokens in foreign content". */
static const cw_html_element foreign_elements[] = {
    {"annotation-xml", 14, 0, CW_ID_ANNOTATION_XML, CW_AT_ENCODING},
    {"b", 1, OUT, CW_ID_OTHER, 0},
    {"big", 3, OUT, CW_ID_OTHER, 0},
    {"blockquote", 10, OUT, CW_ID_OTHER, 0},
    {"br", 2, OUT, CW_ID_OTHER, 0},
    {"center", 6, OUT, CW_ID_OTHER, 0},
    {"code", 4, OUT, CW_ID_OTHER, 0},
    {"dd", 2, OUT, CW_ID_OTHER, 0},
    {"desc", 4, CW_EL_SVG_POINT, CW_ID_OTHER, 0},
    {"div", 3, OUT, CW_ID_OTHER, 0},
    {"dl", 2, OUT, CW_ID_OTHER, 0},
    {"dt", 2, OUT, CW_ID_OTHER, 0},
    {"em", 2, OUT, CW_ID_OTHER, 0},
    {"font", 4, 0, CW_ID_FONT, FONT},
    {"foreignobject", 13, CW_EL_SVG_POINT, CW_ID_OTHER, 0},
    {"h1", 2, OUT, CW_ID_OTHER, 0},
    {"h2", 2, OUT, CW_ID_OTHER, 0},
    {"h3", 2, OUT, CW_ID_OTHER, 0},
    {"h4", 2, OUT, CW_ID_OTHER, 0},
    {"h5", 2, OUT, CW_ID_OTHER, 0},
    {"h6", 2, OUT, CW_ID_OTHER, 0},
    {"head", 4, OUT, CW_ID_HEAD, 0},
    {"hr", 2, OUT, CW_ID_OTHER, 0},
    {"i", 1, OUT, CW_ID_OTHER, 0},
    {"li", 2, OUT, CW_ID_OTHER, 0},
    {"listing", 7, OUT, CW_ID_OTHER, 0},
    {"menu", 4, OUT, CW_ID_OTHER, 0},
    {"mi", 2, CW_EL_MATH_POINT, CW_ID_OTHER, 0},
    {"mn", 2, CW_EL_MATH_POINT, CW_ID_OTHER, 0},
    {"mo", 2, CW_EL_MATH_POINT, CW_ID_OTHER, 0},
    {"ms", 2, CW_EL_MATH_POINT, CW_ID_OTHER, 0},
    {"mtext", 5, CW_EL_MATH_POINT, CW_ID_OTHER, 0},
    {"nobr", 4, OUT, CW_ID_OTHER, 0},
    {"ol", 2, OUT, CW_ID_OTHER, 0},
    {"p", 1, OUT, CW_ID_OTHER, 0},
    {"pre", 3, OUT, CW_ID_OTHER, 0},
    {"ruby", 4, OUT, CW_ID_OTHER, 0},
    {"s", 1, OUT, CW_ID_OTHER, 0},
    {"small", 5, OUT, CW_ID_OTHER, 0},
    {"span", 4, OUT, CW_ID_OTHER, 0},
    {"strike", 6, OUT, CW_ID_OTHER, 0},
    {"strong", 6, OUT, CW_ID_OTHER, 0},
    {"sub", 3, OUT, CW_ID_OTHER, 0},
    {"sup", 3, OUT, CW_ID_OTHER, 0},
    {"table", 5, OUT, CW_ID_OTHER, 0},
    {"tt", 2, OUT, CW_ID_OTHER, 0},
    {"u", 1, OUT, CW_ID_OTHER, 0},
    {"ul", 2, OUT, CW_ID_OTHER, 0},
    {"var", 3, OUT, CW_ID_OTHER, 0},
};

enum { FOREIGN_ELEMENTS = sizeof foreign_elements / sizeof foreign_elements[0] };

/* Finds the row of a name between two rows. Compares sizes first, because most names have a size that no row has. */
static const cw_html_element *html_element_find(const cw_html_element *row, const cw_html_element *end,
                                                crawl_slice name)
{
    for (; row < end; row++)
        if (row->size == name.size && cw_has_letters(name, row->name))
            return row;
    return NULL;
}

const cw_html_element *cw_html_element_named(crawl_slice name, bool foreign)
{
    unsigned letter = name.size ? (unsigned char)(name.data[0] | 0x20) - 'a' : 0;
    if (letter >= sizeof starts - 1)
        return NULL;
    const cw_html_element *found = html_element_find(elements + starts[letter], elements + starts[letter + 1], name);
    return found || !foreign ? found : html_element_find(foreign_elements, foreign_elements + FOREIGN_ELEMENTS, name);
}

bool cw_html_is_void(crawl_slice name)
{
    static const char *const names[] = {"area",  "base", "br",   "col",   "embed",  "hr",    "img", "image",
                                        "input", "link", "meta", "param", "source", "track", "wbr"};
    return cw_is_among(name, names, sizeof names / sizeof *names);
}

/* The attributes whose names have a given number of bytes. */
static const uint32_t attributes_of_size[] = {
    [3] = CW_AT_SRC | CW_AT_REL | CW_AT_URL | CW_AT_ALT,
    [4] = CW_AT_HREF | CW_AT_NAME | CW_AT_DATA | CW_AT_TYPE | CW_AT_FACE | CW_AT_SIZE,
    [5] = CW_AT_COLOR | CW_AT_MEDIA,
    [6] = CW_AT_SRCSET | CW_AT_ACTION | CW_AT_POSTER | CW_AT_METHOD,
    [7] = CW_AT_CONTENT | CW_AT_CHARSET,
    [8] = CW_AT_ENCODING | CW_AT_XML_BASE | CW_AT_HREFLANG,
    [10] = CW_AT_HTTP_EQUIV | CW_AT_BACKGROUND | CW_AT_XLINK_HREF,
};

enum { SIZES = sizeof attributes_of_size / sizeof attributes_of_size[0] };

unsigned cw_html_attribute_named(crawl_slice name, unsigned wanted)
{
    for (wanted &= name.size < SIZES ? attributes_of_size[name.size] : 0; wanted; wanted &= wanted - 1)
        if (cw_has_letters(name, cw_html_attribute_names[__builtin_ctz(wanted)].data))
            return wanted & -wanted;
    return 0;
}
