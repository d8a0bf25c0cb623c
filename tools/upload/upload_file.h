/* Uploads a file to a bucket. It counts as uploaded only when the server shows an object of its size, whatever earlier
 * answers said. An existing object is never replaced. */
#pragma once

#include "tools/upload/s3_client.h"

typedef enum cw_upload_outcome {
    CW_UPLOAD_SENT,
    CW_UPLOAD_KNOWN,   /* the same object already exists */
    CW_UPLOAD_REFUSED, /* this file is not accepted; others may be */
    CW_UPLOAD_FAILED,  /* the bucket is unreachable or accepts nothing */
    CW_UPLOAD_LOCAL    /* the file cannot be read, or out of memory */
} cw_upload_outcome;

typedef struct cw_upload_result {
    uint64_t size;
    char words[500]; /* why it was neither sent nor known */
} cw_upload_result;

/* key: name of the object. */
cw_upload_outcome cw_upload_file(cw_s3_client *client, const char *path, const char *key, cw_upload_result *result);
