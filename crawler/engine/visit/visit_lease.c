#include "crawler/engine/visit/visit.h"

#include "crawler/engine/ending.h"
#include "crawler/engine/scope/trap.h"
#include "crawler/engine/visit/receipts.h"

#include <stdlib.h>

/* ---- the lease ---- */

/* Counts a finished page, whose record is kept, for later runs. */
static void visit_lease_settle(crawl_engine *engine, const cw_visit_ending *ending)
{
    crawl_err err = ending->is_counted ? cw_scope_trap_settle(engine->trap, ending->host) : CRAWL_OK;
    if (!err)
        err = cw_visit_dedupe_settle(engine->dedupe, ending->original);
    if (err)
        cw_engine_fail(engine, err, "a page cannot be counted");
}

static crawl_err tell_frontier(crawl_engine *engine, const cw_visit_ending *ending)
{
    crawl_frontier *frontier = engine->frontier;
    int64_t now = cw_engine_now(engine);
    if (!ending->again)
        return crawl_frontier_done(frontier, ending->lease, ending->outcome, ending->at_ms, now);
    crawl_err err = crawl_frontier_done_again(frontier, ending->lease, ending->at_ms, ending->memo, now);
    if (err == CRAWL_ENOMEM) /* the lease is still out: the page is asked for again when the crawl continues */
        crawl_frontier_done(frontier, ending->lease, CRAWL_DONE_RETURN, 0, now);
    return err;
}

/* Tells the frontier that the lease has ended. May be called on any thread. */
static void visit_end_lease(crawl_engine *engine, const cw_visit_ending *ending)
{
    bool is_over = ending->again || (ending->outcome != CRAWL_DONE_RETURN && ending->outcome != CRAWL_DONE_LATER);
    if (ending->is_further)
        atomic_fetch_sub(&engine->visits_out, 1);
    int64_t began_us = cw_engine_disk_begin(engine);
    if (is_over)
        visit_lease_settle(engine, ending);
    crawl_err err = tell_frontier(engine, ending);
    cw_engine_disk_end(engine, began_us);
    if (ending->is_counted && !is_over)
        cw_scope_trap_return(engine->trap, ending->host, ending->path);
    if (err)
        cw_engine_fail(engine, err, "the frontier does not take a request back");
}

/* Turns the ending into a return, so that the request is made again: the crawl has failed, and the record may be
 * lost. */
static void return_it(cw_visit_ending *ending)
{
    ending->outcome = CRAWL_DONE_RETURN;
    ending->again = false;
    ending->at_ms = 0;
}

/* ---- the visit ---- */

/* Returns the date of a request that goes back. Beyond the longest wait it would not come again, and the crawl would
 * not end. */
static int64_t way_back(const cw_visit *visit, int64_t at_ms)
{
    int64_t last_ms = cw_engine_now(cw_visit_engine(visit)) + atomic_load(&cw_visit_engine(visit)->longest_wait_ms);
    at_ms = visit->return_ms > at_ms ? visit->return_ms : at_ms;
    return at_ms < last_ms ? at_ms : last_ms;
}

/* Returns true if the lease stays out until the receipt of the visit's record comes. The request itself is over, so
 * that its host may be asked for others meanwhile. */
static bool is_held(cw_visit *visit, const cw_visit_ending *ending)
{
    crawl_engine *engine = cw_visit_engine(visit);
    if (!visit->awaits_receipt)
        return false;
    if (!ending->again && ending->outcome == CRAWL_DONE_RETURN) {
        cw_visit_receipts_drop(engine->receipts, ending->lease);
        return false;
    }
    crawl_err err = cw_visit_receipts_hold(engine->receipts, ending);
    if (err == CRAWL_ENOMEM)
        cw_engine_fail(engine, err, "no memory for a page whose record is not kept yet");
    if (!err) {
        visit->host = NULL; /* the ending owns it, and may have released it by now */
        (void)crawl_frontier_park(engine->frontier, ending->lease, cw_engine_now(engine));
    }
    return err != CRAWL_EXISTS; /* out of memory: the lease stays out, and the page is asked for again */
}

/* Notes until when a due visit is put off because its host may not be asked yet: the crawl waits for it. */
static void note_put_off(crawl_engine *engine, const cw_visit_ending *ending)
{
    int_fast64_t latest = atomic_load(&engine->put_off_ms);
    while (latest < ending->at_ms && !atomic_compare_exchange_weak(&engine->put_off_ms, &latest, ending->at_ms))
        ;
}

static void visit_lease_end(cw_visit *visit, cw_visit_ending ending)
{
    crawl_engine *engine = cw_visit_engine(visit);
    ending.lease = visit->lease.id;
    ending.host = visit->host;
    ending.is_counted = visit->is_counted;
    ending.path = visit->path;
    ending.original = visit->original;
    ending.is_further = visit->lease.visit > 1;
    if (cw_engine_failed(engine) && (ending.again || ending.outcome != CRAWL_DONE_RETRY))
        return_it(&ending);
    if (!ending.again && (ending.outcome == CRAWL_DONE_RETURN || ending.outcome == CRAWL_DONE_RETRY))
        ending.at_ms = way_back(visit, ending.at_ms);
    if (ending.is_further && !ending.again && ending.outcome == CRAWL_DONE_RETURN)
        note_put_off(engine, &ending);
    if (!visit->wall_ms)
        cw_host_pacer_unasked(engine->pacer, visit->host, &visit->pass);
    if (!is_held(visit, &ending))
        visit_end_lease(engine, &ending);
    if (visit->has_ticket)
        cw_engine_return_ticket(engine);
    cw_visit_maker_release(visit);
}

void cw_visit_end(cw_visit *visit, crawl_outcome outcome, int64_t at_ms)
{
    visit_lease_end(visit, (cw_visit_ending){.outcome = outcome, .at_ms = at_ms});
}

void cw_visit_end_again(cw_visit *visit, int64_t at_ms, crawl_slice memo)
{
    visit_lease_end(visit, (cw_visit_ending){.again = true, .at_ms = at_ms, .memo = memo});
}

/* ---- the receipt ---- */

void crawl_engine_kept(crawl_engine *engine, uint64_t receipt)
{
    cw_visit_ending *ending = cw_visit_receipts_take(engine->receipts, receipt);
    if (!ending)
        return;
    if (cw_engine_failed(engine))
        return_it(ending);
    visit_end_lease(engine, ending);
    cw_host_record_release(ending->host);
    free(ending);
    cw_engine_wake_one(engine); /* its host may be asked again, or nothing is left */
}
