/* Brings a file into a bucket. It counts as there when the server shows an object of its size: whatever an earlier
 * answer said. An object that is there already is never replaced. */
#pragma once

#include "tools/upload/s3_client.h"

typedef enum cw_upload_outcome {
    CW_UPLOAD_SENT,
    CW_UPLOAD_KNOWN,   /* the same was there already */
    CW_UPLOAD_REFUSED, /* this file cannot go there: others may */
    CW_UPLOAD_FAILED,  /* the bucket cannot be reached, or takes nothing */
    CW_UPLOAD_LOCAL    /* the file cannot be read, or there is no memory */
} cw_upload_outcome;

typedef struct cw_upload_result {
    uint64_t size;
    char words[500]; /* why it is neither sent nor known */
} cw_upload_result;

/* key: the name of the object. */
cw_upload_outcome cw_upload_file(cw_s3_client *client, const char *path, const char *key, cw_upload_result *result);
