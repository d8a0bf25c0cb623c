/* Which workers are woken when there may be a request. */
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/worker.h"

#include <criterion/criterion.h>
#include <event2/event.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { WORKERS = 4 };

static crawl_config config;
static crawl_engine *engine;

static void setup(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    config.workers = WORKERS;
    cr_assert_eq(crawl_engine_create(&config, NULL, &engine, NULL), CRAWL_OK);
    cr_assert_eq(engine->worker_count, WORKERS);
}

static void teardown(void)
{
    crawl_engine_free(engine);
    cw_config_clear(&config);
}

TestSuite(wake, .init = setup, .fini = teardown);

/* Reads each wake-up once, and expects nothing left behind. Returns bit i for worker i. */
static unsigned rung(void)
{
    unsigned workers = 0;
    uint64_t count;
    for (unsigned i = 0; i < WORKERS; i++) {
        if (read(engine->wakers[i].fd, &count, sizeof count) > 0)
            workers |= 1u << i;
        cr_expect_eq(read(engine->wakers[i].fd, &count, sizeof count), -1);
    }
    return workers;
}

static void let_wait(unsigned workers)
{
    for (unsigned i = 0; i < WORKERS; i++)
        atomic_store(&engine->wakers[i].waiting, workers >> i & 1);
}

Test(wake, one_that_waits_each_in_its_turn)
{
    unsigned all = 0;
    let_wait(0xf);
    for (unsigned i = 0; i < WORKERS; i++) {
        cw_engine_wake_one(engine);
        unsigned worker = rung();
        cr_expect_eq(__builtin_popcount(worker), 1, "worker %u", i);
        cr_expect_not(all & worker, "it is awake, and does not wait");
        all |= worker;
    }
    cw_engine_wake_one(engine);
    cr_expect_eq(rung(), 0, "nobody waits");
    for (unsigned i = 0; i < WORKERS; i++) {
        let_wait(1u << i);
        cw_engine_wake_one(engine);
        cr_expect_eq(rung(), 1u << i, "whosever turn it is");
    }
}

Test(wake, itself_without_a_word_to_the_system)
{
    for (unsigned i = 0; i < WORKERS; i++) {
        cw_engine_waker *waker = &engine->wakers[i];
        atomic_store(&waker->thread, pthread_self());
        atomic_store(&waker->runs, true);
        let_wait(1u << i);
        cw_engine_wake_one(engine);
        cr_expect_eq(rung(), 0);
        cr_expect(event_pending(waker->when_idle, EV_TIMEOUT, NULL), "worker %u looks", i);
        cr_expect_not(atomic_load(&waker->waiting));
        atomic_store(&waker->runs, false);
    }
}

static unsigned turns;

/* Called in each turn of the loop while fd is readable; the worker should end this. */
static void on_busy(evutil_socket_t fd, short what, void *base)
{
    enum { TURNS_MAX = 10 * 1000 * 1000 };
    (void)fd;
    (void)what;
    if (++turns == TURNS_MAX)
        event_base_loopbreak(base);
}

Test(wake, a_loop_that_is_never_idle_looks_all_the_same)
{
    cw_engine_worker *worker = engine->workers[0];
    int fd = eventfd(1, EFD_CLOEXEC);
    struct event *busy = event_new(worker->base, fd, EV_READ | EV_PERSIST, on_busy, worker->base);
    event_add(busy, NULL);
    cw_engine_waker_look_when_idle(worker->waker);
    event_base_dispatch(worker->base);
    cr_expect(cw_engine_ended(engine), "it has looked, and there was nothing");
    cr_expect_gt(turns, 1, "what else there is to do goes first");
    event_free(busy);
    close(fd);
}

Test(wake, all_at_the_end)
{
    let_wait(0x5);
    cw_engine_end(engine, CRAWL_END_STOPPED);
    cr_expect_eq(rung(), 0xf);
}
