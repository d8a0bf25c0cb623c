#include "shared/store/joint_clock.h"

#include "base/clock.h"

/* The callers' time when CLOCK_BOOTTIME was us; both run evenly. */
static int64_t callers_ms(const cw_joint_clock *clock, int64_t us)
{
    return clock->said_ms + (us - clock->said_us) / 1000;
}

/* The server's time when CLOCK_BOOTTIME was us, rounded up. */
static int64_t clock_server_ms(const cw_joint_clock *clock, int64_t us)
{
    return (us + clock->server_us + 999) / 1000;
}

/* Dates further away, such as CRAWL_FOREVER, count as in 300 years: the scripts' numbers have 14 digits. */
#define FURTHEST_MS INT64_C(10000000000000)

int64_t cw_joint_to_server(const cw_joint_clock *clock, int64_t at_ms)
{
    int64_t us = cw_clock_us(CLOCK_BOOTTIME);
    int64_t ms = at_ms - callers_ms(clock, us);
    return clock_server_ms(clock, us) + (ms < FURTHEST_MS ? ms : FURTHEST_MS) + 1;
}

int64_t cw_joint_server_in(const cw_joint_clock *clock, int64_t ms)
{
    return clock_server_ms(clock, cw_clock_us(CLOCK_BOOTTIME)) + ms;
}

int64_t cw_joint_from_server(const cw_joint_clock *clock, int64_t at_ms)
{
    int64_t us = cw_clock_us(CLOCK_BOOTTIME);
    return callers_ms(clock, us) + (at_ms - clock_server_ms(clock, us)) + 1;
}

void cw_joint_clock_told(cw_joint_clock *clock, int64_t now_ms)
{
    clock->said_ms = now_ms;
    clock->said_us = cw_clock_us(CLOCK_BOOTTIME);
}

void cw_joint_clock_set(cw_joint_clock *clock, int64_t server_us, int64_t within_us)
{
    clock->server_us = server_us;
    clock->within_us = within_us;
}

/* The server's time at the answer is later than the question by at most the time that the answer took. */
void cw_joint_clock_heard(cw_joint_clock *clock, int64_t sent_us, int64_t server_ms)
{
    int64_t server_us = (server_ms + 1) * 1000 - sent_us;
    int64_t within_us = cw_clock_us(CLOCK_BOOTTIME) - sent_us + 1000;
    if (server_us < clock->best_us) {
        clock->best_us = server_us;
        clock->best_within_us = within_us;
    }
    if (!clock->server_us || server_us < clock->server_us)
        cw_joint_clock_set(clock, server_us, within_us);
}

void cw_joint_clock_follow(cw_joint_clock *clock)
{
    if (clock->best_us < INT64_MAX)
        cw_joint_clock_set(clock, clock->best_us, clock->best_within_us);
    clock->best_us = INT64_MAX;
}
