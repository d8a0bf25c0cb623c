/* Content codings, valid and broken, in one piece and byte by byte. */
#include "fetch/answer/decode.h"

#include <criterion/criterion.h>
#include <zlib.h>
#include <zstd.h>

enum { GZIP = 31, ZLIB = 15, RAW = -15 };

#define LIMIT ((size_t)1 << 20)

/* "<p>brotli</p>" in an uncompressed meta-block, then the empty last one (RFC 7932, 9.2). */
static const char brotli_page[] = "\xc0\x00\x10<p>brotli</p>\x03";

static void compress_into(crawl_buf *out, crawl_slice plain, int window)
{
    z_stream z = {0};
    cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(crawl_buf_reserve(out, deflateBound(&z, plain.size) + 64), CRAWL_OK);
    z.next_in = (Bytef *)(uintptr_t)plain.data;
    z.avail_in = (uInt)plain.size;
    z.next_out = (Bytef *)out->data + out->size;
    z.avail_out = (uInt)(out->capacity - out->size);
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->size += z.total_out;
    deflateEnd(&z);
}

static void compress_text(crawl_buf *out, const char *text, int window)
{
    compress_into(out, crawl_slice_from(text), window);
}

/* Feeds `bytes` in pieces, then finishes. */
static crawl_err decode(const char *codings, crawl_slice bytes, size_t piece, size_t limit, crawl_buf *out)
{
    cw_fetch_decoder decoder = {0};
    crawl_err err = cw_fetch_decoder_add(&decoder, crawl_slice_from(codings));
    for (size_t at = 0; at < bytes.size && !err; at += piece) {
        size_t size = bytes.size - at < piece ? bytes.size - at : piece;
        err = cw_fetch_decoder_feed(&decoder, crawl_slice_of(bytes.data + at, size), out, limit);
    }
    if (!err)
        err = cw_fetch_decoder_finish(&decoder);
    cw_fetch_decoder_clear(&decoder);
    return err;
}

static void expect(const char *codings, crawl_slice bytes, crawl_err err, const char *plain)
{
    for (size_t piece = 1; piece <= bytes.size + 1; piece += bytes.size ? bytes.size : 1) {
        crawl_buf out = {0};
        cr_expect_eq(decode(codings, bytes, piece, LIMIT, &out), err, "%s by %zu", codings, piece);
        cr_expect_str_eq(out.data ? out.data : "", plain, "%s by %zu", codings, piece);
        crawl_buf_free(&out);
    }
}

Test(decode, none)
{
    expect("", crawl_slice_from("plain"), CRAWL_OK, "plain");
    expect("identity, none,", crawl_slice_from("plain"), CRAWL_OK, "plain");
}

Test(decode, each_coding)
{
    const struct {
        const char *coding;
        int window;
    } rows[] = {{"gzip", GZIP}, {"X-GZip", GZIP}, {"deflate", ZLIB}, {"deflate", RAW}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf packed = {0};
        compress_text(&packed, "a page, a page, a page", rows[i].window);
        expect(rows[i].coding, crawl_buf_slice(&packed), CRAWL_OK, "a page, a page, a page");
        crawl_buf_free(&packed);
    }
    expect("br", crawl_slice_of(brotli_page, sizeof brotli_page - 1), CRAWL_OK, "<p>brotli</p>");
}

Test(decode, one_in_the_other_is_undone_from_the_last)
{
    crawl_buf inner = {0};
    crawl_buf outer = {0};
    compress_text(&inner, "twice", ZLIB);
    compress_into(&outer, crawl_buf_slice(&inner), GZIP);
    expect("deflate, gzip", crawl_buf_slice(&outer), CRAWL_OK, "twice");
    cw_fetch_decoder two_fields = {0};
    crawl_buf out = {0};
    cr_assert_eq(cw_fetch_decoder_add(&two_fields, crawl_slice_from("deflate")), CRAWL_OK);
    cr_assert_eq(cw_fetch_decoder_add(&two_fields, crawl_slice_from("gzip")), CRAWL_OK);
    cr_expect_eq(cw_fetch_decoder_feed(&two_fields, crawl_buf_slice(&outer), &out, LIMIT), CRAWL_OK);
    cr_expect_str_eq(out.data, "twice");
    cw_fetch_decoder_clear(&two_fields);
    crawl_buf_free(&out);
    crawl_buf_free(&inner);
    crawl_buf_free(&outer);
}

Test(decode, with_an_unknown_one_the_bytes_pass)
{
    static const char *const codings[] = {"utf-8", "gzip, binary", "8bit, gzip", "wild, gzip, gzip, gzip, gzip"};
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++)
        expect(codings[i], crawl_slice_from("as received"), CRAWL_OK, "as received");
}

Test(decode, too_many)
{
    cw_fetch_decoder decoder = {0};
    cr_expect_eq(cw_fetch_decoder_add(&decoder, crawl_slice_from("gzip, gzip, gzip")), CRAWL_OK);
    cr_expect_eq(cw_fetch_decoder_add(&decoder, crawl_slice_from("gzip")), CRAWL_FULL);
    cw_fetch_decoder_clear(&decoder);
}

Test(decode, cut_anywhere_is_noticed)
{
    static const char text[] = "some words, and some words again";
    const struct {
        const char *coding;
        int window;
    } rows[] = {{"gzip", GZIP}, {"deflate", ZLIB}, {"deflate", RAW}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf packed = {0};
        compress_text(&packed, text, rows[i].window);
        for (size_t size = 1; size < packed.size; size++) {
            crawl_buf out = {0};
            crawl_err err = decode(rows[i].coding, crawl_slice_of(packed.data, size), 7, LIMIT, &out);
            cr_expect_eq(err, CRAWL_EPARSE, "%s cut at %zu", rows[i].coding, size);
            cr_expect(out.size == 0 || strncmp(out.data, text, out.size) == 0);
            crawl_buf_free(&out);
        }
        crawl_buf_free(&packed);
    }
    for (size_t size = 1; size < sizeof brotli_page - 1; size++) {
        crawl_buf out = {0};
        cr_expect_eq(decode("br", crawl_slice_of(brotli_page, size), 7, LIMIT, &out), CRAWL_EPARSE, "br cut at %zu",
                     size);
        crawl_buf_free(&out);
    }
}

Test(decode, nothing_at_all_is_no_cut)
{
    expect("gzip", crawl_slice_from(""), CRAWL_OK, "");
    expect("br", crawl_slice_from(""), CRAWL_OK, "");
}

Test(decode, plain_bytes_under_a_coding)
{
    expect("gzip", crawl_slice_from("<!doctype html>"), CRAWL_EPARSE, "");
}

Test(decode, wrong_check_value_keeps_the_text)
{
    crawl_buf packed = {0};
    compress_text(&packed, "right until here", GZIP);
    packed.data[packed.size - 8] ^= 1;
    expect("gzip", crawl_buf_slice(&packed), CRAWL_EPARSE, "right until here");
    crawl_buf_free(&packed);
}

Test(decode, gzip_members_follow_one_another)
{
    crawl_buf packed = {0};
    compress_text(&packed, "one ", GZIP);
    compress_text(&packed, "two", GZIP);
    expect("gzip", crawl_buf_slice(&packed), CRAWL_OK, "one two");
    expect("gzip", crawl_slice_of(packed.data, packed.size - 3), CRAWL_EPARSE, "one two");
    crawl_buf_free(&packed);
}

Test(decode, bytes_after_the_end_are_passed_over)
{
    const char *const tails[] = {"\0\0\0\0", " text", "\x1f is no member", "\x1f\x8b\x63"};
    const size_t sizes[] = {4, 5, 14, 3};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        crawl_buf packed = {0};
        compress_text(&packed, "page", GZIP);
        cr_assert_eq(crawl_buf_append(&packed, tails[i], sizes[i]), CRAWL_OK);
        expect("gzip", crawl_buf_slice(&packed), CRAWL_OK, "page");
        crawl_buf_free(&packed);
    }
}

Test(decode, bytes_after_the_end_have_a_limit)
{
    crawl_buf packed = {0};
    compress_text(&packed, "page", GZIP);
    cr_assert_eq(crawl_buf_reserve(&packed, 70000), CRAWL_OK);
    memset(packed.data + packed.size, 0, 70000);
    packed.size += 70000;
    crawl_buf out = {0};
    cr_expect_eq(decode("gzip", crawl_buf_slice(&packed), 1000, LIMIT, &out), CRAWL_EPARSE);
    cr_expect_str_eq(out.data, "page");
    crawl_buf_free(&out);
    crawl_buf_free(&packed);
}

Test(decode, limit_is_exact)
{
    crawl_buf packed = {0};
    compress_text(&packed, "0123456789", GZIP);
    const struct {
        size_t limit;
        crawl_err err;
        size_t size;
    } rows[] = {{11, CRAWL_OK, 10}, {10, CRAWL_OK, 10}, {9, CRAWL_FULL, 9}, {1, CRAWL_FULL, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf out = {0};
        cr_expect_eq(decode("gzip", crawl_buf_slice(&packed), 100, rows[i].limit, &out), rows[i].err);
        cr_expect_eq(out.size, rows[i].size);
        crawl_buf_free(&out);
        cr_expect_eq(decode("", crawl_slice_from("0123456789"), 3, rows[i].limit, &out), rows[i].err);
        cr_expect_eq(out.size, rows[i].size);
        crawl_buf_free(&out);
    }
    crawl_buf_free(&packed);
}

/* 16 MiB of zero bytes. */
static void make_bomb(crawl_buf *packed)
{
    crawl_buf zeros = {0};
    size_t size = (size_t)16 << 20;
    cr_assert_eq(crawl_buf_reserve(&zeros, size), CRAWL_OK);
    memset(zeros.data, 0, size);
    zeros.size = size;
    compress_into(packed, crawl_buf_slice(&zeros), GZIP);
    crawl_buf_free(&zeros);
}

Test(decode, bomb_ends_at_the_limit_in_little_memory)
{
    crawl_buf packed = {0};
    make_bomb(&packed);
    crawl_buf out = {0};
    cr_expect_eq(decode("gzip", crawl_buf_slice(&packed), SIZE_MAX / 2, 100000, &out), CRAWL_FULL);
    cr_expect_eq(out.size, 100000);
    cr_expect_lt(out.capacity, 300000);
    crawl_buf_free(&out);
    crawl_buf_free(&packed);
}

/* A bomb that is stopped every 100,000 bytes gives the same result in the end, even if all of it was read before. */
Test(decode, stops_where_it_is_told_and_goes_on)
{
    enum { STEP = 16 * 1024, MORE = 100000 };
    crawl_buf packed = {0};
    crawl_buf out = {0};
    cw_fetch_decoder decoder = {0};
    make_bomb(&packed);
    crawl_slice bytes = crawl_buf_slice(&packed);
    cr_assert_eq(cw_fetch_decoder_add(&decoder, crawl_slice_from("gzip")), CRAWL_OK);
    size_t until = MORE;
    crawl_err err;
    while ((err = cw_fetch_decoder_feed_until(&decoder, &bytes, &out, until, SIZE_MAX / 2)) == CRAWL_AGAIN) {
        cr_assert_geq(out.size, until);
        cr_assert_leq(out.size, until + STEP);
        until += MORE;
    }
    cr_expect_eq(err, CRAWL_OK);
    cr_expect_eq(out.size, (size_t)16 << 20);
    cr_expect_eq(cw_fetch_decoder_finish(&decoder), CRAWL_OK);
    cw_fetch_decoder_clear(&decoder);
    crawl_buf_free(&out);
    crawl_buf_free(&packed);
}

/* Without a coding, and with several, a piece is consumed completely or not at all. */
Test(decode, takes_a_piece_whole_or_not_at_all)
{
    crawl_buf twice = {0}, once = {0}, out = {0};
    cw_fetch_decoder none = {0}, two = {0};
    crawl_slice plain = crawl_slice_from("0123456789");
    cr_expect_eq(cw_fetch_decoder_feed_until(&none, &plain, &out, 9, LIMIT), CRAWL_AGAIN);
    cr_expect_eq(plain.size, 10);
    cr_expect_eq(cw_fetch_decoder_feed_until(&none, &plain, &out, 10, LIMIT), CRAWL_OK);
    cr_expect_eq(out.size, 10);
    compress_text(&once, "twice", GZIP);
    compress_into(&twice, crawl_buf_slice(&once), GZIP);
    crawl_slice bytes = crawl_buf_slice(&twice);
    cr_assert_eq(cw_fetch_decoder_add(&two, crawl_slice_from("gzip, gzip")), CRAWL_OK);
    cr_expect_eq(cw_fetch_decoder_feed_until(&two, &bytes, &out, LIMIT - 1, LIMIT), CRAWL_AGAIN);
    cr_expect_eq(bytes.size, twice.size);
    cr_expect_eq(cw_fetch_decoder_feed_until(&two, &bytes, &out, SIZE_MAX, LIMIT), CRAWL_OK);
    cr_expect_eq(out.size, 15);
    cw_fetch_decoder_clear(&two);
    crawl_buf_free(&out);
    crawl_buf_free(&once);
    crawl_buf_free(&twice);
}

/* The inner stream has only empty members, and would continue for ever without a byte of body. */
Test(decode, bomb_between_two_codings_ends_too)
{
    crawl_buf empty = {0};
    crawl_buf inner = {0};
    crawl_buf outer = {0};
    crawl_buf out = {0};
    compress_text(&empty, "", GZIP);
    while (inner.size < (size_t)1 << 20)
        cr_assert_eq(crawl_buf_append(&inner, empty.data, empty.size), CRAWL_OK);
    compress_into(&outer, crawl_buf_slice(&inner), GZIP);
    cr_expect_eq(decode("gzip, gzip", crawl_buf_slice(&outer), SIZE_MAX / 2, inner.size, &out), CRAWL_OK);
    cr_expect_eq(decode("gzip, gzip", crawl_buf_slice(&outer), SIZE_MAX / 2, 100000, &out), CRAWL_FULL);
    cr_expect_eq(out.size, 0);
    crawl_buf_free(&out);
    crawl_buf_free(&outer);
    crawl_buf_free(&inner);
    crawl_buf_free(&empty);
}

static void zstd_text(crawl_buf *out, const char *text)
{
    size_t size = strlen(text);
    cr_assert_eq(crawl_buf_reserve(out, ZSTD_compressBound(size)), CRAWL_OK);
    size_t packed = ZSTD_compress(out->data + out->size, ZSTD_compressBound(size), text, size, 3);
    cr_assert_not(ZSTD_isError(packed));
    out->size += packed;
}

Test(decode, zstd_frames_follow_one_another)
{
    crawl_buf packed = {0};
    zstd_text(&packed, "first ");
    expect("zstd", crawl_buf_slice(&packed), CRAWL_OK, "first ");
    zstd_text(&packed, "second");
    expect("zstd", crawl_buf_slice(&packed), CRAWL_OK, "first second");
    crawl_buf_append_text(&packed, "\nwhat a server appends");
    expect("zstd", crawl_buf_slice(&packed), CRAWL_OK, "first second");
    crawl_buf_free(&packed);
    expect("zstd", crawl_slice_from("not zstd"), CRAWL_EPARSE, "");
}

Test(decode, zstd_cut_anywhere_is_noticed)
{
    crawl_buf packed = {0};
    zstd_text(&packed, "some words, and some words again");
    for (size_t size = 1; size < packed.size; size++) {
        crawl_buf out = {0};
        cr_expect_eq(decode("zstd", crawl_slice_of(packed.data, size), 7, LIMIT, &out), CRAWL_EPARSE, "cut at %zu",
                     size);
        crawl_buf_free(&out);
    }
    crawl_buf_free(&packed);
}

Test(decode, zstd_bomb_ends_at_the_limit)
{
    enum { HUGE = 4 << 20 };
    char *zeros = calloc(1, HUGE + 1);
    memset(zeros, 'z', HUGE);
    crawl_buf packed = {0};
    zstd_text(&packed, zeros);
    crawl_buf out = {0};
    cr_expect_eq(decode("zstd", crawl_buf_slice(&packed), 1000, 10000, &out), CRAWL_FULL);
    cr_expect_eq(out.size, 10000);
    cr_expect_lt(out.capacity, 100000);
    crawl_buf_free(&out);
    crawl_buf_free(&packed);
    free(zeros);
}

Test(decode, zstd_window_beyond_http_is_refused)
{
    /* RFC 9659: at most 8 MiB; this one asks for 128 */
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
    char packed[256];
    ZSTD_inBuffer in = {"wide", 4, 0};
    ZSTD_outBuffer made = {packed, sizeof packed, 0};
    cr_assert_eq(ZSTD_compressStream2(context, &made, &in, ZSTD_e_flush), 0);
    cr_assert_eq(ZSTD_compressStream2(context, &made, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(context);
    expect("zstd", crawl_slice_of(packed, made.pos), CRAWL_EPARSE, "");
}
