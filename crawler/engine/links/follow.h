/* Follows the links of a page: each is resolved, held against scope and patterns, given its key, and pushed with
 * the others. */
#ifndef CW_LINKS_FOLLOW_H
#define CW_LINKS_FOLLOW_H

#include "crawler/engine/links/edges.h"
#include "crawler/engine/links/on_page.h"

/* The state of one thread that follows links. */
typedef struct cw_links_follow {
    cw_links_batch *batch; /* borrowed */
    cw_links_on_page on_page;
    uint8_t verdicts[CRAWL_PAGE_MAX_LINKS]; /* of the list at hand, crawl_edge_verdict; those in the batch are NEW until
                                               it is pushed */
} cw_links_follow;

void cw_links_follow_open(cw_links_follow *follow, cw_links_batch *batch);
void cw_links_follow_close(cw_links_follow *follow);

/* The links that an answer had. */
typedef struct cw_links_followed {
    size_t links;
    size_t fresh; /* of them accepted */
    bool is_cut;  /* the crawl ended before all of them were looked at */
} cw_links_followed;

/* Pushes those that are wanted and in scope, counts what became of each, and tells on_edge. closed: what holds against
 * all of them; CRAWL_EDGE_NEW: nothing. At most CRAWL_PAGE_MAX_LINKS. */
cw_links_followed cw_links_follow_all(cw_links_follow *follow, const cw_links_source *source, const cw_links_list *list,
                                      crawl_edge_verdict closed);

#endif
