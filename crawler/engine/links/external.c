#include "crawler/engine/links/external.h"

#include "crawler/engine/links/fate.h"
#include "crawler/engine/parts.h"

/* What stands in the key of such a request in place of its method. */
static const char by_head[] = "EXTERNAL";
static const char by_get[] = "EXTERNAL GET";

static crawl_edge_verdict external_push(cw_links_judge *judge, crawl_request *request, const char *key,
                                        crawl_slice parent)
{
    uint8_t pushed = CRAWL_PUSHED_FULL;
    crawl_engine *engine = judge->engine;
    crawl_err err = cw_links_judge_fingerprint(judge, crawl_slice_from(key), (crawl_slice){0}, &request->fingerprint);
    int64_t began_us = cw_engine_disk_begin(engine);
    if (!err)
        err = crawl_frontier_push(engine->frontier, request, 1, parent, &pushed, NULL, cw_engine_now(engine));
    cw_engine_disk_end(engine, began_us);
    if (err && err != CRAWL_FULL)
        cw_engine_fail(engine, err, "a link that leads out of the crawl cannot be checked");
    return cw_links_fate_of_push((crawl_pushed)pushed);
}

crawl_edge_verdict cw_links_external_ask(cw_links_judge *judge, const crawl_url *url, const cw_links_source *source,
                                         uint32_t depth, uint32_t redirects)
{
    crawl_request request = {
        .url = crawl_url_request(url),
        .method = crawl_slice_from("HEAD"),
        .depth = depth,
        .tag = CW_ENGINE_TAG_EXTERNAL | redirects,
        .any_depth = true,
    };
    if (!judge->engine->config->check_external)
        return CRAWL_EDGE_SCOPE;
    crawl_edge_verdict verdict = cw_links_judge_part(judge, url);
    return verdict == CRAWL_EDGE_NEW ? external_push(judge, &request, by_head, source->lease->url) : verdict;
}

void cw_links_external_ask_by_get(cw_links_judge *judge, const cw_links_source *source)
{
    const crawl_lease *lease = source->lease;
    crawl_request request = {
        .url = lease->url,
        .method = crawl_slice_from("GET"),
        .depth = lease->depth,
        .tag = lease->tag | CW_ENGINE_TAG_ONCE,
        .revisit = true,
        .any_depth = true,
    };
    if (cw_links_judge_canonical(judge, source->url))
        cw_engine_fail(judge->engine, CRAWL_ENOMEM, "a link that leads out of the crawl cannot be checked");
    else
        external_push(judge, &request, by_get, lease->parent);
}
