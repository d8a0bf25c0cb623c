#include "tests/simulation/sim_threads.h"

#include "tests/simulation/sim_crew.h"
#include "tests/simulation/sim_world.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS_MAX = 128, LOOK_SIDES = 8, YIELD_SIDES = 16 };

typedef enum sim_state {
    SIM_READY,
    SIM_LOCKED,  /* until the lock `on` is released */
    SIM_WAITING, /* until the condition variable `on` is signalled */
    SIM_JOINING, /* until the thread `on` has ended */
    SIM_POLLING, /* until `descriptor` is readable */
    SIM_ASLEEP,
    SIM_ENDED
} sim_state;

typedef struct sim_thread {
    uint32_t turn; /* 1: this thread's turn */
    sim_state state;
    const void *on;
    int descriptor;
    int64_t until_us; /* ready then in any case; INT64_MAX: never */
    pthread_t id;
    void *(*run)(void *user);
    void *user;
    unsigned endings; /* calls of the destructor of `at_end` */
} sim_thread;

static sim_thread threads[THREADS_MAX];
static unsigned thread_count;
static _Thread_local sim_thread *self;
static pthread_key_t at_end;

/* The functions of the system. They are looked up at first use, because libraries use them before any constructor of
 * the program runs. */
typedef struct sim_system {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*join)(pthread_t, void **);
    int (*lock)(pthread_mutex_t *);
    int (*trylock)(pthread_mutex_t *);
    int (*unlock)(pthread_mutex_t *);
    int (*rdlock)(pthread_rwlock_t *);
    int (*wrlock)(pthread_rwlock_t *);
    int (*rwunlock)(pthread_rwlock_t *);
    int (*wait)(pthread_cond_t *, pthread_mutex_t *);
    int (*timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    int (*clockwait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    int (*signal)(pthread_cond_t *);
    int (*broadcast)(pthread_cond_t *);
} sim_system;

static void *find_real(const char *name, const char *version)
{
    void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    found = found ? found : dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    return found;
}

static const sim_system *real(void)
{
    /* The C library has two versions of condition variables, and dlsym returns the older one. */
    static const char of_conds[] = "GLIBC_2.3.2";
    static sim_system system;
    if (system.broadcast)
        return &system;
    *(void **)&system.create = find_real("pthread_create", NULL);
    *(void **)&system.join = find_real("pthread_join", NULL);
    *(void **)&system.lock = find_real("pthread_mutex_lock", NULL);
    *(void **)&system.trylock = find_real("pthread_mutex_trylock", NULL);
    *(void **)&system.unlock = find_real("pthread_mutex_unlock", NULL);
    *(void **)&system.rdlock = find_real("pthread_rwlock_rdlock", NULL);
    *(void **)&system.wrlock = find_real("pthread_rwlock_wrlock", NULL);
    *(void **)&system.rwunlock = find_real("pthread_rwlock_unlock", NULL);
    *(void **)&system.wait = find_real("pthread_cond_wait", of_conds);
    *(void **)&system.timedwait = find_real("pthread_cond_timedwait", of_conds);
    *(void **)&system.clockwait = find_real("pthread_cond_clockwait", NULL);
    *(void **)&system.signal = find_real("pthread_cond_signal", of_conds);
    *(void **)&system.broadcast = find_real("pthread_cond_broadcast", of_conds);
    return &system;
}

/* ---- turns ---- */

static void give_turn(sim_thread *thread)
{
    __atomic_store_n(&thread->turn, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &thread->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void await_turn(sim_thread *thread)
{
    while (!__atomic_load_n(&thread->turn, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, &thread->turn, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    thread->turn = 0;
}

/* Makes every thread ready whose time has come. */
static void ring(void)
{
    int64_t now_us = sim_world_now->now_us;
    sim_clock_fire(now_us);
    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i].state != SIM_ENDED && threads[i].until_us <= now_us)
            threads[i].state = SIM_READY;
}

static void look_around(void)
{
    static struct pollfd looked[THREADS_MAX];
    ring();
    /* poll ignores a negative descriptor. */
    for (unsigned i = 0; i < thread_count; i++)
        looked[i] =
            (struct pollfd){.fd = threads[i].state == SIM_POLLING ? threads[i].descriptor : -1, .events = POLLIN};
    if (syscall(SYS_poll, looked, thread_count, 0) <= 0)
        return;
    for (unsigned i = 0; i < thread_count; i++)
        if (looked[i].revents)
            threads[i].state = SIM_READY;
}

/* False: nothing will ever happen. After a day without a request only timers that repeat go on. */
static bool let_time_pass(void)
{
    const int64_t day_us = (int64_t)24 * 3600 * 1000000;
    sim_world *world = sim_world_now;
    int64_t since_us = world->stepped_us > world->began_us ? world->stepped_us : world->began_us;
    int64_t next = sim_clock_next_us();
    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i].state != SIM_READY && threads[i].state != SIM_ENDED && threads[i].until_us < next)
            next = threads[i].until_us;
    if (sim_crew_is_one()) {
        sim_crew_rest(next);
        ring();
        return true;
    }
    if (next == INT64_MAX || (!world->plan.days && world->now_us - since_us > day_us))
        return false;
    world->now_us = next > world->now_us ? next : world->now_us;
    world->naps++;
    ring();
    return true;
}

static _Noreturn void end_stuck(void)
{
    static const char *const states[] = {"ready", "locked", "waiting", "joining", "polling", "asleep", "ended"};
    sim_fault("nobody can go on: a wake-up was lost, or two threads wait for one another");
    for (unsigned i = 0; i < thread_count; i++)
        fprintf(stderr, "thread %u: %s\n", i, states[threads[i].state]);
    _exit(99);
}

static sim_thread *pick(void)
{
    if (sim_throw(LOOK_SIDES) == 0)
        look_around();
    for (;;) {
        unsigned ready = 0;
        for (unsigned i = 0; i < thread_count; i++)
            ready += threads[i].state == SIM_READY;
        unsigned chosen = ready > 1 ? sim_throw(ready) : 0;
        for (unsigned i = 0; i < thread_count && ready; i++)
            if (threads[i].state == SIM_READY && chosen-- == 0)
                return &threads[i];
        look_around();
        bool found = false;
        for (unsigned i = 0; i < thread_count; i++)
            found = found || threads[i].state == SIM_READY;
        if (!found && !let_time_pass())
            end_stuck();
    }
}

/* Gives the turn to the thread that is picked, which may be this one. */
static void hand_over(void)
{
    sim_thread *own = self;
    sim_thread *next = pick();
    bool has_ended = own->state == SIM_ENDED; /* then another thread may take its place from here on */
    next->until_us = INT64_MAX;
    if (next == own)
        return;
    give_turn(next);
    if (!has_ended)
        await_turn(own);
}

static void block(sim_state state, const void *on, int64_t until_us)
{
    self->state = state;
    self->on = on;
    self->until_us = until_us;
    hand_over();
}

static void make_ready(sim_state state, const void *on)
{
    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i].state == state && threads[i].on == on)
            threads[i].state = SIM_READY;
}

int sim_threads_are_simulated(void)
{
    return self != NULL;
}

void sim_threads_yield(void)
{
    if (self && sim_throw(YIELD_SIDES) == 0)
        block(SIM_READY, NULL, INT64_MAX);
}

void sim_threads_poll(int descriptor, int64_t until_us)
{
    self->descriptor = descriptor;
    block(SIM_POLLING, NULL, until_us);
}

void sim_threads_sleep(int64_t until_us)
{
    block(SIM_ASLEEP, NULL, until_us);
}

/* ---- threads ---- */

/* Ends the thread in the last call, after the destructors of other keys, which may take locks. */
static void on_end(void *user)
{
    sim_thread *thread = user;
    if (++thread->endings < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(at_end, thread);
        return;
    }
    thread->state = SIM_ENDED;
    make_ready(SIM_JOINING, thread);
    hand_over();
    self = NULL;
}

static void *run_thread(void *user)
{
    sim_thread *thread = user;
    await_turn(thread);
    self = thread;
    pthread_setspecific(at_end, thread);
    return thread->run(thread->user);
}

void sim_threads_begin(void)
{
    if (pthread_key_create(&at_end, on_end))
        abort();
    self = &threads[thread_count++];
    *self = (sim_thread){.id = pthread_self(), .until_us = INT64_MAX};
}

/* Returns a place for another thread, of one that has ended if there is no other; NULL: all run. */
static sim_thread *place_of_thread(void)
{
    if (thread_count < THREADS_MAX)
        return &threads[thread_count];
    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i].state == SIM_ENDED)
            return &threads[i];
    return NULL;
}

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *), void *user)
{
    if (!self)
        return real()->create(id, attr, run, user);
    sim_thread *thread = place_of_thread();
    if (!thread)
        return EAGAIN;
    *thread = (sim_thread){.run = run, .user = user, .until_us = INT64_MAX};
    int why = real()->create(id, attr, run_thread, thread);
    if (why) {
        thread->state = SIM_ENDED;
        return why;
    }
    thread->id = *id;
    thread_count += thread == &threads[thread_count];
    return 0;
}

int pthread_join(pthread_t id, void **result)
{
    for (unsigned i = 0; self && i < thread_count; i++)
        while (pthread_equal(threads[i].id, id) && threads[i].state != SIM_ENDED)
            block(SIM_JOINING, &threads[i], INT64_MAX);
    return real()->join(id, result);
}

int sched_yield(void)
{
    if (self)
        block(SIM_READY, NULL, INT64_MAX);
    return 0;
}

/* ---- locks ---- */

/* Returns true if the caller is the program's own code, which lets others go first. A library may hold a lock that is
 * not seen here. */
static bool is_own_code(const void *caller)
{
    extern const char __executable_start, etext;
    return (const char *)caller >= &__executable_start && (const char *)caller < &etext;
}

static int lock_simulated(pthread_mutex_t *mutex)
{
    for (;;) {
        int why = real()->trylock(mutex);
        if (why != EBUSY)
            return why;
        block(SIM_LOCKED, mutex, INT64_MAX);
    }
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!self)
        return real()->lock(mutex);
    if (is_own_code(__builtin_return_address(0)))
        sim_threads_yield();
    return lock_simulated(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int why = real()->unlock(mutex);
    if (self)
        make_ready(SIM_LOCKED, mutex);
    return why;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    if (!self)
        return real()->rdlock(lock);
    int why = pthread_rwlock_tryrdlock(lock);
    for (; why == EBUSY; why = pthread_rwlock_tryrdlock(lock))
        block(SIM_LOCKED, lock, INT64_MAX);
    return why;
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    if (!self)
        return real()->wrlock(lock);
    int why = pthread_rwlock_trywrlock(lock);
    for (; why == EBUSY; why = pthread_rwlock_trywrlock(lock))
        block(SIM_LOCKED, lock, INT64_MAX);
    return why;
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    int why = real()->rwunlock(lock);
    if (self)
        make_ready(SIM_LOCKED, lock);
    return why;
}

/* ---- condition variables ---- */

static int wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t until_us)
{
    pthread_mutex_unlock(mutex);
    block(SIM_WAITING, cond, until_us);
    lock_simulated(mutex);
    return sim_world_now->now_us >= until_us ? ETIMEDOUT : 0;
}

static int64_t to_us(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000 + (time->tv_nsec + 999) / 1000;
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    return self ? wait_until(cond, mutex, INT64_MAX) : real()->wait(cond, mutex);
}

/* All clocks show the same time here. */
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
    return self ? wait_until(cond, mutex, to_us(until)) : real()->timedwait(cond, mutex, until);
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    return self ? wait_until(cond, mutex, to_us(until)) : real()->clockwait(cond, mutex, clock, until);
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
    if (!self)
        return real()->broadcast(cond);
    make_ready(SIM_WAITING, cond);
    return 0;
}

int pthread_cond_signal(pthread_cond_t *cond)
{
    if (!self)
        return real()->signal(cond);
    unsigned waiting = 0;
    for (unsigned i = 0; i < thread_count; i++)
        waiting += threads[i].state == SIM_WAITING && threads[i].on == cond;
    unsigned chosen = waiting > 1 ? sim_throw(waiting) : 0;
    for (unsigned i = 0; i < thread_count && waiting; i++)
        if (threads[i].state == SIM_WAITING && threads[i].on == cond && chosen-- == 0)
            threads[i].state = SIM_READY;
    return 0;
}
