#include "crawler/engine/visit/answer/slices.h"

#include "crawler/engine/visit/answer/documents.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/visit/visit.h"

#include <event2/event.h>

/* Schedules the next turn by a timer, so that it comes after the loop has handled its descriptors and other timers. An
 * event activated from within a callback would come before them. */
static void set_turn(cw_visit_maker *maker)
{
    const struct timeval at_once = {0};
    if (!TAILQ_EMPTY(&maker->slices.readings) || !TAILQ_EMPTY(&maker->slices.waiting))
        evtimer_add(maker->slices.event, &at_once);
}

/* Gives the answer of an ended visit back to the fetcher. */
static void slices_let_go(cw_visit_maker *maker, const crawl_response *response)
{
    crawl_fetch_give_back(maker->fetcher, response);
    cw_visit_connections_ended(maker);
}

/* ---- readings in slices ---- */

static void slices_enter(cw_visit_reading *reading)
{
    cw_visit_maker *maker = reading->visit->maker;
    crawl_fetch_keep(maker->fetcher, reading->response);
    TAILQ_INSERT_TAIL(&maker->slices.readings, reading, link);
    maker->slices.count++;
    maker->reading = maker->slices.count < CW_VISIT_SLICES_MAX ? cw_visit_reading_create(maker) : NULL;
    set_turn(maker);
}

/* Takes a reading out of the list, and calls end to end its visit. The reading serves further answers, unless the maker
 * has another one for that. */
static void slices_leave(cw_visit_maker *maker, cw_visit_reading *reading, void (*end)(cw_visit_reading *reading))
{
    const crawl_response *response = reading->response;
    TAILQ_REMOVE(&maker->slices.readings, reading, link);
    maker->slices.count--;
    end(reading);
    if (maker->reading)
        cw_visit_reading_free(reading);
    else
        maker->reading = reading;
    slices_let_go(maker, response);
}

static void slices_cut(cw_visit_reading *reading)
{
    cw_visit_document_stop(reading);
    cw_visit_end(reading->visit, CRAWL_DONE_RETURN, 0);
}

static void slices_go_on(cw_visit_maker *maker, cw_visit_reading *reading)
{
    if (cw_engine_failed(maker->engine)) {
        slices_leave(maker, reading, slices_cut);
    } else if (cw_visit_document_go_on(reading)) {
        slices_leave(maker, reading, reading->finish);
    } else {
        TAILQ_REMOVE(&maker->slices.readings, reading, link);
        TAILQ_INSERT_TAIL(&maker->slices.readings, reading, link);
    }
}

/* ---- waiting answers ---- */

void cw_visit_slices_keep(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                          cw_visit_reader *read)
{
    visit->answer.response = response;
    visit->answer.verdict = *verdict;
    visit->answer.read = read;
    crawl_fetch_keep(visit->maker->fetcher, response);
}

void cw_visit_slices_wait(cw_visit *visit)
{
    TAILQ_INSERT_TAIL(&visit->maker->slices.waiting, visit, answer.link);
    set_turn(visit->maker);
}

static void read_waiting(cw_visit_maker *maker, cw_visit *visit)
{
    const crawl_response *response = visit->answer.response;
    const cw_visit_retry_verdict verdict = visit->answer.verdict;
    TAILQ_REMOVE(&maker->slices.waiting, visit, answer.link);
    if (visit->answer.read(visit, response, &verdict))
        slices_let_go(maker, response);
}

static void on_turn(evutil_socket_t, short, void *user)
{
    cw_visit_maker *maker = user;
    cw_visit *waiting = TAILQ_FIRST(&maker->slices.waiting);
    if (waiting && maker->reading)
        read_waiting(maker, waiting);
    else if (!TAILQ_EMPTY(&maker->slices.readings))
        slices_go_on(maker, TAILQ_FIRST(&maker->slices.readings));
    set_turn(maker);
}

/* ---- the interface ---- */

crawl_err cw_visit_slices_open(cw_visit_maker *maker, struct event_base *base)
{
    TAILQ_INIT(&maker->slices.readings);
    TAILQ_INIT(&maker->slices.waiting);
    maker->slices.event = evtimer_new(base, on_turn, maker);
    maker->reading = cw_visit_reading_create(maker);
    return maker->slices.event && maker->reading ? CRAWL_OK : CRAWL_ENOMEM;
}

void cw_visit_slices_close(cw_visit_maker *maker)
{
    if (maker->slices.event)
        event_free(maker->slices.event);
    cw_visit_reading_free(maker->reading);
}

bool cw_visit_slices_read(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict)
{
    if (visit->maker->reading)
        return visit->answer.read(visit, response, verdict);
    cw_visit_slices_keep(visit, response, verdict, visit->answer.read);
    cw_visit_slices_wait(visit);
    return false;
}

bool cw_visit_slices_begin(cw_visit_reading *reading)
{
    bool all = cw_visit_document_go_on(reading);
    if (all)
        reading->finish(reading);
    else
        slices_enter(reading);
    return all;
}

void cw_visit_slices_cut(cw_visit_maker *maker)
{
    while (!TAILQ_EMPTY(&maker->slices.readings))
        slices_leave(maker, TAILQ_FIRST(&maker->slices.readings), slices_cut);
    while (!TAILQ_EMPTY(&maker->slices.waiting)) {
        cw_visit *visit = TAILQ_FIRST(&maker->slices.waiting);
        const crawl_response *response = visit->answer.response;
        TAILQ_REMOVE(&maker->slices.waiting, visit, answer.link);
        cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
        slices_let_go(maker, response);
    }
}
