/* Links that lead out of the crawl, which are asked for once to learn whether something is there
 * (crawl.check_external): by HEAD, and by GET where the server seems not to know HEAD. Nothing is followed there but
 * redirects, and these widen no scope. Such a request is known by a key of its own, so that it is in nobody's way: the
 * same URL may be a part of a page, or belong to the crawl later. All that holds for requests holds for it, but for
 * what counts pages. */
#ifndef CW_LINKS_EXTERNAL_H
#define CW_LINKS_EXTERNAL_H

#include "crawler/engine/links/batch.h"
#include "crawler/engine/tags.h"

/* Does this tag of a request say so? */
static inline bool cw_links_external_is(uint32_t tag)
{
    return tag & CW_ENGINE_TAG_EXTERNAL;
}

/* A link of the source, or its redirect, leads to this URL, which is out of scope: queues the question whether
 * something is there, if such are to be asked and it was not yet. depth: of the URL; redirects: in a row that lead to
 * it. NEW: queued. judge->url may be url. */
crawl_edge_verdict cw_links_external_ask(cw_links_judge *judge, const crawl_url *url, const cw_links_source *source,
                                         uint32_t depth, uint32_t redirects);

/* The question of this lease, which was asked by HEAD, once more by GET. */
void cw_links_external_ask_by_get(cw_links_judge *judge, const cw_links_source *source);

#endif
