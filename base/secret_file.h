/* Files that hold a secret. */
#ifndef CW_SECRET_FILE_H
#define CW_SECRET_FILE_H

#include <crawl/base.h>

/* The first line of a file, without its end; the caller frees it. CRAWL_EIO: it cannot be read, is empty, or its first
 * line is longer than 4 KiB or holds control characters. CRAWL_ENOMEM. */
crawl_err cw_secret_read(const char *path, char **out, crawl_error *error);

/* May others than its owner read the file? False too where there is none. */
bool cw_secret_is_open(const char *path);

#endif
