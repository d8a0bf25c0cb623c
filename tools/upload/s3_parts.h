/* Uploads an object in parts of equal size, for files too large for one request. An interrupted upload is found on the
 * server and resumed: a part with the same MD5 as the file's is not sent again. */
#pragma once

#include "tools/upload/s3_client.h"

#define CW_S3_PART ((uint64_t)16 << 20) /* bytes; multiplied for files of more than 10,000 parts */

/* Sends the file. sha256: stored with the object. *answer: of the last request; is_good: the server has joined the
 * parts. False: the file cannot be read, or out of memory; see errno. */
bool cw_s3_parts_send(cw_s3_client *client, const char *key, int file, uint64_t size, const char *sha256, bool is_new,
                      cw_s3_answer *answer);
