/* The elements that decide what a crawler sees of a page: those with links, and those that change how the text after them is
 * read. All others are one to it. */
#ifndef CW_HTML_ELEMENT_H
#define CW_HTML_ELEMENT_H

#include <crawl/base.h>

/* What an element is, as bits. */
enum {
    CW_EL_WANTED = 1 << 0,        /* has attributes that are wanted */
    CW_EL_METADATA = 1 << 1,      /* speaks of the whole document: counts outside <template> only */
    CW_EL_RAW = 1 << 2,           /* its content is text up to its end tag */
    CW_EL_FOREIGN = 1 << 3,       /* svg, math */
    CW_EL_SVG_POINT = 1 << 4,     /* HTML integration point of SVG */
    CW_EL_MATH_POINT = 1 << 5,    /* text integration point of MathML */
    CW_EL_LEAVES_FOREIGN = 1 << 6 /* ends SVG and MathML around it (HTML standard, 13.2.6.5) */
};

/* Attributes, as bits of a set; cw_html_attribute_names is in their order. */
enum {
    CW_AT_HREF = 1 << 0,
    CW_AT_SRC = 1 << 1,
    CW_AT_REL = 1 << 2,
    CW_AT_NAME = 1 << 3,
    CW_AT_CONTENT = 1 << 4,
    CW_AT_HTTP_EQUIV = 1 << 5,
    CW_AT_COUNT = 6
};

extern const crawl_slice cw_html_attribute_names[CW_AT_COUNT];

/* The elements that code asks for by name. */
typedef enum cw_html_id {
    CW_ID_OTHER,
    CW_ID_A,
    CW_ID_ANNOTATION_XML,
    CW_ID_BASE,
    CW_ID_DOCUMENT, /* head, body */
    CW_ID_FONT,
    CW_ID_NOSCRIPT,
    CW_ID_PLAINTEXT,
    CW_ID_SCRIPT,
    CW_ID_SVG,
    CW_ID_TEMPLATE,
    CW_ID_TITLE
} cw_html_id;

#define CW_HTML_LONGEST_NAME 14 /* "annotation-xml" */

typedef struct cw_html_element {
    char name[16]; /* lower-case, padded with NULs, so that it compares as two words */
    uint8_t size;  /* of the name */
    uint8_t flags;
    uint8_t attributes; /* wanted */
    uint8_t id;
} cw_html_element;

/* By name, in any case; NULL: one that decides nothing. */
const cw_html_element *cw_html_element_named(crawl_slice name);

/* The CW_AT_ bit of an attribute's name, in any case; 0: one that is never wanted. */
unsigned cw_html_attribute_named(crawl_slice name);

#endif
