/* The elements as the text maker sees them: what each does to the text around it. Elements without a row, such as span,
 * change nothing. */
#pragma once

#include <crawl/base.h>

typedef enum cw_text_role {
    CW_ROLE_BLOCK, /* ends a line and holds others: div */
    CW_ROLE_PARAGRAPH,
    CW_ROLE_HEADING,
    CW_ROLE_PRE,
    CW_ROLE_LIST,
    CW_ROLE_ORDERED,
    CW_ROLE_ITEM,
    CW_ROLE_TERMS, /* dl */
    CW_ROLE_TERM,
    CW_ROLE_DETAIL, /* dd */
    CW_ROLE_QUOTE,
    CW_ROLE_TABLE,
    CW_ROLE_ROWS, /* tbody */
    CW_ROLE_ROW,
    CW_ROLE_CELL,
    CW_ROLE_NAV,
    CW_ROLE_ASIDE,
    CW_ROLE_HEADER,
    CW_ROLE_FOOTER,
    CW_ROLE_MAIN,
    CW_ROLE_ARTICLE,
    CW_ROLE_CAPTION, /* figcaption */
    CW_ROLE_LAST_BLOCK = CW_ROLE_CAPTION,
    CW_ROLE_DROPPED,    /* not text for a reader: form controls, SVG, the fallback of a video */
    CW_ROLE_UNSCRIPTED, /* noscript */
    CW_ROLE_BREAK,
    CW_ROLE_RULE,
    CW_ROLE_IMAGE,
    CW_ROLE_BASE,
    CW_ROLE_QUOTED,  /* q */
    CW_ROLE_READING, /* rt: how the text before it is read */
    CW_ROLE_RUBY,    /* ends the reading in it */
    CW_ROLE_RAISED,  /* sup */
    CW_ROLE_LOWERED, /* sub */
    CW_ROLE_LINK,
    CW_ROLE_STRONG,
    CW_ROLE_EMPHASIS,
    CW_ROLE_CODE,
    CW_ROLE_DELETED,
    CW_ROLE_COUNT
} cw_text_role;

typedef struct cw_text_element {
    const char *name; /* lower-case */
    uint8_t size;     /* of the name */
    uint8_t role;
    uint8_t level; /* of a heading; 1 for other titles: dt, summary, th; 0: not a title */
} cw_text_element;

/* Returns the row of an element by its name, in any case. NULL: it has none. */
const cw_text_element *cw_text_element_named(crawl_slice name);

/* Returns true if the element holds others, so that it is tracked to its end. */
static inline bool cw_text_is_block(const cw_text_element *element)
{
    return element && element->role <= CW_ROLE_LAST_BLOCK;
}

/* Returns true for <sup> and <sub>. */
static inline bool cw_text_is_shifted(const cw_text_element *element)
{
    return element && (element->role == CW_ROLE_RAISED || element->role == CW_ROLE_LOWERED);
}

/* Returns true if the element ends the word before it, and the word in it. */
static inline bool cw_text_ends_word(const cw_text_element *element)
{
    return cw_text_is_block(element) || (element && (element->role == CW_ROLE_BREAK || element->role == CW_ROLE_RULE));
}
