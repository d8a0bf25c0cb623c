/* A worker: one thread with one event loop. It asks the frontier for leases as long as it has room for transfers, and
 * otherwise sleeps until a transfer ends, the time that the frontier named comes, or somebody wakes it. */
#pragma once

#include "crawler/engine/ending.h"
#include "crawler/engine/visit/maker.h"

#include <crawl/base.h>
#include <pthread.h>

/* One moment at which a loop is called, to the microsecond. The timers of a loop go by a clock of a few milliseconds:
 * one that is exact costs a call of the system in each turn of the loop, this one a call where the moment changes. */
struct event;
struct event_base;

typedef struct cw_engine_alarm {
    int fd;         /* a timerfd */
    int64_t set_us; /* the moment, of the monotonic clock; 0: none */
    struct event *event;
    void (*ring)(void *user);
    void *user;
} cw_engine_alarm;

/* Opens an alarm that is {0}. CRAWL_EIO: errno says why. CRAWL_ENOMEM. It must be closed whatever is returned. */
crawl_err cw_engine_alarm_open(cw_engine_alarm *alarm, struct event_base *base, void (*ring)(void *user), void *user);
void cw_engine_alarm_close(cw_engine_alarm *alarm);

/* Makes it ring at this moment at the latest: one that is sooner stands. */
void cw_engine_alarm_set(cw_engine_alarm *alarm, int64_t at_us);

struct event;
struct event_base;

typedef struct cw_engine_worker {
    crawl_engine *engine;
    cw_engine_waker *waker; /* of the engine's */
    struct event_base *base;
    struct event *wake;      /* the waker's descriptor became readable */
    cw_engine_alarm alarm;   /* the time that pop named has come */
    struct event *again;     /* another turn is due */
    struct event *when_idle; /* nothing else is to be done: see cw_engine_waker_look_when_idle */
    struct event *tick;      /* with on_tick alone */
    struct event *grace;     /* the time for transfers in flight after the end is over */
    int64_t (*on_tick)(crawl_engine *engine);
    bool dozes;           /* the next tick is later than usual */
    unsigned freed;       /* transfers that have ended since it looked for leases */
    int64_t processor_us; /* of the thread, at the last look (engine_load.c) */
    bool ending;
    bool has_thread;
    pthread_t thread; /* the engine's to start and to join */
    cw_visit_maker maker;
} cw_engine_worker;

/* every_tick: is called four times a second, or after as many milliseconds as it has answered or the first ring; NULL:
 * not. CRAWL_ENOMEM, CRAWL_EIO, or what the fetcher says. */
crawl_err cw_engine_worker_create(crawl_engine *engine, unsigned index, const cw_visit_maker_share *share,
                                  int64_t (*every_tick)(crawl_engine *engine), cw_engine_worker **out,
                                  crawl_error *error);
void cw_engine_worker_free(cw_engine_worker *worker);
/* Until the crawl has ended. */
void cw_engine_worker_run(cw_engine_worker *worker);
