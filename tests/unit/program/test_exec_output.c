/* Faulty processes under --output exec:. No crawl runs: receipts belong to no lease here. */
#include "config/config_values.h"
#include "crawler/program/exec/exec_output.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

typedef struct world {
    crawl_config config;
    crawl_engine *engine;
    cw_exec_output *output;
    char said[4096]; /* all notices, each in brackets; written by one thread, read when that has ended */
} world;

static void keep_notice(void *of, const char *words)
{
    world *w = of;
    size_t size = strlen(w->said);
    snprintf(w->said + size, sizeof w->said - size, "[%s]", words);
}

static void begin_with(world *w, const char *command, int64_t silence_ms, int64_t at_once_ms, bool is_kept)
{
    const crawl_engine_hooks hooks = {.size = sizeof hooks};
    crawl_error error = {0};
    *w = (world){0};
    cr_assert_eq(cw_config_init(&w->config), CRAWL_OK);
    cr_assert_eq(crawl_engine_create(&w->config, &hooks, &w->engine, &error), CRAWL_OK, "%s", error.message);
    const cw_exec_options options = {.command = command,
                                     .is_kept = is_kept,
                                     .engine = w->engine,
                                     .notice = keep_notice,
                                     .of = w,
                                     .silence_ms = silence_ms,
                                     .grace_ms = CW_EXEC_GRACE_MS,
                                     .at_once_ms = at_once_ms,
                                     .pause_ms = 1};
    cr_assert_eq(cw_exec_output_open(&options, &w->output, &error), CRAWL_OK, "%s", error.message);
}

static void begin(world *w, const char *command, int64_t silence_ms)
{
    begin_with(w, command, silence_ms, CW_EXEC_AT_ONCE_MS, true);
}

static crawl_err write_one(world *w)
{
    static const char url[] = "http://a/";
    crawl_record record = {.size = sizeof record,
                           .url = crawl_slice_of(url, sizeof url - 1),
                           .method = crawl_slice_from("GET"),
                           .status = 200};
    return cw_exec_output_write(w->output, &record, crawl_slice_from("{}"));
}

/* Returns the result of the end. */
static crawl_err end(world *w, crawl_error *error)
{
    crawl_err err = cw_exec_output_close(w->output, error);
    crawl_engine_free(w->engine);
    cw_config_clear(&w->config);
    return err;
}

Test(exec_output, fails_when_the_process_ends_as_soon_as_it_begins)
{
    world w;
    crawl_error error = {0};
    begin(&w, "exec:sh -c 'echo refused: 401 >&2; echo for nothing >&2; exit 3'", 60000);
    (void)write_one(&w);
    cw_exec_output_settle(w.output, 60000);
    cr_expect_eq(cw_exec_output_failed(w.output), CRAWL_EIO);
    cr_expect_eq(write_one(&w), CRAWL_EIO);
    cr_expect_eq(end(&w, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message, "exec: sh ends as soon as it starts: 5 times in a row; the last time it ended with "
                                    "status 3: for nothing");
    cr_expect(strstr(w.said, "[exec: refused: 401][exec: for nothing][exec: sh ended with status 3; restarting it]"));
}

Test(exec_output, fails_when_the_process_ends_again_and_again_without_an_acknowledgement)
{
    world w;
    crawl_error error = {0};
    begin_with(&w, "exec:sh -c 'read -r hello; read -r line; exit 3'", 60000, 0, true);
    (void)write_one(&w);
    cw_exec_output_settle(w.output, 60000);
    cr_expect_eq(end(&w, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message,
                     "exec: sh ends without an acknowledgement: 20 times in a row; the last time it ended "
                     "with status 3");
}

/* All is acknowledged, but the process fails before it has ended. */
Test(exec_output, fails_when_the_process_fails_at_its_end)
{
    static const char *const ends[] = {"read -r end; exit 3", "cat >/dev/null; exit 3"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char command[200];
        world w;
        crawl_error error = {0};
        snprintf(command, sizeof command, "exec:sh -c 'read -r hello; read -r line; echo {\\\"ack\\\":1}; %s'",
                 ends[i]);
        begin(&w, command, 60000);
        cr_expect_eq(write_one(&w), CRAWL_AGAIN);
        cw_exec_output_settle(w.output, 60000);
        cr_expect_eq(end(&w, &error), CRAWL_EIO, "%s", ends[i]);
        cr_expect_str_eq(error.message, "exec: sh ended with status 3");
    }
}

/* The signal came from here. */
Test(exec_output, says_why_it_ended_the_process)
{
    world w;
    crawl_error error = {0};
    begin(&w, "exec:sh -c 'read -r hello; read -r line; read -r end; printf \"{\\\"ack\\\":1}\\nx\\n\"; read -r more'",
          60000);
    cr_expect_eq(write_one(&w), CRAWL_AGAIN);
    cw_exec_output_settle(w.output, 60000);
    cr_expect_eq(end(&w, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message, "exec: sh answers with something other than a JSON object: x");
}

Test(exec_output, skips_empty_lines)
{
    world w;
    crawl_error error = {0};
    begin(&w, "exec:sh -c 'read -r hello; echo; read -r line; echo; echo {\\\"ack\\\":1}; echo; read -r end'", 60000);
    cr_expect_eq(write_one(&w), CRAWL_AGAIN);
    cw_exec_output_settle(w.output, 60000);
    cr_expect_eq(end(&w, &error), CRAWL_OK, "%s", error.message);
    cr_expect_str_eq(w.said, "");
}

/* The first process takes a line and exits, is silent, or sends nonsense; the next one acknowledges it. */
static void expect_again(const char *first, int64_t silence_ms, const char *said)
{
    char command[500], marker[] = "/tmp/crawl-exec-XXXXXX";
    world w;
    crawl_error error = {0};
    close(mkstemp(marker));
    snprintf(
        command, sizeof command,
        "exec:sh -c 'read -r hello; read -r line; if [ -e %s ]; then rm %s; %s; fi; echo {\\\"ack\\\":1}; read -r end'",
        marker, marker, first);
    begin(&w, command, silence_ms);
    cr_expect_eq(write_one(&w), CRAWL_AGAIN);
    cw_exec_output_settle(w.output, 60000);
    cr_expect_eq(end(&w, &error), CRAWL_OK, "%s", error.message);
    cr_expect_str_eq(w.said, said);
}

Test(exec_output, sends_open_lines_again)
{
    expect_again("exit 0", 60000, "[exec: sh ended with status 0; restarting it]");
    expect_again("kill -9 $$", 60000, "[exec: sh was ended by a signal: Killed; restarting it]");
    expect_again("echo {\\\"ack\\\":2}; read -r more", 60000,
                 "[exec: sh answers for a line that was not sent: {\"ack\":2}; restarting it]");
    expect_again("echo fine; read -r more", 60000,
                 "[exec: sh answers with something other than a JSON object: fine; restarting it]");
    expect_again("exec sleep 60", 200, "[exec: sh has not answered for 0 s; restarting it]");
}

Test(exec_output, lets_no_page_of_a_crawl_wait_that_is_not_kept)
{
    world w;
    crawl_error error = {0};
    begin_with(&w, "exec:sh -c 'while read -r line; do :; done'", 60000, CW_EXEC_AT_ONCE_MS, false);
    cr_expect_eq(write_one(&w), CRAWL_OK);
    cw_exec_output_settle(w.output, 20);
    cr_expect_eq(end(&w, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message, "sh has not acknowledged 1 records");
}

Test(exec_output, tells_how_many_lines_are_not_acknowledged)
{
    world w;
    crawl_error error = {0};
    begin(&w, "exec:cat /dev/null -", 60000);
    cw_exec_output_settle(w.output, 1);
    cr_expect_eq(end(&w, &error), CRAWL_OK);
    begin(&w, "exec:sh -c 'while read -r line; do :; done'", 60000);
    cr_expect_eq(write_one(&w), CRAWL_AGAIN);
    cw_exec_output_settle(w.output, 20);
    cr_expect_eq(end(&w, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message, "sh has not acknowledged 1 records");
}
