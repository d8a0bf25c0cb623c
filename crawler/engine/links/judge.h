/* Judges the URLs that one thread comes upon: whether they belong to the crawl, and by what key it knows them; and
 * tells how long it may go on with those of one page. */
#ifndef CW_LINKS_JUDGE_H
#define CW_LINKS_JUDGE_H

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

/* The time that is given to one page, until the others of the loop have theirs. */
typedef struct cw_links_slice {
    unsigned links_a_look; /* the clock is looked at so often */
    int64_t most_us;       /* CW_LINKS_SLICE_US, but for tests */
    unsigned until_look;   /* links */
    int64_t began_us;      /* 0: before the first look, which most pages do not come to */
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
    bool stopped;                         /* a pattern could not tell of it */
    cw_links_slice slice;
} cw_links_judge;

/* After the engine's scope is there. CRAWL_ENOMEM; close it whatever is returned. */
crawl_err cw_links_judge_open(cw_links_judge *judge, crawl_engine *engine);
void cw_links_judge_close(cw_links_judge *judge);

/* Resolves a reference into url: without user and password, which would be a stranger's, and with https where its host
 * wants that. base: NULL: text is absolute. CRAWL_EPARSE: no URL; CRAWL_REFUSED: not http or https, but url is set;
 * CRAWL_ENOMEM. */
crawl_err cw_links_judge_resolve(const cw_links_judge *judge, crawl_slice text, const crawl_url *base,
                                 const char *charset, crawl_url *url);

/* The canonical form of an http(s) URL into judge->canonical. CRAWL_ENOMEM. */
crawl_err cw_links_judge_canonical(cw_links_judge *judge, const crawl_url *url);
/* The fingerprint over judge->canonical. method empty: GET. CRAWL_ENOMEM. */
crawl_err cw_links_judge_fingerprint(cw_links_judge *judge, crawl_slice method, crawl_slice body,
                                     crawl_fingerprint *out);

/* Does this http(s) URL belong to the crawl? NEW: it does, and its canonical form is in judge->canonical. Counts its
 * query. widens_scope: its scope is not asked for. */
crawl_edge_verdict cw_links_judge_verdict(cw_links_judge *judge, const crawl_url *url, bool widens_scope);

/* The same for a part of a page (crawl.requisites): it need not be within the scope, and no include pattern has to
 * match. */
crawl_edge_verdict cw_links_judge_part(cw_links_judge *judge, const crawl_url *url);

/* A page or a sitemap is begun or gone on with. */
void cw_links_judge_begin_slice(cw_links_judge *judge);
/* Looks at the clock. True: the slice is spent, by its time or since the crawl has failed. */
bool cw_links_judge_look(cw_links_judge *judge);
/* To be called for each link: looks at the clock now and then. */
static inline bool cw_links_judge_spends(cw_links_judge *judge)
{
    return --judge->slice.until_look == 0 && cw_links_judge_look(judge);
}

/* Is this the origin of the URL? */
bool cw_links_judge_is_origin(const crawl_url *url, crawl_slice origin);

#endif
