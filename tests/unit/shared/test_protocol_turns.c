/* Turns: one worker alone has a place, and waiting ones are next; the time of the last request is passed on, even if
 * the worker has died; and a message about an earlier turn does not end another. */
#include "tests/unit/shared/protocol_help.h"

TestSuite(shared_turns, .init = open_pair, .fini = close_sound_pair);

static cw_shared_turn say(worker *w, cw_shared_turn turn)
{
    answered said = {.base = w->base};
    turn.place = crawl_slice_from("192.0.2.1");
    cr_assert_eq(cw_shared_take_turns(w->shared, &turn, 1, 0, on_answered, &said), CRAWL_OK);
    event_base_dispatch(w->base);
    cr_assert_eq(said.fault, CRAWL_REDIS_OK, "%s", said.words);
    return turn;
}

static cw_shared_turn want(worker *w, uint64_t number)
{
    return say(w, (cw_shared_turn){.number = number, .is_wanted = true, .ago_ms = -1});
}

static cw_shared_turn give(worker *w, uint64_t number, int64_t ago_ms)
{
    return say(w, (cw_shared_turn){.number = number, .ago_ms = ago_ms});
}

Test(shared_turns, one_has_it_and_the_next_waits)
{
    cw_shared_turn turn = want(&pair.a, 0);
    cr_expect(turn.is_had);
    cr_expect_eq(turn.until_us, LEASE_MS * 900);
    cr_expect_eq(turn.quiet_ms, START_MS, "nobody has asked");
    cr_expect_not(turn.is_waited_for);
    cr_expect_not(want(&pair.b, 0).is_had);
    cr_expect(want(&pair.a, 0).is_waited_for);
    set_now(100);
    cr_expect_not(give(&pair.a, 0, 30).is_had);
    cr_expect_not(want(&pair.a, 1).is_had, "another one was first");
    turn = want(&pair.b, 0);
    cr_expect(turn.is_had);
    cr_expect_eq(turn.quiet_ms, 30);
}

Test(shared_turns, one_that_waits_no_more_keeps_nobody)
{
    (void)want(&pair.a, 0);
    (void)want(&pair.b, 0);
    (void)give(&pair.a, 0, -1);
    set_now(999);
    cr_expect_not(want(&pair.a, 1).is_had);
    set_now(1000);
    cr_expect(want(&pair.a, 1).is_had);
}

Test(shared_turns, one_of_a_dead_worker_ends_with_its_lease)
{
    (void)want(&pair.a, 0);
    set_now(LEASE_MS - 1);
    cr_expect_not(want(&pair.b, 0).is_had);
    set_now(LEASE_MS + 5);
    cw_shared_turn turn = want(&pair.b, 0);
    cr_expect(turn.is_had);
    cr_expect_eq(turn.quiet_ms, 5, "it may have asked until then");
}

Test(shared_turns, a_late_word_does_not_end_the_next_turn)
{
    (void)want(&pair.a, 0);
    (void)give(&pair.a, 0, -1);
    cr_expect(want(&pair.a, 1).is_had);
    (void)give(&pair.a, 0, -1);
    cr_expect_not(want(&pair.b, 0).is_had);
    cr_expect(want(&pair.a, 1).is_had);
}
