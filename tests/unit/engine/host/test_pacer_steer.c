/* The gate and manual control: blocked hosts, and changed delays. */
#include "crawler/engine/host/steer.h"
#include "tests/unit/engine/host/pacer_help.h"

TestSuite(pacer_steer, .fini = teardown);

static crawl_host_pace look(cw_host_record *one)
{
    crawl_host_pace pace;
    cr_assert_eq(cw_host_steer_look(pacer, one, now_us, &pace), CRAWL_OK);
    return pace;
}

Test(pacer_steer, a_block_stops_what_was_leased_and_what_was_admitted)
{
    create(false);
    cw_host_pass first;
    cw_host_pass second;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &first), CW_ADMIT_GO);
    cr_expect_eq(cw_host_steer_block(A, true), CRAWL_OK);
    cr_expect(cw_host_steer_is_blocked(A));
    cr_expect_not(cw_host_steer_is_blocked(B));
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &first), CRAWL_AGAIN);
    cr_expect_gt(first.wait_us, 0);
    cw_host_pacer_unasked(pacer, A, &first);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_WAIT);
    cr_expect_gt(second.wait_us, 0);
    cr_expect(look(A).is_blocked);
    cr_expect_eq(look(A).asked, 0);
    cr_expect_eq(look(A).running, 0);
    cr_expect_eq(cw_host_pacer_admit(pacer, B, NULL, &second), CW_ADMIT_GO);
    cr_expect_eq(cw_host_steer_block(A, false), CRAWL_OK);
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &second), CW_ADMIT_GO);
    cr_expect_eq(cw_host_pacer_start(pacer, A, IP, &second), CRAWL_OK);
}

Test(pacer_steer, an_answer_tells_that_its_host_is_blocked_by_now)
{
    create(false);
    cw_host_pass pass;
    cw_host_pacer_admit(pacer, A, NULL, &pass);
    cw_host_pacer_start(pacer, A, IP, &pass);
    cw_host_steer_block(A, true);
    cr_expect(end(A, 200, -1, &pass).is_blocked);
}

/* Returns the time from the last request to the next one that is let through. */
static int64_t pause_of(cw_host_record *one)
{
    cw_host_pass pass;
    cw_host_admission admission = cw_host_pacer_admit(pacer, one, NULL, &pass);
    return admission == CW_ADMIT_WAIT ? pass.wait_us : 0;
}

static void ask(cw_host_record *one)
{
    cw_host_pass pass;
    cr_assert_eq(cw_host_pacer_admit(pacer, one, NULL, &pass), CW_ADMIT_GO);
    cr_assert_eq(cw_host_pacer_start(pacer, one, IP, &pass), CRAWL_OK);
}

Test(pacer_steer, delays_are_changed_for_all_and_for_one)
{
    create(false);
    cw_host_pacer_effect effect;
    ask(A);
    ask(B);
    cr_expect_eq(pause_of(A), 250 * MS);
    cw_host_pacer_set_delay(pacer, 2000 * MS);
    cr_expect_eq(pause_of(A), 2000 * MS);
    cr_expect_eq(cw_host_steer_delay(A, 100 * MS), CRAWL_OK);
    effect = cw_host_pacer_look(pacer, A);
    cr_expect(effect.pause_changed);
    cr_expect_eq(effect.pause_us, 100 * MS);
    cr_expect_eq(pause_of(A), 100 * MS);
    cr_expect_eq(pause_of(B), 2000 * MS);
    cr_expect_eq(look(A).delay_us, 100 * MS);
    cr_expect_str_eq(look(A).pause_by, "delay");
    cr_expect_eq(cw_host_steer_delay(A, -1), CRAWL_OK);
    cr_expect_eq(cw_host_pacer_look(pacer, A).pause_us, 2000 * MS);
    cr_expect_lt(look(A).delay_us, 0);
}

Test(pacer_steer, a_section_keeps_its_delay_even_if_it_is_that_of_all)
{
    create(false);
    const cw_host_rules own = {.delay_ms = 250, .per_host = 2}, none = {.delay_ms = -1, .per_host = 2};
    atomic_store(&A->rules, &own);
    atomic_store(&B->rules, &none);
    ask(A);
    ask(B);
    cw_host_pacer_set_delay(pacer, 0);
    cr_expect_eq(pause_of(A), 250 * MS);
    cr_expect_eq(pause_of(B), 0);
}

Test(pacer_steer, what_a_host_asks_for_holds_whatever_the_delay)
{
    create(false);
    ask(A);
    cw_host_pacer_crawl_delay(pacer, A, 5000 * MS);
    cr_expect_eq(cw_host_steer_delay(A, 0), CRAWL_OK);
    cr_expect_eq(pause_of(A), 5000 * MS);
}
