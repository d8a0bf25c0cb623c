/* Reads the lines of a text that a stranger wrote, one after the other, in bounded memory: a line that is too long is
 * skipped and reported. */
#pragma once

#include <crawl/base.h>
#include <crawl/url.h>
#include <stdio.h>

/* The longest line that holds a URL: no longer URL is read. */
#define CW_TOOL_LINE_URL_MAX ((size_t)CRAWL_URL_MAX_INPUT)

/* The longest line that holds a JSON object: room for a page of 16 MiB, the default of max_body, in hexadecimal. */
#define CW_TOOL_LINE_ROW_MAX ((size_t)64 << 20)

typedef struct cw_tool_line_reader {
    FILE *in;             /* borrowed */
    size_t longest;       /* bytes of a line, without its end */
    unsigned long number; /* of the last line, from 1 */
    bool ended;           /* that line has its LF */
    crawl_buf text;       /* of that line */
} cw_tool_line_reader;

typedef enum cw_tool_line {
    CW_LINE_READ,
    CW_LINE_TOO_LONG, /* it has been read to its end, and none of it is kept */
    CW_LINES_END,
    CW_LINES_FAILED,   /* in cannot be read: errno says why. A line that was read in part does not count. */
    CW_LINES_NO_MEMORY /* the rest of the line is what would come next */
} cw_tool_line;

/* Reads the next line, without its LF or CRLF, and without a byte order mark if it is the first. *line is set only with
 * CW_LINE_READ, and borrowed until the next call. */
cw_tool_line cw_tool_line_next(cw_tool_line_reader *lines, crawl_slice *line);
void cw_tool_line_free(cw_tool_line_reader *lines);

/* The text without the byte order mark of UTF-8 at its start, if it has one. */
crawl_slice cw_tool_without_mark(crawl_slice text);
