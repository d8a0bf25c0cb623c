/* Writes what a PDF says as an HTML page: paragraphs, and the links at their places. */
#ifndef CW_PDF_HTML_H
#define CW_PDF_HTML_H

#include "tools/pdf/pdf_text.h"

#include <stdio.h>

/* title, as HTML, may be NULL; so may the text be left out, but for the links. */
void cw_pdf_html_write(const cw_pdf_text *text, const char *title, bool has_text, FILE *out);

#endif
