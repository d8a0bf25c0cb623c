/* Runs: what is for a later one stays until there is one in which it is due, whoever asks; all that are there at once
 * have one date; and what is not due keeps nobody from the end. */
#include "tests/unit/shared/protocol_help.h"

typedef struct setting {
    server server;
    struct event_base *base;
    worker a, b;
} setting;

static void set_up(setting *s)
{
    start_server(&s->server);
    s->base = event_base_new();
    start_worker(&s->a, s->base, &s->server, worker_options("a"));
    start_worker(&s->b, s->base, &s->server, worker_options("b"));
}

static void take_down(setting *s)
{
    expect_sound(&s->a);
    stop_worker(&s->a);
    stop_worker(&s->b);
    stop_loop(s->base);
    stop_server(&s->server);
}

static void set_now(setting *s, int64_t now_ms)
{
    cw_shared_set_now(s->a.shared, now_ms);
    cw_shared_set_now(s->b.shared, now_ms);
}

/* The date of the run, as the worker knows it then. */
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
    setting s = {0};
    set_up(&s);
    cr_expect_eq(cw_shared_run_date(s.a.shared), 0);
    cr_expect_eq(run(&s.a, true), START_MS);
    set_now(&s, START_MS + 900);
    cr_expect_eq(run(&s.b, true), START_MS);
    set_now(&s, START_MS + 1500); /* the other one has not said so again in time */
    cr_expect_eq(run(&s.b, true), START_MS);
    (void)run(&s.b, false);
    cr_expect_eq(run(&s.a, true), START_MS + 1500);
    set_now(&s, START_MS + 1600);
    cr_expect_eq(run(&s.b, true), START_MS + 1500);
    set_now(&s, START_MS + 1000); /* clocks of servers may differ: a date never goes back */
    (void)run(&s.a, false);
    (void)run(&s.b, false);
    cr_expect_eq(run(&s.a, true), START_MS + 1500);
    take_down(&s);
}

Test(shared_runs, what_is_later_waits_for_a_run_in_which_it_is_due)
{
    setting s = {0};
    taken t = {0};
    set_up(&s);
    (void)run(&s.a, true);
    cr_expect_eq(push_one(&s.a, "h/1", 1), CW_SHARED_QUEUED);
    cr_expect_eq(push_one(&s.a, "i/1", 1), CW_SHARED_QUEUED);
    visit(&s.a, "h", START_MS + 5000, &t);
    visit(&s.a, "i", 0, &t); /* also what is due already is for another run */
    cw_shared_look look = look_at(&s.a);
    cr_expect(look.is_drained);
    cr_expect_eq(look.figures.later, 2);
    cr_expect_eq(look.figures.queued, 0);
    set_now(&s, START_MS + 9000); /* it is due, and the run is still that of before */
    cr_expect_eq(run(&s.b, false), 0);
    cr_expect_not(take_host(&s.a, "h", 10, &t));
    cr_expect_not(take_host(&s.a, "i", 10, &t));
    expect_sound(&s.a);
    cr_expect(look_at(&s.a).is_drained);

    cr_expect_eq(run(&s.b, true), START_MS + 9000);
    cr_expect_not(look_at(&s.b).is_drained);
    cr_expect(take_host(&s.b, "h", 10, &t));
    cr_expect_str_eq(t.items.data, "h/1 ");
    cr_expect(take_host(&s.b, "i", 10, &t));
    cr_expect_str_eq(t.items.data, "i/1 ");
    look = look_at(&s.b);
    cr_expect_not(look.is_drained);
    cr_expect_eq(look.figures.later, 0);
    cr_expect_eq(look.figures.held, 2);
    crawl_buf_free(&t.items);
    take_down(&s);
}

/* They go from one place to the other a part at a time, each once. */
Test(shared_runs, a_host_with_many_of_them)
{
    enum { MANY = 700, AT_ONCE = 100 };
    setting s = {0};
    taken t = {0};
    size_t given = 0;
    set_up(&s);
    (void)run(&s.a, true);
    for (unsigned i = 0; i < MANY; i++) {
        char url[20];
        snprintf(url, sizeof url, "h/%u", i);
        cr_assert_eq(push_one(&s.a, url, 1), CW_SHARED_QUEUED);
        visit(&s.a, "h", START_MS + 1 + i, &t);
    }
    set_now(&s, START_MS + 10000);
    (void)run(&s.a, true);
    for (unsigned turns = 0; given < MANY && turns < 20; turns++) {
        cr_assert(take_host(&s.a, "h", AT_ONCE, &t));
        expect_sound(&s.a);
        cw_shared_change changes[AT_ONCE];
        cw_shared_write write = write_of("h", &t);
        for (const char *at = t.items.data; (at = strchr(at, ' ')); at++, write.change_count++)
            changes[write.change_count] =
                (cw_shared_change){.how = CW_SHARED_FINISHED, .id = t.first_id + write.change_count};
        given += write.change_count;
        write.changes = changes;
        write.is_end = true;
        cr_assert(write_it(&s.a, &write, &t));
    }
    cr_expect_eq(given, MANY);
    cr_expect(look_at(&s.a).is_drained);
    crawl_buf_free(&t.items);
    take_down(&s);
}
