/* The robots.txt of each host, as far as the engine knows it, and whether the host asked us to stay away. A site is
 * this part of a host's record. The frontier is told only of the consequences, as blocks and pauses.
 *
 * Before anything else is asked of a site, its robots.txt is fetched. The first worker with a lease of an unknown site
 * gets CW_SITE_FETCH_ROBOTS; the others wait (CW_SITE_PENDING) until cw_host_sites_settle. Thread-safe.
 *
 * With a durable frontier everything except who is pending is kept in the notes of its hosts, where the next process
 * finds it. Beyond a budget of memory the sites asked about longest ago leave memory; they are read from their notes
 * when they are asked about again. */
#pragma once

#include "crawler/engine/host/handover.h"
#include "crawler/engine/host/host_table.h"

#include <crawl/engine.h>
#include <crawl/preferences.h>

typedef struct cw_host_sites cw_host_sites;

/* Robots verdicts are asked for again after this time (RFC 9309, 2.4). */
#define CW_HOST_ROBOTS_MAX_AGE_MS ((int64_t)24 * 3600 * 1000)

/* Redirects of /robots.txt followed in a row (RFC 9309, 2.3.1.2: at least five). */
#define CW_HOST_ROBOTS_MAX_REDIRECTS 5

typedef struct cw_host_sites_options {
    crawl_frontier *kept; /* where sites are kept, borrowed; NULL: in memory only, all of them */
    const char *agent;    /* the agent for which a kept robots.txt is read; borrowed */
    uint64_t max_bytes;   /* memory for sites that are kept in the frontier */
    bool asks_tdmrep;     /* tdmrep.json must be known too before anything else is asked; its absence is kept */
} cw_host_sites_options;

/* NULL: out of memory. Free it before the records of its sites. */
cw_host_sites *cw_host_sites_create(const cw_host_sites_options *options);
void cw_host_sites_free(cw_host_sites *sites);

/* Any function below that returns crawl_err may return the errors of notes: CRAWL_ENOMEM, CRAWL_EIO, CRAWL_ECORRUPT. */

typedef enum cw_host_site_verdict {
    CW_SITE_ALLOWED,
    CW_SITE_REFUSED,      /* must not be asked: see error_class and words of cw_host_site_answer */
    CW_SITE_FETCH_ROBOTS, /* the caller must fetch robots.txt: the site is pending now */
    CW_SITE_FETCH_TDMREP, /* likewise tdmrep.json */
    CW_SITE_PENDING       /* somebody else is fetching it */
} cw_host_site_verdict;

typedef struct cw_host_site_answer {
    cw_host_site_verdict verdict;
    crawl_error_class error_class; /* REFUSED only */
    bool speaks;                   /* ALLOWED only: cw_host_sites_preferences has something to add */
    char words[256];               /* REFUSED only: the rule that decided, or what happened */
} cw_host_site_answer;

/* Tells whether this URL of this host may be asked. without_robots: robots.txt is not obeyed; without_tdmrep: the URL
 * is not used, so tdmrep.json does not matter. */
crawl_err cw_host_sites_check(cw_host_sites *sites, cw_host_record *host, const crawl_url *url, bool without_robots,
                              bool without_tdmrep, int64_t now_ms, cw_host_site_answer *answer);

/* Ends the fetch of tdmrep.json, which is taken over. NULL: there is none; if is_certain, for other processes too. */
crawl_err cw_host_sites_settle_tdmrep(cw_host_sites *sites, cw_host_record *host, crawl_tdmrep *tdmrep,
                                      bool is_certain);

/* Returns true if the known robots.txt of the site allows this URL. False also if none is known, or out of memory. */
bool cw_host_sites_allows(cw_host_sites *sites, cw_host_record *host, const crawl_url *url);

/* Adds what the site says about the use of this URL of it; adds nothing if that is no longer known. */
crawl_err cw_host_sites_preferences(cw_host_sites *sites, cw_host_record *host, const crawl_url *url,
                                    crawl_preferences *preferences);

/* The pace of a site, according to its note. */
typedef struct cw_host_site_pace {
    double crawl_delay;    /* of its robots.txt, seconds; negative: none */
    int64_t hold_until_ms; /* no request before this time */
} cw_host_site_pace;

/* Tells the pace once per record; the caller keeps it. CRAWL_ABSENT: already told, or there is no note. */
crawl_err cw_host_sites_recalled(cw_host_sites *sites, cw_host_record *host, cw_host_site_pace *out);

/* Makes the site, whose robots.txt was leased, pending. *first: it was not pending before. */
crawl_err cw_host_sites_asking(cw_host_sites *sites, cw_host_record *host, bool *first);

/* Appends the sitemaps that the site's robots.txt names, one per line. CRAWL_EXISTS: they were asked for before. */
crawl_err cw_host_sites_sitemaps(cw_host_sites *sites, cw_host_record *host, crawl_buf *out);
/* Notes that the sitemaps are queued: the next process need not ask for them. */
crawl_err cw_host_sites_sitemaps_queued(cw_host_sites *sites, cw_host_record *host);

/* The most sitemaps that are read of one site; an index could name any number. */
#define CW_HOST_SITEMAPS_MAX 1000

/* Counts a sitemap of this site. CRAWL_FULL: CW_HOST_SITEMAPS_MAX are counted already. The count is kept in steps: for
 * the next process a started step is used up. */
crawl_err cw_host_sites_take_sitemap(cw_host_sites *sites, cw_host_record *host);
/* Takes back the count of a sitemap that is not queued, since it was queued before or the queue is full. */
crawl_err cw_host_sites_return_sitemap(cw_host_sites *sites, cw_host_record *host);

/* Vain revisits in a row after which the site's dates are not believed (lastmods.h). A revisit is vain if the lastmod
 * of a sitemap caused it and it found no change. */
#define CW_HOST_VAIN_MAX 3u
crawl_err cw_host_sites_vain(cw_host_sites *sites, cw_host_record *host, unsigned *out);
/* Counts such a revisit; one that found a change resets the count. The count is kept. */
crawl_err cw_host_sites_hinted(cw_host_sites *sites, cw_host_record *host, bool changed);

/* The outcome of fetching robots.txt. */
typedef struct cw_host_site_settlement {
    crawl_slice body;     /* of robots.txt, if there is one */
    crawl_robots *robots; /* parsed from it, taken over; NULL: everything is allowed or, if refused, nothing */
    bool refused;
    crawl_error_class error_class; /* valid if refused */
    const char *words;             /* valid if refused; may be NULL */
    int64_t lasts_ms;              /* 0: CW_HOST_ROBOTS_MAX_AGE_MS */
} cw_host_site_settlement;

/* Ends the fetch with this outcome. That a host was given up holds for this process only, and is not kept. */
crawl_err cw_host_sites_settle(cw_host_sites *sites, cw_host_record *host, const cw_host_site_settlement *settlement,
                               int64_t now_ms);

/* Keeps the host's wish for no request before until_ms, for the next process and for a site that is read again; in this
 * process the pacer enforces it. A date earlier than the kept one changes nothing. */
crawl_err cw_host_sites_hold(cw_host_sites *sites, cw_host_record *host, int64_t until_ms);

/* Likewise, for a date that the crawl does not wait for: until then, requests queued for the host are refused. */
crawl_err cw_host_sites_stay_away(cw_host_sites *sites, cw_host_record *host, int64_t until_ms);

/* Describes a site for a person, without requesting anything. url: the URL that answer is about, or NULL; its verdict
 * is never PENDING. text gets the rules in force, one per line with its number in the file, or the reason why nothing
 * may be asked. */
typedef struct cw_host_site_look {
    crawl_host_robots robots;
    bool is_pending;
    int64_t expires_ms;
    cw_host_site_answer answer;
} cw_host_site_look;
crawl_err cw_host_sites_look(cw_host_sites *sites, cw_host_record *host, const crawl_url *url, int64_t now_ms,
                             cw_host_site_look *out, crawl_buf *text);

/* Returns true while the site's robots.txt is being asked for. Call with the host locked. */
bool cw_host_sites_is_pending(const cw_host_record *host);
/* Drops the site of a host that another process may ask from now on; its note is the truth then. A pending one
 * stays. */
void cw_host_sites_leave(cw_host_sites *sites, cw_host_record *host);
/* Drops the site of a host whose record goes away. Neither may be in use. */
void cw_host_sites_forget(cw_host_sites *sites, cw_host_record *host);

/* Returns the number of sites in memory and their bytes, without the records of their hosts. */
void cw_host_sites_held(cw_host_sites *sites, size_t *count, uint64_t *bytes);
