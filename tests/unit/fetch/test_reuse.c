/* Which idle connections give way to new ones. */
#include "fetch/loop.h"

#include <criterion/criterion.h>

static const int64_t second = 1000 * 1000;

/* Returns true if a connection with this idle time gives way now, when none recently did. */
static bool gives_way(const cw_fetch_reuse *reuse, int64_t idle_us)
{
    cw_fetch_reuse copy = *reuse;
    return cw_fetch_reuse_gives_way(&copy, 100 * second, 100 * second + idle_us);
}

static void note(cw_fetch_reuse *reuse, int64_t idle_us, unsigned times)
{
    while (times--)
        cw_fetch_reuse_note(reuse, idle_us);
}

Test(reuse, before_one_was_used_again_they_are_waited_for)
{
    cw_fetch_reuse reuse;
    cw_fetch_reuse_init(&reuse);
    cr_expect_not(gives_way(&reuse, 20 * second));
    cr_expect(gives_way(&reuse, 40 * second));
}

Test(reuse, one_that_was_left_out_for_two_rounds_gives_way)
{
    cw_fetch_reuse reuse;
    cw_fetch_reuse_init(&reuse);
    note(&reuse, second, 3000);
    cr_expect_not(gives_way(&reuse, 19 * second / 10));
    cr_expect(gives_way(&reuse, 21 * second / 10));
}

/* Among many that are soon reused, those of hosts with a long pause are not given up. */
Test(reuse, a_long_round_is_learned_at_once_and_forgotten_slowly)
{
    cw_fetch_reuse reuse;
    cw_fetch_reuse_init(&reuse);
    note(&reuse, 100, 3000);
    cr_expect(gives_way(&reuse, second));
    note(&reuse, 10 * second, 1);
    note(&reuse, 100, 20);
    cr_expect_not(gives_way(&reuse, 18 * second));
}

Test(reuse, at_most_sixteen_in_a_second_give_way)
{
    cw_fetch_reuse reuse;
    int gave_way = 0;
    cw_fetch_reuse_init(&reuse);
    for (int64_t us = 0; us < second; us += 1000)
        gave_way += cw_fetch_reuse_gives_way(&reuse, 0, 100 * second + us);
    cr_expect_eq(gave_way, 16);
}
