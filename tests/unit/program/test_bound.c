/* The bound of a crawl: the verdict on figures, as a table; the host that represents it; and the texts. */
#include "crawler/engine/bound.h"
#include "crawler/program/summary/report.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { NOW = 1000 };

typedef struct row {
    const char *when;
    uint64_t ready, paused, busy, blocked, dated;
    int64_t due_ms;
    uint64_t running, resolving;
    double processor, disk;
    crawl_bound bound;
} row;

static const row rows[] = {
    {"nothing at all", 0, 0, 0, 0, 0, CRAWL_FOREVER, 0, 0, 0, 0, CRAWL_BOUND_NOTHING},
    {"work, and room for it", 3, 9, 9, 9, 9, NOW + 5, 7, 0, 0.5, 0.2, CRAWL_BOUND_NOTHING},
    {"work, and all connections in use", 3, 9, 9, 9, 0, NOW + 5, 8, 0, 0.5, 0, CRAWL_BOUND_CONNECTIONS},
    {"a pause is over, and nobody could ask", 0, 9, 0, 0, 0, NOW, 8, 0, 0, 0, CRAWL_BOUND_CONNECTIONS},
    {"all in use, but no host would get another", 0, 0, 4, 0, 0, CRAWL_FOREVER, 8, 0, 0, 0, CRAWL_BOUND_PER_HOST},
    {"all in use for names", 3, 0, 0, 0, 0, NOW, 8, 5, 0, 0, CRAWL_BOUND_NAMES},
    {"half of them are not most", 3, 0, 0, 0, 0, NOW, 8, 4, 0, 0, CRAWL_BOUND_CONNECTIONS},
    {"hosts wait for their own names", 0, 0, 3, 0, 0, CRAWL_FOREVER, 3, 3, 0, 0, CRAWL_BOUND_NAMES},
    {"pauses", 0, 3, 0, 0, 0, NOW + 1, 0, 0, 0, 0, CRAWL_BOUND_PAUSES},
    {"pauses, if any, before later visits", 0, 1, 0, 0, 1000, NOW + 1, 0, 0, 0, 0, CRAWL_BOUND_PAUSES},
    {"as many of each", 0, 2, 2, 2, 0, NOW + 1, 4, 0, 0, 0, CRAWL_BOUND_PAUSES},
    {"more of them busy", 0, 2, 3, 2, 0, NOW + 1, 3, 0, 0, 0, CRAWL_BOUND_PER_HOST},
    {"more of them blocked", 0, 2, 3, 4, 0, NOW + 1, 3, 0, 0, 0, CRAWL_BOUND_BLOCKS},
    {"later visits alone", 0, 0, 0, 0, 5, NOW + 9999, 0, 0, 0, 0, CRAWL_BOUND_DATES},
    {"answers before later visits", 0, 0, 0, 0, 5, NOW + 9999, 1, 0, 0, 0, CRAWL_BOUND_ANSWERS},
    {"the last answers", 0, 0, 0, 0, 0, CRAWL_FOREVER, 8, 0, 0, 0, CRAWL_BOUND_ANSWERS},
    {"the processor, whatever else", 0, 9, 9, 9, 0, NOW + 5, 8, 8, 0.85, 0.9, CRAWL_BOUND_PROCESSOR},
    {"nearly the processor", 0, 9, 0, 0, 0, NOW + 5, 0, 0, 0.84, 0, CRAWL_BOUND_PAUSES},
    {"the disk", 5, 9, 0, 0, 0, NOW + 5, 8, 0, 0.3, 0.5, CRAWL_BOUND_DISK},
};

static crawl_load load_of(const row *r)
{
    return (crawl_load){
        .frontier = {.hosts = {r->ready, r->paused, r->busy, r->blocked, r->dated}, .due_ms = r->due_ms},
        .now_ms = NOW,
        .running = r->running,
        .connections = 8,
        .resolving = r->resolving,
        .loops = 2,
        .processor = r->processor,
        .disk = r->disk,
    };
}

Test(bound, verdicts)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_load load = load_of(&rows[i]);
        crawl_bound bound = crawl_bound_of(&load);
        cr_expect_eq(bound, rows[i].bound, "%s: %s, expected %s", rows[i].when, crawl_bound_name(bound),
                     crawl_bound_name(rows[i].bound));
    }
}

Test(bound, a_pause_stands_before_all_and_being_held_before_the_rest)
{
    crawl_load load = load_of(&rows[sizeof rows / sizeof *rows - 1]);
    load.held = true;
    cr_expect_eq(crawl_bound_of(&load), CRAWL_BOUND_RECORDS);
    load.paused = true;
    cr_expect_eq(crawl_bound_of(&load), CRAWL_BOUND_PAUSED);
}

Test(bound, the_browser_binds_while_it_keeps_connections_idle)
{
    crawl_load load = {.frontier.hosts = {[CRAWL_STANDING_READY] = 1}, .running = 7, .connections = 8};
    load.rendering = true;
    cr_expect_eq(crawl_bound_of(&load), CRAWL_BOUND_BROWSER);
    load.running = 8;
    cr_expect_eq(crawl_bound_of(&load), CRAWL_BOUND_CONNECTIONS);
}

Test(bound, a_rate_binds_where_something_is_owed_or_half_of_the_transfers_are_held)
{
    crawl_load load = {.running = 4, .connections = 8, .rate = 2000000, .throttled = 1, .processor = 0.9};
    cr_expect_eq(crawl_bound_of(&load), CRAWL_BOUND_PROCESSOR);
    load.throttled = 2;
    cr_expect_eq(crawl_bound_of(&load), CRAWL_BOUND_RATE);
    load.throttled = 0;
    load.rate_owed_us = 1;
    cr_expect_eq(crawl_bound_of(&load), CRAWL_BOUND_RATE);
    load.held = true;
    cr_expect_eq(crawl_bound_of(&load), CRAWL_BOUND_RECORDS);
}

Test(bound, names)
{
    for (int bound = 0; bound < CRAWL_BOUND_COUNT; bound++)
        cr_expect_gt(strlen(crawl_bound_name((crawl_bound)bound)), 0);
    cr_expect_str_eq(crawl_bound_name(CRAWL_BOUND_COUNT), "");
}

static crawl_held_host held(const char *origin, crawl_standing standing, uint64_t queued, int64_t opens_ms)
{
    crawl_held_host host = {.standing = standing, .queued = queued, .opens_ms = opens_ms};
    snprintf(host.origin, sizeof host.origin, "%s", origin);
    return host;
}

static crawl_load load_of_three(void)
{
    crawl_load load = {.now_ms = NOW, .running = 2, .connections = 64, .loops = 2};
    load.frontier.hosts[CRAWL_STANDING_PAUSED] = 2;
    load.frontier.hosts[CRAWL_STANDING_BLOCKED] = 1;
    load.frontier.most_queued[0] = held("http://b.example", CRAWL_STANDING_BLOCKED, 5000, 61000);
    load.frontier.most_queued[1] = held("https://a.example:8443", CRAWL_STANDING_PAUSED, 1234, NOW + 200);
    load.frontier.most_queued[2] = held("http://c.example", CRAWL_STANDING_PAUSED, 1, NOW + 900);
    load.frontier.most_queued_count = 3;
    load.frontier.due = load.frontier.most_queued[1];
    load.frontier.due_ms = NOW + 200;
    return load;
}

Test(bound, the_host_is_one_that_binds)
{
    crawl_load load = load_of_three();
    cr_expect_str_eq(cw_engine_bound_host(&load, CRAWL_BOUND_PAUSES)->origin, "https://a.example:8443");
    cr_expect_str_eq(cw_engine_bound_host(&load, CRAWL_BOUND_BLOCKS)->origin, "http://b.example");
    cr_expect_null(cw_engine_bound_host(&load, CRAWL_BOUND_PER_HOST));
    cr_expect_null(cw_engine_bound_host(&load, CRAWL_BOUND_CONNECTIONS));
}

Test(bound, who_is_named_most_is_found_among_many)
{
    cw_engine_named named = {0};
    char origin[32];
    cr_expect_null(cw_engine_named_most(&named));
    for (int i = 0; i < 1000; i++) {
        snprintf(origin, sizeof origin, "http://h%d", i);
        cw_engine_named_add(&named, origin, 250);
        cw_engine_named_add(&named, "http://often", 250);
    }
    const cw_engine_named_host *most = cw_engine_named_most(&named);
    cr_assert_not_null(most);
    cr_expect_str_eq(most->origin, "http://often");
    cr_expect(most->ms <= 250000 && most->ms >= 250000 - 500000 / 9, "%lld", (long long)most->ms);
}

Test(bound, a_name_that_is_too_long_is_cut)
{
    cw_engine_named named = {0};
    char origin[2 * CRAWL_HELD_ORIGIN];
    memset(origin, 'a', sizeof origin - 1);
    origin[sizeof origin - 1] = '\0';
    cw_engine_named_add(&named, origin, 1);
    cr_expect_eq(strlen(cw_engine_named_most(&named)->origin), CRAWL_HELD_ORIGIN - 1);
}

/* --- the words --- */

static void expect_words(const crawl_load *load, crawl_bound bound, const char *expected)
{
    crawl_buf text = {0};
    cw_report_bound(load, bound, &text);
    cr_expect_str_eq(text.data ? text.data : "", expected);
    crawl_buf_free(&text);
}

Test(bound, words_of_hosts)
{
    crawl_load load = load_of_three();
    expect_words(
        &load, CRAWL_BOUND_PAUSES,
        "waiting for pauses of 2 hosts, 1 host to be asked again (next in 0.2 s; most queued: b.example (5000), "
        "a.example:8443 (1234), c.example (1))");
    load.frontier.hosts[CRAWL_STANDING_PAUSED] = 0;
    load.frontier.hosts[CRAWL_STANDING_BUSY] = 1;
    load.frontier.due = load.frontier.most_queued[0];
    load.frontier.due_ms = 61000;
    load.frontier.most_queued_count = 1;
    expect_words(
        &load, CRAWL_BOUND_BLOCKS,
        "waiting for answers of 1 host, 1 host to be asked again (b.example blocked until 1970-01-01T00:01:01Z, in 1 min 0 s; "
        "most queued: b.example (5000))");
    load.frontier.due_ms = CRAWL_FOREVER;
    expect_words(&load, CRAWL_BOUND_PER_HOST,
                 "waiting for answers of 1 host, 1 host to be asked again (most queued: b.example (5000))");
}

Test(bound, words_of_the_rest)
{
    crawl_load load = {
        .now_ms = NOW, .running = 1, .connections = 64, .resolving = 3, .loops = 2, .processor = 0.97, .disk = 0.7};
    load.frontier.due_ms = NOW + 7200000;
    expect_words(&load, CRAWL_BOUND_NOTHING, "");
    expect_words(&load, CRAWL_BOUND_DATES, "nothing due for 2 h 0 min");
    expect_words(&load, CRAWL_BOUND_ANSWERS, "waiting for 1 answer");
    expect_words(&load, CRAWL_BOUND_NAMES, "looking up 3 host names");
    expect_words(&load, CRAWL_BOUND_CONNECTIONS, "all 64 connections in use");
    expect_words(&load, CRAWL_BOUND_PROCESSOR, "processor: 2 workers 97% busy");
    expect_words(&load, CRAWL_BOUND_DISK, "disk: 70% of the time in the queue of --state");
    expect_words(&load, CRAWL_BOUND_PAUSED, "paused");
    expect_words(&load, CRAWL_BOUND_BROWSER, "waiting for the browser");
    load.throttled = 3;
    load.running = 4;
    expect_words(&load, CRAWL_BOUND_RATE, "3 of 4 transfers held by rate limits of hosts");
    load.rate = 2 << 20;
    load.rate_owed_us = 5;
    expect_words(&load, CRAWL_BOUND_RATE, "held to 2.0 MiB a second");
}

static void expect_summary(const crawl_bound_tally *tally, const char *expected)
{
    crawl_buf text = {0};
    cw_report_bound_tally(tally, &text);
    cr_expect_str_eq(text.data ? text.data : "", expected);
    crawl_buf_free(&text);
}

Test(bound, summary)
{
    crawl_bound_tally tally = {.host = "http://a.example", .host_ms = 5000};
    expect_summary(&(crawl_bound_tally){0}, "");
    tally.bound_ms[CRAWL_BOUND_CONNECTIONS] = 1200;
    tally.bound_ms[CRAWL_BOUND_PAUSES] = 8300;
    tally.bound_ms[CRAWL_BOUND_PROCESSOR] = 500;
    expect_summary(
        &tally,
        "  bound by  pauses of hosts 83% (mostly a.example), connections 12%, the processor 5%\n"
        "  hint      what would change it: a shorter --delay, where the hosts agree; a Crawl-delay and slow answers make "
        "pauses longer\n");
    tally.host_ms = 4000;
    tally.bound_ms[CRAWL_BOUND_CONNECTIONS] = 9000;
    expect_summary(&tally, "  bound by  connections 51%, pauses of hosts 47%, the processor 3%\n"
                           "  hint      what would change it: more --connections\n");
    tally = (crawl_bound_tally){0};
    tally.bound_ms[CRAWL_BOUND_ANSWERS] = 250;
    expect_summary(&tally, "  bound by  answers with nothing else queued 100%\n");
}
