/* The lines of a robots.txt (RFC 9309, 2.2), one after the other. */
#ifndef CW_ROBOTS_LINE_H
#define CW_ROBOTS_LINE_H

#include <crawl/base.h>

/* Bytes of a line that are read; the rest of it is ignored. Eight times the 2083 bytes that browsers once took for a
 * URL: other crawlers cut there too, so that a site's owner gets one answer from all. */
enum { CW_ROBOTS_MAX_LINE = 2083 * 8 - 1 };

typedef enum cw_robots_directive {
    CW_ROBOTS_NOTHING, /* an empty line, a comment, junk */
    CW_ROBOTS_UNKNOWN, /* NAME: VALUE with a name that is none of these */
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
    crawl_slice value; /* what stands behind the colon, likewise */
    bool cut;          /* it was longer than CW_ROBOTS_MAX_LINE */
} cw_robots_line;

typedef struct cw_robots_reader {
    crawl_slice rest;
    unsigned number;
} cw_robots_reader;

/* Reads the lines of body that lie within CRAWL_ROBOTS_MAX_SIZE bytes, without a byte order mark (or the beginning of
 * one). */
cw_robots_reader cw_robots_read(crawl_slice body);

/* The next line, ended by LF, CR or CRLF. false: there is none, *line is as it was. */
bool cw_robots_next(cw_robots_reader *reader, cw_robots_line *line);

#endif
