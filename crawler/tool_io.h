/* What the tools share: lines in, lines out, JSON Lines with bytes in hexadecimal. */
#ifndef CW_TOOL_IO_H
#define CW_TOOL_IO_H

#include <crawl/base.h>
#include <jansson.h>
#include <stdio.h>

/* Opens path for reading; NULL or "-": standard input. NULL: it has said why on standard error. */
FILE *cw_tool_open(const char *tool, const char *path);

/* Reads the whole of path ("-" or NULL: standard input) into *out. CRAWL_EIO: it has said why. */
crawl_err cw_tool_read(const char *tool, const char *path, crawl_buf *out);

/* Calls line for each line of in, without its LF or CRLF; number counts from 1. out is flushed after each.
 * line returns an exit status; the first that is not 0 is returned at the end, or CW_EXIT_LOCAL at once when out fails. */
typedef int (*cw_line_handler)(void *user, crawl_slice line, unsigned long number, FILE *out);
int cw_tool_lines(const char *tool, FILE *in, FILE *out, cw_line_handler line, void *user);

/* The same for JSON Lines: answer gets each object and returns a new object to print (NULL: no memory). A line that is no
 * object is answered by {"error": "..."}, with a message on standard error and CW_EXIT_NOTHING at the end. */
typedef json_t *(*cw_row_handler)(void *user, const json_t *row);
int cw_tool_jsonl(const char *tool, FILE *in, FILE *out, cw_row_handler answer, void *user);

/* The bytes of a text field, or of FIELD_hex decoded into storage (cleared first). data NULL: null, missing or no hexadecimal.
 * Borrowed from row or storage. */
crawl_slice cw_json_bytes(const json_t *row, const char *field, crawl_buf *storage);

/* A field's text; NULL: null, missing or no text. */
const char *cw_json_field(const json_t *row, const char *field);

/* A JSON string of bytes that should be UTF-8: what is broken becomes U+FFFD. data NULL gives null. */
json_t *cw_json_text(crawl_slice text);

/* Appends the same as JSON text, in quotes; "" for no data. CRAWL_ENOMEM. */
crawl_err cw_json_append_text(crawl_buf *out, crawl_slice text);

/* One line, compact, as ASCII or UTF-8 in the order the fields were set. CRAWL_EIO: out failed. */
crawl_err cw_json_write(const json_t *object, FILE *out);

#endif
