/* A stranger's bytes (URLs, header names, lines of files) as messages show them. As they are they must not reach a
 * terminal: escape sequences move its cursor, change its title, or hide what stands there. */
#ifndef CW_ESCAPE_H
#define CW_ESCAPE_H

#include <crawl/base.h>

/* Appends text with each control byte (C0, DEL, the C1 characters of UTF-8, a newline too) and each byte that is no
 * UTF-8 written as \xNN. CRAWL_ENOMEM. */
crawl_err cw_escape(crawl_slice text, crawl_buf *out);

/* Takes the next character, or the bytes that make none, off *rest, which is not empty, and writes it as it may be
 * shown. Returns the bytes written. */
enum { CW_ESCAPE_PIECE = 13 }; /* three bytes that make no character, escaped, and a NUL */
size_t cw_escape_take(crawl_slice *rest, char piece[CW_ESCAPE_PIECE]);

/* Most bytes that an excerpt has, besides the "..." behind a text that is longer. */
#define CW_EXCERPT 60u

typedef struct cw_excerpt {
    char text[CW_EXCERPT + 4];
} cw_excerpt;

/* The beginning of text, escaped as by cw_escape and cut between characters, for a message that quotes it. */
cw_excerpt cw_excerpt_of(crawl_slice text);

#endif
