/* The keys of an account, from the environment or from a file in the format of AWS's own programs. */
#pragma once

#include "tools/upload/s3_sign.h"

typedef struct cw_upload_keys {
    char *id, *secret, *token; /* owned; NULL: none */
} cw_upload_keys;

/* Finds the keys. path: a file with [PROFILE] and lines "aws_access_key_id = ...", "aws_secret_access_key = ...",
 * "aws_session_token = ..."; NULL: use AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. profile: NULL:
 * "default". CRAWL_EINVAL: id or secret is missing; error says where. CRAWL_EIO, CRAWL_ENOMEM. Free *out in any
 * case. */
crawl_err cw_upload_keys_find(const char *path, const char *profile, cw_upload_keys *out, crawl_error *error);
void cw_upload_keys_free(cw_upload_keys *keys);
