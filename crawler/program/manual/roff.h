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

/* Writes a text, or a whole line of it, and escapes all that roff would take for its own. */
void cw_program_roff_text(cw_program_roff *roff, crawl_slice text);
void cw_program_roff_line(cw_program_roff *roff, crawl_slice text);

/* Writes the title line and the section NAME. name: "crawl-url" */
void cw_program_roff_page(cw_program_roff *roff, const char *name, int section, const char *summary);
void cw_program_roff_section(cw_program_roff *roff, crawl_slice name);
/* Ends paragraph, item or literal lines. */
void cw_program_roff_end(cw_program_roff *roff);
/* Writes a line of a paragraph, or of text that stands as it is. It goes on with the paragraph or the text of the line
 * before. */
void cw_program_roff_paragraph(cw_program_roff *roff, crawl_slice text);
void cw_program_roff_literal(cw_program_roff *roff, crawl_slice text);
/* Begins an item; its words follow as lines. */
void cw_program_roff_item(cw_program_roff *roff, crawl_slice tag);

#endif
