/* robots.txt by RFC 9309. */
#ifndef CRAWL_ROBOTS_H
#define CRAWL_ROBOTS_H

#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a robots.txt that are read; the rest is ignored (RFC 9309, 2.5: at least 500 KiB). */
#define CRAWL_ROBOTS_MAX_SIZE (500u * 1024)

/* What one robots.txt says to one agent. Immutable, so thread-safe, once parsed. */
typedef struct crawl_robots crawl_robots;

/* Parses body for the product token agent (RFC 9309, 2.2.1; compared without case). Never fails for what the
 * bytes are. CRAWL_EINVAL: agent is no product token ([A-Za-z_-]+). */
CRAWL_API crawl_err crawl_robots_parse(crawl_slice body, crawl_slice agent, crawl_robots **out);
CRAWL_API void crawl_robots_free(crawl_robots *robots);

/* Is this a valid product token? */
CRAWL_API bool crawl_robots_agent_valid(crawl_slice agent);

typedef struct crawl_robots_verdict {
    bool allowed;
    unsigned line;    /* of the rule that decided, from 1; 0: no rule matched */
    crawl_slice rule; /* that line as it stands without its comment, "Disallow: /a"; empty: none. Borrowed from robots. */
} crawl_robots_verdict;

/* The longest match decides, Allow where two are equally long (2.2.2). /robots.txt is always allowed. */
CRAWL_API crawl_robots_verdict crawl_robots_check(const crawl_robots *robots, const crawl_url *url);

/* Seconds asked for by Crawl-delay in the group that applies; negative: none. Not in the RFC. */
CRAWL_API double crawl_robots_delay(const crawl_robots *robots);

/* The Sitemap lines of the file, whatever their group, as they stand. */
CRAWL_API size_t crawl_robots_sitemap_count(const crawl_robots *robots);
CRAWL_API crawl_slice crawl_robots_sitemap(const crawl_robots *robots, size_t index);

/* What the answer to /robots.txt means (2.3.1): by status, or 0 where there was none. */
typedef enum crawl_robots_effect {
    CRAWL_ROBOTS_PARSE,       /* 2xx: read the body */
    CRAWL_ROBOTS_REDIRECT,    /* 3xx with a Location: follow, at least five in a row; then as unavailable */
    CRAWL_ROBOTS_ALLOW_ALL,   /* unavailable: 4xx */
    CRAWL_ROBOTS_DISALLOW_ALL /* unreachable: 5xx, network errors, and what no rule names */
} crawl_robots_effect;

CRAWL_API crawl_robots_effect crawl_robots_effect_of(int status);

#ifdef __cplusplus
}
#endif
#endif
