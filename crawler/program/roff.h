/* Writing roff with the man macros: paragraphs, items and literal lines, each begun once, whatever comes in. The first
 * failure is kept, and nothing is written after it. */
#ifndef CW_ROFF_H
#define CW_ROFF_H

#include <crawl/base.h>

typedef enum cw_roff_mode { CW_ROFF_NONE, CW_ROFF_PARAGRAPH, CW_ROFF_ITEM, CW_ROFF_LITERAL } cw_roff_mode;

typedef struct cw_roff {
    crawl_buf *out;
    cw_roff_mode mode; /* what the line before was */
    crawl_err err;
} cw_roff;

/* As it is; with all that roff would take for its own escaped; and that as a whole line. */
void cw_roff_raw(cw_roff *roff, const char *text);
void cw_roff_text(cw_roff *roff, crawl_slice text);
void cw_roff_line(cw_roff *roff, crawl_slice text);

/* Title line, and NAME. name: "crawl-url" */
void cw_roff_page(cw_roff *roff, const char *name, int section, const char *summary);
void cw_roff_section(cw_roff *roff, crawl_slice name);
/* Ends paragraph, item or literal lines. */
void cw_roff_end(cw_roff *roff);
/* A line of a paragraph, or of text that stands as it is; it goes on with what the line before was, if that was the
 * same. */
void cw_roff_paragraph(cw_roff *roff, crawl_slice text);
void cw_roff_literal(cw_roff *roff, crawl_slice text);
/* Begins an item; its words follow as lines. */
void cw_roff_item(cw_roff *roff, crawl_slice tag);

#endif
