/* The open elements of a page while its text is made, and the effects of their start and end: sections, wrappers and
 * tables of the tree, and the blocks between them. Elements end as in the HTML standard if that shows in a text;
 * misnested ones are not moved (13.2.6.4.7). */
#pragma once

#include "parse/html/html_token.h"
#include "parse/text/text_hint.h"
#include "parse/text/text_walk.h"

/* Columns of a table; further cells go into the last. */
#define CW_TEXT_MAX_COLUMNS 64u

/* An element that is tracked. */
typedef struct cw_text_open {
    crawl_slice name;
    const cw_text_element *element; /* NULL: one without a row that is hidden */
    uint32_t section;
    uint32_t wrapper;
    uint32_t table; /* of a cell, and of everything in it */
    int64_t number; /* of the next item */
    bool is_reversed;
    bool counts_down; /* a reversed list without a start: its numbers begin at 0 until it ends */
    uint32_t items;
    uint32_t first_wrapper; /* of its items, or of their contents */
    uint16_t column;
    bool in_cell;
    bool is_pre;
    bool hidden;
    bool absent;      /* it is not rendered: it has no number, and takes no place in a table */
    bool unscripted;  /* it is a noscript, or in one */
    uint8_t level;    /* of a heading */
    bool in_title;    /* it is a title, or in one */
    bool is_template; /* of HTML, not SVG: its contents are another document */
    bool is_line;     /* of code: a part of the <pre> around it, to whose block its text belongs */
    crawl_slice language;
} cw_text_open;

typedef struct cw_text_walker {
    cw_text_page *page;
    const cw_text_source *source;
    cw_text_open open[CW_TEXT_MAX_OPEN]; /* the first stands for the page itself */
    unsigned depth;                      /* of the last */
    unsigned beyond;                     /* open block elements that are not tracked */
    uint32_t image_words;                /* of the current block */
    bool has_base;
    bool base_decided; /* a <base href> was seen */
    bool is_foreign;   /* the current tag is of SVG or MathML */
    crawl_slice script_type;
    unsigned links; /* resolved */
    /* For each column of the last table opened: further rows taken by a cell above, and whether it is taken in this
     * row. */
    uint16_t spans[CW_TEXT_MAX_COLUMNS];
    bool taken[CW_TEXT_MAX_COLUMNS];
} cw_text_walker;

static inline cw_text_open *cw_text_top(cw_text_walker *walk)
{
    return &walk->open[walk->depth];
}

/* Makes a block of the text since the last one, if there is any; begins the next. CRAWL_ENOMEM. */
crawl_err cw_text_end_block(cw_text_walker *walk);
void cw_text_begin_block(cw_text_walker *walk);
/* Ends the page, and everything that is open in it. CRAWL_ENOMEM. */
crawl_err cw_text_end_page(cw_text_walker *walk);
/* Adds a block of the text from start on, at the current position in the page. CRAWL_ENOMEM. */
crawl_err cw_text_add_block(cw_text_walker *walk, cw_text_block_kind kind, size_t start, size_t size);

/* Takes a start tag: of a block element; of any tracked element, with hidden text or not. CRAWL_ENOMEM. */
crawl_err cw_text_open_block(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_element *element,
                             const cw_text_attributes *attributes);
crawl_err cw_text_push(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_element *element,
                       const cw_text_attributes *attributes, bool hidden);
/* Ends the elements that the start of one with this role ends. CRAWL_ENOMEM. */
crawl_err cw_text_end_implied(cw_text_walker *walk, cw_text_role role);
/* Takes the end tag of a tracked element. CRAWL_ENOMEM. */
crawl_err cw_text_close_open(cw_text_walker *walk, crawl_slice name, const cw_text_element *element);

/* Returns true for an inline element whose text is dropped; it is tracked only for that reason. */
bool cw_text_is_left_out(const cw_text_open *entry);
