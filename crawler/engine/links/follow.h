/* Follows the links of a page: each is resolved, held against scope and patterns, given its key, and pushed with
 * the others. This goes in slices (judge.h): a page of many links, or of links that are slow to judge, is left and gone
 * on with as often as needed, while the loop sees to everything else. */
#ifndef CW_LINKS_FOLLOW_H
#define CW_LINKS_FOLLOW_H

#include "crawler/engine/links/edges.h"
#include "crawler/engine/links/on_page.h"

/* The links that an answer had. */
typedef struct cw_links_followed {
    size_t links;
    size_t fresh; /* of them accepted */
} cw_links_followed;

/* So many links are hashed before the first of them is looked for. */
#define CW_LINKS_AHEAD 32u

/* A link as it is looked for. */
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
    cw_links_on_page on_page;               /* links of the list */
    cw_links_spelled ahead[CW_LINKS_AHEAD]; /* the next ones of those at hand, by their index */
    bool parts[CW_LINKS_BATCH_MAX];         /* of those at hand: it was asked for as a part of its page */
    uint8_t verdicts[CW_LINKS_BATCH_MAX];   /* of those at hand, crawl_edge_verdict; those in the batch are NEW until it
                                               is pushed */
} cw_links_follow;

void cw_links_follow_open(cw_links_follow *follow, cw_links_batch *batch);
void cw_links_follow_close(cw_links_follow *follow);

/* Begins with a list. closed: what holds against all of its links, if they are no parts of the page (requisites.h),
 * against which NOFOLLOW and DEPTH do not hold; CRAWL_EDGE_NEW: nothing. All of it is borrowed until
 * the list was followed; what comes of it is added to *followed. */
void cw_links_follow_begin(cw_links_follow *follow, const cw_links_source *source, const cw_links_list *list,
                           crawl_edge_verdict closed, cw_links_followed *followed);
/* Goes on for what is left of the judge's slice: pushes those that are wanted and in scope, counts what became of each,
 * and tells on_edge. True: the list has been followed to its end. */
bool cw_links_follow_go_on(cw_links_follow *follow);

#endif
