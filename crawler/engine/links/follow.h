/* Follows the links of a page: each is resolved, held against scope and patterns, given its key, and pushed with
 * the others. This is done in slices (judge.h): a page of many links, or of links that are slow to judge, is left as
 * often as needed and gone on with later, and between its slices the loop sees to everything else. */
#pragma once

#include "crawler/engine/links/batch.h"
#include "crawler/engine/links/edges.h"
#include "crawler/engine/links/on_page.h"
#include "crawler/engine/tags.h"

/* The links that an answer had. */
typedef struct cw_links_followed {
    size_t links;
    size_t fresh; /* how many of them were queued, new */
} cw_links_followed;

/* How many links are hashed ahead, before the first of them is looked for in the tables. */
#define CW_LINKS_AHEAD 32u

/* A link as the tables know it. */
typedef struct cw_links_spelled {
    crawl_slice text; /* without its fragment */
    cw_keyed_hash hash;
} cw_links_spelled;

/* The links of a list that are followed. */
typedef struct cw_links_follow {
    cw_links_batch *batch; /* borrowed; empty between slices, so that all pages of a thread share it */
    cw_links_source source;
    cw_links_list rest;        /* those that are yet to be followed */
    crawl_edge_verdict closed; /* what holds against all of them */
    cw_links_followed *followed;
    cw_links_on_page on_page;               /* the links of the list that were met */
    cw_links_spelled ahead[CW_LINKS_AHEAD]; /* the links that were hashed ahead, by their index */
    bool parts[CW_LINKS_BATCH_MAX];         /* of each link of the batch: is it asked for as a part of its page? */
    uint8_t verdicts[CW_LINKS_BATCH_MAX];   /* a crawl_edge_verdict on each; NEW until the batch is pushed */
} cw_links_follow;

void cw_links_follow_open(cw_links_follow *follow, cw_links_batch *batch);
void cw_links_follow_close(cw_links_follow *follow);

/* Begins with a list. closed: the verdict on all of its links; CRAWL_EDGE_NEW: none. NOFOLLOW and DEPTH do not hold for
 * parts of the page (link_kinds.h). All that is given is borrowed until the list was followed, and its counts are added
 * to *followed. */
void cw_links_follow_begin(cw_links_follow *follow, const cw_links_source *source, const cw_links_list *list,
                           crawl_edge_verdict closed, cw_links_followed *followed);
/* Goes on for what is left of the judge's slice: pushes those that are wanted and in scope, counts what became of each,
 * and tells on_edge. True: the list has been followed to its end. */
bool cw_links_follow_go_on(cw_links_follow *follow);

/* Links that lead out of the crawl, which are asked for once to learn whether something is there
 * (crawl.check_external): by HEAD, and by GET where the server seems not to know HEAD. Nothing is followed there but
 * redirects, and these widen no scope. Such a request has a key of its own, so that the same URL can
 * still be asked for as a part of a page, or as a page where it belongs to the crawl later. All that holds for other
 * requests holds for this one, but that it does not count as a page. */

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
