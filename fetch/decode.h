/* Content codings (RFC 9110, section 8.4): gzip, deflate and br, alone or one in the other, undone as the bytes come,
 * into a buffer of limited size, so that a small body that would become a huge one ends. */
#ifndef CW_FETCH_DECODE_H
#define CW_FETCH_DECODE_H

#include <crawl/base.h>

/* What is offered to servers. */
#define CW_FETCH_DECODE_ACCEPT "gzip, deflate, br, zstd"

/* Codings one in the other: two are met in the wild, where both a page and the server before it compress. */
#define CW_FETCH_DECODE_MAX_STAGES 3

typedef struct cw_fetch_coding cw_fetch_coding;
typedef struct cw_fetch_decode_stage cw_fetch_decode_stage;

/* {0} is one without codings: bytes pass as they are. */
typedef struct cw_fetch_decoder {
    cw_fetch_decode_stage *stages[CW_FETCH_DECODE_MAX_STAGES]; /* in the order of undoing */
    unsigned count;
} cw_fetch_decoder;

/* Takes the value of a Content-Encoding field; for each field in the order of the header.
 * CRAWL_EPARSE: a coding that is not known, or too many. CRAWL_ENOMEM. */
crawl_err cw_fetch_decoder_add(cw_fetch_decoder *decoder, crawl_slice codings);

/* Appends what `bytes` decode to, until out holds limit bytes. CRAWL_FULL: it would be more. CRAWL_EPARSE: broken
 * stream. CRAWL_ENOMEM. Whatever is returned, out holds what was decoded before. */
crawl_err cw_fetch_decoder_feed(cw_fetch_decoder *decoder, crawl_slice bytes, crawl_buf *out, size_t limit);

/* The same, but once out holds `until` bytes, or a step more, CRAWL_AGAIN: there may be more, also of what was read; to
 * go on, feed what is left of *bytes. Without a coding *bytes are taken whole or not at all; of codings in one another
 * nothing is taken unless `until` is limit or more. */
crawl_err cw_fetch_decoder_feed_until(cw_fetch_decoder *decoder, crawl_slice *bytes, crawl_buf *out, size_t until,
                                      size_t limit);

/* After the last byte. CRAWL_EPARSE: a stream that began has not reached its end. */
crawl_err cw_fetch_decoder_finish(const cw_fetch_decoder *decoder);

/* Ready for another body. */
void cw_fetch_decoder_clear(cw_fetch_decoder *decoder);

#endif
