/* Sitemaps in a crawl, and llms.txt with crawl.llms_txt, which is treated as a sitemap unless stated otherwise. When
 * the first seed of a site may be asked, and so its robots.txt is known, the sitemaps that robots.txt names and
 * /sitemap.xml are queued, ahead of all pages. They are requests like any other: they obey the pause, the limit at once
 * and the robots.txt of their host, are retried after a failure, and wait in the frontier. Sitemaps that they name are
 * queued likewise, and URLs in scope as if a seed had linked to them. A page that turns out to be a sitemap is read as
 * one too, and the URLs in it count as links of the page.
 *
 * /llms.txt is queued likewise. Its links are at its own depth, like seeds. Of its faults only "broken" and "cut"
 * count, since most sites have no llms.txt.
 *
 * Sitemaps are in the seen-set under methods of their own, so that none is read twice and a page at the same URL is
 * still a page. */
#pragma once

#include "crawler/engine/links/follow.h"
#include "crawler/engine/links/lastmods.h"
#include "crawler/engine/tags.h"

#include <crawl/sitemap.h>

/* Redirects of a sitemap, or of a place for a feed, followed in a row; as many as of a robots.txt. */
#define CW_LINKS_SITEMAPS_MAX_REDIRECTS 5u

/* Returns true if a request with this tag is for an llms.txt. */
static inline bool cw_links_sitemaps_is_llms(uint32_t tag)
{
    return (tag & (CW_ENGINE_TAG_ROBOTS | CW_ENGINE_TAG_LLMS)) == CW_ENGINE_TAG_LLMS;
}

/* Queues the sitemaps and the llms.txt of the source's site, once, if the source is a seed. Call when the source may be
 * asked. */
void cw_links_sitemaps_ask(cw_links_judge *judge, const cw_links_source *source);

/* A sitemap that is being read, in slices like pages; {0}: none. */
typedef struct cw_links_sitemap {
    cw_links_batch *batch; /* borrowed; empty between slices */
    cw_links_source source;
    crawl_sitemap *sitemap;
    crawl_slice rest;           /* of the body */
    size_t piece;               /* bytes read at once */
    bool is_cut;                /* the body is only the beginning of a longer one */
    bool is_over;               /* read to its end */
    crawl_buf memo;             /* of the present entry */
    cw_links_lastmods lastmods; /* only with revisit */
    uint8_t suspect;            /* set at its end: see lastmods.h */
    bool is_feed;               /* set at its end: it was a feed */
    cw_links_followed *followed;
} cw_links_sitemap;

/* Begins a body, which is read as a sitemap as far as it is one. Out of memory: the crawl fails. All arguments are
 * borrowed until the sitemap has been read; its counts are added to *followed. */
void cw_links_sitemaps_begin(cw_links_sitemap *sitemap, cw_links_batch *batch, const cw_links_source *source,
                             crawl_slice body, bool cut, cw_links_followed *followed);
/* Continues for the rest of the judge's slice, and pushes the URLs that the sitemap names. True: it has been read to
 * its end. */
bool cw_links_sitemaps_go_on(cw_links_sitemap *sitemap);
/* Frees its memory, however far it was read. */
void cw_links_sitemaps_stop(cw_links_sitemap *sitemap);

/* Queues the sitemap at this URL. tag: any of CW_ENGINE_TAG_GUESSED, CW_ENGINE_TAG_LLMS and the number of redirects in
 * a row. *accepted (NULL: not wanted): it was not queued before. A sitemap beyond a limit is counted as a fault, and no
 * error. */
crawl_err cw_links_sitemaps_queue(cw_links_judge *judge, const crawl_lease *lease, const crawl_url *url, uint32_t level,
                                  uint32_t tag, bool *accepted);

/* Queues the sitemap that a sitemap redirects to. location without data: the redirect has no target, which is a
 * fault. */
void cw_links_sitemaps_redirect(cw_links_judge *judge, const cw_links_source *source, crawl_slice location);
/* Counts a fault of the sitemap at this URL, whose request has this tag. */
void cw_links_sitemaps_fault(crawl_engine *engine, uint32_t tag, crawl_sitemap_fault fault, crawl_slice url);
