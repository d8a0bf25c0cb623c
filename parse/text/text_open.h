/* The elements of a page that are open while its text is made, and what follows from their beginning and their end:
 * sections, wrappers and tables of the tree, and the blocks between them. Elements end as the HTML standard has it
 * where that shows in a text; misnested ones are not moved (13.2.6.4.7). */
#pragma once

#include "parse/html/html_token.h"
#include "parse/text/text_hint.h"
#include "parse/text/text_walk.h"

/* Columns of a table; what is beyond stands in the last. */
#define CW_TEXT_MAX_COLUMNS 64u

/* One that is followed. */
typedef struct cw_text_open {
    crawl_slice name;
    const cw_text_element *element; /* NULL: one that is in no row, and hidden */
    uint32_t section;
    uint32_t wrapper;
    uint32_t table; /* of a cell, and of what is in it */
    int64_t number; /* of the next item */
    bool is_reversed;
    bool counts_down; /* a reversed list that names no start: its numbers begin at 0 until it ends */
    uint32_t items;
    uint32_t first_wrapper; /* of its items, or of what is in them */
    uint16_t column;
    bool in_cell;
    bool is_pre;
    bool hidden;
    bool unscripted; /* it is a noscript, or in one */
    uint8_t level;   /* of a heading */
    crawl_slice language;
} cw_text_open;

typedef struct cw_text_walker {
    cw_text_page *page;
    const cw_text_source *source;
    cw_text_open open[CW_TEXT_MAX_OPEN]; /* the first stands for the page itself */
    unsigned depth;                      /* of the last */
    unsigned beyond;                     /* elements of blocks that are open and not followed */
    uint32_t image_words;                /* of the block at work */
    bool has_base;
    bool in_json;   /* of JSON-LD */
    unsigned links; /* resolved */
    /* How many rows more each column of the table that was opened last is taken by a cell above, and which are in this
     * row. */
    uint16_t spans[CW_TEXT_MAX_COLUMNS];
    bool taken[CW_TEXT_MAX_COLUMNS];
} cw_text_walker;

static inline cw_text_open *cw_text_top(cw_text_walker *walk)
{
    return &walk->open[walk->depth];
}

/* The text since the last block is one, if there is any; and the next begins. CRAWL_ENOMEM. */
crawl_err cw_text_end_block(cw_text_walker *walk);
void cw_text_begin_block(cw_text_walker *walk);
/* The page ends, and with it all that is open. CRAWL_ENOMEM. */
crawl_err cw_text_end_page(cw_text_walker *walk);
/* A block of the text from start on, where the page is now. CRAWL_ENOMEM. */
crawl_err cw_text_add_block(cw_text_walker *walk, cw_text_block_kind kind, size_t start, size_t size);

/* A start tag: of an element of blocks; of any that is followed, whose text is hidden or not. CRAWL_ENOMEM. */
crawl_err cw_text_open_block(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_element *element,
                             const cw_text_attributes *attributes);
crawl_err cw_text_push(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_element *element,
                       const cw_text_attributes *attributes, bool hidden);
/* Ends the elements that the beginning of one of this role ends. CRAWL_ENOMEM. */
crawl_err cw_text_end_implied(cw_text_walker *walk, cw_text_role role);
/* The end tag of an element that is followed. CRAWL_ENOMEM. */
crawl_err cw_text_close_open(cw_text_walker *walk, crawl_slice name, const cw_text_element *element);

/* An element in a line whose text is left out, and which is followed for that reason alone. */
bool cw_text_is_left_out(const cw_text_open *entry);
