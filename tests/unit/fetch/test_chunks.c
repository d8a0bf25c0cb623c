/* The chunked coding, whole and split in two at every place. */
#include "fetch/answer/chunks.h"

#include <criterion/criterion.h>

typedef struct outcome {
    crawl_err err;
    crawl_buf data;
    cw_fetch_chunks chunks;
} outcome;

static void feed(outcome *o, crawl_slice bytes)
{
    while (bytes.size > 0 && !o->err) {
        crawl_slice data;
        o->err = cw_fetch_chunks_next(&o->chunks, &bytes, &data);
        if (!o->err)
            cr_assert_eq(crawl_buf_append(&o->data, data.data, data.size), CRAWL_OK);
    }
}

static const struct row {
    const char *bytes;
    crawl_err err;
    const char *data;
    bool done;
    uint64_t besides;
} rows[] = {
    {"5\r\nhello\r\n0\r\n\r\n", CRAWL_OK, "hello", true, 0},
    {"5\nhello\n0\n\n", CRAWL_OK, "hello", true, 0},
    {"1\r\nh\r\n0004\r\nello\r\n000\r\n\r\n", CRAWL_OK, "hello", true, 0},
    {"A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", CRAWL_OK, "01234567890123456789", true, 0},
    {"0\r\n\r\nwhat follows", CRAWL_OK, "", true, 0},
    {"5;a=b\r\nhello\r\n0;c\r\n\r\n", CRAWL_OK, "hello", true, 7},
    {"5 \r\nhello\r\n0\r\n\r\n", CRAWL_OK, "hello", true, 2},
    {"5\r\nhello\r\n0\r\nA: 1\r\nB: 2\n\r\n", CRAWL_OK, "hello", true, 11},
    {"5\r\nhel", CRAWL_OK, "hel", false, 0},
    {"5\r\nhello\r\n", CRAWL_OK, "hello", false, 0},
    {"5\r\nhello\r\n0\r\n", CRAWL_OK, "hello", false, 0},
    {"7fffffffffffffff\r\nhello", CRAWL_OK, "hello", false, 0},
    {"8000000000000000\r\nhello", CRAWL_EPARSE, "", false, 0},
    {"00000000000000005\r\nhello", CRAWL_EPARSE, "", false, 0},
    {"-5\r\nhello\r\n", CRAWL_EPARSE, "", false, 0},
    {"\r\nhello\r\n", CRAWL_EPARSE, "", false, 0},
    {";x\r\n", CRAWL_EPARSE, "", false, 0},
    {"zz\r\n", CRAWL_EPARSE, "", false, 0},
    {"5\r\nhello, more\r\n", CRAWL_EPARSE, "hello", false, 0},
    {"5\r\nhello0\r\n\r\n", CRAWL_EPARSE, "hello", false, 0},
    {"0\r\nA: 1\rB: 2\r\n\r\n", CRAWL_EPARSE, "", false, 0},
};

static void check(const struct row *row, const outcome *o, size_t cut)
{
    cr_expect_eq(o->err, row->err, "%s cut at %zu: error %d", row->bytes, cut, o->err);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&o->data), crawl_slice_from(row->data)), "%s cut at %zu: %.*s",
              row->bytes, cut, (int)o->data.size, o->data.data);
    if (!row->err) {
        cr_expect_eq(o->chunks.state == CW_CHUNKS_DONE, row->done, "%s cut at %zu", row->bytes, cut);
        cr_expect_leq(o->chunks.besides, row->besides + 4, "%s: %zu", row->bytes, (size_t)o->chunks.besides);
        cr_expect_geq(o->chunks.besides, row->besides, "%s: %zu", row->bytes, (size_t)o->chunks.besides);
    }
}

Test(chunks, in_every_cut)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t size = strlen(rows[i].bytes);
        for (size_t cut = 0; cut <= size; cut++) {
            outcome o = {0};
            feed(&o, crawl_slice_of(rows[i].bytes, cut));
            feed(&o, crawl_slice_of(rows[i].bytes + cut, size - cut));
            check(&rows[i], &o, cut);
            crawl_buf_free(&o.data);
        }
    }
}

Test(chunks, a_trailer_without_end)
{
    outcome o = {0};
    feed(&o, crawl_slice_from("0\r\n"));
    for (int i = 0; i < 4000 && !o.err; i++)
        feed(&o, crawl_slice_from("x"));
    cr_expect_eq(o.err, CRAWL_OK);
    feed(&o, crawl_slice_from("x"));
    cr_expect_eq(o.err, CRAWL_FULL);
    crawl_buf_free(&o.data);
}
