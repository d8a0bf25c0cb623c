/* Punycode (RFC 3492) without the limit of 63 bytes that DNS sets, for labels of any length. */
#ifndef CW_IDNA_PUNYCODE_H
#define CW_IDNA_PUNYCODE_H

#include <crawl/base.h>

/* Appends the encoding of count code points, "xn--" not included. Time grows with count squared: the caller limits it.
 * CRAWL_ENOMEM. */
crawl_err cw_idna_punycode_encode(const uint32_t *codes, size_t count, crawl_buf *out);

/* Decodes text, "xn--" not included, into codes, which has room for capacity code points. CRAWL_EPARSE: not Punycode,
 * or too long. */
crawl_err cw_idna_punycode_decode(crawl_slice text, uint32_t *codes, size_t capacity, size_t *count);

#endif
