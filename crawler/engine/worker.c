/* A worker: one thread with one event loop. It asks the frontier for leases as long as it has room for transfers, and
 * otherwise sleeps until a transfer ends, the time that the frontier named comes, or somebody wakes it. */
#include "crawler/engine/worker.h"

#include "base/clock.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/engine.h"
#include "crawler/engine/host/cookies.h"
#include "crawler/engine/host/lane.h"
#include "crawler/engine/host/pacer.h"
#include "crawler/engine/links/edges.h"
#include "crawler/engine/links/scope.h"
#include "crawler/engine/load.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/state.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/visit/visit.h"

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    GRACE_MS = 5000, /* for transfers in flight when the crawl ends */
    TICK_MS = 250,
    LEASES_A_TURN = 256, /* then the loop sees to its transfers, even if each lease was refused without one */
    MAX_WAIT_MS = 3600 * 1000
};

static struct timeval to_timeval(int64_t ms)
{
    return (struct timeval){.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
}

static void sleep_until(cw_worker *worker, int64_t wait_ms)
{
    if (wait_ms == CRAWL_FOREVER)
        return;
    struct timeval wait = to_timeval(wait_ms < MAX_WAIT_MS ? wait_ms : MAX_WAIT_MS);
    evtimer_add(worker->again, &wait);
}

/* One lease if there is one. False: none now. */
static bool pull(cw_worker *worker)
{
    crawl_engine *engine = worker->engine;
    cw_visit *visit = cw_worker_visit(worker);
    if (!visit) {
        cw_engine_fail(engine, CRAWL_ENOMEM, "no memory for another request");
        return false;
    }
    int64_t wait_ms = 0;
    /* Said before asking, so that what becomes ready in between is not missed. */
    atomic_store(&worker->waiting, true);
    int64_t began_us = cw_disk_begin(worker);
    crawl_err err = crawl_frontier_pop(engine->frontier, cw_engine_now(engine), &visit->lease, &wait_ms);
    cw_disk_end(worker, began_us);
    if (err == CRAWL_OK) {
        atomic_store(&worker->waiting, false);
        bool wanted = visit->lease.visit <= 1 || cw_engine_wants_visit(engine);
        if (wanted)
            cw_visit_begin(visit);
        else
            cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
        return wanted;
    }
    cw_worker_release(visit);
    if (err == CRAWL_AGAIN)
        cw_engine_waits(engine, wait_ms), sleep_until(worker, wait_ms);
    else if (err == CRAWL_DRAINED)
        cw_engine_drained(engine);
    else
        cw_engine_fail(engine, err, "the frontier gives no more requests");
    return false;
}

void cw_worker_squeeze(cw_worker *worker, const char *words)
{
    crawl_engine *engine = worker->engine;
    unsigned others = worker->running > 1 ? worker->running - 1 : 1;
    if (others < atomic_load(&worker->allowed))
        atomic_store(&worker->allowed, others);
    worker->squeezed_ms = cw_engine_now(engine);
    if (atomic_fetch_add(&engine->counters.no_socket, 1))
        return;
    crawl_buf line = {0};
    if (!crawl_buf_printf(&line, "%s: fewer connections are used for a while, and requests without one come again",
                          words))
        cw_engine_notice(engine, &line);
    crawl_buf_free(&line);
}

/* As many as there may be, a few more after a while where there were too many. */
static unsigned allowed_now(cw_worker *worker)
{
    enum { STEP_MS = 2000, STEPS = 8 };
    unsigned allowed = atomic_load(&worker->allowed);
    if (allowed == worker->capacity || cw_engine_now(worker->engine) - worker->squeezed_ms < STEP_MS)
        return allowed;
    worker->squeezed_ms = cw_engine_now(worker->engine);
    allowed += allowed / STEPS + 1;
    allowed = allowed < worker->capacity ? allowed : worker->capacity;
    atomic_store(&worker->allowed, allowed);
    return allowed;
}

static void pump(cw_worker *worker)
{
    evtimer_del(worker->again);
    for (unsigned turn = 0; worker->running < allowed_now(worker); turn++) {
        if (cw_engine_ended(worker->engine) || !cw_engine_has_tickets(worker->engine))
            return;
        if (turn == LEASES_A_TURN) {
            event_active(worker->wake, EV_READ, 0);
            return;
        }
        if (!pull(worker))
            return;
    }
    /* No room here, but perhaps work for those who asked in vain. */
    cw_engine_wake(worker->engine, false);
    sleep_until(worker, cw_connections_yield(worker));
}

bool cw_worker_must_stop(cw_worker *worker)
{
    enum { LINKS_A_LOOK = 64 }; /* 3 ms with a pattern that is stopped at its limit each time */
    crawl_engine *engine = worker->engine;
    if (worker->looks++ % LINKS_A_LOOK == 0)
        cw_engine_watch_time(engine);
    if (!cw_engine_ended(engine))
        return false;
    int64_t now = cw_engine_now(engine);
    if (!worker->ended_ms)
        worker->ended_ms = now;
    return atomic_load(&engine->end) == CRAWL_END_FAILED || now - worker->ended_ms >= GRACE_MS;
}

static void stop_when_idle(cw_worker *worker)
{
    if (worker->running == 0) {
        event_base_loopbreak(worker->base);
    } else if (!worker->ending) {
        struct timeval grace = to_timeval(GRACE_MS);
        evtimer_add(worker->grace, &grace);
    }
    worker->ending = true;
}

static void go_on(cw_worker *worker)
{
    if (!cw_engine_ended(worker->engine))
        pump(worker);
    if (cw_engine_ended(worker->engine))
        stop_when_idle(worker);
}

static void on_wake(evutil_socket_t fd, short what, void *user)
{
    (void)what;
    uint64_t count;
    while (read(fd, &count, sizeof count) > 0)
        ;
    go_on(user);
}

static void on_again(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    go_on(user);
}

static void on_grace(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    cw_worker *worker = user;
    crawl_fetch_cancel_all(worker->fetcher);
}

static void on_tick(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    cw_worker *worker = user;
    crawl_engine *engine = worker->engine;
    cw_engine_watch_time(engine);
    cw_cookies_tick(engine);
    cw_load_look(engine);
    crawl_err err = cw_state_flush(engine);
    if (!err)
        err = cw_state_keep_clock(engine, false);
    if (err)
        cw_engine_fail(engine, err, "what is known of bodies, queries and the time cannot be kept");
    err = engine->hooks.on_tick ? engine->hooks.on_tick(engine->hooks.user, engine) : CRAWL_OK;
    if (err)
        cw_engine_fail(engine, err, "");
}

void cw_worker_transfer_began(cw_visit *visit)
{
    cw_worker *worker = visit->worker;
    cw_lane_enter(&worker->lane, &visit->lane, visit->pass.slow, cw_now_us());
    worker->running++;
    cw_count(&worker->engine->counters.running, 1);
}

void cw_worker_transfer_ended(cw_worker *worker)
{
    worker->running--;
    atomic_fetch_sub(&worker->engine->counters.running, 1);
    go_on(worker);
}

void cw_worker_wake(cw_worker *worker)
{
    int saved = errno;
    uint64_t one = 1;
    ssize_t written = write(worker->wake_fd, &one, sizeof one);
    (void)written; /* a full counter wakes as well */
    errno = saved;
}

void cw_worker_run(cw_worker *worker)
{
    if (worker->tick) {
        struct timeval every = to_timeval(TICK_MS);
        event_add(worker->tick, &every);
    }
    event_active(worker->wake, EV_READ, 0);
    event_base_dispatch(worker->base);
    if (worker->tick)
        event_del(worker->tick);
}

cw_visit *cw_worker_visit(cw_worker *worker)
{
    cw_visit *visit = worker->visits;
    if (visit) {
        worker->visits = visit->next;
        return visit;
    }
    visit = calloc(1, sizeof *visit);
    if (!visit)
        return NULL;
    visit->worker = worker;
    visit->url = crawl_url_create();
    if (!visit->url) {
        free(visit);
        return NULL;
    }
    return visit;
}

void cw_worker_release(cw_visit *visit)
{
    cw_worker *worker = visit->worker;
    visit->host = NULL;
    visit->rules = NULL;
    visit->has_ticket = false;
    visit->cut_short = false;
    visit->is_counted = false;
    visit->wall_ms = 0;
    visit->return_ms = 0;
    visit->is_conditional = false;
    visit->pass = (cw_pass){0};
    visit->next = worker->visits;
    worker->visits = visit;
}

static crawl_fetch_options fetch_options(const crawl_engine *engine, const cw_worker_share *share)
{
    const crawl_config *config = engine->config;
    crawl_fetch_options options;
    crawl_fetch_options_init(&options);
    options.user_agent = config->user_agent;
    options.timeout_ms = config->timeout_ms;
    options.connect_timeout_ms = config->connect_timeout_ms;
    options.low_speed_ms = config->low_speed_ms;
    options.low_speed_bytes = config->low_speed_bytes;
    options.max_header_bytes = config->max_header_bytes;
    options.max_body_bytes = config->max_body_bytes;
    options.max_bodies_bytes = share->body_bytes;
    options.max_connections = share->idle;
    options.http2 = config->http2;
    options.jar = engine->jar;
    options.insecure = config->insecure;
    options.ca_file = config->ca_file;
    options.interface_name = config->interface_name;
    options.resolver = config->resolver;
    options.dns_servers = config->dns_servers;
    options.dns_timeout_ms = config->dns_timeout_ms;
    return options;
}

static crawl_err create_loop(cw_worker *worker)
{
    struct event_config *config = event_config_new();
    if (!config)
        return CRAWL_ENOMEM;
    event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
    worker->base = event_base_new_with_config(config);
    event_config_free(config);
    worker->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (!worker->base || worker->wake_fd < 0)
        return CRAWL_EIO;
    worker->wake = event_new(worker->base, worker->wake_fd, EV_READ | EV_PERSIST, on_wake, worker);
    worker->again = evtimer_new(worker->base, on_again, worker);
    worker->grace = evtimer_new(worker->base, on_grace, worker);
    if (worker->index == 0)
        worker->tick = event_new(worker->base, -1, EV_PERSIST, on_tick, worker);
    bool complete = worker->wake && worker->again && worker->grace && (worker->index || worker->tick);
    return complete && event_add(worker->wake, NULL) == 0 ? CRAWL_OK : CRAWL_ENOMEM;
}

static unsigned texts_wanted(const crawl_engine *engine)
{
    return (cw_edges_wanted(engine) ? CRAWL_TEXT_LINKS : 0) |
           (engine->config->dedupe == CRAWL_DEDUPE_NEAR ? CRAWL_TEXT_PAGE : 0);
}

static crawl_err create_parsers(cw_worker *worker)
{
    worker->page = crawl_page_create();
    worker->link = crawl_url_create();
    worker->fingerprinter = crawl_fingerprinter_create();
    worker->scope = cw_scope_reader_create(worker->engine->scope);
    worker->on_page = cw_map_create((uintptr_t)worker);
    if (worker->page) {
        crawl_page_set_extractor(worker->page, worker->engine->config->html);
        crawl_page_set_kinds(worker->page, worker->engine->config->follow | CRAWL_LINK_PAGES);
        crawl_page_set_text(worker->page, texts_wanted(worker->engine));
    }
    bool named = worker->page && crawl_page_set_agent(worker->page, worker->engine->config->robots_agent) == CRAWL_OK;
    bool complete = named && worker->link && worker->fingerprinter && worker->scope && worker->on_page;
    return complete ? CRAWL_OK : CRAWL_ENOMEM;
}

crawl_err cw_worker_create(crawl_engine *engine, unsigned index, const cw_worker_share *share, cw_worker **out,
                           crawl_error *error)
{
    cw_worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    worker->engine = engine;
    worker->index = index;
    worker->capacity = share->connections;
    atomic_init(&worker->allowed, share->connections);
    cw_lane_init(&worker->lane, share->connections);
    worker->wake_fd = -1;
    crawl_err err = create_loop(worker);
    if (!err)
        err = create_parsers(worker);
    if (err) {
        crawl_error_set(error, err, "worker %u cannot start: %s", index,
                        err == CRAWL_EIO ? strerror(errno) : crawl_strerror(err));
    } else {
        crawl_fetch_options options = fetch_options(engine, share);
        options.names = engine->names;
        err = crawl_fetcher_create(worker->base, &options, &worker->fetcher, error);
    }
    if (err) {
        cw_worker_free(worker);
        return err;
    }
    *out = worker;
    return CRAWL_OK;
}

static void free_event(struct event *event)
{
    if (event)
        event_free(event);
}

void cw_worker_free(cw_worker *worker)
{
    if (!worker)
        return;
    crawl_fetcher_free(worker->fetcher);
    free_event(worker->wake);
    free_event(worker->again);
    free_event(worker->tick);
    free_event(worker->grace);
    if (worker->base) {
        event_base_loop(worker->base, EVLOOP_NONBLOCK); /* what names were asked for at the end: see crawl_fetcher_free
                                                         */
        event_base_free(worker->base);
    }
    if (worker->wake_fd >= 0)
        close(worker->wake_fd);
    for (cw_visit *visit; (visit = worker->visits);) {
        worker->visits = visit->next;
        crawl_url_free(visit->url);
        free(visit);
    }
    crawl_page_free(worker->page);
    crawl_url_free(worker->link);
    crawl_fingerprinter_free(worker->fingerprinter);
    cw_scope_reader_free(worker->scope);
    cw_map_free(worker->on_page);
    crawl_buf_free(&worker->canonical);
    crawl_buf_free(&worker->redirect_headers);
    crawl_buf_free(&worker->headers);
    crawl_buf_free(&worker->memo);
    crawl_buf_free(&worker->batch_text);
    free(worker);
}
