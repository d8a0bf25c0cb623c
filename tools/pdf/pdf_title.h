/* The title of a PDF. */
#ifndef CW_PDF_TITLE_H
#define CW_PDF_TITLE_H

#include "tools/pdf/pdf_text.h"

/* That of its metadata, XMP or Info, unless it is a program's or a file's name; else what its first page has in the
 * largest type. HTML; to be freed by g_free. NULL: there is none. */
char *cw_pdf_title(PopplerDocument *document, const cw_pdf_text *text);

#endif
