/* Reads and writes cookies in Netscape's format, which curl, wget and browser exports use: each cookie is a line of
 * seven fields separated by tabs. A user's file brings a login into a crawl, and a saved store carries on in the next
 * one. */
#pragma once

#include "fetch/cookies/cookie_shard.h"

/* Longer lines are refused. Every line written is shorter: it has a host name, a path, a pair, and numbers. */
enum { CW_COOKIE_LINE_MAX = 6000 };

/* A line of a file. Its slices are parts of the file's text, except for the domain. */
typedef struct cw_cookie_entry {
    cw_cookie_words words; /* OWN is not set */
    char domain[CW_HOST_MAX + 1];
    size_t domain_size;
} cw_cookie_entry;

/* Reads the next cookie of *rest and moves *rest past it. *line counts the lines. CRAWL_DRAINED: no more cookies.
 * CRAWL_EPARSE: the line is not a cookie, and *why says why (static). */
crawl_err cw_cookie_next(crawl_slice *rest, unsigned *line, cw_cookie_entry *out, const char **why);

/* Appends the line of a cookie with its newline; nothing for a cookie without a name, which the format cannot hold.
 * CRAWL_ENOMEM. */
crawl_err cw_cookie_line(crawl_slice domain, const cw_cookie *cookie, crawl_buf *out);
