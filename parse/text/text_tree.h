/* What is left of a page when its text is made: blocks of text in page order, and the light tree around them. It is
 * kept in four arrays, whose elements refer to others by index, so that a page of any shape costs memory in proportion
 * to its size, up to a maximum. */
#pragma once

#include "parse/text/text_element.h"

/* Maxima per kind; a page made to exhaust memory loses the rest. Of 46,580 pages of documentation the largest has
 * 63,000 blocks. */
#define CW_TEXT_MAX_BLOCKS 200000u
#define CW_TEXT_MAX_SECTIONS 400000u
#define CW_TEXT_MAX_WRAPPERS 200000u
#define CW_TEXT_MAX_TABLES 20000u

#define CW_TEXT_NONE UINT32_MAX

/* The name of a post that is called a question or an answer. */
#define CW_TEXT_ANSWER 1u

/* The statements of a section about itself, as bits, before anything is decided. */
enum {
    CW_SECTION_HIDDEN = 1 << 0, /* not shown, or not text for a reader */
    CW_SECTION_NAV = 1 << 1,
    CW_SECTION_ASIDE = 1 << 2,
    CW_SECTION_HEADER = 1 << 3,
    CW_SECTION_FOOTER = 1 << 4,
    CW_SECTION_MAIN = 1 << 5,
    CW_SECTION_ARTICLE = 1 << 6,
    CW_SECTION_HINT = 1 << 7, /* its class or id names a part that is not content */
    CW_SECTION_LIST = 1 << 8,
    CW_SECTION_CONTROLS = 1 << 9, /* it contains a button */
    CW_SECTION_COOKIES = 1 << 10, /* its text is about cookies */
    CW_SECTION_PLAIN = 1 << 11,   /* a part of a page's frame, such as div: not of a list, a table or a paragraph */
    CW_SECTION_BODY = 1 << 12,    /* its name says that it holds the text of an article */
    CW_SECTION_ARTICLE_BODY = 1 << 13, /* itemprop=articleBody */
    CW_SECTION_COMMENTS = 1 << 14,     /* by its name, like the next: comments of readers */
    CW_SECTION_EXTRA = 1 << 15,        /* a byline, sharing links, related stories: not text of the article around it */
    CW_SECTION_CAPTION = 1 << 16,
    CW_SECTION_SURE = 1 << 17,   /* with EXTRA or CAPTION: the name means nothing else */
    CW_SECTION_LIKELY = 1 << 18, /* the same: it may mean something else, but does not say that this is text */
    CW_SECTION_ENTRY = 1 << 19,  /* a post of WordPress, whose classes are made of its categories and tags */
};

/* The verdict on a section, as bits; each applies to its contents too. */
enum { CW_VERDICT_OUT = 1, CW_VERDICT_INSIDE = 2, CW_VERDICT_IN_MAIN = 4 };

/* An element that holds others. The ones inside it have higher indices. */
typedef struct cw_text_section {
    uint32_t parent; /* CW_TEXT_NONE: the page itself */
    uint32_t flags;
    uint32_t words; /* in it and in all below, once summed up */
    uint32_t link_words;
    uint32_t weight;  /* of these, words of running text */
    uint32_t verdict; /* of the judge */
    uint32_t depth;   /* below the page itself */
    uint32_t post;    /* a hash of its name, if that is one of a post in a thread, or CW_TEXT_ANSWER; 0: it is not */
    uint32_t list;    /* the outermost list that it is in or is; CW_TEXT_NONE: none */
} cw_text_section;

typedef enum cw_text_block_kind {
    CW_BLOCK_TEXT,
    CW_BLOCK_HEADING,
    CW_BLOCK_TERM,
    CW_BLOCK_PRE,
    CW_BLOCK_RULE
} cw_text_block_kind;

typedef struct cw_text_block {
    uint32_t start; /* of its text */
    uint32_t size;
    uint32_t section;
    uint32_t wrapper; /* the innermost; CW_TEXT_NONE: none */
    uint32_t table;   /* it is in a cell of this; CW_TEXT_NONE: none */
    uint32_t row;
    uint32_t words;
    uint32_t link_words;
    uint16_t column;
    uint8_t kind;
    uint8_t level; /* of a heading */
    bool kept;
    bool is_image;     /* images, and no other text */
    char language[15]; /* of code; "": not known */
} cw_text_block;

/* The text before each line of the blocks in it: an item's marker and indent, or the mark of a quotation. */
typedef struct cw_text_wrapper {
    uint32_t parent;
    int64_t number; /* of an item of an ordered list */
    char kind;      /* '-' '1' '>' ':' */
    uint8_t depth;
    bool printed;     /* its marker */
    bool counts_down; /* from the number of items in its list, which is added when it is known */
} cw_text_wrapper;

typedef struct cw_text_table {
    uint32_t rows;    /* that are rendered */
    uint32_t columns; /* of the longest row */
    uint32_t wrapper; /* around it; CW_TEXT_NONE: none */
    bool is_layout;   /* its cells hold more than text: they are printed one after the other */
    bool has_head;    /* its first row consists of th */
} cw_text_table;

/* A growing array. */
typedef struct cw_text_array {
    void *items;
    size_t count;
    size_t capacity;
} cw_text_array;

typedef struct cw_text_tree {
    crawl_buf text; /* of all blocks, as it will be printed, without prefixes of lines */
    cw_text_array blocks;
    cw_text_array sections;
    cw_text_array wrappers;
    cw_text_array tables;
} cw_text_tree;

static inline cw_text_block *cw_text_block_at(const cw_text_tree *tree, size_t index)
{
    return (cw_text_block *)tree->blocks.items + index;
}

static inline cw_text_section *cw_text_section_at(const cw_text_tree *tree, size_t index)
{
    return (cw_text_section *)tree->sections.items + index;
}

static inline cw_text_wrapper *cw_text_wrapper_at(const cw_text_tree *tree, size_t index)
{
    return (cw_text_wrapper *)tree->wrappers.items + index;
}

static inline cw_text_table *cw_text_table_at(const cw_text_tree *tree, size_t index)
{
    return (cw_text_table *)tree->tables.items + index;
}

void cw_text_tree_free(cw_text_tree *tree);
/* Resets for the next page. most: bytes of memory that each array keeps. */
void cw_text_tree_reset(cw_text_tree *tree, size_t most);

/* Returns true if any kind has reached its maximum. */
bool cw_text_tree_is_full(const cw_text_tree *tree);

/* Returns the index after the last section in this one. All in it follow it directly. */
uint32_t cw_text_section_end(const cw_text_tree *tree, uint32_t section);

/* Append a zeroed element. *index is CW_TEXT_NONE if the maximum is reached. CRAWL_ENOMEM. */
crawl_err cw_text_tree_add_block(cw_text_tree *tree, uint32_t *index);
crawl_err cw_text_tree_add_section(cw_text_tree *tree, uint32_t *index);
crawl_err cw_text_tree_add_wrapper(cw_text_tree *tree, uint32_t *index);
crawl_err cw_text_tree_add_table(cw_text_tree *tree, uint32_t *index);
