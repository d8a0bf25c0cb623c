/* The parts of --output exec: that need no process: words, answers, versions, and the meaning of a record. */
#include "crawler/program/exec/child.h"
#include "crawler/program/exec/exec_output.h"
#include "crawler/program/exec/sink.h"
#include "crawler/program/exec/talk.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

Test(exec_words, are_split_without_a_shell)
{
    static const char *const rows[][6] = {
        {"cat", "cat"},
        {"  a\tb  c ", "a", "b", "c"},
        {"psql -c 'select 1; $HOME' \"a \\\"b\\\"\"", "psql", "-c", "select 1; $HOME", "a \"b\""},
        {"a'b c'd \\ e '' 'x\\'", "ab cd", " e", "", "x\\"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char **words;
        crawl_error error = {0};
        size_t count = 0;
        cr_assert_eq(cw_exec_words_split(rows[i][0], &words, &error), CRAWL_OK, "%s", error.message);
        for (; words[count]; count++)
            cr_expect_str_eq(words[count], rows[i][count + 1]);
        cr_expect(count == 5 || !rows[i][count + 1], "%s", rows[i][0]);
        free(words);
    }
}

Test(exec_words, refuse_nothing_and_a_quote_without_an_end)
{
    static const char *const wrong[] = {"", "  ", "a 'b", "a \"b\\\""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char **words;
        cr_expect_eq(cw_exec_words_split(wrong[i], &words, NULL), CRAWL_EINVAL, "%s", wrong[i]);
    }
}

Test(exec_answer, is_read_or_refused)
{
    cw_exec_answer answer;
    cr_expect(cw_exec_answer_read(crawl_slice_from("{\"ack\":3,\"ack_to\":2}"), &answer));
    cr_expect(answer.ack == 3 && answer.ack_to == 2 && !answer.nack);
    cr_expect(cw_exec_answer_read(crawl_slice_from("{\"nack\":7,\"after_ms\":250}"), &answer));
    cr_expect(answer.nack == 7 && answer.retry && answer.after_ms == 250);
    cr_expect(cw_exec_answer_read(crawl_slice_from("{\"nack\":7,\"retry\":false,\"reason\":\"no\"}"), &answer));
    cr_expect(!answer.retry);
    cr_expect_str_eq(answer.reason, "no");
    cr_expect(cw_exec_answer_read(crawl_slice_from("{\"mood\":\"fine\"}"), &answer));
    static const char *const wrong[] = {
        "", "ack 1", "[1]", "{\"ack\":0}", "{\"ack\":-1}", "{\"ack\":\"1\"}", "{\"nack\":1.5}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_not(cw_exec_answer_read(crawl_slice_from(wrong[i]), &answer), "%s", wrong[i]);
}

Test(exec_answer, refuses_a_line_only_if_it_was_open)
{
    static const char answers[] = "{\"ack\":1}\n{\"nack\":1,\"retry\":false,\"reason\":\"late\"}\n"
                                  "{\"nack\":2,\"retry\":false,\"reason\":\"bad\"}\n";
    int ends[2];
    char words[300];
    cw_exec_output output = {.refused = 0};
    cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
    cw_outputs_window_init(&output.window, NULL);
    output.child.output = ends[0];
    for (uint64_t i = 1, number; i <= 2; i++) {
        cr_assert_eq(cw_outputs_window_enter(&output.window, 0), CRAWL_OK);
        cr_assert_eq(cw_exec_open_add(&output.open, calloc(1, sizeof(cw_exec_line)), &number), CRAWL_OK);
        cr_assert_eq(number, i);
    }
    cr_assert_eq(write(ends[1], answers, sizeof answers - 1), (ssize_t)sizeof answers - 1);
    cr_expect(cw_exec_talk_read(&output, words), "%s", words);
    cr_expect_eq(output.refused, 1);
    cr_expect_str_eq(output.reason, "bad");
    cr_expect_eq(output.window.count, 0);
    cw_exec_open_take_all(&output.open);
    crawl_buf_free(&output.answers);
    cw_outputs_window_free(&output.window);
    close(ends[0]);
    close(ends[1]);
}

static int64_t next(cw_exec_versions *versions, int64_t now_ms)
{
    int64_t version = 0;
    crawl_error error = {0};
    cr_assert_eq(cw_exec_versions_next(versions, now_ms, &version, &error), CRAWL_OK, "%s", error.message);
    return version;
}

Test(exec_versions, grow_through_runs_and_clocks_that_are_set_back)
{
    char folder[] = "/tmp/crawl-versions-XXXXXX";
    cr_assert(mkdtemp(folder));
    cw_exec_versions versions;
    int64_t last = 0;
    for (int64_t now = 1000000; now > 0; now -= 300000) { /* each run is killed, with an earlier clock */
        cr_assert_eq(cw_exec_versions_open(folder, &versions, NULL), CRAWL_OK);
        for (unsigned i = 0; i < 25000; i++) {
            int64_t version = next(&versions, now + i % 7);
            cr_assert_gt(version, last);
            last = version;
        }
        cw_exec_versions_free(&versions);
    }
    cr_assert_eq(cw_exec_versions_open(folder, &versions, NULL), CRAWL_OK);
    cr_expect_eq(next(&versions, last + 1000000), last + 1000000, "the time, where that is greater");
    char *path = strdup(versions.path.data);
    cw_exec_versions_free(&versions);
    FILE *file = fopen(path, "w");
    fputs("12x\n", file);
    fclose(file);
    cr_expect_eq(cw_exec_versions_open(folder, &versions, NULL), CRAWL_ECORRUPT);
    cw_exec_versions_free(&versions);
    unlink(path);
    rmdir(folder);
    free(path);
}

#define TEXT(text) ((crawl_slice){(text), sizeof(text) - 1})
#define PAGE .url = TEXT("http://a/p"), .method = TEXT("GET"), .status

Test(exec_operation, is_told_by_the_record)
{
    static const struct {
        crawl_record record;
        const char *operation;
    } rows[] = {
        {{PAGE = 200}, "index"},
        {{PAGE = 200, .change = CRAWL_CHANGE_YES}, "index"},
        {{PAGE = 200, .change = CRAWL_CHANGE_NO}, "keep"},
        {{PAGE = 304, .change = CRAWL_CHANGE_NO}, "keep"},
        {{PAGE = 200, .robots = CRAWL_ROBOTS_NOINDEX}, "delete"},
        {{PAGE = 200, .robots = CRAWL_ROBOTS_NOFOLLOW}, "index"},
        {{PAGE = 200, .canonical_link = TEXT("http://a/other")}, "delete"},
        {{PAGE = 200, .canonical_link = TEXT("HTTP://A:80/p")}, "index"},
        {{PAGE = 200, .canonical = TEXT("http://a/q"), .canonical_link = TEXT("HTTP://A:80/q")}, "index"},
        {{PAGE = 200, .withheld = "search"}, "delete"},
        {{PAGE = 304, .withheld = "search"}, "delete"},
        {{PAGE = 200, .error = "too-large"}, "keep"},
        {{PAGE = 200, .error = "soft-404", .verdict = "soft-404"}, "delete"},
        {{PAGE = 200, .verdict = "challenge"}, "keep"},
        {{PAGE = 404, .verdict = "wall"}, "keep"},
        {{PAGE = 404}, "delete"},
        {{PAGE = 410}, "delete"},
        {{PAGE = 403}, "keep"},
        {{PAGE = 429}, "keep"},
        {{PAGE = 503}, "keep"},
        {{PAGE = 0, .error = "timeout"}, "keep"},
        {{PAGE = 0, .error = "robots"}, "keep"},
        {{PAGE = 301, .redirect = TEXT("http://a/q")}, "delete"},
        {{PAGE = 308, .redirect = TEXT("http://b/"), .error = "scope"}, "delete"},
        {{PAGE = 301, .redirect = TEXT("http://a/p")}, "keep"},
        {{PAGE = 301}, "keep"},
        {{PAGE = 302, .redirect = TEXT("http://a/q")}, "keep"},
        {{PAGE = 404, .external = true}, "keep"},
        {{PAGE = 200, .requisite = true}, "keep"},
        {{.url = TEXT("http://a/p"), .method = TEXT("HEAD"), .status = 200}, "keep"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(cw_exec_operation(&rows[i].record), rows[i].operation, "row %zu", i);
}
