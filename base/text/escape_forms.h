/* Escapes a stranger's text for each form of a report. Any input becomes well-formed UTF-8, in which control
 * characters, characters that change the direction of text, and characters that XML does not allow are U+FFFD. */
#ifndef CW_ESCAPE_FORMS_H
#define CW_ESCAPE_FORMS_H

#include "base/writer.h"

/* For HTML and XML, in text and in quoted values of attributes alike. */
void cw_escape_html(cw_writer *out, crawl_slice text);

/* The reference by which a character of markup is written there; NULL: it stands as it is. */
const char *cw_escape_html_of(char c);

/* Would a spreadsheet take the text for the beginning of a formula? */
bool cw_escape_is_formula(crawl_slice text);

/* Writes a field of RFC 4180, in quotes if it needs them. A leading "=", "+", "-" or "@", which spreadsheets take for
 * the beginning of a formula, gets an apostrophe before it. */
void cw_escape_csv(cw_writer *out, crawl_slice text);

#endif
