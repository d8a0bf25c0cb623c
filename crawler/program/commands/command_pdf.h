/* PDFs that tools are given in place of pages. */
#ifndef CW_COMMAND_PDF_H
#define CW_COMMAND_PDF_H

#include <crawl/base.h>

/* If what was read from path is a PDF, puts the page that crawl-pdf makes of it in its place. An exit status: of one
 * that cannot be read after a message. */
int cw_command_read_pdf(const char *tool, const char *path, crawl_buf *bytes);

#endif
