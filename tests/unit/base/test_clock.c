/* The clock whose dates outlive the process: each new process sets it from the wall clock, to the millisecond. */
#include "base/clock.h"

#include <criterion/criterion.h>

enum { WHILE_US = 3000 }; /* covers every part of a millisecond */

Test(clock, every_start_gives_the_time_of_the_wall)
{
    for (int i = 0; i < 20; i++) {
        cw_clock clock = cw_clock_start();
        int64_t begin_us = cw_wall_us();
        for (int64_t after_us = begin_us; after_us < begin_us + WHILE_US;) {
            int64_t before_us = cw_wall_us();
            int64_t now_ms = cw_clock_now(&clock);
            after_us = cw_wall_us();
            /* Each of three clocks may have lost a fraction of a microsecond. */
            cr_assert_geq(now_ms, (before_us - 3) / 1000);
            cr_assert_leq(now_ms, (after_us + 3) / 1000);
        }
    }
}
