/* Replaces a file by a new one in one step: whoever opens the path gets the old content or the new, whole, whatever
 * ends the process or the machine. */
#ifndef CW_REPLACE_H
#define CW_REPLACE_H

#include <crawl/base.h>

#include <sys/types.h>

typedef struct cw_replace {
    const char *path; /* borrowed */
    char *temporary;  /* the path of the new file until it is renamed */
    int file;
} cw_replace;

/* Creates an empty temporary file in the folder of path. mode: permissions of a new file, less the umask; one that was
 * there keeps its own, less what mode does not have. CRAWL_EIO: error says why; path names something that is no regular
 * file, among others. CRAWL_ENOMEM. */
crawl_err cw_replace_begin(cw_replace *replace, const char *path, mode_t mode, crawl_error *error);

/* Writes all of it there. CRAWL_EIO */
crawl_err cw_replace_write(cw_replace *replace, const void *data, size_t size, uint64_t offset, crawl_error *error);

/* Brings it to the disk and renames it, if err is CRAWL_OK; otherwise, or if that fails, removes it. The error, if
 * any. */
crawl_err cw_replace_end(cw_replace *replace, crawl_err err, crawl_error *error);

/* All three, for a text that is at hand. */
crawl_err cw_replace_file(const char *path, crawl_slice text, mode_t mode, crawl_error *error);

/* Brings the names in the folder of path to the disk, where the file system can do so. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_sync_folder(const char *path, crawl_error *error);

#endif
