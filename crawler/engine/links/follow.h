/* Follows the links of a page: each is resolved, held against scope and patterns, given its key, and pushed with
 * the others. This is done in slices (judge.h): a page of many links, or of links that are slow to judge, is left as
 * often as needed and gone on with later, and between its slices the loop sees to everything else. */
#ifndef CW_LINKS_FOLLOW_H
#define CW_LINKS_FOLLOW_H

#include "crawler/engine/links/edges.h"
#include "crawler/engine/links/on_page.h"

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
 * parts of the page (requisites.h). All that is given is borrowed until the list was followed, and its counts are added
 * to *followed. */
void cw_links_follow_begin(cw_links_follow *follow, const cw_links_source *source, const cw_links_list *list,
                           crawl_edge_verdict closed, cw_links_followed *followed);
/* Goes on for what is left of the judge's slice: pushes those that are wanted and in scope, counts what became of each,
 * and tells on_edge. True: the list has been followed to its end. */
bool cw_links_follow_go_on(cw_links_follow *follow);

#endif
