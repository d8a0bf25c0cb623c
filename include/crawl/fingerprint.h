/* SHA-1 fingerprints of requests: 20 bytes that identify (method, canonical URL, body). */
#ifndef CRAWL_FINGERPRINT_H
#define CRAWL_FINGERPRINT_H

#include <crawl/base.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of SHA-1. */
#define CRAWL_FINGERPRINT_SIZE 20

/* The hash of a request. Two requests with the same hash are the same. */
typedef struct crawl_fingerprint {
    uint8_t bytes[CRAWL_FINGERPRINT_SIZE];
} crawl_fingerprint;

/* A hash context reused for each request, several times faster than a one-shot call. Single-threaded: one per
 * thread. */
typedef struct crawl_fingerprinter crawl_fingerprinter;

/* NULL: out of memory, or no SHA-1 in the hash library. */
CRAWL_API crawl_fingerprinter *crawl_fingerprinter_create(void);
CRAWL_API void crawl_fingerprinter_free(crawl_fingerprinter *fingerprinter);

/* Computes SHA-1 over METHOD, canonical URL and, if the body is not empty, a newline and the body. A canonical URL has
 * no newline, so no two requests share a preimage. method is taken as given (upper-case it first if users of the caller
 * may not); empty: GET. CRAWL_ENOMEM: the hash library failed. */
CRAWL_API crawl_err crawl_fingerprint_request(crawl_fingerprinter *fingerprinter, crawl_slice method,
                                              crawl_slice canonical, crawl_slice body, crawl_fingerprint *out);

/* Kinds of fingerprints. Scrapy's kinds equal those of that program if the canonical URL is w3lib's
 * (CRAWL_PROFILE_W3LIB). */
typedef enum crawl_fingerprint_kind {
    CRAWL_FINGERPRINT_DEFAULT,     /* as crawl_fingerprint_request, without headers */
    CRAWL_FINGERPRINT_SCRAPY_26,   /* Scrapy up to 2.6: SHA-1 over METHOD, URL, body, then name and values of each
                                      included header */
    CRAWL_FINGERPRINT_SCRAPY_27,   /* Scrapy from 2.7 on: SHA-1 of a JSON text of the same */
    CRAWL_FINGERPRINT_SCRAPY_REDIS /* scrapy-redis from 0.8 to 0.9.1: the same without headers */
} crawl_fingerprint_kind;

/* A header of a request that is part of its fingerprint, with its value. */
typedef struct crawl_fingerprint_header {
    crawl_slice name; /* any case */
    crawl_slice value;
} crawl_fingerprint_header;

/* How fingerprints are made. */
typedef struct crawl_fingerprint_options {
    size_t size; /* sizeof(crawl_fingerprint_options) */
    crawl_fingerprint_kind kind;
    const crawl_slice *include_headers; /* names of included headers, any case; only for Scrapy's kinds */
    size_t include_count;
} crawl_fingerprint_options;

/* As crawl_fingerprint_request, for a given kind. headers are those of the request, repeated ones in order; only the
 * included names count. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fingerprint_by(crawl_fingerprinter *fingerprinter, const crawl_fingerprint_options *options,
                                         crawl_slice method, crawl_slice canonical, crawl_slice body,
                                         const crawl_fingerprint_header *headers, size_t header_count,
                                         crawl_fingerprint *out);

/* Computes the fingerprints of many URLs in one call, each for a GET without headers and body, for callers to whom a
 * call is expensive. Canonicalizes each text as the kind requires, by CRAWL_PROFILE_DEFAULT or, for Scrapy's, by
 * CRAWL_PROFILE_W3LIB. If urls[i] has a canonical form, valid[i] is 1 and out[i] its fingerprint; otherwise valid[i] is
 * 0 and out[i] zeros. CRAWL_ENOMEM: out and valid are undefined. */
CRAWL_API crawl_err crawl_fingerprint_urls(crawl_fingerprinter *fingerprinter, crawl_fingerprint_kind kind,
                                           const crawl_slice *urls, size_t count, crawl_fingerprint *out,
                                           uint8_t *valid);

/* Computes SHA-1 of plain bytes, as for the digest of a body. */
CRAWL_API crawl_err crawl_fingerprint_bytes(crawl_fingerprinter *fingerprinter, crawl_slice bytes,
                                            crawl_fingerprint *out);

/* Writes 40 lower-case hexadecimal digits and a NUL. */
CRAWL_API void crawl_fingerprint_hex(const crawl_fingerprint *fingerprint, char out[41]);

/* Writes 32 base32 digits (RFC 4648) and a NUL, as in the digests of WARC. */
CRAWL_API void crawl_fingerprint_base32(const crawl_fingerprint *fingerprint, char out[33]);

/* Parses 40 hexadecimal digits. CRAWL_EPARSE: not such digits. */
CRAWL_API crawl_err crawl_fingerprint_parse(crawl_slice hex, crawl_fingerprint *out);

/* Reads a file of fingerprints as Scrapy keeps them in a job's requests.seen: 40 hexadecimal digits per line. Calls
 * take for each in turn; an error of take ends the import and is returned. An invalid last line without a newline,
 * which a crash may have truncated, is ignored. *count (NULL: not wanted) is the number taken, whatever is returned.
 * CRAWL_EPARSE: an invalid line; error names it. CRAWL_EIO. name is used in error messages. */
typedef crawl_err (*crawl_fingerprint_take)(void *user, const crawl_fingerprint *fingerprint);
CRAWL_API crawl_err crawl_fingerprint_import(FILE *in, const char *name, crawl_fingerprint_take take, void *user,
                                             uint64_t *count, crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
