/* Escapes a stranger's bytes (URLs, header names, lines of files) for messages. Unescaped they must not reach a
 * terminal: escape sequences can move its cursor, change its title, or hide other text. */
#pragma once

#include "base/writer.h"

#include <crawl/base.h>

/* Appends text; each control byte (C0, DEL, the C1 characters of UTF-8, also a newline) and each byte that is not UTF-8
 * is written as \xNN. CRAWL_ENOMEM. */
crawl_err cw_escape(crawl_slice text, crawl_buf *out);

/* Removes the next character, or the bytes that are none, from *rest, which must not be empty, and writes it in a form
 * that may be shown. Returns the bytes written. */
enum { CW_ESCAPE_PIECE = 13 }; /* three bytes that make no character, escaped, and a NUL */
size_t cw_escape_take(crawl_slice *rest, char piece[CW_ESCAPE_PIECE]);

/* The most bytes of an excerpt, not counting the "..." after a text that is longer. */
#define CW_EXCERPT 60u

typedef struct cw_excerpt {
    char text[CW_EXCERPT + 4];
} cw_excerpt;

/* The beginning of text, escaped as by cw_escape and cut between characters, for a message that quotes it. */
cw_excerpt cw_excerpt_of(crawl_slice text);

/* Escapes a stranger's text for each form of a report. Any input becomes well-formed UTF-8, in which control
 * characters, characters that change the direction of text, and characters that XML does not allow are U+FFFD. */

/* For HTML and XML, in text and in quoted values of attributes alike. */
void cw_escape_html(cw_writer *out, crawl_slice text);

/* The reference by which a character of markup is written there; NULL: it stands as it is. */
const char *cw_escape_html_of(char c);

/* Would a spreadsheet take the text for the beginning of a formula? */
bool cw_escape_is_formula(crawl_slice text);

/* Writes a field of RFC 4180, in quotes if it needs them. A leading "=", "+", "-" or "@", which spreadsheets take for
 * the beginning of a formula, gets an apostrophe before it. Ends of lines and tabs become spaces. */
void cw_escape_csv(cw_writer *out, crawl_slice text);
