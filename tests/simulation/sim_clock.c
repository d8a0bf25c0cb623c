/* Replaces clocks, timers, sleeps and event loops by those of the world's time, and randomness by the world's dice. */
#include "tests/simulation/sim_redis.h"
#include "tests/simulation/sim_threads.h"
#include "tests/simulation/sim_world.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { TIMERS_MAX = 64 };

typedef struct sim_timer {
    int descriptor;
    int64_t at_us; /* INT64_MAX: not set */
} sim_timer;

static sim_timer timers[TIMERS_MAX];
static unsigned timer_count;

/* Reading the clock takes a microsecond, so that a loop that waits for time to pass ends. */
static int64_t clock_us(void)
{
    return ++sim_world_now->now_us;
}

static struct timespec to_timespec(int64_t us)
{
    return (struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
}

static int64_t from_timespec(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000 + (time->tv_nsec + 999) / 1000;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    if (!sim_threads_are_simulated())
        return (int)syscall(SYS_clock_gettime, clock, out);
    *out = to_timespec(clock_us());
    return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

/* ---- sleeps ---- */

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    if (!sim_threads_are_simulated())
        return (int)syscall(SYS_clock_nanosleep, clock, flags, time, left);
    sim_threads_sleep(from_timespec(time) + (flags & TIMER_ABSTIME ? 0 : sim_world_now->now_us));
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    return clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
}

int usleep(useconds_t us)
{
    struct timespec time = to_timespec(us);
    return nanosleep(&time, NULL);
}

static int64_t deadline_us(int timeout_ms)
{
    return timeout_ms < 0 ? INT64_MAX : sim_world_now->now_us + (int64_t)timeout_ms * 1000;
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout_ms)
{
    if (!sim_threads_are_simulated())
        return (int)syscall(SYS_epoll_wait, epoll, events, most, timeout_ms);
    sim_threads_yield();
    int64_t until = deadline_us(timeout_ms);
    for (;;) {
        int found = (int)syscall(SYS_epoll_wait, epoll, events, most, 0);
        if (found || timeout_ms == 0 || sim_world_now->now_us >= until)
            return found;
        sim_threads_poll(epoll, until);
    }
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout_ms)
{
    if (!sim_threads_are_simulated() || timeout_ms == 0 || count != 1)
        return (int)syscall(SYS_poll, descriptors, count, timeout_ms);
    sim_threads_poll(descriptors->fd, deadline_us(timeout_ms));
    return (int)syscall(SYS_poll, descriptors, count, 0);
}

/* ---- timers: descriptors that become readable ---- */

int timerfd_create(int, int flags)
{
    if (timer_count == TIMERS_MAX)
        abort();
    int descriptor = eventfd(0, (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0) | (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0));
    timers[timer_count++] = (sim_timer){.descriptor = descriptor, .at_us = INT64_MAX};
    return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *set, struct itimerspec *)
{
    for (unsigned i = 0; i < timer_count; i++) {
        int64_t in_us = from_timespec(&set->it_value);
        uint64_t fired;
        if (timers[i].descriptor != descriptor)
            continue;
        if (read(descriptor, &fired, sizeof fired) < 0 && errno != EAGAIN)
            return -1;
        timers[i].at_us = in_us == 0 ? INT64_MAX : in_us + (flags & TFD_TIMER_ABSTIME ? 0 : sim_world_now->now_us);
        return 0;
    }
    errno = EBADF;
    return -1;
}

int close(int descriptor)
{
    for (unsigned i = 0; i < timer_count; i++)
        if (timers[i].descriptor == descriptor)
            timers[i] = timers[--timer_count];
    sim_redis_closed(descriptor);
    return (int)syscall(SYS_close, descriptor);
}

int64_t sim_clock_next_us(void)
{
    int64_t next = sim_redis_next_us();
    for (unsigned i = 0; i < timer_count; i++)
        next = timers[i].at_us < next ? timers[i].at_us : next;
    return next;
}

void sim_clock_fire(int64_t now_us)
{
    sim_redis_fire(now_us);
    for (unsigned i = 0; i < timer_count; i++)
        if (timers[i].at_us <= now_us) {
            uint64_t one = 1;
            timers[i].at_us = INT64_MAX;
            if (write(timers[i].descriptor, &one, sizeof one) != sizeof one)
                abort();
        }
}

/* ---- randomness, and values that differ between runs ---- */

pid_t getpid(void)
{
    return sim_threads_are_simulated() ? 1 : (pid_t)syscall(SYS_getpid);
}

ssize_t getrandom(void *out, size_t size, unsigned flags)
{
    if (!sim_threads_are_simulated())
        return syscall(SYS_getrandom, out, size, flags);
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)out)[i] = (unsigned char)sim_throw(256);
    return (ssize_t)size;
}
