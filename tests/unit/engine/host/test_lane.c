/* Connections of hosts that hang; the test sets the time. */
#include "crawler/engine/host/lane.h"

#include <criterion/criterion.h>

#define SECOND ((int64_t)1000 * 1000)

static unsigned turned_slow(cw_host_lane *lane, int64_t now_us)
{
    unsigned count = 0;
    while (cw_host_lane_turned_slow(lane, now_us))
        count++;
    return count;
}

Test(lane, slow_ones_leave_a_quarter_free)
{
    static const struct {
        unsigned capacity, most;
    } rows[] = {{1, 1}, {2, 2}, {3, 3}, {4, 3}, {8, 6}, {64, 48}, {65, 49}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cw_host_lane lane;
        cw_host_lane_entry entries[65];
        unsigned entered = 0;
        cw_host_lane_init(&lane, rows[i].capacity);
        while (entered < rows[i].capacity && cw_host_lane_has_room(&lane))
            cw_host_lane_enter(&lane, &entries[entered++], true, 0);
        cr_expect_eq(entered, rows[i].most, "capacity %u: %u", rows[i].capacity, entered);
        cw_host_lane_leave(&lane, &entries[0]);
        cr_expect(cw_host_lane_has_room(&lane));
    }
}

Test(lane, a_transfer_turns_slow_with_time_once)
{
    cw_host_lane lane;
    cw_host_lane_entry a, b, known;
    cw_host_lane_init(&lane, 4);
    cw_host_lane_enter(&lane, &a, false, 0);
    cw_host_lane_enter(&lane, &known, true, 0);
    cw_host_lane_enter(&lane, &b, false, SECOND / 2);
    cr_expect_null(cw_host_lane_turned_slow(&lane, CW_HOST_SLOW_US - 1));
    cr_expect_eq(cw_host_lane_turned_slow(&lane, CW_HOST_SLOW_US), &a);
    cr_expect_null(cw_host_lane_turned_slow(&lane, CW_HOST_SLOW_US));
    cr_expect_eq(cw_host_lane_turned_slow(&lane, CW_HOST_SLOW_US + SECOND / 2), &b);
    cr_expect_not(cw_host_lane_has_room(&lane));
    cw_host_lane_leave(&lane, &b);
    cr_expect(cw_host_lane_has_room(&lane));
    cw_host_lane_leave(&lane, &b);
    cr_expect_eq(lane.count, 2, "leaving twice is leaving once");
}

Test(lane, the_first_of_those_that_are_judged_may_leave)
{
    cw_host_lane lane;
    cw_host_lane_entry entries[3];
    cw_host_lane_init(&lane, 4);
    for (int i = 0; i < 3; i++)
        cw_host_lane_enter(&lane, &entries[i], false, i);
    cw_host_lane_leave(&lane, &entries[0]);
    cr_expect_eq(cw_host_lane_turned_slow(&lane, 1 + CW_HOST_SLOW_US), &entries[1]);
    cw_host_lane_leave(&lane, &entries[2]);
    cr_expect_eq(turned_slow(&lane, 10 * SECOND), 0);
    cw_host_lane_enter(&lane, &entries[2], false, 10 * SECOND);
    cr_expect_eq(turned_slow(&lane, 11 * SECOND), 1);
}

Test(lane, the_youngest_go_back_when_all_are_taken)
{
    cw_host_lane lane;
    cw_host_lane_entry entries[8];
    cw_host_lane_init(&lane, 8);
    for (int i = 0; i < 7; i++)
        cw_host_lane_enter(&lane, &entries[i], false, i);
    cr_expect_eq(turned_slow(&lane, 3 * SECOND), 7);
    cr_expect_null(cw_host_lane_yield(&lane), "one is free");
    cw_host_lane_enter(&lane, &entries[7], false, 3 * SECOND);
    for (int i = 6; i > 1; i--)
        cr_expect_eq(cw_host_lane_yield(&lane), &entries[i]);
    cr_expect_null(cw_host_lane_yield(&lane), "two of eight keep their place");
    cr_expect_eq(turned_slow(&lane, 4 * SECOND), 1);
    cr_expect_eq(cw_host_lane_yield(&lane), &entries[7]);
    for (int i = 2; i < 8; i++)
        cw_host_lane_leave(&lane, &entries[i]);
    cr_expect_eq(lane.yielding, 0);
    cr_expect_eq(lane.strange, 2);
    cr_expect_null(cw_host_lane_yield(&lane));
}

Test(lane, none_goes_back_before_its_time_nor_one_whose_host_was_known)
{
    cw_host_lane lane;
    cw_host_lane_entry entries[4];
    cw_host_lane_init(&lane, 4);
    for (int i = 0; i < 4; i++)
        cw_host_lane_enter(&lane, &entries[i], i < 2, i);
    cr_expect_eq(cw_host_lane_next_us(&lane, 0), CW_HOST_SLOW_US, "of those that were known nothing is to come");
    cr_expect_eq(turned_slow(&lane, 2 + CW_HOST_SLOW_US - 1), 0);
    cr_expect_null(cw_host_lane_yield(&lane));
    cr_expect_eq(cw_host_lane_next_us(&lane, 2 + CW_HOST_SLOW_US - 1), 1);
    cr_expect_eq(turned_slow(&lane, 3 + CW_HOST_SLOW_US), 2);
    cr_expect_eq(cw_host_lane_next_us(&lane, 3 + CW_HOST_SLOW_US), INT64_MAX);
    cr_expect_eq(cw_host_lane_yield(&lane), &entries[3]);
    cr_expect_null(cw_host_lane_yield(&lane), "a quarter is left to those that were not known");
}

Test(lane, slow_ones_never_have_more_than_three_quarters_while_others_wait)
{
    cw_host_lane lane;
    cw_host_lane_entry entries[8];
    cw_host_lane_init(&lane, 8);
    for (int i = 0; i < 8; i++)
        cw_host_lane_enter(&lane, &entries[i], i < 6, 0);
    cr_expect_eq(turned_slow(&lane, SECOND), 2);
    cr_expect_eq(cw_host_lane_yield(&lane), &entries[7]);
    cr_expect_eq(cw_host_lane_yield(&lane), &entries[6]);
    cr_expect_null(cw_host_lane_yield(&lane));
}

/* 64 connections and 201 hosts, each asked once; only the last would answer. Measures when it gets its connection.
 * Requests that are given back are known then, and wait. */
Test(lane, a_host_behind_two_hundred_that_hang_has_its_turn_within_four_seconds)
{
    enum { HOSTS = 201, CAPACITY = 64 };
    cw_host_lane lane;
    cw_host_lane_entry entries[HOSTS];
    unsigned next = 0;
    int64_t asked_us = 0;
    cw_host_lane_init(&lane, CAPACITY);
    for (int64_t now = 0; next < HOSTS && now < 60 * SECOND; now += SECOND / 4) {
        while (lane.count < CAPACITY && next < HOSTS)
            cw_host_lane_enter(&lane, &entries[next++], false, asked_us = now);
        turned_slow(&lane, now);
        for (unsigned waiting = HOSTS - next; waiting && cw_host_lane_yield(&lane); waiting--)
            ;
        for (unsigned i = 0; i < next; i++)
            if (entries[i].yielding)
                cw_host_lane_leave(&lane, &entries[i]);
    }
    cr_expect_eq(next, HOSTS);
    cr_expect_lt(asked_us, 4 * SECOND, "%lld ms", (long long)asked_us / 1000);
}

/* As of a worker in reserve: others have the connections. */
Test(lane, without_a_capacity_none_goes_back)
{
    cw_host_lane lane;
    cw_host_lane_entry entry;
    cw_host_lane_init(&lane, 1);
    cw_host_lane_enter(&lane, &entry, false, 0);
    lane.capacity = 0;
    cr_expect_eq(turned_slow(&lane, CW_HOST_SLOW_US), 1);
    cr_expect_null(cw_host_lane_yield(&lane));
}

Test(lane, a_request_that_must_not_be_sent_twice_stays)
{
    cw_host_lane lane;
    cw_host_lane_entry entries[4];
    cw_host_lane_init(&lane, 4);
    for (int i = 0; i < 4; i++) {
        cw_host_lane_enter(&lane, &entries[i], false, i);
        entries[i].stays = i != 1;
    }
    cr_expect_eq(turned_slow(&lane, 3 + CW_HOST_SLOW_US), 4);
    cr_expect_eq(cw_host_lane_yield(&lane), &entries[1]);
    cr_expect_null(cw_host_lane_yield(&lane));
}
