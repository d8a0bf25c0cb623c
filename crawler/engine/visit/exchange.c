/* What the hooks are shown of a request on the wire: when it leaves, and when it is over. */
#include "crawler/engine/visit/exchange.h"

#include "crawler/engine/engine.h"
#include "crawler/engine/host/pacer.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/visit/revisit.h"
#include "crawler/engine/visit/visit.h"

static crawl_exchange exchange_of(const cw_visit *visit)
{
    const crawl_engine *engine = cw_engine_of(visit);
    const crawl_lease *lease = &visit->lease;
    const cw_pass *pass = &visit->pass;
    return (crawl_exchange){
        .origin = lease->origin,
        .url = lease->url,
        .parent = lease->parent,
        .depth = lease->depth,
        .attempt = lease->attempt,
        .fetched_at_ms = visit->wall_ms,
        .robots = (lease->tag & CW_TAG_ROBOTS) != 0,
        .sitemap = (lease->tag & (CW_TAG_ROBOTS | CW_TAG_SITEMAP)) == CW_TAG_SITEMAP,
        .number = visit->number,
        .seq = pass->seq,
        .sent = cw_visit_left(visit),
        .started_us = engine->epoch_us + (pass->started_us ? pass->started_us : pass->admitted_us),
        .pause_us = pass->pause_us,
        .pause_by = cw_pace_by_name(pass->by),
        .limit = pass->limit,
        .per_ip = engine->config->per_ip,
        .address_limit = pass->address_limit,
        .address_pause_us = pass->address_pause_us,
        .probe = pass->probe,
        .retry_after_us = -1,
    };
}

bool cw_exchange_departs(const cw_visit *visit)
{
    crawl_engine *engine = cw_engine_of(visit);
    if (!engine->hooks.on_depart)
        return true;
    crawl_exchange exchange = exchange_of(visit);
    exchange.ip = crawl_fetch_address(visit->worker->fetcher, visit->transfer);
    crawl_err err = engine->hooks.on_depart(engine->hooks.user, engine, &exchange);
    if (err)
        cw_engine_fail(engine, err, "");
    return err == CRAWL_OK;
}

/* When the answer was fetched that a 304 confirms, in the wall clock's milliseconds; 0: this one confirms none. */
static int64_t confirms(const cw_visit *visit, const crawl_response *response)
{
    bool not_modified = response->status == 304 && visit->is_conditional;
    return not_modified ? cw_revisit_read(visit->lease.memo).fetched_ms : 0;
}

void cw_exchange_ended(const cw_visit *visit, const crawl_response *response, int64_t retry_after_us,
                       const cw_pacer_effect *effect)
{
    crawl_engine *engine = cw_engine_of(visit);
    const cw_pass *pass = &visit->pass;
    if (!engine->hooks.on_exchange)
        return;
    crawl_exchange exchange = exchange_of(visit);
    exchange.ip = crawl_slice_from(response->ip);
    exchange.ended_us = engine->epoch_us + pass->ended_us;
    exchange.retry_after_us = retry_after_us;
    exchange.hold_until_us = effect->hold_us ? exchange.ended_us + effect->hold_us : 0;
    exchange.hold_by = cw_hold_by_name(effect->hold_by);
    exchange.confirms_ms = confirms(visit, response);
    exchange.response = response;
    crawl_err err = engine->hooks.on_exchange(engine->hooks.user, engine, &exchange);
    if (err)
        cw_engine_fail(engine, err, "");
}
