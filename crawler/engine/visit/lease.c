/* See lease.h. */
#include "crawler/engine/visit/lease.h"

#include "crawler/engine/links/trap.h"

#include <assert.h>

static void before_end(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (!visit->wall_ms)
        cw_host_pacer_unasked(engine->pacer, visit->host, &visit->pass);
    if (visit->lease.visit > 1)
        atomic_fetch_sub(&engine->visits_out, 1);
}

/* The lease has ended, and the visit does. */
static void release(cw_visit *visit, crawl_err err)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (err)
        cw_engine_fail(engine, err, "the frontier does not take a request back");
    if (visit->has_ticket)
        cw_engine_return_ticket(engine);
    cw_visit_maker_release(visit);
}

/* A page that is over counts in the runs to come. */
static void settle(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_err err = visit->is_counted ? cw_links_trap_settle(engine->trap, visit->host) : CRAWL_OK;
    if (err)
        cw_engine_fail(engine, err, "the pages of a host cannot be counted");
}

/* The date of a request that goes back. One beyond the longest wait there is would be a request that never comes: a
 * fault of whoever made it, and the crawl would not end. */
static int64_t way_back(const cw_visit *visit, int64_t at_ms)
{
    int64_t last_ms = cw_engine_now(cw_visit_engine(visit)) + cw_visit_engine(visit)->longest_wait_ms;
    at_ms = visit->return_ms > at_ms ? visit->return_ms : at_ms;
    assert(at_ms <= last_ms);
    return at_ms < last_ms ? at_ms : last_ms;
}

void cw_visit_end(cw_visit *visit, crawl_outcome outcome, int64_t at_ms)
{
    crawl_engine *engine = cw_visit_engine(visit);
    /* Its record may not have arrived where it belongs: the request is made once more. */
    if (cw_engine_failed(engine) && outcome != CRAWL_DONE_RETRY) {
        outcome = CRAWL_DONE_RETURN;
        at_ms = 0;
    }
    if (outcome == CRAWL_DONE_RETURN || outcome == CRAWL_DONE_RETRY)
        at_ms = way_back(visit, at_ms);
    before_end(visit);
    int64_t began_us = cw_engine_disk_begin(engine);
    if (outcome != CRAWL_DONE_RETURN)
        settle(visit);
    crawl_err err = crawl_frontier_done(engine->frontier, visit->lease.id, outcome, at_ms, cw_engine_now(engine));
    cw_engine_disk_end(engine, began_us);
    if (visit->is_counted && outcome == CRAWL_DONE_RETURN)
        cw_links_trap_return(engine->trap, visit->host);
    release(visit, err);
}

void cw_visit_end_again(cw_visit *visit, int64_t at_ms, crawl_slice memo)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (cw_engine_failed(engine)) {
        cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
        return;
    }
    before_end(visit);
    int64_t began_us = cw_engine_disk_begin(engine);
    settle(visit);
    crawl_err err = crawl_frontier_done_again(engine->frontier, visit->lease.id, at_ms, memo, cw_engine_now(engine));
    cw_engine_disk_end(engine, began_us);
    if (err == CRAWL_ENOMEM) /* the lease is still out; it is asked for once more when the crawl goes on */
        crawl_frontier_done(engine->frontier, visit->lease.id, CRAWL_DONE_RETURN, 0, cw_engine_now(engine));
    release(visit, err);
}
