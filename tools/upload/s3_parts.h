/* An object in parts of equal size, for files that are too large for one request. An upload that was broken off is
 * found at the server, and goes on: a part whose MD5 is that of the file's is not sent again. */
#pragma once

#include "tools/upload/s3_client.h"

#define CW_S3_PART ((uint64_t)16 << 20) /* bytes; twice as many, three times, for a file beyond 10,000 of them */

/* Sends the file. sha256: kept beside the object. *answer is that of the last request; is_good: the server has put the
 * parts together. False: the file cannot be read, errno says why, or there is no memory: then errno is ENOMEM. */
bool cw_s3_parts_send(cw_s3_client *client, const char *key, int file, uint64_t size, const char *sha256, bool is_new,
                      cw_s3_answer *answer);
