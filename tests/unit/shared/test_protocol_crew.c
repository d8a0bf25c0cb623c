/* Reports of workers: who is alive, the work of each, and the sum, which loses nothing and counts nothing twice. */
#include "tests/unit/shared/protocol_help.h"

enum { SEEN_FOR_MS = 15000, ROWS = 256 };

TestSuite(shared_crew, .init = open_pair, .fini = close_pair);

/* ---- sending ---- */

typedef struct told {
    struct event_base *base;
    cw_shared_reported said;
} told;

static void on_told(void *user, const cw_shared_reported *said)
{
    told *t = user;
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    t->said = *said;
    event_base_loopbreak(t->base);
}

static crawl_shared_report report_of(uint64_t pages)
{
    return (crawl_shared_report){.started_ms = START_MS - 5000,
                                 .pages = pages,
                                 .failures = 2,
                                 .bytes = 100 * pages,
                                 .received = 50 * pages,
                                 .running = 3,
                                 .hosts = 4,
                                 .pages_per_s = 1.25,
                                 .version = "0.1 test"};
}

static cw_shared_reported tell_as(worker *w, uint64_t pages, cw_shared_state state)
{
    told t = {.base = w->base};
    crawl_shared_report report = report_of(pages);
    cr_assert_eq(cw_shared_report(w->shared, &report, state, on_told, &t), CRAWL_OK);
    event_base_dispatch(w->base);
    return t.said;
}

/* Returns false if it was forgotten. */
static bool tell(worker *w, uint64_t pages, bool has_told, bool is_end)
{
    return !tell_as(w, pages, (cw_shared_state){.has_told = has_told, .is_end = is_end}).was_forgotten;
}

/* ---- reading ---- */

typedef struct crew_read {
    struct event_base *base;
    crawl_shared_crew crew;
} crew_read;

static void on_crew(void *user, crawl_redis_fault fault, const char *words, crawl_shared_crew *crew)
{
    crew_read *m = user;
    cr_assert_eq(fault, CRAWL_REDIS_OK, "%s", words);
    m->crew = *crew;
    event_base_loopbreak(m->base);
}

static crawl_shared_crew crew_of(worker *w)
{
    crew_read m = {.base = w->base};
    cr_assert_eq(cw_shared_read_crew(w->shared, on_crew, &m), CRAWL_OK);
    event_base_dispatch(w->base);
    return m.crew;
}

static void expect_total(worker *w, uint64_t pages)
{
    crawl_shared_crew crew = crew_of(w);
    cr_expect_eq(crew.total.pages, pages, "%lu pages in place of %lu", (unsigned long)crew.total.pages,
                 (unsigned long)pages);
    crawl_shared_crew_free(&crew);
}

/* ---- tests ---- */

Test(shared_crew, each_worker_and_the_sum)
{
    cr_expect(tell(&pair.a, 10, false, false));
    cr_expect(tell(&pair.a, 30, true, false));
    cr_expect(tell(&pair.b, 5, false, false));
    crawl_shared_crew crew = crew_of(&pair.b);
    cr_assert_eq(crew.process_count, 2);
    const crawl_shared_process *a = &crew.processes[0];
    cr_expect_str_eq(a->name.data, "a");
    cr_expect_eq(a->until_ms, START_MS + SEEN_FOR_MS);
    cr_expect(a->report.is_known);
    cr_expect_eq(a->report.told_ms, START_MS);
    cr_expect_eq(a->report.started_ms, START_MS - 5000);
    cr_expect_eq(a->report.pages, 30);
    cr_expect_eq(a->report.failures, 2);
    cr_expect_eq(a->report.bytes, 3000);
    cr_expect_eq(a->report.received, 1500);
    cr_expect_eq(a->report.running, 3);
    cr_expect_eq(a->report.hosts, 4);
    cr_expect_eq(a->report.pages_per_s, 1.25);
    cr_expect_str_eq(a->report.version, "0.1 test");
    cr_expect_eq(crew.total.pages, 35);
    cr_expect_eq(crew.total.received, 1750);
    cr_expect_eq(crew.total.running, 6);
    cr_expect_eq(crew.total.pages_per_s, 2.5);
    crawl_shared_crew_free(&crew);
}

Test(shared_crew, those_that_are_gone_stay_in_the_sum)
{
    cr_expect(tell(&pair.a, 10, false, false));
    cr_expect(tell(&pair.b, 5, false, false));
    cr_expect(tell(&pair.b, 7, true, true));
    pair.b.shared->now_ms = START_MS + SEEN_FOR_MS + 1;
    crawl_shared_crew crew = crew_of(&pair.b);
    cr_assert_eq(crew.process_count, 2);
    for (size_t i = 0; i < 2; i++)
        cr_expect_leq(crew.processes[i].until_ms, crew.now_ms, "%s is alive", crew.processes[i].name.data);
    cr_expect_not(crew.processes[0].has_ended);
    cr_expect(crew.processes[1].has_ended);
    cr_expect_eq(crew.total.pages, 17);
    cr_expect_eq(crew.total.running, 0);
    cr_expect_eq(crew.total.hosts, 0);
    crawl_shared_crew_free(&crew);
}

/* Adds so many workers that are gone that the first one is dropped. */
static void fill_rows(void)
{
    for (int i = 0; i < ROWS; i++) {
        char name[16];
        worker one;
        snprintf(name, sizeof name, "w%d", i);
        start_worker(&one, pair.base, &pair.server, worker_options(name));
        one.shared->now_ms = START_MS + SEEN_FOR_MS + 1 + i;
        tell(&one, 1, false, true);
        stop_worker(&one);
    }
}

Test(shared_crew, rows_are_bounded_and_the_sum_is_right)
{
    cr_expect(tell(&pair.a, 1000, false, false));
    fill_rows();
    pair.b.shared->now_ms = START_MS + SEEN_FOR_MS + 1 + ROWS;
    crawl_shared_crew crew = crew_of(&pair.b);
    cr_expect_eq(crew.process_count, ROWS);
    cr_expect_eq(crew.forgotten, 1);
    cr_expect_eq(crew.total.pages, 1000 + ROWS);
    cr_expect_eq(crew.total.received, 50 * (1000 + ROWS));
    for (size_t i = 0; i < crew.process_count; i++)
        cr_expect_str_neq(crew.processes[i].name.data, "a");
    crawl_shared_crew_free(&crew);
    /* The worker was only stopped: its new report covers the time since. */
    pair.a.shared->now_ms = START_MS + SEEN_FOR_MS + 1 + ROWS;
    cr_expect_not(tell(&pair.a, 1001, true, false));
    expect_total(&pair.b, 1000 + ROWS);
    cr_expect(tell(&pair.a, 1, false, false));
    expect_total(&pair.b, 1001 + ROWS);
}

Test(shared_crew, the_living_are_never_added_up)
{
    pair.a.shared->now_ms = START_MS + 2 * SEEN_FOR_MS;
    cr_expect(tell(&pair.a, 1000, false, false));
    fill_rows();
    cr_expect(tell(&pair.a, 1001, true, false));
    pair.b.shared->now_ms = START_MS + 2 * SEEN_FOR_MS;
    crawl_shared_crew crew = crew_of(&pair.b);
    cr_expect_eq(crew.forgotten, 1);
    cr_expect_eq(crew.total.pages, 1001 + ROWS);
    crawl_shared_crew_free(&crew);
}

static void expect_others(cw_shared_reported said, uint64_t alive, uint64_t idle)
{
    cr_expect_not(said.was_forgotten);
    cr_expect_eq(said.alive, alive, "%lu are alive", (unsigned long)said.alive);
    cr_expect_eq(said.idle, idle, "%lu are idle", (unsigned long)said.idle);
}

/* Each worker is told how many others are idle, without itself and without those that have a host by now, have ended,
 * or are gone. */
Test(shared_crew, who_is_idle)
{
    const cw_shared_state idle = {.is_idle = true};
    expect_others(tell_as(&pair.a, 1, idle), 1, 0);
    expect_others(tell_as(&pair.b, 1, idle), 2, 1);
    expect_others(tell_as(&pair.a, 1, (cw_shared_state){.has_told = true}), 2, 1);
    expect_others(tell_as(&pair.b, 1, idle), 2, 0);
    expect_others(tell_as(&pair.b, 1, (cw_shared_state){.is_idle = false, .is_end = true}), 1, 0);
    expect_others(tell_as(&pair.b, 1, idle), 2, 0);
    pair.a.shared->now_ms = START_MS + SEEN_FOR_MS + 1;
    expect_others(tell_as(&pair.a, 1, (cw_shared_state){0}), 1, 0);
}

Test(shared_crew, what_others_have_written_is_read_without_harm)
{
    cr_assert_eq(crawl_redis_send_texts(pair.b.redis, NULL, NULL, "HSET", "{test}:reports", "x", "", "y",
                                        "1 0 -5 nonsense", "z", "1 1 1 99999999999999999999999999 7", NULL),
                 CRAWL_OK);
    crawl_shared_crew crew = crew_of(&pair.b);
    cr_assert_eq(crew.process_count, 3);
    cr_expect_eq(crew.total.pages, 0);
    cr_expect_eq(crew.total.failures, 7);
    crawl_shared_crew_free(&crew);
}
