/* Sitemaps in a crawl, and with crawl.llms_txt llms.txt, which is treated as one unless said otherwise. When the first
 * seed of a site may be asked, and so its robots.txt is known, the sitemaps that robots.txt names and /sitemap.xml are
 * queued, ahead of all pages. They are requests like any other: they keep to the pause, to the limit at once and to the
 * robots.txt of their host, are asked for again after a failure, and wait in the frontier. Sitemaps that they name are
 * queued likewise, and URLs in scope as if a seed had linked to them. A page that turns out to be a sitemap is read as
 * one too, and what it names is as if the page had linked to it.
 *
 * /llms.txt is queued likewise, its links are at its own depth, as seeds are, and none of its faults counts but
 * that it is broken or cut: most sites have none.
 *
 * They are in the seen-set under methods of their own, so that none is read twice and a page at the same URL is still
 * a page. */
#pragma once

#include "crawler/engine/links/follow.h"
#include "crawler/engine/links/lastmods.h"
#include "crawler/engine/tags.h"

#include <crawl/sitemap.h>

/* Is this the tag of a request for an llms.txt? */
static inline bool cw_links_sitemaps_is_llms(uint32_t tag)
{
    return (tag & (CW_ENGINE_TAG_ROBOTS | CW_ENGINE_TAG_LLMS)) == CW_ENGINE_TAG_LLMS;
}

/* To be called when the source may be asked. If it is a seed, queues the sitemaps and the llms.txt of its site, once.
 */
void cw_links_sitemaps_ask(cw_links_judge *judge, const cw_links_source *source);

/* A sitemap that is read, in slices as pages are; {0}: none. */
typedef struct cw_links_sitemap {
    cw_links_batch *batch; /* borrowed; empty between slices */
    cw_links_source source;
    crawl_sitemap *sitemap;
    crawl_slice rest;           /* of the body */
    size_t piece;               /* bytes of it that are read at once */
    bool is_cut;                /* the body is the beginning of a longer one */
    bool is_over;               /* it has been read to its end */
    crawl_buf memo;             /* of the entry at hand */
    cw_links_lastmods lastmods; /* with revisit alone */
    uint8_t suspect;            /* once it is over: see lastmods.h */
    bool is_feed;               /* likewise: it was one */
    cw_links_followed *followed;
} cw_links_sitemap;

/* Begins with a body, which is read as a sitemap as far as it is one. Without memory the crawl fails. All that is given
 * is borrowed until the sitemap was read, and its counts are added to *followed. */
void cw_links_sitemaps_begin(cw_links_sitemap *sitemap, cw_links_batch *batch, const cw_links_source *source,
                             crawl_slice body, bool cut, cw_links_followed *followed);
/* Goes on for what is left of the judge's slice, and pushes what the sitemap names. True: it has been read to its end.
 */
bool cw_links_sitemaps_go_on(cw_links_sitemap *sitemap);
/* Gives its memory back, however far it was read. */
void cw_links_sitemaps_stop(cw_links_sitemap *sitemap);

/* Queues the sitemap at this URL. tag: CW_ENGINE_TAG_GUESSED, or the number of redirects in a row. *accepted (NULL: not
 * wanted): it was not queued before. Errors other than those of memory and the frontier are counted as faults. */
crawl_err cw_links_sitemaps_queue(cw_links_judge *judge, const crawl_lease *lease, const crawl_url *url, uint32_t level,
                                  uint32_t tag, bool *accepted);

/* Queues the sitemap that a sitemap redirects to. location without data: the redirect names none, which is a fault. */
void cw_links_sitemaps_redirect(cw_links_judge *judge, const cw_links_source *source, crawl_slice location);
/* Counts what is wrong with the sitemap at this URL, whose request has this tag. */
void cw_links_sitemaps_fault(crawl_engine *engine, uint32_t tag, crawl_sitemap_fault fault, crawl_slice url);
