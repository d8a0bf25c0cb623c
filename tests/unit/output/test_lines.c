/* When JSON lines reach their files: only complete ones, many per write, and those that a kill must not lose at once.
 */
#include "config/config_values.h"

#include <crawl/output.h>

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

TestSuite(lines, .init = setup, .fini = teardown);

static size_t size_of(const char *name)
{
    struct stat status;
    cr_assert_eq(stat(name, &status), 0, "%s", name);
    return (size_t)status.st_size;
}

static crawl_lines *open_sink(const char *name, unsigned flags)
{
    crawl_lines *sink = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_lines_open(name, flags, NULL, &sink, &error), CRAWL_OK, "%s", error.message);
    return sink;
}

static crawl_err put(crawl_lines *sink, const char *text)
{
    return crawl_lines_end(sink, crawl_buf_append_text(crawl_lines_begin(sink), text));
}

Test(lines, lines_of_two_writers_stay_whole)
{
    static const char lines[] = "a long line of one\na\nshort\n";
    char text[sizeof lines] = "";
    crawl_lines *one = open_sink(path, CRAWL_LINES_AT_ONCE | CRAWL_LINES_APPEND);
    crawl_lines *other = open_sink(path, CRAWL_LINES_AT_ONCE | CRAWL_LINES_APPEND);
    cr_assert_eq(put(one, "a long line of one"), CRAWL_OK);
    cr_assert_eq(put(other, "a"), CRAWL_OK);
    cr_assert_eq(put(one, "short"), CRAWL_OK);
    cr_assert_eq(crawl_lines_close(one, NULL), CRAWL_OK);
    cr_assert_eq(crawl_lines_close(other, NULL), CRAWL_OK);
    FILE *file = fopen(path, "r");
    cr_assert_eq(fread(text, 1, sizeof text, file), strlen(lines));
    fclose(file);
    cr_expect_str_eq(text, lines);
}

/* Another one would empty the file, or have its lines in a file that its user takes for another's. */
Test(lines, a_file_has_one_writer_unless_all_append)
{
    crawl_error error = {0};
    crawl_lines *other = NULL;
    crawl_lines *one = open_sink(path, CRAWL_LINES_AT_ONCE);
    cr_assert_eq(put(one, "first"), CRAWL_OK);
    for (unsigned flags = 0; flags <= CRAWL_LINES_APPEND; flags++) {
        cr_assert_eq(crawl_lines_open(path, flags, NULL, &other, &error), CRAWL_ESTATE);
        cr_expect_not_null(strstr(error.message, "in use by another process"), "%s", error.message);
    }
    cr_expect_eq(crawl_lines_reopen(one, &error), CRAWL_OK, "%s", error.message);
    for (unsigned flags = 0; flags <= CRAWL_LINES_APPEND; flags++)
        cr_assert_eq(crawl_lines_open(path, flags, NULL, &other, &error), CRAWL_ESTATE);
    cr_assert_eq(crawl_lines_close(one, NULL), CRAWL_OK);
    cr_expect_eq(size_of(path), strlen("first\n"));
    one = open_sink(path, CRAWL_LINES_APPEND);
    cr_assert_eq(crawl_lines_open(path, 0, NULL, &other, &error), CRAWL_ESTATE);
    cr_assert_eq(crawl_lines_close(one, NULL), CRAWL_OK);
    cr_expect_eq(size_of(path), strlen("first\n"));
}

Test(lines, lines_leave_together_and_whole)
{
    enum { LINES = 100000 };
    static const char line[] = "{\"url\":\"http://example.com/a\"}"; /* 31 bytes with its end: divides no block */
    crawl_lines *sink = open_sink(path, 0);
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
    cr_expect_eq(crawl_lines_flush(sink), CRAWL_OK);
    cr_expect_eq(size_of(path), LINES * sizeof line);
    cr_expect_eq(crawl_lines_close(sink, NULL), CRAWL_OK);
}

Test(lines, at_once_means_before_the_call_returns)
{
    crawl_lines *sink = open_sink(path, CRAWL_LINES_AT_ONCE);
    for (size_t i = 1; i <= 3; i++) {
        cr_expect_eq(put(sink, "{}"), CRAWL_OK);
        cr_expect_eq(size_of(path), i * 3);
    }
    cr_expect_eq(crawl_lines_close(sink, NULL), CRAWL_OK);
    sink = open_sink(path, CRAWL_LINES_APPEND);
    cr_expect_eq(put(sink, "{}"), CRAWL_OK);
    cr_expect_eq(size_of(path), 9, "%zu bytes: nothing is kept, or nothing waits", size_of(path));
    cr_expect_eq(crawl_lines_close(sink, NULL), CRAWL_OK);
    cr_expect_eq(size_of(path), 12);
}

Test(lines, a_line_that_could_not_be_made_is_not_there)
{
    crawl_lines *sink = open_sink(path, 0);
    cr_expect_eq(put(sink, "{\"a\":1}"), CRAWL_OK);
    cr_expect_eq(crawl_buf_append_text(crawl_lines_begin(sink), "{\"b\":"), CRAWL_OK);
    cr_expect_eq(crawl_lines_end(sink, CRAWL_ENOMEM), CRAWL_ENOMEM);
    cr_expect_eq(put(sink, "{\"c\":1}"), CRAWL_OK);
    cr_expect_eq(crawl_lines_close(sink, NULL), CRAWL_OK);
    cr_expect_eq(size_of(path), 16);
}

Test(lines, a_line_longer_than_the_buffer_is_written_too)
{
    enum { LONG = 1 << 20 };
    char *text = malloc(LONG + 1);
    cr_assert_not_null(text);
    memset(text, 'x', LONG);
    text[LONG] = '\0';
    crawl_lines *sink = open_sink(path, 0);
    for (size_t i = 1; i <= 3; i++) {
        cr_expect_eq(put(sink, text), CRAWL_OK);
        cr_expect_eq(size_of(path), i * (LONG + 1));
    }
    cr_expect_eq(crawl_lines_close(sink, NULL), CRAWL_OK);
    free(text);
}

Test(lines, a_full_disk_is_said_of_this_line_and_of_all_that_follow)
{
    crawl_error error = {0};
    crawl_lines *sink = open_sink("/dev/full", CRAWL_LINES_AT_ONCE);
    cr_expect_eq(put(sink, "{}"), CRAWL_EIO);
    cr_expect_eq(put(sink, "{}"), CRAWL_EIO);
    cr_expect_eq(crawl_lines_flush(sink), CRAWL_EIO);
    cr_expect_not(crawl_lines_abandoned(sink));
    cr_expect_eq(crawl_lines_close(sink, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message, "/dev/full: No space left on device");
}

/* A crawl that outlives its process: the files after a kill between the two. */
Test(lines, the_edges_of_a_page_are_in_their_file_before_its_record_is)
{
    static char full[] = "/dev/full";
    static char state[] = "state";
    crawl_config config = {.output = full, .links = links, .state = state};
    crawl_output *output = NULL;
    crawl_error error = {0};
    crawl_engine_hooks hooks = {.size = sizeof hooks};
    cr_assert_eq(crawl_output_create(&config, NULL, &output, &error), CRAWL_OK, "%s", error.message);
    crawl_output_hooks(output, NULL, &hooks);
    cr_assert_eq(crawl_output_open(output, &error), CRAWL_OK, "%s", error.message);
    const crawl_edge edge = {
        .size = sizeof edge, .from = crawl_slice_from("http://a/"), .to = crawl_slice_from("http://a/b")};
    const crawl_record record = {
        .size = sizeof record, .url = crawl_slice_from("http://a/"), .method = crawl_slice_from("GET")};
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(hooks.on_edge(hooks.user, NULL, &edge), CRAWL_OK);
    cr_expect_eq(size_of(links), 0, "they are written one by one");
    cr_expect_eq(hooks.on_record(hooks.user, &record), CRAWL_EIO);
    cr_expect_gt(size_of(links), 0);
    crawl_output_free(output);
}
