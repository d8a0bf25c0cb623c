/* Reads whole files, and files whose first line is a secret. replace.h writes files. */
#pragma once

#include <crawl/base.h>

#include <stdio.h>

/* Appends the rest of a file to *out. CRAWL_FULL: there are more than `most` bytes, and most + 1 of them were read.
 * CRAWL_EIO: errno says why. CRAWL_ENOMEM. */
crawl_err cw_read_rest(FILE *file, size_t most, crawl_buf *out);

/* As cw_read_rest, for the file at this path; *error says what failed, except for CRAWL_FULL. */
crawl_err cw_read_file(const char *path, size_t most, crawl_buf *out, crawl_error *error);

/* Reads the first line of a file, without its newline; the caller frees it. CRAWL_EIO: the file cannot be read or is
 * empty, or its first line is longer than 4 KiB or contains control characters. CRAWL_ENOMEM. */
crawl_err cw_secret_read(const char *path, char **out, crawl_error *error);

/* Returns the secret in the file or, if path is NULL, in this environment variable; *out is NULL if that is empty or
 * not set. The caller frees it. CRAWL_EINVAL: the file holds no valid secret; CRAWL_ENOMEM. */
crawl_err cw_secret_find(const char *path, const char *variable, char **out, crawl_error *error);

/* Overwrite and free a secret. NULL and an empty buffer: do nothing. */
void cw_secret_free(char *secret);
void cw_secret_free_buf(crawl_buf *secret);

/* Returns true if others than the owner may read the file. False also if there is no file. */
bool cw_secret_is_open(const char *path);
