/* The files of an offline copy. No symbolic link is followed on the way to a file, so that nothing is written or read
 * outside the folder, whatever was planted in it: the system looks at a path as a whole (openat2, Linux 5.6), and where
 * it cannot or may not, and where folders are missing, the path is followed name by name. */
#pragma once

#include <crawl/base.h>

/* The folder in a copy for files of our own: new files, pages as they came, the table. No host has this name. */
#define CW_MIRROR_OWN ".crawl-mirror"

/* Thread-safe. */
typedef struct cw_mirror_files cw_mirror_files;

/* Opens the folder of a copy, and makes it if it is not there, but not its parents. CRAWL_EINVAL: it is not empty, and
 * no copy of ours. CRAWL_EIO. CRAWL_ENOMEM. */
crawl_err cw_mirror_files_open(const char *folder, cw_mirror_files **out, crawl_error *error);
void cw_mirror_files_free(cw_mirror_files *files);

/* Removes new files that a process which was killed did not come to name. Only while no other writes the copy. */
void cw_mirror_files_sweep(cw_mirror_files *files);

/* Does the same checks as open, and makes nothing. */
crawl_err cw_mirror_files_check(const char *folder, crawl_error *error);

/* Paths are relative, their names apart by "/", as cw_mirror_path makes them. CRAWL_EIO: error names the path and the
 * reason; CRAWL_ENOMEM. */

/* Puts a file in place in one step: a reader sees the earlier file, or all of the new one. */
crawl_err cw_mirror_files_write(cw_mirror_files *files, crawl_slice path, crawl_slice body, crawl_error *error);
/* Puts the file at `from` in place at `path` too, as a hard link where the file system can. */
crawl_err cw_mirror_files_copy(cw_mirror_files *files, crawl_slice from, crawl_slice path, crawl_error *error);
/* Moves a file of CW_MIRROR_OWN to its place; without success the file is removed. */
crawl_err cw_mirror_files_rename(cw_mirror_files *files, const char *from, crawl_slice path, crawl_error *error);
/* Reads a file into *out. CRAWL_ABSENT: there is none. */
crawl_err cw_mirror_files_read(cw_mirror_files *files, crawl_slice path, crawl_buf *out, crawl_error *error);
/* Removes a file, if it is there. */
void cw_mirror_files_remove(cw_mirror_files *files, crawl_slice path);
/* Is a regular file there? */
bool cw_mirror_files_has(cw_mirror_files *files, crawl_slice path);
/* Is a regular file there that has exactly these bytes? */
bool cw_mirror_files_holds(cw_mirror_files *files, crawl_slice path, crawl_slice body);
/* A descriptor of a file, opened with these flags; -1: errno says why. */
int cw_mirror_files_descriptor(cw_mirror_files *files, const char *path, int flags);
