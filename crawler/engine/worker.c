#include "crawler/engine/worker.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/render/renders.h"
#include "crawler/engine/visit/answer/claims.h"
#include "crawler/engine/visit/answer/slices.h"
#include "crawler/engine/visit/begin.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/visit/home.h"
#include "crawler/engine/visit/preprocess/preprocess_visit.h"
#include "crawler/engine/visit/render/render_visit.h"
#include "crawler/engine/visit/visit.h"

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    TICK_MS = 250,
    FREED_PART = 4,      /* once this part of the transfers has ended, ... */
    FREED_LEAST = 4,     /* ... and at least this many, others begin */
    LEASES_A_TURN = 256, /* then the loop handles its transfers, even if each lease was refused without one */
    MAX_WAIT_MS = 3600 * 1000,
    PRIORITIES = 3 /* of events; the middle one is the default */
};

static struct timeval to_timeval(int64_t ms)
{
    return (struct timeval){.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
}

static void sleep_until(cw_engine_worker *worker, int64_t wait_ms)
{
    if (wait_ms < CRAWL_FOREVER)
        cw_engine_alarm_set(&worker->alarm, cw_now_us() + (wait_ms < MAX_WAIT_MS ? wait_ms : MAX_WAIT_MS) * 1000);
}

/* Schedules another turn for when the loop has handled what is ready. An activated event would come before that. */
static void worker_look_again(cw_engine_worker *worker)
{
    static const struct timeval at_once = {0};
    evtimer_add(worker->again, &at_once);
}

/* Returns true if only parts of pages in the browser may be leased. */
static bool pulls_parts_alone(crawl_engine *engine)
{
    return engine->renders && (cw_renders_is_full(engine->renders) || !cw_engine_takes(engine));
}

static crawl_err worker_pop(crawl_engine *engine, bool parts_alone, crawl_lease *lease, int64_t *wait_ms)
{
    int64_t began_us = cw_engine_disk_begin(engine);
    crawl_err err = parts_alone ? cw_renders_pop(engine->renders, lease, wait_ms)
                                : crawl_frontier_pop(engine->frontier, cw_engine_now(engine), lease, wait_ms);
    cw_engine_disk_end(engine, began_us);
    return err;
}

/* Begins the visit of a lease. False: look for no others now. */
static bool worker_begin(cw_engine_worker *worker, cw_visit *visit, bool parts_alone)
{
    enum { LATER_MS = 100 };
    crawl_engine *engine = worker->engine;
    bool wanted = visit->lease.visit <= 1 || cw_engine_wants_visit(engine);
    if (visit->lease.nearer) {
        cw_visit_end(visit, CRAWL_DONE_FORGET, 0); /* the nearer one decides how long it is seen */
    } else if (parts_alone && !visit->lease.urgent) {
        cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(engine) + LATER_MS);
        sleep_until(worker, LATER_MS);
        return false;
    } else if (wanted) {
        cw_visit_begin(visit);
    } else {
        cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
    }
    return wanted;
}

/* Takes one lease, sent by another worker or given by the frontier, and begins its visit. False: none now. */
static bool pull(cw_engine_worker *worker)
{
    crawl_engine *engine = worker->engine;
    cw_visit *visit = cw_visit_maker_take(&worker->maker);
    if (!visit) {
        cw_engine_fail(engine, CRAWL_ENOMEM, "no memory for another request");
        return false;
    }
    if (cw_visit_home_take(visit)) {
        cw_visit_begin_at_home(visit);
        return true;
    }
    int64_t wait_ms = 0;
    /* Set before asking, so that what becomes ready in between is not missed. */
    atomic_store(&worker->waker->waiting, true);
    bool parts_alone = pulls_parts_alone(engine);
    crawl_err err = worker_pop(engine, parts_alone, &visit->lease, &wait_ms);
    if (err == CRAWL_OK) {
        atomic_store(&worker->waker->waiting, false);
        if (atomic_load(&engine->dozes) && atomic_exchange(&engine->dozes, false))
            cw_engine_waker_ring(&engine->wakers[0]);
        return worker_begin(worker, visit, parts_alone);
    }
    cw_visit_maker_release(visit);
    if (err == CRAWL_AGAIN) {
        if (!parts_alone)
            cw_engine_waits(engine);
        sleep_until(worker, wait_ms);
    } else if (err == CRAWL_DRAINED) {
        cw_engine_drained(engine);
    } else {
        cw_engine_fail(engine, err, "the frontier gives no more requests");
    }
    return false;
}

/* Returns how long to wait for the rate. While more than this is owed for received bytes, no request leaves, because
 * its answer could not be read. The requests that have left keep the rate used up. */
static int64_t wait_for_rate_ms(const cw_engine_worker *worker)
{
    enum { AHEAD_US = 500 * 1000 };
    return (crawl_fetch_rate_owed_us(worker->engine->rate, cw_now_us()) - AHEAD_US) / 1000;
}

/* Pages in the browser have their tickets already. */
static bool worker_takes(crawl_engine *engine)
{
    return cw_engine_takes(engine) ||
           (engine->renders && cw_engine_takes_parts(engine) && cw_renders_waits(engine->renders));
}

static void pump(cw_engine_worker *worker)
{
    evtimer_del(worker->again);
    event_del(worker->when_idle);
    worker->freed = 0;
    int64_t owed_ms = wait_for_rate_ms(worker);
    if (owed_ms > 0) {
        sleep_until(worker, owed_ms);
        return;
    }
    if (!atomic_load(&worker->maker.capacity)) /* in reserve: leases sent here are for others */
        cw_visit_home_return(&worker->maker);
    for (unsigned turn = 0; worker->maker.running < cw_visit_connections_allowed(&worker->maker); turn++) {
        if (!worker_takes(worker->engine) || cw_visit_preprocess_is_full(&worker->maker)) {
            cw_visit_home_return(&worker->maker);
            return;
        }
        if (turn == LEASES_A_TURN) {
            worker_look_again(worker);
            return;
        }
        if (!pull(worker))
            return;
    }
    /* no room here, but another worker that asked in vain may have some */
    cw_engine_wake_one(worker->engine);
    if (worker->maker.running) /* a worker in reserve is woken when it may have some */
        sleep_until(worker, cw_visit_connections_yield(&worker->maker));
}

static void stop_when_idle(cw_engine_worker *worker)
{
    cw_visit_render_cut(&worker->maker);
    cw_visit_preprocess_cut(&worker->maker);
    if (worker->maker.running == 0 && !worker->maker.rendering) {
        event_base_loopbreak(worker->base);
    } else if (!worker->ending) {
        struct timeval grace = to_timeval(CW_ENGINE_GRACE_MS);
        evtimer_add(worker->grace, &grace);
    }
    worker->ending = true;
}

static void worker_go_on(cw_engine_worker *worker)
{
    if (!cw_engine_ended(worker->engine))
        pump(worker);
    if (cw_engine_ended(worker->engine))
        stop_when_idle(worker);
}

/* Begins new requests after a transfer has ended. Requests that leave in a row cost less than requests that leave one
 * by one: a server on this machine is not woken for each, and the caches' contents of the frontier and of libcurl serve
 * all of them. So the room of an ended transfer is filled when the loop has nothing else to do, unless many have ended
 * by then. */
static void on_ended(void *user)
{
    cw_engine_worker *worker = user;
    worker->freed++;
    unsigned part = cw_visit_connections_allowed(&worker->maker) / FREED_PART;
    if (worker->freed >= (part > FREED_LEAST ? part : FREED_LEAST) || cw_engine_ended(worker->engine))
        worker_go_on(worker);
    else
        cw_engine_waker_look_when_idle(worker->waker);
}

static void worker_tick_in(cw_engine_worker *worker, int64_t ms)
{
    struct timeval in = to_timeval(ms);
    worker->dozes = ms > TICK_MS;
    evtimer_add(worker->tick, &in);
}

static void worker_on_wake(evutil_socket_t fd, short, void *user)
{
    eventfd_t count;
    eventfd_read(fd, &count); /* takes all rings */
    cw_engine_worker *worker = user;
    if (worker->dozes)
        worker_tick_in(worker, 0);
    cw_visit_claims_take(&worker->maker);
    cw_visit_render_take(&worker->maker);
    worker_go_on(worker);
}

static void worker_on_again(evutil_socket_t, short, void *user)
{
    worker_go_on(user);
}

static void on_alarm(void *user)
{
    worker_go_on(user);
}

static void on_grace(evutil_socket_t, short, void *user)
{
    cw_engine_worker *worker = user;
    crawl_fetch_cancel_all(worker->maker.fetcher);
    cw_visit_claims_cut(&worker->maker);
    cw_visit_slices_cut(&worker->maker);
}

static void worker_on_tick(evutil_socket_t, short, void *user)
{
    cw_engine_worker *worker = user;
    int64_t ms = worker->on_tick(worker->engine);
    worker_tick_in(worker, cw_least(cw_most(ms, TICK_MS), MAX_WAIT_MS));
}

void cw_engine_worker_run(cw_engine_worker *worker)
{
    if (worker->tick)
        worker_tick_in(worker, TICK_MS);
    atomic_store(&worker->waker->thread, pthread_self());
    atomic_store(&worker->waker->runs, true);
    cw_visit_home_open(&worker->maker);
    event_active(worker->wake, EV_READ, 0);
    event_base_dispatch(worker->base);
    cw_visit_home_close(&worker->maker);
    atomic_store(&worker->waker->runs, false);
    if (worker->tick)
        event_del(worker->tick);
}

static crawl_err worker_create_loop(cw_engine_worker *worker)
{
    worker->base = event_base_new();
    worker->waker->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (!worker->base || event_base_priority_init(worker->base, PRIORITIES) || worker->waker->fd < 0)
        return CRAWL_EIO;
    crawl_err err = cw_engine_alarm_open(&worker->alarm, worker->base, on_alarm, worker);
    if (err)
        return err;
    worker->wake = event_new(worker->base, worker->waker->fd, EV_READ | EV_PERSIST, worker_on_wake, worker);
    worker->again = evtimer_new(worker->base, worker_on_again, worker);
    worker->when_idle = event_new(worker->base, -1, 0, worker_on_again, worker);
    worker->waker->again = worker->again;
    worker->waker->when_idle = worker->when_idle;
    worker->grace = evtimer_new(worker->base, on_grace, worker);
    if (worker->on_tick)
        worker->tick = evtimer_new(worker->base, worker_on_tick, worker);
    bool complete =
        worker->wake && worker->again && worker->when_idle && worker->grace && (!worker->on_tick || worker->tick);
    return complete && event_priority_set(worker->when_idle, PRIORITIES - 1) == 0 && event_add(worker->wake, NULL) == 0
               ? CRAWL_OK
               : CRAWL_ENOMEM;
}

crawl_err cw_engine_worker_create(crawl_engine *engine, unsigned index, const cw_visit_maker_share *share,
                                  int64_t (*every_tick)(crawl_engine *engine), cw_engine_worker **out,
                                  crawl_error *error)
{
    cw_engine_worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return cw_error(error, CRAWL_ENOMEM);
    worker->engine = engine;
    worker->waker = &engine->wakers[index];
    worker->on_tick = every_tick;
    worker->maker.on_ended = on_ended;
    worker->maker.user = worker;
    worker->maker.waker = worker->waker;
    worker->maker.index = index;
    crawl_err err = worker_create_loop(worker);
    cw_visit_preprocess_open(&worker->maker, worker->base);
    if (err)
        crawl_error_set(error, err, "worker %u cannot start: %s", index,
                        err == CRAWL_EIO ? strerror(errno) : crawl_strerror(err));
    else
        err = cw_visit_maker_open(&worker->maker, engine, worker->base, share, error);
    if (!err && (cw_visit_slices_open(&worker->maker, worker->base) || cw_visit_render_open(&worker->maker)))
        err = cw_error(error, CRAWL_ENOMEM);
    if (err) {
        cw_engine_worker_free(worker);
        return err;
    }
    *out = worker;
    return CRAWL_OK;
}

static void worker_free_event(struct event *event)
{
    if (event)
        event_free(event);
}

void cw_engine_worker_free(cw_engine_worker *worker)
{
    if (!worker)
        return;
    cw_visit_slices_close(&worker->maker);
    cw_visit_maker_cancel(&worker->maker);
    worker_free_event(worker->wake);
    worker_free_event(worker->again);
    worker_free_event(worker->when_idle);
    cw_engine_alarm_close(&worker->alarm);
    worker_free_event(worker->tick);
    worker_free_event(worker->grace);
    if (worker->base) {
        event_base_loop(worker->base, EVLOOP_NONBLOCK); /* names asked for at the end; see crawl_fetcher_free */
        event_base_free(worker->base);
    }
    cw_visit_maker_close(&worker->maker);
    free(worker);
}

enum { SECOND_US = 1000 * 1000 };

static void on_ring(evutil_socket_t fd, short, void *user)
{
    cw_engine_alarm *alarm = user;
    uint64_t times;
    ssize_t got = read(fd, &times, sizeof times);
    (void)got; /* nothing to read: the moment was moved meanwhile, and is still to come */
    alarm->set_us = 0;
    alarm->ring(alarm->user);
}

crawl_err cw_engine_alarm_open(cw_engine_alarm *alarm, struct event_base *base, void (*ring)(void *user), void *user)
{
    *alarm = (cw_engine_alarm){.ring = ring, .user = user};
    alarm->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (alarm->fd < 0)
        return CRAWL_EIO;
    alarm->event = event_new(base, alarm->fd, EV_READ | EV_PERSIST, on_ring, alarm);
    return alarm->event && event_add(alarm->event, NULL) == 0 ? CRAWL_OK : CRAWL_ENOMEM;
}

void cw_engine_alarm_close(cw_engine_alarm *alarm)
{
    if (alarm->event)
        event_free(alarm->event);
    if (alarm->ring && alarm->fd >= 0)
        close(alarm->fd);
    *alarm = (cw_engine_alarm){0};
}

void cw_engine_alarm_set(cw_engine_alarm *alarm, int64_t at_us)
{
    if (alarm->set_us && alarm->set_us <= at_us)
        return;
    /* A time of 0 would disarm the timer. */
    int64_t at = at_us > 0 ? at_us : 1;
    struct itimerspec moment = {.it_value = {.tv_sec = at / SECOND_US, .tv_nsec = at % SECOND_US * 1000}};
    if (timerfd_settime(alarm->fd, TFD_TIMER_ABSTIME, &moment, NULL) == 0)
        alarm->set_us = at;
}
