/* Signature Version 4 of AWS, as servers of S3 demand it of each request. Not by libcurl, whose versions sign paths and
 * queries in different ways. */
#pragma once

#include <crawl/base.h>

#define CW_S3_SHA256_SIZE 65 /* hexadecimal digits, with their NUL */

typedef struct cw_s3_keys {
    const char *id, *secret;
    const char *token; /* of a session; NULL: there is none */
} cw_s3_keys;

/* A header that is signed. */
typedef struct cw_s3_header {
    const char *name;  /* in lower case */
    const char *value; /* without white space around it; NULL: it is not sent */
} cw_s3_header;

typedef struct cw_s3_signing {
    const cw_s3_keys *keys;
    const char *region;
    const char *date;            /* 20260131T120000Z */
    const char *method;          /* GET */
    const char *path;            /* from "/" on, encoded once */
    const char *query;           /* sorted and encoded, "name=" where there is no value; "": none */
    const cw_s3_header *headers; /* sorted by name; "host" and "x-amz-date" are among them */
    size_t header_count;
    const char *payload; /* SHA-256 of the body, in hexadecimal digits */
} cw_s3_signing;

/* Appends the value of Authorization. CRAWL_ENOMEM. */
crawl_err cw_s3_authorize(const cw_s3_signing *signing, crawl_buf *out);

/* Appends text for a path: "/" and unreserved characters stay, all other bytes are encoded. For queries "/" is encoded
 * too. CRAWL_ENOMEM. */
crawl_err cw_s3_encode(crawl_slice text, bool is_query, crawl_buf *out);
