/* The robots.txt of each host, as far as the engine knows it, and whether the host asked us to stay away. A site is
 * this part of a host's record. The frontier is told of the consequences only, as blocks and pauses.
 *
 * Before anything else is asked of a site its robots.txt is: the first worker that holds a lease of an unknown site is
 * told so by CW_SITE_FETCH_ROBOTS, the others wait (CW_SITE_PENDING) until cw_host_sites_settle. Thread-safe.
 *
 * With a durable frontier all of it but who is pending is kept in the notes of its hosts, where the next process finds
 * it; and beyond a budget of memory those sites that were asked about longest ago leave it, and are read from their
 * notes when they are asked about again. */
#pragma once

#include "crawler/engine/host/handover.h"
#include "crawler/engine/host/host_table.h"

#include <crawl/engine.h>
#include <crawl/preferences.h>

typedef struct cw_host_sites cw_host_sites;

/* Robots verdicts are asked for again after this long (RFC 9309, 2.4). */
#define CW_HOST_ROBOTS_MAX_AGE_MS ((int64_t)24 * 3600 * 1000)

/* Redirects of /robots.txt followed in a row (RFC 9309, 2.3.1.2: at least five). */
#define CW_HOST_ROBOTS_MAX_REDIRECTS 5

typedef struct cw_host_sites_options {
    crawl_frontier *kept; /* where sites are kept, borrowed; NULL: in memory alone, all of them */
    const char *agent;    /* for which a robots.txt that was kept is read; borrowed */
    uint64_t max_bytes;   /* memory for sites that are kept elsewhere */
    bool asks_tdmrep;     /* tdmrep.json is to be known too before anything else is asked; that there is none is kept */
} cw_host_sites_options;

/* NULL: no memory. To be freed before the records whose sites it has. */
cw_host_sites *cw_host_sites_create(const cw_host_sites_options *options);
void cw_host_sites_free(cw_host_sites *sites);

/* Below, CRAWL_ENOMEM, CRAWL_EIO and CRAWL_ECORRUPT may come of any call that returns crawl_err: those of the notes. */

typedef enum cw_host_site_verdict {
    CW_SITE_ALLOWED,
    CW_SITE_REFUSED,      /* not to be asked: error class and words in cw_host_site_answer */
    CW_SITE_FETCH_ROBOTS, /* robots.txt is to be fetched, by the caller: the site is pending now */
    CW_SITE_FETCH_TDMREP, /* likewise tdmrep.json */
    CW_SITE_PENDING       /* somebody else is fetching it */
} cw_host_site_verdict;

typedef struct cw_host_site_answer {
    cw_host_site_verdict verdict;
    crawl_error_class error_class; /* of REFUSED */
    bool speaks;                   /* of ALLOWED: cw_host_sites_preferences has something to add */
    char words[256];               /* of REFUSED: the rule that decided, or what happened */
} cw_host_site_answer;

/* May this URL of this host be asked? without_robots: robots.txt is not obeyed. */
crawl_err cw_host_sites_check(cw_host_sites *sites, cw_host_record *host, const crawl_url *url, bool without_robots,
                              int64_t now_ms, cw_host_site_answer *answer);

/* Ends the asking for tdmrep.json, which is taken over. NULL: there is none; for other processes too, if that is
 * certain. */
crawl_err cw_host_sites_settle_tdmrep(cw_host_sites *sites, cw_host_record *host, crawl_tdmrep *tdmrep,
                                      bool is_certain);

/* Does the robots.txt that is known of the site allow this URL? False also where none is known, or there is no memory.
 */
bool cw_host_sites_allows(cw_host_sites *sites, cw_host_record *host, const crawl_url *url);

/* Adds what the site says of the use of this URL of it. Nothing where that is not known any more. */
crawl_err cw_host_sites_preferences(cw_host_sites *sites, cw_host_record *host, const crawl_url *url,
                                    crawl_preferences *preferences);

/* The pace of a site, as its note has it. */
typedef struct cw_host_site_pace {
    double crawl_delay;    /* of its robots.txt, seconds; negative: none */
    int64_t hold_until_ms; /* no request before */
} cw_host_site_pace;

/* Tells the pace once for each record, in which the caller keeps it. CRAWL_ABSENT: it was told, or there is no note. */
crawl_err cw_host_sites_recalled(cw_host_sites *sites, cw_host_record *host, cw_host_site_pace *out);

/* Makes the site pending, whose robots.txt was leased. *first: it was not pending yet. */
crawl_err cw_host_sites_asking(cw_host_sites *sites, cw_host_record *host, bool *first);

/* Appends the sitemaps that the site's robots.txt names, a line each. CRAWL_EXISTS: they were asked for before. */
crawl_err cw_host_sites_sitemaps(cw_host_sites *sites, cw_host_record *host, crawl_buf *out);
/* The sitemaps are queued: the next process need not ask for them. */
crawl_err cw_host_sites_sitemaps_queued(cw_host_sites *sites, cw_host_record *host);

/* Sitemaps of one site that are read; an index could name any number. */
#define CW_HOST_SITEMAPS_MAX 1000

/* Counts a sitemap of this site. CRAWL_FULL: there were CW_HOST_SITEMAPS_MAX already. The count is kept in
 * steps: for the next process a step that was begun is used up. */
crawl_err cw_host_sites_take_sitemap(cw_host_sites *sites, cw_host_record *host);
/* Takes back the count of a sitemap that is not queued, since it was queued before or the queue is full. */
crawl_err cw_host_sites_return_sitemap(cw_host_sites *sites, cw_host_record *host);

/* Revisits of pages of the site in a row that the lastmod of a sitemap has caused and that found no change. From this
 * many on the site's dates are not believed (lastmods.h). */
#define CW_HOST_VAIN_MAX 3u
crawl_err cw_host_sites_vain(cw_host_sites *sites, cw_host_record *host, unsigned *out);
/* Counts such a revisit; one that found a change begins the count anew. It is kept. */
crawl_err cw_host_sites_hinted(cw_host_sites *sites, cw_host_record *host, bool changed);

/* The outcome of asking for robots.txt. */
typedef struct cw_host_site_settlement {
    crawl_slice body;     /* of robots.txt, where there is one */
    crawl_robots *robots; /* parsed from it, taken over; NULL: all is allowed, or, with refused, nothing */
    bool refused;
    crawl_error_class error_class; /* of refused */
    const char *words;             /* of refused; may be NULL */
    int64_t lasts_ms;              /* 0: CW_HOST_ROBOTS_MAX_AGE_MS */
} cw_host_site_settlement;

/* Ends the asking with this outcome. A host that was given up is so for this process alone: that is not kept. */
crawl_err cw_host_sites_settle(cw_host_sites *sites, cw_host_record *host, const cw_host_site_settlement *settlement,
                               int64_t now_ms);

/* The host wants no request before until_ms. That is kept for the next process, and for a site that is read again; in
 * this process the pacer keeps to it. An earlier date than the one that is kept changes nothing. */
crawl_err cw_host_sites_hold(cw_host_sites *sites, cw_host_record *host, int64_t until_ms);

/* The same for a date that the crawl does not wait for: requests that are queued for the host are refused until then.
 */
crawl_err cw_host_sites_stay_away(cw_host_sites *sites, cw_host_record *host, int64_t until_ms);

/* Facts of a site, for a person who looks at it: nothing is requested for that. url: what the
 * answer is about, or NULL; its verdict is never PENDING. text gets the rules that are kept, a line each with its
 * number in the file, or the reason why nothing may be asked. */
typedef struct cw_host_site_look {
    crawl_host_robots robots;
    bool is_pending;
    int64_t expires_ms;
    cw_host_site_answer answer;
} cw_host_site_look;
crawl_err cw_host_sites_look(cw_host_sites *sites, cw_host_record *host, const crawl_url *url, int64_t now_ms,
                             cw_host_site_look *out, crawl_buf *text);

/* Is the site's robots.txt being asked for? Under the host's lock. */
bool cw_host_sites_is_pending(const cw_host_record *host);
/* The record of the host goes away: its site does, too. Nobody may use either any more. */
void cw_host_sites_forget(cw_host_sites *sites, cw_host_record *host);

/* Sites in memory, and the bytes they take; the records of their hosts are not counted. */
void cw_host_sites_held(cw_host_sites *sites, size_t *count, uint64_t *bytes);
