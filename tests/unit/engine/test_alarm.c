/* When a loop is called, and how often. Moments in the past are due at once, so nothing waits here. */
#include "crawler/engine/worker.h"

#include "base/clock.h"

#include <criterion/criterion.h>
#include <event2/event.h>

static const int64_t HOUR_US = (int64_t)3600 * 1000 * 1000;

static struct event_base *base;
static cw_engine_alarm alarm_clock;
static unsigned rings;

static void on_ring(void *user)
{
    cr_expect_eq(user, &rings);
    rings++;
}

static void setup(void)
{
    base = event_base_new();
    rings = 0;
    cr_assert_eq(cw_engine_alarm_open(&alarm_clock, base, on_ring, &rings), CRAWL_OK);
}

static void teardown(void)
{
    cw_engine_alarm_close(&alarm_clock);
    event_base_free(base);
}

TestSuite(alarm, .init = setup, .fini = teardown);

static void expect_rings(unsigned expected)
{
    event_base_loop(base, EVLOOP_NONBLOCK);
    event_base_loop(base, EVLOOP_NONBLOCK);
    cr_expect_eq(rings, expected);
}

Test(alarm, rings_once_for_a_moment)
{
    expect_rings(0);
    cw_engine_alarm_set(&alarm_clock, cw_now_us());
    expect_rings(1);
    cw_engine_alarm_set(&alarm_clock, 0);
    expect_rings(2);
    cw_engine_alarm_set(&alarm_clock, cw_now_us() + HOUR_US);
    expect_rings(2);
}

Test(alarm, the_sooner_moment_stands)
{
    int64_t now_us = cw_now_us();
    cw_engine_alarm_set(&alarm_clock, now_us + 2 * HOUR_US);
    cw_engine_alarm_set(&alarm_clock, now_us + HOUR_US);
    cr_expect_eq(alarm_clock.set_us, now_us + HOUR_US);
    cw_engine_alarm_set(&alarm_clock, now_us + 2 * HOUR_US);
    cr_expect_eq(alarm_clock.set_us, now_us + HOUR_US);
    cw_engine_alarm_set(&alarm_clock, now_us);
    expect_rings(1);
    cr_expect_eq(alarm_clock.set_us, 0, "the later ones are to be set anew");
}

Test(alarm, closes_what_was_not_opened)
{
    cw_engine_alarm none = {0};
    cw_engine_alarm_close(&none);
}
