/* The only place that reads clocks. */
#ifndef CW_CLOCK_H
#define CW_CLOCK_H

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

/* For the frontier: does not go back. */
static inline int64_t cw_now_ms(void)
{
    return cw_clock_ms(CLOCK_MONOTONIC);
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

#endif
