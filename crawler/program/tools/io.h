/* What the tools share: lines in, lines out, JSON Lines with bytes in hexadecimal. */
#ifndef CW_TOOL_IO_H
#define CW_TOOL_IO_H

#include "crawler/program/tools/lines.h"

#include <jansson.h>
#include <stdio.h>

/* How messages call a file: NULL and "-" are standard input. */
const char *cw_tool_name(const char *path);

/* Opens path for reading; NULL or "-": standard input. NULL: no file that can be read, and it has said why. */
FILE *cw_tool_open(const char *tool, const char *path);
/* Not standard input. NULL does nothing. */
void cw_tool_close(FILE *file);

/* Reads path ("-" or NULL: standard input) into *out. CRAWL_FULL: it is longer than `most` bytes, and *out has the
 * first most + 1. CRAWL_EIO, CRAWL_ENOMEM: it has said why. */
crawl_err cw_tool_read(const char *tool, const char *path, size_t most, crawl_buf *out);

/* The same of a robots.txt. What is beyond CRAWL_ROBOTS_MAX_SIZE is left out, and it has said so. */
crawl_err cw_tool_read_robots(const char *tool, const char *path, crawl_buf *out);

/* Gets a line without its LF or CRLF; number counts from 1. An exit status. */
typedef int (*cw_tool_line_handler)(void *user, crawl_slice line, unsigned long number, FILE *out);

typedef struct cw_tool_input {
    const char *tool;
    const char *path;    /* NULL or "-": standard input */
    size_t longest;      /* bytes of a line; a longer one is refused with a message, and the next is read */
    const char *instead; /* what is printed for such a line; NULL: nothing */
    cw_tool_line_handler line;
    void *user;
} cw_tool_input;

/* Calls line for each line of input. out is flushed after each; when it has failed, no more lines are read. Returns the
 * first exit status that is not 0, CW_EXIT_NOTHING for a line too long, or CW_EXIT_LOCAL when input cannot be read,
 * which it has said. */
int cw_tool_lines(const cw_tool_input *input, FILE *out);

/* Why no line comes any more, said of the input where it is no end: CW_EXIT_OK or CW_EXIT_LOCAL. */
int cw_tool_end_of_lines(const char *tool, const char *name, cw_tool_line how);

/* The same for JSON Lines: answer gets each object and returns a new object to print (NULL: no memory); it may set
 * *note to a text of its own that is said of the line. A line that is no object is answered by {"error": "..."}. An
 * answer with an "error" is said on standard error and makes it CW_EXIT_NOTHING at the end. */
typedef json_t *(*cw_tool_row_handler)(void *user, const json_t *row, const char **note);
int cw_tool_jsonl(const char *tool, const char *path, FILE *out, cw_tool_row_handler answer, void *user);

/* The bytes of a text field, or of FIELD_hex decoded into storage (cleared first). data NULL: null, missing or no
 * hexadecimal. Borrowed from row or storage. */
crawl_slice cw_tool_json_bytes(const json_t *row, const char *field, crawl_buf *storage);

/* A field's text; NULL: null, missing or no text. */
const char *cw_tool_json_field(const json_t *row, const char *field);

/* A JSON string of bytes that should be UTF-8: what is broken becomes U+FFFD. data NULL gives null. */
json_t *cw_tool_json_text(crawl_slice text);

/* One line, compact, as ASCII or UTF-8 in the order the fields were set. CRAWL_EIO: out failed. */
crawl_err cw_tool_json_write(const json_t *object, FILE *out);

#endif
