/* The fence that crawl-pdf builds around itself before it reads the first byte: poppler reads what strangers made. */
#ifndef CW_PDF_FENCE_H
#define CW_PDF_FENCE_H

/* Memory, time and files are limited; then Landlock, where the kernel has it, leaves poppler's own data; then a filter
 * leaves the system calls that reading takes: no socket, no process, no file opened for writing. Returns NULL, or the
 * name of the step that failed, with errno. */
const char *cw_pdf_fence_raise(void);

#endif
