/* Shared by the files of the robots.txt parser: the lines of a file, one after the other (RFC 9309, 2.2), the one form
 * of paths and patterns in which they are compared (2.2.2 and 2.2.3), and what a file says of the use of its pages. */
#pragma once

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
    CW_ROBOTS_SITEMAP,
    CW_ROBOTS_CONTENT_USAGE, /* this and the next two: robots_says.c */
    CW_ROBOTS_CONTENT_SIGNAL,
    CW_ROBOTS_LICENSE
} cw_robots_directive;

/* Slices are borrowed from the body. */
typedef struct cw_robots_line {
    cw_robots_directive directive;
    unsigned number;   /* from 1 */
    crawl_slice text;  /* without its comment and the white space around it */
    crawl_slice value; /* the text after the colon, trimmed too */
    bool cut;          /* it was longer than CW_ROBOTS_MAX_LINE */
    bool blank;        /* nothing stands on it, not even a comment */
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

/* --- robots_says.c --- */

/* Lines about use that are kept of a file; others are ignored. Each is held against the path of each page. */
#define CW_ROBOTS_MAX_SAYINGS 1000u

/* A line's statement on the use of pages, as it is packed into a crawl_robots: offsets into its text. */
typedef struct cw_robots_saying {
    uint32_t line;
    uint32_t value;
    uint32_t path; /* as it stands; of CONTENT_USAGE and CONTENT_SIGNAL */
    uint32_t pattern;
    uint16_t value_size;
    uint16_t path_size; /* 0: it is for all pages */
    uint16_t pattern_size;
    uint8_t directive; /* CONTENT_USAGE, CONTENT_SIGNAL or LICENSE */
    uint8_t scope;     /* of LICENSE: cw_robots_scope */
    uint8_t anchored;  /* the pattern had a "$" at its end, which is not part of it any more */
} cw_robots_saying;

/* For whom a License line is (RSL 1.0, 4.3). */
typedef enum cw_robots_scope {
    CW_ROBOTS_FOR_GROUP,
    CW_ROBOTS_FOR_ALL,
    CW_ROBOTS_AFTER_GROUP,         /* behind a blank line of the agent's group: for all, if no rule comes after it */
    CW_ROBOTS_AFTER_GROUP_OF_OTHER /* likewise of another group */
} cw_robots_scope;

/* Gathers these lines for one agent. Groups are told apart as RFC 9309 has it, but that these lines are rules too; for
 * Allow and Disallow they are none, so that no verdict changes by them. */
typedef struct cw_robots_says {
    bool in_group;
    bool applies;  /* the group of the present line is kept */
    bool closed;   /* it has rules */
    bool blank;    /* a blank line stands behind the last rule */
    bool pending;  /* there are licences behind a group */
    crawl_buf all; /* cw_robots_saying[] */
} cw_robots_says;

/* Takes in the next line of the file. named: it is a User-agent line that names the agent. Text is appended to *text.
 * CRAWL_ENOMEM. */
crawl_err cw_robots_says_line(cw_robots_says *says, const cw_robots_line *line, bool named, crawl_buf *text);

/* Takes the path off the front of a value of Content-Usage or Content-Signal; empty: there is none. It ends before the
 * first blank. */
crawl_slice cw_robots_take_path(crawl_slice *value);

/* After the last line: decides for whom licences are. */
void cw_robots_says_end(cw_robots_says *says);

/* --- robots.c --- */

/* The lines about use that are kept, in the order of the file, and the text that they point into. */
const cw_robots_saying *cw_robots_sayings(const crawl_robots *robots, size_t *count, const char **text);

/* Appends the text that rules are matched with: the URL's path and, if it has a query, "?" and the query, normalized.
 * CRAWL_ENOMEM. */
crawl_err cw_robots_subject(const crawl_url *url, crawl_buf *out);

/* The verdict on a subject that cw_robots_subject made. */
crawl_robots_verdict cw_robots_decide(const crawl_robots *robots, crawl_slice subject);
