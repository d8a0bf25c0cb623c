/* Input and output shared by the tools: they open and read files, read line by line, and write JSON Lines, with bytes
 * in hexadecimal. */
#pragma once

#include "base/json/json_read.h"
#include "tools/common/input_lines.h"

#include <jansson.h>
#include <stdio.h>

/* Returns the name of a file for messages: NULL and "-" are standard input. */
const char *cw_tool_name(const char *path);

/* Returns true if the text begins as a URL that a crawl or a browser would request. */
bool cw_tool_is_url(crawl_slice text);

/* Opens path for reading; NULL or "-": standard input. NULL, after a message: it cannot be read. */
FILE *cw_tool_open(const char *tool, const char *path);
/* Does the same, and decompresses (compressed.h). */
FILE *cw_tool_open_text(const char *tool, const char *path);
/* Closes a file unless it is standard input. NULL is allowed. */
void cw_tool_close(FILE *file);

/* Reads path ("-" or NULL: standard input) into *out. CRAWL_FULL: longer than `most` bytes; *out has the first most +
 * 1. CRAWL_EIO, CRAWL_ENOMEM: a message was written. */
crawl_err cw_tool_read(const char *tool, const char *path, size_t most, crawl_buf *out);

/* Returns true, after a message, if the bytes read from path are not text, for example a picture (WHATWG MIME Sniffing,
 * "distinguishing if a resource is text or binary", but a few stray control characters are no matter). For pages of
 * undeclared type and encoding. */
bool cw_tool_is_binary(const char *tool, const char *path, crawl_slice bytes);

/* Returns true, after a message, if path is a regular file, not empty, that does not begin with `begin`: a file of
 * another kind than the one to be written, such as the first of `--html *.jsonl`. option: it named path. */
bool cw_tool_is_other_file(const char *tool, const char *option, const char *path, const char *begin);

/* Reads a robots.txt as cw_tool_read does. Drops bytes beyond CRAWL_ROBOTS_MAX_SIZE, with a message. */
crawl_err cw_tool_read_robots(const char *tool, const char *path, crawl_buf *out);

/* Takes a line without its LF or CRLF; number counts from 1. Returns an exit status. */
typedef int (*cw_tool_line_handler)(void *user, crawl_slice line, unsigned long number, FILE *out);

typedef struct cw_tool_input {
    const char *tool;
    const char *path;    /* NULL or "-": standard input */
    size_t longest;      /* maximum bytes of a line; a longer one is refused with a message, and reading goes on */
    const char *instead; /* printed for such a line; NULL: nothing */
    cw_tool_line_handler line;
    void *user;
} cw_tool_input;

/* Calls line for each line of input, and flushes out after each; after a failure of that or of this machine,
 * CW_EXIT_LOCAL, reads no more. Returns the greatest exit status, with CW_EXIT_NOTHING for a line that was too long and
 * CW_EXIT_LOCAL, after a message, for input that cannot be read. */
int cw_tool_lines(const cw_tool_input *input, FILE *out);

/* Maximum bad lines of a file that a message names: in a file of another format all are bad. */
enum { CW_TOOL_BAD_LINES_NAMED = 10 };

/* Writes a message if reading failed before the end of input. Returns CW_EXIT_OK or CW_EXIT_LOCAL. */
int cw_tool_end_of_lines(const char *tool, const char *name, cw_tool_line how);

/* Does the same as cw_tool_lines for JSON Lines. answer gets each object and returns a new object to print; it may set
 * *note to a static text, which is written as a message about the line. A line that is not an object gets the answer
 * {"error": "..."}. An "error" in an answer is also written as a message, and makes the result CW_EXIT_NOTHING. */
typedef json_t *(*cw_tool_row_handler)(void *user, const json_t *row, const char **note);
int cw_tool_jsonl(const char *tool, const char *path, FILE *out, cw_tool_row_handler answer, void *user);

/* Returns the bytes of a text field, or of FIELD_hex decoded into storage (cleared first). data NULL: null, missing or
 * not hexadecimal. Borrowed from row or storage. */
crawl_slice cw_tool_json_bytes(const json_t *row, const char *field, crawl_buf *storage);

/* Returns a field's text. NULL: null, missing or not text. */
const char *cw_tool_json_field(const json_t *row, const char *field);

/* Makes a JSON string from bytes that should be UTF-8; broken sequences become U+FFFD. data NULL gives null. */
json_t *cw_tool_json_text(crawl_slice text);

/* Writes one compact line, in ASCII or UTF-8, with the fields in the order of setting. CRAWL_EIO: out failed. */
crawl_err cw_tool_json_write(const json_t *object, FILE *out);
/* Does the same to standard output, and frees the object. */
crawl_err cw_tool_json_print(json_t *object);
