/* Feeds that nothing links to (crawl.find_feeds), looked for in the usual places. When the first seed of a site may be
 * asked, the first place is queued; if its answer is not a feed, the next one, until one is a feed or none is left. So
 * at most one of them is asked at a time. Sites without a seed are left alone, since ten requests to each would be a
 * scan.
 *
 * A place is asked like a sitemap (sitemaps.h), without a record, so that a missing one is not a broken link. A feed
 * that was found is read and visited again like a sitemap. */
#pragma once

#include "crawler/engine/links/batch.h"
#include "crawler/engine/tags.h"

/* Returns true if the lease is for a place where a feed may be. On later visits a feed that was found is no guess. */
static inline bool cw_links_feeds_is_guess(const crawl_lease *lease)
{
    const uint32_t guess = CW_ENGINE_TAG_SITEMAP | CW_ENGINE_TAG_FEED;
    return (lease->tag & (CW_ENGINE_TAG_ROBOTS | guess)) == guess && lease->visit == 1;
}

/* Queues the first place of the source's site, once, if the source is a seed. Call when the source may be asked. */
void cw_links_feeds_ask(cw_links_judge *judge, const cw_links_source *source);
/* Queues the place after this one, which is not a feed. */
void cw_links_feeds_next(cw_links_judge *judge, const cw_links_source *source);
/* Queues the target of a place's redirect or, if it is on another host or was asked before, the next place. location
 * without data: the redirect has no target. */
void cw_links_feeds_redirect(cw_links_judge *judge, const cw_links_source *source, crawl_slice location);
