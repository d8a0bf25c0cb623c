/* The signs of emphasis, deletions and code of one block, kept beside its text until it ends: only then are the
 * surroundings of each sign known, and so whether a Markdown reader takes it as it is meant (CommonMark 0.31, 6.2). */
#pragma once

#include <crawl/base.h>

/* Nested marks; deeper ones are dropped. Pages have three or four. */
#define CW_TEXT_MAX_MARKS 16u

typedef enum cw_text_mark_kind {
    CW_MARK_LINK, /* in the text itself: no sign moves over its place */
    CW_MARK_STRONG,
    CW_MARK_EMPHASIS,
    CW_MARK_CODE,
    CW_MARK_DELETED
} cw_text_mark_kind;

typedef struct cw_text_sign {
    size_t at;   /* in the text */
    size_t pair; /* the sign at the other end */
    uint8_t kind;
    bool opens;
    bool dropped;
} cw_text_sign;

typedef struct cw_text_marking {
    cw_text_sign *list; /* in the order of their places */
    size_t count;
    size_t capacity;
    crawl_buf made; /* a text with its signs */
} cw_text_marking;

void cw_text_signs_free(cw_text_marking *signs);

/* Begins a mark at a place of the text; *index: its sign. A mark of its kind that has just ended there continues
 * instead. CRAWL_ENOMEM. */
crawl_err cw_text_signs_open(cw_text_marking *signs, cw_text_mark_kind kind, size_t at, size_t *index);
/* Ends the mark of a sign. CRAWL_ENOMEM. */
crawl_err cw_text_signs_close(cw_text_marking *signs, size_t index, size_t at);
/* Notes that a link or an image begins or ends there. CRAWL_ENOMEM. */
crawl_err cw_text_signs_bar(cw_text_marking *signs, size_t at);
/* Returns true if code has just ended there. */
bool cw_text_signs_code_ends(const cw_text_marking *signs, size_t at);
/* Cuts the text back to `size`, and drops signs from `count` on, except ends of marks that began before. */
void cw_text_signs_cut(cw_text_marking *signs, size_t count, size_t size);

/* Inserts the signs into the text, which begins at `start` of out. Signs of emphasis move across punctuation if they
 * could not stand otherwise; signs that would be read as something else are dropped. CRAWL_ENOMEM. */
crawl_err cw_text_signs_write(cw_text_marking *signs, crawl_buf *out, size_t start);
