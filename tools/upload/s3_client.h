/* Requests to a bucket, one at a time. What a server may do better the next time is tried again here, after growing
 * waits: no connection, 429, 500, 502, 503, 504, RequestTimeout; and at once with the server's time where the clock of
 * this machine is wrong. Redirects are not followed: the signature is for one server. */
#pragma once

#include "tools/upload/s3_body.h"

typedef struct cw_s3_client cw_s3_client;

/* All is borrowed. */
typedef struct cw_s3_options {
    const char *endpoint; /* "http://HOST[:PORT]", or https, with nothing behind it */
    const char *region, *bucket;
    cw_s3_keys keys;
    const char *ca_file; /* NULL: the certificates of the system */
    unsigned tries;      /* of a request, 1 and up */
} cw_s3_options;

/* Borrowed for the call. */
typedef struct cw_s3_call {
    const char *method;
    const char *key;        /* of an object; NULL: the bucket is asked */
    const char *query;      /* sorted and encoded; NULL: none */
    const cw_s3_body *body; /* NULL: text is the body */
    crawl_slice text;       /* XML */
    const char *sha256;     /* kept beside the object; NULL: nothing is */
    bool is_new;            /* an object that is there already stays */
} cw_s3_call;

typedef struct cw_s3_answer {
    int status;                     /* 0: none came */
    bool is_good;                   /* 2xx, and not with an error in its body */
    bool may_pass;                  /* it is not, and the next try may be better */
    bool has_no_memory;             /* here, which is why none came */
    crawl_slice body;               /* until the next request */
    char code[64];                  /* of an error, as "NoSuchBucket"; "": it says none */
    char words[400];                /* why it is not good */
    char etag[80];                  /* without quotes; "": none */
    char sha256[CW_S3_SHA256_SIZE]; /* as it was kept beside the object; "": none was */
    int64_t size;                   /* Content-Length; -1: it has none */
} cw_s3_answer;

/* CRAWL_ENOMEM. */
crawl_err cw_s3_client_create(const cw_s3_options *options, cw_s3_client **out);
void cw_s3_client_free(cw_s3_client *client);

void cw_s3_ask(cw_s3_client *client, const cw_s3_call *call, cw_s3_answer *answer);
