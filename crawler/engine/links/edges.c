#include "crawler/engine/links/edges.h"

#include "crawler/engine/counters.h"
#include "crawler/engine/links/href.h"
#include "crawler/engine/parts.h"

bool cw_links_edges_wanted(const crawl_engine *engine)
{
    return engine->hooks.on_edge != NULL;
}

static void edges_tell(crawl_engine *engine, const crawl_edge *edge)
{
    crawl_err err = engine->hooks.on_edge(engine->hooks.user, engine, edge);
    if (err)
        cw_engine_fail(engine, err, "");
}

crawl_edge_verdict cw_links_edges_unless_http(const cw_links_judge *judge, const crawl_link *link,
                                              const cw_links_list *list, crawl_edge_verdict verdict)
{
    cw_links_href look = cw_links_href_look(link->href);
    if (look == CW_LINKS_HREF_OTHER)
        return CRAWL_EDGE_NOT_HTTP;
    if (look == CW_LINKS_HREF_HTTP || (look == CW_LINKS_HREF_RELATIVE && list->base_is_http))
        return verdict;
    if (crawl_url_parse(judge->url, link->href, list->base, list->charset))
        return CRAWL_EDGE_NO_URL;
    return crawl_url_is_http(judge->url) ? verdict : CRAWL_EDGE_NOT_HTTP;
}

static void tell_links(const cw_links_judge *judge, const cw_links_source *source, const cw_links_list *list,
                       const uint8_t *verdicts, const bool *parts)
{
    for (size_t i = 0; i < list->count; i++) {
        crawl_edge edge = {
            .size = sizeof edge,
            .link = &list->links[i],
            .from = source->lease->url,
            .to = list->links[i].href,
            .depth = source->lease->depth + !parts[i],
            .requisite = parts[i],
            .verdict = (crawl_edge_verdict)verdicts[i],
        };
        crawl_err err = cw_links_judge_resolve(judge, edge.to, list->base, list->charset, judge->url);
        if (!err || err == CRAWL_REFUSED)
            edge.to = crawl_url_href(judge->url);
        edges_tell(judge->engine, &edge);
    }
}

size_t cw_links_edges_links(const cw_links_judge *judge, const cw_links_source *source, const cw_links_list *list,
                            const uint8_t *verdicts, const bool *parts)
{
    cw_engine_tally tally = {{0}};
    for (size_t i = 0; i < list->count; i++)
        tally.of[verdicts[i]]++;
    cw_engine_count_tally(judge->engine->counters.edges, &tally);
    if (cw_links_edges_wanted(judge->engine))
        tell_links(judge, source, list, verdicts, parts);
    return tally.of[CRAWL_EDGE_NEW];
}

void cw_links_edges_redirect(crawl_engine *engine, const cw_links_source *source, crawl_slice to,
                             crawl_edge_verdict verdict)
{
    cw_engine_count(&engine->counters.edges[verdict], 1);
    if (!cw_links_edges_wanted(engine))
        return;
    crawl_edge edge = {
        .size = sizeof edge, .from = source->lease->url, .to = to, .depth = source->lease->depth, .verdict = verdict};
    edges_tell(engine, &edge);
}
