/* What the engine knows of each site (an origin, "scheme://host:port"): its robots.txt, and whether it asked us to stay
 * away. The frontier is told of the consequences only, as blocks and pauses.
 *
 * Before anything else is asked of a site its robots.txt is: the first worker that holds a lease of an unknown site is told so by
 * CW_SITE_FETCH_ROBOTS, the others wait (CW_SITE_PENDING) until cw_sites_settle. Thread-safe. */
#ifndef CW_SITES_H
#define CW_SITES_H

#include <crawl/engine.h>
#include <crawl/robots.h>

typedef struct cw_sites cw_sites;

/* Robots verdicts are asked for again after this long (RFC 9309, 2.4). */
#define CW_ROBOTS_MAX_AGE_MS ((int64_t)24 * 3600 * 1000)

/* Redirects of /robots.txt followed in a row (RFC 9309, 2.3.1.2: at least five). */
#define CW_ROBOTS_MAX_REDIRECTS 5

cw_sites *cw_sites_create(void);
void cw_sites_free(cw_sites *sites);

typedef enum cw_site_verdict {
    CW_SITE_ALLOWED,
    CW_SITE_REFUSED,      /* not to be asked: error class and words in cw_site_answer */
    CW_SITE_FETCH_ROBOTS, /* robots.txt is to be fetched, by the caller: the site is pending now */
    CW_SITE_PENDING       /* somebody else is fetching it */
} cw_site_verdict;

typedef struct cw_site_answer {
    cw_site_verdict verdict;
    uint32_t site;                 /* index, for the calls below */
    crawl_error_class error_class; /* of REFUSED */
    char words[256];               /* of REFUSED: the rule that decided, or what happened */
} cw_site_answer;

/* May this URL of this origin be asked? without_robots: robots.txt is not obeyed. */
crawl_err cw_sites_check(cw_sites *sites, crawl_slice origin, const crawl_url *url, bool without_robots, int64_t now_ms,
                         cw_site_answer *answer);

/* The origin of a site; borrowed for ever. Empty: no such site. */
crawl_slice cw_sites_origin(cw_sites *sites, uint32_t site);

/* Appends the sitemaps that the site's robots.txt names, a line each. CRAWL_EXISTS: they were asked for before. CRAWL_ENOMEM. */
crawl_err cw_sites_sitemaps(cw_sites *sites, crawl_slice origin, crawl_buf *out);

/* Sitemaps of one site that are read; an index could name any number. */
#define CW_SITEMAPS_MAX 1000

/* Counts a sitemap of this site. CRAWL_FULL: there were CW_SITEMAPS_MAX already. CRAWL_ENOMEM. */
crawl_err cw_sites_take_sitemap(cw_sites *sites, crawl_slice origin);

/* Counts a redirect of the site's robots.txt; the number followed so far, this one included. */
unsigned cw_sites_redirected(cw_sites *sites, uint32_t site);

/* The answer about robots.txt is there. robots is taken over; NULL: all is allowed, or, with refused, nothing. */
void cw_sites_settle(cw_sites *sites, uint32_t site, crawl_robots *robots, bool refused, crawl_error_class error_class,
                     const char *words, int64_t now_ms);

/* The host asked for no request before until_ms, longer than we wait: what is queued for it is refused till then. */
crawl_err cw_sites_stay_away(cw_sites *sites, crawl_slice origin, int64_t until_ms);

#endif
