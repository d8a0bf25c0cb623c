/* Turns: one worker alone has a place, and waiting ones are next; the time of the last request is passed on, even if
 * the worker has died; and a message about an earlier turn does not end another. */
#include "tests/unit/shared/protocol_help.h"

#include "base/clock.h"
#include "shared/store/joint.h"
#include "shared/store/turns.h"

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

/* Wants the turns of all these places. Returns how many of them there are. */
static size_t want_all(crawl_frontier *frontier, unsigned places)
{
    size_t had = 0;
    for (unsigned i = 0; i < places; i++) {
        char name[24];
        int64_t wait_us;
        snprintf(name, sizeof name, "192.0.2.%u", i);
        had += crawl_frontier_shared_turn(frontier, crawl_slice_from(name), 0, false, &wait_us) == CRAWL_OK;
    }
    return had;
}

/* Each answer comes so late that all places told before are due again. */
Test(shared_turns, of_more_places_than_a_call_has_room_for_none_is_left_out)
{
    enum { CALLS = 3, PLACES = CALLS * CW_SHARED_TURNS_MAX, LATE_US = 201 * 1000 };
    static crawl_frontier frontier;
    static cw_joint_turns turns;
    cw_joint joint = {.frontier = &frontier, .is_up = true, .turns = &turns, .shared = pair.a.shared};
    pthread_mutex_init(&frontier.lock, NULL);
    frontier.store.kind = cw_joint_kind;
    frontier.store.self = &joint;
    for (int i = 0; i < CALLS; i++) {
        cr_expect_eq(want_all(&frontier, PLACES), (size_t)i * CW_SHARED_TURNS_MAX);
        cw_joint_turns_tell(&joint, cw_clock_us(CLOCK_BOOTTIME) + (int64_t)i * LATE_US);
        while (turns.count)
            event_base_loop(pair.base, EVLOOP_ONCE);
    }
    cr_expect_eq(want_all(&frontier, PLACES), PLACES);
    cw_joint_turns_free(&turns);
    pthread_mutex_destroy(&frontier.lock);
}
