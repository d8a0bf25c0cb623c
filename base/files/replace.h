/* Replaces a file by a new one in one step: a reader of the path gets the whole old content or the whole new one, even
 * if the process or the machine stops at any moment. */
#pragma once

#include <crawl/base.h>
#include <sys/types.h>

typedef struct cw_replace {
    const char *path; /* borrowed */
    char *temporary;  /* the path of the new file until it is renamed */
    int file;
} cw_replace;

/* Creates an empty temporary file in the folder of path. mode: the permissions of a new file, less the umask; an
 * existing file keeps its own, without those that mode does not have. CRAWL_EIO: error says why, for example that path
 * is no regular file. CRAWL_ENOMEM. */
crawl_err cw_replace_begin(cw_replace *replace, const char *path, mode_t mode, crawl_error *error);

/* Writes all of data at offset. CRAWL_EIO. */
crawl_err cw_replace_write(cw_replace *replace, const void *data, size_t size, uint64_t offset, crawl_error *error);

/* If err is CRAWL_OK, brings the file to the disk and renames it. Otherwise, or if that fails, removes it. Returns the
 * error. */
crawl_err cw_replace_end(cw_replace *replace, crawl_err err, crawl_error *error);

/* Does all three steps for a text in memory. */
crawl_err cw_replace_file(const char *path, crawl_slice text, mode_t mode, crawl_error *error);

/* Brings the names in the folder of path to the disk, if the file system can do so. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_sync_folder(const char *path, crawl_error *error);

/* Removes a folder with all that is in it, as far as that can be. A symbolic link in it is removed, not followed. */
void cw_remove_folder(const char *path);

/* Writes to a descriptor, by as many calls of the system as that takes. Returns the bytes that could not be written,
 * the end of `bytes`. Size 0: all were; otherwise errno says why. */
crawl_slice cw_write_all(int file, crawl_slice bytes);

/* Writes all bytes into a file that was opened for them, and closes it. file negative: opening failed. Returns 0, or
 * the errno of what failed; a full disk may show only when the file is closed. */
int cw_write_whole(int file, crawl_slice bytes);
