/* Decodes content codings (RFC 9110, section 8.4): gzip, deflate, br and zstd, alone or nested. Bytes are decoded as
 * they arrive, into a buffer of limited size, so that a small body that would become huge is stopped. */
#pragma once

#include <crawl/base.h>

/* The codings offered to servers in requests. */
#define CW_FETCH_DECODE_ACCEPT "gzip, deflate, br, zstd"

/* Maximum number of nested codings. Two occur in practice, if a page is compressed and the server in front compresses
 * it again. */
#define CW_FETCH_DECODE_MAX_STAGES 3

typedef struct cw_fetch_coding cw_fetch_coding;
typedef struct cw_fetch_decode_stage cw_fetch_decode_stage;

/* A decoder; {0} has no codings: bytes pass unchanged. */
typedef struct cw_fetch_decoder {
    cw_fetch_decode_stage *stages[CW_FETCH_DECODE_MAX_STAGES]; /* in the order of decoding */
    unsigned count;
    bool passes; /* a coding was unknown: bytes pass unchanged */
} cw_fetch_decoder;

/* Adds the codings of a Content-Encoding field. Must be called for each such field in the order of the header. If one
 * is unknown, such as "utf-8" or "binary", the body is taken as received (Fetch, "handle content codings").
 * CRAWL_FULL: too many. CRAWL_ENOMEM. */
crawl_err cw_fetch_decoder_add(cw_fetch_decoder *decoder, crawl_slice codings);

/* Appends the decoded bytes to out, until out holds limit bytes. CRAWL_FULL: there would be more. CRAWL_EPARSE: the
 * stream is broken. CRAWL_ENOMEM. In each case out holds what was decoded before. */
crawl_err cw_fetch_decoder_feed(cw_fetch_decoder *decoder, crawl_slice bytes, crawl_buf *out, size_t limit);

/* As cw_fetch_decoder_feed, but returns CRAWL_AGAIN once out holds `until` bytes or a step more: there may be more to
 * decode, even from bytes already read. To continue, feed the rest of *bytes. Without a coding, takes *bytes completely
 * or not at all; with nested codings, takes nothing unless `until` is at least limit. */
crawl_err cw_fetch_decoder_feed_until(cw_fetch_decoder *decoder, crawl_slice *bytes, crawl_buf *out, size_t until,
                                      size_t limit);

/* Returns the bytes of the windows that zstd keeps besides its output. Those of other codings are no larger than the
 * body, or 64 KiB. */
size_t cw_fetch_decoder_windows(const cw_fetch_decoder *decoder);
/* Returns true if the first bytes fed will make it allocate such a window. */
bool cw_fetch_decoder_wants_window(const cw_fetch_decoder *decoder);

/* Must be called after the last byte. CRAWL_EPARSE: a stream that began has not reached its end. */
crawl_err cw_fetch_decoder_finish(const cw_fetch_decoder *decoder);

/* Frees the codings and makes the decoder ready for another body. */
void cw_fetch_decoder_clear(cw_fetch_decoder *decoder);
