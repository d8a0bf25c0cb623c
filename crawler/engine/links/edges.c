/* What became of links and of redirects, counted, and told to on_edge: so that "why was this not followed" has an
 * answer. */
#include "crawler/engine/links/edges.h"

#include "crawler/engine/counters.h"
#include "crawler/engine/engine.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/links/href.h"
#include "crawler/engine/links/userinfo.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/visit/visit.h"
#include "crawler/engine/worker.h"

static const char *const verdict_names[CRAWL_EDGE_COUNT] = {
    [CRAWL_EDGE_NEW] = "new",
    [CRAWL_EDGE_SEEN] = "seen",
    [CRAWL_EDGE_REPEATED] = "repeated",
    [CRAWL_EDGE_ELEMENT] = "element",
    [CRAWL_EDGE_NOFOLLOW] = "nofollow",
    [CRAWL_EDGE_DEPTH] = "depth",
    [CRAWL_EDGE_SCOPE] = "scope",
    [CRAWL_EDGE_FILTER] = "filter",
    [CRAWL_EDGE_REFUSED] = "refused",
    [CRAWL_EDGE_DUPLICATE] = "duplicate",
    [CRAWL_EDGE_NOT_HTTP] = "not-http",
    [CRAWL_EDGE_NO_URL] = "no-url",
    [CRAWL_EDGE_FULL] = "full",
    [CRAWL_EDGE_PORT] = "port",
    [CRAWL_EDGE_REDIRECTS] = "redirects",
    [CRAWL_EDGE_MAX_URL] = "max_url",
    [CRAWL_EDGE_MAX_PATH_DEPTH] = "max_path_depth",
    [CRAWL_EDGE_MAX_REPEATS] = "max_repeats",
    [CRAWL_EDGE_MAX_QUERIES] = "max_queries",
    [CRAWL_EDGE_MAX_PAGES_PER_HOST] = "max_pages_per_host",
    [CRAWL_EDGE_MAX_PAGES_PER_DOMAIN] = "max_pages_per_domain",
};

const char *crawl_edge_verdict_name(crawl_edge_verdict verdict)
{
    return (unsigned)verdict < CRAWL_EDGE_COUNT ? verdict_names[verdict] : "";
}

crawl_edge_verdict cw_edge_of_trap(crawl_trap trap)
{
    static const crawl_edge_verdict verdicts[CRAWL_TRAP_COUNT] = {
        [CRAWL_TRAP_NONE] = CRAWL_EDGE_NEW,
        [CRAWL_TRAP_LENGTH] = CRAWL_EDGE_MAX_URL,
        [CRAWL_TRAP_DEPTH] = CRAWL_EDGE_MAX_PATH_DEPTH,
        [CRAWL_TRAP_REPEATS] = CRAWL_EDGE_MAX_REPEATS,
        [CRAWL_TRAP_QUERIES] = CRAWL_EDGE_MAX_QUERIES,
        [CRAWL_TRAP_HOST_PAGES] = CRAWL_EDGE_MAX_PAGES_PER_HOST,
        [CRAWL_TRAP_DOMAIN_PAGES] = CRAWL_EDGE_MAX_PAGES_PER_DOMAIN,
    };
    return verdicts[trap];
}

bool cw_edges_wanted(const crawl_engine *engine)
{
    return engine->hooks.on_edge != NULL;
}

static void tell(cw_visit *visit, const crawl_edge *edge)
{
    crawl_engine *engine = cw_engine_of(visit);
    crawl_err err = engine->hooks.on_edge(engine->hooks.user, engine, edge);
    if (err)
        cw_engine_fail(engine, err, "");
}

crawl_edge_verdict cw_edge_of_push(uint8_t pushed)
{
    static const crawl_edge_verdict verdicts[] = {
        [CRAWL_PUSHED_NEW] = CRAWL_EDGE_NEW,
        [CRAWL_PUSHED_SEEN] = CRAWL_EDGE_SEEN,
        [CRAWL_PUSHED_INVALID] = CRAWL_EDGE_NO_URL,
        [CRAWL_PUSHED_FULL] = CRAWL_EDGE_FULL,
    };
    return verdicts[pushed];
}

crawl_edge_verdict cw_edge_unless_http(cw_worker *worker, const crawl_link *link, const cw_link_list *list,
                                       crawl_edge_verdict verdict)
{
    cw_href look = cw_href_look(link->href);
    if (look == CW_HREF_OTHER)
        return CRAWL_EDGE_NOT_HTTP;
    if (look == CW_HREF_HTTP || (look == CW_HREF_RELATIVE && list->base_is_http))
        return verdict;
    if (crawl_url_parse(worker->link, link->href, list->base, list->charset))
        return CRAWL_EDGE_NO_URL;
    return crawl_url_is_http(worker->link) ? verdict : CRAWL_EDGE_NOT_HTTP;
}

void cw_verdicts_count(atomic_uint_fast64_t *counters, const cw_verdicts *verdicts)
{
    for (size_t i = 0; i < CRAWL_EDGE_COUNT; i++)
        if (verdicts->of[i])
            cw_count(&counters[i], verdicts->of[i]);
}

/* Where the link leads into edge->to. */
static void resolve(cw_worker *worker, const cw_link_list *list, crawl_edge *edge)
{
    edge->to = edge->link->href;
    if (crawl_url_parse(worker->link, edge->to, list->base, list->charset))
        return;
    if (cw_userinfo_take(worker->link, NULL, NULL) || cw_upgrade(worker->engine, worker->link))
        cw_engine_fail(worker->engine, CRAWL_ENOMEM, "no memory for a link");
    edge->to = crawl_url_href(worker->link);
}

static void tell_links(cw_visit *visit, const cw_link_list *list)
{
    cw_worker *worker = visit->worker;
    for (size_t i = 0; i < list->count; i++) {
        crawl_edge edge = {
            .link = &list->links[i],
            .from = visit->lease.url,
            .depth = visit->lease.depth + 1,
            .verdict = (crawl_edge_verdict)worker->verdicts[i],
        };
        resolve(worker, list, &edge);
        tell(visit, &edge);
    }
}

size_t cw_edges_links(cw_visit *visit, const cw_link_list *list)
{
    cw_worker *worker = visit->worker;
    cw_verdicts verdicts = {{0}};
    for (size_t i = 0; i < list->count; i++)
        verdicts.of[worker->verdicts[i]]++;
    cw_verdicts_count(worker->engine->counters.edges, &verdicts);
    if (cw_edges_wanted(worker->engine))
        tell_links(visit, list);
    return verdicts.of[CRAWL_EDGE_NEW];
}

void cw_edges_redirect(cw_visit *visit, crawl_slice to)
{
    crawl_engine *engine = cw_engine_of(visit);
    cw_count(&engine->counters.edges[visit->worker->redirect_verdict], 1);
    if (!cw_edges_wanted(engine))
        return;
    crawl_edge edge = {
        .from = visit->lease.url,
        .to = to,
        .depth = visit->lease.depth,
        .verdict = visit->worker->redirect_verdict,
    };
    tell(visit, &edge);
}
