/* Counts the fates of links and redirects, and tells them to on_edge, so that "why was this not followed" has an
 * answer. */
#pragma once

#include "crawler/engine/links/batch.h"

/* Links, the base that they are relative to, and the encoding of their queries. Borrowed. */
typedef struct cw_links_list {
    const crawl_link *links;
    size_t count;
    const crawl_url *base;
    bool base_is_http;
    const char *charset;
} cw_links_list;

/* Returns true if there is an on_edge. */
bool cw_links_edges_wanted(const crawl_engine *engine);

/* Returns the verdict on a link that was judged without its URL: the given one, or NOT_HTTP or NO_URL if the link does
 * not lead to an http URL. */
crawl_edge_verdict cw_links_edges_unless_http(const cw_links_judge *judge, const crawl_link *link,
                                              const cw_links_list *list, crawl_edge_verdict verdict);

/* Counts and tells the fates of the links of a list. verdicts: a crawl_edge_verdict per link; parts: true for links
 * asked for as parts of the page. Returns how many were new. */
size_t cw_links_edges_links(const cw_links_judge *judge, const cw_links_source *source, const cw_links_list *list,
                            const uint8_t *verdicts, const bool *parts);
/* Counts and tells the fate of a redirect. */
void cw_links_edges_redirect(crawl_engine *engine, const cw_links_source *source, crawl_slice to,
                             crawl_edge_verdict verdict);
