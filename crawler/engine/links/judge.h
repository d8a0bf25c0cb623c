/* Judges the URLs that one thread finds: whether they belong to the crawl, and by what key the crawl knows them. Also
 * tells how long the thread may continue with the URLs of one page. */
#pragma once

#include "base/keyed_hash.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/scope/scope.h"

#include <crawl/engine.h>
#include <crawl/fingerprint.h>
#include <crawl/url.h>

/* How long the links of a page or a sitemap may hold the loop of their thread. Its other connections, signals and
 * --max-time wait at most 20 ms on a usual machine, since there is work before the first look at the clock and after
 * the last, such as a push of up to CW_LINKS_BATCH_MAX requests. */
#define CW_LINKS_SLICE_US 15000

/* The time that one page may take before everything else in the loop has its turn. */
typedef struct cw_links_slice {
    unsigned links_a_look; /* links between two looks at the clock */
    int64_t most_us;       /* CW_LINKS_SLICE_US, except in tests */
    unsigned until_look;   /* links left until the next look */
    int64_t began_us;      /* 0: the clock was not read yet; most pages have too few links for that */
    bool spent;
} cw_links_slice;

typedef struct cw_links_judge {
    crawl_engine *engine;
    cw_scope_reader *scope;
    crawl_fingerprinter *fingerprinter;
    struct cw_links_spellings *spellings; /* borrowed; NULL: the fates of links are not remembered */
    cw_hash_secret secret;                /* of spellings of links */
    crawl_url *url;                       /* scratch for the present URL */
    crawl_buf canonical;                  /* of the URL judged last */
    bool stopped;                         /* a pattern took too many steps on that URL */
    cw_links_slice slice;
} cw_links_judge;

/* Call when the engine has its scope. CRAWL_ENOMEM; must be closed whatever is returned. */
crawl_err cw_links_judge_open(cw_links_judge *judge, crawl_engine *engine);
void cw_links_judge_close(cw_links_judge *judge);

/* Resolves a reference into url, without user and password, which would be a stranger's, and with https if its host
 * wants that. base NULL: text is absolute. CRAWL_EPARSE: not a URL; CRAWL_REFUSED: not http or https, and url is set;
 * CRAWL_ENOMEM: the engine has failed. */
crawl_err cw_links_judge_resolve(const cw_links_judge *judge, crawl_slice text, const crawl_url *base,
                                 const char *charset, crawl_url *url);

/* Makes the canonical form of an http(s) URL, in judge->canonical. CRAWL_ENOMEM: the engine has failed. */
crawl_err cw_links_judge_canonical(cw_links_judge *judge, const crawl_url *url);
/* Makes the fingerprint of judge->canonical. method empty: GET. CRAWL_ENOMEM. */
crawl_err cw_links_judge_fingerprint(cw_links_judge *judge, crawl_slice method, crawl_slice body,
                                     crawl_fingerprint *out);

/* Judges whether this http(s) URL belongs to the crawl. NEW: it does, and judge->canonical is its canonical form. The
 * trap guard counts its query. widens_scope: the URL may be out of scope, since it widens the scope. */
crawl_edge_verdict cw_links_judge_verdict(cw_links_judge *judge, const crawl_url *url, bool widens_scope);

/* Likewise, for a part of a page (crawl.requisites): it may be out of scope, and no include pattern has to match. */
crawl_edge_verdict cw_links_judge_part(cw_links_judge *judge, const crawl_url *url);

/* Begins a slice for a page or a sitemap. */
void cw_links_judge_begin_slice(cw_links_judge *judge);
/* Looks at the clock. True: the slice is over, because its time is or because the crawl has failed. */
bool cw_links_judge_look(cw_links_judge *judge);
/* Call for each link: looks at the clock from time to time. */
static inline bool cw_links_judge_spends(cw_links_judge *judge)
{
    return --judge->slice.until_look == 0 && cw_links_judge_look(judge);
}

/* Returns true if this is the origin of the URL. */
bool cw_links_judge_is_origin(const crawl_url *url, crawl_slice origin);
