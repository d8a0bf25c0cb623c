/* See follow.h. */
#include "crawler/engine/links/follow.h"

#include "crawler/engine/counters.h"
#include "crawler/engine/links/rel.h"
#include "crawler/engine/parts.h"

crawl_err cw_links_follow_open(cw_links_follow *follow, cw_links_batch *batch)
{
    follow->batch = batch;
    follow->on_page = cw_map_create((uintptr_t)follow);
    return follow->on_page ? CRAWL_OK : CRAWL_ENOMEM;
}

void cw_links_follow_close(cw_links_follow *follow)
{
    cw_map_free(follow->on_page);
}

/* Is it one of those to be followed, by how and where it stands? NEW: it is. */
static crawl_edge_verdict judge_element(const crawl_config *config, const crawl_link *link)
{
    bool followed = (config->follow & (unsigned)link->kind) &&
                    (link->kind != CRAWL_LINK_LINK || cw_links_rel_leads_to_page(link->rel));
    if (!followed)
        return CRAWL_EDGE_ELEMENT;
    return config->obey_nofollow && link->nofollow ? CRAWL_EDGE_NOFOLLOW : CRAWL_EDGE_NEW;
}

/* Pages name the same links again and again, and places within themselves; a fragment makes no other request. */
static bool repeats(cw_links_follow *follow, const crawl_link *link)
{
    const char *hash = memchr(link->href.data, '#', link->href.size);
    crawl_slice href = crawl_slice_of(link->href.data, hash ? (size_t)(hash - link->href.data) : link->href.size);
    return cw_map_put(follow->on_page, href, follow) == CRAWL_EXISTS;
}

/* NEW: it is in the batch now. */
static crawl_edge_verdict add(cw_links_batch *batch, const crawl_link *link, const cw_links_list *list, uint32_t depth)
{
    cw_links_judge *judge = batch->judge;
    crawl_url *url = judge->url;
    crawl_err err = cw_links_judge_resolve(judge, link->href, list->base, list->charset, url);
    if (err)
        return err == CRAWL_REFUSED ? CRAWL_EDGE_NOT_HTTP : CRAWL_EDGE_NO_URL;
    crawl_edge_verdict verdict = cw_links_judge_verdict(judge, url, false);
    if (verdict != CRAWL_EDGE_NEW)
        return verdict;
    const crawl_request request = {.depth = depth, .priority = cw_links_batch_worth(batch, url, depth)};
    return cw_links_batch_add(batch, url, &request, link, CRAWL_SITEMAP_NO_DATE);
}

static crawl_edge_verdict decide(cw_links_follow *follow, const crawl_link *link, const cw_links_list *list,
                                 crawl_edge_verdict closed, uint32_t depth)
{
    cw_links_judge *judge = follow->batch->judge;
    crawl_edge_verdict verdict = judge_element(judge->engine->config, link);
    if (verdict == CRAWL_EDGE_NEW)
        verdict = closed;
    if (verdict == CRAWL_EDGE_NEW && repeats(follow, link))
        verdict = CRAWL_EDGE_REPEATED;
    return verdict == CRAWL_EDGE_NEW ? add(follow->batch, link, list, depth)
                                     : cw_links_edges_unless_http(judge, link, list, verdict);
}

/* Pushes the batch, and says what became of those of the links from `first` up to `end` that are in it. */
static void push(cw_links_follow *follow, size_t first, size_t end)
{
    cw_links_batch_push(follow->batch);
    for (size_t i = first, in_batch = 0; i < end; i++)
        if (follow->verdicts[i] == CRAWL_EDGE_NEW)
            follow->verdicts[i] = (uint8_t)cw_links_batch_fate(follow->batch, in_batch++);
    cw_links_batch_clear(follow->batch);
}

cw_links_followed cw_links_follow_all(cw_links_follow *follow, const cw_links_source *source, const cw_links_list *list,
                                      crawl_edge_verdict closed)
{
    cw_links_judge *judge = follow->batch->judge;
    cw_links_list decided = *list;
    size_t pushed = 0;
    decided.count = 0;
    if (list->count == 0)
        return (cw_links_followed){0};
    cw_links_batch_begin(follow->batch, source);
    if (closed == CRAWL_EDGE_NEW)
        cw_map_clear(follow->on_page);
    for (; decided.count < list->count && !cw_engine_must_stop(judge->engine, &judge->patience); decided.count++) {
        if (follow->batch->size == CW_LINKS_BATCH_MAX) {
            push(follow, pushed, decided.count);
            pushed = decided.count;
        }
        follow->verdicts[decided.count] =
            (uint8_t)decide(follow, &list->links[decided.count], list, closed, source->lease->depth + 1);
    }
    push(follow, pushed, decided.count);
    return (cw_links_followed){
        .links = list->count,
        .fresh = cw_links_edges_links(judge, source, &decided, follow->verdicts),
        .is_cut = decided.count < list->count,
    };
}
