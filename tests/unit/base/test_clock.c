/* The clock whose dates outlive the process: each process that starts it reads the wall's time from it, to the
 * millisecond. */
#include "base/clock.h"

#include <criterion/criterion.h>

enum { WHILE_US = 3000 }; /* in which every part of a millisecond comes by */

Test(clock, every_start_gives_the_time_of_the_wall)
{
    for (int i = 0; i < 20; i++) {
        cw_clock clock = cw_clock_start();
        int64_t begin_us = cw_wall_us();
        for (int64_t after_us = begin_us; after_us < begin_us + WHILE_US;) {
            int64_t before_us = cw_wall_us();
            int64_t now_ms = cw_clock_now(&clock);
            after_us = cw_wall_us();
            /* Of each of three clocks a part of a microsecond may have been cut off. */
            cr_assert_geq(now_ms, (before_us - 3) / 1000);
            cr_assert_leq(now_ms, (after_us + 3) / 1000);
        }
    }
}
