/* Rates of bytes: how much arrives in a time set by the tests, which transfers are held and which continue, and
 * transfers held by a real fetcher. */
#include "fetch/throttle.h"

#include "tests/unit/fetch/fixture.h"

enum { SECOND = 1000000, READ = 16 * 1024 };

/* ---- a rate ---- */

Test(rate, what_has_come_is_owed_for_as_long_as_it_is_worth)
{
    crawl_fetch_rate *rate = crawl_fetch_rate_create(1000);
    cr_expect_eq(crawl_fetch_rate_owed_us(rate, SECOND), 0);
    crawl_fetch_rate_take(rate, 500, SECOND);
    cr_expect_eq(crawl_fetch_rate_owed_us(rate, SECOND), SECOND / 2);
    cr_expect_eq(crawl_fetch_rate_owed_us(rate, SECOND + SECOND / 4), SECOND / 4);
    cr_expect_eq(crawl_fetch_rate_owed_us(rate, 2 * SECOND), 0);
    crawl_fetch_rate_set(rate, 2000);
    crawl_fetch_rate_take(rate, 500, 3 * SECOND);
    cr_expect_eq(crawl_fetch_rate_owed_us(rate, 3 * SECOND), SECOND / 4);
    crawl_fetch_rate_set(rate, 0);
    cr_expect_eq(crawl_fetch_rate_owed_us(rate, 3 * SECOND), 0, "no limit");
    crawl_fetch_rate_take(rate, UINT64_MAX, 3 * SECOND);
    cr_expect_eq(crawl_fetch_rate_owed_us(NULL, 0), 0);
    crawl_fetch_rate_set(rate, 1);
    crawl_fetch_rate_take(rate, UINT64_MAX, 3 * SECOND);
    cr_expect_gt(crawl_fetch_rate_owed_us(rate, 3 * SECOND), 0, "nothing overflows");
    crawl_fetch_rate_free(rate);
}

/* Takes reads as soon as they may be taken, checking each `step_us`. Returns bytes. */
static uint64_t take_all(crawl_fetch_rate *rate, uint64_t read, int64_t from_us, int64_t to_us, int64_t step_us)
{
    uint64_t taken = 0;
    for (int64_t now = from_us; now < to_us; now += step_us)
        for (; !crawl_fetch_rate_owed_us(rate, now); taken += read)
            crawl_fetch_rate_take(rate, read, now);
    return taken;
}

Test(rate, is_exact_over_seconds)
{
    static const uint64_t rates[] = {999, 100000, 2000000, 1000000000};
    static const int64_t steps_us[] = {137, 10000, 50000};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (size_t k = 0; k < sizeof steps_us / sizeof *steps_us; k++) {
            crawl_fetch_rate *rate = crawl_fetch_rate_create(rates[i]);
            uint64_t read = rates[i] < READ ? 10 : READ;
            uint64_t taken = take_all(rate, read, SECOND, 11 * SECOND, steps_us[k]);
            cr_expect_leq(taken, rates[i] * 10 + rates[i] / 10 + read, "%lu: %lu", rates[i], taken);
            cr_expect_geq(taken, rates[i] * 10 - rates[i] / 10 - read, "%lu: %lu", rates[i], taken);
            crawl_fetch_rate_free(rate);
        }
}

Test(rate, an_idle_time_is_not_made_up_for)
{
    crawl_fetch_rate *rate = crawl_fetch_rate_create(1000000);
    crawl_fetch_rate_take(rate, READ, SECOND);
    cr_expect_leq(take_all(rate, READ, 61 * SECOND, 61 * SECOND + 1, 1), 100000 + READ);
    crawl_fetch_rate_free(rate);
}

/* ---- held transfers ---- */

typedef struct queue {
    struct event_base *base;
    struct event *timer;
    cw_fetch_throttle throttle;
    crawl_fetch_rate *all, *host;
} queue;

static void nothing(evutil_socket_t, short, void *)
{
}

static void open_queue(queue *q)
{
    *q = (queue){.base = event_base_new()};
    q->timer = evtimer_new(q->base, nothing, NULL);
    q->all = crawl_fetch_rate_create(READ);
    q->host = crawl_fetch_rate_create(READ / 4);
    cw_fetch_throttle_init(&q->throttle, q->timer);
}

static void close_queue(queue *q)
{
    event_free(q->timer);
    event_base_free(q->base);
    crawl_fetch_rate_free(q->all);
    crawl_fetch_rate_free(q->host);
}

Test(rate, a_rate_of_all_that_is_not_set_yet_limits_nobody)
{
    crawl_fetch_rate *all = crawl_fetch_rate_create(0);
    cw_fetch_hold hold;
    cw_fetch_hold_begin(&hold, all, NULL);
    cr_expect_not(cw_fetch_hold_is_limited(&hold), "so that nobody reads a clock for it");
    crawl_fetch_rate_set(all, 1000);
    cr_expect(cw_fetch_hold_is_limited(&hold));
    crawl_fetch_rate_set(all, 0);
    cr_expect_not(cw_fetch_hold_is_limited(&hold));
    crawl_fetch_rate_free(all);
}

Test(rate, those_that_are_held_go_on_in_their_order_as_the_rate_allows)
{
    enum { COUNT = 3 };
    queue q;
    cw_fetch_hold holds[COUNT];
    open_queue(&q);
    for (int i = 0; i < COUNT; i++)
        cw_fetch_hold_begin(&holds[i], q.all, NULL);
    cr_expect(cw_fetch_throttle_admits(&q.throttle, &holds[0], READ, SECOND));
    for (int i = 0; i < COUNT; i++)
        cr_expect_not(cw_fetch_throttle_admits(&q.throttle, &holds[i], READ, SECOND));
    cr_expect_eq(q.throttle.held, COUNT);
    cr_expect(evtimer_pending(q.timer, NULL), "somebody looks after them");
    cr_expect_null(cw_fetch_throttle_next(&q.throttle, 2 * SECOND - 1));
    cr_expect_eq(cw_fetch_throttle_next(&q.throttle, 2 * SECOND), &holds[0]);
    cr_expect_null(cw_fetch_throttle_next(&q.throttle, 2 * SECOND), "one second is worth one of them");
    cr_expect(cw_fetch_throttle_admits(&q.throttle, &holds[0], READ, 2 * SECOND), "its bytes are taken already");
    cr_expect_eq(crawl_fetch_rate_owed_us(q.all, 2 * SECOND), SECOND, "once");
    cr_expect_eq(holds[0].held_us, SECOND);
    cw_fetch_throttle_leave(&q.throttle, &holds[1]);
    cr_expect_eq(cw_fetch_throttle_next(&q.throttle, 3 * SECOND), &holds[2], "one that has ended waits no more");
    cr_expect_eq(q.throttle.held, 0);
    close_queue(&q);
}

Test(rate, a_host_that_has_its_fill_keeps_no_other_waiting)
{
    queue q;
    cw_fetch_hold slow, other;
    open_queue(&q);
    cw_fetch_hold_begin(&slow, q.all, q.host);
    cw_fetch_hold_begin(&other, q.all, NULL);
    cr_expect(cw_fetch_throttle_admits(&q.throttle, &slow, READ / 4, SECOND));
    cr_expect_not(cw_fetch_throttle_admits(&q.throttle, &slow, READ / 4, SECOND));
    cr_expect_not(cw_fetch_throttle_admits(&q.throttle, &other, READ / 4, SECOND));
    cr_expect_eq(cw_fetch_throttle_next(&q.throttle, SECOND + SECOND / 4), &other, "a quarter of the rate of all");
    cr_expect_null(cw_fetch_throttle_next(&q.throttle, SECOND + SECOND / 2));
    cr_expect_eq(cw_fetch_throttle_next(&q.throttle, 2 * SECOND), &slow, "all of that of its host");
    close_queue(&q);
}

/* Returns the time until the timer is due. */
static int64_t timer_us(const queue *q)
{
    struct timeval due = {0}, now;
    cr_assert(evtimer_pending(q->timer, &due));
    evutil_gettimeofday(&now, NULL);
    evutil_timersub(&due, &now, &due);
    return (int64_t)due.tv_sec * SECOND + due.tv_usec;
}

Test(rate, the_timer_of_a_slow_host_is_brought_forward_for_another)
{
    queue q;
    cw_fetch_hold slow, other;
    open_queue(&q);
    cw_fetch_hold_begin(&slow, NULL, q.host);
    cw_fetch_hold_begin(&other, NULL, q.all);
    cw_fetch_hold_take(&slow, READ, SECOND);
    cw_fetch_hold_take(&other, READ / 8, SECOND);
    cr_expect_not(cw_fetch_throttle_admits(&q.throttle, &slow, READ, SECOND));
    cr_expect_not(cw_fetch_throttle_admits(&q.throttle, &other, READ, SECOND));
    cr_expect_leq(timer_us(&q), SECOND / 8);
    cr_expect_eq(cw_fetch_throttle_next(&q.throttle, SECOND + SECOND / 8), &other);
    close_queue(&q);
}

/* ---- a fetcher ---- */

enum { TRANSFERS = 8, BODY = 64 * 1024 };

static void make_answer(crawl_buf *answer)
{
    cr_assert_eq(crawl_buf_printf(answer, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", BODY), CRAWL_OK);
    for (int i = 0; i < BODY; i++)
        cr_assert_eq(crawl_buf_append_char(answer, (char)('a' + i % 23)), CRAWL_OK);
}

/* 512 KiB at a MiB per second. Each transfer has less time than that and a minimum speed that it does not reach;
 * neither counts while it is held. */
Test(rate, transfers_are_read_as_the_rate_allows_and_none_for_too_long)
{
    crawl_buf answer = {0};
    make_answer(&answer);
    const script_answer answers[] = {{NULL, answer.data, answer.size, SCRIPT_KEEP, false}, {0}};
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    options.rate = crawl_fetch_rate_create(1 << 20);
    options.timeout_ms = 300;
    fixture f;
    outcome outcomes[TRANSFERS];
    fixture_open(&f, answers, &options);
    for (int i = 0; i < TRANSFERS; i++)
        fixture_start(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &outcomes[i]);
    const crawl_slice body = crawl_slice_of(answer.data + answer.size - BODY, BODY);
    double longest_ms = 0;
    for (int i = 0; i < TRANSFERS; i++) {
        fixture_wait(&f, &outcomes[i]);
        expect_error(&outcomes[i], CRAWL_FETCH_OK);
        cr_expect(crawl_slice_equal(crawl_buf_slice(&outcomes[i].body), body));
        longest_ms = outcomes[i].elapsed_ms > longest_ms ? outcomes[i].elapsed_ms : longest_ms;
        crawl_buf_free(&outcomes[i].body);
    }
    cr_expect_gt(longest_ms, 300, "they had to wait");
    fixture_close(&f);
    crawl_fetch_rate_free(options.rate);
    crawl_buf_free(&answer);
}

/* The answer ends 1 byte early. Without a time limit, only its speed can end it. */
Test(rate, one_that_was_held_and_then_stalls_is_too_slow, .timeout = 20)
{
    crawl_buf answer = {0};
    make_answer(&answer);
    const script_answer answers[] = {{NULL, answer.data, answer.size - 1, SCRIPT_HOLD, false}, {0}};
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    options.rate = crawl_fetch_rate_create(BODY);
    options.timeout_ms = 0;
    options.low_speed_ms = 1000;
    options.low_speed_bytes = 1 << 30;
    crawl_fetcher_stats stats = {0};
    fixture f;
    outcome o;
    fixture_open(&f, answers, &options);
    fixture_start(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &o);
    while (!stats.held) {
        event_base_loop(f.base, EVLOOP_ONCE);
        crawl_fetcher_stats_get(f.fetcher, &stats);
    }
    fixture_wait(&f, &o);
    expect_error(&o, CRAWL_FETCH_TIMEOUT);
    cr_expect_eq(o.body.size, BODY - 1, "it was read to where it stalls");
    crawl_buf_free(&o.body);
    fixture_close(&f);
    crawl_fetch_rate_free(options.rate);
    crawl_buf_free(&answer);
}

/* At the first rate the header alone is worth most of a minute. */
Test(rate, those_that_are_held_notice_another_rate, .timeout = 20)
{
    crawl_buf answer = {0};
    make_answer(&answer);
    const script_answer answers[] = {{NULL, answer.data, answer.size, SCRIPT_KEEP, false}, {0}};
    crawl_fetch_options options;
    crawl_fetch_options_init(&options, sizeof options);
    options.rate = crawl_fetch_rate_create(1);
    crawl_fetcher_stats stats = {0};
    fixture f;
    outcome outcomes[2];
    fixture_open(&f, answers, &options);
    for (int i = 0; i < 2; i++)
        fixture_start(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request)}, &outcomes[i]);
    while (stats.held < 2) {
        event_base_loop(f.base, EVLOOP_ONCE);
        crawl_fetcher_stats_get(f.fetcher, &stats);
    }
    crawl_fetch_rate_set(options.rate, 0);
    for (int i = 0; i < 2; i++) {
        fixture_wait(&f, &outcomes[i]);
        expect_error(&outcomes[i], CRAWL_FETCH_OK);
        crawl_buf_free(&outcomes[i].body);
    }
    fixture_close(&f);
    crawl_fetch_rate_free(options.rate);
    crawl_buf_free(&answer);
}

Test(rate, one_that_is_held_can_be_cancelled)
{
    crawl_buf answer = {0};
    make_answer(&answer);
    const script_answer answers[] = {{NULL, answer.data, answer.size, SCRIPT_KEEP, false}, {0}};
    crawl_fetch_rate *rate = crawl_fetch_rate_create(1);
    crawl_fetcher_stats stats = {0};
    fixture f;
    outcome o;
    fixture_open(&f, answers, NULL);
    fixture_start(&f, "/", (crawl_fetch_request){.size = sizeof(crawl_fetch_request), .rate = rate}, &o);
    while (!stats.held) {
        event_base_loop(f.base, EVLOOP_ONCE);
        crawl_fetcher_stats_get(f.fetcher, &stats);
    }
    cr_expect_eq(crawl_fetch_cancel(f.fetcher, o.id), CRAWL_OK);
    fixture_wait(&f, &o);
    expect_error(&o, CRAWL_FETCH_CANCELLED);
    crawl_fetcher_stats_get(f.fetcher, &stats);
    cr_expect_eq(stats.held, 0);
    crawl_buf_free(&o.body);
    fixture_close(&f);
    crawl_fetch_rate_free(rate);
    crawl_buf_free(&answer);
}
