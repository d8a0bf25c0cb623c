/* Judges the URLs that one thread finds: whether they belong to the crawl, and by what key the crawl knows them. Also
 * tells how long the thread may go on with the URLs of one page. */
#pragma once

#include "base/keyed_hash.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/scope/scope.h"

#include <crawl/engine.h>
#include <crawl/fingerprint.h>
#include <crawl/url.h>

/* How long the links of a page or a sitemap may hold the loop of their thread. Its other connections, signals and
 * --max-time wait for 20 ms at most on a usual machine, since there is work before the first look at the clock and
 * after the last, such as a push of up to CW_LINKS_BATCH_MAX requests. */
#define CW_LINKS_SLICE_US 15000

/* The time that one page may take, until everything else in the loop has had its turn. */
typedef struct cw_links_slice {
    unsigned links_a_look; /* how many links there are from one look at the clock to the next */
    int64_t most_us;       /* CW_LINKS_SLICE_US, but for tests */
    unsigned until_look;   /* how many of them are left */
    int64_t began_us;      /* 0: the clock was not looked at; most pages have too few links for that */
    bool spent;
} cw_links_slice;

typedef struct cw_links_judge {
    crawl_engine *engine;
    cw_scope_reader *scope;
    crawl_fingerprinter *fingerprinter;
    struct cw_links_spellings *spellings; /* borrowed; NULL: what became of links is not remembered */
    cw_hash_secret secret;                /* of spellings of links */
    crawl_url *url;                       /* for the URL at hand */
    crawl_buf canonical;                  /* of the URL that was asked about last */
    bool stopped;                         /* a pattern took too many steps on it */
    cw_links_slice slice;
} cw_links_judge;

/* To be called when the engine has its scope. CRAWL_ENOMEM; must be closed whatever is returned. */
crawl_err cw_links_judge_open(cw_links_judge *judge, crawl_engine *engine);
void cw_links_judge_close(cw_links_judge *judge);

/* Resolves a reference into url: without user and password, which would be a stranger's, and with https where its host
 * wants that. base: NULL: text is absolute. CRAWL_EPARSE: it is no URL; CRAWL_REFUSED: it is not http or https, and
 * url is set; CRAWL_ENOMEM: the engine has failed. */
crawl_err cw_links_judge_resolve(const cw_links_judge *judge, crawl_slice text, const crawl_url *base,
                                 const char *charset, crawl_url *url);

/* Makes the canonical form of an http(s) URL, in judge->canonical. CRAWL_ENOMEM: the engine has failed. */
crawl_err cw_links_judge_canonical(cw_links_judge *judge, const crawl_url *url);
/* The fingerprint over judge->canonical. method empty: GET. CRAWL_ENOMEM. */
crawl_err cw_links_judge_fingerprint(cw_links_judge *judge, crawl_slice method, crawl_slice body,
                                     crawl_fingerprint *out);

/* Does this http(s) URL belong to the crawl? NEW: it does, and its canonical form is in judge->canonical. The trap
 * guard counts its query. widens_scope: the URL need not be within the scope, which it widens. */
crawl_edge_verdict cw_links_judge_verdict(cw_links_judge *judge, const crawl_url *url, bool widens_scope);

/* The same for a part of a page (crawl.requisites): it need not be within the scope, and no include pattern has to
 * match. */
crawl_edge_verdict cw_links_judge_part(cw_links_judge *judge, const crawl_url *url);

/* Begins a slice for a page or a sitemap. */
void cw_links_judge_begin_slice(cw_links_judge *judge);
/* Looks at the clock. True: the slice is over, by its time or because the crawl has failed. */
bool cw_links_judge_look(cw_links_judge *judge);
/* To be called for each link: looks at the clock now and then. */
static inline bool cw_links_judge_spends(cw_links_judge *judge)
{
    return --judge->slice.until_look == 0 && cw_links_judge_look(judge);
}

/* Is this the origin of the URL? */
bool cw_links_judge_is_origin(const crawl_url *url, crawl_slice origin);
