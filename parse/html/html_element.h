/* The elements and attributes that decide what a crawler sees of a page: elements with links, and elements that change
 * how the text after them is read. All other elements are treated alike. */
#pragma once

#include <crawl/base.h>

/* Properties of an element, as bits. */
enum {
    CW_EL_WANTED = 1 << 0,        /* has links, or says something about the document */
    CW_EL_METADATA = 1 << 1,      /* says something about the whole document: counts outside <template> only */
    CW_EL_RAW = 1 << 2,           /* its content is text up to its end tag */
    CW_EL_FOREIGN = 1 << 3,       /* svg, math */
    CW_EL_SVG_POINT = 1 << 4,     /* HTML integration point of SVG */
    CW_EL_MATH_POINT = 1 << 5,    /* text integration point of MathML */
    CW_EL_LEAVES_FOREIGN = 1 << 6 /* ends SVG and MathML around it (HTML standard, 13.2.6.5) */
};

/* Attributes, as bits of a set, in the order of cw_html_attribute_names. CW_AT_URL and CW_AT_XML_BASE belong to
 * feeds. */
enum {
    CW_AT_HREF = 1 << 0,
    CW_AT_SRC = 1 << 1,
    CW_AT_REL = 1 << 2,
    CW_AT_NAME = 1 << 3,
    CW_AT_CONTENT = 1 << 4,
    CW_AT_HTTP_EQUIV = 1 << 5,
    CW_AT_SRCSET = 1 << 6,
    CW_AT_ACTION = 1 << 7,
    CW_AT_POSTER = 1 << 8,
    CW_AT_DATA = 1 << 9,
    CW_AT_TYPE = 1 << 10,
    CW_AT_BACKGROUND = 1 << 11,
    CW_AT_ENCODING = 1 << 12,
    CW_AT_COLOR = 1 << 13,
    CW_AT_FACE = 1 << 14,
    CW_AT_SIZE = 1 << 15,
    CW_AT_METHOD = 1 << 16,
    CW_AT_CHARSET = 1 << 17,
    CW_AT_URL = 1 << 18,
    CW_AT_XML_BASE = 1 << 19,
    CW_AT_ALT = 1 << 20, /* read only if text is wanted */
    CW_AT_HREFLANG = 1 << 21,
    CW_AT_MEDIA = 1 << 22,
    CW_AT_XLINK_HREF = 1 << 23,
    CW_AT_COUNT = 24
};

extern const crawl_slice cw_html_attribute_names[CW_AT_COUNT];

/* The elements that code asks for by name. */
typedef enum cw_html_id {
    CW_ID_OTHER,
    CW_ID_A,
    CW_ID_AREA,
    CW_ID_LINK,
    CW_ID_FRAME,
    CW_ID_IFRAME,
    CW_ID_META,
    CW_ID_BASE,
    CW_ID_IMG,
    CW_ID_SOURCE,
    CW_ID_SCRIPT,
    CW_ID_FORM,
    CW_ID_VIDEO,
    CW_ID_AUDIO,
    CW_ID_TRACK,
    CW_ID_EMBED,
    CW_ID_OBJECT,
    CW_ID_INPUT,
    CW_ID_BODY,
    CW_ID_HEAD,
    CW_ID_TITLE,
    CW_ID_NOSCRIPT,
    CW_ID_TEMPLATE,
    CW_ID_PLAINTEXT,
    CW_ID_SVG,
    CW_ID_FONT,
    CW_ID_ANNOTATION_XML,
    CW_ID_STYLE,
    CW_ID_XMP,
    CW_ID_COUNT
} cw_html_id;

typedef struct cw_html_element {
    const char *name; /* lower-case */
    uint8_t size;     /* of the name */
    uint8_t flags;
    uint8_t id;
    uint32_t attributes; /* the attributes to read */
} cw_html_element;

/* Values of attributes; a value whose bit is not in found is undefined. */
typedef struct cw_html_values {
    unsigned found; /* CW_AT_ bits */
    crawl_slice value[CW_AT_COUNT];
} cw_html_values;

/* Indexed by the byte after a "<". Bit n says that a tag whose name begins with this byte and has n bytes decides
 * nothing outside SVG and MathML, so that it may be skipped. Bit 15 stands for longer names, and for names whose end is
 * not known: it is set only where every name may be skipped, that is for end tags. */
extern const uint16_t cw_html_passed_sizes[256];

enum { CW_HTML_SIZE_UNKNOWN = 15 };

/* Returns the row of an element by its name, in any case. NULL: it decides nothing. foreign: the element is inside SVG
 * or MathML, where more elements decide something. */
const cw_html_element *cw_html_element_named(crawl_slice name, bool foreign);

/* Returns true for an element without an end tag (HTML standard, 13.1.2). name: in any case. */
bool cw_html_is_void(crawl_slice name);

/* Returns the CW_AT_ bit of an attribute's name, in any case, if it is among wanted; otherwise 0. */
unsigned cw_html_attribute_named(crawl_slice name, unsigned wanted);

/* Returns the value of one attribute; its data is NULL if the attribute is missing. */
static inline crawl_slice cw_html_value(const cw_html_values *values, unsigned attribute)
{
    return values->found & attribute ? values->value[__builtin_ctz(attribute)] : (crawl_slice){0};
}
