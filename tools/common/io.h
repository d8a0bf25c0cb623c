/* Shared by the tools, for input and output: they open and read files, read line by line, and write JSON Lines, with
 * bytes in hexadecimal. */
#pragma once

#include "base/json/json_read.h"
#include "tools/common/input_lines.h"

#include <jansson.h>
#include <stdio.h>

/* The name of a file in messages: NULL and "-" are standard input. */
const char *cw_tool_name(const char *path);

/* Does the text begin as a URL that a crawl, or a browser, would ask a server for? */
bool cw_tool_is_url(crawl_slice text);

/* Opens path for reading; NULL or "-": standard input. Returns NULL, after a message, if it cannot be read. */
FILE *cw_tool_open(const char *tool, const char *path);
/* The same, and what is compressed is read as what it holds (compressed.h). */
FILE *cw_tool_open_text(const char *tool, const char *path);
/* Closes a file unless it is standard input. NULL does nothing. */
void cw_tool_close(FILE *file);

/* Reads path ("-" or NULL: standard input) into *out. CRAWL_FULL: it is longer than `most` bytes, and *out has the
 * first most + 1. CRAWL_EIO, CRAWL_ENOMEM: a message was written. */
crawl_err cw_tool_read(const char *tool, const char *path, size_t most, crawl_buf *out);

/* Is what was read from path no text, as a picture is (WHATWG MIME Sniffing, "distinguishing if a resource is text or
 * binary")? Then a message was written. For pages whose type and encoding nobody has said. */
bool cw_tool_is_binary(const char *tool, const char *path, crawl_slice bytes);

/* The same for a robots.txt. Bytes beyond CRAWL_ROBOTS_MAX_SIZE are left out, with a message. */
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

/* Calls line for each line of input. out is flushed after each; if that fails, no more lines are read. Returns the
 * first exit status that is not 0, CW_EXIT_NOTHING if a line was too long, or CW_EXIT_LOCAL, after a message, if input
 * cannot be read. */
int cw_tool_lines(const cw_tool_input *input, FILE *out);

/* Writes a message if reading ended by a failure and not at the end of the input: CW_EXIT_OK or CW_EXIT_LOCAL. */
int cw_tool_end_of_lines(const char *tool, const char *name, cw_tool_line how);

/* The same for JSON Lines: answer gets each object and returns a new object to print; it may set
 * *note to a text of its own, which is written as a message about the line. A line that is no object is answered by
 * {"error": "..."}. An answer with an "error" is also written as a message, and the result is CW_EXIT_NOTHING. */
typedef json_t *(*cw_tool_row_handler)(void *user, const json_t *row, const char **note);
int cw_tool_jsonl(const char *tool, const char *path, FILE *out, cw_tool_row_handler answer, void *user);

/* The bytes of a text field, or of FIELD_hex decoded into storage (cleared first). data NULL: the field is null,
 * missing or not hexadecimal. Borrowed from row or storage. */
crawl_slice cw_tool_json_bytes(const json_t *row, const char *field, crawl_buf *storage);

/* A field's text; NULL: it is null, missing or no text. */
const char *cw_tool_json_field(const json_t *row, const char *field);

/* A JSON string of bytes that should be UTF-8: broken sequences become U+FFFD. data NULL gives null. */
json_t *cw_tool_json_text(crawl_slice text);

/* Writes one compact line, in ASCII or UTF-8, with the fields in the order in which they were set. CRAWL_EIO: out
 * failed. */
crawl_err cw_tool_json_write(const json_t *object, FILE *out);
/* The same to standard output; the object is given. */
crawl_err cw_tool_json_print(json_t *object);
