/* The checks of an audit, and the fields read from a line. Times are milliseconds here. */
#include "tools/audit/audit_read.h"

#include <criterion/criterion.h>

#define MS 1000

static cw_audit *audit;
static cw_audit_violation found[64];
static size_t found_count;
static uint64_t line;

static void on_violation(void *, const cw_audit_violation *violation)
{
    found[found_count++ % 64] = *violation;
}

static void create(int64_t tolerance, size_t window)
{
    cw_audit_options options = {.tolerance_us = tolerance * MS, .window = window, .on_violation = on_violation};
    audit = cw_audit_create(&options);
    cr_assert_not_null(audit);
}

static void teardown(void)
{
    cw_audit_free(audit);
}

TestSuite(audit, .fini = teardown);

static cw_audit_request at(const char *host, int64_t start, int64_t end)
{
    return (cw_audit_request){.line = ++line,
                              .host = crawl_slice_from(host),
                              .start_us = start * MS,
                              .end_us = end * MS,
                              .pause_us = 100 * MS,
                              .pause_by = "delay",
                              .limit = 2,
                              .sent = true};
}

static void add(cw_audit_request request)
{
    cr_assert_eq(cw_audit_add(audit, &request), CRAWL_OK);
}

/* Ends the audit; expects exactly these violations on these lines. */
static void expect(size_t count, const cw_audit_kind *kinds, const uint64_t *lines)
{
    cr_assert_eq(cw_audit_end(audit), CRAWL_OK);
    cr_expect_eq(cw_audit_violations(audit), count);
    cr_assert_eq(found_count, count);
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(found[i].kind, kinds[i], "%s", cw_audit_kind_name(found[i].kind));
        cr_expect_eq(found[i].line, lines[i], "line %llu", (unsigned long long)found[i].line);
    }
}

#define EXPECT(kind, number) expect(1, (cw_audit_kind[]){kind}, (uint64_t[]){number})
#define EXPECT_NONE() expect(0, NULL, NULL)

static cw_audit_request of_log(uint32_t log, int64_t start, int64_t end)
{
    cw_audit_request request = at("http://a", start, end);
    request.log = log;
    request.within_us = 5 * MS;
    return request;
}

/* Requests of two logs, at times of a common clock, with an error of up to 5 ms. Each log checks its own requests
 * against each other. */
Test(audit, between_logs)
{
    const cw_audit_options options = {.between_logs = true, .on_violation = on_violation};
    audit = cw_audit_create(&options);
    cr_assert_not_null(audit);
    add(of_log(0, 1000, 1010));
    add(of_log(0, 1050, 1060)); /* too soon, within a log */
    add(of_log(1, 1145, 1155)); /* 95 ms later: possibly 100 */
    add(of_log(0, 1239, 1250)); /* 94 ms later */
    add(of_log(1, 1400, 1410));
    cw_audit_request holds = of_log(1, 1500, 1510);
    holds.hold_until_us = 2000 * MS;
    add(holds);
    add(of_log(1, 1700, 1800)); /* during its own hold */
    add(of_log(0, 1996, 2500)); /* ends in 4 ms: possibly over */
    add(of_log(0, 2100, 2500));
    add(of_log(1, 2200, 2300)); /* the third in parallel, from two logs */
    expect(2, (cw_audit_kind[]){CW_AUDIT_TOO_SOON, CW_AUDIT_AT_ONCE}, (uint64_t[]){4, 10});
}

/* The times of a log may be late by 5 ms: if the order is uncertain, nothing is certainly violated. */
Test(audit, between_logs_whose_order_is_not_certain)
{
    const cw_audit_options options = {.between_logs = true, .on_violation = on_violation};
    audit = cw_audit_create(&options);
    cr_assert_not_null(audit);
    add(of_log(0, 1000, 1010));
    add(of_log(1, 1004, 1030)); /* may have come before the first */
    add(of_log(0, 1200, 1210));
    add(of_log(1, 1205, 1220)); /* came after it */
    cw_audit_request holds = of_log(0, 1306, 1410);
    holds.hold_until_us = 2000 * MS;
    add(holds);
    add(of_log(1, 1412, 1414)); /* may have left before the response with the hold */
    add(of_log(1, 1600, 1610)); /* during it */
    expect(2, (cw_audit_kind[]){CW_AUDIT_TOO_SOON, CW_AUDIT_HELD}, (uint64_t[]){4, 7});
}

Test(audit, exactly_the_pause_is_enough_and_hosts_are_apart)
{
    create(0, 0);
    for (int64_t i = 0; i < 10; i++) {
        add(at("a", i * 100, i * 100 + 150));
        add(at("b", i * 100 + 1, i * 100 + 20));
    }
    EXPECT_NONE();
    size_t count;
    const cw_audit_host *hosts = cw_audit_hosts(audit, &count);
    cr_assert_eq(count, 2);
    cr_expect_eq(hosts[0].gap_us, 100 * MS);
    cr_expect_eq(hosts[0].at_once, 2);
    cr_expect_eq(hosts[1].at_once, 1);
    cr_expect_eq(hosts[0].requests, 10);
}

Test(audit, too_soon_by_how_much_and_after_which)
{
    create(0, 0);
    add(at("a", 200, 210)); /* the log is in the order of responses */
    add(at("a", 0, 500));
    add(at("a", 299, 600));
    EXPECT(CW_AUDIT_TOO_SOON, 3);
    cr_expect_eq(found[0].by_us, MS);
    cr_expect_eq(found[0].other_line, 1);
    cr_expect_eq(found[0].got, 99 * MS);
}

Test(audit, what_the_clock_is_off_by_is_forgiven)
{
    create(5, 0);
    add(at("a", 0, 1));
    add(at("a", 95, 96));
    add(at("a", 189, 190));
    EXPECT(CW_AUDIT_TOO_SOON, 3);
}

Test(audit, after_one_that_was_not_sent_the_pause_runs_from_its_end)
{
    create(0, 0);
    cw_audit_request vain = at("a", 0, 400);
    vain.sent = false;
    add(vain);
    add(at("a", 450, 460));
    EXPECT(CW_AUDIT_TOO_SOON, 2);
    cr_expect_eq(found[0].by_us, 50 * MS);
}

Test(audit, one_that_was_not_sent_counts_with_its_end)
{
    create(0, 0);
    cw_audit_request vain = at("a", 0, 400);
    cw_audit_request meanwhile = at("a", 300, 500);
    vain.sent = false;
    vain.pause_us = meanwhile.pause_us = 0;
    vain.seq = 2;
    meanwhile.seq = 1;
    add(meanwhile);
    add(vain);
    cr_assert_eq(cw_audit_end(audit), CRAWL_OK);
    cr_expect_eq(cw_audit_violations(audit), 0);
}

Test(audit, too_many_at_once)
{
    create(0, 0);
    add(at("a", 0, 1000));
    add(at("a", 100, 200));
    add(at("a", 200, 900));
    add(at("a", 300, 400));
    EXPECT(CW_AUDIT_AT_ONCE, 4);
    cr_expect_eq(found[0].got, 3);
    cr_expect_eq(found[0].allowed, 2);
}

Test(audit, a_hold_begins_with_its_answer)
{
    create(0, 0);
    cw_audit_request limited = at("a", 0, 250);
    limited.hold_until_us = 1000 * MS;
    limited.hold_by = "retry-after";
    add(limited);
    add(at("a", 200, 300)); /* had left before */
    add(at("b", 400, 500)); /* another host */
    add(at("a", 990, 991));
    add(at("a", 1090, 1100));
    EXPECT(CW_AUDIT_HELD, 4);
    cr_expect_eq(found[0].by_us, 10 * MS);
    cr_expect_eq(found[0].other_line, 1);
    cr_expect_str_eq(found[0].reason, "retry-after");
}

Test(audit, the_longest_hold_stands)
{
    create(0, 0);
    for (int64_t i = 0; i < 2; i++) {
        cw_audit_request r = at("a", i * 100, i * 100 + 10);
        r.hold_until_us = i ? 150 * MS : 105 * MS; /* the first is over when the second starts, or nearly */
        r.pause_us = 0;
        add(r);
    }
    add(at("a", 200, 210));
    EXPECT(CW_AUDIT_HELD, 2);
}

static cw_audit_request counted(const char *host, uint64_t seq, int64_t start)
{
    cw_audit_request r = at(host, start, start + 1);
    r.seq = seq;
    return r;
}

Test(audit, backoff_ends_with_its_run_and_retry_after_does_not)
{
    static const char *const holds[] = {"backoff", "given-up", "retry-after"};
    create(0, 0);
    for (int64_t i = 0; i < 3; i++) {
        cw_audit_request r = counted("a", 1, i * 1000);
        r.hold_until_us = (i * 1000 + 2000) * MS;
        r.hold_by = holds[i];
        add(r);
    }
    add(counted("a", 1, 3000));
    add(counted("a", 2, 3500));
    expect(2, (cw_audit_kind[]){CW_AUDIT_HELD, CW_AUDIT_HELD}, (uint64_t[]){4, 5});
}

Test(audit, one_that_is_missing_is_noticed_by_the_next)
{
    create(0, 0);
    add(counted("a", 1, 0));
    add(counted("a", 2, 100));
    add(counted("a", 4, 300));
    add(counted("a", 5, 400));
    add(counted("b", 2, 0));
    add(counted("a", 1, 1000)); /* another run */
    add(counted("a", 2, 1100));
    expect(2, (cw_audit_kind[]){CW_AUDIT_MISSING, CW_AUDIT_MISSING}, (uint64_t[]){5, 3});
}

Test(audit, one_of_another_host_is_out_of_place)
{
    create(0, 0);
    add(counted("a", 1, 0));
    add(counted("a", 2, 100));
    add(counted("a", 2, 250)); /* b's */
    add(counted("a", 3, 400));
    EXPECT(CW_AUDIT_FOREIGN, 3);
}

Test(audit, addresses_are_checked_like_hosts_but_for_holds)
{
    create(0, 0);
    cw_audit_request a = at("a", 0, 10);
    a.ip = crawl_slice_from("192.0.2.1");
    a.hold_until_us = 5000 * MS;
    cw_audit_request b = at("b", 99, 110);
    b.ip = a.ip;
    add(a);
    add(b);
    EXPECT(CW_AUDIT_TOO_SOON, 2);
    cr_expect(crawl_slice_equal(found[0].host, crawl_slice_from("192.0.2.1")));
}

Test(audit, a_log_out_of_order_beyond_the_window_is_refused)
{
    create(0, 4);
    for (int64_t i = 10; i < 16; i++)
        add(at("a", i * 100, i * 100 + 1)); /* two have left the window: 1000 and 1100 */
    add(at("a", 1150, 1151));
    cw_audit_request late = at("a", 1099, 1100);
    cr_expect_eq(cw_audit_add(audit, &late), CRAWL_ESTATE);
}

Test(audit, many_in_any_order_within_the_window)
{
    create(0, 0);
    for (int64_t i = 0; i < 10000; i++) {
        int64_t place = i * 7919 % 10000;
        add(at("a", place * 100, place * 100 + 1));
    }
    EXPECT_NONE();
    cr_expect_eq(cw_audit_requests(audit), 10000);
}

Test(audit, no_more_at_once_than_a_crawl_can_have)
{
    create(0, 1);
    crawl_err err = CRAWL_OK;
    uint64_t i = 0;
    for (; i < 2 * CW_AUDIT_AT_ONCE_MAX && !err; i++) {
        cw_audit_request r = at("a", 0, 1000);
        r.pause_us = r.limit = 0;
        err = cw_audit_add(audit, &r);
    }
    cr_expect_eq(err, CRAWL_FULL);
    cr_expect_eq(i, CW_AUDIT_AT_ONCE_MAX + 2);
}

/* ---- lines ---- */

static cw_audit_reader reader;

static void free_reader(void)
{
    cw_audit_reader_free(&reader);
}

TestSuite(audit_read, .fini = free_reader);

static crawl_err read_nginx(const char *text, cw_audit_request *out, bool *whole)
{
    return cw_audit_read_nginx(crawl_slice_from(text), out, whole, NULL);
}

Test(audit_read, nginx)
{
    cw_audit_request r;
    bool whole;
    cr_assert_eq(read_nginx("1763716269.250 0.125 a.example GET / 200", &r, &whole), CRAWL_OK);
    cr_expect_eq(r.end_us, 1763716269250000);
    cr_expect_eq(r.start_us, 1763716269125000);
    cr_expect(crawl_slice_equal(r.host, crawl_slice_from("a.example")));
    cr_expect_not(whole);
    cr_assert_eq(read_nginx("[21/Nov/2026:10:11:09 +0100]\t1.5\ta.example", &r, &whole), CRAWL_OK);
    cr_expect_eq(r.end_us, 1795252269 * (int64_t)1000000);
    cr_expect_eq(r.start_us, r.end_us - 1500000);
    cr_expect(whole);
    static const char *const bad[] = {
        "", "1", "1 1", "x 1 a", "1763716269.25.0 1 a", "1 -1 a", "[today] 1 a", "[ 1 a", "99999999999999999 1 a"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(read_nginx(bad[i], &r, &whole), CRAWL_EPARSE, "%s", bad[i]);
}

Test(audit_read, a_group_is_in_place_of_the_address)
{
    static const struct {
        const char *more;
        const char *ip;
        uint32_t address_limit;
    } rows[] = {
        {"\"sent\":true", "", 0},
        {"\"per_ip\":true", "192.0.2.1", 0},
        {"\"address_limit\":8,\"address_pause\":31", "192.0.2.1", 8},
        {"\"address_limit\":8,\"address_pause\":31,\"group\":\"shop\"", "shop", 0},
        {"\"per_ip\":true,\"group\":\"shop\"", "shop", 0},
        {"\"sent\":false,\"group\":\"shop\"", "", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cw_audit_request r;
        cw_audit_event event;
        uint64_t number;
        bool foreign;
        char text[300];
        snprintf(
            text, sizeof text,
            "{\"event\":\"end\",\"request\":1,\"host\":\"http://a\",\"ip\":\"192.0.2.1\",\"url\":\"http://a/x\",\"start\":1,\"end\":2,"
            "\"pause\":0.5,%s}",
            rows[i].more);
        cr_assert_eq(cw_audit_read_event(&reader, crawl_slice_from(text), &event, NULL), CRAWL_OK);
        cr_assert_eq(cw_audit_read_record(&reader, event, &r, &number, &foreign, NULL), CRAWL_OK);
        cr_expect(crawl_slice_equal(r.ip, crawl_slice_from(rows[i].ip)), "%s", text);
        cr_expect_eq(r.address_limit, rows[i].address_limit, "%s", text);
    }
}

Test(audit_read, a_host_is_held_to_what_it_asked_for)
{
    cw_audit_request r;
    bool foreign = false;
    const char *text =
        "{\"event\":\"end\",\"request\":1,\"host\":\"http://a\",\"url\":\"http://a/x\",\"start\":1763716269123.456,\"end\":1763716269133.457,"
        "\"pause\":0.5,\"retry_after\":2000,\"hold_until\":1763716269200,\"hold_by\":\"backoff\"}";
    uint64_t number;
    cw_audit_event event;
    cr_assert_eq(cw_audit_read_event(&reader, crawl_slice_from(text), &event, NULL), CRAWL_OK);
    cr_assert_eq(event, CW_AUDIT_END);
    cr_assert_eq(cw_audit_read_record(&reader, event, &r, &number, &foreign, NULL), CRAWL_OK);
    cr_expect_eq(r.start_us, 1763716269123456);
    cr_expect_eq(r.pause_us, 500);
    cr_expect_eq(r.hold_until_us, 1763716269133457 + 2000000);
    cr_expect_str_eq(r.hold_by, "retry-after");
    cr_expect(r.sent);
    cr_expect_not(foreign);
    cr_expect_eq(r.ip.size, 0);
}
