/* The only place that reads clocks. */
#ifndef CW_CLOCK_H
#define CW_CLOCK_H

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

/* For records: since 1970, UTC. */
static inline int64_t cw_wall_ms(void)
{
    return cw_clock_ms(CLOCK_REALTIME);
}

/* For the pace of hosts: does not go back, whatever clock the frontier has. */
static inline int64_t cw_now_us(void)
{
    return cw_clock_us(CLOCK_MONOTONIC);
}

static inline int64_t cw_wall_us(void)
{
    return cw_clock_us(CLOCK_REALTIME);
}

/* Processor time of a thread that was not joined; 0: it cannot be told, since it has ended. */
static inline int64_t cw_thread_us(pthread_t thread)
{
    clockid_t clock;
    struct timespec used;
    if (pthread_getcpuclockid(thread, &clock) || clock_gettime(clock, &used))
        return 0;
    return (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

/* For the frontier, whose dates may outlive the process: the wall clock's time at the start, from which it goes on evenly, whatever
 * becomes of the wall clock; also while the machine sleeps. */
typedef struct cw_clock {
    int64_t offset_ms;
} cw_clock;

static inline cw_clock cw_clock_start(void)
{
    return (cw_clock){.offset_ms = cw_wall_ms() - cw_clock_ms(CLOCK_BOOTTIME)};
}

static inline int64_t cw_clock_now(const cw_clock *clock)
{
    return cw_clock_ms(CLOCK_BOOTTIME) + clock->offset_ms;
}

#endif
