/* Reads whole files, and files whose first line is a secret. replace.h writes files. */
#pragma once

#include <crawl/base.h>

#include <stdio.h>

/* Appends the rest of a file to *out. CRAWL_FULL: there are more than `most` bytes, and most + 1 of them were read.
 * CRAWL_EIO: errno says why. CRAWL_ENOMEM. */
crawl_err cw_read_rest(FILE *file, size_t most, crawl_buf *out);

/* The same for the file with this path; *error says what failed, except for CRAWL_FULL. */
crawl_err cw_read_file(const char *path, size_t most, crawl_buf *out, crawl_error *error);

/* The first line of a file, without its end; the caller frees it. CRAWL_EIO: it cannot be read, is empty, or its first
 * line is longer than 4 KiB or holds control characters. CRAWL_ENOMEM. */
crawl_err cw_secret_read(const char *path, char **out, crawl_error *error);

/* The secret of the file, or where path is NULL that of this variable of the environment; *out is NULL where that is
 * empty or not set. To be freed. CRAWL_EINVAL: the file is none as above; CRAWL_ENOMEM. */
crawl_err cw_secret_find(const char *path, const char *variable, char **out, crawl_error *error);

/* Frees a secret; nothing of it is left in memory. NULL and an empty buffer: does nothing. */
void cw_secret_free(char *secret);
void cw_secret_free_buf(crawl_buf *secret);

/* May others than the owner read the file? False also if there is no file. */
bool cw_secret_is_open(const char *path);
