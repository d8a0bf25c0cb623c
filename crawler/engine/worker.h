/* A worker: one thread with one event loop. It asks the frontier for leases while it has room for transfers, and
 * otherwise sleeps until a transfer ends, the time that the frontier named comes, or somebody wakes it. */
#pragma once

#include "crawler/engine/ending.h"
#include "crawler/engine/visit/maker.h"

#include <crawl/base.h>
#include <pthread.h>

/* A moment at which a loop calls a function, exact to the microsecond. The timers of a loop use a clock of a few
 * milliseconds; an exact clock there costs a system call in each turn of the loop, this alarm only one when the moment
 * changes. */
struct event;
struct event_base;

typedef struct cw_engine_alarm {
    int fd;         /* a timerfd */
    int64_t set_us; /* the moment, by the monotonic clock; 0: none */
    struct event *event;
    void (*ring)(void *user);
    void *user;
} cw_engine_alarm;

/* Opens an alarm that is {0}. CRAWL_EIO: see errno. CRAWL_ENOMEM. It must be closed whatever is returned. */
crawl_err cw_engine_alarm_open(cw_engine_alarm *alarm, struct event_base *base, void (*ring)(void *user), void *user);
void cw_engine_alarm_close(cw_engine_alarm *alarm);

/* Makes it ring at this moment at the latest; an earlier moment stands. */
void cw_engine_alarm_set(cw_engine_alarm *alarm, int64_t at_us);

struct event;
struct event_base;

typedef struct cw_engine_worker {
    crawl_engine *engine;
    cw_engine_waker *waker; /* owned by the engine */
    struct event_base *base;
    struct event *wake;      /* the waker's descriptor is readable */
    cw_engine_alarm alarm;   /* the time named by pop has come */
    struct event *again;     /* another turn is due */
    struct event *when_idle; /* nothing else to do; see cw_engine_waker_look_when_idle */
    struct event *tick;      /* only with on_tick */
    struct event *grace;     /* the time for transfers in flight after the end is over */
    int64_t (*on_tick)(crawl_engine *engine);
    bool dozes;           /* the next tick is later than usual */
    unsigned freed;       /* transfers ended since it last looked for leases */
    int64_t processor_us; /* CPU time of the thread at the last look (engine_load.c) */
    bool ending;
    bool has_thread;
    pthread_t thread; /* started and joined by the engine */
    cw_visit_maker maker;
} cw_engine_worker;

/* every_tick: called four times per second; after a tick that returns more, after that many milliseconds or at the
 * first ring. NULL: none. CRAWL_ENOMEM, CRAWL_EIO, or an error of the fetcher. */
crawl_err cw_engine_worker_create(crawl_engine *engine, unsigned index, const cw_visit_maker_share *share,
                                  int64_t (*every_tick)(crawl_engine *engine), cw_engine_worker **out,
                                  crawl_error *error);
void cw_engine_worker_free(cw_engine_worker *worker);
/* Runs until the crawl has ended. */
void cw_engine_worker_run(cw_engine_worker *worker);
