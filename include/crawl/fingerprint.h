/* SHA-1 fingerprints of requests: 20 bytes that stand for (method, canonical URL, body). */
#ifndef CRAWL_FINGERPRINT_H
#define CRAWL_FINGERPRINT_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CRAWL_FINGERPRINT_SIZE 20

typedef struct crawl_fingerprint {
    uint8_t bytes[CRAWL_FINGERPRINT_SIZE];
} crawl_fingerprint;

/* Holds a hash context that is used again for each request, several times faster than a one-shot call.
 * Single-thread: one per thread. */
typedef struct crawl_fingerprinter crawl_fingerprinter;

/* NULL when there is no memory, or no SHA-1 in the hash library. */
CRAWL_API crawl_fingerprinter *crawl_fingerprinter_create(void);
CRAWL_API void crawl_fingerprinter_free(crawl_fingerprinter *fingerprinter);

/* SHA-1 over METHOD, canonical URL and, if the body is not empty, a newline and the body. A canonical URL has
 * no newline, so that no two requests share a preimage. method is taken as given (upper-case it first where
 * the caller's users may not); empty: GET. CRAWL_ENOMEM: the hash library failed. */
CRAWL_API crawl_err crawl_fingerprint_request(crawl_fingerprinter *fingerprinter, crawl_slice method, crawl_slice canonical,
                                              crawl_slice body, crawl_fingerprint *out);

/* SHA-1 of plain bytes, as for a body's digest. */
CRAWL_API crawl_err crawl_fingerprint_bytes(crawl_fingerprinter *fingerprinter, crawl_slice bytes, crawl_fingerprint *out);

/* 40 lower-case hexadecimal digits and a NUL. */
CRAWL_API void crawl_fingerprint_hex(const crawl_fingerprint *fingerprint, char out[41]);

/* 32 base32 digits (RFC 4648) and a NUL, as WARC writes digests. */
CRAWL_API void crawl_fingerprint_base32(const crawl_fingerprint *fingerprint, char out[33]);

#ifdef __cplusplus
}
#endif
#endif
