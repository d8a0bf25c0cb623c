/* Domains to ASCII by UTS 46 with the URL standard's choices (3.3): not transitional, no check of hyphens or of DNS
 * lengths, joiners and right-to-left labels checked. The mapping and the validity of labels follow the Unicode version
 * that crawl_unicode_version returns; NFC is libunistring's, which may be older: a character unknown to it keeps its
 * place, as one that neither decomposes nor composes. */
#pragma once

#include <crawl/base.h>

/* Bytes of a domain that is not all ASCII: four times the maximum of DNS. Punycode takes time that grows with the
 * square of a label, so a longer domain is refused. */
enum { CW_IDNA_MAX_DOMAIN = 1024 };

/* Appends the ASCII form of domain, well-formed UTF-8. Labels may become empty. The caller must check for code points
 * that the URL standard forbids in a domain. CRAWL_EPARSE: it has no ASCII form; out is then undefined beyond its
 * previous size. CRAWL_ENOMEM. */
crawl_err cw_idna_to_ascii(crawl_slice domain, crawl_buf *out);

/* Punycode (RFC 3492) without the limit of 63 bytes that DNS sets, for labels of any length. */

/* Appends the encoding of count code points, without "xn--". Time grows with count squared: the caller limits it.
 * CRAWL_ENOMEM. */
crawl_err cw_idna_punycode_encode(const uint32_t *codes, size_t count, crawl_buf *out);

/* Decodes text, without "xn--", into codes, which has room for capacity code points. CRAWL_EPARSE: not Punycode, or too
 * long. */
crawl_err cw_idna_punycode_decode(crawl_slice text, uint32_t *codes, size_t capacity, size_t *count);
