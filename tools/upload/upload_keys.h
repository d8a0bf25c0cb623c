/* The keys of an account: of the environment, or of a file as AWS's own programs have it. */
#pragma once

#include "tools/upload/s3_sign.h"

typedef struct cw_upload_keys {
    char *id, *secret, *token; /* owned; NULL: not there */
} cw_upload_keys;

/* path: of a file with [PROFILE] and lines "aws_access_key_id = ...", "aws_secret_access_key = ...", "aws_session_token
 * = ..."; NULL: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN count. profile: NULL: "default".
 * CRAWL_EINVAL: id or secret is missing, and error says where; CRAWL_EIO, CRAWL_ENOMEM. To be freed in any case. */
crawl_err cw_upload_keys_find(const char *path, const char *profile, cw_upload_keys *out, crawl_error *error);
void cw_upload_keys_free(cw_upload_keys *keys);
