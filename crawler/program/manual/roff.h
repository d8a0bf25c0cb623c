/* Writing roff with the man macros: paragraphs, items and literal lines. Where one ends and the next begins is noticed
 * here, so that callers hand over one line after the other. */
#ifndef CW_ROFF_H
#define CW_ROFF_H

#include "base/writer.h"

typedef enum cw_program_roff_mode {
    CW_ROFF_NONE,
    CW_ROFF_PARAGRAPH,
    CW_ROFF_ITEM,
    CW_ROFF_LITERAL
} cw_program_roff_mode;

typedef struct cw_program_roff {
    cw_writer to;
    cw_program_roff_mode mode; /* of the line before */
} cw_program_roff;

/* Text, and a whole line of it, with all that roff would take for its own escaped. */
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
