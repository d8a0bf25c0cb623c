/* When lines of JSON reach their files: whole ones alone, many by one write, and those that a kill must not take at
 * once. */
#include "crawler/program/output/outputs.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/crawl-outputs-XXXXXX";
static char path[64];
static char links[64];

static void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pages.jsonl", folder);
    snprintf(links, sizeof links, "%s/links.jsonl", folder);
}

static void teardown(void)
{
    unlink(path);
    unlink(links);
    rmdir(folder);
}

TestSuite(outputs, .init = setup, .fini = teardown);

static size_t size_of(const char *name)
{
    struct stat status;
    cr_assert_eq(stat(name, &status), 0, "%s", name);
    return (size_t)status.st_size;
}

static cw_output_sink *open_sink(const char *name, unsigned flags)
{
    cw_output_sink *sink = NULL;
    crawl_error error = {0};
    cr_assert_eq(cw_output_sink_open(name, flags, NULL, &sink, &error), CRAWL_OK, "%s", error.message);
    return sink;
}

static crawl_err put(cw_output_sink *sink, const char *text)
{
    cw_put_text(cw_output_sink_begin(sink), text);
    return cw_output_sink_end(sink);
}

Test(outputs, lines_leave_together_and_whole)
{
    enum { LINES = 100000 };
    static const char line[] = "{\"url\":\"http://example.com/a\"}"; /* and its end are 31 bytes: no part of any block
                                                                      */
    cw_output_sink *sink = open_sink(path, 0);
    size_t writes = 0;
    for (size_t i = 0, before = 0; i < LINES; i++) {
        cr_assert_eq(put(sink, line), CRAWL_OK);
        size_t size = size_of(path);
        cr_assert_eq(size % sizeof line, 0, "part of a line");
        writes += size != before;
        before = size;
    }
    cr_expect_leq(writes, 20);
    cr_expect_geq(writes, 5, "%zu writes: what waits has no limit", writes);
    cr_expect_eq(cw_output_sink_flush(sink), CRAWL_OK);
    cr_expect_eq(size_of(path), LINES * sizeof line);
    cr_expect_eq(cw_output_sink_close(sink, NULL), CRAWL_OK);
}

Test(outputs, at_once_means_before_the_call_returns)
{
    cw_output_sink *sink = open_sink(path, CW_SINK_AT_ONCE);
    for (size_t i = 1; i <= 3; i++) {
        cr_expect_eq(put(sink, "{}"), CRAWL_OK);
        cr_expect_eq(size_of(path), i * 3);
    }
    cr_expect_eq(cw_output_sink_close(sink, NULL), CRAWL_OK);
    sink = open_sink(path, CW_SINK_APPENDS);
    cr_expect_eq(put(sink, "{}"), CRAWL_OK);
    cr_expect_eq(size_of(path), 9, "%zu bytes: nothing is kept, or nothing waits", size_of(path));
    cr_expect_eq(cw_output_sink_close(sink, NULL), CRAWL_OK);
    cr_expect_eq(size_of(path), 12);
}

Test(outputs, a_line_that_could_not_be_made_is_not_there)
{
    cw_output_sink *sink = open_sink(path, 0);
    cr_expect_eq(put(sink, "{\"a\":1}"), CRAWL_OK);
    cw_writer *line = cw_output_sink_begin(sink);
    cw_put_text(line, "{\"b\":");
    line->err = CRAWL_ENOMEM;
    cr_expect_eq(cw_output_sink_end(sink), CRAWL_ENOMEM);
    cr_expect_eq(put(sink, "{\"c\":1}"), CRAWL_OK);
    cr_expect_eq(cw_output_sink_close(sink, NULL), CRAWL_OK);
    cr_expect_eq(size_of(path), 16);
}

Test(outputs, a_line_longer_than_the_buffer_is_written_too)
{
    enum { LONG = 1 << 20 };
    char *text = malloc(LONG + 1);
    cr_assert_not_null(text);
    memset(text, 'x', LONG);
    text[LONG] = '\0';
    cw_output_sink *sink = open_sink(path, 0);
    for (size_t i = 1; i <= 3; i++) {
        cr_expect_eq(put(sink, text), CRAWL_OK);
        cr_expect_eq(size_of(path), i * (LONG + 1));
    }
    cr_expect_eq(cw_output_sink_close(sink, NULL), CRAWL_OK);
    free(text);
}

Test(outputs, a_full_disk_is_said_of_this_line_and_of_all_that_follow)
{
    crawl_error error = {0};
    cw_output_sink *sink = open_sink("/dev/full", CW_SINK_AT_ONCE);
    cr_expect_eq(put(sink, "{}"), CRAWL_EIO);
    cr_expect_eq(put(sink, "{}"), CRAWL_EIO);
    cr_expect_eq(cw_output_sink_flush(sink), CRAWL_EIO);
    cr_expect_not(cw_output_sink_abandoned(sink));
    cr_expect_eq(cw_output_sink_close(sink, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message, "/dev/full: No space left on device");
}

/* A crawl that outlives its process: what a kill between the two finds in the files. */
Test(outputs, the_edges_of_a_page_are_in_their_file_before_its_record_is)
{
    static char full[] = "/dev/full";
    static char state[] = "state";
    crawl_config config = {.output = full, .links = links, .state = state};
    cw_outputs outputs = {0};
    cr_assert_eq(cw_outputs_open(&outputs, &config, false), 0);
    const crawl_edge edge = {.from = crawl_slice_from("http://a/"), .to = crawl_slice_from("http://a/b")};
    const crawl_record record = {.url = crawl_slice_from("http://a/"), .method = crawl_slice_from("GET")};
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(cw_outputs_edge(&outputs, &edge), CRAWL_OK);
    cr_expect_eq(size_of(links), 0, "they are written one by one");
    cr_expect_eq(cw_outputs_record(&outputs, &record), CRAWL_EIO);
    cr_expect_gt(size_of(links), 0);
    cw_outputs_drop(&outputs);
}
