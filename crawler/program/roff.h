/* Writing roff with the man macros: paragraphs, items and literal lines, each begun once, whatever comes in. The first
 * failure is kept, and nothing is written after it. */
#ifndef CW_ROFF_H
#define CW_ROFF_H

#include <crawl/base.h>

typedef enum cw_program_roff_mode {
    CW_ROFF_NONE,
    CW_ROFF_PARAGRAPH,
    CW_ROFF_ITEM,
    CW_ROFF_LITERAL
} cw_program_roff_mode;

typedef struct cw_program_roff {
    crawl_buf *out;
    cw_program_roff_mode mode; /* what the line before was */
    crawl_err err;
} cw_program_roff;

/* As it is; with all that roff would take for its own escaped; and that as a whole line. */
void cw_program_roff_raw(cw_program_roff *roff, const char *text);
void cw_program_roff_text(cw_program_roff *roff, crawl_slice text);
void cw_program_roff_line(cw_program_roff *roff, crawl_slice text);

/* Title line, and NAME. name: "crawl-url" */
void cw_program_roff_page(cw_program_roff *roff, const char *name, int section, const char *summary);
void cw_program_roff_section(cw_program_roff *roff, crawl_slice name);
/* Ends paragraph, item or literal lines. */
void cw_program_roff_end(cw_program_roff *roff);
/* A line of a paragraph, or of text that stands as it is; it goes on with what the line before was, if that was the
 * same. */
void cw_program_roff_paragraph(cw_program_roff *roff, crawl_slice text);
void cw_program_roff_literal(cw_program_roff *roff, crawl_slice text);
/* Begins an item; its words follow as lines. */
void cw_program_roff_item(cw_program_roff *roff, crawl_slice tag);

#endif
