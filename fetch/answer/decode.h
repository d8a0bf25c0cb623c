/* Undoes content codings (RFC 9110, section 8.4): gzip, deflate, br and zstd, alone or one inside the other. Bytes are
 * decoded as they arrive, into a buffer of limited size, so that a small body that would become huge is stopped. */
#pragma once

#include <crawl/base.h>

/* The codings that a request offers to servers. */
#define CW_FETCH_DECODE_ACCEPT "gzip, deflate, br, zstd"

/* The most codings inside one another. Two occur in the wild, where a page is compressed and the server before it
 * compresses it again. */
#define CW_FETCH_DECODE_MAX_STAGES 3

typedef struct cw_fetch_coding cw_fetch_coding;
typedef struct cw_fetch_decode_stage cw_fetch_decode_stage;

/* {0} is a decoder without codings: bytes pass unchanged. */
typedef struct cw_fetch_decoder {
    cw_fetch_decode_stage *stages[CW_FETCH_DECODE_MAX_STAGES]; /* in the order in which they are undone */
    unsigned count;
} cw_fetch_decoder;

/* Adds the codings of a Content-Encoding field; to be called for each such field in the order of the header.
 * CRAWL_EPARSE: a coding is not known. CRAWL_FULL: there are too many. CRAWL_ENOMEM. */
crawl_err cw_fetch_decoder_add(cw_fetch_decoder *decoder, crawl_slice codings);

/* Appends the decoded bytes to out, until out holds limit bytes. CRAWL_FULL: there would be more. CRAWL_EPARSE: the
 * stream is broken. CRAWL_ENOMEM. In each case out holds what was decoded before. */
crawl_err cw_fetch_decoder_feed(cw_fetch_decoder *decoder, crawl_slice bytes, crawl_buf *out, size_t limit);

/* The same, but returns CRAWL_AGAIN once out holds `until` bytes or a step more: there may be more to decode, also from
 * bytes that were read already. To go on, feed what is left of *bytes. Without a coding, *bytes are taken whole or not
 * at all; with codings inside one another, nothing is taken unless `until` is at least limit. */
crawl_err cw_fetch_decoder_feed_until(cw_fetch_decoder *decoder, crawl_slice *bytes, crawl_buf *out, size_t until,
                                      size_t limit);

/* Bytes of the windows that zstd keeps beside what was decoded. The windows of the others are no larger than the body,
 * or 64 KiB. */
size_t cw_fetch_decoder_windows(const cw_fetch_decoder *decoder);
/* Will it take such a window with the first bytes that it is fed? */
bool cw_fetch_decoder_wants_window(const cw_fetch_decoder *decoder);

/* To be called after the last byte. CRAWL_EPARSE: a stream that began has not reached its end. */
crawl_err cw_fetch_decoder_finish(const cw_fetch_decoder *decoder);

/* Frees the codings, so that the decoder is ready for another body. */
void cw_fetch_decoder_clear(cw_fetch_decoder *decoder);
