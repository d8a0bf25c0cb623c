/* Writes the text of one block: collapses its white space, counts its words, and in Markdown escapes what would be
 * taken for markup and sets the marks of links, emphasis and code. A mark is adjacent to text, never to a space or
 * another block, wherever the page has its tags. */
#pragma once

#include "parse/text/text_signs.h"

/* Digits in <sup> and <sub>, which would be taken for part of the number before them. */
typedef enum cw_text_shift { CW_SHIFT_NONE, CW_SHIFT_RAISED, CW_SHIFT_LOWERED } cw_text_shift;

typedef struct cw_text_mark {
    uint8_t kind;
    bool written;  /* its beginning is in the text */
    bool is_local; /* a link to a place on its own page, or to nowhere: only its text is written */
    bool leads_on; /* a link to a page, whose words count as its own */
    size_t at;     /* where it began */
    size_t sign;   /* its own among the signs; of a link: how many there were */
    size_t href;   /* of a link: place and size in hrefs */
    size_t href_size;
} cw_text_mark;

/* Nested elements of a formula; deeper ones are taken for their parent. */
#define CW_TEXT_MAX_PARTS 32u

/* An open element of a formula. */
typedef struct cw_text_part {
    crawl_slice name;
    uint8_t layout;    /* see text_formula.c */
    unsigned children; /* that have begun */
    unsigned tokens;   /* numbers, names and signs in it */
    size_t at;         /* where its text begins */
} cw_text_part;

typedef struct cw_text_writer {
    crawl_buf *out;
    bool markdown;
    size_t most; /* bytes of out */
    crawl_buf hrefs;
    cw_text_marking signs; /* of the block */
    cw_text_mark marks[CW_TEXT_MAX_MARKS];
    unsigned mark_count;
    unsigned links;    /* of them */
    unsigned leading;  /* of these, links to pages */
    unsigned brackets; /* of these, links whose text is in brackets */
    unsigned codes;
    /* Of the current block: */
    size_t start;
    bool is_plain; /* in a heading, where emphasis says nothing */
    bool is_pre;
    bool space;      /* before what comes next */
    bool line;       /* likewise a new line */
    bool after_line; /* of code that an element held */
    bool in_word;
    uint8_t letters; /* of the word, in a script without spaces */
    uint8_t byte;    /* the last one that is not ASCII */
    uint8_t shift;   /* cw_text_shift of what comes next */
    bool in_reading; /* of a ruby */
    bool after_reading;
    size_t shifted_at; /* after the last shifted digit */
    uint32_t words;
    uint32_t link_words;
    /* The formula that is open in the block: the state before it, and its open elements. */
    struct {
        bool is_open;
        bool space;
        bool line;
        size_t at;
        size_t signs;
        uint32_t words;
        uint32_t link_words;
        cw_text_part parts[CW_TEXT_MAX_PARTS];
        unsigned depth;
        size_t sign_end; /* after the last sign that tells elements apart */
        size_t apart_at; /* after a fraction or limits, from which an operand is parted */
    } formula;
} cw_text_writer;

/* Begins a page; forgets everything. */
void cw_text_writer_reset(cw_text_writer *writer, crawl_buf *out, bool markdown, size_t most);
void cw_text_writer_free(cw_text_writer *writer);

/* Returns true if the block has no text yet. */
static inline bool cw_text_writer_is_empty(const cw_text_writer *writer)
{
    return writer->out->size == writer->start;
}

/* Begins a block after the contents of out. */
void cw_text_writer_begin(cw_text_writer *writer, bool is_pre, bool is_plain);
/* Ends the block: closes open marks, which are set again in the next. CRAWL_ENOMEM. */
crawl_err cw_text_writer_end(cw_text_writer *writer);

/* Takes decoded text. CRAWL_ENOMEM. */
crawl_err cw_text_writer_add(cw_text_writer *writer, crawl_slice text);
/* End a word; end a line. CRAWL_ENOMEM. */
static inline void cw_text_writer_space(cw_text_writer *writer)
{
    writer->space = true;
    writer->in_word = false;
}

crawl_err cw_text_writer_break(cw_text_writer *writer);
/* Begin and end a line of code that is an element. CRAWL_ENOMEM. */
crawl_err cw_text_writer_begin_line(cw_text_writer *writer);
crawl_err cw_text_writer_end_line(cw_text_writer *writer);
/* Begin and end the reading of a ruby, which is separated from its base and from what follows. No effect: there is
 * none to end. */
void cw_text_writer_begin_reading(cw_text_writer *writer);
void cw_text_writer_end_reading(cw_text_writer *writer);
/* Raises or lowers the next digits, if they follow a digit. */
void cw_text_writer_shift(cw_text_writer *writer, cw_text_shift shift);
/* Writes an image by its alternative text; src: empty: not known. CRAWL_ENOMEM. */
crawl_err cw_text_writer_image(cw_text_writer *writer, crawl_slice alt, crawl_slice src);

/* Removes the text from `at` on, with the signs from `count` on; marks that began in it begin again. */
void cw_text_writer_cut(cw_text_writer *writer, size_t at, size_t count);

/* Opens a mark. href: of a link, resolved; empty: it is local. leads_on: it is not an address of mail or telephone.
 * CRAWL_ENOMEM. */
crawl_err cw_text_writer_open(cw_text_writer *writer, cw_text_mark_kind kind, crawl_slice href, bool leads_on);
/* Ends the innermost mark of the kind; those inside it continue. CRAWL_ENOMEM. */
crawl_err cw_text_writer_close(cw_text_writer *writer, cw_text_mark_kind kind);
