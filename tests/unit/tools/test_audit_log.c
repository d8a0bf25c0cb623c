/* A log of runs, departures and ends: traces of a kill are recognized, errors are found. Times are milliseconds here.
 */
#include "tools/audit/audit_log.h"

#include <crawl/sys/request_log.h>
#include <criterion/criterion.h>
#include <stdarg.h>

static cw_audit *audit;
static cw_audit_log *reader;
static crawl_chain *chain;
static crawl_buf text;
static uint64_t lines;
static char found[1024];
static cw_audit_violation last;

static void on_violation(void *, const cw_audit_violation *violation)
{
    char one[64];
    snprintf(one, sizeof one, "%s:%llu ", cw_audit_kind_name(violation->kind), (unsigned long long)violation->line);
    strcat(found, one);
    last = *violation;
}

static void on_request(void *, cw_audit_request *)
{
}

static void on_foreign(void *, const cw_audit_request *, crawl_slice)
{
    strcat(found, "url ");
}

static void setup(void)
{
    cw_audit_options options = {.on_violation = on_violation};
    audit = cw_audit_create(&options);
    cw_audit_log_options of_log = {.audit = audit, .on_request = on_request, .on_foreign = on_foreign};
    reader = cw_audit_log_create(&of_log);
    chain = crawl_chain_create();
    cr_assert(audit && reader && chain);
}

static void teardown(void)
{
    cw_audit_log_free(reader);
    cw_audit_free(audit);
    crawl_chain_free(chain);
    crawl_buf_free(&text);
}

TestSuite(audit_log, .init = setup, .fini = teardown);

static void read_text(bool is_whole)
{
    crawl_error error = {0};
    cr_assert_eq(cw_audit_log_line(reader, crawl_buf_slice(&text), ++lines, is_whole, &error), CRAWL_OK, "%s",
                 error.message);
}

/* Appends a line in the chain; the fields are without the last brace. */
static void line(const char *format, ...)
{
    char fields[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fields, sizeof fields, format, arguments);
    va_end(arguments);
    crawl_buf_clear(&text);
    cr_assert_eq(crawl_buf_append_text(&text, fields), CRAWL_OK);
    cr_assert_eq(crawl_chain_append(chain, &text), CRAWL_OK);
    read_text(true);
}

static void run(int start, int workers)
{
    line("{\"event\":\"run\",\"start\":%d,\"workers\":%d", start, workers);
}

static void run_end(int end, int requests)
{
    line("{\"event\":\"run-end\",\"end\":%d,\"requests\":%d", end, requests);
}

#define REQUEST                                                                                                       \
    "\"request\":%d,\"host\":\"http://a\",\"url\":\"http://a/\",\"seq\":%d,\"sent\":true,\"start\":%d,\"pause\":100," \
    "\"pause_by\":\"delay\",\"limit\":2"

static void depart(int number, int seq, int start)
{
    line("{\"event\":\"depart\"," REQUEST, number, seq, start);
}

/* more: "" or further fields, each after a comma */
static void end_with(int number, int seq, int start, int end, const char *more)
{
    line("{\"event\":\"end\"," REQUEST ",\"end\":%d%s", number, seq, start, end, more);
}

static void end(int number, int seq, int start, int finish)
{
    end_with(number, seq, start, finish, "");
}

/* Audits the whole log. violations: "kind:line " for each */
static void expect(const char *violations, uint64_t killed, uint64_t in_flight)
{
    cr_assert_eq(cw_audit_log_end(reader), CRAWL_OK);
    cr_expect_str_eq(found, violations);
    cw_audit_runs runs = cw_audit_log_runs(reader);
    cr_expect_eq(runs.killed, killed);
    cr_expect_eq(runs.in_flight, in_flight);
}

Test(audit_log, whole)
{
    run(1000, 2);
    depart(1, 1, 1000);
    depart(2, 2, 1100);
    end(2, 2, 1100, 1150);
    depart(3, 3, 1200);
    end(1, 1, 1000, 1250);
    end(3, 3, 1200, 1210);
    run_end(1300, 3);
    expect("", 0, 0);
    cr_expect_eq(cw_audit_requests(audit), 3);
}

/* A process that shares its crawl may have the host for a second time. */
Test(audit_log, a_host_that_comes_back_is_counted_anew_where_the_crawl_is_shared)
{
    line("{\"event\":\"run\",\"start\":1000,\"workers\":1,\"shared\":true");
    for (int i = 0; i < 4; i++) {
        depart(i + 1, i % 2 + 1, 1000 + 100 * i);
        end(i + 1, i % 2 + 1, 1000 + 100 * i, 1010 + 100 * i);
    }
    depart(5, 4, 1400);
    end(5, 4, 1400, 1410);
    run_end(1500, 5);
    run(2000, 1);
    depart(1, 1, 2000);
    end(1, 1, 2000, 2010);
    depart(2, 1, 2100);
    end(2, 1, 2100, 2110);
    run_end(2200, 2);
    expect("missing:10 foreign:16 ", 0, 0);
}

Test(audit_log, what_was_in_flight_at_a_kill_has_no_end)
{
    run(1000, 2);
    depart(1, 1, 1000);
    depart(2, 2, 1100);
    end(2, 2, 1100, 1150);
    run(1400, 2);
    depart(1, 1, 1500);
    end(1, 1, 1500, 1501);
    expect("", 2, 1);
    cr_expect_eq(cw_audit_requests(audit), 3);
}

Test(audit_log, but_it_counts_while_it_was_on_its_way)
{
    run(1000, 2);
    depart(1, 1, 1000);
    depart(2, 2, 1100);
    depart(3, 3, 1200);
    run(2000, 2);
    depart(1, 1, 2000);
    expect("at-once:4 ", 2, 4);
}

Test(audit_log, each_worker_may_have_numbered_one_that_never_left)
{
    run(1000, 2);
    depart(1, 1, 1000);
    depart(4, 4, 1100); /* 2 and 3 were not written yet */
    end(4, 4, 1100, 1101);
    expect("", 1, 1);
}

Test(audit_log, and_no_more_than_that)
{
    run(1000, 1);
    depart(1, 1, 1000);
    depart(4, 4, 1100);
    end(4, 4, 1100, 1101);
    expect("lost:1 missing:3 ", 1, 1);
}

Test(audit_log, a_gap_in_a_run_that_ended_is_no_kill)
{
    run(1000, 8);
    depart(1, 1, 1000);
    end(1, 1, 1000, 1001);
    depart(3, 3, 1100);
    end(3, 3, 1100, 1101);
    run_end(1200, 3);
    expect("lost:6 missing:4 ", 0, 0);
}

Test(audit_log, nor_is_a_departure_without_its_end)
{
    run(1000, 8);
    depart(1, 1, 1000);
    run_end(1200, 1);
    expect("unpaired:2 ", 0, 0);
}

Test(audit_log, nor_an_end_without_its_departure)
{
    run(1000, 8);
    end(1, 1, 1000, 1001);
    run_end(1200, 1);
    expect("unpaired:2 ", 0, 0);
}

Test(audit_log, nor_two_departures_of_one_number)
{
    run(1000, 8);
    depart(1, 1, 1000);
    depart(1, 2, 1100);
    end(1, 1, 1000, 1101);
    run_end(1200, 1);
    expect("unpaired:3 ", 0, 0);
}

Test(audit_log, both_must_say_the_same)
{
    run(1000, 8);
    depart(1, 1, 1000);
    end(1, 1, 999, 1001);
    run_end(1200, 1);
    expect("differs:3 ", 0, 0);
    cr_expect_eq(last.other_line, 2);
}

Test(audit_log, a_connection_in_vain_has_an_end_alone)
{
    run(1000, 8);
    line("{\"event\":\"end\",\"request\":1,\"host\":\"http://a\",\"url\":\"http://a/"
         "\",\"seq\":1,\"sent\":false,\"start\":900,\"end\":1000,"
         "\"pause\":100");
    depart(2, 2, 1099);
    end(2, 2, 1099, 1101);
    run_end(1200, 2);
    expect("too-soon:3 ", 0, 0);
}

Test(audit_log, the_pause_holds_from_run_to_run)
{
    run(1000, 2);
    depart(1, 1, 1000);
    run(1050, 2);
    depart(1, 1, 1099);
    end(1, 1, 1099, 1100);
    run_end(1100, 1);
    expect("too-soon:4 ", 1, 1);
    cr_expect_eq(last.other_line, 2);
}

Test(audit_log, retry_after_holds_from_run_to_run_and_backoff_does_not)
{
    run(1000, 2);
    depart(1, 1, 1000);
    end_with(1, 1, 1000, 1010, ",\"retry_after\":500,\"hold_until\":1510,\"hold_by\":\"retry-after\"");
    run_end(1020, 1);
    run(1100, 2);
    depart(1, 1, 1509);
    end_with(1, 1, 1509, 1510, ",\"hold_until\":2000,\"hold_by\":\"backoff\"");
    run_end(1520, 1);
    run(1600, 2);
    depart(1, 1, 1700);
    end(1, 1, 1700, 1710);
    run_end(1720, 1);
    expect("held:6 ", 0, 0);
    cr_expect_eq(last.other_line, 3);
}

Test(audit_log, where_the_clock_was_set_back_a_run_begins_where_the_one_before_ended)
{
    run(3601000, 2);
    depart(1, 1, 3601000);
    end(1, 1, 3601000, 3601010);
    run(1000, 2);
    depart(1, 1, 1090); /* 100 since its departure, at least */
    end(1, 1, 1090, 1091);
    run_end(1200, 1);
    run(500, 2);
    depart(1, 1, 510); /* 700 before the last moment of that run, of which 110 had passed */
    run(400, 2);
    depart(1, 1, 499);
    expect("too-soon:11 ", 3, 2);
}

/* The crawl was idle until 500 after its last line, and so knew that it was held for 600 more. */
Test(audit_log, by_how_much_it_was_set_back_the_crawl_may_know_better)
{
    run(10000, 2);
    depart(1, 1, 10000);
    end_with(1, 1, 10000, 10000, ",\"retry_after\":1100,\"hold_until\":11100,\"hold_by\":\"retry-after\"");
    line("{\"event\":\"run\",\"start\":1000,\"workers\":2,\"set_back\":9500");
    depart(1, 1, 1600);
    end(1, 1, 1600, 1601);
    line("{\"event\":\"run\",\"start\":1700,\"workers\":2");
    depart(1, 1, 1701);
    expect("", 3, 1);
}

Test(audit_log, and_is_held_to_that)
{
    run(10000, 2);
    depart(1, 1, 10000);
    end_with(1, 1, 10000, 10000, ",\"retry_after\":1100,\"hold_until\":11100,\"hold_by\":\"retry-after\"");
    line("{\"event\":\"run\",\"start\":1000,\"workers\":2,\"set_back\":9500");
    depart(1, 1, 1599);
    expect("held:5 ", 2, 1);
}

Test(audit_log, the_last_line_may_be_cut_off)
{
    run(1000, 2);
    depart(1, 1, 1000);
    crawl_buf_clear(&text);
    cr_assert_eq(crawl_buf_append_text(&text, "{\"event\":\"end\",\"requ"), CRAWL_OK);
    read_text(false);
    expect("", 1, 1);
    cr_expect(cw_audit_log_runs(reader).torn);
}

Test(audit_log, a_line_without_an_event_is_none)
{
    crawl_error error = {0};
    static const char plain[] = "{\"host\":\"http://a\",\"url\":\"http://a/\",\"start\":9,\"end\":9,\"pause\":1}";
    run(1000, 2);
    cr_expect_eq(cw_audit_log_line(reader, crawl_slice_from(plain), 2, true, &error), CRAWL_EPARSE);
}

Test(audit_log, a_log_without_its_beginning_is_none)
{
    crawl_chain_follow(chain, crawl_slice_from(",\"chain\":\"0123456789012345678901234567890123456789\"}"));
    depart(7, 3, 1000);
    end(7, 3, 1000, 1010);
    expect("chain:1 lost:1 missing:1 ", 1, 0);
}

Test(audit_log, two_logs_in_one_file_are_two)
{
    run(1000, 2);
    depart(1, 1, 1000);
    end(1, 1, 1000, 1010);
    run_end(1020, 1);
    crawl_chain_follow(chain, (crawl_slice){0});
    run(2000, 2);
    run_end(2020, 0);
    expect("", 0, 0);
}

/* Reads a log of a shared crawl: one request, to its own host at the common address. */
static void read_log_of_one(cw_audit *between, uint32_t number)
{
    const cw_audit_options options = {.on_violation = on_violation};
    teardown();
    text = (crawl_buf){0};
    audit = cw_audit_create(&options);
    const cw_audit_log_options of_log = {
        .audit = audit, .between = between, .number = number, .on_request = on_request, .on_foreign = on_foreign};
    reader = cw_audit_log_create(&of_log);
    chain = crawl_chain_create();
    cr_assert(audit && reader && chain);
    line("{\"event\":\"run\",\"start\":1000,\"workers\":1,\"shared\":true");
    line("{\"event\":\"clock\",\"at\":1000,\"redis\":1000,\"within\":1");
    for (int i = 0; i < 2; i++)
        line("{\"event\":\"%s\",\"request\":1,\"host\":\"http://h%u\",\"url\":\"http://h%u/\",\"ip\":\"192.0.2.1\","
             "\"seq\":1,\"sent\":true,\"start\":%u,\"pause\":100,\"pause_by\":\"delay\",\"limit\":2,"
             "\"address_limit\":1,\"address_pause\":500%s",
             i ? "end" : "depart", number, number, 1000 + 10 * number, i ? ",\"end\":1300" : "");
    run_end(1400, 1);
    cr_expect_eq(cw_audit_log_end(reader), CRAWL_OK);
}

Test(audit_log, a_limit_of_addresses_is_that_of_each_process)
{
    const cw_audit_options options = {.between_logs = true, .on_violation = on_violation};
    cw_audit *between = cw_audit_create(&options);
    cr_assert_not_null(between);
    for (uint32_t number = 0; number < 2; number++)
        read_log_of_one(between, number);
    cr_expect_eq(cw_audit_end(between), CRAWL_OK);
    cr_expect_eq(cw_audit_requests(between), 2);
    cr_expect_str_eq(found, "");
    cw_audit_free(between);
}
