/* Where an answer leads: its links and its redirect. */
#ifndef CW_FOLLOW_H
#define CW_FOLLOW_H

#include "crawler/engine/links/edges.h"

typedef struct cw_followed {
    size_t links; /* found */
    size_t fresh; /* of them accepted */
} cw_followed;

/* Pushes those that are wanted and in scope, counts what became of each, and tells on_edge. closed: what holds against
 * all of them; CRAWL_EDGE_NEW: nothing. At most CRAWL_PAGE_MAX_LINKS. How many were new. */
size_t cw_follow_links(cw_visit *visit, const cw_link_list *list, crawl_edge_verdict closed);
/* Pushes where a redirect points to; target gets its URL, and visit->worker->redirect_verdict what became of it.
 * CRAWL_REFUSED: it is not followed; CRAWL_EPARSE: it leads to no URL that can be asked; CRAWL_EXISTS. */
crawl_err cw_follow_redirect(cw_visit *visit, int status, crawl_slice location, crawl_url *target);

/* URLs found by other means than links: between begin and end, each that is in scope is pushed. end returns
 * how many of them were new. */
void cw_follow_begin(cw_visit *visit);
void cw_follow_found(cw_visit *visit, const crawl_sitemap_entry *entry, uint32_t depth, int32_t priority);
size_t cw_follow_end(cw_visit *visit);
bool cw_follow_same_origin(const crawl_url *url, crawl_slice origin);

#endif
