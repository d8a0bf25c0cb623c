/* The contents of a PDF: the lines of its pages in reading order, and its links, each at its text. */
#pragma once

#include <poppler.h>
#include <stdbool.h>
#include <stdio.h>

/* A link on a piece of text. */
typedef struct cw_pdf_span {
    size_t at, size;
    const char *url; /* as in the PDF; in cw_pdf_text.urls */
} cw_pdf_span;

/* Positions are in points, from the top left corner of the page. */
typedef struct cw_pdf_line {
    size_t at, size;     /* in cw_pdf_text.bytes */
    size_t first, spans; /* its spans */
    double left, top, right, bottom;
    int page;         /* from 0 */
    bool is_left_out; /* its text, but not its links: a header, footer or page number */
} cw_pdf_line;

typedef struct cw_pdf_text {
    GString *bytes; /* UTF-8 */
    GArray *lines;  /* cw_pdf_line */
    GArray *spans;  /* cw_pdf_span */
    GStringChunk *urls;
    size_t letters;  /* characters other than white space */
    size_t unmapped; /* among letters: private ones, or of a font without their meaning */
    int pages;
    int pages_read; /* the text of the others was not read: see cw_pdf_text_read */
} cw_pdf_text;

/* Reads all pages. After `seconds` of processor time it reads only their links. */
void cw_pdf_text_read(PopplerDocument *document, double seconds, cw_pdf_text *text);

/* Leaves out texts at the top or bottom of at least three pages that differ only in numbers. */
void cw_pdf_text_leave_out(cw_pdf_text *text);

static inline cw_pdf_line *cw_pdf_text_line(const cw_pdf_text *text, size_t i)
{
    return &g_array_index(text->lines, cw_pdf_line, i);
}

/* Raises the fence before the first byte of a stranger is read: limits memory, time and file sizes; then Landlock, if
 * the kernel has it, leaves only poppler's data; then a filter leaves the system calls that reading needs: no socket,
 * no process, no file opened for writing. Returns NULL, or the name of the failed step, with errno. */
const char *cw_pdf_fence_raise(void);

/* Writes the contents of a PDF as an HTML page: paragraphs, with links in their places. title, as HTML, may be NULL.
 * has_text false: only the links. */
void cw_pdf_html_write(const cw_pdf_text *text, const char *title, bool has_text, FILE *out);

/* Returns the title from the metadata, XMP or Info, unless it is the name of a program or file, otherwise the text in
 * the largest type on the first page. HTML; free with g_free. NULL: none. */
char *cw_pdf_title(PopplerDocument *document, const cw_pdf_text *text);
