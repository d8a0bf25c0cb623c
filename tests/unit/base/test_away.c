/* A server that goes and comes back. */
#include "base/away.h"

#include <criterion/criterion.h>

enum { SECOND = 1000000 };

Test(away, is_told_once_and_so_is_the_end)
{
    cw_away away = {0};
    cr_expect_not(cw_away_tells(&away, false, 1));
    cr_expect(cw_away_tells(&away, true, 2));
    cr_expect_not(cw_away_tells(&away, true, 3));
    cr_expect(cw_away_tells(&away, false, 4));
    cr_expect_not(cw_away_tells(&away, false, 5));
}

Test(away, is_not_told_each_time)
{
    cw_away away = {0};
    unsigned told = 0;
    for (int64_t now_us = 0; now_us < 60 * SECOND; now_us += SECOND / 10)
        told += cw_away_tells(&away, now_us / (SECOND / 10) % 2, now_us);
    cr_expect_eq(told, 12, "%u", told);
}

Test(away, that_lasts_is_told_however_soon_it_follows)
{
    cw_away away = {0};
    cr_expect(cw_away_tells(&away, true, 0));
    cr_expect(cw_away_tells(&away, false, SECOND));
    cr_expect_not(cw_away_tells(&away, true, 2 * SECOND));
    cr_expect(cw_away_tells(&away, true, 10 * SECOND));
}
