/* Requests to a bucket, one at a time. Failures that may pass are retried after growing waits: no connection, 429, 500,
 * 502, 503, 504, RequestTimeout. If the clock of this machine is wrong, a request is retried at once with the server's
 * time. Redirects are not followed, since the signature is for one server. */
#pragma once

#include "tools/upload/s3_body.h"

typedef struct cw_s3_client cw_s3_client;

/* All members are borrowed. */
typedef struct cw_s3_options {
    const char *endpoint; /* "http://HOST[:PORT]" or "https://HOST[:PORT]", without a path */
    const char *region, *bucket;
    cw_s3_keys keys;
    const char *ca_file; /* NULL: the system's certificates */
    unsigned tries;      /* per request, at least 1 */
} cw_s3_options;

/* Borrowed for the call. */
typedef struct cw_s3_call {
    const char *method;
    const char *key;        /* of an object; NULL: the bucket */
    const char *query;      /* sorted and encoded; NULL: none */
    const cw_s3_body *body; /* NULL: text is the body */
    crawl_slice text;       /* XML */
    const char *sha256;     /* stored with the object; NULL: none */
    bool is_new;            /* fail if the object exists */
} cw_s3_call;

typedef struct cw_s3_answer {
    int status;                     /* 0: no answer */
    bool is_good;                   /* 2xx without an error in the body */
    bool may_pass;                  /* not good, but a retry may succeed */
    bool has_no_memory;             /* there is no answer because memory ran out here */
    crawl_slice body;               /* valid until the next request */
    char code[64];                  /* of an error, such as "NoSuchBucket"; "": none */
    char words[400];                /* why it is not good */
    char etag[80];                  /* without quotes; "": none */
    char sha256[CW_S3_SHA256_SIZE]; /* stored with the object; "": none */
    int64_t size;                   /* Content-Length; -1: none */
} cw_s3_answer;

/* CRAWL_ENOMEM. */
crawl_err cw_s3_client_create(const cw_s3_options *options, cw_s3_client **out);
void cw_s3_client_free(cw_s3_client *client);

void cw_s3_ask(cw_s3_client *client, const cw_s3_call *call, cw_s3_answer *answer);
