/* Lines in bounded memory: line ends, overlong lines, and the mark before the first. */
#include "tools/common/input_lines.h"

#include "tools/common/io.h"
#include "tools/common/status.h"

#include <criterion/criterion.h>
#include <unistd.h>

typedef struct expected {
    cw_tool_line how;
    const char *line;
} expected;

static void read_and_compare(const char *text, size_t size, size_t longest, const expected *rows)
{
    cw_tool_line_reader lines = {.in = fmemopen((void *)(uintptr_t)text, size, "r"), .longest = longest};
    cr_assert_not_null(lines.in);
    unsigned long number = 0;
    for (; rows->how != CW_LINES_END; rows++) {
        crawl_slice line = {0};
        cr_assert_eq(cw_tool_line_next(&lines, &line), rows->how, "line %lu", number + 1);
        cr_expect_eq(lines.number, ++number);
        if (rows->how == CW_LINE_READ)
            cr_expect(crawl_slice_equal(line, crawl_slice_from(rows->line)), "line %lu is \"%.*s\"", number,
                      (int)line.size, line.data);
    }
    crawl_slice none = {0};
    cr_expect_eq(cw_tool_line_next(&lines, &none), CW_LINES_END);
    cw_tool_line_free(&lines);
    fclose(lines.in);
}

#define LINES(text, longest, ...) \
    read_and_compare(text, sizeof text - 1, longest, (const expected[]){__VA_ARGS__, {CW_LINES_END, NULL}})

Test(tool_lines, lf_and_crlf_end_a_line_and_the_last_needs_none)
{
    LINES("a\nb\r\n\nc\rd\r\r\ne", 10, {CW_LINE_READ, "a"}, {CW_LINE_READ, "b"}, {CW_LINE_READ, ""},
          {CW_LINE_READ, "c\rd\r"}, {CW_LINE_READ, "e"});
    LINES("\n", 10, {CW_LINE_READ, ""});
}

Test(tool_lines, a_mark_belongs_to_no_line_where_it_begins_the_first)
{
    LINES("\xef\xbb\xbf"
          "a\n\xef\xbb\xbf"
          "b\n",
          10, {CW_LINE_READ, "a"},
          {CW_LINE_READ, "\xef\xbb\xbf"
                         "b"});
    LINES("\xef\xbb\n", 10, {CW_LINE_READ, "\xef\xbb"});
    cr_expect_eq(cw_tool_without_mark(crawl_slice_from("\xef\xbb\xbf")).size, 0);
    cr_expect_eq(cw_tool_without_mark((crawl_slice){0}).size, 0);
}

Test(tool_lines, a_line_is_as_long_as_the_longest_and_no_longer)
{
    LINES("1234\n12345\n123456\n1\n", 5, {CW_LINE_READ, "1234"}, {CW_LINE_READ, "12345"}, {CW_LINE_TOO_LONG, NULL},
          {CW_LINE_READ, "1"});
    LINES("\xef\xbb\xbf"
          "12345\r\n12345\r\n123456\r\n123456",
          5, {CW_LINE_READ, "12345"}, {CW_LINE_READ, "12345"}, {CW_LINE_TOO_LONG, NULL}, {CW_LINE_TOO_LONG, NULL});
    LINES("1234567890\r\r\r\r\r\r\r\r\n1\n", 5, {CW_LINE_TOO_LONG, NULL}, {CW_LINE_READ, "1"});
}

/* Lines are read in pieces of 1 KiB; a NUL is an ordinary byte, even at the end of a piece. */
Test(tool_lines, a_line_of_each_size_keeps_its_nuls)
{
    enum { LONGEST = 2100 };
    char bytes[LONGEST + 4];
    memset(bytes, '\0', sizeof bytes);
    for (size_t size = 1; size <= LONGEST; size++)
        for (int has_end = 0; has_end <= 1; has_end++) {
            memcpy(bytes + size, "\nx", 2);
            cw_tool_line_reader lines = {.in = fmemopen(bytes, size + (has_end ? 2 : 0), "rb"), .longest = LONGEST};
            crawl_slice line = {0};
            cr_assert_eq(cw_tool_line_next(&lines, &line), CW_LINE_READ);
            cr_assert_eq(line.size, size);
            cr_assert_eq(memchr(line.data, '\n', size), NULL);
            cr_assert_eq(lines.ended, has_end);
            cr_assert_eq(cw_tool_line_next(&lines, &line), has_end ? CW_LINE_READ : CW_LINES_END);
            cw_tool_line_free(&lines);
            fclose(lines.in);
            bytes[size] = bytes[size + 1] = '\0';
        }
}

Test(tool_lines, little_is_held_of_a_line_without_an_end)
{
    FILE *zeros = fopen("/dev/zero", "r");
    cw_tool_line_reader lines = {.in = tmpfile(), .longest = 65536};
    static char piece[1 << 20];
    cr_assert_eq(fread(piece, 1, sizeof piece, zeros), sizeof piece);
    for (int i = 0; i < 16; i++)
        cr_assert_eq(fwrite(piece, 1, sizeof piece, lines.in), sizeof piece);
    fputs("\nnext", lines.in);
    rewind(lines.in);
    crawl_slice line = {0};
    cr_expect_eq(cw_tool_line_next(&lines, &line), CW_LINE_TOO_LONG);
    cr_expect_eq(cw_tool_line_next(&lines, &line), CW_LINE_READ);
    cr_expect(crawl_slice_equal(line, crawl_slice_from("next")));
    cr_expect_lt(lines.text.capacity, 4 * 65536);
    cw_tool_line_free(&lines);
    fclose(lines.in);
    fclose(zeros);
}

Test(tool_lines, an_input_that_fails_is_no_end)
{
    cw_tool_line_reader lines = {.in = fopen("/", "r"), .longest = 10};
    crawl_slice line = {0};
    cr_expect_eq(cw_tool_line_next(&lines, &line), CW_LINES_FAILED);
    cw_tool_line_free(&lines);
    fclose(lines.in);
}

typedef struct answers {
    const int *answers;
    int calls;
} answers;

static int answer_line(void *user, crawl_slice, unsigned long, FILE *)
{
    answers *given = user;
    return given->answers[given->calls++];
}

/* The worst status counts, and after a failure of this machine no line is read. */
Test(tool_lines, a_failure_of_this_machine_ends_the_reading)
{
    static const struct {
        int answers[4], calls, status;
    } cases[] = {
        {{CW_EXIT_LOCAL}, 1, CW_EXIT_LOCAL},
        {{CW_EXIT_NOTHING, CW_EXIT_OK, CW_EXIT_LOCAL}, 3, CW_EXIT_LOCAL},
        {{CW_EXIT_NOTHING, CW_EXIT_USAGE, CW_EXIT_OK, CW_EXIT_NOTHING}, 4, CW_EXIT_USAGE},
    };
    char path[] = "/tmp/test_tool_lines.XXXXXX";
    int file = mkstemp(path);
    cr_assert_eq(write(file, "1\n2\n3\n4\n", 8), 8);
    close(file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        answers given = {.answers = cases[i].answers};
        const cw_tool_input input = {.tool = "test", .path = path, .longest = 10, .line = answer_line, .user = &given};
        cr_expect_eq(cw_tool_lines(&input, stdout), cases[i].status, "case %zu", i);
        cr_expect_eq(given.calls, cases[i].calls, "case %zu", i);
    }
    unlink(path);
}
