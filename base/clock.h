/* The clocks of the program, read only here; below crawler/ time is an argument. Each clock serves one purpose:
 * records, the pace of hosts, or the dates of the frontier. */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <time.h>

static inline int64_t cw_clock_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline int64_t cw_clock_us(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* For records: ms since 1970, UTC. */
static inline int64_t cw_wall_ms(void)
{
    return cw_clock_ms(CLOCK_REALTIME);
}

/* For the pace of hosts: never goes back, whatever clock the frontier has. */
static inline int64_t cw_now_us(void)
{
    return cw_clock_us(CLOCK_MONOTONIC);
}

static inline int64_t cw_wall_us(void)
{
    return cw_clock_us(CLOCK_REALTIME);
}

/* Returns the offset from this clock to the time since 1970. Reads both clocks at the same moment, as nearly as the
 * scheduler allows: each process reads this offset anew, and dates written by one must hold for the next. */
static inline int64_t cw_wall_offset_us(clockid_t clock)
{
    enum { TRIES = 8 };
    int64_t offset = 0;
    int64_t nearest = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int64_t before = cw_clock_us(clock);
        int64_t wall = cw_wall_us();
        int64_t took = cw_clock_us(clock) - before;
        if (took < nearest)
            offset = wall - before;
        nearest = took < nearest ? took : nearest;
    }
    return offset;
}

/* Returns the processor time of a thread that was not joined; 0: not known, because the thread has ended. */
static inline int64_t cw_thread_us(pthread_t thread)
{
    clockid_t clock;
    struct timespec used;
    if (pthread_getcpuclockid(thread, &clock) || clock_gettime(clock, &used))
        return 0;
    return (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

/* For the frontier, whose dates may outlive the process: starts with the wall clock's time and then runs evenly,
 * regardless of changes to the wall clock, also while the machine sleeps. */
typedef struct cw_clock {
    int64_t offset_us;
} cw_clock;

static inline cw_clock cw_clock_start(void)
{
    return (cw_clock){.offset_us = cw_wall_offset_us(CLOCK_BOOTTIME)};
}

/* Returns the time in milliseconds, rounded down. */
static inline int64_t cw_clock_now(const cw_clock *clock)
{
    return (cw_clock_us(CLOCK_BOOTTIME) + clock->offset_us) / 1000;
}
