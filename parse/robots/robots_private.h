/* Shared by the files of the robots.txt parser: the lines of a file, in order (RFC 9309, 2.2), the normal form of paths
 * and patterns used to compare them (2.2.2 and 2.2.3), and a file's statements on the use of its pages. */
#pragma once

#include <crawl/robots.h>

/* --- robots_line.c --- */

/* The most bytes of a line that are read; the rest is ignored. It is eight times the 2083 bytes that browsers once took
 * for a URL: other crawlers cut there too, so that a site's owner gets the same answer from all. */
enum { CW_ROBOTS_MAX_LINE = 2083 * 8 - 1 };

typedef enum cw_robots_directive {
    CW_ROBOTS_NOTHING, /* an empty line, a comment, junk */
    CW_ROBOTS_UNKNOWN, /* NAME: VALUE with any other name */
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
    bool blank;        /* it is empty, without even a comment */
} cw_robots_line;

typedef struct cw_robots_reader {
    crawl_slice rest;
    unsigned number;
} cw_robots_reader;

/* Begins to read the lines of body within CRAWL_ROBOTS_MAX_SIZE bytes, without a byte order mark (or the beginning of
 * one). */
cw_robots_reader cw_robots_read(crawl_slice body);

/* Reads the next line, ended by LF, CR or CRLF. false: there are no more, and *line is unchanged. */
bool cw_robots_next(cw_robots_reader *reader, cw_robots_line *line);

/* --- robots_pattern.c --- */

/* Writes the normalized form of path to out, at most 3 * path.size bytes, and returns how many. Escapes of unreserved
 * bytes (RFC 3986, 2.3) are decoded, and the hex digits of other escapes become upper case. Reserved bytes stay escaped
 * or unescaped, as they are, except "*" and "$", which are escaped so that a rule can name them as %2A and %24. All
 * other bytes are escaped. pattern: "*" stays, because it is the wildcard. */
size_t cw_robots_normalize(crawl_slice path, bool pattern, char *out);

/* Returns true if the pattern matches the beginning of the path or, if anchored, the whole path. Both are normalized,
 * and the pattern comes without its "$". "*" stands for any bytes. Linear: O(pattern + path). */
bool cw_robots_match(crawl_slice pattern, bool anchored, crawl_slice path);

/* --- robots_says.c --- */

/* The most lines about use kept per file; others are ignored. Each is matched with the path of each page. */
#define CW_ROBOTS_MAX_SAYINGS 1000u

/* A line's statement on the use of pages, packed into a crawl_robots: offsets into its text. */
typedef struct cw_robots_saying {
    uint32_t line;
    uint32_t value;
    uint32_t path; /* raw; of CONTENT_USAGE and CONTENT_SIGNAL */
    uint32_t pattern;
    uint16_t value_size;
    uint16_t path_size; /* 0: it is for all pages */
    uint16_t pattern_size;
    uint8_t directive; /* CONTENT_USAGE, CONTENT_SIGNAL or LICENSE */
    uint8_t scope;     /* of LICENSE: cw_robots_scope */
    uint8_t anchored;  /* the pattern had a "$" at its end, which was removed */
} cw_robots_saying;

/* The agents that a License line is for (RSL 1.0, 4.3). */
typedef enum cw_robots_scope {
    CW_ROBOTS_FOR_GROUP,
    CW_ROBOTS_FOR_ALL,
    CW_ROBOTS_AFTER_GROUP,         /* after a blank line of the agent's group: for all, if no rule follows it */
    CW_ROBOTS_AFTER_GROUP_OF_OTHER /* likewise of another group */
} cw_robots_scope;

/* Collects these lines for one agent. Groups are separated as in RFC 9309, except that these lines are rules too; for
 * Allow and Disallow they are not, so they change no verdict. */
typedef struct cw_robots_says {
    bool in_group;
    bool applies;  /* the group of the present line is kept */
    bool closed;   /* it has rules */
    bool blank;    /* a blank line follows the last rule */
    bool pending;  /* there are licences after a group */
    crawl_buf all; /* cw_robots_saying[] */
} cw_robots_says;

/* Takes the next line of the file. named: it is a User-agent line that names the agent. Text is appended to *text.
 * CRAWL_ENOMEM. */
crawl_err cw_robots_says_line(cw_robots_says *says, const cw_robots_line *line, bool named, crawl_buf *text);

/* Takes the path off the front of a value of Content-Usage or Content-Signal; empty: there is none. It ends before the
 * first blank. */
crawl_slice cw_robots_take_path(crawl_slice *value);

/* Decides which agents licences are for. Call after the last line. */
void cw_robots_says_end(cw_robots_says *says);

/* --- robots.c --- */

/* Returns the lines about use, in the order of the file, and the text that they point into. */
const cw_robots_saying *cw_robots_sayings(const crawl_robots *robots, size_t *count, const char **text);

/* Appends the text that rules are matched with: the URL's path and, if it has a query, "?" and the query, normalized.
 * CRAWL_ENOMEM. */
crawl_err cw_robots_subject(const crawl_url *url, crawl_buf *out);

/* Returns the verdict on a subject that cw_robots_subject made. */
crawl_robots_verdict cw_robots_decide(const crawl_robots *robots, crawl_slice subject);
