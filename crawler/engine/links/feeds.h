/* Feeds that nothing links to (crawl.find_feeds), looked for where feeds mostly are. When the first seed of a site may
 * be asked, the first place is queued; when its answer is no feed, the next one, until one is a feed or there are no
 * more. So at most one of them is asked at a time. Sites that are no seed's are left alone, since ten requests to each
 * of them would be a scan.
 *
 * A place is asked as a sitemap is (sitemaps.h), without a record, so that none that is missing is a broken link; and a
 * feed that was found is read as a sitemap is, and visited again as one. */
#pragma once

#include "crawler/engine/links/batch.h"
#include "crawler/engine/tags.h"

/* Is the lease of a place where a feed may be? A feed that was found is none when it is visited again. */
static inline bool cw_links_feeds_is_guess(const crawl_lease *lease)
{
    const uint32_t guess = CW_ENGINE_TAG_SITEMAP | CW_ENGINE_TAG_FEED;
    return (lease->tag & (CW_ENGINE_TAG_ROBOTS | guess)) == guess && lease->visit == 1;
}

/* To be called when the source may be asked. If it is a seed, queues the first place of its site, once. */
void cw_links_feeds_ask(cw_links_judge *judge, const cw_links_source *source);
/* Queues the place after this one, which is no feed. */
void cw_links_feeds_next(cw_links_judge *judge, const cw_links_source *source);
/* Queues what a place redirects to, or, if that leads to another site or was asked before, the next place. location
 * without data: the redirect names none. */
void cw_links_feeds_redirect(cw_links_judge *judge, const cw_links_source *source, crawl_slice location);
