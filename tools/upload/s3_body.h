/* The body of a request: a part of a file, with the digests that go ahead of it. */
#pragma once

#include "tools/upload/s3_sign.h"

#define CW_S3_MD5_SIZE 33 /* hexadecimal digits, with their NUL */

typedef struct cw_s3_body {
    int file; /* borrowed */
    uint64_t from, size;
    char sha256[CW_S3_SHA256_SIZE];
    char md5[CW_S3_MD5_SIZE];
    char content_md5[25]; /* the same in base64, as Content-MD5 has it */
} cw_s3_body;

/* Reads the part, and fills *out with its digests. CRAWL_EIO: it cannot be read, or the file is shorter; errno says
 * why, 0: it is shorter. CRAWL_ENOMEM. */
crawl_err cw_s3_body_open(int file, uint64_t from, uint64_t size, cw_s3_body *out);

/* Reads up to `room` bytes from `at` of the body on, until its end. Returns how many; -1: errno says why. */
int64_t cw_s3_body_read(const cw_s3_body *body, uint64_t at, char *to, size_t room);
