/* Cookies in Netscape's format, as curl, wget and browsers' exports have it: a cookie is a line of seven fields, apart
 * by tabs. */
#ifndef CW_COOKIE_FILE_H
#define CW_COOKIE_FILE_H

#include "fetch/cookies/cookie_shard.h"

/* Longer a line is not read. What is written is shorter: a name of a host, a path, a pair, and numbers. */
enum { CW_COOKIE_LINE_MAX = 6000 };

/* A line of a file. Its slices are those of the text, but for the domain. */
typedef struct cw_cookie_entry {
    cw_cookie_words words; /* OWN is not set */
    char domain[CW_HOST_MAX + 1];
    size_t domain_size;
} cw_cookie_entry;

/* The next cookie of *rest, which moves behind it. *line counts lines. CRAWL_DRAINED: there is none. CRAWL_EPARSE: the
 * line is none, and *why says so (static). */
crawl_err cw_cookie_next(crawl_slice *rest, unsigned *line, cw_cookie_entry *out, const char **why);

/* Appends the line of a cookie with its end; nothing for one without a name, which the format cannot hold.
 * CRAWL_ENOMEM. */
crawl_err cw_cookie_line(crawl_slice domain, const cw_cookie *cookie, crawl_buf *out);

#endif
