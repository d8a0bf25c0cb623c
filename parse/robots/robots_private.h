/* What the files of the robots.txt parser share: the lines of a file, one after the other (RFC 9309, 2.2), and the one
 * form of paths and patterns in which they are compared (2.2.2 and 2.2.3). */
#ifndef CW_ROBOTS_PRIVATE_H
#define CW_ROBOTS_PRIVATE_H

#include <crawl/robots.h>

/* --- robots_line.c --- */

/* The most bytes of a line that are read; the rest of the line is ignored. It is eight times the 2083 bytes that
 * browsers once took for a URL: other crawlers cut there too, so that a site's owner gets the same answer from all. */
enum { CW_ROBOTS_MAX_LINE = 2083 * 8 - 1 };

typedef enum cw_robots_directive {
    CW_ROBOTS_NOTHING, /* an empty line, a comment, junk */
    CW_ROBOTS_UNKNOWN, /* NAME: VALUE with a name that is not below */
    CW_ROBOTS_USER_AGENT,
    CW_ROBOTS_ALLOW,
    CW_ROBOTS_DISALLOW,
    CW_ROBOTS_CRAWL_DELAY, /* not in the RFC */
    CW_ROBOTS_SITEMAP
} cw_robots_directive;

/* Slices are borrowed from the body. */
typedef struct cw_robots_line {
    cw_robots_directive directive;
    unsigned number;   /* from 1 */
    crawl_slice text;  /* without its comment and the white space around it */
    crawl_slice value; /* the text after the colon, trimmed too */
    bool cut;          /* it was longer than CW_ROBOTS_MAX_LINE */
} cw_robots_line;

typedef struct cw_robots_reader {
    crawl_slice rest;
    unsigned number;
} cw_robots_reader;

/* Reads the lines of body that lie within CRAWL_ROBOTS_MAX_SIZE bytes, without a byte order mark (or the beginning of
 * one). */
cw_robots_reader cw_robots_read(crawl_slice body);

/* Reads the next line, ended by LF, CR or CRLF. False: there are no more, and *line is unchanged. */
bool cw_robots_next(cw_robots_reader *reader, cw_robots_line *line);

/* --- robots_pattern.c --- */

/* Writes the normalized form of path to out, at most 3 * path.size bytes, and returns how many. Escapes of unreserved
 * bytes (RFC 3986, 2.3) are decoded, and the hex digits of other escapes become upper case. Reserved bytes stay escaped
 * or unescaped, as they are, except "*" and "$", which are escaped so that a rule can name them as %2A and %24. All
 * other bytes are escaped. pattern: "*" stays, because it is the wildcard. */
size_t cw_robots_normalize(crawl_slice path, bool pattern, char *out);

/* Does the pattern match the beginning of the path or, if anchored, the whole path? Both are normalized, and the
 * pattern comes without its "$". "*" stands for any bytes. Linear: O(pattern + path). */
bool cw_robots_match(crawl_slice pattern, bool anchored, crawl_slice path);

/* --- robots.c --- */

/* Appends the text that rules are matched with: the URL's path and, if it has a query, "?" and the query, normalized.
 * CRAWL_ENOMEM. */
crawl_err cw_robots_subject(const crawl_url *url, crawl_buf *out);

/* The verdict on a subject that cw_robots_subject made. */
crawl_robots_verdict cw_robots_decide(const crawl_robots *robots, crawl_slice subject);

#endif
