/* What became of links and of redirects. */
#ifndef CW_EDGES_H
#define CW_EDGES_H

#include "crawler/engine/visit/visit.h"

/* Links with what they are relative to, and the encoding that their queries are in. Borrowed. */
typedef struct cw_link_list {
    const crawl_link *links;
    size_t count;
    const crawl_url *base;
    bool base_is_http;
    const char *charset;
} cw_link_list;

/* Count what became of links, by worker->verdicts, or of the redirect at hand, and tell on_edge. How many
 * links were new. */
bool cw_edges_wanted(const crawl_engine *engine);
crawl_edge_verdict cw_edge_of_trap(crawl_trap trap); /* NONE: NEW */
crawl_edge_verdict cw_edge_of_push(uint8_t pushed);  /* crawl_pushed */
/* This verdict, on a link whose URL was not looked at for it; of one that leads to no http URL, NOT_HTTP or NO_URL. */
crawl_edge_verdict cw_edge_unless_http(cw_worker *worker, const crawl_link *link, const cw_link_list *list,
                                       crawl_edge_verdict verdict);
size_t cw_edges_links(cw_visit *visit, const cw_link_list *list);
void cw_edges_redirect(cw_visit *visit, crawl_slice to);

/* Of the links of one page, or of one batch. */
typedef struct cw_verdicts {
    uint32_t of[CRAWL_EDGE_COUNT];
} cw_verdicts;
void cw_verdicts_count(atomic_uint_fast64_t *counters, const cw_verdicts *verdicts); /* CRAWL_EDGE_COUNT of them */

#endif
