#include "crawler/program/live/course/timeline.h"

#include <criterion/criterion.h>

static cw_live_history history;
static double paces[CW_LIVE_MOMENTS];

static void add(int64_t elapsed_ms, uint64_t pages)
{
    cw_live_history_add(&history, (cw_live_moment){elapsed_ms, pages});
}

Test(live_history, nothing_yet)
{
    cr_expect_eq(cw_live_history_pace(&history, (cw_live_moment){2000, 5}, 10000), 2.5);
    cr_expect_eq(cw_live_history_pace(&history, (cw_live_moment){0, 0}, 10000), 0);
    cr_expect_eq(cw_live_history_paces(&history, paces), 0);
    add(0, 0);
    cr_expect_eq(cw_live_history_paces(&history, paces), 0);
    cr_expect_eq(cw_live_history_pace(&history, (cw_live_moment){2000, 5}, 10000), 2.5);
    cr_expect_eq(cw_live_history_pace(&history, (cw_live_moment){0, 0}, 10000), 0);
}

Test(live_history, pace_is_of_late)
{
    for (int i = 0; i <= 20; i++)
        add(i * 1000, i <= 10 ? 0 : (uint64_t)(i - 10) * 7); /* nothing for ten seconds, then 7 a second */
    cr_expect_eq(cw_live_history_pace(&history, (cw_live_moment){20000, 70}, 10000), 7);
    cr_expect_eq(cw_live_history_pace(&history, (cw_live_moment){20000, 70}, 20000), 3.5);
    cr_expect_eq(cw_live_history_pace(&history, (cw_live_moment){20000, 70}, 1000000), 3.5, "as far as it goes");
    cr_expect_eq(cw_live_history_pace(&history, (cw_live_moment){30000, 70}, 10000), 0);
    cr_assert_eq(cw_live_history_paces(&history, paces), 20);
    cr_expect_eq(paces[0], 0);
    cr_expect_eq(paces[9], 0);
    cr_expect_eq(paces[10], 7);
    cr_expect_eq(paces[19], 7);
}

Test(live_history, keeps_the_last_ones)
{
    for (int i = 1; i <= 1000; i++)
        add(i * 1000, (uint64_t)i * (uint64_t)i);
    cr_assert_eq(cw_live_history_paces(&history, paces), CW_LIVE_MOMENTS - 1);
    cr_expect_eq(paces[CW_LIVE_MOMENTS - 2], 1000 * 1000 - 999 * 999);
    cr_expect_eq(paces[0], 701 * 701 - 700 * 700);
    cr_expect_eq(cw_live_history_pace(&history, (cw_live_moment){1000000, 1000000}, 999000), (1e6 - 700 * 700) / 300);
}

Test(live_history, time_stands_still)
{
    add(0, 0);
    add(0, 3);
    add(1000, 5);
    add(500, 9);
    cr_assert_eq(cw_live_history_paces(&history, paces), 1);
    cr_expect_eq(paces[0], 5);
}
