/* Header lines into fields. */
#include "fetch/answer/head.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define NO_LIMIT ((uint64_t)1 << 40)

/* Adds lines as libcurl passes them: each with its end. */
static crawl_err add_all(cw_fetch_head *head, const char *const *lines)
{
    crawl_err err = CRAWL_OK;
    for (; *lines && !err; lines++)
        err = cw_fetch_head_add(head, crawl_slice_from(*lines), NO_LIMIT);
    return err;
}

static void expect_field(const cw_fetch_head *head, size_t index, const char *name, const char *value)
{
    cr_assert_lt(index, head->field_count);
    crawl_header field = head->fields[index];
    cr_expect(crawl_slice_equal(field.name, crawl_slice_from(name)), "name %.*s", (int)field.name.size,
              field.name.data);
    cr_expect(crawl_slice_equal(field.value, crawl_slice_from(value)), "value %.*s", (int)field.value.size,
              field.value.data);
}

Test(head, fields_in_order_as_received)
{
    cw_fetch_head head = {0};
    const char *lines[] = {"HTTP/1.1 200 OK\r\n",
                           "Content-TYPE:text/html \t\r\n",
                           "X-Two: 1\r\n",
                           "x-two: 2\n",
                           "X-Empty:\r\n",
                           "X-Colons: a:b\r\n",
                           "\r\n",
                           NULL};
    cr_assert_eq(add_all(&head, lines), CRAWL_OK);
    cr_assert_eq(head.state, CW_HEAD_DONE);
    cr_assert_eq(cw_fetch_head_parse(&head), CRAWL_OK);
    cr_expect_eq(cw_fetch_head_final_status(&head), 200);
    cr_expect_eq(head.http_version, 11);
    cr_assert_eq(head.field_count, 5);
    expect_field(&head, 0, "Content-TYPE", "text/html");
    expect_field(&head, 1, "X-Two", "1");
    expect_field(&head, 2, "x-two", "2");
    expect_field(&head, 3, "X-Empty", "");
    expect_field(&head, 4, "X-Colons", "a:b");
    cw_fetch_head_free(&head);
}

Test(head, folded_lines_are_joined)
{
    cw_fetch_head head = {0};
    const char *lines[] = {
        "HTTP/1.1 200 OK\r\n", "A: one\r\n",      "\ttwo\r\n", "   three \r\n", "B:\r\n", " late\r\n",
        "no colon\r\n",        " of nothing\r\n", "C: 3\r\n",  "\r\n",          NULL};
    cr_assert_eq(add_all(&head, lines), CRAWL_OK);
    cr_assert_eq(cw_fetch_head_parse(&head), CRAWL_OK);
    cr_assert_eq(head.field_count, 3);
    expect_field(&head, 0, "A", "one  \ttwo     three");
    expect_field(&head, 1, "B", "late");
    expect_field(&head, 2, "C", "3");
    cw_fetch_head_free(&head);
}

Test(head, fold_before_any_field_is_refused)
{
    static const char *const folds[] = {" fold\r\n", "\tfold: 1\r\n", " \r\n"};
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++) {
        cw_fetch_head head = {0};
        const char *lines[] = {"HTTP/1.1 200 OK\r\n", folds[i], NULL};
        cr_expect_eq(add_all(&head, lines), CRAWL_EPARSE, "%s", folds[i]);
        cw_fetch_head_free(&head);
    }
}

Test(head, number_of_lines)
{
    cw_fetch_head head = {0};
    cr_assert_eq(cw_fetch_head_add(&head, crawl_slice_from("HTTP/1.1 200 OK\r\n"), NO_LIMIT), CRAWL_OK);
    for (int i = 1; i < CW_FETCH_HEAD_MAX_LINES; i++)
        cr_assert_eq(cw_fetch_head_add(&head, crawl_slice_from("A: 1\r\n"), NO_LIMIT), CRAWL_OK, "line %d", i);
    cr_expect_eq(cw_fetch_head_add(&head, crawl_slice_from("A: 1\r\n"), NO_LIMIT), CRAWL_FULL);
    cw_fetch_head_clear(&head);
    cr_expect_eq(cw_fetch_head_add(&head, crawl_slice_from("HTTP/1.1 200 OK\r\n"), NO_LIMIT), CRAWL_OK);
    cw_fetch_head_free(&head);
}

Test(head, how_the_body_is_framed)
{
    enum { PLAIN = CW_FRAMING_PLAIN, CHUNKED = CW_FRAMING_CHUNKED, REFUSED };
    static const struct {
        const char *first, *second;
        int framing;
    } rows[] = {
        {"A: 1", "", PLAIN},
        {"Content-Length: 5", "", PLAIN},
        {"content-length: 5", "Content-Length: 5", PLAIN},
        {"Content-Length: 5, 5", "Content-Length:\t5 ", PLAIN},
        {"Content-Length: 99999999999999999999999999", "", PLAIN},
        {"Content-Length: +5", "", REFUSED},
        {"Content-Length: -5", "", REFUSED},
        {"Content-Length: 5x", "", REFUSED},
        {"Content-Length: 0x5", "", REFUSED},
        {"Content-Length:", "", REFUSED},
        {"Content-Length: ,", "", REFUSED},
        {"Content-Length: 5", "Content-Length: 7", REFUSED},
        {"Content-Length: 5, 7", "", REFUSED},
        {"Transfer-Encoding: chunked", "", CHUNKED},
        {"Transfer-Encoding: Chunked", "Content-Length: 5", CHUNKED},
        {"Transfer-Encoding: chunked", "transfer-encoding: chunked, chunked", CHUNKED},
        {"Transfer-Encoding: identity", "", PLAIN},
        {"Transfer-Encoding: identity", "Content-Length: 7", CW_FRAMING_LENGTH},
        {"Content-Length: 7", "Transfer-Encoding: none", CW_FRAMING_LENGTH},
        {"Transfer-Encoding:", "", PLAIN},
        {"Transfer-Encoding: identity, chunked", "", CHUNKED},
        {"Transfer-Encoding:", "Content-Length: 7", CW_FRAMING_LENGTH},
        {"Transfer-Encoding: binary, 8bit", "Content-Length: 7", CW_FRAMING_LENGTH},
        {"Transfer-Encoding: deflate", "Content-Length: 7", REFUSED},
        {"Transfer-Encoding: chunked", "Transfer-Encoding: identity", CHUNKED},
        {"Transfer-Encoding: gzip, chunked", "", REFUSED},
        {"Transfer-Encoding: chunked, gzip", "", REFUSED},
        {"Transfer-Encoding: chunkedx", "", REFUSED},
        {"Transfer-Encoding: chunkedx", "Content-Length: 7", CW_FRAMING_LENGTH},
        {"Transfer-Encoding: chunked;q=1", "", REFUSED},
        {"Transfer-Encoding: utf-8", "", PLAIN},
        {"Transfer-Encoding : chunked", "", CW_FRAMING_CHUNKS_ALONE},
        {"Transfer-Encoding\t: identity", "", PLAIN},
        {"Content-Length : 7", "", CW_FRAMING_LENGTH},
        {"Content-Length : 7", "Transfer-Encoding: chunked", CHUNKED},
        {"Transfer-Encoding: utf-8, chunked", "", CHUNKED},
        {"Transfer-Encoding: chunked, binary", "Transfer-Encoding: 8bit", CHUNKED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cw_fetch_head head = {0};
        char text[200];
        const char *words;
        cw_fetch_framing framing;
        uint64_t bytes;
        snprintf(text, sizeof text, "%s\r\n%s\r\n", rows[i].first, rows[i].second);
        const char *lines[] = {"HTTP/1.1 200 OK\r\n", text, "\r\n", NULL};
        cr_assert_eq(add_all(&head, lines), CRAWL_OK);
        cr_assert_eq(cw_fetch_head_parse(&head), CRAWL_OK);
        crawl_err err = cw_fetch_head_framing(&head, &framing, &bytes, &words);
        cr_expect_eq(err ? REFUSED : (int)framing, rows[i].framing, "%s", text);
        cr_expect_eq(*words != '\0', err != CRAWL_OK, "%s: %s", text, words);
        cw_fetch_head_free(&head);
    }
}

Test(head, nameless_lines_are_ignored)
{
    cw_fetch_head head = {0};
    const char *lines[] = {"HTTP/1.1 200 OK\r\n", ": nameless\r\n", "\r\n", NULL};
    cr_assert_eq(add_all(&head, lines), CRAWL_OK);
    cr_assert_eq(cw_fetch_head_parse(&head), CRAWL_OK);
    cr_expect_eq(head.field_count, 0);
    cw_fetch_head_free(&head);
}

Test(head, interim_answers_leave_their_bytes_only)
{
    cw_fetch_head head = {0};
    const char *lines[] = {
        "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 404 Not Found\r\n", "A: 1\r\n", "\r\n", NULL};
    cr_assert_eq(add_all(&head, lines), CRAWL_OK);
    cr_assert_eq(cw_fetch_head_parse(&head), CRAWL_OK);
    cr_expect_eq(cw_fetch_head_final_status(&head), 404);
    cr_expect_eq(head.field_count, 1);
    cr_expect_eq(head.bytes, 26u + 9 + 2 + 24 + 6 + 2);
    cw_fetch_head_free(&head);
}

Test(head, only_interim_answers_are_no_final_status)
{
    cw_fetch_head head = {0};
    const char *lines[] = {"HTTP/1.1 100 Continue\r\n", "\r\n", NULL};
    cr_assert_eq(add_all(&head, lines), CRAWL_OK);
    cr_expect_eq(head.state, CW_HEAD_STATUS);
    cr_expect_eq(cw_fetch_head_final_status(&head), 0);
    cw_fetch_head_free(&head);
}

Test(head, trailers_are_counted_but_no_fields)
{
    cw_fetch_head head = {0};
    const char *lines[] = {"HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n", "Trailer: 1\r\n", NULL};
    cr_assert_eq(add_all(&head, lines), CRAWL_OK);
    cr_assert_eq(cw_fetch_head_parse(&head), CRAWL_OK);
    cr_expect_eq(head.field_count, 1);
    cr_expect_eq(head.bytes, 17u + 6 + 2 + 12);
    cw_fetch_head_free(&head);
}

Test(head, limit_counts_all_lines)
{
    cw_fetch_head head = {0};
    cr_expect_eq(cw_fetch_head_add(&head, crawl_slice_from("HTTP/1.1 200 OK\r\n"), 20), CRAWL_OK);
    cr_expect_eq(cw_fetch_head_add(&head, crawl_slice_from("A:\n"), 20), CRAWL_OK);
    cr_expect_eq(cw_fetch_head_add(&head, crawl_slice_from("\n"), 20), CRAWL_FULL);
    cw_fetch_head_free(&head);
}

Test(head, status_lines)
{
    const struct {
        const char *line;
        crawl_err err;
        int status;
        int version;
    } rows[] = {
        {"HTTP/1.0 301 Moved\r\n", CRAWL_OK, 301, 10}, {"HTTP/2 200 \r\n", CRAWL_OK, 200, 20},
        {"HTTP/1.1 999\r\n", CRAWL_OK, 999, 11},       {"HTTP/1.1 101 Switching\r\n", CRAWL_EPARSE, 101, 11},
        {"HTTP/1.1\r\n", CRAWL_EPARSE, 0, 0},          {"HTTP/1.1 20\r\n", CRAWL_EPARSE, 0, 0},
        {"ICY 200 OK\r\n", CRAWL_EPARSE, 0, 0},        {"HTTP/x 200 OK\r\n", CRAWL_EPARSE, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cw_fetch_head head = {0};
        cr_expect_eq(cw_fetch_head_add(&head, crawl_slice_from(rows[i].line), NO_LIMIT), rows[i].err, "%s",
                     rows[i].line);
        cr_expect_eq(head.status, rows[i].status, "%s", rows[i].line);
        cr_expect_eq(head.http_version, rows[i].version, "%s", rows[i].line);
        cw_fetch_head_free(&head);
    }
}

Test(head, used_again_after_clear)
{
    cw_fetch_head head = {0};
    const char *first[] = {"HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n", NULL};
    const char *second[] = {"HTTP/2 404\r\n", "\r\n", NULL};
    cr_assert_eq(add_all(&head, first), CRAWL_OK);
    cr_assert_eq(cw_fetch_head_parse(&head), CRAWL_OK);
    cw_fetch_head_clear(&head);
    cr_assert_eq(add_all(&head, second), CRAWL_OK);
    cr_assert_eq(cw_fetch_head_parse(&head), CRAWL_OK);
    cr_expect_eq(cw_fetch_head_final_status(&head), 404);
    cr_expect_eq(head.field_count, 0);
    cw_fetch_head_free(&head);
}
