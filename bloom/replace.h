/* Replaces a file by a new one in one step: whoever opens the path gets the old content or the new, whole. */
#ifndef CW_BLOOM_REPLACE_H
#define CW_BLOOM_REPLACE_H

#include <crawl/base.h>

typedef struct cw_replace {
    const char *path; /* borrowed */
    char *temporary;  /* the path of the new file until it is renamed */
    int file;
} cw_replace;

/* Creates an empty temporary file in the folder of path. CRAWL_EIO: error says why. */
crawl_err cw_replace_begin(cw_replace *replace, const char *path, crawl_error *error);

/* Writes all of it there. CRAWL_EIO */
crawl_err cw_replace_write(cw_replace *replace, const void *data, size_t size, uint64_t offset, crawl_error *error);

/* Brings it to the disk and renames it, if err is CRAWL_OK; otherwise, or if that fails, removes it. The error, if any. */
crawl_err cw_replace_end(cw_replace *replace, crawl_err err, crawl_error *error);

#endif
