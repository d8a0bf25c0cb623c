/* Links that lead out of the crawl, which are asked for once to learn whether something is there
 * (crawl.check_external): by HEAD, and by GET where the server seems not to know HEAD. Nothing is followed there but
 * redirects, and these widen no scope. Such a request has a key of its own, so that the same URL can
 * still be asked for as a part of a page, or as a page where it belongs to the crawl later. All that holds for other
 * requests holds for this one, but that it does not count as a page. */
#ifndef CW_LINKS_EXTERNAL_H
#define CW_LINKS_EXTERNAL_H

#include "crawler/engine/links/batch.h"
#include "crawler/engine/tags.h"

/* Is a request with this tag for such a link? */
static inline bool cw_links_external_is(uint32_t tag)
{
    return tag & CW_ENGINE_TAG_EXTERNAL;
}

/* A link of the source, or its redirect, leads to this URL, which is out of scope: queues a request that asks whether
 * something is there, with check_external, unless it was queued before. depth: of the URL; redirects: how many in a row
 * lead to it. NEW: it was queued. judge->url may be url. */
crawl_edge_verdict cw_links_external_ask(cw_links_judge *judge, const crawl_url *url, const cw_links_source *source,
                                         uint32_t depth, uint32_t redirects);

/* Queues the request of this lease, which was made by HEAD, once more by GET. */
void cw_links_external_ask_by_get(cw_links_judge *judge, const cw_links_source *source);

#endif
