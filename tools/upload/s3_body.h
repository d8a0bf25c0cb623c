/* The body of a request: a part of a file, with the digests sent before it. */
#pragma once

#include "tools/upload/s3_sign.h"

#define CW_S3_MD5_SIZE 33 /* hexadecimal digits and a NUL */

typedef struct cw_s3_body {
    int file; /* borrowed */
    uint64_t from, size;
    char sha256[CW_S3_SHA256_SIZE];
    char md5[CW_S3_MD5_SIZE];
    char content_md5[25]; /* the same in base64, for Content-MD5 */
} cw_s3_body;

/* Reads the part and fills *out with its digests. CRAWL_EIO: it cannot be read (see errno), or the file is too short
 * (errno 0). CRAWL_ENOMEM. */
crawl_err cw_s3_body_open(int file, uint64_t from, uint64_t size, cw_s3_body *out);

/* Reads up to `room` bytes of the body from `at` on. Returns their number, 0 at its end. -1: see errno. */
int64_t cw_s3_body_read(const cw_s3_body *body, uint64_t at, char *to, size_t room);
