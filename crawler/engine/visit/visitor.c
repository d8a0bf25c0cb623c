/* See visitor.h. */
#include "crawler/engine/visit/visitor.h"

#include <stdlib.h>

static crawl_fetch_options fetch_options(const crawl_engine *engine, const cw_visitor_share *share)
{
    const crawl_config *config = engine->config;
    crawl_fetch_options options;
    crawl_fetch_options_init(&options);
    options.user_agent = config->user_agent;
    options.timeout_ms = config->timeout_ms;
    options.connect_timeout_ms = config->connect_timeout_ms;
    options.low_speed_ms = config->low_speed_ms;
    options.low_speed_bytes = config->low_speed_bytes;
    options.max_header_bytes = config->max_header_bytes;
    options.max_body_bytes = config->max_body_bytes;
    options.max_bodies_bytes = share->body_bytes;
    options.max_connections = share->idle;
    options.http2 = config->http2;
    options.jar = engine->jar;
    options.insecure = config->insecure;
    options.ca_file = config->ca_file;
    options.interface_name = config->interface_name;
    options.resolver = config->resolver;
    options.dns_servers = config->dns_servers;
    options.dns_timeout_ms = config->dns_timeout_ms;
    options.names = engine->names;
    return options;
}

static unsigned texts_wanted(const crawl_engine *engine)
{
    return (cw_edges_wanted(engine) ? CRAWL_TEXT_LINKS : 0) |
           (engine->config->dedupe == CRAWL_DEDUPE_NEAR ? CRAWL_TEXT_PAGE : 0);
}

static crawl_err open_page(cw_visitor *visitor)
{
    const crawl_config *config = visitor->engine->config;
    visitor->page = crawl_page_create();
    if (!visitor->page)
        return CRAWL_ENOMEM;
    crawl_page_set_extractor(visitor->page, config->html);
    crawl_page_set_kinds(visitor->page, config->follow | CRAWL_LINK_PAGES);
    crawl_page_set_text(visitor->page, texts_wanted(visitor->engine));
    return crawl_page_set_agent(visitor->page, config->robots_agent);
}

crawl_err cw_visitor_open(cw_visitor *visitor, crawl_engine *engine, struct event_base *base,
                          const cw_visitor_share *share, crawl_error *error)
{
    visitor->engine = engine;
    visitor->capacity = share->connections;
    visitor->batch.judge = &visitor->judge;
    atomic_init(&visitor->allowed, share->connections);
    cw_lane_init(&visitor->lane, share->connections);
    if (open_page(visitor) || cw_judge_open(&visitor->judge, engine) ||
        cw_follow_open(&visitor->follow, &visitor->batch))
        return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    crawl_fetch_options options = fetch_options(engine, share);
    return crawl_fetcher_create(base, &options, &visitor->fetcher, error);
}

void cw_visitor_cancel(cw_visitor *visitor)
{
    crawl_fetcher_free(visitor->fetcher);
    visitor->fetcher = NULL;
}

void cw_visitor_close(cw_visitor *visitor)
{
    while (visitor->unused) {
        cw_visit *visit = visitor->unused;
        visitor->unused = visit->next;
        crawl_url_free(visit->url);
        free(visit);
    }
    crawl_page_free(visitor->page);
    cw_judge_close(&visitor->judge);
    cw_follow_close(&visitor->follow);
    crawl_buf_free(&visitor->batch.text);
}

cw_visit *cw_visitor_take(cw_visitor *visitor)
{
    cw_visit *visit = visitor->unused;
    if (visit) {
        visitor->unused = visit->next;
        return visit;
    }
    visit = calloc(1, sizeof *visit);
    if (!visit)
        return NULL;
    visit->visitor = visitor;
    visit->url = crawl_url_create();
    if (!visit->url) {
        free(visit);
        return NULL;
    }
    return visit;
}

void cw_visitor_release(cw_visit *visit)
{
    cw_visitor *visitor = visit->visitor;
    *visit = (cw_visit){.visitor = visitor, .url = visit->url, .next = visitor->unused};
    visitor->unused = visit;
}
