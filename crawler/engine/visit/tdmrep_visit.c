#include "crawler/engine/visit/tdmrep_visit.h"

#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/pacing.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/scope/userinfo.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/visit/visit.h"
#include "crawler/engine/visit/visit_lease.h"

#include <crawl/preferences.h>

static const char cannot_ask[] = "tdmrep.json cannot be asked for";

/* Ends the asking: the queue of the site may go on. */
static void tdmrep_visit_settle(crawl_engine *engine, cw_host_record *site, crawl_tdmrep *tdmrep)
{
    int64_t now = cw_engine_now(engine);
    crawl_err err = cw_host_sites_settle_tdmrep(engine->sites, site, tdmrep);
    if (!err)
        err = crawl_frontier_block(engine->frontier, cw_host_record_origin(site),
                                   cw_host_pacing_block(engine, site, now), now);
    if (err)
        cw_engine_fail(engine, err, "a host cannot go on");
}

static crawl_err tdmrep_visit_push(crawl_engine *engine, crawl_slice url, crawl_slice site, uint32_t redirects)
{
    crawl_request request = {.url = url, .body = site, .tag = CW_ENGINE_TAG_TDMREP | redirects};
    return crawl_frontier_push_urgent(engine->frontier, &request, cw_engine_now(engine));
}

/* The request comes before the block, which nothing but its answer lifts. */
void cw_visit_tdmrep_ask(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_slice origin = visit->lease.origin;
    crawl_buf url = {0};
    int64_t now = cw_engine_now(engine);
    crawl_err err = crawl_buf_append(&url, origin.data, origin.size);
    if (!err)
        err = crawl_buf_append_text(&url, "/.well-known/tdmrep.json");
    if (!err)
        err = tdmrep_visit_push(engine, crawl_buf_slice(&url), (crawl_slice){0}, 0);
    if (!err)
        err = crawl_frontier_block(engine->frontier, origin, CRAWL_FOREVER, now);
    if (err)
        cw_engine_fail(engine, err, cannot_ask);
    crawl_buf_free(&url);
    cw_visit_end(visit, CRAWL_DONE_RETURN, now);
}

/* ---- the answer ---- */

/* Follows a redirect, to other hosts too. False: it leads nowhere. */
static bool tdmrep_visit_follow(cw_visit *visit, const crawl_response *response)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_slice location = crawl_response_header(response, "Location");
    crawl_url *target = visit->maker->judge.url;
    uint32_t redirects = (visit->lease.tag & CW_ENGINE_TAG_REDIRECTS) + 1;
    bool leads_on = location.data && crawl_url_parse(target, location, visit->url, NULL) == CRAWL_OK &&
                    crawl_url_is_http(target) && cw_scope_userinfo_take(target, NULL, NULL) == CRAWL_OK;
    if (!leads_on || redirects > CW_HOST_ROBOTS_MAX_REDIRECTS)
        return false;
    crawl_err err = tdmrep_visit_push(engine, crawl_url_request(target), cw_host_record_origin(visit->site), redirects);
    if (err)
        cw_engine_fail(engine, err, cannot_ask);
    return true;
}

static bool tdmrep_visit_finish(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_tdmrep *tdmrep = NULL;
    bool answered = response->error == CRAWL_FETCH_OK;
    cw_visit_stay_away(visit, visit->site, verdict);
    if (answered && response->status >= 200 && response->status < 300 &&
        crawl_tdmrep_parse(response->body, &tdmrep) == CRAWL_ENOMEM)
        cw_engine_fail(engine, CRAWL_ENOMEM, "tdmrep.json cannot be parsed");
    bool is_redirect = answered && response->status >= 300 && response->status < 400;
    if (!is_redirect || !tdmrep_visit_follow(visit, response))
        tdmrep_visit_settle(engine, visit->site, tdmrep);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
    return true;
}

static void tdmrep_visit_on_done(void *user, const crawl_response *response)
{
    cw_visit_done(user, response, tdmrep_visit_finish);
}

/* ---- the request ---- */

/* Ends a visit that asks nothing: the site has no such file for us. */
static void tdmrep_visit_skip(cw_visit *visit)
{
    tdmrep_visit_settle(cw_visit_engine(visit), visit->site, NULL);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
}

/* Finds the site of the request, which an earlier process may have left: see robots_visit.c. */
static crawl_err tdmrep_visit_take_over(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_slice named = visit->lease.body;
    bool first;
    visit->site = named.size ? cw_host_table_get(engine->host_table, named) : visit->host;
    if (!visit->site)
        return CRAWL_ENOMEM;
    crawl_err err = cw_host_sites_asking(engine->sites, visit->site, &first);
    if (!err && first)
        err = crawl_frontier_block(engine->frontier, cw_host_record_origin(visit->site), CRAWL_FOREVER,
                                   cw_engine_now(engine));
    return err ? err : crawl_url_parse(visit->url, visit->lease.url, NULL, NULL);
}

/* May it be asked for? Of another host, which it was redirected to, robots.txt is not asked for this. */
static bool tdmrep_visit_is_allowed(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    return cw_host_guard_opens(engine->guard, visit->url) &&
           (visit->lease.body.size || cw_host_sites_allows(engine->sites, visit->site, visit->url));
}

static void tdmrep_visit_fail(cw_visit *visit, crawl_err err)
{
    crawl_engine *engine = cw_visit_engine(visit);
    cw_engine_fail(engine, err, cannot_ask);
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(engine));
}

void cw_visit_tdmrep_begin(cw_visit *visit)
{
    crawl_fetch_request request = {
        .size = sizeof request,
        .max_body_bytes = CRAWL_TDMREP_MAX_SIZE + 1, /* so that a cut one is no file */
        .cut_body = true,
        .on_done = tdmrep_visit_on_done,
    };
    crawl_err err = tdmrep_visit_take_over(visit);
    if (!err && !tdmrep_visit_is_allowed(visit)) {
        tdmrep_visit_skip(visit);
        return;
    }
    cw_host_admission admission = err ? CW_ADMIT_GO : cw_visit_connections_admit(visit);
    if (admission == CW_ADMIT_WAIT)
        return;
    if (admission == CW_ADMIT_REFUSE) {
        tdmrep_visit_skip(visit);
        return;
    }
    if (!err)
        err = cw_visit_send(visit, &request);
    if (err)
        tdmrep_visit_fail(visit, err);
}
