/* The gate for all hosts, with the test's own clock: pauses, limits and holds, including those of an earlier process.
 */
#include "config/config_values.h"
#include "crawler/engine/host/pacing.h"
#include "tests/unit/engine/host/pacer_help.h"

#include <stdio.h>

TestSuite(pacer, .fini = teardown);

Test(pacer, hosts_have_paces_of_their_own)
{
    create(false);
    cw_host_pass a;
    cw_host_pass b;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &a), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &a), CRAWL_OK);
    cr_expect_eq(a.started_us, now_us);
    cr_expect_eq(cw_host_pacer_admit(pacer, B, NULL, &b), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, B, IP, &b), CRAWL_OK);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &b), CW_ADMIT_WAIT);
    cr_expect_eq(b.wait_us, 250 * MS);
}

Test(pacer, the_pause_runs_from_when_a_request_that_was_held_up_has_left)
{
    create(false);
    cw_host_pass first;
    cw_host_pass second;
    cw_host_pacer_admit(pacer, A, NULL, &first);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &first), CRAWL_OK);
    now_us += 100 * MS;
    cr_expect_eq(cw_host_pacer_left(pacer, A, &first), CRAWL_OK);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_WAIT);
    cr_expect_eq(second.wait_us, 250 * MS);
}

Test(pacer, what_is_held_up_for_longer_than_a_pause_lets_another_one_go_first)
{
    create(false);
    cw_host_pass first;
    cw_host_pass second;
    cw_host_pacer_admit(pacer, A, NULL, &first);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &first), CRAWL_OK);
    now_us += 300 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_OK);
    cr_expect_eq(cw_host_pacer_left(pacer, A, &first), CRAWL_AGAIN);
    cr_expect_eq(first.wait_us, 250 * MS);
    cr_expect_eq(cw_host_pacer_left(pacer, A, &second), CRAWL_OK);
}

Test(pacer, a_hold_stops_what_is_held_up)
{
    create(false);
    cw_host_pass first;
    cw_host_pass second;
    cw_host_pacer_admit(pacer, A, NULL, &first);
    cw_host_pacer_start(pacer, A, IP, &first);
    now_us += 300 * MS;
    cw_host_pacer_admit(pacer, A, NULL, &second);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_OK);
    end(A, 429, 2000, &first);
    now_us += 500 * MS;
    cr_expect_eq(cw_host_pacer_left(pacer, A, &second), CRAWL_AGAIN);
    cr_expect_eq(second.wait_us, 1500 * MS);
}

Test(pacer, a_hold_stops_what_was_admitted_before)
{
    create(false);
    cw_host_pass first;
    cw_host_pass second;
    cw_host_pacer_admit(pacer, A, NULL, &first);
    cw_host_pacer_start(pacer, A, IP, &first);
    now_us += 300 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cw_host_pacer_effect effect = end(A, 429, 2000, &first);
    cr_expect_eq(effect.hold_us, 2000 * MS);
    cr_expect_eq(effect.hold_by, CW_HOLD_RETRY_AFTER);
    now_us += 500 * MS;
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_AGAIN);
    cr_expect_eq(second.wait_us, 1500 * MS);
    cr_expect_eq(second.started_us, 0);
    now_us += 1500 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_OK);
}

/* Ends a request with the host's quota. */
static cw_host_pacer_effect end_telling(cw_host_quota quota, cw_host_pass *pass)
{
    crawl_response response = {.size = sizeof response, .status = 200, .error_text = "", .ip = ""};
    return cw_host_pacer_done(pacer, A, &response, -1, &quota, pass);
}

Test(pacer, a_spent_quota_stops_what_was_admitted_before)
{
    create(false);
    cw_host_pass first;
    cw_host_pass second;
    cw_host_pacer_admit(pacer, A, NULL, &first);
    cw_host_pacer_start(pacer, A, IP, &first);
    now_us += 300 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cw_host_pacer_effect effect = end_telling((cw_host_quota){.spent_us = 2000 * MS}, &first);
    cr_expect_eq(effect.hold_us, 2000 * MS);
    cr_expect_eq(effect.hold_by, CW_HOLD_QUOTA);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_AGAIN);
    cr_expect_eq(second.wait_us, 2000 * MS);
    cw_host_pacer_unasked(pacer, A, &second);
    now_us += 2000 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_OK);
}

Test(pacer, a_quota_is_the_pause_and_requests_under_way_count)
{
    create(false);
    cw_host_pass passes[2];
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &passes[i]), CW_ADMIT_GO);
        cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &passes[i]), CRAWL_OK);
        now_us += 250 * MS;
    }
    cw_host_pacer_effect effect = end_telling((cw_host_quota){.left = 2, .window_us = 4000 * MS}, &passes[0]);
    cr_expect_eq(effect.pause_us, 2000 * MS);
    cr_expect(effect.pause_changed);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &passes[0]), CW_ADMIT_WAIT);
    cr_expect_eq(passes[0].wait_us, 1750 * MS);
    cr_expect_eq(passes[0].by, CW_PACE_QUOTA);
}

Test(pacer, a_host_says_how_many_at_once_it_allows)
{
    create(false);
    cw_host_pass first;
    cw_host_pass second;
    cw_host_pacer_admit(pacer, A, NULL, &first);
    cw_host_pacer_start(pacer, A, IP, &first);
    end_telling((cw_host_quota){.tells_at_once = true, .spare = 0}, &first);
    now_us += 250 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &first), CW_ADMIT_GO);
    cr_expect_eq(first.limit, 1);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &first), CRAWL_OK);
    now_us += 250 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_WAIT, "one is under way");
    end_telling((cw_host_quota){.tells_at_once = true, .spare = 7}, &first);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cr_expect_eq(second.limit, 2, "never more than per_host");
    end_telling((cw_host_quota){.allowed = 1, .allowed_us = 60000 * MS}, &second);
    now_us += 250 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &first), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &first), CRAWL_OK);
    now_us += 250 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_WAIT, "the one that is left is under way");
    now_us += 61000 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cr_expect_eq(second.limit, 2, "the quota is over with its time");
}

Test(pacer, what_is_on_its_way_is_not_held_for_ever)
{
    create(false);
    cw_host_pass first;
    cw_host_pass second;
    cw_host_pacer_admit(pacer, A, NULL, &first);
    cw_host_pacer_start(pacer, A, IP, &first);
    now_us += 300 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    end(A, 429, 99999999000, &first);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_AGAIN);
    cr_expect_eq(second.wait_us, 0, "it comes back at once, and");
    cw_host_pacer_unasked(pacer, A, &second);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_REFUSE);
    cr_expect_eq(second.refused_by, CW_HOLD_RETRY_AFTER);
    cr_expect(strstr(second.words, "politeness.max_retry_delay"), "%s", second.words);
    now_us += 99999700000 * (int64_t)MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_WAIT, "300 s are left, which is not too long");
}

Test(pacer, what_is_on_its_way_to_a_host_that_is_given_up_comes_back_at_once)
{
    create(false);
    cw_host_pass pass;
    cw_host_pass on_way;
    for (int i = 0; i < 10; i++) {
        now_us += 1000000 * (int64_t)MS;
        cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
        if (i == 9)
            cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &on_way), CW_ADMIT_GO);
        end(A, 0, -1, &pass);
    }
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &on_way), CRAWL_AGAIN);
    cr_expect_eq(on_way.wait_us, 0);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &on_way), CW_ADMIT_REFUSE);
    cr_expect_eq(on_way.refused_by, CW_HOLD_GIVEN_UP);
}

Test(pacer, a_moment_that_is_far_is_looked_at_before)
{
    enum { HOSTS = 100 };
    create(true);
    cw_host_pass pass[HOSTS];
    char name[32];
    for (int i = 0; i < HOSTS; i++) {
        snprintf(name, sizeof name, "http://%d", i);
        cr_assert_eq(cw_host_pacer_admit(pacer, host(name), NULL, &pass[i]), CW_ADMIT_GO,
                     "its address is not known yet");
        cr_expect_eq(cw_host_pacer_start(pacer, host(name), IP, &pass[i]), i ? CRAWL_AGAIN : CRAWL_OK);
    }
    cr_expect_eq(pass[1].wait_us, 250 * MS);
    cr_expect_eq(pass[HOSTS - 1].wait_us, 8000 * MS, "not the 24.75 s until its moment");
}

Test(pacer, the_frontier_is_told_of_a_pause_once)
{
    create(false);
    cw_host_pacer_effect effect = cw_host_pacer_crawl_delay(pacer, A, 3000 * MS);
    cr_expect(effect.pause_changed);
    cr_expect_eq(effect.pause_us, 3000 * MS);
    cr_expect_not(cw_host_pacer_crawl_delay(pacer, A, 3000 * MS).pause_changed);
    cw_host_pass pass;
    cw_host_pacer_admit(pacer, A, NULL, &pass);
    cr_expect_eq(pass.pause_us, 3000 * MS);
    cr_expect_eq(pass.by, CW_PACE_CRAWL_DELAY);
    effect = cw_host_pacer_crawl_delay(pacer, A, 0);
    cr_expect(effect.pause_changed);
    cr_expect_eq(effect.pause_us, 250 * MS);
}

Test(pacer, a_vain_connection_is_a_request)
{
    create(false);
    cw_host_pass pass;
    cw_host_pacer_admit(pacer, A, NULL, &pass);
    now_us += 900 * MS;
    end(A, 0, -1, &pass);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_WAIT);
    cr_expect_gt(pass.wait_us, 0);
}

Test(pacer, a_host_that_is_given_up_says_why)
{
    create(false);
    cw_host_pass pass = {0};
    for (int i = 0; i < 10; i++) {
        now_us += 1000000 * (int64_t)MS;
        cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
        end(A, 0, -1, &pass);
    }
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_REFUSE);
    cr_expect(strstr(pass.words, "10 failures in a row") && strstr(pass.words, "connect"), "%s", pass.words);
    cw_host_hold_by by;
    cr_expect_eq(cw_host_pacer_held(pacer, A, &by), 1800 * 1000 * (int64_t)MS);
    cr_expect_eq(by, CW_HOLD_GIVEN_UP);
}

Test(pacer, beyond_max_hosts_the_delay_alone_holds)
{
    create(false);
    cw_host_pass pass;
    char name[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "http://%d", i);
        cr_assert_eq(cw_host_pacer_admit(pacer, host(name), NULL, &pass), CW_ADMIT_GO);
    }
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
    cr_expect_eq(pass.pause_us, 250 * MS);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &pass), CRAWL_OK);
    cr_expect_eq(end(A, 200, -1, &pass).pause_changed, false);
}

Test(pacer, after_another_process_hosts_count_as_asked_just_now)
{
    create_after(false, true);
    cw_host_pass pass;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_WAIT);
    cr_expect_eq(pass.wait_us, 250 * MS);
    now_us += 250 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &pass), CRAWL_OK);
    cw_host_pacer_effect effect = end(A, 200, -1, &pass);
    cr_expect(effect.pause_changed, "the frontier may have another one");
    cr_expect_eq(effect.pause_us, 250 * MS);
    now_us += 250 * MS;
    cw_host_pacer_admit(pacer, A, NULL, &pass);
    cw_host_pacer_start(pacer, A, IP, &pass);
    cr_expect_not(end(A, 200, -1, &pass).pause_changed);
}

Test(pacer, holds_of_another_process_are_kept)
{
    create_after(false, true);
    cw_host_pass pass;
    cw_host_hold_by by;
    cw_host_pacer_hold(pacer, A, 5000 * MS);
    cr_expect_eq(cw_host_pacer_held(pacer, A, &by), 5000 * MS);
    cr_expect_eq(by, CW_HOLD_RETRY_AFTER);
    cw_host_pacer_hold(pacer, A, 3000 * MS);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_WAIT);
    cr_expect_eq(pass.wait_us, 5000 * MS);
}

Test(pacer, a_host_has_its_own_delay_and_limit)
{
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    config.delay_ms = 250;
    config.adaptive = false;
    cw_host_pacer_options options = {
        .rules = cw_host_pace_rules_of(&config), .per_host = 4, .limits = true, .clock_us = clock_us};
    cw_config_clear(&config);
    table = cw_host_table_create(options.max_hosts);
    pacer = cw_host_pacer_create(&options);
    cr_assert_not_null(pacer);
    const cw_host_rules rules = {.delay_ms = 1000, .per_host = 1};
    atomic_store(&A->rules, &rules);
    cw_host_pass first, second, other[5];
    cr_assert_eq(cw_host_pacer_admit(pacer, A, NULL, &first), CW_ADMIT_GO);
    cr_expect_eq(first.pause_us, 1000 * MS);
    cr_expect_eq(first.limit, 1);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_WAIT); /* one at once */
    cr_assert_eq(cw_host_pacer_start(pacer, A, IP, &first), CRAWL_OK);
    end(A, 200, -1, &first);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_WAIT); /* the pause */
    cr_expect_eq(second.wait_us, 1000 * MS);
    now_us += 1000 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cw_host_pacer_unasked(pacer, A, &second);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO); /* the turn was given back */
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(cw_host_pacer_admit(pacer, B, NULL, &other[i]), CW_ADMIT_GO);
        cr_expect_eq(other[i].pause_us, 250 * MS);
    }
    cr_expect_eq(cw_host_pacer_admit(pacer, B, NULL, &other[4]), CW_ADMIT_WAIT);
    end(B, 0, -1, &other[0]);
    now_us += 250 * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, B, NULL, &other[4]), CW_ADMIT_GO);
}

static void ask_once(int status)
{
    cw_host_pass pass;
    now_us += 10000 * MS;
    cr_assert_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
    cr_assert_eq(cw_host_pacer_start(pacer, A, IP, &pass), CRAWL_OK);
    now_us += MS;
    end(A, status, -1, &pass);
}

Test(pacer, a_host_that_was_never_reached_fails_at_once_another_one_at_the_second_time)
{
    create(false);
    ask_once(0);
    cr_expect(cw_host_pacing_is_failing(A));
    teardown();
    create(false);
    ask_once(404);
    ask_once(0);
    cr_expect_not(cw_host_pacing_is_failing(A), "it has answered");
    ask_once(0);
    cr_expect(cw_host_pacing_is_failing(A));
}
