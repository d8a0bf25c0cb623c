/* Replaces a file in one step: a reader of the path gets the complete old content or the complete new one, even if the
 * process or the machine stops at any moment. */
#pragma once

#include <crawl/base.h>
#include <sys/types.h>

typedef struct cw_replace {
    const char *path; /* borrowed */
    char *temporary;  /* the path of the new file until it is renamed */
    int file;
} cw_replace;

/* Creates an empty temporary file in the folder of path. mode: the permissions of a new file, less the umask; an
 * existing file keeps its own, without those not in mode. CRAWL_EIO: error says why, for example that path is not a
 * regular file. CRAWL_ENOMEM. */
crawl_err cw_replace_begin(cw_replace *replace, const char *path, mode_t mode, crawl_error *error);

/* Writes all of data at offset. CRAWL_EIO. */
crawl_err cw_replace_write(cw_replace *replace, const void *data, size_t size, uint64_t offset, crawl_error *error);

/* If err is CRAWL_OK, syncs the file and renames it. Otherwise, or if that fails, removes it. Returns the error. */
crawl_err cw_replace_end(cw_replace *replace, crawl_err err, crawl_error *error);

/* Does all three steps for a text in memory. */
crawl_err cw_replace_file(const char *path, crawl_slice text, mode_t mode, crawl_error *error);

/* Syncs the names in the folder of path, if the file system supports it. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_sync_folder(const char *path, crawl_error *error);

/* Removes a folder and its content, as far as possible. Removes symbolic links in it without following them. */
void cw_remove_folder(const char *path);

/* Writes to a descriptor, repeating the system call as needed. Waits even if the descriptor does not block. Returns the
 * unwritten end of `bytes`. Size 0: all were written; otherwise errno says why. */
crawl_slice cw_write_all(int file, crawl_slice bytes);

/* Writes all bytes to a newly opened file and closes it. file negative: opening failed. Returns 0, or an errno; a full
 * disk may show only when the file is closed. */
int cw_write_whole(int file, crawl_slice bytes);
