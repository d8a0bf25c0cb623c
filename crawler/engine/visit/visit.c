#include "crawler/engine/visit/visit.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/pacing.h"
#include "crawler/engine/host/rules/host_rules.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/links/link_kinds.h"
#include "crawler/engine/links/sitemaps.h"
#include "crawler/engine/scope/keep.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/again/asked.h"
#include "crawler/engine/visit/again/rate_headers.h"
#include "crawler/engine/visit/answer/documents.h"
#include "crawler/engine/visit/answer/headers.h"
#include "crawler/engine/visit/answer/slices.h"
#include "crawler/engine/visit/answer/walls.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/visit/render/render_visit.h"

/* ---- requests on the wire, as hooks see them ---- */

static crawl_exchange_kind visit_kind_of(uint32_t tag)
{
    if (tag & CW_ENGINE_TAG_ROBOTS)
        return (tag & CW_ENGINE_TAG_TDMREP) == CW_ENGINE_TAG_TDMREP ? CRAWL_EXCHANGE_TDMREP : CRAWL_EXCHANGE_ROBOTS;
    if (tag & CW_ENGINE_TAG_SITEMAP)
        return cw_links_sitemaps_is_llms(tag) ? CRAWL_EXCHANGE_LLMS : CRAWL_EXCHANGE_SITEMAP;
    if (tag & CW_ENGINE_TAG_PART)
        return CRAWL_EXCHANGE_PART;
    return tag & CW_ENGINE_TAG_PROBE ? CRAWL_EXCHANGE_MISSING : CRAWL_EXCHANGE_PAGE;
}

static crawl_exchange exchange_of(const cw_visit *visit)
{
    const crawl_engine *engine = cw_visit_engine(visit);
    const crawl_lease *lease = &visit->lease;
    const cw_host_pass *pass = &visit->pass;
    return (crawl_exchange){
        .size = sizeof(crawl_exchange),
        .origin = lease->origin,
        .url = lease->url,
        .parent = visit->part_of.size ? crawl_buf_slice(&visit->part_of) : lease->parent,
        .depth = lease->depth,
        .attempt = lease->attempt,
        .fetched_at_ms = visit->wall_ms,
        .kind = visit_kind_of(lease->tag),
        .number = visit->number,
        .seq = pass->seq,
        .sent = cw_visit_left(visit),
        .started_us = engine->epoch_us + (pass->started_us ? pass->started_us : pass->admitted_us),
        .pause_us = pass->pause_us,
        .pause_by = cw_host_pace_by_name(pass->by),
        .limit = pass->limit,
        .per_ip = engine->config->per_ip,
        .address_limit = pass->address_limit,
        .address_pause_us = pass->address_pause_us,
        .probe = pass->probe,
        .group = visit->rules ? visit->rules->group : (crawl_slice){0},
        .method = lease->method,
        .site = lease->tag & CW_ENGINE_TAG_ROBOTS ? lease->body : (crawl_slice){0},
        .is_conditional = visit->is_conditional,
        .requisite = cw_links_requisites_is_part(lease->tag),
        .retry_after_us = -1,
    };
}

/* False: the hook has failed, and the request must not leave. */
static bool tell_departure(const cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (!engine->hooks.on_depart)
        return true;
    crawl_exchange exchange = exchange_of(visit);
    exchange.ip = crawl_fetch_address(visit->maker->fetcher, visit->transfer);
    crawl_err err = engine->hooks.on_depart(engine->hooks.user, engine, &exchange);
    if (err)
        cw_engine_fail(engine, err, "");
    return err == CRAWL_OK;
}

/* Returns when the answer that this 304 confirms was fetched, in milliseconds of the wall clock; 0: it confirms
 * none. */
static int64_t confirms(const cw_visit *visit, const crawl_response *response)
{
    bool not_modified = response->status == 304 && visit->is_conditional;
    return not_modified ? cw_visit_revisit_read(visit->lease.memo).fetched_ms : 0;
}

static void tell_end(const cw_visit *visit, const crawl_response *response, int64_t retry_after_us,
                     const cw_host_pacer_effect *effect)
{
    crawl_engine *engine = cw_visit_engine(visit);
    const cw_host_pass *pass = &visit->pass;
    if (!engine->hooks.on_exchange)
        return;
    crawl_exchange exchange = exchange_of(visit);
    exchange.ip = crawl_slice_from(response->ip);
    exchange.ended_us = engine->epoch_us + pass->ended_us;
    exchange.retry_after_us = retry_after_us;
    exchange.hold_until_us = effect->hold_us ? exchange.ended_us + effect->hold_us : 0;
    exchange.hold_by = cw_host_hold_by_name(effect->hold_by);
    exchange.confirms_ms = confirms(visit, response);
    exchange.left_out = !visit->is_kept || visit->withheld || cw_visit_is_external(visit);
    exchange.response = response;
    crawl_err err = engine->hooks.on_exchange(engine->hooks.user, engine, &exchange);
    if (err)
        cw_engine_fail(engine, err, "");
}

/* ---- departure ---- */

static bool visit_allows_private(const cw_visit *visit)
{
    return cw_host_guard_admits(cw_visit_engine(visit)->guard, visit->url);
}

/* Tells the frontier that the request leaves, unless it knows. False: its host has gone to another process
 * meanwhile. */
static bool visit_leaves(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (visit->has_started)
        return true;
    visit->has_started = true;
    /* The clock rounds down; without 1 ms more a pause could be too short by up to that much. */
    return crawl_frontier_start(engine->frontier, visit->lease.id, cw_engine_now(engine) + 1) != CRAWL_AGAIN;
}

/* Returns true if the frontier is told of the departure in advance. Without a pause the time of departure does not
 * matter, and the frontier can give the next lease of the host at once instead of when there is a connection for this
 * one. If hosts may go to another process, the frontier is told as late as possible. */
static bool leaves_early(const cw_visit *visit)
{
    return visit->pass.pause_us == 0 && !cw_visit_engine(visit)->config->shared;
}

/* Notes that the request has left now. */
static void left(cw_visit *visit)
{
    visit->wall_ms = cw_wall_ms();
    visit->number = atomic_fetch_add_explicit(&cw_visit_engine(visit)->requests, 1, memory_order_relaxed) + 1;
}

/* Announces the departing request. False: it must not leave, since in a shared crawl its host may have gone to another
 * process. Telling the hook may take a while, so the frontier learns of the departure afterwards, and gives no other
 * lease of the host before. */
static bool visit_announce(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (engine->config->shared && !crawl_frontier_shared_has(engine->frontier, visit->lease.id))
        return false;
    left(visit);
    return tell_departure(visit) && visit_leaves(visit);
}

/* Returns true if the request may leave now. Its host is checked again after the announcement; its pause runs from then
 * on. */
static bool may_leave(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (atomic_load(&engine->paused))
        return false;
    crawl_slice ip = crawl_fetch_address(visit->maker->fetcher, visit->transfer);
    crawl_err err = cw_host_pacer_start(engine->pacer, visit->host, ip, &visit->pass);
    bool goes = !err && visit_announce(visit);
    if (!err)
        err = cw_host_pacer_left(engine->pacer, visit->host, &visit->pass);
    if (err)
        visit->return_ms =
            cw_engine_now(engine) + cw_host_pacing_back_ms(&visit->pass, visit->lease.tag & CW_ENGINE_TAG_ROBOTS);
    return goes && !err;
}

/* ---- the answer ---- */

const char *cw_visit_words(const cw_visit *visit, const crawl_response *response)
{
    bool guarded = response->error == CRAWL_FETCH_PRIVATE && !visit_allows_private(visit);
    return guarded ? cw_host_guard_words(cw_visit_engine(visit)->guard, visit->url) : response->error_text;
}

void cw_visit_stay_away(cw_visit *visit, cw_host_record *host, const cw_visit_retry_verdict *verdict)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (verdict->what != CW_VISIT_RETRY_STAY_AWAY)
        return;
    crawl_err err = cw_host_sites_stay_away(engine->sites, host, cw_engine_now(engine) + verdict->delay_ms);
    if (err)
        cw_engine_fail(engine, err, "cannot hold a host");
}

/* Returns the quota that the host has stated. A Retry-After overrides it. */
static cw_host_quota quota_of(const crawl_engine *engine, const crawl_response *response, int64_t retry_after_ms)
{
    bool counts = engine->config->rate_headers && retry_after_ms < 0 && cw_visit_rate_is_told(response);
    return counts ? cw_visit_rate_read(response, cw_wall_ms()) : (cw_host_quota){0};
}

/* Counts the received bytes, tells the gate, and shows the answer to on_exchange. A failed attempt to connect is a
 * request too: the host's pause runs from it. retry_after_ms: the pause that the host asked for; negative: none. */
static void visit_come_back(cw_visit *visit, const crawl_response *response, int64_t retry_after_ms)
{
    crawl_engine *engine = cw_visit_engine(visit);
    int64_t retry_after_us = retry_after_ms < 0 ? -1 : retry_after_ms * 1000;
    cw_visit_connections_leave(visit);
    cw_engine_count(&engine->counters.wire_bytes, response->wire_bytes);
    const cw_host_quota quota = quota_of(engine, response, retry_after_ms);
    cw_host_pacer_effect effect = cw_host_pacing_done(engine, visit->host, visit->lease.tag & CW_ENGINE_TAG_ROBOTS,
                                                      response, retry_after_us, &quota, &visit->pass);
    if (response->error == CRAWL_FETCH_CANCELLED && !visit->wall_ms)
        return;
    if (!visit->wall_ms) {
        (void)visit_leaves(visit);
        left(visit);
    }
    cw_host_upgrade_note(engine, visit->url, response);
    cw_visit_keeping_judge(visit, response);
    cw_visit_statements_judge(visit, response);
    tell_end(visit, response, retry_after_us, &effect);
}

/* Returns true if there was no socket for the transfer. Then the visit ends, and its request returns without having
 * been tried. */
static bool had_no_socket(cw_visit *visit, const crawl_response *response)
{
    enum { COME_AGAIN_MS = 500 };
    cw_visit_maker *maker = visit->maker;
    if (response->error != CRAWL_FETCH_NO_SOCKET)
        return false;
    crawl_response none = *response;
    none.error = CRAWL_FETCH_CANCELLED;
    visit_come_back(visit, &none, -1);
    cw_visit_connections_squeeze(maker, response->error_text);
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(maker->engine) + COME_AGAIN_MS);
    return true;
}

/* Returns a number that spreads the retries of requests that failed together. */
static uint8_t visit_salt_of(const crawl_lease *lease)
{
    return (uint8_t)(lease->id * 0x9e3779b97f4a7c15u >> 56);
}

/* Decides about the request of an ended transfer. True: the visit has ended; false: its answer is read in slices. */
static bool end_transfer(cw_visit *visit, const crawl_response *response)
{
    crawl_engine *engine = cw_visit_engine(visit);
    const crawl_lease *lease = &visit->lease;
    bool is_part = cw_visit_part_is(visit);
    if (had_no_socket(visit, response))
        return true;
    int64_t now = cw_engine_now(engine);
    visit->pass.is_retry = lease->attempt > 1 && !is_part && !(lease->tag & CW_ENGINE_TAG_ROBOTS);
    cw_visit_walls_judge(visit, response);
    cw_visit_retry_verdict verdict =
        cw_visit_retry_decide(engine->config, response, lease->method, cw_visit_left(visit), lease->attempt,
                              cw_wall_ms(), visit_salt_of(lease));
    if (cw_visit_asked_judge(visit, response, &verdict))
        cw_visit_walls_clear(visit); /* a wall that lets signed requests in is a demand for a signature */
    visit_come_back(visit, response, verdict.retry_after_ms);
    if (cw_visit_is_walled(visit))
        cw_visit_walls_settle(visit, &verdict);
    if (response->error == CRAWL_FETCH_CANCELLED) {
        cw_visit_end(visit, CRAWL_DONE_RETURN, now);
    } else if (verdict.what == CW_VISIT_RETRY_AT && (!is_part || cw_visit_part_is_retried(visit))) {
        int64_t delay_ms = is_part ? cw_least(verdict.delay_ms, CW_VISIT_PART_MS) : verdict.delay_ms;
        cw_engine_count(&engine->counters.retries, 1);
        cw_visit_end(visit, CRAWL_DONE_RETRY, now + delay_ms);
    } else {
        return cw_visit_slices_read(visit, response, &verdict);
    }
    return true;
}

static void visit_on_done(void *user, const crawl_response *response)
{
    cw_visit *visit = user;
    cw_visit_maker *maker = visit->maker;
    if (end_transfer(visit, response))
        cw_visit_connections_ended(maker);
}

/* ---- the request ---- */

static void visit_on_start(void *user)
{
    cw_visit *visit = user;
    if (!may_leave(visit))
        crawl_fetch_cancel(visit->maker->fetcher, visit->transfer);
}

crawl_err cw_visit_send(cw_visit *visit, crawl_fetch_request *request, cw_visit_reader *read)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (!visit->rules)
        return CRAWL_ENOMEM;
    request->url = visit->lease.url;
    request->access = visit->rules->has_access ? &visit->rules->access : NULL;
    request->signing = cw_visit_asked_signing(visit);
    request->rate = cw_host_record_rate(visit->host, visit->rules);
    request->allow_private = visit_allows_private(visit);
    request->capture = engine->hooks.capture;
    request->fresh_connection = visit->lease.attempt > 1;
    request->close = visit->lease.session_ends;
    request->on_start = visit_on_start;
    request->on_done = visit_on_done;
    request->user = visit;
    visit->answer.read = read;
    crawl_err err = crawl_fetch(visit->maker->fetcher, request, &visit->transfer);
    if (err)
        return err;
    cw_visit_connections_began(visit);
    if (leaves_early(visit))
        (void)visit_leaves(visit);
    return CRAWL_OK;
}

/* Returns true only if the body may be a wall's, which must not be taken for a broken link. */
static bool external_needs_body(void *, const crawl_response *response)
{
    static const int statuses[] = {403, 404, 405, 406, 428, 429, 503};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (response->status == statuses[i])
            return true;
    return false;
}

void cw_visit_external_prepare(crawl_fetch_request *request)
{
    request->on_headers = external_needs_body;
}

/* Returns true if the link would be reported for this answer. Servers that do not know HEAD, or that keep robots away
 * by it, answer it with any status, redirect it, say nothing or close the connection. */
bool cw_visit_external_wants_get(const cw_visit *visit, const crawl_response *response)
{
    if (!crawl_slice_equal(visit->lease.method, crawl_slice_from("HEAD")))
        return false;
    bool is_there = response->status >= 200 && response->status < 300;
    return response->error == CRAWL_FETCH_OK
               ? !is_there
               : response->error == CRAWL_FETCH_RESET || response->error == CRAWL_FETCH_PROTOCOL ||
                     response->error == CRAWL_FETCH_TIMEOUT;
}

void cw_visit_external_count(crawl_engine *engine, int status)
{
    int group = status / 100;
    cw_engine_count(&engine->counters.external[group >= 1 && group <= 5 ? group : 0], 1);
}

/* Counts a URL on which a pattern took too many steps, and tells the user of the first. */
static void count_stopped(crawl_engine *engine, const char *pattern, crawl_slice url)
{
    crawl_buf words = {0};
    if (atomic_fetch_add(&engine->counters.keeps_stopped, 1) > 0)
        return;
    if (!crawl_buf_printf(&words,
                          "output.keep = %s: a match takes too many steps and is stopped; such URLs are kept, the "
                          "first is %.*s",
                          pattern, (int)url.size, url.data))
        cw_engine_notice(engine, &words);
    crawl_buf_free(&words);
}

static bool has_url(cw_visit *visit, const cw_scope_keep *keep)
{
    cw_visit_maker *maker = visit->maker;
    const char *stopped;
    if (cw_links_judge_canonical(&maker->judge, visit->url))
        return true; /* out of memory: the next allocation that fails ends the crawl */
    crawl_slice canonical = crawl_buf_slice(&maker->judge.canonical);
    bool has = cw_scope_keep_has_url(keep, maker->matcher, canonical, &stopped);
    if (stopped)
        count_stopped(maker->engine, stopped, canonical);
    return has;
}

void cw_visit_keeping_judge(cw_visit *visit, const crawl_response *response)
{
    const cw_scope_keep *keep = cw_visit_engine(visit)->keep;
    if (!keep) {
        visit->is_kept = true;
    } else if (response && response->status == 304 && visit->is_conditional) {
        visit->is_kept = cw_visit_revisit_read(visit->lease.memo).is_kept;
    } else {
        crawl_slice type = response ? cw_visit_headers_content_type(response) : (crawl_slice){0};
        visit->is_kept = cw_scope_keep_has_type(keep, type) && has_url(visit, keep);
    }
}
