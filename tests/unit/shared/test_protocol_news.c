/* Tests news of hosts that can be taken: a push reports a host that could not be taken before, and no other; the end of
 * a session reports when its host can be taken. */
#include "tests/unit/shared/protocol_help.h"

TestSuite(shared_news, .init = open_joined_pair, .fini = close_sound_pair);

static bool brings_news(worker *w, const char *url, int64_t at_ms)
{
    bool has_news;
    push_with_news(w, url, 1, at_ms, &has_news);
    return has_news;
}

Test(shared_news, a_push_tells_of_hosts_that_nobody_knew_of)
{
    taken t = {0};
    cr_expect(brings_news(&pair.a, "h/1", 0));
    cr_expect_not(brings_news(&pair.a, "h/1", 0), "it was seen");
    cr_expect_not(brings_news(&pair.b, "h/2", 0), "the host could be taken before");
    cr_assert(take_host(&pair.a, "h", 9, &t));
    cr_expect_not(brings_news(&pair.b, "h/3", 0), "a worker has the host");
    cr_expect(brings_news(&pair.b, "other/1", START_MS + 500));
    cr_expect(brings_news(&pair.b, "other/2", 0), "it can be taken sooner");
    cw_shared_write write = write_of("h", &t);
    write.is_end = true;
    cr_assert(write_it(&pair.a, &write, &t));
    crawl_buf_free(&t.items);
}

static void on_ended(void *user, const cw_shared_written *said)
{
    taken *t = user;
    t->next_ms = said->open_ms;
    on_written(user, said);
}

/* Ends the session, whose first request was sent. Returns when the host may be taken. */
static int64_t end_session(taken *t, int64_t open_ms)
{
    const cw_shared_change change = {.how = CW_SHARED_FINISHED, .id = t->first_id};
    cw_shared_write write = write_of("h", t);
    write.changes = &change;
    write.change_count = 1;
    write.open_ms = open_ms;
    write.is_end = true;
    cr_assert_eq(cw_shared_write_session(pair.a.shared, &write, on_ended, t), CRAWL_OK);
    event_base_dispatch(pair.base);
    return t->next_ms;
}

Test(shared_news, the_end_of_a_session_tells_when_its_host_can_be_taken)
{
    taken t = {0};
    push_one(&pair.b, "h/1", 1);
    push_one(&pair.b, "h/2", 1);
    push_at(&pair.b, "h/3", 1, START_MS + 900);
    cr_assert(take_host(&pair.a, "h", 1, &t));
    cr_expect_eq(end_session(&t, START_MS + 100), START_MS + 100);
    set_now(100);
    cr_assert(take_host(&pair.a, "h", 9, &t));
    cr_expect_str_eq(t.items.data, "h/2 ");
    cr_expect_eq(end_session(&t, START_MS + 200), START_MS + 900, "what is left has a date");
    set_now(900);
    cr_assert(take_host(&pair.a, "h", 9, &t));
    cr_expect_eq(end_session(&t, START_MS + 1000), -1, "nothing is left");
    crawl_buf_free(&t.items);
}

/* Seeks the host. Returns true if the worker got it; otherwise the host is left to it for a moment once it may be
 * asked. */
static bool is_sought(worker *w, taken *t)
{
    t->base = pair.base;
    t->count = 0;
    cr_assert_eq(cw_shared_seek(w->shared, crawl_slice_from("h"), 9, 0, on_taken, t), CRAWL_OK);
    event_base_dispatch(pair.base);
    return t->count;
}

static bool is_wanted(worker *w, const taken *t)
{
    cw_shared_hold hold = {.origin = crawl_slice_from("h"), .token = t->token};
    answered a = {.base = pair.base};
    cr_assert_eq(cw_shared_renew(w->shared, &hold, 1, 0, on_answered, &a), CRAWL_OK);
    event_base_dispatch(pair.base);
    cr_expect_not(hold.is_lost);
    return hold.is_wanted;
}

Test(shared_news, a_host_that_is_sought_is_left_to_who_seeks_it)
{
    taken had = {0}, t = {0};
    push_one(&pair.a, "h/1", 1);
    push_one(&pair.a, "h/2", 1);
    push_one(&pair.a, "h/3", 1);
    cr_assert(take_host(&pair.a, "h", 1, &had));
    cr_expect_not(is_wanted(&pair.a, &had));
    cr_expect_not(is_sought(&pair.b, &t), "another worker has it");
    cr_expect(is_wanted(&pair.a, &had));
    end_session(&had, START_MS + 100);
    set_now(100);
    cr_expect_not(take_host(&pair.a, "h", 1, &t));
    cr_assert(is_sought(&pair.b, &t));
    cr_expect_not(is_wanted(&pair.b, &t), "nobody seeks it any more");
    end_session(&t, START_MS + 200);
    cr_expect_not(is_sought(&pair.b, &t), "its pause is not over");
    set_now(200);
    cr_expect_not(take_host(&pair.a, "h", 1, &t));
    set_now(1000);
    cr_expect(take_host(&pair.a, "h", 1, &t), "whoever sought it did not come");
    crawl_buf_free(&had.items);
    crawl_buf_free(&t.items);
}
