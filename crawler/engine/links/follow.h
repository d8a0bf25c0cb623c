/* Where a page leads: each of its links is resolved, held against scope and patterns, given its key, and pushed with
 * the others. */
#ifndef CW_FOLLOW_H
#define CW_FOLLOW_H

#include "base/map.h"
#include "crawler/engine/links/edges.h"

/* What one thread follows links with. */
typedef struct cw_follow {
    cw_batch *batch;                        /* borrowed */
    cw_map *on_page;                        /* links of the list at hand, without their fragments */
    uint8_t verdicts[CRAWL_PAGE_MAX_LINKS]; /* of the list at hand, crawl_edge_verdict; those in the batch are NEW until
                                               it is pushed */
} cw_follow;

/* CRAWL_ENOMEM. */
crawl_err cw_follow_open(cw_follow *follow, cw_batch *batch);
void cw_follow_close(cw_follow *follow);

/* What was found in an answer. */
typedef struct cw_followed {
    size_t links;
    size_t fresh; /* of them accepted */
    bool is_cut;  /* the crawl ended before all of them were looked at */
} cw_followed;

/* Pushes those that are wanted and in scope, counts what became of each, and tells on_edge. closed: what holds against
 * all of them; CRAWL_EDGE_NEW: nothing. At most CRAWL_PAGE_MAX_LINKS. */
cw_followed cw_follow_links(cw_follow *follow, const cw_source *source, const cw_link_list *list,
                            crawl_edge_verdict closed);

#endif
