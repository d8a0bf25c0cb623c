/* The pace of one host: its pause after responses, its holds after failures, its quotas. */
#include "tests/unit/engine/host/pace_help.h"

TestSuite(pace, .init = setup);

Test(pace, quick_hosts_keep_to_the_delay)
{
    for (int i = 0; i < 100; i++)
        took(200, 40);
    cr_expect_eq(pause_of(CW_PACE_DELAY), 250);
}

Test(pace, the_pause_follows_the_answer_time_over_the_target)
{
    rules.target = 2;
    for (int i = 0; i < 100; i++)
        took(200, 4000);
    int64_t pause = pause_of(CW_PACE_ADAPTIVE);
    cr_expect(pause > 1750 && pause <= 2000, "%lld", (long long)pause);
    for (int i = 0; i < 100; i++)
        took(200, 1000);
    pause = pause_of(CW_PACE_ADAPTIVE);
    cr_expect(pause >= 500 && pause < 570, "%lld", (long long)pause);
    for (int i = 0; i < 100; i++)
        took(304, 10);
    cr_expect_eq(pause_of(CW_PACE_DELAY), 250);
}

Test(pace, one_slow_answer_slows_little_and_a_slow_host_is_noticed_soon)
{
    for (int i = 0; i < 20; i++)
        took(200, 250);
    took(200, 30000);
    cr_expect_leq(pause_now(), 625);
    int more = 0;
    while (pause_now() < 20000 && more < 100) {
        took(200, 30000);
        more++;
    }
    cr_expect_leq(more, 5);
    took(200, 3600 * 1000);
    took(200, 3600 * 1000);
    cr_expect_eq(pause_of(CW_PACE_ADAPTIVE), 30000, "never longer than max_delay");
}

Test(pace, errors_never_shorten)
{
    for (int i = 0; i < 50; i++)
        took(200, 2000);
    int64_t before = pause_of(CW_PACE_ADAPTIVE);
    static const int statuses[] = {404, 403, 429, 500, 503, 501};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        for (int n = 0; n < 20; n++) {
            took(statuses[i], 1);
            cr_expect_geq(pause_now(), before, "%d", statuses[i]);
        }
    static const crawl_fetch_error errors[] = {CRAWL_FETCH_DNS,   CRAWL_FETCH_CONNECT,   CRAWL_FETCH_TLS,
                                               CRAWL_FETCH_RESET, CRAWL_FETCH_TOO_LARGE, CRAWL_FETCH_CANCELLED};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        answer(0, errors[i], 0, 1);
    cr_expect_geq(pause_now(), before);
}

Test(pace, too_many_requests_double_the_pause)
{
    took(200, 10);
    took(429, 10);
    cr_expect_eq(pause_of(CW_PACE_ADAPTIVE), 500);
    took(503, 10);
    cr_expect_eq(pause_of(CW_PACE_ADAPTIVE), 1000);
    for (int i = 0; i < 40; i++)
        took(200, 10);
    cr_expect_eq(pause_of(CW_PACE_DELAY), 250, "good answers bring it back");
}

Test(pace, crawl_delay_is_a_floor_beyond_max_delay)
{
    pace.crawl_delay_us = 40000 * MS;
    cr_expect_eq(pause_of(CW_PACE_CRAWL_DELAY), 40000);
    for (int i = 0; i < 50; i++)
        took(200, 60000);
    cr_expect_eq(pause_of(CW_PACE_CRAWL_DELAY), 40000);
    pace.crawl_delay_us = 100 * MS;
    cr_expect_eq(pause_of(CW_PACE_ADAPTIVE), 30000);
}

Test(pace, off_or_without_a_delay_nothing_adapts)
{
    rules.adaptive = false;
    took(200, 9000);
    took(429, 9000);
    cr_expect_eq(pause_of(CW_PACE_DELAY), 250);
    rules.adaptive = true;
    rules.delay_us = 0;
    took(200, 9000);
    cr_expect_eq(pause_of(CW_PACE_DELAY), 0);
}

Test(pace, admission_waits_for_the_pause)
{
    int64_t at;
    cr_expect_eq(admit(0, &at), CW_ADMIT_GO);
    cw_host_pace_started(&pace, 100 * MS);
    cr_expect_eq(admit(349, &at), CW_ADMIT_WAIT);
    cr_expect_eq(at, 350);
    cr_expect_eq(admit(350, &at), CW_ADMIT_GO);
}

/* Reports a failure at `now` of a request that left just before. Returns the hold. */
static int64_t fail_at(int64_t now)
{
    answer(0, CRAWL_FETCH_CONNECT, now, now);
    return cw_host_pace_held(&pace, now * MS) / MS;
}

Test(pace, failures_in_a_row_back_off_exponentially_with_jitter)
{
    cr_expect_eq(fail_at(1000), 0, "one failure is no row");
    int64_t now = 10000;
    for (int64_t wait = 1000; wait <= 64000; wait *= 2, now += 1000000) {
        int64_t held = fail_at(now);
        cr_expect(held >= wait * 3 / 4 && held <= wait * 5 / 4, "%lld of %lld", (long long)held, (long long)wait);
    }
    int64_t held = fail_at(now);
    cr_expect(held >= 90000 && held <= 150000, "%lld: no longer than max_backoff", (long long)held);
}

Test(pace, jitter_is_of_the_seed)
{
    int64_t held[3];
    static const uint64_t seeds[3] = {1, 1, 2};
    for (int i = 0; i < 3; i++) {
        cw_host_pace_init(&pace, seeds[i]);
        fail_at(1000);
        answer(0, CRAWL_FETCH_RESET, 2000, 2000);
        held[i] = cw_host_pace_held(&pace, 2000 * MS);
    }
    cr_expect_eq(held[0], held[1]);
    cr_expect_neq(held[0], held[2]);
}

Test(pace, one_outage_counts_once)
{
    answer(500, CRAWL_FETCH_OK, 0, 1000);
    answer(500, CRAWL_FETCH_OK, 10, 1001);
    answer(0, CRAWL_FETCH_TIMEOUT, 20, 1002);
    cr_expect_eq(pace.failures, 1, "they had left before the first failure was known");
    answer(500, CRAWL_FETCH_OK, 1003, 1100);
    cr_expect_eq(pace.failures, 2);
    answer(404, CRAWL_FETCH_OK, 1004, 1101);
    cr_expect_eq(pace.failures, 0, "an answer, if only that there is no such page");
}

Test(pace, a_url_that_fails_again_counts_once)
{
    int64_t now = 0;
    for (int url = 0; url < 8; url++)
        for (int attempt = 1; attempt <= 3; attempt++, now += 1000000) {
            answer_to(attempt > 1, 500, CRAWL_FETCH_OK, now, now);
            int64_t held = cw_host_pace_held(&pace, now * MS) / MS,
                    wait = url ? (int64_t)500 << url : 1000 * (attempt > 1);
            cr_expect_eq(pace.failures, url + 1);
            cr_expect(held >= wait * 3 / 4 && held <= wait * 5 / 4, "%lld of %lld", (long long)held, (long long)wait);
        }
    answer(200, CRAWL_FETCH_OK, now, now);
    answer_to(true, 500, CRAWL_FETCH_OK, now, now);
    cr_expect_eq(cw_host_pace_held(&pace, now * MS), 0, "one failure is no row");
    pace.failures = 8;
    answer_to(true, 503, CRAWL_FETCH_OK, now, now);
    cr_expect_eq(pace.failures, 9, "the host is overloaded");
    answer_to(true, 0, CRAWL_FETCH_TIMEOUT, now + 1, now + 1);
    cr_expect_eq(pace.failures, 10, "or does not answer");
    cr_expect(pace.given_up);
    int64_t at;
    cr_expect_eq(admit(now + 1 + 1800000, &at), CW_ADMIT_PROBE);
    now += 1 + 1800000;
    answer_to(true, 500, CRAWL_FETCH_OK, now, now);
    cr_expect_eq(cw_host_pace_held(&pace, now * MS), 1800000 * MS, "a failed probe, whatever its attempt");
}

static void give_up(void)
{
    for (int64_t i = 0; i < 10; i++)
        fail_at(i * 1000000);
}

Test(pace, given_up_and_back_by_a_probe)
{
    int64_t at;
    give_up();
    cr_expect_eq(admit(9000001, &at), CW_ADMIT_REFUSE);
    cr_expect_eq(at, 9000000 + 1800000);
    cr_expect_eq(admit(at - 1, &at), CW_ADMIT_REFUSE);
    int64_t probe = at;
    cr_expect_eq(admit(probe, &at), CW_ADMIT_PROBE);
    cr_expect_eq(admit(probe, &at), CW_ADMIT_WAIT, "one probe at a time");
    cw_host_pace_unasked(&pace);
    cr_expect_eq(admit(probe, &at), CW_ADMIT_PROBE, "the first did not leave");
    answer(0, CRAWL_FETCH_TIMEOUT, probe, probe + 60000);
    cr_expect_eq(admit(probe + 60001, &at), CW_ADMIT_REFUSE);
    cr_expect_eq(at, probe + 60000 + 1800000);
    probe = at;
    cr_expect_eq(admit(probe, &at), CW_ADMIT_PROBE);
    answer(200, CRAWL_FETCH_OK, probe, probe + 100);
    cr_expect_eq(pace.failures, 0);
    cr_expect_eq(admit(probe + 100000, &at), CW_ADMIT_GO);
}

Test(pace, what_left_before_does_not_bring_it_back)
{
    int64_t at;
    give_up();
    answer(200, CRAWL_FETCH_OK, 8999999, 9000010);
    cr_expect_eq(admit(9000011, &at), CW_ADMIT_REFUSE);
}

Test(pace, never_given_up_by_setting)
{
    int64_t at;
    rules.give_up = 0;
    for (int64_t i = 0; i < 1000; i++)
        fail_at(i * 1000000);
    cr_expect_eq(admit(5000000000, &at), CW_ADMIT_GO);
}

Test(pace, our_own_faults_say_nothing_of_the_host)
{
    for (int64_t i = 0; i < 50; i++) {
        answer(0, CRAWL_FETCH_LOCAL, i, i);
        answer(0, CRAWL_FETCH_PRIVATE, i, i);
        answer(0, CRAWL_FETCH_CANCELLED, i, i);
    }
    cr_expect_eq(pace.failures, 0);
    cr_expect_eq(pace.answer_us, 0);
}

Test(pace, the_latest_hold_stands)
{
    int64_t at;
    cw_host_pace_hold(&pace, 5000 * MS, CW_HOLD_RETRY_AFTER);
    cw_host_pace_hold(&pace, 3000 * MS, CW_HOLD_BACKOFF);
    cr_expect_eq(pace.hold_by, CW_HOLD_RETRY_AFTER);
    cr_expect_eq(admit(4999, &at), CW_ADMIT_WAIT);
    cr_expect_eq(at, 5000);
    cr_expect_eq(cw_host_pace_held(&pace, 4999 * MS), MS);
    cr_expect_eq(admit(5000, &at), CW_ADMIT_GO);
}

/* ---- quotas ---- */

/* Reports a quota. left: requests left in a window of ms; 0: nothing is left for ms. */
static void quota(int64_t left, int64_t ms, uint32_t running, int64_t now)
{
    cw_host_quota told = {.left = left, .window_us = left ? ms * MS : 0, .spent_us = left ? 0 : ms * MS};
    cw_host_pace_quota(&pace, &rules, &told, running, now * MS);
}

Test(pace, what_is_left_of_a_quota_is_spread)
{
    quota(9, 10000, 0, 0);
    cr_expect_eq(pause_of(CW_PACE_QUOTA), 1000);
    quota(9, 9500, 0, 500);
    cr_expect_eq(pause_of(CW_PACE_QUOTA), 1000, "a small change for the better changes nothing");
    quota(9, 11000, 0, 500);
    cr_expect_eq(pause_of(CW_PACE_QUOTA), 1100, "one for the worse does");
    quota(9, 5000, 0, 1000);
    cr_expect_eq(pause_of(CW_PACE_QUOTA), 500);
    quota(99, 1000, 0, 1000);
    cr_expect_eq(pause_of(CW_PACE_DELAY), 250, "never less than the delay");
}

Test(pace, requests_under_way_count_against_a_quota)
{
    quota(4, 10000, 3, 0);
    cr_expect_eq(pause_of(CW_PACE_QUOTA), 5000);
    quota(4, 10000, 9, 0);
    cr_expect_eq(pause_of(CW_PACE_QUOTA), 10000);
}

Test(pace, a_quota_that_is_spent_holds)
{
    int64_t at;
    quota(9, 10000, 0, 0);
    quota(0, 3000, 0, 1000);
    cr_expect_eq(pause_of(CW_PACE_DELAY), 250, "the next window is not known yet");
    cr_expect_eq(admit(3999, &at), CW_ADMIT_WAIT);
    cr_expect_eq(at, 4000);
    cr_expect_eq(pace.hold_by, CW_HOLD_QUOTA);
    cr_expect_str_eq(cw_host_hold_by_name(CW_HOLD_QUOTA), "ratelimit");
    cr_expect_eq(admit(4000, &at), CW_ADMIT_GO);
}

Test(pace, a_quota_is_heeded_for_so_long_as_a_retry_is)
{
    int64_t at;
    rules.max_wait_us = 2000 * MS;
    quota(1, 10000, 0, 0);
    cr_expect_eq(pause_of(CW_PACE_QUOTA), 2000);
    quota(0, 10000, 0, 0);
    cr_expect_eq(admit(1999, &at), CW_ADMIT_WAIT, "not refused");
    cr_expect_eq(admit(2000, &at), CW_ADMIT_GO);
}

Test(pace, a_quota_is_over_with_its_time)
{
    quota(9, 10000, 0, 0);
    cw_host_pace_quota(&pace, &rules, &(cw_host_quota){0}, 0, 9999 * MS);
    cr_expect_eq(pause_of(CW_PACE_QUOTA), 1000, "an answer that tells nothing");
    cw_host_pace_quota(&pace, &rules, &(cw_host_quota){0}, 0, 10000 * MS);
    cr_expect_eq(pause_of(CW_PACE_DELAY), 250);
}

/* Responses overtake one another: an older one that reports more is ignored until the window ends. */
Test(pace, what_is_left_limits_what_is_under_way)
{
    static const struct {
        int64_t at_ms;
        int64_t allowed;
        uint32_t at_once;
    } rows[] = {{0, 6, 6}, {10, 3, 3}, {20, 5, 3}, {30, 1, 1}, {999, 7, 1}, {1000, 7, 7}, {1010, 8, 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cw_host_quota told = {.allowed = rows[i].allowed, .allowed_us = 1000 * MS};
        cw_host_pace_quota(&pace, &rules, &told, 3, rows[i].at_ms * MS);
        cr_expect_eq(pace.at_once, rows[i].at_once, "row %zu: %u", i, pace.at_once);
    }
    cr_expect_eq(cw_host_pace_at_once(&pace, 1999 * MS), 7);
    cr_expect_eq(cw_host_pace_at_once(&pace, 2000 * MS), 0, "over with its time");
}

Test(pace, a_stated_number_at_once_has_no_end)
{
    cw_host_pace_quota(&pace, &rules, &(cw_host_quota){.tells_at_once = true, .spare = 1}, 2, 0);
    cr_expect_eq(cw_host_pace_at_once(&pace, CRAWL_FOREVER - 1), 4);
    cw_host_pace_quota(&pace, &rules, &(cw_host_quota){.allowed = 9, .allowed_us = 1000 * MS}, 2, 0);
    cr_expect_eq(cw_host_pace_at_once(&pace, 0), 4);
    cw_host_pace_quota(&pace, &rules, &(cw_host_quota){.allowed = 3, .allowed_us = 1000 * MS}, 2, 0);
    cr_expect_eq(cw_host_pace_at_once(&pace, 999 * MS), 3);
    cr_expect_eq(cw_host_pace_at_once(&pace, 1000 * MS), 0);
}

Test(pace, a_quota_is_never_undercut_by_the_draw)
{
    rules.spread = 0.5;
    quota(9, 3000, 0, 0);
    for (int i = 0; i < 100; i++) {
        cw_host_pace_started(&pace, i * 12345 * (int64_t)MS);
        cr_expect_geq(pause_now(), 300);
    }
    cr_expect_eq(cw_host_pace_least(&pace, &rules), 300 * MS);
}

/* Returns each pause of a thousand, in microseconds, drawn for a request that leaves then. */
static int64_t drawn(int i)
{
    cw_host_pace_by by;
    cw_host_pace_started(&pace, i * 12345 * (int64_t)MS);
    return cw_host_pace_pause(&pace, &rules, &by);
}

Test(pace, pauses_are_drawn_around_the_delay)
{
    int64_t sum = 0, least = INT64_MAX, most = 0;
    rules.delay_us = 1000 * MS;
    cr_expect_eq(drawn(0), 1000 * MS, "without a spread each is the delay");
    rules.spread = 0.3;
    for (int i = 0; i < 1000; i++) {
        int64_t pause = drawn(i);
        sum += pause;
        least = pause < least ? pause : least;
        most = pause > most ? pause : most;
        cr_expect_eq(cw_host_pace_least(&pace, &rules), 700 * MS);
    }
    cr_expect(least >= 700 * MS && least < 710 * MS, "%lld", (long long)least);
    cr_expect(most <= 1300 * MS && most > 1290 * MS, "%lld", (long long)most);
    cr_expect(sum / 1000 > 980 * MS && sum / 1000 < 1020 * MS, "%lld", (long long)sum / 1000);
}

Test(pace, a_draw_never_undercuts_robots_txt)
{
    rules.delay_us = 1000 * MS;
    rules.spread = 0.9;
    pace.crawl_delay_us = 1000 * MS;
    bool longer = false;
    for (int i = 0; i < 100; i++) {
        int64_t pause = drawn(i);
        cr_expect_geq(pause, 1000 * MS);
        longer = longer || pause > 1500 * MS;
    }
    cr_expect(longer, "but it may be longer");
    cr_expect_eq(cw_host_pace_least(&pace, &rules), 1000 * MS);
}

Test(pace, the_gate_keeps_to_the_draw)
{
    int64_t at;
    rules.delay_us = 1000 * MS;
    rules.spread = 0.5;
    for (int i = 0; i < 50; i++) {
        int64_t start = i * 12345;
        int64_t pause = drawn(i);
        cr_expect_eq(admit(start + (pause - 1) / MS, &at), CW_ADMIT_WAIT);
        cr_expect_eq(at, start + pause / MS);
        cr_expect_eq(admit(start + pause / MS + 1, &at), CW_ADMIT_GO);
    }
}
