/* Runs: requests for a later run stay until one in which they are due, whichever worker asks; all workers present at
 * once have one date; and requests that are not due do not delay the end. */
#include "tests/unit/shared/protocol_help.h"

TestSuite(shared_runs, .init = open_joined_pair, .fini = close_sound_pair);

/* Returns the date of the run, as the worker knows it then. */
static int64_t run(worker *w, bool takes_part)
{
    answered said = {.base = w->base};
    cr_assert_eq(cw_shared_run(w->shared, takes_part, on_answered, &said), CRAWL_OK);
    event_base_dispatch(w->base);
    cr_assert_eq(said.fault, CRAWL_REDIS_OK, "%s", said.words);
    return cw_shared_run_date(w->shared);
}

/* Takes the host, and ends the session with its one request for a later run. */
static void visit(worker *w, const char *host, int64_t next_ms, taken *t)
{
    cr_assert(take_host(w, host, 10, t));
    crawl_slice bytes = crawl_slice_of(t->items.data, strcspn(t->items.data, " "));
    const cw_shared_change change = {
        .how = CW_SHARED_LATER, .id = t->first_id, .at_ms = next_ms, .level = 7, .bytes = bytes};
    cw_shared_write write = write_of(host, t);
    write.changes = &change;
    write.change_count = 1;
    write.is_end = true;
    cr_assert(write_it(w, &write, t));
}

Test(shared_runs, all_that_are_there_at_once_have_one_date)
{
    cr_expect_eq(cw_shared_run_date(pair.a.shared), 0);
    cr_expect_eq(run(&pair.a, true), START_MS);
    set_now(900);
    cr_expect_eq(run(&pair.b, true), START_MS);
    set_now(1500); /* the other one has not confirmed it in time */
    cr_expect_eq(run(&pair.b, true), START_MS);
    (void)run(&pair.b, false);
    cr_expect_eq(run(&pair.a, true), START_MS + 1500);
    set_now(1600);
    cr_expect_eq(run(&pair.b, true), START_MS + 1500);
    set_now(1000); /* clocks of servers may differ: a date never goes back */
    (void)run(&pair.a, false);
    (void)run(&pair.b, false);
    cr_expect_eq(run(&pair.a, true), START_MS + 1500);
}

Test(shared_runs, what_is_later_waits_for_a_run_in_which_it_is_due)
{
    taken t = {0};
    (void)run(&pair.a, true);
    cr_expect_eq(push_one(&pair.a, "h/1", 1), CW_SHARED_QUEUED);
    cr_expect_eq(push_one(&pair.a, "i/1", 1), CW_SHARED_QUEUED);
    visit(&pair.a, "h", START_MS + 5000, &t);
    visit(&pair.a, "i", 0, &t); /* requests already due are also for another run */
    cw_shared_look look = look_at(&pair.a);
    cr_expect(look.is_drained);
    cr_expect_eq(look.figures.later, 2);
    cr_expect_eq(look.figures.queued, 0);
    set_now(9000); /* it is due, and the run is still the earlier one */
    cr_expect_eq(run(&pair.b, false), 0);
    cr_expect_not(take_host(&pair.a, "h", 10, &t));
    cr_expect_not(take_host(&pair.a, "i", 10, &t));
    expect_sound(&pair.a);
    cr_expect(look_at(&pair.a).is_drained);

    cr_expect_eq(run(&pair.b, true), START_MS + 9000);
    cr_expect_not(look_at(&pair.b).is_drained);
    cr_expect(take_host(&pair.b, "h", 10, &t));
    cr_expect_str_eq(t.items.data, "h/1 ");
    cr_expect(take_host(&pair.b, "i", 10, &t));
    cr_expect_str_eq(t.items.data, "i/1 ");
    look = look_at(&pair.b);
    cr_expect_not(look.is_drained);
    cr_expect_eq(look.figures.later, 0);
    cr_expect_eq(look.figures.held, 2);
    crawl_buf_free(&t.items);
}

/* Requests of a host that wait are moved in parts, each once. */
Test(shared_runs, a_host_with_many_of_them)
{
    enum { MANY = 700, AT_ONCE = 90 }; /* a check names 100 requests of a partition at most */
    taken t = {0};
    size_t given = 0;
    (void)run(&pair.a, true);
    for (unsigned i = 0; i < MANY; i++) {
        char url[20];
        snprintf(url, sizeof url, "h/%u", i);
        cr_assert_eq(push_one(&pair.a, url, 1), CW_SHARED_QUEUED);
        visit(&pair.a, "h", START_MS + 1 + i, &t);
    }
    set_now(10000);
    (void)run(&pair.a, true);
    for (unsigned turns = 0; given < MANY && turns < 20; turns++) {
        cr_assert(take_host(&pair.a, "h", AT_ONCE, &t));
        expect_sound(&pair.a);
        cw_shared_change changes[AT_ONCE];
        cw_shared_write write = write_of("h", &t);
        for (const char *at = t.items.data; (at = strchr(at, ' ')); at++, write.change_count++)
            changes[write.change_count] =
                (cw_shared_change){.how = CW_SHARED_FINISHED, .id = t.first_id + write.change_count};
        given += write.change_count;
        write.changes = changes;
        write.is_end = true;
        cr_assert(write_it(&pair.a, &write, &t));
    }
    cr_expect_eq(given, MANY);
    cr_expect(look_at(&pair.a).is_drained);
    crawl_buf_free(&t.items);
}
