/* Follows the links of a page: each is resolved, checked against scope and patterns, given its key, and pushed with the
 * others. This is done in slices (judge.h): a page with many links, or with links that are slow to judge, is left and
 * resumed as often as needed. Between its slices the loop handles everything else. */
#pragma once

#include "crawler/engine/links/batch.h"
#include "crawler/engine/links/edges.h"
#include "crawler/engine/links/on_page.h"
#include "crawler/engine/tags.h"

/* The links of an answer. */
typedef struct cw_links_followed {
    size_t links;
    size_t fresh; /* links newly queued */
} cw_links_followed;

/* How many links are hashed ahead, before the first of them is looked up in the tables. */
#define CW_LINKS_AHEAD 32u

/* A link as the tables know it. */
typedef struct cw_links_spelled {
    crawl_slice text; /* without its fragment */
    cw_keyed_hash hash;
} cw_links_spelled;

/* The links of a list that is being followed. */
typedef struct cw_links_follow {
    cw_links_batch *batch; /* borrowed; empty between slices, so that all pages of a thread share it */
    cw_links_source source;
    cw_links_list rest;        /* links still to be followed */
    crawl_edge_verdict closed; /* a verdict on all of them */
    cw_links_followed *followed;
    cw_links_on_page on_page;               /* links of the list met so far */
    cw_links_spelled ahead[CW_LINKS_AHEAD]; /* links hashed ahead, by their index */
    bool parts[CW_LINKS_BATCH_MAX];         /* per link of the batch: it is asked for as a part of its page */
    uint8_t verdicts[CW_LINKS_BATCH_MAX];   /* a crawl_edge_verdict each; NEW until the batch is pushed */
} cw_links_follow;

void cw_links_follow_open(cw_links_follow *follow, cw_links_batch *batch);
void cw_links_follow_close(cw_links_follow *follow);

/* Begins a list. closed: the verdict on all of its links; CRAWL_EDGE_NEW: none. NOFOLLOW and DEPTH do not apply to
 * parts of the page (link_kinds.h). All arguments are borrowed until the list has been followed; its counts are added
 * to *followed. */
void cw_links_follow_begin(cw_links_follow *follow, const cw_links_source *source, const cw_links_list *list,
                           crawl_edge_verdict closed, cw_links_followed *followed);
/* Continues for the rest of the judge's slice: pushes the wanted links in scope, counts the fate of each, and tells
 * on_edge. True: the end of the list is reached. */
bool cw_links_follow_go_on(cw_links_follow *follow);

/* Links that lead out of the crawl, asked for once to learn whether something is there (crawl.check_external): by HEAD,
 * or by GET if the server seems not to know HEAD. Only redirects are followed there, and they do not widen the scope.
 * Such a request has a key of its own, so the same URL can still be asked for as a part of a page, or as a page if it
 * belongs to the crawl later. Otherwise it is treated like any request, except that it does not count as a page. */

/* Returns true if a request with this tag is for such a link. */
static inline bool cw_links_external_is(uint32_t tag)
{
    return tag & CW_ENGINE_TAG_EXTERNAL;
}

/* Queues a check of this URL, which is out of scope and which a link of the source or its redirect leads to, if
 * check_external is set and it was not queued before. depth: of the URL; redirects: how many in a row lead to it;
 * sets_cookie: the last of them does. NEW: it was queued. judge->url may be url. */
crawl_edge_verdict cw_links_external_ask(cw_links_judge *judge, const crawl_url *url, const cw_links_source *source,
                                         uint32_t depth, uint32_t redirects, bool sets_cookie);

/* Queues the request of this lease, which was made by HEAD, again by GET. False: the queue is full. */
bool cw_links_external_ask_by_get(cw_links_judge *judge, const cw_links_source *source);
