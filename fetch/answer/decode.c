/* See decode.h. Each coding is a row of a table, with functions that begin a stream, decode a step of it, and free it.
 * A decoder is a chain of such streams: each one but the last writes to a small stack buffer that feeds the next, and
 * the last writes to the body. The output of every stream is limited, not only the body: a bomb may hide between two
 * streams. */
#include "fetch/answer/decode.h"

#include "base/bytes.h"

#include <brotli/decode.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* Maximum bytes decoded in one step. */
#define STEP_BYTES ((size_t)16 * 1024)

/* Bytes ignored after the end of a stream: some servers add padding, or a message of their own, to a compressed page.
 * Pages never have more. */
#define MAX_TRAILING_BYTES ((size_t)64 * 1024)

struct cw_fetch_decode_stage {
    const cw_fetch_coding *coding;
    z_stream zlib;
    BrotliDecoderState *brotli;
    ZSTD_DStream *zstd;
    bool between_frames; /* zstd: a complete frame was read, and nothing of another one */
    uint64_t written;
    size_t trailing;       /* bytes after the end */
    unsigned members;      /* gzip: complete members so far */
    unsigned char held[2]; /* deflate: the first bytes, until both are there */
    unsigned char held_count;
    bool fed;
    bool ended;
    bool filled; /* it may have more output, even without new input */
};

struct cw_fetch_coding {
    const char *name;
    crawl_err (*begin)(cw_fetch_decode_stage *stage);
    /* Reads from *in and advances it, writes at most room bytes to out, sets *made to their number, and sets
     * stage->ended at the end of the stream. */
    crawl_err (*step)(cw_fetch_decode_stage *stage, crawl_slice *in, char *out, size_t room, size_t *made);
    void (*end)(cw_fetch_decode_stage *stage);
};

/* ---- gzip (RFC 1952) and deflate (RFC 1950; bare RFC 1951 from many servers) ---- */

enum { WINDOW_BITS = 15, GZIP_WINDOW = WINDOW_BITS + 16, RAW_WINDOW = -WINDOW_BITS };

static const char GZIP_MAGIC = '\x1f';

static crawl_err zlib_begin(cw_fetch_decode_stage *stage, int window)
{
    int rc = inflateInit2(&stage->zlib, window);
    return rc == Z_OK ? CRAWL_OK : CRAWL_ENOMEM;
}

static crawl_err gzip_begin(cw_fetch_decode_stage *stage)
{
    return zlib_begin(stage, GZIP_WINDOW);
}

static crawl_err deflate_begin(cw_fetch_decode_stage *stage)
{
    return zlib_begin(stage, WINDOW_BITS);
}

static void zlib_end(cw_fetch_decode_stage *stage)
{
    inflateEnd(&stage->zlib);
}

static crawl_err zlib_step(cw_fetch_decode_stage *stage, crawl_slice *in, char *out, size_t room, size_t *made)
{
    z_stream *z = &stage->zlib;
    size_t given = in->size < UINT_MAX ? in->size : UINT_MAX;
    z->next_in = (Bytef *)(uintptr_t)in->data;
    z->avail_in = (uInt)given;
    z->next_out = (Bytef *)out;
    z->avail_out = (uInt)room;
    int rc = inflate(z, Z_SYNC_FLUSH);
    *made = room - z->avail_out;
    *in = crawl_slice_of(in->data + (given - z->avail_in), in->size - (given - z->avail_in));
    stage->ended = rc == Z_STREAM_END;
    if (rc == Z_MEM_ERROR)
        return CRAWL_ENOMEM;
    return rc == Z_OK || rc == Z_BUF_ERROR || rc == Z_STREAM_END ? CRAWL_OK : CRAWL_EPARSE;
}

/* RFC 1952, 2.2: members may follow one another. Bytes after a complete member that are not another member do not
 * belong to the page. */
static crawl_err gzip_step(cw_fetch_decode_stage *stage, crawl_slice *in, char *out, size_t room, size_t *made)
{
    *made = 0;
    bool between = stage->members > 0 && stage->zlib.total_in == 0;
    if (between && in->size > 0 && in->data[0] != GZIP_MAGIC) {
        stage->ended = true;
        return CRAWL_OK;
    }
    crawl_err err = zlib_step(stage, in, out, room, made);
    if (err == CRAWL_EPARSE && stage->members > 0 && stage->zlib.total_out == 0) {
        stage->ended = true;
        return CRAWL_OK;
    }
    if (!err && stage->ended) {
        stage->members++;
        stage->ended = false;
        inflateReset(&stage->zlib);
    }
    return err;
}

/* Returns true if the first two bytes have the compression method and the check bits of RFC 1950, 2.2. */
static bool is_zlib_header(const unsigned char bytes[2])
{
    return (bytes[0] & 0x0f) == Z_DEFLATED && (bytes[0] * 256 + bytes[1]) % 31 == 0;
}

/* Holds back the first two bytes to tell RFC 1950 from RFC 1951, then feeds them to the stream. */
static crawl_err deflate_step(cw_fetch_decode_stage *stage, crawl_slice *in, char *out, size_t room, size_t *made)
{
    if (stage->held_count == sizeof stage->held)
        return zlib_step(stage, in, out, room, made);
    *made = 0;
    while (stage->held_count < sizeof stage->held && in->size > 0) {
        stage->held[stage->held_count++] = (unsigned char)in->data[0];
        *in = crawl_slice_of(in->data + 1, in->size - 1);
    }
    if (stage->held_count < sizeof stage->held)
        return CRAWL_OK;
    if (!is_zlib_header(stage->held))
        inflateReset2(&stage->zlib, RAW_WINDOW);
    crawl_slice held = crawl_slice_of(stage->held, sizeof stage->held);
    return zlib_step(stage, &held, out, room, made);
}

/* ---- br (RFC 7932): its window, at most 16 MiB, grows with what is decoded ---- */

static crawl_err brotli_begin(cw_fetch_decode_stage *stage)
{
    stage->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    return stage->brotli ? CRAWL_OK : CRAWL_ENOMEM;
}

static void brotli_end(cw_fetch_decode_stage *stage)
{
    BrotliDecoderDestroyInstance(stage->brotli);
}

static crawl_err brotli_step(cw_fetch_decode_stage *stage, crawl_slice *in, char *out, size_t room, size_t *made)
{
    const uint8_t *next_in = (const uint8_t *)in->data;
    uint8_t *next_out = (uint8_t *)out;
    size_t left = room;
    size_t in_left = in->size;
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(stage->brotli, &in_left, &next_in, &left, &next_out, NULL);
    *made = room - left;
    *in = crawl_slice_of(next_in, in_left);
    stage->ended = result == BROTLI_DECODER_RESULT_SUCCESS;
    return result == BROTLI_DECODER_RESULT_ERROR ? CRAWL_EPARSE : CRAWL_OK;
}

/* ---- zstd (RFC 8878), with the window that HTTP allows (RFC 9659: 8 MiB) ---- */

enum { ZSTD_WINDOW_LOG = 23 };

static crawl_err zstd_begin(cw_fetch_decode_stage *stage)
{
    stage->zstd = ZSTD_createDStream();
    if (!stage->zstd)
        return CRAWL_ENOMEM;
    ZSTD_DCtx_setParameter(stage->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
    return CRAWL_OK;
}

static void zstd_end(cw_fetch_decode_stage *stage)
{
    ZSTD_freeDStream(stage->zstd);
}

/* Returns true for the first byte of a frame's magic number, or of a skippable frame's. */
static bool begins_frame(unsigned char byte)
{
    return byte == 0x28 || (byte & 0xf0) == 0x50;
}

static crawl_err zstd_step(cw_fetch_decode_stage *stage, crawl_slice *in, char *out, size_t room, size_t *made)
{
    *made = 0;
    if (stage->between_frames && in->size > 0 && !begins_frame((unsigned char)in->data[0])) {
        stage->ended = true;
        return CRAWL_OK;
    }
    if (stage->between_frames && in->size == 0)
        return CRAWL_OK;
    ZSTD_inBuffer source = {in->data, in->size, 0};
    ZSTD_outBuffer target = {out, room, 0};
    size_t rc = ZSTD_decompressStream(stage->zstd, &target, &source);
    *made = target.pos;
    *in = crawl_slice_of(in->data + source.pos, in->size - source.pos);
    stage->between_frames = rc == 0;
    return ZSTD_isError(rc) ? CRAWL_EPARSE : CRAWL_OK;
}

/* ---- the table ---- */

static const cw_fetch_coding codings_known[] = {
    {"gzip", gzip_begin, gzip_step, zlib_end},
    {"x-gzip", gzip_begin, gzip_step, zlib_end}, /* RFC 9110, 8.4.1.3 */
    {"deflate", deflate_begin, deflate_step, zlib_end},
    {"br", brotli_begin, brotli_step, brotli_end},
    {"zstd", zstd_begin, zstd_step, zstd_end},
};

/* Names that mean no coding: by RFC 9110, 8.4.1, and in practice. */
static const char *const no_codings[] = {"identity", "none", ""};

static bool means_none(crawl_slice name)
{
    for (size_t i = 0; i < sizeof no_codings / sizeof *no_codings; i++)
        if (cw_equal_nocase(name, crawl_slice_from(no_codings[i])))
            return true;
    return false;
}

static const cw_fetch_coding *find_coding(crawl_slice name)
{
    for (size_t i = 0; i < sizeof codings_known / sizeof *codings_known; i++)
        if (cw_equal_nocase(name, crawl_slice_from(codings_known[i].name)))
            return &codings_known[i];
    return NULL;
}

/* Codings are listed in the order in which they were applied: the new one is decoded before those already there. */
static crawl_err push_stage(cw_fetch_decoder *decoder, const cw_fetch_coding *coding)
{
    cw_fetch_decode_stage *stage = calloc(1, sizeof *stage);
    if (!stage)
        return CRAWL_ENOMEM;
    stage->coding = coding;
    crawl_err err = coding->begin(stage);
    if (err) {
        free(stage);
        return err;
    }
    memmove(&decoder->stages[1], &decoder->stages[0], decoder->count * sizeof *decoder->stages);
    decoder->stages[0] = stage;
    decoder->count++;
    return CRAWL_OK;
}

static crawl_err add_coding(cw_fetch_decoder *decoder, crawl_slice name)
{
    if (means_none(name) || decoder->passes)
        return CRAWL_OK;
    const cw_fetch_coding *coding = find_coding(name);
    if (!coding) {
        cw_fetch_decoder_clear(decoder);
        decoder->passes = true;
        return CRAWL_OK;
    }
    if (decoder->count == CW_FETCH_DECODE_MAX_STAGES)
        return CRAWL_FULL;
    return push_stage(decoder, coding);
}

crawl_err cw_fetch_decoder_add(cw_fetch_decoder *decoder, crawl_slice codings)
{
    crawl_err err = CRAWL_OK;
    while (!err && codings.size > 0) {
        const char *comma = memchr(codings.data, ',', codings.size);
        size_t size = comma ? (size_t)(comma - codings.data) : codings.size;
        err = add_coding(decoder, cw_trim(crawl_slice_of(codings.data, size)));
        size += comma != NULL;
        codings = crawl_slice_of(codings.data + size, codings.size - size);
    }
    return err;
}

/* ---- windows ---- */

size_t cw_fetch_decoder_windows(const cw_fetch_decoder *decoder)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < decoder->count; i++)
        if (decoder->stages[i]->zstd)
            bytes += ZSTD_sizeof_DStream(decoder->stages[i]->zstd);
    return bytes;
}

bool cw_fetch_decoder_wants_window(const cw_fetch_decoder *decoder)
{
    bool wants = false;
    for (unsigned i = 0; i < decoder->count; i++)
        wants = wants || (decoder->stages[i]->zstd && !decoder->stages[i]->fed);
    return wants && !decoder->stages[0]->fed;
}

/* ---- the chain ---- */

static crawl_err append_limited(crawl_slice bytes, crawl_buf *out, size_t limit)
{
    size_t room = limit - out->size;
    crawl_err err = crawl_buf_append(out, bytes.data, bytes.size < room ? bytes.size : room);
    return err ? err : bytes.size > room ? CRAWL_FULL : CRAWL_OK;
}

static crawl_err pass_trailing(cw_fetch_decode_stage *stage, size_t size)
{
    stage->trailing += size;
    return stage->trailing > MAX_TRAILING_BYTES ? CRAWL_EPARSE : CRAWL_OK;
}

/* Runs one step of the last stage. It has room for one byte above the limit, which distinguishes the end from more
 * data. */
static crawl_err step_into_body(cw_fetch_decode_stage *stage, crawl_slice *in, crawl_buf *out, size_t limit,
                                bool *filled)
{
    crawl_err err = crawl_buf_reserve(out, STEP_BYTES);
    if (err)
        return err;
    size_t room = limit - out->size < STEP_BYTES ? limit - out->size + 1 : STEP_BYTES;
    size_t made = 0;
    err = stage->coding->step(stage, in, out->data + out->size, room, &made);
    *filled = made == room;
    out->size += made;
    if (out->size > limit) {
        out->size = limit;
        err = CRAWL_FULL;
    }
    out->data[out->size] = '\0';
    return err;
}

static crawl_err feed_stage(cw_fetch_decoder *decoder, unsigned index, crawl_slice bytes, crawl_buf *out, size_t limit);

static crawl_err step_into_next(cw_fetch_decoder *decoder, unsigned index, crawl_slice *in, crawl_buf *out,
                                size_t limit, bool *filled)
{
    char between[STEP_BYTES];
    cw_fetch_decode_stage *stage = decoder->stages[index];
    size_t made = 0;
    crawl_err err = stage->coding->step(stage, in, between, sizeof between, &made);
    *filled = made == sizeof between;
    stage->written += made;
    crawl_err below = feed_stage(decoder, index + 1, crawl_slice_of(between, made), out, limit);
    if (below)
        return below;
    return err ? err : stage->written > limit ? CRAWL_FULL : CRAWL_OK;
}

static bool has_more(const cw_fetch_decode_stage *stage, crawl_slice bytes)
{
    return !stage->ended && (bytes.size > 0 || stage->filled);
}

static crawl_err decode_step(cw_fetch_decoder *decoder, unsigned index, crawl_slice *bytes, crawl_buf *out,
                             size_t limit)
{
    cw_fetch_decode_stage *stage = decoder->stages[index];
    if (index + 1 == decoder->count)
        return step_into_body(stage, bytes, out, limit, &stage->filled);
    return step_into_next(decoder, index, bytes, out, limit, &stage->filled);
}

/* Runs a stage until it has read all bytes and has nothing more to write. */
static crawl_err feed_stage(cw_fetch_decoder *decoder, unsigned index, crawl_slice bytes, crawl_buf *out, size_t limit)
{
    cw_fetch_decode_stage *stage = decoder->stages[index];
    crawl_err err = CRAWL_OK;
    stage->fed = stage->fed || bytes.size > 0;
    while (!err && has_more(stage, bytes))
        err = decode_step(decoder, index, &bytes, out, limit);
    return err ? err : pass_trailing(stage, bytes.size);
}

crawl_err cw_fetch_decoder_feed(cw_fetch_decoder *decoder, crawl_slice bytes, crawl_buf *out, size_t limit)
{
    if (decoder->count == 0)
        return append_limited(bytes, out, limit);
    return feed_stage(decoder, 0, bytes, out, limit);
}

crawl_err cw_fetch_decoder_feed_until(cw_fetch_decoder *decoder, crawl_slice *bytes, crawl_buf *out, size_t until,
                                      size_t limit)
{
    crawl_err err = CRAWL_OK;
    bool steps = decoder->count == 1 && until < limit;
    cw_fetch_decode_stage *stage = decoder->stages[0];
    if (until < limit && (decoder->count > 1 || (decoder->count == 0 && out->size + bytes->size > until)))
        return CRAWL_AGAIN;
    if (steps)
        stage->fed = stage->fed || bytes->size > 0;
    while (steps && !err && has_more(stage, *bytes)) {
        if (out->size >= until)
            return CRAWL_AGAIN;
        err = decode_step(decoder, 0, bytes, out, limit);
    }
    return err ? err : cw_fetch_decoder_feed(decoder, *bytes, out, limit);
}

static bool stage_complete(const cw_fetch_decode_stage *stage)
{
    return stage->ended || !stage->fed || stage->between_frames || (stage->members > 0 && stage->zlib.total_out == 0);
}

crawl_err cw_fetch_decoder_finish(const cw_fetch_decoder *decoder)
{
    for (unsigned i = 0; i < decoder->count; i++)
        if (!stage_complete(decoder->stages[i]))
            return CRAWL_EPARSE;
    return CRAWL_OK;
}

void cw_fetch_decoder_clear(cw_fetch_decoder *decoder)
{
    for (unsigned i = 0; i < decoder->count; i++) {
        decoder->stages[i]->coding->end(decoder->stages[i]);
        free(decoder->stages[i]);
    }
    decoder->count = 0;
    decoder->passes = false;
}
