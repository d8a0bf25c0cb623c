/* The contents of a PDF: the lines of its pages in their reading order, and its links, each at the text it is on. */
#pragma once

#include <poppler.h>
#include <stdbool.h>
#include <stdio.h>

/* A link on a piece of the text. */
typedef struct cw_pdf_span {
    size_t at, size;
    const char *url; /* as the PDF has it; of cw_pdf_text.urls */
} cw_pdf_span;

/* Places are in points, from the top left of the page. */
typedef struct cw_pdf_line {
    size_t at, size;     /* in cw_pdf_text.bytes */
    size_t first, spans; /* its spans */
    double left, top, right, bottom;
    int page;         /* from 0 */
    bool is_left_out; /* its text, but not its links: a header, a footer, a page number */
} cw_pdf_line;

typedef struct cw_pdf_text {
    GString *bytes; /* UTF-8 */
    GArray *lines;  /* cw_pdf_line */
    GArray *spans;  /* cw_pdf_span */
    GStringChunk *urls;
    size_t letters;  /* characters that are no white space */
    size_t unmapped; /* of these: private, or of a font that does not say what they mean */
    int pages;
    int pages_read; /* the text of the others was not: see cw_pdf_text_read */
} cw_pdf_text;

/* Reads all pages; after so much of the processor's time, their links alone. */
void cw_pdf_text_read(PopplerDocument *document, double seconds, cw_pdf_text *text);

/* Leaves out what stands at the top or bottom of three pages or more, but for its numbers. */
void cw_pdf_text_leave_out(cw_pdf_text *text);

static inline cw_pdf_line *cw_pdf_text_line(const cw_pdf_text *text, size_t i)
{
    return &g_array_index(text->lines, cw_pdf_line, i);
}

/* Raises the fence before the first byte of a stranger is read: memory, time and files are limited; then Landlock,
 * where the kernel has it, leaves poppler's own data; then a filter leaves the system calls that reading takes: no
 * socket, no process, no file opened for writing. Returns NULL, or the name of the step that failed, with errno. */
const char *cw_pdf_fence_raise(void);

/* Writes what a PDF says as an HTML page: paragraphs, and the links at their places. title, as HTML, may be NULL; so
 * may the text be left out, but for the links. */
void cw_pdf_html_write(const cw_pdf_text *text, const char *title, bool has_text, FILE *out);

/* That of its metadata, XMP or Info, unless it is a program's or a file's name; else what its first page has in the
 * largest type. HTML; to be freed by g_free. NULL: there is none. */
char *cw_pdf_title(PopplerDocument *document, const cw_pdf_text *text);
