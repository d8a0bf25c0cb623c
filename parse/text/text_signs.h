/* The signs of emphasis, deletions and code of one block, kept beside its text until it ends: only then is known what
 * stands around each, and so whether a reader of Markdown takes it as it is meant (CommonMark 0.31, 6.2). */
#pragma once

#include <crawl/base.h>

/* Marks inside one another; deeper ones are left out. Pages have three or four. */
#define CW_TEXT_MAX_MARKS 16u

typedef enum cw_text_mark_kind {
    CW_MARK_LINK, /* stands in the text itself: no sign moves over its place */
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

/* A mark begins at a place of the text; index: its sign. One of its kind that has just ended there goes on instead.
 * CRAWL_ENOMEM. */
crawl_err cw_text_signs_open(cw_text_marking *signs, cw_text_mark_kind kind, size_t at, size_t *index);
/* The mark of a sign ends. CRAWL_ENOMEM. */
crawl_err cw_text_signs_close(cw_text_marking *signs, size_t index, size_t at);
/* A link or an image begins or ends there. CRAWL_ENOMEM. */
crawl_err cw_text_signs_bar(cw_text_marking *signs, size_t at);
/* Has code just ended there? */
bool cw_text_signs_code_ends(const cw_text_marking *signs, size_t at);
/* The text ends at `size` again, and signs from `count` on are gone, but for ends of what began before. */
void cw_text_signs_cut(cw_text_marking *signs, size_t count, size_t size);

/* Sets the signs into the text, which begins at `start` of out. Those of emphasis move behind or before punctuation
 * where none could stand otherwise; those that would be read as something else are left out. CRAWL_ENOMEM. */
crawl_err cw_text_signs_write(cw_text_marking *signs, crawl_buf *out, size_t start);
