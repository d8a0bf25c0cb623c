/* Escapes untrusted bytes (URLs, header names, lines of files) for messages. Unescaped they must not reach a terminal:
 * escape sequences can move its cursor, change its title, or hide other text. */
#pragma once

#include "base/writer.h"

#include <crawl/base.h>

/* Appends text; writes each control byte (C0, DEL, the C1 characters of UTF-8, also a newline) and each byte that is
 * not UTF-8 as \xNN. CRAWL_ENOMEM. */
crawl_err cw_escape(crawl_slice text, crawl_buf *out);

/* Removes the next character, or invalid bytes, from *rest, which must not be empty, and writes it in printable form.
 * Returns the bytes written. */
enum { CW_ESCAPE_PIECE = 13 }; /* three invalid bytes, escaped, and a NUL */
size_t cw_escape_take(crawl_slice *rest, char piece[CW_ESCAPE_PIECE]);

/* Maximum bytes of an excerpt, without the "..." that follows a longer text. */
#define CW_EXCERPT 60u

typedef struct cw_excerpt {
    char text[CW_EXCERPT + 4];
} cw_excerpt;

/* Returns the beginning of text, escaped as by cw_escape and cut between characters, to be quoted in a message. */
cw_excerpt cw_excerpt_of(crawl_slice text);

/* Escapes untrusted text for each form of a report. Any input becomes well-formed UTF-8, in which control characters,
 * overrides of the direction of text, and characters that XML does not allow are U+FFFD; its embeddings and isolates
 * are dropped. */

/* For HTML and XML, both in text and in quoted attribute values. */
void cw_escape_html(cw_writer *out, crawl_slice text);

/* Returns the reference that replaces a markup character; NULL: the character needs none. */
const char *cw_escape_html_of(char c);

/* Returns true if a spreadsheet would take the text for the beginning of a formula. */
bool cw_escape_is_formula(crawl_slice text);

/* Writes a field of RFC 4180, in quotes if it needs them. Puts an apostrophe before a leading "=", "+", "-" or "@",
 * which spreadsheets take for the beginning of a formula. Newlines and tabs become spaces. */
void cw_escape_csv(cw_writer *out, crawl_slice text);
