#include "crawler/engine/visit/begin.h"

#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/pacing.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/answer/walls.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/visit/site_file.h"
#include "crawler/engine/visit/visit.h"

#include <crawl/preferences.h>

static const cw_visit_site_file tdmrep_json = {
    .path = "/.well-known/tdmrep.json",
    .tag = CW_ENGINE_TAG_TDMREP,
    .cannot_ask = "cannot request tdmrep.json",
};

/* Ends the fetch: the queue of the site may continue. */
static void tdmrep_visit_settle(crawl_engine *engine, cw_host_record *site, crawl_tdmrep *tdmrep, bool is_certain)
{
    int64_t now = cw_engine_now(engine);
    crawl_err err = cw_host_sites_settle_tdmrep(engine->sites, site, tdmrep, is_certain);
    if (!err)
        err = crawl_frontier_block(engine->frontier, cw_host_record_origin(site),
                                   cw_host_pacing_block(engine, site, now), now);
    if (err)
        cw_engine_fail(engine, err, "cannot resume a host");
}

void cw_visit_tdmrep_ask(cw_visit *visit)
{
    cw_visit_site_file_ask(visit, &tdmrep_json);
}

/* ---- the answer ---- */

/* Returns true if an answer with this status says whether there is a file. */
static bool tdmrep_visit_is_final(int status)
{
    return status < 500 && status != 429;
}

static bool tdmrep_visit_finish(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_tdmrep *tdmrep = NULL;
    bool answered = response->error == CRAWL_FETCH_OK && !cw_visit_is_walled(visit);
    cw_visit_stay_away(visit, visit->site, verdict);
    if (answered && response->status >= 200 && response->status < 300 &&
        crawl_tdmrep_parse(response->body, &tdmrep) == CRAWL_ENOMEM)
        cw_engine_fail(engine, CRAWL_ENOMEM, "tdmrep.json cannot be parsed");
    bool is_redirect = answered && response->status >= 300 && response->status < 400;
    if (!is_redirect || !cw_visit_site_file_follow(visit, response, &tdmrep_json))
        tdmrep_visit_settle(engine, visit->site, tdmrep, answered && tdmrep_visit_is_final(response->status));
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
    return true;
}

/* ---- the request ---- */

/* Ends a visit that asks nothing: the site has no such file for us. */
static void tdmrep_visit_skip(cw_visit *visit)
{
    tdmrep_visit_settle(cw_visit_engine(visit), visit->site, NULL, false);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
}

/* Returns true if the file may be asked for. The robots.txt of another host that the file was redirected to is not
 * fetched for this. */
static bool tdmrep_visit_is_allowed(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    return cw_host_guard_opens(engine->guard, visit->url) &&
           (visit->site != visit->host || cw_host_sites_allows(engine->sites, visit->host, visit->url));
}

void cw_visit_tdmrep_begin(cw_visit *visit)
{
    crawl_fetch_request request = {
        .size = sizeof request,
        .max_body_bytes = CRAWL_TDMREP_MAX_SIZE + 1, /* so that a cut one is invalid */
        .cut_body = true,
    };
    crawl_err err = cw_visit_site_file_take_over(visit);
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
        err = cw_visit_send(visit, &request, tdmrep_visit_finish);
    if (err)
        cw_visit_site_file_fail(visit, &tdmrep_json, err);
}
