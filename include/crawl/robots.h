/* robots.txt by RFC 9309. */
#ifndef CRAWL_ROBOTS_H
#define CRAWL_ROBOTS_H

#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a robots.txt that are read (RFC 9309, 2.5: at least 500 KiB); the rest is ignored, and so is a line that the
 * limit cuts, as its beginning could be a wider rule. A body that was cut in transfer should hold a byte more to be
 * known for it. */
#define CRAWL_ROBOTS_MAX_SIZE 512000u

/* Sitemap lines that are kept of a file, and the longest URL of one (sitemaps.org: less than 2048 bytes); others are
 * ignored. Large sites name some hundreds. */
#define CRAWL_ROBOTS_MAX_SITEMAPS 1000
#define CRAWL_ROBOTS_MAX_SITEMAP_SIZE 2048

/* Bytes of URL, 16 MiB, that the rules with "*" of one file may go over in one check. A robots.txt and a URL made to be
 * slow, 50,000 rules over 64 KiB, would take seconds a URL; 8,000 such rules over a URL of 2 KiB are not stopped. */
#define CRAWL_ROBOTS_MAX_WORK 16777216u

/* The rules of one robots.txt for one agent: only its rules are kept, 16 bytes and the text of the line for each, in
 * one block of memory. Immutable, so thread-safe, once parsed. */
typedef struct crawl_robots crawl_robots;

/* Parses body for the product token agent (RFC 9309, 2.2.1; compared without case): the groups that name it, merged;
 * where none does, the groups for "*". An empty agent has no name, so that only the groups for "*" apply. A body with a
 * byte order mark of UTF-16 is decoded. Never fails for what the bytes are. CRAWL_EINVAL: agent is neither empty nor a
 * product token ([A-Za-z_-]+). CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_robots_parse(crawl_slice body, crawl_slice agent, crawl_robots **out);
CRAWL_API void crawl_robots_free(crawl_robots *robots);

/* Bytes of memory held; at most about 3 MiB, usually below 1 KiB. */
CRAWL_API size_t crawl_robots_bytes(const crawl_robots *robots);

/* Is this a valid product token? The empty one is not. */
CRAWL_API bool crawl_robots_agent_valid(crawl_slice agent);

/* Whether a URL may be fetched, and by which rule. */
typedef struct crawl_robots_verdict {
    bool allowed;
    unsigned line;    /* of the rule that decided, from 1; 0: no rule matched */
    crawl_slice rule; /* that line as it stands without its comment, "Disallow: /a"; empty: none. Borrowed from robots.
                       */
    crawl_err err;    /* CRAWL_ENOMEM: the rules were not asked, and allowed is false */
    uint64_t reserved[1]; /* 0, for later versions */
} crawl_robots_verdict;

/* May the URL's path and query be fetched? The longest match decides, Allow where two are equally long (2.2.2); a
 * rule's length counts "*" and "$" and has the escapes of the form in which paths are compared. /robots.txt is always
 * allowed. The time is at most O(size of the rules + CRAWL_ROBOTS_MAX_WORK): matching a rule is linear, nothing is
 * tried twice. Beyond that work the answer is disallowed, with line 0. */
CRAWL_API crawl_robots_verdict crawl_robots_check(const crawl_robots *robots, const crawl_url *url);

/* Seconds asked for by Crawl-delay in the group that applies, the largest where there are several; negative: none. At
 * most 1e9. A value that is no non-negative decimal number is ignored. Not in the RFC. */
CRAWL_API double crawl_robots_delay(const crawl_robots *robots);

/* The Sitemap lines of the file, whatever their group, as they stand: not checked to be URLs. Borrowed from robots. */
CRAWL_API size_t crawl_robots_sitemap_count(const crawl_robots *robots);
CRAWL_API crawl_slice crawl_robots_sitemap(const crawl_robots *robots, size_t index);

/* Appends what is kept of the file: the rules that apply to the agent, in the order in which they are tried, as they
 * stand without their comments, a line "NUMBER: RULE" each with its number in the file. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_robots_rules(const crawl_robots *robots, crawl_buf *out);

/* The meaning of the answer to /robots.txt (2.3.1): by status, or 0 where there was none. */
typedef enum crawl_robots_effect {
    CRAWL_ROBOTS_PARSE,       /* 2xx: read the body */
    CRAWL_ROBOTS_REDIRECT,    /* 3xx with a Location: follow, at least five in a row; then as unavailable */
    CRAWL_ROBOTS_ALLOW_ALL,   /* unavailable: 4xx; after 429 a polite crawler asks again later */
    CRAWL_ROBOTS_DISALLOW_ALL /* unreachable: 5xx, network errors, and what no rule names */
} crawl_robots_effect;

/* status: of the answer, or 0. */
CRAWL_API crawl_robots_effect crawl_robots_effect_of(int status);

#ifdef __cplusplus
}
#endif
#endif
