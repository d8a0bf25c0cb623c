/* Reads the lines of strangers' texts in bounded memory: a line that is too long is skipped and reported. */
#pragma once

#include <crawl/base.h>
#include <crawl/url.h>
#include <stdio.h>

/* Maximum length of a line with a URL; longer URLs are not read. */
#define CW_TOOL_LINE_URL_MAX ((size_t)CRAWL_URL_MAX_INPUT)

/* Maximum length of a line with a JSON object: room for a page of 16 MiB, the default of max_body, in hexadecimal. */
#define CW_TOOL_LINE_ROW_MAX ((size_t)64 << 20)

typedef struct cw_tool_line_reader {
    FILE *in;             /* borrowed */
    size_t longest;       /* maximum bytes of a line, without its end */
    unsigned long number; /* of the last line, counted from 1 */
    bool ended;           /* the last line has its LF */
    crawl_buf text;       /* of the last line */
} cw_tool_line_reader;

typedef enum cw_tool_line {
    CW_LINE_READ,
    CW_LINE_TOO_LONG, /* read to its end, and discarded */
    CW_LINES_END,
    CW_LINES_FAILED,   /* in cannot be read: errno says why. A partly read line does not count. */
    CW_LINES_NO_MEMORY /* the rest of the line would come next */
} cw_tool_line;

/* Reads the next line, without LF or CRLF, and without a byte order mark in the first line. *line is set only for
 * CW_LINE_READ, and borrowed until the next call. */
cw_tool_line cw_tool_line_next(cw_tool_line_reader *lines, crawl_slice *line);
void cw_tool_line_free(cw_tool_line_reader *lines);

/* Returns the text without a leading UTF-8 byte order mark. */
crawl_slice cw_tool_without_mark(crawl_slice text);
