/* A stranger's text in a report, for each of its forms. Whatever comes in, well-formed UTF-8 comes out, in which
 * control characters, those that turn the direction of text, and those that XML does not know are U+FFFD. */
#ifndef CW_SURVEY_ESCAPE_H
#define CW_SURVEY_ESCAPE_H

#include "base/writer.h"

/* Of HTML and XML, in text and in quoted values of attributes alike. */
void cw_survey_escape_html(cw_writer *out, crawl_slice text);

/* A field of RFC 4180, in quotes where it needs them. A leading "=", "+", "-" or "@", which spreadsheets take for the
 * begin of a formula, gets an apostrophe before it. */
void cw_survey_escape_csv(cw_writer *out, crawl_slice text);

#endif
