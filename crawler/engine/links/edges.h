/* Counts the fates of links and redirects, and tells them to on_edge, so that "why was this not followed" has an
 * answer. */
#ifndef CW_LINKS_EDGES_H
#define CW_LINKS_EDGES_H

#include "crawler/engine/links/batch.h"

/* Links with what they are relative to, and the encoding that their queries are in. Borrowed. */
typedef struct cw_links_list {
    const crawl_link *links;
    size_t count;
    const crawl_url *base;
    bool base_is_http;
    const char *charset;
} cw_links_list;

bool cw_links_edges_wanted(const crawl_engine *engine);

/* This verdict, on a link whose URL was not looked at for it; of one that leads to no http URL, NOT_HTTP or NO_URL. */
crawl_edge_verdict cw_links_edges_unless_http(const cw_links_judge *judge, const crawl_link *link,
                                              const cw_links_list *list, crawl_edge_verdict verdict);

/* verdicts: a crawl_edge_verdict for each link of the list. Returns how many were new. */
size_t cw_links_edges_links(const cw_links_judge *judge, const cw_links_source *source, const cw_links_list *list,
                            const uint8_t *verdicts, const bool *parts);
void cw_links_edges_redirect(crawl_engine *engine, const cw_links_source *source, crawl_slice to,
                             crawl_edge_verdict verdict);

#endif
