/* robots.txt by RFC 9309. */
#ifndef CRAWL_ROBOTS_H
#define CRAWL_ROBOTS_H

#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a robots.txt that are read (RFC 9309, 2.5: at least 500 KiB). The rest is ignored, and so is a line cut by
 * the limit, since its beginning could be a wider rule. A body cut in transfer should hold one byte more, so that the
 * cut is noticed. */
#define CRAWL_ROBOTS_MAX_SIZE 512000u

/* Maximum number of Sitemap lines kept per file, and of bytes of their URLs (sitemaps.org: less than 2048); others are
 * ignored. Large sites name several hundred. */
#define CRAWL_ROBOTS_MAX_SITEMAPS 1000
#define CRAWL_ROBOTS_MAX_SITEMAP_SIZE 2048

/* Bytes of URL, 16 MiB, that the rules with "*" of one file may scan in one check. A robots.txt and a URL made to be
 * slow, 50,000 rules over 64 KiB, would take seconds per URL; 8,000 such rules over a URL of 2 KiB are within the
 * limit. */
#define CRAWL_ROBOTS_MAX_WORK 16777216u

/* The rules of one robots.txt for one agent. Only its rules are kept, each as 16 bytes and the text of the line, in one
 * block of memory. Immutable once parsed, so thread-safe. */
typedef struct crawl_robots crawl_robots;

/* Parses body for the product token agent (RFC 9309, 2.2.1; compared ignoring case): the groups that name it, merged,
 * or, if there are none, the groups for "*". With an empty agent only the groups for "*" apply. Decodes a body with a
 * UTF-16 byte order mark. No input makes it fail. CRAWL_EINVAL: agent is neither empty nor a product token
 * ([A-Za-z_-]+). CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_robots_parse(crawl_slice body, crawl_slice agent, crawl_robots **out);
CRAWL_API void crawl_robots_free(crawl_robots *robots);

/* Returns the bytes of memory held: at most about 3 MiB, usually below 1 KiB. */
CRAWL_API size_t crawl_robots_bytes(const crawl_robots *robots);

/* Returns true if this is a valid product token. The empty one is not. */
CRAWL_API bool crawl_robots_agent_valid(crawl_slice agent);

/* Whether a URL may be fetched, and by which rule. */
typedef struct crawl_robots_verdict {
    bool allowed;
    unsigned line;        /* of the rule that decided, from 1; 0: no rule matched */
    crawl_slice rule;     /* that line without its comment, as "Disallow: /a"; empty: none. Borrowed from robots */
    crawl_err err;        /* CRAWL_ENOMEM: the rules were not evaluated, and allowed is false */
    uint64_t reserved[1]; /* 0, for later versions */
} crawl_robots_verdict;

/* Decides whether the URL's path and query may be fetched. The longest match wins, and Allow if two are equally long
 * (2.2.2); a rule's length counts "*" and "$" and uses the escaped form in which paths are compared. /robots.txt is
 * always allowed. Takes at most O(size of the rules + CRAWL_ROBOTS_MAX_WORK): matching a rule is linear, without
 * backtracking. Beyond that work the URL is disallowed, with line 0. */
CRAWL_API crawl_robots_verdict crawl_robots_check(const crawl_robots *robots, const crawl_url *url);

/* Returns the Crawl-delay of the applicable group in seconds, the largest if there are several; negative: none. At most
 * 1e9. Ignores a value that is not a non-negative decimal number; milliseconds are told by their unit. Not in the
 * RFC. */
CRAWL_API double crawl_robots_delay(const crawl_robots *robots);

/* Return the Sitemap lines of the file, whatever their group, as written but without quotes or <> around them: not
 * validated as URLs. Borrowed from robots. */
CRAWL_API size_t crawl_robots_sitemap_count(const crawl_robots *robots);
CRAWL_API crawl_slice crawl_robots_sitemap(const crawl_robots *robots, size_t index);

/* Appends the rules that apply to the agent, in the order in which they are tried, as written without their comments,
 * each as a line "NUMBER: RULE" with its line number in the file. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_robots_rules(const crawl_robots *robots, crawl_buf *out);

/* The meaning of the answer to /robots.txt (2.3.1), by status. */
typedef enum crawl_robots_effect {
    CRAWL_ROBOTS_PARSE,       /* 2xx: read the body */
    CRAWL_ROBOTS_REDIRECT,    /* 3xx with a Location: follow it, at least five in a row; then as unavailable */
    CRAWL_ROBOTS_ALLOW_ALL,   /* unavailable: 4xx; after 429 a polite crawler asks again later */
    CRAWL_ROBOTS_DISALLOW_ALL /* unreachable: 5xx, network errors, and anything that no rule names */
} crawl_robots_effect;

/* Returns the effect of a status; 0: no answer. */
CRAWL_API crawl_robots_effect crawl_robots_effect_of(int status);

#ifdef __cplusplus
}
#endif
#endif
