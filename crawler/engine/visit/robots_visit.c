#include "crawler/engine/visit/begin.h"

#include "config/config_values.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/pacing.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/links/fate.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/answer/walls.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/visit/site_file.h"
#include "crawler/engine/visit/visit.h"

#include <crawl/robots.h>
#include <stdio.h>

static const cw_visit_site_file robots_txt = {
    .path = "/robots.txt",
    .tag = CW_ENGINE_TAG_ROBOTS,
    .cannot_ask = "cannot request robots.txt",
};

void cw_visit_robots_ask(cw_visit *visit)
{
    cw_visit_site_file_ask(visit, &robots_txt);
}

/* Ends the fetch with this verdict on the site: its queue may continue, with the pause that its robots.txt asks for. */
static void robots_visit_settle(crawl_engine *engine, cw_host_record *site, cw_host_site_settlement settlement)
{
    int64_t now = cw_engine_now(engine);
    double crawl_delay = settlement.robots ? crawl_robots_delay(settlement.robots) : -1;
    crawl_err err = cw_host_sites_settle(engine->sites, site, &settlement, now);
    cw_host_pacing_crawl_delay(engine, site, crawl_delay);
    if (!err)
        err = crawl_frontier_block(engine->frontier, cw_host_record_origin(site),
                                   cw_host_pacing_block(engine, site, now), now);
    if (err)
        cw_engine_fail(engine, err, "cannot resume a host");
}

static void allow_all(crawl_engine *engine, cw_host_record *site)
{
    robots_visit_settle(engine, site, (cw_host_site_settlement){.robots = NULL});
}

static void refuse_all(cw_visit *visit, const crawl_response *response)
{
    enum { WALLED_MS = 3600 * 1000 };
    char words[256];
    bool is_walled = cw_visit_is_walled(visit);
    crawl_error_class error_class = response->error ? cw_links_fate_of_fetch(response->error) : CRAWL_CLASS_ROBOTS;
    if (is_walled)
        cw_visit_walls_say(visit, words, sizeof words);
    else if (response->error)
        snprintf(words, sizeof words, "robots.txt could not be fetched: %s", cw_visit_words(visit, response));
    else
        snprintf(words, sizeof words, "robots.txt was answered with status %d: everything counts as forbidden",
                 response->status);
    /* An unreachable host is reported as such, and not as a matter of robots.txt. */
    robots_visit_settle(cw_visit_engine(visit), visit->site,
                        (cw_host_site_settlement){.refused = true,
                                                  .error_class = is_walled ? CRAWL_CLASS_WALL : error_class,
                                                  .words = words,
                                                  .lasts_ms = is_walled ? WALLED_MS : 0});
}

static void robots_visit_parse(crawl_engine *engine, cw_host_record *site, const crawl_response *response)
{
    crawl_robots *robots = NULL;
    cw_engine_count(&engine->counters.robots_cut, response->body.size > CRAWL_ROBOTS_MAX_SIZE);
    crawl_err err = crawl_robots_parse(response->body, crawl_slice_from(engine->config->robots_agent), &robots);
    if (err) {
        cw_engine_fail(engine, err, "robots.txt cannot be parsed");
        return;
    }
    robots_visit_settle(engine, site, (cw_host_site_settlement){.body = response->body, .robots = robots});
}

/* Returns the effect of an answer. "Too many requests" does not mean that there is no robots.txt, nor does a wall of
 * any status: it is out of reach, as behind a 5xx (RFC 9309, 2.3.1.4). */
static crawl_robots_effect effect_of(const cw_visit *visit, const crawl_response *response)
{
    enum { TOO_MANY_REQUESTS = 429 };
    if (cw_visit_is_walled(visit))
        return CRAWL_ROBOTS_DISALLOW_ALL;
    if (!response->error && response->status == TOO_MANY_REQUESTS)
        return CRAWL_ROBOTS_DISALLOW_ALL;
    return crawl_robots_effect_of(response->error ? 0 : response->status);
}

static void robots_visit_read_answer(cw_visit *visit, const crawl_response *response)
{
    crawl_engine *engine = cw_visit_engine(visit);
    switch (effect_of(visit, response)) {
    case CRAWL_ROBOTS_PARSE:
        robots_visit_parse(engine, visit->site, response);
        break;
    case CRAWL_ROBOTS_REDIRECT:
        if (!cw_visit_site_file_follow(visit, response, &robots_txt))
            allow_all(engine, visit->site);
        break;
    case CRAWL_ROBOTS_ALLOW_ALL:
        allow_all(engine, visit->site);
        break;
    case CRAWL_ROBOTS_DISALLOW_ALL:
        refuse_all(visit, response);
        break;
    }
}

/* Refuses the URLs of the site for as long as its Retry-After asks, since the crawl does not wait that long; robots.txt
 * is asked for afterwards. */
static void stay_away(cw_visit *visit, const cw_visit_retry_verdict *verdict)
{
    cw_visit_stay_away(visit, visit->site, verdict);
    robots_visit_settle(cw_visit_engine(visit), visit->site,
                        (cw_host_site_settlement){.refused = true,
                                                  .error_class = CRAWL_CLASS_RETRY_AFTER,
                                                  .words = "the host asked to stay away",
                                                  .lasts_ms = verdict->delay_ms});
}

static bool robots_visit_finish(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict)
{
    if (verdict->what == CW_VISIT_RETRY_STAY_AWAY)
        stay_away(visit, verdict);
    else
        robots_visit_read_answer(visit, response);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
    return true;
}

/* Refuses the URLs of a site whose host is held, until the hold is over; robots.txt is asked for first then. */
static void refuse_held(cw_visit *visit)
{
    robots_visit_settle(cw_visit_engine(visit), visit->site,
                        (cw_host_site_settlement){.refused = true,
                                                  .error_class = cw_host_pacing_class(&visit->pass),
                                                  .words = visit->pass.words,
                                                  .lasts_ms = visit->pass.wait_us / 1000 + 1});
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
}

/* Refuses the URLs of a site whose robots.txt redirects to a port that may not be asked. */
static void refuse_port(cw_visit *visit)
{
    robots_visit_settle(cw_visit_engine(visit), visit->site,
                        (cw_host_site_settlement){.refused = true,
                                                  .error_class = CRAWL_CLASS_PORT,
                                                  .words = "robots.txt was redirected to a port that browsers block"});
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
}

void cw_visit_robots_begin(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_fetch_request request = {
        .size = sizeof request,
        .max_body_bytes = CRAWL_ROBOTS_MAX_SIZE + 1, /* lets the parser tell a cut line from a whole one */
        .cut_body = true,
    };
    crawl_err err = cw_visit_site_file_take_over(visit);
    if (!err && !cw_host_guard_opens(engine->guard, visit->url)) {
        refuse_port(visit);
        return;
    }
    cw_host_admission admission = err ? CW_ADMIT_GO : cw_visit_connections_admit(visit);
    if (admission == CW_ADMIT_WAIT)
        return;
    if (admission == CW_ADMIT_REFUSE) {
        refuse_held(visit);
        return;
    }
    if (!err)
        err = cw_visit_send(visit, &request, robots_visit_finish);
    if (!err) {
        cw_engine_count(&engine->counters.robots, 1);
        return;
    }
    cw_visit_site_file_fail(visit, &robots_txt, err);
}
