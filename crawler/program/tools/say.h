/* What the program says to a person, on standard error. Messages quote bytes of strangers (URLs, header names, lines of
 * files), which must not reach a terminal as they are: escape sequences move its cursor, change its title, or hide what
 * stands there. */
#ifndef CW_TOOL_SAY_H
#define CW_TOOL_SAY_H

#include <crawl/base.h>
#include <stdio.h>

/* One line, "crawl: MESSAGE", or "crawl TOOL: MESSAGE" where tool is not NULL, escaped as by cw_escape. */
void cw_say(const char *tool, const char *format, ...) CRAWL_PRINTF(2, 3);

/* Appends text with each control byte (C0, DEL, the C1 characters of UTF-8, a newline too) and each byte that is no
 * UTF-8 written as \xNN. CRAWL_ENOMEM. */
crawl_err cw_escape(crawl_slice text, crawl_buf *out);

/* The same, printed. */
void cw_escape_print(crawl_slice text, FILE *out);

/* Length of the well-formed UTF-8 sequence that text begins with; 0: there is none. */
size_t cw_utf8_size(crawl_slice text);

#endif
