/* Signature Version 4 of AWS, which S3 servers require on each request. libcurl's is not used, since its versions sign
 * paths and queries differently. */
#pragma once

#include <crawl/base.h>

#define CW_S3_SHA256_SIZE 65 /* hexadecimal digits and a NUL */

typedef struct cw_s3_keys {
    const char *id, *secret;
    const char *token; /* of a session; NULL: none */
} cw_s3_keys;

/* A signed header. */
typedef struct cw_s3_header {
    const char *name;  /* in lower case */
    const char *value; /* without surrounding white space; NULL: not sent */
} cw_s3_header;

typedef struct cw_s3_signing {
    const cw_s3_keys *keys;
    const char *region;
    const char *date;            /* 20260131T120000Z */
    const char *method;          /* GET */
    const char *path;            /* from "/" on, encoded once */
    const char *query;           /* sorted and encoded, "name=" if there is no value; "": none */
    const cw_s3_header *headers; /* sorted by name; must include "host" and "x-amz-date" */
    size_t header_count;
    const char *payload; /* SHA-256 of the body in hexadecimal digits */
} cw_s3_signing;

/* Appends the value of Authorization. CRAWL_ENOMEM. */
crawl_err cw_s3_authorize(const cw_s3_signing *signing, crawl_buf *out);

/* Appends text encoded for a path: all but "/" and unreserved characters is percent-encoded; for a query "/" too.
 * CRAWL_ENOMEM. */
crawl_err cw_s3_encode(crawl_slice text, bool is_query, crawl_buf *out);
