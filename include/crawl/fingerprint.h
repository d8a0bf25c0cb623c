/* SHA-1 fingerprints of requests: 20 bytes that stand for (method, canonical URL, body). */
#ifndef CRAWL_FINGERPRINT_H
#define CRAWL_FINGERPRINT_H

#include <crawl/base.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of SHA-1. */
#define CRAWL_FINGERPRINT_SIZE 20

/* The hash of a request: two with the same one are the same request. */
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
CRAWL_API crawl_err crawl_fingerprint_request(crawl_fingerprinter *fingerprinter, crawl_slice method,
                                              crawl_slice canonical, crawl_slice body, crawl_fingerprint *out);

/* Kinds of fingerprints. Scrapy's equal that program's where the canonical URL is w3lib's (CRAWL_PROFILE_W3LIB). */
typedef enum crawl_fingerprint_kind {
    CRAWL_FINGERPRINT_DEFAULT,     /* as crawl_fingerprint_request has it, headers left out */
    CRAWL_FINGERPRINT_SCRAPY_26,   /* Scrapy up to 2.6: SHA-1 over METHOD, URL, body, then of each included header name
                                      and values */
    CRAWL_FINGERPRINT_SCRAPY_27,   /* Scrapy from 2.7 on: SHA-1 of a JSON text of the same */
    CRAWL_FINGERPRINT_SCRAPY_REDIS /* scrapy-redis from 0.8 to 0.9.1: the same without headers */
} crawl_fingerprint_kind;

/* A header of a request that counts for its fingerprint, with its value. */
typedef struct crawl_fingerprint_header {
    crawl_slice name; /* any case */
    crawl_slice value;
} crawl_fingerprint_header;

/* How fingerprints are made. */
typedef struct crawl_fingerprint_options {
    size_t size; /* sizeof(crawl_fingerprint_options) */
    crawl_fingerprint_kind kind;
    const crawl_slice *include_headers; /* names of headers that count, any case; Scrapy's kinds alone */
    size_t include_count;
} crawl_fingerprint_options;

/* As crawl_fingerprint_request, by a kind. headers are the request's, several of a name in their order; of them those
 * included count. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fingerprint_by(crawl_fingerprinter *fingerprinter, const crawl_fingerprint_options *options,
                                         crawl_slice method, crawl_slice canonical, crawl_slice body,
                                         const crawl_fingerprint_header *headers, size_t header_count,
                                         crawl_fingerprint *out);

/* The fingerprints of many URLs, each of a GET without headers and body, in one call, for callers to whom a call is
 * dear. Each text is made canonical as the kind has it, by CRAWL_PROFILE_DEFAULT or, for Scrapy's, by
 * CRAWL_PROFILE_W3LIB. valid[i] is 1 where urls[i] has a canonical form, and out[i] is its fingerprint; where it has
 * none, valid[i] is 0 and out[i] zeros. CRAWL_ENOMEM: out and valid hold nothing. */
CRAWL_API crawl_err crawl_fingerprint_urls(crawl_fingerprinter *fingerprinter, crawl_fingerprint_kind kind,
                                           const crawl_slice *urls, size_t count, crawl_fingerprint *out,
                                           uint8_t *valid);

/* SHA-1 of plain bytes, as for a body's digest. */
CRAWL_API crawl_err crawl_fingerprint_bytes(crawl_fingerprinter *fingerprinter, crawl_slice bytes,
                                            crawl_fingerprint *out);

/* 40 lower-case hexadecimal digits and a NUL. */
CRAWL_API void crawl_fingerprint_hex(const crawl_fingerprint *fingerprint, char out[41]);

/* 32 base32 digits (RFC 4648) and a NUL, as WARC writes digests. */
CRAWL_API void crawl_fingerprint_base32(const crawl_fingerprint *fingerprint, char out[33]);

/* The 20 bytes of 40 hexadecimal digits. CRAWL_EPARSE: they are none. */
CRAWL_API crawl_err crawl_fingerprint_parse(crawl_slice hex, crawl_fingerprint *out);

/* Reads a file of fingerprints as Scrapy keeps them in a job's requests.seen: 40 hexadecimal digits a line. Calls take
 * with each in turn; an error of take ends it and is returned. A last line without its end, which a crash may have cut,
 * is left out if it is none. *count (NULL: not wanted) is the number taken, whatever is returned. CRAWL_EPARSE: a line
 * that is none; error names it. CRAWL_EIO. name is for error's words. */
typedef crawl_err (*crawl_fingerprint_take)(void *user, const crawl_fingerprint *fingerprint);
CRAWL_API crawl_err crawl_fingerprint_import(FILE *in, const char *name, crawl_fingerprint_take take, void *user,
                                             uint64_t *count, crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
