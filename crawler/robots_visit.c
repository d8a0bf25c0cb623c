/* Asking for robots.txt. The request goes through the frontier as an urgent one, so that it keeps to the host's pause like
 * any other; until its answer is there the host is blocked for everything else. */
#include "crawler/clock.h"
#include "crawler/engine_parts.h"
#include "crawler/retry.h"

#include <stdio.h>

static crawl_err push(crawl_engine *engine, crawl_slice url, uint32_t site)
{
    crawl_request request = {.url = url, .tag = CW_TAG_ROBOTS | site};
    return crawl_frontier_push_urgent(engine->frontier, &request, cw_now_ms());
}

void cw_robots_visit_ask(cw_visit *visit, uint32_t site)
{
    crawl_engine *engine = cw_engine_of(visit);
    crawl_slice origin = visit->lease.origin;
    crawl_buf url = {0};
    int64_t now = cw_now_ms();
    crawl_err err = crawl_buf_append(&url, origin.data, origin.size);
    if (!err)
        err = crawl_buf_append_text(&url, "/robots.txt");
    if (!err)
        err = push(engine, crawl_buf_slice(&url), site);
    if (!err)
        err = crawl_frontier_block(engine->frontier, origin, CRAWL_FOREVER, now);
    if (err)
        cw_engine_fail(engine, err, "robots.txt cannot be asked for");
    crawl_buf_free(&url);
    cw_visit_end(visit, CRAWL_DONE_RETURN, now);
}

/* The verdict on the site is known, for so long: its queue may go on. */
static void settle_for(crawl_engine *engine, uint32_t site, crawl_robots *robots, bool refused, crawl_error_class error_class,
                       const char *words, int64_t lasts_ms)
{
    int64_t now = cw_now_ms();
    crawl_slice origin = cw_sites_origin(engine->sites, site);
    cw_sites_settle(engine->sites, site, robots, refused, error_class, words, now + lasts_ms - CW_ROBOTS_MAX_AGE_MS);
    crawl_err err = crawl_frontier_block(engine->frontier, origin, cw_pacing_block(engine, origin, now), now);
    if (err)
        cw_engine_fail(engine, err, "a host cannot go on");
}

static void settle(crawl_engine *engine, uint32_t site, crawl_robots *robots, bool refused, crawl_error_class error_class,
                   const char *words)
{
    settle_for(engine, site, robots, refused, error_class, words, CW_ROBOTS_MAX_AGE_MS);
}

static void allow_all(crawl_engine *engine, uint32_t site)
{
    settle(engine, site, NULL, false, CRAWL_CLASS_ROBOTS, NULL);
}

static void refuse_all(crawl_engine *engine, uint32_t site, const crawl_response *response)
{
    char words[200];
    if (response->error)
        snprintf(words, sizeof words, "robots.txt could not be fetched: %s", response->error_text);
    else
        snprintf(words, sizeof words, "robots.txt was answered with status %d: all is taken as forbidden", response->status);
    /* A host that cannot be reached is reported as that, and not as a matter of robots.txt. */
    settle(engine, site, NULL, true, response->error ? cw_class_of(response->error) : CRAWL_CLASS_ROBOTS, words);
}

static void set_pause(crawl_engine *engine, uint32_t site, const crawl_robots *robots)
{
    const crawl_config *config = engine->config;
    double asked = crawl_robots_delay(robots) * 1000;
    int64_t pause = asked < (double)config->max_crawl_delay_ms ? (int64_t)asked : config->max_crawl_delay_ms;
    cw_pacing_crawl_delay(engine, cw_sites_origin(engine->sites, site), pause > 0 ? pause : 0);
}

static void parse(crawl_engine *engine, uint32_t site, const crawl_response *response)
{
    crawl_robots *robots = NULL;
    crawl_err err = crawl_robots_parse(response->body, crawl_slice_from(engine->config->robots_agent), &robots);
    if (err) {
        cw_engine_fail(engine, err, "robots.txt cannot be parsed");
        return;
    }
    set_pause(engine, site, robots);
    settle(engine, site, robots, false, CRAWL_CLASS_ROBOTS, NULL);
}

/* Across hosts too; the request then keeps to the other host's pause. */
static void follow(cw_visit *visit, uint32_t site, const crawl_response *response)
{
    crawl_engine *engine = cw_engine_of(visit);
    crawl_slice location = crawl_response_header(response, "Location");
    crawl_url *target = visit->worker->link;
    bool leads_on = location.data && crawl_url_parse(target, location, visit->url, NULL) == CRAWL_OK && crawl_url_is_http(target);
    if (!leads_on || cw_sites_redirected(engine->sites, site) > CW_ROBOTS_MAX_REDIRECTS)
        allow_all(engine, site);
    else if (push(engine, crawl_url_request(target), site))
        cw_engine_fail(engine, CRAWL_ENOMEM, "robots.txt cannot be asked for");
}

static void read_answer(cw_visit *visit, uint32_t site, const crawl_response *response)
{
    crawl_engine *engine = cw_engine_of(visit);
    switch (crawl_robots_effect_of(response->error ? 0 : response->status)) {
    case CRAWL_ROBOTS_PARSE:
        parse(engine, site, response);
        break;
    case CRAWL_ROBOTS_REDIRECT:
        follow(visit, site, response);
        break;
    case CRAWL_ROBOTS_ALLOW_ALL:
        allow_all(engine, site);
        break;
    case CRAWL_ROBOTS_DISALLOW_ALL:
        refuse_all(engine, site, response);
        break;
    }
}

/* Longer than we wait: the site's URLs are refused till then, and robots.txt is asked for after that. */
static void stay_away(cw_visit *visit, uint32_t site, const cw_retry_verdict *verdict)
{
    crawl_engine *engine = cw_engine_of(visit);
    cw_sites_stay_away(engine->sites, cw_sites_origin(engine->sites, site), cw_now_ms() + verdict->delay_ms);
    settle_for(engine, site, NULL, true, CRAWL_CLASS_RETRY_AFTER, "the host asked to stay away", verdict->delay_ms);
}

static void on_done(void *user, const crawl_response *response)
{
    cw_visit *visit = user;
    cw_worker *worker = visit->worker;
    crawl_engine *engine = worker->engine;
    uint32_t site = visit->lease.tag & ~CW_TAG_ROBOTS;
    int64_t now = cw_now_ms();
    cw_visit_came_back(visit, response);
    cw_retry_verdict verdict =
        cw_retry_decide(engine->config, response, visit->lease.method, visit->lease.attempt, cw_wall_ms(), (uint8_t)(site * 37));
    if (response->error == CRAWL_FETCH_CANCELLED) {
        cw_visit_end(visit, CRAWL_DONE_RETURN, now);
    } else if (verdict.what == CW_RETRY_AT) {
        cw_count(&engine->counters.retries, 1);
        cw_visit_end(visit, CRAWL_DONE_RETRY, now + verdict.delay_ms);
    } else {
        if (verdict.what == CW_RETRY_STAY_AWAY)
            stay_away(visit, site, &verdict);
        else
            read_answer(visit, site, response);
        cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
    }
    cw_worker_transfer_ended(worker);
}

/* Its URLs are refused until the host is tried again; then robots.txt is asked for first. */
static void refuse_given_up(cw_visit *visit)
{
    crawl_engine *engine = cw_engine_of(visit);
    uint32_t site = visit->lease.tag & ~CW_TAG_ROBOTS;
    settle_for(engine, site, NULL, true, CRAWL_CLASS_GIVEN_UP, visit->pass.words, visit->pass.wait_us / 1000);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
}

void cw_robots_visit_begin(cw_visit *visit)
{
    cw_worker *worker = visit->worker;
    crawl_engine *engine = worker->engine;
    crawl_fetch_request request = {
        .url = visit->lease.url,
        .max_body_bytes = CRAWL_ROBOTS_MAX_SIZE + 1, /* so that the parser can tell a cut line from a whole one */
        .cut_body = true,
        .capture = engine->hooks.capture,
        .on_start = cw_visit_on_start,
        .on_done = on_done,
        .user = visit,
    };
    cw_admission admission = cw_pacing_admit(visit);
    if (admission == CW_ADMIT_WAIT)
        return;
    if (admission == CW_ADMIT_REFUSE) {
        refuse_given_up(visit);
        return;
    }
    crawl_err err = crawl_url_parse(visit->url, visit->lease.url, NULL, NULL);
    request.allow_private = !err && cw_visit_allows_private(visit);
    if (!err)
        err = crawl_fetch(worker->fetcher, &request, &visit->transfer);
    if (err) {
        cw_engine_fail(engine, err, "robots.txt cannot be asked for");
        cw_visit_end(visit, CRAWL_DONE_RETURN, cw_now_ms());
        return;
    }
    cw_count(&engine->counters.robots, 1);
    worker->running++;
    cw_count(&engine->counters.running, 1);
}
