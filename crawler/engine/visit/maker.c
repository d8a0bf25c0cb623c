#include "crawler/engine/visit/maker.h"

#include "base/error.h"
#include "config/config_values.h"
#include "crawler/engine/render/renders.h"
#include "crawler/engine/visit/answer/claim.h"
#include "crawler/engine/visit/preprocess/preprocess_document.h"

#include <stdlib.h>

void crawl_config_set_fetch(const crawl_config *config, crawl_fetch_options *options)
{
    options->user_agent = config->user_agent;
    options->timeout_ms = config->timeout_ms;
    options->connect_timeout_ms = config->connect_timeout_ms;
    options->low_speed_ms = config->low_speed_ms;
    options->low_speed_bytes = config->low_speed_bytes;
    options->max_header_bytes = config->max_header_bytes;
    options->max_body_bytes = config->max_body_bytes;
    options->http2 = config->http2;
    options->insecure = config->insecure;
    options->ca_file = config->ca_file;
    options->interface_name = config->interface_name;
    options->resolver = config->resolver;
    options->dns_servers = config->dns_servers;
    options->dns_timeout_ms = config->dns_timeout_ms;
}

static crawl_fetch_options fetch_options(const crawl_engine *engine, const cw_visit_maker_share *share)
{
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    crawl_config_set_fetch(engine->config, &options);
    options.max_bodies_bytes = share->body_bytes;
    options.max_connections = share->idle;
    options.transfers = share->handles;
    options.jar = engine->jar;
    options.names = engine->names;
    options.rate = engine->rate;
    return options;
}

crawl_err cw_visit_maker_open(cw_visit_maker *maker, crawl_engine *engine, struct event_base *base,
                              const cw_visit_maker_share *share, crawl_error *error)
{
    maker->engine = engine;
    atomic_init(&maker->capacity, share->connections);
    maker->batch.judge = &maker->judge;
    atomic_init(&maker->allowed, share->connections);
    pthread_mutex_init(&maker->inbox.lock, NULL);
    STAILQ_INIT(&maker->inbox.sent);
    cw_host_lane_init(&maker->lane, share->connections);
    if (cw_links_judge_open(&maker->judge, engine) || cw_links_spellings_create(engine, &maker->spellings))
        return cw_error(error, CRAWL_ENOMEM);
    bool matches = engine->keep || engine->rendered;
    maker->matcher = matches ? cw_scope_matcher_create() : NULL;
    if (matches && !maker->matcher)
        return cw_error(error, CRAWL_ENOMEM);
    maker->walls = crawl_wall_judge_create();
    if (!maker->walls)
        return cw_error(error, CRAWL_ENOMEM);
    maker->judge.spellings = maker->spellings;
    crawl_fetch_options options = fetch_options(engine, share);
    return crawl_fetcher_create(base, &options, &maker->fetcher, error);
}

void cw_visit_maker_cancel(cw_visit_maker *maker)
{
    crawl_fetcher_free(maker->fetcher);
    maker->fetcher = NULL;
}

void cw_visit_maker_close(cw_visit_maker *maker)
{
    while (maker->unused) {
        cw_visit *visit = maker->unused;
        maker->unused = visit->next;
        crawl_url_free(visit->url);
        free(visit);
    }
    crawl_preferences_free(maker->statements.preferences);
    crawl_page_free(maker->statements.page);
    crawl_page_free(maker->gate);
    cw_scope_matcher_free(maker->matcher);
    crawl_wall_judge_free(maker->walls);
    cw_links_judge_close(&maker->judge);
    cw_links_spellings_free(maker->spellings);
    crawl_buf_free(&maker->batch.text);
    pthread_mutex_destroy(&maker->inbox.lock);
}

cw_visit *cw_visit_maker_take(cw_visit_maker *maker)
{
    cw_visit *visit = maker->unused;
    if (visit) {
        maker->unused = visit->next;
        return visit;
    }
    visit = calloc(1, sizeof *visit);
    if (!visit)
        return NULL;
    visit->maker = maker;
    visit->url = crawl_url_create();
    if (!visit->url) {
        free(visit);
        return NULL;
    }
    return visit;
}

void cw_visit_maker_release(cw_visit *visit)
{
    cw_visit_maker *maker = visit->maker;
    if (visit->site != visit->host)
        cw_host_record_release(visit->site);
    cw_host_record_release(visit->host);
    cw_visit_claim_free(visit->claim);
    cw_renders_page_free(visit->rendered);
    cw_visit_preprocess_document_free(visit->document);
    crawl_buf_free(&visit->part_of);
    free(visit->asked);
    *visit = (cw_visit){.maker = maker, .url = visit->url, .next = maker->unused};
    maker->unused = visit;
}
