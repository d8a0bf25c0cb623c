/* The pace of one host that answers with walls, and the part of a pace that is handed over to another process. */
#include "tests/unit/engine/host/pace_help.h"

TestSuite(pace_walls, .init = setup);

/* ---- handed over ---- */

/* Hands the pace over to another process at `now`. */
static void hand_over(int64_t now, bool expected)
{
    const cw_host_pace_kept kept = cw_host_pace_keep(&pace, &rules, now * MS);
    cr_expect_eq(cw_host_pace_is_worth_keeping(&kept), expected);
    cw_host_pace_init(&pace, 8);
    cr_expect(cw_host_pace_take_over(&pace, &kept, now * MS));
}

Test(pace_walls, failures_and_backoff_are_handed_over)
{
    int64_t at = 0;
    rules.backoff_us = 1000 * MS;
    answer(500, CRAWL_FETCH_OK, 0, 10);
    hand_over(20, true);
    cr_expect_eq(pace.failures, 1);
    cr_expect_eq(admit(20, &at), CW_ADMIT_GO);
    answer(500, CRAWL_FETCH_OK, 30, 40);
    cr_expect_eq(pace.failures, 2);
    int64_t held = cw_host_pace_held(&pace, 50 * MS);
    cr_expect_gt(held, 0);
    hand_over(50, true);
    cr_expect_eq(cw_host_pace_held(&pace, 50 * MS), held);
    cr_expect_eq(pace.hold_by, CW_HOLD_BACKOFF);
    answer(200, CRAWL_FETCH_OK, 5000, 5010);
    hand_over(5020, false);
    cr_expect_eq(pace.failures, 0);
}

Test(pace_walls, given_up_is_handed_over_with_its_probe)
{
    int64_t at = 0;
    rules.give_up = 2;
    rules.away_us = 1000 * MS;
    answer(0, CRAWL_FETCH_TIMEOUT, 0, 10);
    answer(0, CRAWL_FETCH_TIMEOUT, 20, 30);
    hand_over(130, true);
    cr_expect_eq(admit(140, &at), CW_ADMIT_REFUSE);
    cr_expect_eq(at, 1030);
    char words[128];
    cw_host_pace_say_refused(&pace, CW_HOLD_GIVEN_UP, 1000, words, sizeof words);
    cr_expect_not_null(strstr(words, "after 2 failures in a row, the last: timeout"), "%s", words);
    hand_over(1130, true);
    cr_expect_eq(admit(1140, &at), CW_ADMIT_PROBE);
    answer(0, CRAWL_FETCH_TIMEOUT, 1140, 1150);
    cr_expect_eq(admit(1160, &at), CW_ADMIT_REFUSE);
}

Test(pace_walls, the_pause_by_answer_times_is_handed_over)
{
    rules.delay_us = 100 * MS;
    took(200, 10);
    hand_over(0, false);
    cr_expect_eq(pause_of(CW_PACE_DELAY), 100);
    for (int i = 0; i < 20; i++)
        took(200, 4000);
    int64_t pause = pause_of(CW_PACE_ADAPTIVE);
    cr_expect_gt(pause, 100);
    hand_over(0, true);
    cr_expect_eq(pause_of(CW_PACE_ADAPTIVE), pause);
}

Test(pace_walls, a_retry_after_is_not_handed_over_as_a_failure)
{
    cw_host_pace_hold(&pace, 5000 * MS, CW_HOLD_RETRY_AFTER);
    hand_over(0, false);
    cr_expect_eq(cw_host_pace_held(&pace, 0), 0);
}

Test(pace_walls, what_is_known_already_is_not_replaced)
{
    const cw_host_pace_kept kept = {.failures = 3, .given_up = true, .held_us = 1000 * MS};
    answer(500, CRAWL_FETCH_OK, 0, 10);
    cr_expect_not(cw_host_pace_take_over(&pace, &kept, 20 * MS));
    cr_expect_eq(pace.failures, 1);
    cr_expect_not(pace.given_up);
}

Test(pace_walls, a_pace_that_was_given_away_is_taken_over_again)
{
    const cw_host_pace_kept kept = {.failures = 3, .given_up = true, .held_us = 1000 * MS};
    answer(500, CRAWL_FETCH_OK, 0, 10);
    pace.crawl_delay_us = 300 * MS;
    cw_host_pace_forget(&pace);
    cr_expect_eq(pace.failures, 0);
    cr_expect_eq(pause_of(CW_PACE_CRAWL_DELAY), 300, "robots.txt is still known");
    cr_expect(cw_host_pace_take_over(&pace, &kept, 20 * MS));
    cr_expect_eq(pace.failures, 3);
    cr_expect(pace.given_up);
    cr_expect_eq(cw_host_pace_held(&pace, 20 * MS), 1000 * MS);
}

/* ---- walls ---- */

/* Reports a wall, requested and received at this time. */
static void wall(int64_t now)
{
    crawl_response response = {.size = sizeof response, .status = 403, .error_text = "", .ip = ""};
    cw_host_pace_answer(&pace, &rules, &response, true, false, now * MS, now * MS);
}

/* Expects whether the host is held at this time until that one. */
static void expect_hold(int64_t now, int64_t until)
{
    int64_t at;
    cw_host_admission admission = admit(now, &at);
    if (until <= now) {
        cr_expect_eq(admission, CW_ADMIT_GO, "at %lld: %d", (long long)now, (int)admission);
        return;
    }
    cr_expect_eq(admission, CW_ADMIT_WAIT, "at %lld: %d", (long long)now, (int)admission);
    cr_expect_eq(at, until, "at %lld: until %lld", (long long)now, (long long)at);
}

Test(pace_walls, walls_in_a_row_hold_a_host_that_gave_pages)
{
    answer(200, CRAWL_FETCH_OK, 0, 10);
    wall(1000);
    expect_hold(1000, 0);
    wall(2000);
    expect_hold(2000, 2000 + 60 * 1000);
    wall(62000);
    expect_hold(62000, 62000 + 120 * 1000);
    answer(200, CRAWL_FETCH_OK, 182000, 182010);
    expect_hold(183000, 0);
    cr_expect_str_eq(cw_host_hold_by_name(CW_HOLD_WALL), "wall");
}

Test(pace_walls, the_fourth_wall_of_eight_answers_gives_the_host_up_and_its_requests_wait)
{
    int64_t at;
    for (int i = 0; i < 4; i++) { /* alternating pages and walls */
        answer(200, CRAWL_FETCH_OK, i * 2000, i * 2000 + 10);
        wall(i * 2000 + 1000);
    }
    expect_hold(7500, 0); /* never two in a row */
    wall(8000);
    expect_hold(8000, 8000 + 30 * 60 * 1000);
    cr_expect(cw_host_pace_is_walled(&pace));
    int64_t later = 8000 + 30 * 60 * 1000;
    cr_expect_eq(admit(later, &at), CW_ADMIT_PROBE);
    wall(later);
    expect_hold(later, later + 30 * 60 * 1000);
    cr_expect_eq(admit(later * 2, &at), CW_ADMIT_PROBE);
    answer(200, CRAWL_FETCH_OK, later * 2, later * 2);
    expect_hold(later * 2 + 1000, 0);
    cr_expect_not(cw_host_pace_is_walled(&pace));
}

Test(pace_walls, a_host_that_gave_no_page_is_given_up_at_its_second_wall)
{
    wall(1000);
    expect_hold(1000, 0);
    wall(2000);
    expect_hold(2000, 2000 + 30 * 60 * 1000);
}

Test(pace_walls, walls_of_requests_that_left_together_count_once)
{
    answer(200, CRAWL_FETCH_OK, 0, 10);
    wall(1000);
    crawl_response response = {.size = sizeof response, .status = 403, .error_text = "", .ip = ""};
    cw_host_pace_answer(&pace, &rules, &response, true, false, 900 * MS, 1100 * MS);
    expect_hold(1100, 0);
    cr_expect_eq(cw_host_pace_walls_in_row(&pace), 1);
}

/* A failure in between is no answer, and the second wall is of a request that left after the first. */
Test(pace_walls, a_failure_between_two_walls_hides_neither)
{
    answer(200, CRAWL_FETCH_OK, 0, 10);
    wall(1000);
    answer(0, CRAWL_FETCH_RESET, 500, 1300);
    crawl_response response = {.size = sizeof response, .status = 403, .error_text = "", .ip = ""};
    cw_host_pace_answer(&pace, &rules, &response, true, false, 1200 * MS, 1500 * MS);
    expect_hold(1500, 1500 + 60 * 1000);
}

Test(pace_walls, a_host_that_fails_after_a_wall_is_given_up_for_its_failures)
{
    int64_t at;
    char words[128];
    rules.give_up = 3;
    rules.away_us = 1000 * MS;
    answer(200, CRAWL_FETCH_OK, 0, 10);
    wall(100);
    for (int i = 0; i < 3; i++)
        answer(0, CRAWL_FETCH_CONNECT, 200000 * (i + 1), 200000 * (i + 1) + 10);
    hand_over(600020, true);
    cr_expect_eq(admit(600020, &at), CW_ADMIT_REFUSE);
    cw_host_pace_say_refused(&pace, CW_HOLD_GIVEN_UP, 1000, words, sizeof words);
    cr_expect_not_null(strstr(words, "after 3 failures in a row, the last: connect"), "%s", words);
    cr_expect_eq(cw_host_pace_walls_in_row(&pace), 0);
    cr_expect_eq(admit(700000, &at), CW_ADMIT_PROBE);
    wall(700000);
    cr_expect_eq(cw_host_pace_walls_in_row(&pace), 1);
}

Test(pace_walls, walls_hold_nothing_by_setting)
{
    rules.wall_us = 0;
    for (int i = 1; i < 20; i++)
        wall(i * 1000);
    expect_hold(30000, 0);
}

Test(pace_walls, a_crawl_of_several_processes_refuses_what_waits_for_a_wall)
{
    int64_t at;
    char words[128];
    rules.walls_refuse = true;
    wall(1000);
    wall(2000);
    cr_expect_eq(admit(2000, &at), CW_ADMIT_REFUSE);
    cr_expect_eq(cw_host_pace_refused_by(&pace, &rules, 2000 * MS), CW_HOLD_GIVEN_UP);
    cw_host_pace_say_refused(&pace, CW_HOLD_GIVEN_UP, 1000000, words, sizeof words);
    cr_expect_str_eq(words, "the host was given up, since it answers with a wall; asked again in 2 s");
}

Test(pace_walls, walls_are_handed_over)
{
    int64_t at;
    answer(200, CRAWL_FETCH_OK, 0, 10);
    wall(1000);
    hand_over(1500, true);
    cr_expect(pace.had_wall);
    cr_expect(pace.had_page);
    expect_hold(1500, 0);
    wall(2000);
    expect_hold(2000, 2000 + 60 * 1000);
    hand_over(2000, true);
    expect_hold(2000, 2000 + 60 * 1000);
    cr_expect_eq(pace.hold_by, CW_HOLD_WALL);
    cr_expect_eq(admit(2000, &at), CW_ADMIT_WAIT);
    wall(62000);
    expect_hold(62000, 62000 + 120 * 1000);
}

Test(pace_walls, a_host_given_up_for_its_walls_is_handed_over_with_its_probe)
{
    int64_t at;
    rules.walls_refuse = true;
    wall(1000);
    wall(2000);
    hand_over(3000, true);
    cr_expect_eq(admit(3000, &at), CW_ADMIT_REFUSE);
    cr_expect_eq(at, 2000 + 30 * 60 * 1000);
    cr_expect_eq(admit(2000 + 30 * 60 * 1000, &at), CW_ADMIT_PROBE);
}
